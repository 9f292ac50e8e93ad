"""The course as nbgrader knows it: its submissions, which of them wait to be graded, and how one is graded."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.writers import FilesWriter
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import setenv
from traitlets.config import Config

from grading.execute import ExecuteSubmission
from grading.stamp import RECORD_KEY, SUBMITTED_KEY, digest_of


@dataclass(frozen=True, order=True)
class Submission:
    """One learner's folder of one assignment."""

    assignment: str
    student: str


class Course:
    """The folder that `nbgrader_config.py` is in; everything goes through nbgrader's own classes and its gradebook.

    Parameters
    ----------
    settings : list of str
        As on nbgrader's command line, such as `--ExecuteSubmission.timeout=30`.
    """

    def __init__(self, settings=()):
        app = NbGrader()
        app.initialize(["--log-level=CRITICAL", *settings])
        self.config = app.config
        self._directory = CourseDirectory(config=self.config)

    def submissions(self, assignment):
        """Return every submission of an assignment, in the order of the students' ids."""
        submitted = Path(self._directory.root, self._directory.submitted_directory)
        folders = sorted(submitted.glob(f"*/{assignment}"))
        return [Submission(assignment, folder.parent.name) for folder in folders if folder.is_dir()]

    def handed_in(self, submission):
        """Return the notebooks of a submission, none if there is none."""
        return self._notebooks(self._directory.submitted_directory, submission)

    def records(self, submission):
        """Return what grading noted in each graded notebook of a submission, empty where it did not come to its end."""
        return [_record(path) for path in self._notebooks(self._directory.autograded_directory, submission)]

    def is_graded(self, submission):
        """Say whether what was handed in last is graded, to its end."""
        records = self.records(submission)
        if not records or not all("tests" in record for record in records):
            return False
        return {record.get(SUBMITTED_KEY) for record in records} <= set(map(digest_of, self.handed_in(submission)))

    def start_grading(self, submission):
        """Take the first half of nbgrader's way with a submission: everything up to running it.

        Parameters
        ----------
        submission : Submission

        Returns
        -------
        grading : SteppedAutograde
            With the `jobs` to run before it goes on.
        """
        config = Config(self.config)
        config.CourseDirectory.student_id = submission.student
        config.CourseDirectory.assignment_id = submission.assignment
        config.Autograde.force = True  # what an interrupted run left is replaced
        config.Exporter.optimistic_validation = True  # once at the end of each half, not after each of its steps
        grading = SteppedAutograde(coursedir=CourseDirectory(config=config), config=config)
        try:
            grading.sanitize(submission)
        except BaseException:
            grading.abandon()
            raise
        return grading

    def _notebooks(self, directory, submission):
        return sorted(Path(self._directory.root, directory, submission.student, submission.assignment).glob("*.ipynb"))


class SteppedAutograde(Autograde):
    """nbgrader's converter, stopped between its two halves, so that others can run many submissions meanwhile.

    Attributes
    ----------
    jobs : list of dict
        One for each notebook.
    """

    def sanitize(self, submission):
        """Do what `Autograde` does before it runs a submission."""
        self._submission = submission
        self.init_notebooks()
        (self.notebooks,) = map(sorted, self.assignments.values())
        self.writer = FilesWriter(parent=self, config=self.config)
        self.exporter = self.exporter_class(parent=self, config=self.config)
        self.init_destination(submission.assignment, submission.student)
        self.run_pre_convert_hook()
        self.init_assignment(submission.assignment, submission.student)
        self._convert(sanitizing=True)
        step = ExecuteSubmission(config=self.config)
        self.jobs = [step.job(nbformat.read(path, as_version=4), self._resources(path))[0] for path in self._graded()]

    def finish(self, results_directory):
        """Do what `Autograde` does from running a submission on; its results lie ready in a folder."""
        self.config.ExecuteSubmission.results_directory = str(results_directory)
        with setenv(NBGRADER_EXECUTION="autograde"):
            self._convert(sanitizing=False)
        self.set_permissions(self._submission.assignment, self._submission.student)
        self.run_post_convert_hook()

    def abandon(self):
        """Leave no half-graded notebook, as `Autograde` does after an error."""
        shutil.rmtree(self._format_dest(self._submission.assignment, self._submission.student), ignore_errors=True)

    def _convert(self, sanitizing):
        self._sanitizing = sanitizing
        self._init_preprocessors()
        for path in self.notebooks if sanitizing else self._graded():
            super(Autograde, self).convert_single_notebook(str(path))

    def _graded(self):
        folder = self._format_dest(self._submission.assignment, self._submission.student)
        return [Path(folder, Path(path).name) for path in self.notebooks]

    def _resources(self, path):
        self._sanitizing = False  # the file lies where graded ones do
        return self.init_single_notebook_resources(str(path))


def _record(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"].get(RECORD_KEY, {})
    except Exception:  # whatever an interrupted run left
        return {}
