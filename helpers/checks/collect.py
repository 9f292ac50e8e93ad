"""Run a learner's function on the cases, in the learner's process, and bring back plain data."""

import contextlib
import copy
import sys
import traceback
import types

import numpy as np

from helpers.checks.answer import (
    NOT_ATTEMPTED,
    RAISED,
    REFERENCE_CALLED,
    RETURNED,
    TIMED_OUT,
    UNUSABLE,
    Answer,
    UnusableValueError,
    to_parts,
)
from helpers.checks.capture import captured_output
from helpers.checks.lock import ReferenceLockedError
from helpers.checks.time_limit import TimedOut, call_with_time_limit

SECONDS_PER_CASE = 5.0
MAX_RECURSION = 10_000


def collect(exercise, function, cases, seconds=None, lock=None):
    """Call `function` on the arguments of every case; whatever it does, an answer comes back for each.

    Parameters
    ----------
    exercise : Exercise
    function : callable
    cases : list of Case
    seconds : float, optional
        Time limit of one case, `SECONDS_PER_CASE` by default. After the first case that passes it, the rest are not
        tried.
    lock : context manager, optional
        Entered meanwhile: `reference_locked()` for a learner's function, none for code of our own.

    Returns
    -------
    answers : list of Answer
    """
    answers = []
    seconds = SECONDS_PER_CASE if seconds is None else seconds
    with lock or contextlib.nullcontext(), _exit_ends_the_answer_only(function), _recursion_limited():
        for case in cases:
            if answers and answers[-1].status == TIMED_OUT:
                answers.append(answers[-1])
            else:
                answers.append(_answer(function, case.arguments, len(exercise.returns), seconds))
    return answers


def _answer(function, arguments, n_parts, seconds):
    given = copy.deepcopy(arguments)
    # That an exponential is too small to be told from 0 is what softmax wants: no warning of it.
    with captured_output() as (printed, warned), np.errstate(all="warn", under="ignore"):
        outcome = _outcome(function, given, n_parts, seconds)
    return Answer(
        **outcome,
        changed_inputs=not _same(given, arguments),
        printed=printed.text,
        warned=str(warned[0].message) if warned else "",
    )


def _outcome(function, arguments, n_parts, seconds):
    """Return the fields of an `Answer` that say what the call came to."""
    try:
        # The value is read inside the limit too: it may be an object whose `__array__` never returns.
        parts = call_with_time_limit(lambda: to_parts(function(*arguments), n_parts), seconds)
    except UnusableValueError as unusable:
        return {"status": UNUSABLE, "problem": unusable.problem, "detail": unusable.detail}
    except NotImplementedError as error:
        return _unwritten(error, function)
    except ReferenceLockedError:
        return {"status": REFERENCE_CALLED}
    except TimedOut:
        return {"status": TIMED_OUT, "detail": f"{seconds:g}"}
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: a check never raises
        return {"status": RAISED, **_described(error, function)}
    return {"status": RETURNED, "parts": parts}


def _unwritten(error, function):
    """Tell a function that is not written yet from one that calls another that is not."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if frame.f_code is getattr(function, "__code__", None):
        return {"status": NOT_ATTEMPTED}
    return {"status": RAISED, "problem": type(error).__name__, "detail": frame.f_code.co_name}


def _described(error, function):
    try:
        detail = call_with_time_limit(lambda: str(error), SECONDS_PER_CASE)
    except BaseException:  # an exception whose text raises, or never comes
        detail = ""
    filename = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == filename]
    kinds = tuple(kind.__name__ for kind in type(error).__mro__)
    return {"problem": kinds[0], "kinds": kinds, "detail": detail[:500], "line": lines[-1] if lines else None}


def _same(given, arguments):
    return all(np.array_equal(now, before) for now, before in zip(given, arguments, strict=True))


@contextlib.contextmanager
def _recursion_limited():
    """Let an endless recursion end in `RecursionError`, whatever limit a learner has set, instead of in all memory."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, MAX_RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


@contextlib.contextmanager
def _exit_ends_the_answer_only(function):
    """Let `exit()` raise `SystemExit`: in a notebook it would stop the kernel, and all other answers with it."""
    names = function.__globals__ if isinstance(function, types.FunctionType) else {}
    saved = {name: names[name] for name in ("exit", "quit") if name in names}
    names.update(dict.fromkeys(saved, sys.exit))
    try:
        yield
    finally:
        names.update(saved)
