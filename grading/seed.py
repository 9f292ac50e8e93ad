"""Keep the seed from which the grading cases are drawn: private, beside the gradebook, made on first use."""

import os
import secrets
from pathlib import Path

SEED_VARIABLE = "GRADING_SEED"


def grading_seed(path):
    """Return the seed of this course's grading cases.

    Whoever knows it knows the cases: keep the file with the gradebook, and out of every repository that
    learners can read. A new seed draws new cases.

    Parameters
    ----------
    path : str or Path
        The private file. Made, readable by its owner alone, if there is none.

    Returns
    -------
    seed : str
        Decimal digits; the environment variable `GRADING_SEED`, where set, comes before the file.
    """
    given = os.environ.get(SEED_VARIABLE, "").strip()
    if given:
        return _checked(given, f"the environment variable {SEED_VARIABLE}")
    path = Path(path)
    if not path.exists():
        _write_new_seed(path)
    return _checked(path.read_text().strip(), str(path))


def _checked(seed, where):
    if not seed.isdecimal():
        raise ValueError(f"{where} must hold decimal digits alone, not {seed!r}: correct it, or remove it")
    return seed


def _write_new_seed(path):
    """Write the file whole or not at all: two graders that start together must read the same seed."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(f"{secrets.randbits(63)}\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
