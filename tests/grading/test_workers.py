import threading
from concurrent.futures import CancelledError

import pytest

import grading.workers
from grading.worker import WorkerDiedError
from grading.workers import (
    LocalWorkers,
    NoClusterError,
    OtherVersionError,
    _connected,
    run_on_cluster,
    run_with_second_try,
    usable_cores,
)


class DiesOnce:
    """A worker whose process ends at the first job."""

    def __init__(self, deaths=1):
        self.deaths = deaths

    def run(self, job):
        if self.deaths:
            self.deaths -= 1
            raise WorkerDiedError("a grading process ended without a result")
        return {"job": job}


def test_a_job_whose_worker_dies_gets_a_second_try():
    assert run_with_second_try(DiesOnce(), "softmax") == {"job": "softmax"}


def test_a_job_whose_worker_dies_again_is_given_up():
    worker = DiesOnce(deaths=2)
    with pytest.raises(WorkerDiedError):
        run_with_second_try(worker, "softmax")
    assert worker.deaths == 0


class Slow:
    """A worker that works until it is closed."""

    made = []

    def __init__(self, unsafe):
        self.unsafe, self.closed, self.started = unsafe, threading.Event(), threading.Event()
        self.made.append(self)

    def run(self, job):
        self.started.set()
        assert self.closed.wait(60)
        raise WorkerDiedError("closed")

    def close(self):
        self.closed.set()


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr(grading.workers, "Worker", Slow)
    monkeypatch.setattr(Slow, "made", [])
    return Slow.made


def test_each_of_the_jobs_at_once_has_a_process_of_its_own_and_closing_ends_them_and_what_waits(slow):
    workers = LocalWorkers(2, unsafe=True)
    futures = [workers.submit(job) for job in range(5)]
    while len(slow) < 2:
        pass
    assert all(worker.started.wait(60) for worker in list(slow))
    workers.close()
    assert len(slow) == 2
    assert [future.cancelled() for future in futures] == [False, False, True, True, True]
    assert isinstance(futures[0].exception(), WorkerDiedError)
    with pytest.raises(CancelledError):
        futures[-1].result()


def test_a_worker_of_another_version_refuses_the_job():
    with pytest.raises(OtherVersionError, match="the same commit"):
        run_on_cluster({"seed": "7"}, "another digest", unsafe=True)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr(grading.workers, "SECONDS_FOR_THE_SCHEDULER", 0.3)
    with pytest.raises(NoClusterError, match="127.0.0.1:1"):
        _connected("tcp://127.0.0.1:1")


def test_there_is_at_least_one_core():
    assert usable_cores() >= 1
