"""Settle which copy counts when a submission holds a released cell more than once."""

from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.cell_text import lines_of
from grading.released import released_cells, released_id

STUB_COPY = "（这里是题目单元格 `{grade_id}` 的一份复制，内容还是发下来的样子；批改时不运行它。）"


class KeepOneCopy(NbGraderPreprocessor):
    """Let one copy of every released cell count, so that a duplicated cell does not stop the grading of a class."""

    def preprocess(self, nb, resources):
        """Take the nbgrader metadata from the copies that do not count.

        Of a locked cell the last copy counts, since its text is overwritten anyway. Of a learner's cell the last
        that differs from the released one counts; a copy that does not differ is not run, or its stub
        would replace the answer.
        """
        released = released_cells(resources)
        copies = {}
        for index, cell in enumerate(nb.cells):
            copies.setdefault(released_id(cell), []).append(index)
        for grade_id, indices in copies.items():
            if grade_id in released and len(indices) > 1:
                self._settle(nb, released[grade_id], indices)
        return nb, resources

    def _settle(self, nb, released, indices):
        answered = [index for index in indices if _differs(nb.cells[index], released)]
        counts = indices[-1] if released.locked or not answered else answered[-1]
        self.log.warning("Cell %s is there %d times; the copy at %d counts", released.grade_id, len(indices), counts)
        for index in indices:
            if index == counts:
                continue
            if released.solution and index not in answered:
                nb.cells[index] = v4.new_markdown_cell(STUB_COPY.format(grade_id=released.grade_id))
            else:
                del nb.cells[index].metadata["nbgrader"]


def _differs(cell, released):
    return lines_of(cell.source) != lines_of(released.source)
