"""The course as nbgrader knows it: its submissions, which of them wait to be graded, and how one is graded."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.writers import FilesWriter
from nbformat import v4
from nbgrader.api import Gradebook
from nbgrader.apps import NbGrader
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grading.gradebook import missing_file
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
        self._steps = Steps(self.config)

    def submissions(self, assignment):
        """Return every submission of an assignment, in the order of the students' ids."""
        submitted = Path(self._directory.root, self._directory.submitted_directory)
        folders = sorted(submitted.glob(f"*/{assignment}"))
        return [Submission(assignment, folder.parent.name) for folder in folders if folder.is_dir()]

    def assignments_handed_in(self):
        """Return the names of all folders that are where those of assignments should be."""
        submitted = Path(self._directory.root, self._directory.submitted_directory)
        return sorted({folder.name for folder in submitted.glob("*/*") if folder.is_dir()})

    def released(self):
        """Return the names of the assignments that the gradebook knows."""
        if missing_file(self._directory.db_url):
            return set()
        with Gradebook(self._directory.db_url, self._directory.course_id) as gradebook:
            return {assignment.name for assignment in gradebook.assignments}

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
        grading = SteppedAutograde(coursedir=CourseDirectory(config=config), config=config)
        try:
            grading.sanitize(submission, self._steps)
        except BaseException:
            grading.abandon()
            raise
        return grading

    def _notebooks(self, directory, submission):
        return sorted(Path(self._directory.root, directory, submission.student, submission.assignment).glob("*.ipynb"))


class SteppedAutograde(Autograde):
    """nbgrader's converter, stopped between its two halves, so that others can run many submissions meanwhile.

    The steps are those of `nbgrader_config.py`, in their order. What `Autograde` does between them is left out, since
    it takes most of the time: the notebook is not written and read again between the halves, and not copied and checked
    around each step, but checked once, before it is written.

    Attributes
    ----------
    jobs : list of dict
        One for each notebook.
    """

    def sanitize(self, submission, steps):
        """Do what `Autograde` does before it runs a submission.

        Parameters
        ----------
        submission : Submission
        steps : Steps
        """
        self._submission, self._steps = submission, steps
        self.init_notebooks()
        (self.notebooks,) = map(sorted, self.assignments.values())
        self.writer = FilesWriter(parent=self, config=self.config)
        self.init_destination(submission.assignment, submission.student)
        self.run_pre_convert_hook()
        self.init_assignment(submission.assignment, submission.student)
        self._sanitized = [self._sanitized_notebook(str(path)) for path in self.notebooks]
        self.jobs = [steps.executing.job(nb, resources) for nb, resources in self._sanitized]

    def _sanitized_notebook(self, path):
        nb, resources = self._steps.reading.read(path), self.init_single_notebook_resources(path)
        return passed_through(self._steps.sanitizing, nb, resources)

    def finish(self, results):
        """Do what `Autograde` does from running a submission on; the results of its jobs are there already."""
        for (nb, resources), job, result in zip(self._sanitized, self.jobs, results, strict=True):
            nb, resources = self._steps.executing.enter_result(nb, resources, job, result)
            nb, resources = passed_through(self._steps.after_executing, nb, resources)
            nbformat.validate(nb, relax_add_props=True)
            self.write_single_notebook(f"{v4.writes(nb)}\n", resources | {"output_extension": ".ipynb"})
        self.set_permissions(self._submission.assignment, self._submission.student)
        self.run_post_convert_hook()

    def abandon(self):
        """Leave no half-graded notebook, as `Autograde` does after an error."""
        shutil.rmtree(self._format_dest(self._submission.assignment, self._submission.student), ignore_errors=True)


class Steps:
    """The steps of autograding, made once for a whole class: they keep nothing of the notebook that they were given.

    Attributes
    ----------
    reading : ReadAnySubmission
    sanitizing : list of NbGraderPreprocessor
    executing : ExecuteSubmission
    after_executing : list of NbGraderPreprocessor
    """

    def __init__(self, config):
        converter = Autograde(config=config)
        self.reading = converter.exporter_class(config=config)
        self.sanitizing = [step(config=config) for step in converter.sanitize_preprocessors]
        self.executing, *self.after_executing = [step(config=config) for step in converter.autograde_preprocessors]


def passed_through(steps, nb, resources):
    """Return the notebook and its resources, as they leave the last step."""
    for step in steps:
        nb, resources = step(nb, resources)
    return nb, resources


def _record(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"].get(RECORD_KEY, {})
    except Exception:  # whatever an interrupted run left
        return {}
