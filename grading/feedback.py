"""Prepare the feedback that a learner gets back: reports and comments in Chinese, and no trace of a grading case."""

import builtins

from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade
from traitlets import List

from grading.execute import STOPPED_KEY

NO_RESPONSE = {"No response.": "没有作答。"}
RAISED = "这个单元格运行时出错：{name}。在自己的 notebook 里从头运行一遍，能看到完整的出错信息。"
OTHER_ERROR = "其他异常"


class FeedbackStep(NbGraderPreprocessor):
    """Take the setting that a page gives every step, as nbgrader's own `GetGrades` does: else each run complains."""

    display_data_priority = List().tag(config=True)


class TranslateComments(FeedbackStep):
    """Say nbgrader's own comments in Chinese; a grader's stay as they are."""

    def preprocess_cell(self, cell, resources, cell_index):
        """Translate the comment that `GetGrades` has put into the cell's metadata."""
        metadata = cell.metadata.get("nbgrader", {})
        if "comment" in metadata:
            metadata["comment"] = NO_RESPONSE.get(metadata["comment"], metadata["comment"])
        return cell, resources


class KeepReportsOnly(FeedbackStep):
    """Drop the outputs of all cells but the graded ones.

    A function can keep the cases on which it is graded, and a later cell show them, in its output or in the message
    of an exception. Learners have seen their own outputs anyway.
    """

    def preprocess_cell(self, cell, resources, cell_index):
        """Leave of an error its type alone, and only if it is one of Python's own."""
        if cell.cell_type == "code" and not is_grade(cell) and STOPPED_KEY not in cell.metadata:
            cell.outputs = [_error(output.ename) for output in cell.outputs if output.output_type == "error"]
        return cell, resources


def _error(name):
    shown = name if isinstance(getattr(builtins, name, None), type) else OTHER_ERROR
    sentence = RAISED.format(name=shown)
    return v4.new_output("error", ename=shown, evalue=sentence, traceback=[sentence])
