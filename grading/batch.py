"""Grade a whole class at once: workers run the submissions, one process writes the gradebook, through nbgrader."""

import contextlib
import errno
import sys
import traceback
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field

from sqlalchemy.exc import OperationalError
from tqdm import tqdm

from grading.released import releases_remembered
from grading.results import Results

RESULTS_DIRECTORY = ".grading_results"
WAITING_PER_JOB = (
    2  # so many submissions lie ready for each worker, so that none is idle while the gradebook is written
)
NO_NOTEBOOK = "nothing that could be graded was handed in"
FULL = "The disk is full. Free some space and run the command again: what is graded stays graded."
LOCKED = (
    "The gradebook is locked by another program (a formgrader, another grading run?). End it and run the command "
    "again: what is graded stays graded."
)


class BatchError(Exception):
    """The run cannot go on; what is graded stays graded."""


@dataclass
class Outcome:
    """What became of a run.

    Attributes
    ----------
    graded, skipped : list of Submission
        Graded now; graded before.
    problems : dict of Submission to str
        What could not be graded, and why.
    interrupted : bool
    """

    graded: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    problems: dict = field(default_factory=dict)
    interrupted: bool = False


def autograde(course, submissions, workers, force=False):
    """Grade submissions, each whatever happens to the others.

    Parameters
    ----------
    course : Course
    submissions : list of Submission
    workers : LocalWorkers or DaskWorkers
    force : bool
        Whether to grade again what is graded.

    Returns
    -------
    outcome : Outcome

    Raises
    ------
    BatchError
        If the disk is full or the gradebook is locked.
    """
    outcome, results = Outcome(), Results(RESULTS_DIRECTORY)
    queue = []
    for submission in submissions:
        if not course.handed_in(submission):
            outcome.problems[submission] = NO_NOTEBOOK
        elif force or not course.is_graded(submission):
            queue.append(submission)
        else:
            outcome.skipped.append(submission)
    progress = tqdm(total=len(queue), unit=" submissions", disable=None, file=sys.stderr)
    with releases_remembered(), progress, _clear_errors():
        try:
            _Run(course, workers, results, outcome, progress).grade(queue)
        except KeyboardInterrupt:
            outcome.interrupted = True
        finally:
            workers.close()
    return outcome


class _Run:
    def __init__(self, course, workers, results, outcome, progress):
        self._course, self._workers, self._results = course, workers, results
        self._outcome, self._progress = outcome, progress
        self._running = {}  # from a future to the submission, its grading and its job

    def grade(self, queue):
        """Keep every worker busy until the queue is empty and all is in the gradebook."""
        queue = iter(queue)
        exhausted = False
        while self._running or not exhausted:
            while not exhausted and len(self._running) < WAITING_PER_JOB * self._workers.n_jobs:
                submission = next(queue, None)
                exhausted = submission is None
                if submission is not None:
                    with self._problems_reported(submission):
                        self._start(submission)
            done, _ = wait(self._running, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                submission, grading, job = self._running.pop(future)
                with self._problems_reported(submission):
                    self._finish(submission, grading, job, future)

    @contextlib.contextmanager
    def _problems_reported(self, submission):
        """Let whatever is wrong with a submission go to the report, and the run go on."""
        try:
            yield
        except (KeyboardInterrupt, OperationalError):
            raise
        except Exception as error:
            if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._outcome.problems[submission] = _in_words(error)
            self._progress.update()

    def _start(self, submission):
        grading = self._course.start_grading(submission)
        for job in grading.jobs:
            ready = self._results.get(job)
            if ready is None:
                self._running[self._workers.submit(job)] = submission, grading, job
        if all(self._results.get(job) is not None for job in grading.jobs):
            self._enter(submission, grading)

    def _finish(self, submission, grading, job, future):
        try:
            self._results.put(job, future.result())
        except Exception:
            grading.abandon()
            raise
        if all(self._results.get(job) is not None for job in grading.jobs):
            self._enter(submission, grading)

    def _enter(self, submission, grading):
        """Write the gradebook and the graded notebook, through nbgrader."""
        try:
            grading.finish(self._results.directory)
        except Exception:
            grading.abandon()
            raise
        self._results.discard(grading.jobs)
        self._outcome.graded.append(submission)
        self._progress.update()


@contextlib.contextmanager
def _clear_errors():
    try:
        yield
    except OperationalError as error:
        raise BatchError(LOCKED if "locked" in str(error) else str(error)) from error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise BatchError(FULL) from error


def _in_words(error):
    """Return the last line of a traceback, with the place."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({frame.name}, line {frame.lineno})"
