"""Match cells that lost their nbgrader metadata back to the release, by what they say and where they stand.

Editors, converters and copies through a chat lose metadata; stock nbgrader then grades nothing of what is there. What
a cell says decides first, its place between cells that are certain second. What stays ambiguous is said and left alone.
"""

import functools
from pathlib import Path

import nbformat
from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from grading.cell_text import defined_functions, lines_of, normalised, parses, similarity
from grading.cut_cells import rejoin_halves, split_merged
from grading.matching import Matching, Prose
from grading.reading import is_unreadable
from grading.released import released_cells, released_id

REPAIRS_KEY = "repaired_while_grading"  # in the notebook's metadata: a list of sentences for the instructor
SIMILAR = 0.9
CLEARLY_MORE = 0.05  # by so much the best of several similar cells has to lead
MAX_CELLS = 1000

MOVED_TEST = "（批改时把下面的检查移到了函数 `{name}` 的定义之后：交上来的 notebook 里它在定义之前。）"
SEVERAL_DEFINITIONS = "（函数 `{name}` 在几个单元格里都有定义，它们全都运行；检查用的是检查之前最后运行的那一个。）"
UNCLEAR_TEXT = "（批改时分不清附近哪一段是书面题 {grade_id} 的回答，由老师来看。）"


class RematchCells(NbGraderPreprocessor):
    """Give ids back to cells that lost them; say of every one why, and of what is ambiguous that it is."""

    release_directory = Unicode("notebooks", help="where the released notebooks are").tag(config=True)

    def preprocess(self, nb, resources):
        """Leave the list of what was done in the log and in the notebook's metadata."""
        nb.metadata.pop(REPAIRS_KEY, None)  # no submission may report its own
        if is_unreadable(nb):
            return nb, resources
        repairs = rematch(nb, released_cells(resources), self._layout(resources))
        for repair in repairs:
            self.log.warning(repair)
        if repairs:
            nb.metadata[REPAIRS_KEY] = repairs
        return nb, resources

    def _layout(self, resources):
        grading = resources.get("nbgrader", {})
        path = Path(self.release_directory, grading.get("assignment", ""), f"{grading.get('notebook', '')}.ipynb")
        return released_layout(path, path.stat().st_mtime_ns) if path.is_file() else ()


@functools.lru_cache(maxsize=8)  # a whole class was made from the same notebook, and reading it takes its time
def released_layout(path, modified=None):
    """Return the cells of a released notebook in order: a `grade_id`, or the prose that the gradebook does not know.

    `modified` is the time of the file, by which it is known that it must be read again.
    """
    cells = nbformat.read(path, as_version=4).cells
    return tuple(released_id(cell) or Prose(normalised(cell.source)) for cell in cells)


def rematch(nb, released, layout=()):
    """Match the cells of a submission to the released ones.

    Parameters
    ----------
    nb : NotebookNode
        Changed in place.
    released : dict of str to ReleasedCell
        By `grade_id`, in the released order.
    layout : sequence, optional
        As `released_layout` returns it. Without it, nothing is recognised by its place.

    Returns
    -------
    repairs : list of str
        What was done, and what could not be decided.
    """
    matching = Matching(nb, released, layout)
    if not (matching.wanted() or matching.absent() or matching.doubled()):
        return []
    if len(nb.cells) > MAX_CELLS:
        return [f"{len(nb.cells)} cells are too many to look for those that are missing"]
    for step in (
        drop_ids_of_copied_cells,
        rejoin_halves,  # before anything is looked for: half a function is none
        split_merged,  # a part may be what the next steps look for
        match_texts,  # what was not edited is certain, and the rest is found between it
        match_functions,
        match_places,
        run_tests_after_answers,
        insert_notes,  # last, or they would be taken for the learner's own text
    ):
        step(matching)
    return matching.repairs


def drop_ids_of_copied_cells(matching):
    """Take the id from a copy that is blank, or in which another exercise is answered."""
    asked = {name: grade_id for grade_id in matching.wanted() for name in matching.functions(grade_id)}
    for cell in matching.doubled():
        names, grade_id = set(defined_functions(cell.source)), matching.id_of(cell)
        if not cell.source.strip() or (names & asked.keys() and not names.intersection(matching.functions(grade_id))):
            del cell.metadata["nbgrader"]
            matching.say(f"Cell {grade_id}: a copy of it is blank, or answers another exercise")


