"""Judge answers against the reference: points, outcome, and the slip that the answers betray; runs no learner code."""

from dataclasses import dataclass, replace

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
)
from helpers.checks.collect import collect

(
    OUTCOME_CORRECT,
    OUTCOME_NOT_ATTEMPTED,
    OUTCOME_REFERENCE_CALLED,
    OUTCOME_TIMED_OUT,
    OUTCOME_RAISED,
    OUTCOME_WRONG_TYPE,
    OUTCOME_NOT_RAISED,
    OUTCOME_WRONG_SHAPE,
    OUTCOME_NOT_FINITE,
    OUTCOME_CHANGED_INPUTS,
    OUTCOME_SLIP,
    OUTCOME_DIFFERENT,
) = (
    "correct",
    "not attempted",
    "reference called",
    "timed out",
    "raised",
    "wrong type",
    "not raised",
    "wrong shape",
    "not finite",
    "changed inputs",
    "slip",
    "different",
)

OUTCOMES_BY_STATUS = {
    NOT_ATTEMPTED: OUTCOME_NOT_ATTEMPTED,
    REFERENCE_CALLED: OUTCOME_REFERENCE_CALLED,
    TIMED_OUT: OUTCOME_TIMED_OUT,
    RAISED: OUTCOME_RAISED,
    UNUSABLE: OUTCOME_WRONG_TYPE,
}

MIN_NUMBERS_TO_TELL = 4  # fewer different ones can agree with a slip by chance


@dataclass(frozen=True)
class Entry:
    """The entry that is furthest off: which returned array, which index, what it is and what it should be."""

    part: str
    index: tuple[int, ...]
    got: float
    expected: float


@dataclass(frozen=True)
class Judgement:
    """What an answer is worth and why.

    `failing` is the index of the smallest case that fails, None when all are right; `answer` is what was compared
    there, `expected` the right arrays, and `expected_error` the type of the exception that would have been right;
    `slip_is_all` says whether the slip explains every case; `suspected` is a slip that raises the same errors, where an
    answer gave nothing but errors.
    """

    outcome: str
    points: float
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    properties: tuple[str, ...] = ()
    slip: object = None
    slip_is_all: bool = True
    suspected: object = None
    failing: int | None = None
    answer: Answer | None = None
    expected: tuple[np.ndarray, ...] = ()
    expected_error: str = ""
    worst: Entry | None = None


def judge(exercise, cases, answers, ours=None):
    """Judge the answers that `collect` brought back.

    Parameters
    ----------
    exercise : Exercise
    cases : list of Case
    answers : list of Answer
        One for each case.
    ours : callable, optional
        From a function of ours, the reference or a slip, to its answers to these cases. Whoever judges many learners
        keeps them; by default they are collected anew.

    Returns
    -------
    Judgement

    Raises
    ------
    ValueError
        If there is not one answer for each case.
    """
    if len(answers) != len(cases):
        raise ValueError(f"{exercise.id}: {len(answers)} answers for {len(cases)} cases; collect one answer for each")
    collected = ours or (lambda function: collect(exercise, function, cases))
    answers = _effects(exercise, cases, answers)
    right = _effects(exercise, cases, collected(exercise.reference))
    good = [_is_good(exercise, *each) for each in zip(cases, answers, right, strict=True)]
    passed, failed = _behaviours(exercise, cases, good)
    if all(good):
        return Judgement(OUTCOME_CORRECT, exercise.points, passed, failed)
    failing = good.index(False)
    slip, is_all = _recognise(exercise, cases, answers, right, good, collected)
    return Judgement(
        outcome=OUTCOME_SLIP if slip else _outcome(exercise, answers[failing], right[failing]),
        points=_points(exercise, passed),
        passed=passed,
        failed=failed,
        properties=_properties(exercise, answers, right),
        slip=slip,
        slip_is_all=is_all,
        suspected=_suspect(exercise, answers, collected),
        failing=failing,
        answer=answers[failing],
        expected=right[failing].parts,
        expected_error=right[failing].problem,
        worst=_worst(exercise, answers[failing], right[failing]),
    )


def _effects(exercise, cases, answers):
    """Put what the returned arrays achieve in their place, where that is what an exercise compares."""
    if exercise.effect is None:
        return answers
    return [_effect(exercise, case, answer) for case, answer in zip(cases, answers, strict=True)]


def _effect(exercise, case, answer):
    if answer.status != RETURNED:
        return answer
    try:
        with np.errstate(all="ignore"):
            return replace(answer, parts=exercise.effect(answer.parts, case.arguments))
    except UnusableValueError as unusable:
        return replace(answer, status=UNUSABLE, parts=(), problem=unusable.problem, detail=unusable.detail)


def _is_good(exercise, case, answer, expected):
    """Say whether an answer is right, and left its arguments alone where the case asks for that."""
    touched = answer.changed_inputs and case.behaviour == exercise.untouched
    return not touched and _is_right(answer, expected, exercise.tolerance)


def _is_right(answer, expected, tolerance):
    """Say whether an answer is the right one, or raises an exception that `except` would take for the right one."""
    raises_a_kind_of_it = answer.status == expected.status == RAISED and expected.problem in answer.kinds
    return raises_a_kind_of_it or _agree(answer, expected, tolerance)


