"""Where jobs run: on this machine's cores, or on the machines of a Dask cluster."""

import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor

from grading.job import digest
from grading.worker import Worker, WorkerDiedError

TRIES = 2  # a worker that dies takes its submission to a second try, then to the report
SECONDS_FOR_THE_SCHEDULER, SECONDS_FOR_A_WORKER = 30, 60
NOT_INSTALLED = "A cluster needs dask.distributed: pip install -e '.[grading,cluster]'."
NO_SCHEDULER = "No Dask scheduler answers at {address}: {reason}"
NO_WORKER = "The Dask scheduler at {address} has had no worker for {seconds} s. Start some, then run the command again."
OTHER_VERSION = (
    "the cluster's worker has another version of this project or of NumPy than the machine that asks: "
    "install the same commit and requirements.lock on both"
)


class NoClusterError(Exception):
    """There is no cluster to grade on."""


class OtherVersionError(Exception):
    """A worker would grade by other rules."""


def usable_cores():
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalWorkers:
    """Grading processes on this machine.

    Parameters
    ----------
    n_jobs : int
        How many at once.
    unsafe : bool
        Whether to do without a sandbox.
    """

    def __init__(self, n_jobs, unsafe=False):
        self.n_jobs, self._unsafe = n_jobs, unsafe
        self._pool = ThreadPoolExecutor(n_jobs)  # each thread waits for a process of its own
        self._own = threading.local()
        self._workers = []

    def submit(self, job):
        """Return a future of the job's result."""
        return self._pool.submit(self._run, job)

    def _run(self, job):
        if not hasattr(self._own, "worker"):
            self._own.worker = Worker(self._unsafe)
            self._workers.append(self._own.worker)
        return run_with_second_try(self._own.worker, job)

    def close(self):
        """End the processes, also in the middle of a job."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()
        self._pool.shutdown(wait=True)


class DaskWorkers:
    """The workers of a Dask cluster; a job travels as plain data and comes back as plain data.

    A Dask worker that is lost takes none of its jobs along: the scheduler hands them to another one.

    Parameters
    ----------
    address : str
        Of the scheduler, such as `tcp://10.0.0.1:8786`.
    unsafe : bool
        Whether the workers do without a sandbox.

    Raises
    ------
    NoClusterError
    """

    def __init__(self, address, unsafe=False):
        self._unsafe = unsafe
        self._client = _connected(address)
        self._executor = self._client.get_executor(pure=False)

    @property
    def n_jobs(self):
        """How many jobs the cluster takes at once, as of now: workers may come and go."""
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, job):
        """Return a future of the job's result."""
        return self._executor.submit(run_on_cluster, job, digest(job), self._unsafe)

    def close(self):
        """Let go of the cluster."""
        self._executor.shutdown(wait=False)  # cancels what is not done
        self._client.close()


def _connected(address):
    """Return a client of a cluster with at least one worker."""
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise NoClusterError(NOT_INSTALLED) from error
    try:
        client = Client(address, timeout=SECONDS_FOR_THE_SCHEDULER, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise NoClusterError(NO_SCHEDULER.format(address=address, reason=error)) from error
    try:
        client.wait_for_workers(1, timeout=SECONDS_FOR_A_WORKER)
    except TimeoutError as error:
        client.close()
        raise NoClusterError(NO_WORKER.format(address=address, seconds=SECONDS_FOR_A_WORKER)) from error
    return client


_cluster_workers = threading.local()


def run_on_cluster(job, name, unsafe):
    """Grade a job in a process of the machine that this is called on; every thread there keeps its own.

    Parameters
    ----------
    job : dict
    name : str
        Its digest where it comes from; another one here means another version.
    unsafe : bool

    Returns
    -------
    result : dict
    """
    if digest(job) != name:
        raise OtherVersionError(OTHER_VERSION)
    if not hasattr(_cluster_workers, "worker"):
        _cluster_workers.worker = Worker(unsafe)
    return run_with_second_try(_cluster_workers.worker, job)


def run_with_second_try(worker, job):
    """Return the result; `WorkerDiedError` if the process ended in every try."""
    for _ in range(TRIES - 1):
        with contextlib.suppress(WorkerDiedError):
            return worker.run(job)
    return worker.run(job)