def match_texts(matching):
    """Recognise the cells whose text is a released one's, then those whose text is nearly a locked one's."""
    by_text = {}
    for grade_id in matching.absent():
        by_text.setdefault(normalised(matching.released[grade_id].source), []).append(grade_id)
    for cell in filter(matching.is_learners_own, matching.nb.cells):
        ids = by_text.get(normalised(cell.source), [])
        if len(ids) == 1:  # several written answers share one stub: their places tell them apart
            matching.label(cell, ids[0], "recognised by its text")
            cell.source = matching.released[ids[0]].source  # the spaces too, or a stub would pass for an answer
    for grade_id in [each for each in matching.absent() if matching.released[each].locked]:
        _match_similar(matching, grade_id, [cell for cell in matching.nb.cells if matching.is_learners_own(cell)])


def _match_similar(matching, grade_id, cells):
    text = normalised(matching.released[grade_id].source)
    alike = [(similarity(normalised(cell.source), text), cell) for cell in cells]
    ranked = sorted(alike, key=lambda pair: pair[0], reverse=True)[:2]
    best = ranked[0][0] if ranked else 0.0
    if best >= SIMILAR and (len(ranked) == 1 or best - ranked[1][0] >= CLEARLY_MORE):
        matching.label(ranked[0][1], grade_id, "recognised by a text that is nearly its own")


def match_functions(matching):
    """Find the answers by the functions that they define, wherever they stand."""
    for grade_id in matching.wanted():
        names = set(matching.functions(grade_id))
        defining = [cell for cell in matching.nb.cells if names.intersection(defined_functions(cell.source))]
        defining = [cell for cell in defining if not _is_stub(matching, cell, grade_id)]
        own = [cell for cell in defining if matching.is_learners_own(cell)]
        own = [cell for cell in own if cell.cell_type == "code"] or own
        if own:
            _match_function(matching, grade_id, own)
        else:
            _leave_in_other_answer(matching, grade_id, [cell for cell in defining if _is_answer(matching, cell)])


def _is_stub(matching, cell, grade_id):
    return lines_of(cell.source) == lines_of(matching.released[grade_id].source)


def _is_answer(matching, cell):
    grade_id = matching.id_of(cell)
    return grade_id is not None and matching.released[grade_id].solution


def _match_function(matching, grade_id, own):
    """Label the cell whose definition the test would meet: the last before it."""
    name = matching.functions(grade_id)[0]
    test = _test_of(matching, grade_id)
    before = own if test is None else [cell for cell in own if matching.index(cell) < matching.index(test)]
    cell = (before or own)[-1]
    matching.located[grade_id] = cell
    matching.label(cell, grade_id, f"recognised by the function {name}")
    if len({normalised(each.source) for each in own}) > 1:
        matching.say(f"Cell {grade_id}: {len(own)} cells define {name}; all are run, the last before the test counts")
        matching.tell_learner(cell, SEVERAL_DEFINITIONS.format(name=name))


def _leave_in_other_answer(matching, grade_id, cells):
    """Note that the function of an absent cell stands in another exercise's."""
    if cells and grade_id in matching.absent():
        name, elsewhere = matching.functions(grade_id)[0], matching.id_of(cells[-1])
        matching.located[grade_id] = cells[-1]
        matching.say(f"Cell {grade_id}: {name} is defined in cell {elsewhere}, and judged from there")


def _test_of(matching, grade_id):
    """Return the submitted cell that tests an answer, None if there is none."""
    test_id = matching.test_id(grade_id)
    return next((cell for cell in matching.nb.cells if test_id and matching.id_of(cell) == test_id), None)


def match_places(matching):
    """Recognise the answers that are left by their place between cells that are certain."""
    if not matching.layout:
        return
    left = [each for each in matching.wanted() if each in matching.layout and each not in matching.located]
    for ids in list(_neighbouring(matching, left)):
        cells = _cells_between(matching, ids)
        if matching.released[ids[0]].cell_type == "markdown":
            _match_written(matching, ids, cells)
        else:
            _match_code(matching, ids, [cell for cell in cells if cell.cell_type == "code"])


