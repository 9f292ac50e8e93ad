"""Whatever happens to a run, what it graded stays graded, and the next run does the rest."""

import contextlib
import errno
import os
import shutil
import signal
import sqlite3
from collections import Counter
from concurrent.futures import Future

import pytest
from nbconvert.writers import FilesWriter
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy import Engine, event

from grading.batch import FULL, LOCKED, NO_NOTEBOOK, NOT_RELEASED, BatchError, autograde
from grading.course import SteppedAutograde, Submission
from grading.results import Results
from tests.grading.small_course import (
    ASSIGNMENT,
    NOTEBOOK,
    POINTS,
    FullMarks,
    hand_in,
    name_in,
    open_course,
    release,
    scores,
    submitted_files,
)

STUDENTS = ("ada", "bob", "cyd", "dan")


@pytest.fixture(scope="module")
def fresh_course(tmp_path_factory):
    """Return the folder of a course in which four students have handed in."""
    folder = tmp_path_factory.mktemp("fresh")
    release(folder)
    for student in STUDENTS:
        hand_in(folder, student)
    return folder


@pytest.fixture
def course(fresh_course, tmp_path, monkeypatch):
    """Return a copy that a test can do what it likes with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADING_SEED", "7")
    return shutil.copytree(fresh_course, tmp_path, dirs_exist_ok=True)


def grade(course, workers=None, **options):
    """Grade the class."""
    return autograde(*open_course(course), workers or FullMarks(course / "jobs"), **options)


def jobs_run(course):
    """Return how often each student's job was run."""
    return Counter((course / "jobs").read_text().split())


def graded_notebooks(course):
    return {path.parent.parent.name for path in (course / "autograded").rglob("*.ipynb")}


def names(submissions):
    return {submission.student for submission in submissions}


def everyone(points=POINTS):
    return dict.fromkeys(STUDENTS, points)


class FailsFor(FullMarks):
    """Workers for which one student's job is too much."""

    def run(self, job):
        if name_in(job) == "bob":
            raise RuntimeError("no")
        return super().run(job)


def test_a_job_that_fails_is_reported_leaves_no_half_graded_notebook_and_stops_nobody_else(course):
    outcome = grade(course, FailsFor(course / "jobs"))
    assert names(outcome.graded) == {"ada", "cyd", "dan"}
    assert {each.student: text[:16] for each, text in outcome.problems.items()} == {"bob": "RuntimeError: no"}
    assert graded_notebooks(course) == {"ada", "cyd", "dan"}


