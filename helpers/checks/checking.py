"""`check` a learner's function and get a report that says what is right, what is wrong and why."""

import difflib
import hashlib
import os
import secrets
import types

import numpy as np

from helpers.checks.capture import captured_output
from helpers.checks.catalogue import exercises
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge
from helpers.checks.lock import functions_of, reference_locked
from helpers.checks.logbook import record
from helpers.checks.report import CANNOT_READ, Report, build_report

VISIBLE_SEED = 4
GRADING_ROUNDS = 3
SEED_VARIABLE = "GRADING_SEED"
MAX_DIGITS = 100  # a longer seed is hashed, like one that is no number

DID_YOU_MEAN = "最接近的题号是 {matches}。"
NOT_A_FUNCTION = 'check 的第二个参数是函数本身，不带括号，例如 check("{id}", {name})；现在是 {type}。'


def check(exercise_id, function):
    """Try a learner's function on the exercise's cases and report what is right, what is wrong and why.

    It never raises, never writes to stderr and never changes its inputs. While nbgrader grades, the cases come
    from the instructor's seed (environment variable `GRADING_SEED`), more are drawn, and none is shown.

    Parameters
    ----------
    exercise_id : str
        For example `"attention.softmax"`.
    function : callable

    Returns
    -------
    Report
        With `.points`, `.max_points`, `.outcome` and `.slip`.

    Examples
    --------
    >>> import numpy as np
    >>> report = check("attention.causal_mask", lambda seq_len: np.tri(seq_len, k=-1, dtype=bool))
    >>> report.outcome, report.slip
    ('slip', '写成了 j < i')
    """
    with captured_output(), np.errstate(all="ignore"):
        try:
            return record(_check(str(exercise_id), function))
        except BaseException as error:  # whatever a submission did to this process, the cell must end in a number
            return _failed_report(exercise_id, error)


def _check(exercise_id, function):
    if exercise_id not in exercises():
        return _unknown(exercise_id)
    exercise = exercises()[exercise_id]
    if not callable(function):
        return _not_a_function(exercise, function)
    grading = _is_grading()
    cases = draw_cases(exercise, _grading_seed(), GRADING_ROUNDS) if grading else draw_cases(exercise, VISIBLE_SEED)
    answers = collect(exercise, function, cases, lock=reference_locked(_right_answers(function, cases, grading)))
    return build_report(exercise, judge(exercise, cases, answers), cases, answers, reveal=not grading)


def _right_answers(function, cases, grading):
    """Return what else is locked: all code of the catalogue, or, outside grading, the styles but the one checked.

    The functions that cases hand to the answer stay open, with all of their module: it must be able to call them.
    """
    if grading:
        arguments = [argument for case in cases for argument in case.arguments]
        handed = {argument.__module__ for argument in arguments if isinstance(argument, types.FunctionType)}
        return [each for each in functions_of("helpers.checks.catalogue.") if each.__module__ not in handed]
    return [style for exercise in exercises().values() for style in exercise.styles if style is not function]


def _is_grading():
    return os.environ.get("NBGRADER_EXECUTION") == "autograde"


def _grading_seed():
    """Return the instructor's seed; without one, a fresh one: right answers are right for any."""
    seed = os.environ.get(SEED_VARIABLE, "").strip()
    return seed_number(seed) if seed else secrets.randbits(64)


def seed_number(text):
    """Return the number that a seed's text stands for: itself where it is one, a digest of any other text."""
    if text.isdecimal() and len(text) < MAX_DIGITS:
        return int(text)
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def _unknown(exercise_id):
    matches = difflib.get_close_matches(str(exercise_id), exercises(), n=3, cutoff=0.4)
    hint = DID_YOU_MEAN.format(matches="、".join(matches)) if matches else ""
    return Report(str(exercise_id), "", 0.0, 0.0, "unknown exercise", lines=(("", CANNOT_READ.format(detail=hint)),))


def _not_a_function(exercise, value):
    name = exercise.reference.__name__
    sentence = NOT_A_FUNCTION.format(id=exercise.id, name=name, type=type(value).__name__)
    return Report(exercise.id, exercise.title, 0.0, exercise.points, "not a function", lines=(("", sentence),))


def _failed_report(exercise_id, error):
    detail = CANNOT_READ.format(detail=f"（{type(error).__name__}）")
    return Report(str(exercise_id), "", 0.0, 0.0, "check failed", lines=(("", detail),))
