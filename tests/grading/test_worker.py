"""A grading process is an ordinary process: it fails, is killed or stopped midway, and leaves nothing."""

import os
import signal
import socket
import sys
import threading
import time

import pytest

from grading.sandbox.limits import Limits
from grading.worker import Worker, WorkerClosedError, WorkerDiedError

SECONDS_TO_WAIT = 60


@pytest.fixture
def worker():
    made = Worker(unsafe=True)
    yield made
    made.close()


def job_of(*sources, **limits):
    """Return a job of a learner's own cells."""
    cells = [{"index": index, "kind": "ordinary", "source": source} for index, source in enumerate(sources)]
    return {"cells": cells, "seed": "7", "limits": Limits(**limits).as_dict()}


def wait_until(condition):
    until = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(pid):
    """Say whether a process is there and not waiting to be buried."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_one_process_grades_job_after_job_and_says_what_is_wrong_with_one(worker):
    assert worker.run(job_of("6 * 7"))["outputs"]["0"][0]["data"]["text/plain"] == "42"
    pid = worker._process.pid
    with pytest.raises(RuntimeError, match="no limit of this name|unexpected keyword"):
        worker.run(job_of() | {"limits": {"no limit of this name": 1}})
    assert worker.run(job_of("1 / 0"))["outputs"]["0"][0]["ename"] == "ZeroDivisionError"
    assert worker._process.pid == pid


def test_a_process_that_is_killed_in_the_middle_of_a_job_is_followed_by_another_one(worker):
    worker.run(job_of())
    killer = threading.Timer(0.3, os.kill, (worker._process.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(WorkerDiedError):
        worker.run(job_of("import time; time.sleep(60)"))
    assert worker.run(job_of("6 * 7"))["outputs"]["0"]


def test_closing_a_worker_ends_the_job_that_it_is_at_and_everything_that_the_job_started(worker, tmp_path):
    mark = tmp_path / "pid"
    source = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    seen = []

    def grade():
        try:
            worker.run(job_of(source, cell_seconds=600))
        except Exception as error:
            seen.append(type(error))

    thread = threading.Thread(target=grade)
    thread.start()
    wait_until(lambda: mark.exists() and mark.read_text())
    worker.close()
    thread.join(SECONDS_TO_WAIT)
    assert seen == [WorkerDiedError]
    wait_until(lambda: not is_running(int(mark.read_text())))
    with pytest.raises(WorkerClosedError):
        worker.run(job_of())


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the processes in /proc")
def test_a_grader_that_is_killed_takes_its_processes_along():
    ours, theirs = socket.socketpair()
    grader = os.fork()
    if grader == 0:
        try:
            worker = Worker(unsafe=True)
            worker.run(job_of())
            theirs.send(str(worker._process.pid).encode())
            worker.run(job_of("import time; time.sleep(600)", cell_seconds=600))
        finally:
            os._exit(1)
    ours.settimeout(SECONDS_TO_WAIT)
    pid = int(ours.recv(20))
    assert is_running(pid)
    os.kill(grader, signal.SIGKILL)
    os.waitpid(grader, 0)
    wait_until(lambda: not is_running(pid))