def test_what_is_no_notebook_at_all_is_reported_and_stops_nobody_else(course):
    folders = {name: course / "submitted" / name / ASSIGNMENT for name in ("empty", "folder", "link", "unknown")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    (folders["folder"] / f"{NOTEBOOK}.ipynb").mkdir()
    (folders["link"] / f"{NOTEBOOK}.ipynb").symlink_to("nowhere")
    outcome = grade(course)
    assert set(STUDENTS) <= names(outcome.graded)
    assert outcome.problems[Submission(ASSIGNMENT, "empty")] == NO_NOTEBOOK
    assert {"empty", "folder", "unknown"} <= names(outcome.problems)
    again = grade(course)
    assert names(again.skipped) >= set(STUDENTS)
    assert not again.graded


def test_what_is_graded_is_not_graded_again_until_it_is_replaced_or_forced(course):
    grade(course)
    assert names(grade(course).skipped) == set(STUDENTS)
    hand_in(course, "cyd", extra="name = 'cyd again'")
    assert names(grade(course).graded) == {"cyd"}
    assert names(grade(course, force=True).graded) == set(STUDENTS)
    assert jobs_run(course)["ada"] == 2


def test_nothing_that_was_handed_in_is_edited(course):
    before = submitted_files(course)
    grade(course)
    assert submitted_files(course) == before


class OnlyWhenAsked(FullMarks):
    """Workers that have every result at the same time, when so many jobs are there."""

    n_jobs = 4

    def __init__(self, log, together):
        super().__init__(log)
        self._waiting, self._together = [], together

    def submit(self, job):
        future = Future()
        self._waiting.append((future, job))
        if len(self._waiting) == self._together:
            for each, its_job in self._waiting:
                each.set_result(self.run(its_job))
        return future


def test_learners_with_the_very_same_notebook_are_graded_each(course):
    for student in STUDENTS:
        hand_in(course, student, extra="the_same = True")
    assert names(grade(course, OnlyWhenAsked(course / "jobs", together=4)).graded) == set(STUDENTS)
    assert scores(course) == everyone()
    assert not list((course / ".grading_results").iterdir())


class Interrupted(FullMarks):
    """Workers at whose third job the instructor presses Ctrl-C, while the second is still running."""

    def submit(self, job):
        if name_in(job) == "cyd":
            raise KeyboardInterrupt
        return Future() if name_in(job) == "bob" else super().submit(job)


def test_an_interrupted_run_closes_its_workers_leaves_nothing_half_graded_and_is_resumed(course):
    workers = Interrupted(course / "jobs")
    outcome = grade(course, workers)
    assert outcome.interrupted
    assert workers.is_closed
    assert graded_notebooks(course) == names(outcome.graded)
    grade(course)
    assert scores(course) == everyone()
    assert jobs_run(course) == Counter(STUDENTS)


def kill_myself(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def after_calls(function, count):
    """Return the function, which kills this process when it has been called so many times."""
    calls = iter(range(count - 1))

    def wrapped(*arguments, **options):
        result = function(*arguments, **options)
        if next(calls, None) is None:
            kill_myself()
        return result

    return wrapped


def half_written(writer, output, resources, **options):
    """Write half of a notebook, then die."""
    options["notebook_name"] = resources.get("unique_key", NOTEBOOK)
    path = os.path.join(writer.build_directory, f"{NOTEBOOK}.ipynb")
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)
    with open(path, "w") as file:
        file.write(output[: len(output) // 2])
    kill_myself()


MOMENTS = {
    "while a job is running": (FullMarks, "run", lambda run: after_calls(run, 2)),
    "when a result is there": (Results, "put", lambda put: after_calls(put, 2)),
    "before the gradebook is written": (SteppedAutograde, "finish", lambda finish: kill_myself),
    "when half of the scores are in the gradebook": (SaveAutoGrades, "_add_score", lambda add: after_calls(add, 4)),
    "when half of the first notebook is written": (FilesWriter, "write", lambda write: half_written),
    "when a graded notebook is written": (FilesWriter, "write", lambda write: after_calls(write, 3)),
    "after a submission is graded": (Results, "discard", lambda discard: after_calls(discard, 2)),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_resumed_grades_nothing_twice_and_loses_nothing(course, moment, monkeypatch):
    owner, name, broken = MOMENTS[moment]
    child = os.fork()
    if child == 0:
        try:
            monkeypatch.setattr(owner, name, broken(getattr(owner, name)))
            grade(course)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    outcome = grade(course)
    assert names(outcome.graded) | names(outcome.skipped) == set(STUDENTS)
    assert scores(course) == everyone()
    running = 1 if moment == "while a job is running" else 0
    assert sum(jobs_run(course).values()) == len(STUDENTS) + running


class TakesTheLock(FullMarks):
    """Workers of a run during which another program starts to write the gradebook, and does not come to its end."""

    def __init__(self, log, database):
        super().__init__(log)
        self.other = sqlite3.connect(database, check_same_thread=False)

    def submit(self, job):
        if name_in(job) == "bob":
            self.other.execute("BEGIN IMMEDIATE")
        return super().submit(job)


def test_a_locked_gradebook_is_said_and_nothing_is_lost(course):
    workers = TakesTheLock(course / "jobs", course / "gradebook.db")
    with pytest.raises(BatchError) as error:
        grade(course, workers)
    assert str(error.value) == LOCKED
    assert workers.is_closed
    workers.other.close()
    grade(course)
    assert scores(course) == everyone()
    assert jobs_run(course) == Counter(STUDENTS)


@pytest.mark.parametrize("lacks", ["the assignment", "the file"])
def test_what_was_handed_in_and_never_released_is_said_once(course, lacks):
    if lacks == "the file":
        (course / "gradebook.db").unlink()
    else:
        with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
            gradebook.remove_assignment(ASSIGNMENT)
    workers = FullMarks(course / "jobs")
    with pytest.raises(BatchError) as error:
        grade(course, workers)
    assert str(error.value) == NOT_RELEASED.format(name=ASSIGNMENT)
    assert workers.is_closed
    assert (course / "gradebook.db").exists() == (lacks == "the assignment")


def test_a_full_disk_is_said_and_nothing_is_lost(course, monkeypatch):
    def full(writer, *arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(SteppedAutograde, "finish", full)
        with pytest.raises(BatchError) as error:
            grade(course)
    assert str(error.value) == FULL
    assert graded_notebooks(course) == set()
    grade(course)
    assert scores(course) == everyone()
    assert jobs_run(course) == Counter(STUDENTS)


def fill_with_students(database, no_room):
    """Let not one more student fit in."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        no_room(connection)
        with contextlib.suppress(sqlite3.OperationalError):
            for number in range(10_000):
                connection.execute("INSERT INTO student (id) VALUES (?)", [f"filler {number}"])


def test_a_disk_with_no_room_for_the_gradebook_is_full(course):
    def no_room(connection, _=None):
        connection.execute("PRAGMA max_page_count = 1")  # no less than it has, but no more either

    fill_with_students(course / "gradebook.db", no_room)
    event.listen(Engine, "connect", no_room)
    try:
        with pytest.raises(BatchError) as error:
            grade(course)
    finally:
        event.remove(Engine, "connect", no_room)
    assert str(error.value) == FULL
    grade(course)
    assert scores(course) == everyone()
