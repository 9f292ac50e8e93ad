"""Let a test cell's points come from its report alone: nbgrader gives full marks where it finds none."""

import math

from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.execute import STOPPED_KEY
from grading.released import released_cells, released_id

NOT_JUDGED = "没有得到评判"
NOT_DEFINED = "要评判的函数没有定义：定义它的单元格没有运行成功（见那里的错误），或已被删去。这道题记 0 分。"
CHECK_FAILED = "运行检查时出错（{name}）：函数的名字、或 check 这个名字，是否被改作他用了？这道题记 0 分。"
NO_REPORT = "检查没有交回报告：check 这个名字是否被改作他用了？这道题记 0 分。"


class RequireReport(NbGraderPreprocessor):
    """Keep the report as a test cell's only output, or an error in Chinese that says why there is none."""

    def preprocess(self, nb, resources):
        """Settle the outputs of every test cell."""
        released = released_cells(resources)
        for cell in nb.cells:
            grade_id = released_id(cell)
            is_test = cell.cell_type == "code" and grade_id in released and released[grade_id].is_test
            if is_test and STOPPED_KEY not in cell.metadata:
                cell.outputs = [settled_output(cell.outputs, released[grade_id].points)]
        return nb, resources


def settled_output(outputs, max_points):
    """Return the one output that decides the points of a test cell.

    Anything else in the cell is dropped: a line that a library, or a thread of another exercise, wrote to stderr
    would cost a right answer all its points.

    Parameters
    ----------
    outputs : list of NotebookNode
    max_points : float

    Returns
    -------
    output : NotebookNode
        A report, else an error.
    """
    errors = [output for output in outputs if output.output_type == "error"]
    reports = [output for output in outputs if is_report(output, max_points)]
    if errors:
        return _not_judged(errors[0])
    return reports[0] if len(reports) == 1 else _error(NO_REPORT)


def is_report(output, max_points):
    """Say whether an output is a report of `check`: HTML to read, and points between 0 and `max_points`."""
    if output.output_type != "execute_result" or "text/html" not in output.data:
        return False
    try:
        points = float(output.data.get("text/plain", ""))
    except ValueError:
        return False
    return math.isfinite(points) and 0 <= points <= max_points


def _not_judged(error):
    return _error(NOT_DEFINED if error.ename == "NameError" else CHECK_FAILED.format(name=error.ename))


def _error(sentence):
    return v4.new_output("error", ename=NOT_JUDGED, evalue=sentence, traceback=[sentence])
