"""Where jobs run: on this machine's cores, or on the machines of a Dask cluster."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

from grading.worker import Worker, WorkerDiedError

TRIES = 2  # a worker that dies takes its submission to a second try, then to the report


class LocalWorkers:
    """Grading processes on this machine.

    Parameters
    ----------
    n_jobs : int
        How many at once.
    settings : dict
        Keyword arguments of `Worker`.
    """

    def __init__(self, n_jobs, settings):
        self.n_jobs, self._settings = n_jobs, settings
        self._pool = ThreadPoolExecutor(n_jobs)  # each thread waits for a process of its own
        self._own = threading.local()
        self._workers = []

    def submit(self, job):
        """Return a future of the job's result."""
        return self._pool.submit(self._run, job)

    def _run(self, job):
        if not hasattr(self._own, "worker"):
            self._own.worker = Worker(**self._settings)
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

    Parameters
    ----------
    address : str
        Of the scheduler, such as `tcp://10.0.0.1:8786`.
    settings : dict
        Keyword arguments of `Worker`.
    """

    def __init__(self, address, settings):
        from dask.distributed import Client

        self._settings = settings
        self._client = Client(address, timeout="30s")
        self._client.wait_for_workers(1, timeout=60)

    @property
    def n_jobs(self):
        """How many jobs the cluster takes at once, as of now: workers may come and go."""
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, job):
        """Return a future of the job's result."""
        return self._client.get_executor(pure=False, retries=TRIES).submit(run_on_cluster, job, self._settings)

    def close(self):
        """Let go of the cluster."""
        self._client.close()


_cluster_workers = threading.local()


def run_on_cluster(job, settings):
    """Grade a job in a process of the machine that this is called on; every thread there keeps its own."""
    if not hasattr(_cluster_workers, "worker"):
        _cluster_workers.worker = Worker(**settings)
    return run_with_second_try(_cluster_workers.worker, job)


def run_with_second_try(worker, job):
    """Return the result; `WorkerDiedError` if the process ended twice."""
    for _ in range(TRIES - 1):
        with contextlib.suppress(WorkerDiedError):
            return worker.run(job)
    return worker.run(job)
