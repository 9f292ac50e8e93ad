"""Run every slip, mutant, style and trivial answer of an exercise through its check, and count what they lose."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from helpers.checks.checking import VISIBLE_SEED
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge
from helpers.checks.lock import reference_locked
from tools.proof.mutants import mutants

# The seed that learners see, and others such as an instructor may have: what is proven must not hang on one.
SEEDS = (VISIBLE_SEED, 1, 2, 3)
SECONDS_FOR_A_MUTANT = 1.0  # of a case; a loop in a function that the mutant calls may never end


@dataclass(frozen=True)
class Proof:
    """What was tried on one exercise, and everything that went the wrong way (empty when it is proven).

    `equivalent` pairs each mutant that leaves all answers right with its reason.
    """

    exercise_id: str
    n_slips: int
    n_mutants: int
    n_styles: int
    n_trivial: int
    equivalent: tuple[tuple[str, str], ...]
    unnamed_slips: tuple[str, ...]
    surviving_mutants: tuple[str, ...]
    stale_reasons: tuple[str, ...]
    refused_styles: tuple[str, ...]
    rewarded_trivial: tuple[str, ...]

    @property
    def failures(self):
        """Everything that went the wrong way, a sentence each."""
        return (
            *(f"slip not recognised by its own name, or costs nothing: {name}" for name in self.unnamed_slips),
            *(f"mutant keeps all points: {change}" for change in self.surviving_mutants),
            *(
                f"listed as equivalent, but is no mutant that keeps all points: {change}"
                for change in self.stale_reasons
            ),
            *(f"correct style loses points: {name}" for name in self.refused_styles),
            *(f"trivial answer earns points: {name}" for name in self.rewarded_trivial),
        )


class Draw:
    """The cases of one seed, and what our own functions answer to them, collected once."""

    def __init__(self, exercise, cases):
        self._exercise, self.cases = exercise, cases
        self.ours = functools.cache(lambda function: collect(exercise, function, cases))

    def judged(self, answers):
        """Judge answers to these cases."""
        return judge(self._exercise, self.cases, answers, self.ours)

    def points(self, function):
        """Return the points of an answer; no slip is looked for, which changes none and takes most of the time."""
        answers = collect(self._exercise, function, self.cases, seconds=SECONDS_FOR_A_MUTANT)
        return judge(replace(self._exercise, slips=()), self.cases, answers, self.ours).points


def prove(exercise, seeds=SEEDS):
    """Prove the check of one exercise in both directions, on every seed.

    Parameters
    ----------
    exercise : Exercise
    seeds : iterable of int

    Returns
    -------
    Proof
    """
    draws = [Draw(exercise, draw_cases(exercise, seed)) for seed in seeds]
    changed = mutants(exercise.reference)
    keeping = [m.change for m in changed if _keeps_all_points(exercise, m.function, draws)]
    trivial = trivial_answers(exercise)
    reasons = {change: reason for reason, changes in exercise.equivalent_mutants.items() for change in changes}
    return Proof(
        exercise_id=exercise.id,
        n_slips=len(exercise.slips),
        n_mutants=len(changed),
        n_styles=len(exercise.styles),
        n_trivial=len(trivial),
        equivalent=tuple((change, reasons[change]) for change in keeping if change in reasons),
        unnamed_slips=tuple(s.name for s in exercise.slips if not _is_named(exercise, s, draws)),
        surviving_mutants=tuple(change for change in keeping if change not in reasons),
        stale_reasons=tuple(change for change in reasons if change not in keeping),
        refused_styles=tuple(s.__name__ for s in exercise.styles if not _is_accepted(exercise, s, draws)),
        rewarded_trivial=tuple(
            name for name, function in trivial.items() if any(draw.points(function) for draw in draws)
        ),
    )


def trivial_answers(exercise):
    """Return answers that take no thought: zeros, ones and others of the right shapes, the input, nothing."""

    def filled(value):
        def answer(*arguments):
            parts = exercise.reference(*arguments)
            parts = parts if len(exercise.returns) > 1 else (parts,)
            full = tuple(np.full(np.shape(part), value) for part in parts)
            return full if len(full) > 1 else full[0]

        return answer

    fills = {f"all {value}": filled(value) for value in (0.0, 1.0, 0.5, np.nan)}
    return {
        **fills,
        "the first input": lambda *arguments: arguments[0],
        "nothing": lambda *arguments: None,
        "the first input, as often as needed": lambda *arguments: (arguments[0],) * len(exercise.returns),
    }


def _keeps_all_points(exercise, function, draws):
    """Say whether a mutant keeps all points on every seed; a first draw that fails settles it."""
    return all(draw.points(function) == exercise.points for draw in draws)


def _is_named(exercise, slip, draws):
    judged = [draw.judged(draw.ours(slip.code)) for draw in draws]
    return all(slip in (j.slip, j.suspected) and j.points < exercise.points for j in judged)


def _is_accepted(exercise, style, draws):
    others = [other for other in exercise.styles if other is not style]
    answers = [collect(exercise, style, draw.cases, lock=reference_locked(others)) for draw in draws]
    return all(draw.judged(a).points == exercise.points for draw, a in zip(draws, answers, strict=True))
