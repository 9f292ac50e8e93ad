"""Grade a whole class at once: workers run the submissions, one process writes the gradebook, through nbgrader."""

import contextlib
import errno
import functools
import sys
import traceback
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, field

from sqlalchemy.exc import OperationalError
from tqdm import tqdm

from grading.gradebook import gradebook_kept_open
from grading.released import releases_remembered
from grading.results import Results

RESULTS_DIRECTORY = ".grading_results"
# So many submissions lie ready for each worker that none is idle while the gradebook is written.
WAITING_PER_JOB = 2
NO_NOTEBOOK = "nothing that could be graded was handed in"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FULL = "The disk is full. Free some space and run the command again: what is graded stays graded."
LOCKED = (
    "The gradebook is locked by another program (a formgrader, another grading run?). End it and run the command "
    "again: what is graded stays graded."
)
NOT_RELEASED = "The gradebook knows no assignment {name}. Release it first: nbgrader generate_assignment {name} --force"
UNUSABLE = "The gradebook cannot be used ({reason}). What is graded stays graded."


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
        If an assignment was never released, the disk is full, or the gradebook cannot be written.
    """
    outcome, results = Outcome(), Results(RESULTS_DIRECTORY)
    queue = [each for each in submissions if _waits(course, each, force, outcome)]
    progress = tqdm(total=len(queue), unit=" submissions", disable=None, file=sys.stderr)
    with releases_remembered(), gradebook_kept_open(), progress, _clear_errors():
        run = _Run(course, workers, results, outcome, progress)
        try:
            _require_released(course, submissions)
            run.grade(queue)
        except KeyboardInterrupt:
            outcome.interrupted = True
        finally:
            run.abandon_open()
            workers.close()
    return outcome


def _require_released(course, submissions):
    released = course.released()
    for name in sorted({submission.assignment for submission in submissions} - released):
        raise BatchError(NOT_RELEASED.format(name=name))


def _waits(course, submission, force, outcome):
    """Say whether a submission is to be graded; note why, if it is not."""
    try:
        if not course.handed_in(submission):
            outcome.problems[submission] = NO_NOTEBOOK
            return False
        if not force and course.is_graded(submission):
            outcome.skipped.append(submission)
            return False
    except OSError:  # a link that leads nowhere, a folder that is called like a notebook: grading says what it is
        pass
    return True


@dataclass(eq=False)
class _Open:
    """A submission between the two halves of its grading."""

    submission: object
    grading: object
    results: dict = field(default_factory=dict)  # by the number of the job

    @property
    def is_complete(self):
        return len(self.results) == len(self.grading.jobs)


class _Run:
    def __init__(self, course, workers, results, outcome, progress):
        self._course, self._workers, self._results = course, workers, results
        self._outcome, self._progress = outcome, progress
        self._running = {}  # from a future to its submission and the number of its job there

    def grade(self, queue):
        """Keep every worker busy until the queue is empty and all is in the gradebook."""
        queue = iter(queue)
        exhausted = False
        while self._running or not exhausted:
            while not exhausted and len(self._running) < WAITING_PER_JOB * self._workers.n_jobs:
                submission = next(queue, None)
                exhausted = submission is None
                if submission is not None:
                    self._start(submission)
            done, _ = wait(self._running, timeout=1, return_when=FIRST_COMPLETED)
            for future in done:
                self._finish(*self._running.pop(future), future)

    def abandon_open(self):
        """Leave no half-graded notebook of what was not finished."""
        for opened, _ in self._running.values():
            opened.grading.abandon()
        self._running.clear()

    def _start(self, submission):
        with self._problems_reported(submission):
            opened = _Open(submission, self._course.start_grading(submission))
            with _abandoned_after_errors(opened.grading):
                for number, job in enumerate(opened.grading.jobs):
                    ready = self._results.get(job)
                    if ready is not None:
                        opened.results[number] = ready
                    else:
                        future = self._workers.submit(job)
                        self._running[future] = opened, number
                        future.add_done_callback(functools.partial(self._keep, job))
                self._enter_if_complete(opened)

    def _keep(self, job, future):
        """Put a result into its file as soon as it is there, in the worker's thread: this process may be killed."""
        if not future.cancelled() and future.exception() is None:
            with contextlib.suppress(OSError):  # it is tried again, and said, before the gradebook is written
                self._results.put(job, future.result())

    def _finish(self, opened, number, future):
        with self._problems_reported(opened.submission), _abandoned_after_errors(opened.grading):
            opened.results[number] = future.result()
            self._enter_if_complete(opened)

    def _enter_if_complete(self, opened):
        """Write the gradebook and the graded notebook, through nbgrader."""
        if not opened.is_complete:
            return
        results = [result for _, result in sorted(opened.results.items())]
        for job, result in zip(opened.grading.jobs, results, strict=True):
            if not self._results.has(job):  # of two learners with the same notebook, the other one was entered first
                self._results.put(job, result)
        opened.grading.finish(results)
        self._results.discard(opened.grading.jobs)
        self._outcome.graded.append(opened.submission)
        self._progress.update()

    @contextlib.contextmanager
    def _problems_reported(self, submission):
        """Let whatever is wrong with a submission go to the report, and the run go on."""
        try:
            yield
        except Exception as error:
            if getattr(error, "errno", None) in NO_SPACE:
                raise
            if database_error := _database_error(error):
                raise database_error from error
            if submission not in self._outcome.problems:  # of several notebooks, the first problem is told
                self._outcome.problems[submission] = _in_words(error)
                self._progress.update()


@contextlib.contextmanager
def _abandoned_after_errors(grading):
    try:
        yield
    except BaseException:
        grading.abandon()
        raise


@contextlib.contextmanager
def _clear_errors():
    try:
        yield
    except OperationalError as error:
        reason = str(error.orig)
        known = LOCKED if "locked" in reason else FULL if "full" in reason else UNUSABLE.format(reason=reason)
        raise BatchError(known) from error
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        raise BatchError(FULL) from error


def _database_error(error):
    """Return the error of the gradebook that is behind an error; nbgrader calls some of them an invalid entry."""
    while error is not None and not isinstance(error, OperationalError):
        error = error.__cause__ or error.__context__
    return error


def _in_words(error):
    """Return the last line of a traceback, with the place."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({frame.name}, line {frame.lineno})"