def _agree(answer, expected, tolerance):
    """Say whether two answers are the same: equal statuses, shapes, and values within the tolerance."""
    if (answer.status, answer.problem) != (expected.status, expected.problem):
        return False
    return len(answer.parts) == len(expected.parts) and all(
        got.shape == want.shape and np.allclose(got, want, rtol=tolerance, atol=1e-2 * tolerance, equal_nan=True)
        for got, want in zip(answer.parts, expected.parts, strict=True)
    )


def _behaviours(exercise, cases, good):
    failed_names = {case.behaviour for case, is_good in zip(cases, good, strict=True) if not is_good}
    names = [behaviour.name for behaviour in exercise.behaviours]
    passed = tuple(name for name in names if name not in failed_names)
    return passed, tuple(name for name in names if name in failed_names)


def _points(exercise, passed):
    """Add up the shares of the behaviours that passed; without the first, the core, nothing counts."""
    if exercise.behaviours[0].name not in passed:
        return 0.0
    share = sum(behaviour.share for behaviour in exercise.behaviours if behaviour.name in passed)
    return round(exercise.points * share, 2)


def _recognise(exercise, cases, answers, right, good, collected):
    """Return the slip that explains the answers, and whether it explains all of them.

    The first that made every answer; else the first that made every failing one and breaks nothing that is right
    here; else the first that made every failing answer of the core, perhaps beside some other mistake.
    """
    if all(answer.status in (NOT_ATTEMPTED, TIMED_OUT, RAISED) for answer in answers):
        return None, True
    failed = set(_behaviours(exercise, cases, good)[1])
    explains_failures = explains_core = None
    for slip in exercise.slips:
        slipped = _effects(exercise, cases, collected(slip.code))
        matches = [_agree(a, s, exercise.tolerance) for a, s in zip(answers, slipped, strict=True)]
        if all(matches):
            return slip, True
        explains_all = all(m or g for m, g in zip(matches, good, strict=True))
        if explains_all and _broken_by(exercise, cases, slipped, right) <= failed:
            explains_failures = explains_failures or slip
        if _made_the_core(exercise, cases, answers, good, matches):
            explains_core = explains_core or (slip, explains_all)
    return (explains_failures, True) if explains_failures else explains_core or (None, True)


def _suspect(exercise, answers, collected):
    """Return the one slip that raises what was raised here, if nothing but errors came; None if several do.

    The messages name shapes, which differ from case to case; equal types alone say nothing.
    """
    if not all(answer.status == RAISED for answer in answers):
        return None
    errors = [_error(answer) for answer in answers]
    alike = [slip for slip in exercise.slips if [_error(answer) for answer in collected(slip.code)] == errors]
    return alike[0] if len(alike) == 1 else None


def _error(answer):
    return answer.status, answer.problem, answer.detail


def _broken_by(exercise, cases, slipped, right):
    """Return the behaviours that a slip fails."""
    good = [_agree(s, r, exercise.tolerance) for s, r in zip(slipped, right, strict=True)]
    return set(_behaviours(exercise, cases, good)[1])


def _made_the_core(exercise, cases, answers, good, matches):
    """Say whether a slip made all failing answers of the core, which hold enough numbers to tell it by."""
    core = exercise.behaviours[0].name
    failing = [
        (answer, match)
        for case, answer, is_good, match in zip(cases, answers, good, matches, strict=True)
        if case.behaviour == core and not is_good
    ]
    numbers = {float(number) for answer, _ in failing for part in answer.parts for number in part.flat}
    return len(numbers) >= MIN_NUMBERS_TO_TELL and all(match for _, match in failing)


def _outcome(exercise, answer, expected):
    """Name what is wrong with the answer to one case."""
    if _is_right(answer, expected, exercise.tolerance):
        return OUTCOME_CHANGED_INPUTS
    if answer.status in OUTCOMES_BY_STATUS:
        return OUTCOMES_BY_STATUS[answer.status]
    if expected.status == RAISED:
        return OUTCOME_NOT_RAISED
    if not _same_shapes(answer, expected):
        return OUTCOME_WRONG_SHAPE
    return OUTCOME_DIFFERENT if _finite(answer) else OUTCOME_NOT_FINITE


def _same_shapes(answer, expected):
    return [part.shape for part in answer.parts] == [part.shape for part in expected.parts]


def _finite(answer):
    return all(np.isfinite(part).all() for part in answer.parts)


def _properties(exercise, answers, right):
    """Return the sentences of the properties that hold on every case, none where a case gave no fitting numbers."""
    if not all(a.status == RETURNED and _same_shapes(a, e) and _finite(a) for a, e in zip(answers, right, strict=True)):
        return ()
    return tuple(each.sentence for each in exercise.properties if all(each.holds(*answer.parts) for answer in answers))


def _worst(exercise, answer, expected):
    """Return the entry with the largest error, None where the shapes already differ or nothing does."""
    if answer.status != RETURNED or not _same_shapes(answer, expected) or _agree(answer, expected, exercise.tolerance):
        return None
    names = exercise.compared or exercise.returns
    entries = []
    for name, got, want in zip(names, answer.parts, expected.parts, strict=True):
        error = np.where(np.isfinite(got), np.abs(got - want), np.inf)
        if error.size:
            index = np.unravel_index(int(np.argmax(error)), error.shape)
            entries.append((error[index], Entry(name, tuple(map(int, index)), float(got[index]), float(want[index]))))
    return max(entries, key=lambda pair: pair[0])[1] if entries else None
