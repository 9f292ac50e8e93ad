"""What is known while a submission is matched back to the release: which cell is which, and what was done."""

from collections import Counter
from dataclasses import dataclass, field

from nbformat import NotebookNode, from_dict

from grading.cell_text import defined_functions, lines_of, normalised, similarity
from grading.released import ReleasedCell, released_id

EDITED_PROSE = 0.8


@dataclass(frozen=True)
class Prose:
    """A released cell that the gradebook does not know: prose, or a demonstration."""

    text: str


@dataclass
class Matching:
    """A submitted notebook beside the released one.

    `released` are the released cells by `grade_id`. `layout` is the whole released notebook in order, a `grade_id` or a
    `Prose` for each cell; without it, prose is not told from what a learner wrote. `repairs` grows with every change;
    `located` says in which cell the function of an answer was found, `notes` what the learner reads before which cell.
    """

    nb: NotebookNode
    released: dict[str, ReleasedCell]
    layout: tuple[str | Prose, ...] = ()
    repairs: list[str] = field(default_factory=list)
    located: dict[str, NotebookNode] = field(default_factory=dict)
    notes: list[tuple[NotebookNode, str]] = field(default_factory=list)

    def __post_init__(self):
        self._prose = {part.text for part in self.layout if isinstance(part, Prose)}

    def id_of(self, cell):
        """Return the `grade_id` of a cell, None if it carries none that was released."""
        grade_id = released_id(cell)
        return grade_id if grade_id in self.released else None

    def places(self):
        """Return the positions of the cells that carry each `grade_id`, and of each prose."""
        places = {}
        for index, cell in enumerate(self.nb.cells):
            places.setdefault(self.id_of(cell) or Prose(normalised(cell.source)), []).append(index)
        return {part: where for part, where in places.items() if part in self.released or part.text in self._prose}

    def absent(self):
        """Return the ids that no cell carries, in the released order."""
        present = {self.id_of(cell) for cell in self.nb.cells}
        return [grade_id for grade_id in self.released if grade_id not in present]

    def doubled(self):
        """Return the cells that share their id with another one."""
        ids = Counter(self.id_of(cell) for cell in self.nb.cells)
        return [cell for cell in self.nb.cells if self.id_of(cell) and ids[self.id_of(cell)] > 1]

    def wanted(self):
        """Return the ids of the answers that are absent, or still as they were released."""
        answered = {self.id_of(cell) for cell in self.nb.cells if not self.is_untouched(cell)}
        return [grade_id for grade_id, cell in self.released.items() if cell.solution and grade_id not in answered]

    def is_untouched(self, cell):
        """Say whether a cell with an id still holds the released text."""
        grade_id = self.id_of(cell)
        return grade_id is not None and lines_of(cell.source) == lines_of(self.released[grade_id].source)

    def is_learners_own(self, cell):
        """Say whether a cell is neither a released one with its id, nor blank, nor prose of the release."""
        text = normalised(cell.source)
        return self.id_of(cell) is None and bool(text) and text not in self._prose

    def is_edited_prose(self, cell):
        """Say whether a cell is prose of the release into which the learner has written a little."""
        return any(similarity(normalised(cell.source), text) >= EDITED_PROSE for text in self._prose)

    def functions(self, grade_id):
        """Return the functions that the released cell asks for."""
        cell = self.released[grade_id]
        return defined_functions(cell.source) if cell.cell_type == "code" and cell.solution else []

    def test_id(self, grade_id):
        """Return the id of the test of an answer: the next one, if it names the function. None if it does not."""
        order = list(self.released)
        later = order[order.index(grade_id) + 1 :]
        test_id = next((each for each in later if self.released[each].is_test), None)
        named = test_id and any(name in self.released[test_id].source for name in self.functions(grade_id))
        return test_id if named else None

    def label(self, cell, grade_id, reason):
        """Give a cell its id back; `RestoreMetadata` completes the rest."""
        cell.metadata.nbgrader = from_dict({"grade_id": grade_id})
        self.say(f"Cell {grade_id}: {reason}")

    def say(self, sentence):
        """Note what was done."""
        self.repairs.append(sentence)

    def tell_learner(self, cell, sentence):
        """Note a line for the learner, to be shown before a cell."""
        self.notes.append((cell, sentence))

    def index(self, cell):
        """Return the position of this very cell; others may be equal to it."""
        return next(index for index, each in enumerate(self.nb.cells) if each is cell)
