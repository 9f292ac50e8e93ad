"""Turn whatever a learner's function returns into plain data that nothing in the submission can influence."""

from dataclasses import dataclass

import numpy as np

# A right answer is never larger; a broadcast view of 10**18 entries must not be copied.
MAX_ENTRIES = 10_000_000

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
    `detail` describes it; `line` is the line of the learner's function that raised.
    """

    status: str
    parts: tuple[np.ndarray, ...] = ()
    problem: str = ""
    detail: str = ""
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
    if not isinstance(value, tuple | list) or len(value) != n_parts:
        count = len(value) if isinstance(value, tuple | list) else 1
        raise UnusableValueError("parts", str(count))
    return tuple(_to_array(part) for part in value)


def _to_array(value):
    if isinstance(value, np.ndarray) and value.size > MAX_ENTRIES:
        raise UnusableValueError("huge", str(value.shape))
    try:
        array = np.asarray(value)
    except ValueError:
        raise UnusableValueError("ragged") from None
    if array.dtype.kind not in "biuf":
        raise UnusableValueError("type", _type_name(value, array))
    if array.size > MAX_ENTRIES:
        raise UnusableValueError("huge", str(array.shape))
    return np.array(array, dtype=np.float64)


def _type_name(value, array):
    if isinstance(value, np.ndarray | list | tuple):
        return f"{type(value).__name__}, {array.dtype}"
    return type(value).__name__
