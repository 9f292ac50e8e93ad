"""Run every slip, mutant, style and trivial answer of an exercise through its check, and count what they lose."""

from dataclasses import dataclass

import numpy as np

from helpers.checks.checking import VISIBLE_SEED
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge
from helpers.checks.lock import reference_locked
from tools.proof.mutants import mutants

# The seed that learners see, and others such as an instructor may have: what is proven must not hang on one.
SEEDS = (VISIBLE_SEED, 1, 2, 3)


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
    all_cases = [draw_cases(exercise, seed) for seed in seeds]
    changed = mutants(exercise.reference)
    keeping = [m.change for m in changed if _keeps_all_points(exercise, m.function, all_cases)]
    trivial = trivial_answers(exercise)
    reasons = {change: reason for reason, changes in exercise.equivalent_mutants.items() for change in changes}
    return Proof(
        exercise_id=exercise.id,
        n_slips=len(exercise.slips),
        n_mutants=len(changed),
        n_styles=len(exercise.styles),
        n_trivial=len(trivial),
        equivalent=tuple((change, reasons[change]) for change in keeping if change in reasons),
        unnamed_slips=tuple(s.name for s in exercise.slips if not _is_named(exercise, s, all_cases)),
        surviving_mutants=tuple(change for change in keeping if change not in reasons),
        stale_reasons=tuple(change for change in reasons if change not in keeping),
        refused_styles=tuple(s.__name__ for s in exercise.styles if not _is_accepted(exercise, s, all_cases)),
        rewarded_trivial=tuple(
            name for name, function in trivial.items() if any(_points(exercise, function, c) for c in all_cases)
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


def _judged(exercise, function, cases, lock=None):
    return judge(exercise, cases, collect(exercise, function, cases, lock=lock))


def _points(exercise, function, cases):
    return _judged(exercise, function, cases).points


def _keeps_all_points(exercise, function, all_cases):
    """Say whether a mutant keeps all points on every seed; a first case that fails settles it."""
    return all(_points(exercise, function, cases) == exercise.points for cases in all_cases)


def _is_named(exercise, slip, all_cases):
    judged = [_judged(exercise, slip.code, cases) for cases in all_cases]
    return all(j.slip is slip and j.points < exercise.points for j in judged)


def _is_accepted(exercise, style, all_cases):
    others = [other for other in exercise.styles if other is not style]
    return all(_judged(exercise, style, c, reference_locked(others)).points == exercise.points for c in all_cases)
