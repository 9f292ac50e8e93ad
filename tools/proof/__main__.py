"""Print the proof of all exercises, or of those whose ids begin with the given words; exit with 1 if any fails."""

import sys

from helpers.checks import exercises
from tools.proof.proof import prove

HEADINGS = ("exercise", "slips named", "mutants killed", "equivalent", "styles kept", "trivial at 0")


def main():
    """Prove the exercises that the command line names and return the exit code."""
    named = tuple(sys.argv[1:]) or ("",)
    proofs = [prove(exercise) for id_, exercise in exercises().items() if id_.startswith(named)]
    print(_columns(*HEADINGS))
    for proof in proofs:
        print(_row(proof))
    for proof in proofs:
        for change, reason in proof.equivalent:
            print(f"equivalent  {proof.exercise_id}: {change}  ({reason})")
    failures = [f"{proof.exercise_id}: {failure}" for proof in proofs for failure in proof.failures]
    print("\n".join(failures) if failures else "all exercises proven in both directions")
    return 1 if failures or not proofs else 0


def _row(proof):
    n_killable = proof.n_mutants - len(proof.equivalent)
    return _columns(
        proof.exercise_id,
        f"{proof.n_slips - len(proof.unnamed_slips)}/{proof.n_slips}",
        f"{n_killable - len(proof.surviving_mutants)}/{n_killable}",
        len(proof.equivalent),
        f"{proof.n_styles - len(proof.refused_styles)}/{proof.n_styles}",
        f"{proof.n_trivial - len(proof.rewarded_trivial)}/{proof.n_trivial}",
    )


def _columns(name, *numbers):
    return f"{name:32}" + "".join(f"{number:>16}" for number in numbers)


if __name__ == "__main__":
    sys.exit(main())