def _neighbouring(matching, ids):
    """Yield the ids in groups of one cell type, between which no cell is certain."""
    certain, group = matching.places().keys(), []
    for grade_id in ids:
        same_type = group and matching.released[group[0]].cell_type == matching.released[grade_id].cell_type
        if group and not (same_type and certain.isdisjoint(_from_to(matching.layout, group[-1], grade_id))):
            yield group
            group = []
        group.append(grade_id)
    if group:
        yield group


def _from_to(layout, first, last):
    return layout[layout.index(first) : layout.index(last) + 1]


def _cells_between(matching, ids):
    """Return the learner's own cells between the certain ones around the released places of `ids`."""
    layout, places = matching.layout, matching.places()
    first, last = layout.index(ids[0]), layout.index(ids[-1])
    start = next((places[part][-1] for part in reversed(layout[:first]) if part in places), -1)
    later = [places[part][0] for part in layout[last + 1 :] if part in places]
    end = min([place for place in later if place > start], default=len(matching.nb.cells))
    own = [cell for cell in matching.nb.cells[start + 1 : end] if matching.is_learners_own(cell)]
    return [cell for cell in own if not matching.is_edited_prose(cell)]


def _match_written(matching, ids, cells):
    texts = [cell for cell in cells if cell.cell_type != "code"] or [cell for cell in cells if not parses(cell.source)]
    texts = [cell for cell in texts if not _is_stub(matching, cell, ids[0])] or texts
    if len(ids) == 1 and _stand_together(matching, texts):
        matching.label(_merged(matching, texts), ids[0], "a written answer, recognised by its place")
    elif len(ids) == len(texts):
        for grade_id, cell in zip(ids, texts, strict=True):
            matching.label(cell, grade_id, f"recognised by its place among {len(ids)} written answers")
    elif texts:
        _leave_to_reader(matching, ids, texts)


def _leave_to_reader(matching, ids, texts):
    """Put a sentence in the place of each answer: it is not the released text, so it waits for a reader."""
    matching.say(f"Cells {', '.join(ids)}: {len(texts)} texts could be the answers; a reader has to tell")
    for grade_id in ids:
        stubs = [cell for cell in matching.nb.cells if matching.id_of(cell) == grade_id]
        if not stubs:
            stubs = [v4.new_markdown_cell()]
            matching.nb.cells.insert(matching.index(texts[0]), stubs[0])
            matching.label(stubs[0], grade_id, "put back")
        stubs[0].source = UNCLEAR_TEXT.format(grade_id=grade_id)


def _stand_together(matching, cells):
    places = [matching.index(cell) for cell in cells]
    return bool(places) and places[-1] - places[0] == len(places) - 1


def _merged(matching, cells):
    first, *others = cells
    for cell in others:
        first.source = f"{first.source.rstrip()}\n\n{cell.source}"
        del matching.nb.cells[matching.index(cell)]
    return first


def _match_code(matching, ids, cells):
    absent = [grade_id for grade_id in ids if grade_id in matching.absent()]
    if len(absent) == len(cells) == 1:
        matching.label(cells[0], absent[0], "recognised by its place; it does not define the function asked for")
    elif absent and cells:
        matching.say(
            f"Cells {', '.join(absent)}: no cell defines their functions; {len(cells)} could be meant, all run"
        )


def run_tests_after_answers(matching):
    """Move a test behind the answer that was found below it; put one back there if it is missing."""
    for grade_id, answer in matching.located.items():
        test_id, test = matching.test_id(grade_id), _test_of(matching, grade_id)
        if test is not None and matching.index(test) < matching.index(answer):
            del matching.nb.cells[matching.index(test)]
            matching.nb.cells.insert(matching.index(answer) + 1, test)
            matching.tell_learner(test, MOVED_TEST.format(name=matching.functions(grade_id)[0]))
            matching.say(f"Cell {test_id}: stood before the answer; moved behind it")
        elif test is None and test_id and grade_id not in matching.places():
            test = v4.new_code_cell(matching.released[test_id].source)
            matching.label(test, test_id, "is missing; put back behind the answer")
            matching.nb.cells.insert(matching.index(answer) + 1, test)


def insert_notes(matching):
    """Put the lines for the learner before their cells."""
    for cell, sentence in matching.notes:
        matching.nb.cells.insert(matching.index(cell), v4.new_markdown_cell(sentence))
