"""A class is graded on a Dask cluster of separate processes: one worker is killed midway, another one joins late."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from grading.batch import autograde
from grading.workers import DaskWorkers, LocalWorkers
from tests.grading.small_course import POINTS, RIGHT, hand_in, name_in, open_course, release, scores

pytest.importorskip("distributed", reason="the cluster extra is not installed")

ROOT = Path(__file__).parents[2]
STUDENTS = [f"student_{number}" for number in range(6)]
WRONG = {"softmax": "def softmax(scores):\n    return scores"}
SECONDS_TO_START = 120


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return the folder of a course in which every second student has made a mistake."""
    folder = tmp_path_factory.mktemp("course")
    release(folder)
    for number, student in enumerate(STUDENTS):
        hand_in(folder, student, RIGHT | (WRONG if number % 2 else {}))
    return folder


@contextlib.contextmanager
def dask(command, *options):
    """Run a part of a cluster in a process of its own while the body runs."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", *map(str, options), "--no-dashboard"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def worker(scheduler_file):
    return dask(
        "worker",
        "--scheduler-file",
        scheduler_file,
        "--nthreads=1",
        "--no-nanny",
        "--host=127.0.0.1",
        "--death-timeout=60",
    )


def address_in(scheduler_file):
    """Wait for the scheduler and return its address."""
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        with contextlib.suppress(OSError, ValueError, KeyError):
            return json.loads(scheduler_file.read_text())["address"]
        time.sleep(0.1)
    raise AssertionError("the scheduler did not start")


class Disturbed(DaskWorkers):
    """A cluster of which one worker is killed, and to which another one comes, when some jobs are on their way."""

    def __init__(self, address, disturb):
        super().__init__(address)
        self.results, self._submitted, self._disturb = Counter(), 0, disturb

    def submit(self, job):
        future = super().submit(job)
        self._submitted += 1
        if self._submitted == 2:
            self._disturb()
        future.add_done_callback(lambda done: self.results.update([name_in(job)]))
        return future


def test_a_class_loses_nobody_grades_nobody_twice_and_gets_the_same_points_as_at_home(course, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADING_SEED", "7")
    at_home = shutil.copytree(course, tmp_path / "at_home")
    monkeypatch.chdir(at_home)
    assert len(autograde(*open_course(at_home), LocalWorkers(1)).graded) == len(STUDENTS)
    expected = scores(at_home)
    assert expected["student_0"] == POINTS
    assert expected["student_1"]["softmax-check"] < POINTS["softmax-check"]

    monkeypatch.chdir(course)
    scheduler_file = tmp_path / "scheduler.json"
    with contextlib.ExitStack() as cluster:
        cluster.enter_context(dask("scheduler", "--host=127.0.0.1", "--port=0", "--scheduler-file", scheduler_file))
        address = address_in(scheduler_file)
        first = cluster.enter_context(worker(scheduler_file))

        def disturb():
            cluster.enter_context(worker(scheduler_file))
            os.kill(first.pid, signal.SIGKILL)

        workers = Disturbed(address, disturb)
        outcome = autograde(*open_course(course), workers)
    assert first.returncode == -signal.SIGKILL
    assert outcome.problems == {}
    assert Counter(submission.student for submission in outcome.graded) == Counter(STUDENTS)
    assert workers.results == Counter(STUDENTS)
    assert scores(course) == expected
