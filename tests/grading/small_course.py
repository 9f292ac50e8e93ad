"""Make a course of two exercises, already released, and what a class hands in; grading it takes a moment."""

import os
import shutil
import sys
from concurrent.futures import Future
from pathlib import Path
from unittest import mock

import nbformat
from nbformat import from_dict, v4
from nbgrader.api import Gradebook
from nbgrader.utils import compute_checksum

from grading.course import Course
from helpers.checks import exercises
from tests.grading.conftest import RELEASED

ROOT = Path(__file__).parents[2]
ASSIGNMENT = NOTEBOOK = "small"
POINTS = {f"{name}-check": exercises()[f"attention.{name}"].points for name in ("softmax", "scores")}
RIGHT = {
    "softmax": (
        "def softmax(scores):\n"
        "    scores = np.asarray(scores)\n"
        "    highest = scores.max(axis=-1, keepdims=True)\n"
        "    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0.0))\n"
        "    total = weights.sum(axis=-1, keepdims=True)\n"
        "    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)"
    ),
    "scores": "def scores(q, k):\n    return np.asarray(q) @ np.swapaxes(np.asarray(k), -1, -2) / np.sqrt(k.shape[-1])",
}


def release(course):
    """Make the course's folder, with what `nbgrader generate_assignment` would leave in it."""
    shutil.copy(ROOT / "nbgrader_config.py", course)
    nb = v4.new_notebook(cells=[_released_cell(cell) for cell in RELEASED.values()])
    folder = course / "notebooks" / ASSIGNMENT
    folder.mkdir(parents=True)
    nbformat.write(nb, folder / f"{NOTEBOOK}.ipynb")
    with _scripts_on_path(), Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.add_assignment(ASSIGNMENT)
        gradebook.add_notebook(NOTEBOOK, ASSIGNMENT)
        for cell in nb.cells:
            _enter(gradebook, cell)


def _scripts_on_path():
    """Let nbgrader find alembic, which it calls when it makes a gradebook."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return mock.patch.dict(os.environ, {"PATH": path})


def _released_cell(cell):
    make = v4.new_code_cell if cell.cell_type == "code" else v4.new_markdown_cell
    made = make(cell.source, metadata={"nbgrader": from_dict(cell.metadata())}, id=cell.grade_id)
    made.metadata.nbgrader.checksum = compute_checksum(made)
    return made


def _enter(gradebook, cell):
    known = cell.metadata.nbgrader
    where = known.grade_id, NOTEBOOK, ASSIGNMENT
    kept = {"cell_type": cell.cell_type, "source": cell.source, "locked": known.locked, "checksum": known.checksum}
    gradebook.add_source_cell(*where, **kept)
    if known.grade:
        gradebook.add_grade_cell(*where, max_score=known.points, cell_type=cell.cell_type)
    if known.solution:
        gradebook.add_solution_cell(*where)


def hand_in(course, student, answers=RIGHT, extra=None):
    """Hand in the released notebook with these answers, and one more cell of the learner's."""
    nb = nbformat.read(course / "notebooks" / ASSIGNMENT / f"{NOTEBOOK}.ipynb", as_version=4)
    for cell in nb.cells:
        cell.source = answers.get(cell.id, cell.source)
    nb.cells.append(v4.new_code_cell(f"name = {student!r}" if extra is None else extra))
    folder = course / "submitted" / student / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, folder / f"{NOTEBOOK}.ipynb")
    return folder


def open_course(course):
    """Return the course, with a gradebook that waits a moment for its lock, and its submissions."""
    opened = Course([f"--CourseDirectory.db_url=sqlite:///{course / 'gradebook.db'}?timeout=0.3"])
    return opened, opened.submissions(ASSIGNMENT)


def scores(course):
    """Return what the gradebook holds: a student's points by the id of the test cell."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        return {
            submission.student.id: {
                grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
                if grade.name in POINTS
            }
            for submission in gradebook.assignment_submissions(ASSIGNMENT)
        }


def submitted_files(course):
    """Return the content of everything that was handed in."""
    return {path: path.read_bytes() for path in sorted((course / "submitted").rglob("*")) if path.is_file()}


def name_in(job):
    """Return the student whose notebook a job is, from the last cell."""
    return job["cells"][-1]["source"].removeprefix("name = ").strip("'")


class FullMarks:
    """Workers that run nothing and find everything right; each job is noted in a file, by the student's name."""

    n_jobs = 2

    def __init__(self, log):
        self.log, self.is_closed = log, False

    def submit(self, job):
        """Grade at once."""
        future = Future()
        try:
            future.set_result(self.run(job))
        except Exception as error:
            future.set_exception(error)
        return future

    def run(self, job):
        """Return full marks."""
        with self.log.open("a") as file:
            print(name_in(job), file=file)
        tests = {str(cell["index"]): _right(cell) for cell in job["cells"] if cell["kind"] == "test"}
        return {"outputs": {}, "tests": tests, "stopped": {}, "gave_up": False}

    def close(self):
        """Note that nothing more is to come."""
        self.is_closed = True


def _right(cell):
    points = POINTS[f"{cell['function']}-check"]
    page = {"html": "<p>right</p>", "text": f"{points:g}"}
    return page | {
        "exercise_id": cell["exercise_id"],
        "points": points,
        "outcome": "correct",
        "slip": None,
        "recited": False,
    }
