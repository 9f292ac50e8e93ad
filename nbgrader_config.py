"""nbgrader's settings for this course: run every `nbgrader` command from the folder that this file is in."""

import functools
import sys
from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import (
    AssignLatePenalties,
    ClearOutput,
    DeduplicateIds,
    GetGrades,
    IgnorePattern,
    LimitOutput,
)

sys.path.insert(0, str(Path(__file__).resolve().parent))  # nbgrader does not look for `grading` beside its settings

from grading.active_html import ShowActiveHtmlAsText  # noqa: E402
from grading.duplicates import KeepOneCopy  # noqa: E402
from grading.execute import ExecuteSubmission  # noqa: E402
from grading.feedback import KeepReportsOnly, TranslateComments  # noqa: E402
from grading.gradebook import SaveScores  # noqa: E402
from grading.links import remove_linked  # noqa: E402
from grading.metadata import RestoreLocked, RestoreMetadata, RunEveryCell  # noqa: E402
from grading.missing import PutBackMissingCells  # noqa: E402
from grading.release import ExecuteRelease  # noqa: E402
from grading.rematch import RematchCells  # noqa: E402
from grading.renamed import ReadUnderAnyName, adopt_renamed  # noqa: E402
from grading.stamp import StampSubmission  # noqa: E402

c = get_config()


def release(c):
    """`nbgrader generate_assignment`: solutions/ -> notebooks/, executed."""
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "notebooks"
    c.ClearSolutions.code_stub = {"python": "# 在这里写下你的代码，再删去下一行\nraise NotImplementedError"}
    c.ClearSolutions.text_stub = "在这里写下你的回答。"
    # Last: nothing may run before solutions, hidden tests and mark schemes are gone.
    c.GenerateAssignment.preprocessors = [*GenerateAssignment.preprocessors.default(), ExecuteRelease]


def autograde(c):
    """`nbgrader autograde`: whatever one submission holds, it gets a score, and no other is touched by it."""
    c.Autograde.exporter_class = ReadUnderAnyName
    c.Autograde.pre_convert_hook = functools.partial(adopt_renamed, c.CourseDirectory.release_directory)
    c.Autograde.post_convert_hook = functools.partial(remove_linked, "autograded")
    c.Autograde.sanitize_preprocessors = [
        StampSubmission,
        ClearOutput,
        RematchCells,  # the steps below know a cell by its metadata, and these may be lost
        RestoreMetadata,  # early: one cell with metadata of another version would stop the whole class
        KeepOneCopy,  # a duplicated cell would, too; DeduplicateIds does not mend that
        RunEveryCell,
        DeduplicateIds,
        RestoreLocked,
        PutBackMissingCells,  # after RestoreLocked, which would remove the line that says what was put back
        # Not CheckCellMetadata, here and below: the metadata are the gradebook's own, and it takes half the time.
    ]
    c.Autograde.autograde_preprocessors = [
        ExecuteSubmission,  # in a sandbox; points come from what functions answer, judged outside it
        ShowActiveHtmlAsText,
        IgnorePattern,
        LimitOutput,
        SaveScores,
        AssignLatePenalties,
    ]
    for step in (c.ReadUnderAnyName, c.StampSubmission, c.RematchCells, c.ExecuteSubmission):
        step.release_directory = c.CourseDirectory.release_directory
    c.ExecuteSubmission.timeout = 60  # seconds a cell; a function is stopped by itself, after 5 s a case
    c.ExecuteSubmission.seed_file = ".grading_seed"  # private: whoever knows it knows the grading cases


def feedback(c):
    """`nbgrader generate_feedback`: in Chinese, without any grading case."""
    c.GenerateFeedback.preprocessors = [GetGrades, TranslateComments, KeepReportsOnly, CSSHTMLHeaderPreprocessor]


release(c)
autograde(c)
feedback(c)
