"""Put back the released cells that a submission lacks, so that every exercise gets a score."""

from nbformat import from_dict, v4
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.reading import is_unreadable
from grading.released import released_cells, released_id

LOCKED_PUT_BACK = "# 交上来的 notebook 里没有这个单元格（{grade_id}），批改时补回。\n{source}"
ANSWER_PUT_BACK = "# 交上来的 notebook 里没有这道题的作答单元格（{grade_id}）；写在别的单元格里的函数照样评判。"
TEXT_PUT_BACK = "⚠️ 交上来的 notebook 里没有这个单元格（{grade_id}），批改时补回。\n\n{source}"


class PutBackMissingCells(NbGraderPreprocessor):
    """Put back what was deleted; nbgrader's own `add_missing_cells` fails where the cell before is missing too."""

    def preprocess(self, nb, resources):
        """Insert each missing cell where a test still follows the function that it tries."""
        released = released_cells(resources)
        submitted = {released_id(cell) for cell in nb.cells}
        order = list(released)
        for rank, grade_id in enumerate(order):
            if grade_id not in submitted:
                self.log.warning("Cell %s is missing; put back", grade_id)
                position = _position(nb, order, rank, submitted)
                nb.cells.insert(position, _put_back(released[grade_id], is_unreadable(nb)))
        return nb, resources


def _position(nb, order, rank, submitted):
    """Return where the cell of this rank goes.

    Right behind the cell released before it, if that was submitted. If it was not, a learner may have written
    the function anywhere up to the next released cell: the place is before that one, or at the end.
    """
    places = {released_id(cell): index for index, cell in enumerate(nb.cells)}
    if rank == 0:
        return len(nb.cells) if is_unreadable(nb) else 0  # in the one case behind the notice
    if order[rank - 1] in submitted:
        return places[order[rank - 1]] + 1
    later = [places[grade_id] for grade_id in order[rank + 1 :] if grade_id in submitted]
    return min(later, default=len(nb.cells))


def _put_back(released, unreadable):
    """Return the cell; not the stub of a function, which would replace one that is defined elsewhere."""
    if released.cell_type == "code":
        text = LOCKED_PUT_BACK if released.locked else ANSWER_PUT_BACK
        return _cell(v4.new_code_cell, text, released)
    # An answer that still is the released text gets 0 points; one that is not waits for a human reader.
    return _cell(v4.new_markdown_cell, "{source}" if unreadable or released.locked else TEXT_PUT_BACK, released)


def _cell(make, text, released):
    source = text.format(grade_id=released.grade_id, source=released.source)
    return make(source=source, metadata={"nbgrader": from_dict(released.metadata())})
