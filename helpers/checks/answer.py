"""Turn whatever a learner's function returns into plain data that nothing in the submission can influence."""

import itertools
import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

# A right answer is never larger; a broadcast view of 10**18 entries must not be copied.
MAX_ENTRIES = 10_000_000
MAX_PARTS = 100

RETURNED, RAISED, NOT_ATTEMPTED, TIMED_OUT, REFERENCE_CALLED, UNUSABLE = (
    "returned",
    "raised",
    "not attempted",
    "timed out",
    "reference called",
    "unusable",
)


@dataclass(frozen=True)
class Answer:
    """What one case gave: float64 arrays if the function returned numbers, else what happened instead.

    `problem` names what happened (an exception's type, or a key of the report's sentences on unusable values),
    `detail` describes it; `kinds` names the exception's type and all that it derives from; `line` is the line of the
    learner's function that raised.
    """

    status: str
    parts: tuple[np.ndarray, ...] = ()
    problem: str = ""
    detail: str = ""
    kinds: tuple[str, ...] = ()
    line: int | None = None
    changed_inputs: bool = False
    printed: str = ""
    warned: str = ""


class UnusableValueError(Exception):
    """The value cannot be read as the arrays that the exercise asks for."""

    def __init__(self, problem, detail=""):
        super().__init__(problem)
        self.problem, self.detail = problem, detail


def to_parts(value, n_parts):
    """Read a returned value as `n_parts` float64 arrays, copied.

    Parameters
    ----------
    value : object
        Arrays, numbers or nested lists; a tuple or list of them when `n_parts` is above 1.
    n_parts : int

    Returns
    -------
    parts : tuple of float64 arrays

    Raises
    ------
    UnusableValueError
        If the value is None, has another number of parts, or holds something that is not a real number.

    Examples
    --------
    >>> to_parts(([1, 2], True), 2)
    (array([1., 2.]), array(1.))
    """
    if value is None:
        raise UnusableValueError("none")
    if n_parts == 1:
        return (_to_array(value),)
    parts = _separate(value)
    if len(parts) != n_parts:
        raise UnusableValueError("parts", f"{len(parts)} 个" if len(parts) > 1 else f"一个 {type(value).__name__}")
    return tuple(_to_array(part) for part in parts)


def _separate(value):
    """Return the parts of whatever can be unpacked as `output, weights = value`."""
    if isinstance(value, tuple | list | Iterator) or (isinstance(value, np.ndarray) and value.ndim):
        return tuple(itertools.islice(value, MAX_PARTS))
    return (value,)


def _to_array(value):
    if isinstance(value, np.ndarray) and value.size > MAX_ENTRIES:
        raise UnusableValueError("huge", str(value.shape))
    if isinstance(value, list | tuple) and len(value) > MAX_ENTRIES:
        raise UnusableValueError("huge", str(len(value)))
    try:
        array = np.asarray(np.ma.filled(value, 0) if isinstance(value, np.ma.MaskedArray) else value)
    except ValueError:
        raise UnusableValueError("ragged") from None
    if array.dtype == object and array.size <= MAX_ENTRIES:
        array = _exact_numbers(array)
    if array.dtype.kind not in "biuf":
        raise UnusableValueError("type", _type_name(value, array))
    if array.size > MAX_ENTRIES:
        raise UnusableValueError("huge", str(array.shape))
    return np.array(array, dtype=np.float64)


def _exact_numbers(array):
    """Read an array of Python's own numbers (Fraction, Decimal, bool); leave one of anything else."""
    try:
        return (
            array.astype(np.float64)
            if all(isinstance(entry, numbers.Real | Decimal) for entry in array.flat)
            else array
        )
    except (TypeError, ValueError, OverflowError):
        return array


def _type_name(value, array):
    if isinstance(value, np.ndarray | list | tuple):
        return f"{type(value).__name__}, {array.dtype}"
    return type(value).__name__
