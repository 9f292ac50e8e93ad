"""What an exercise is made of, as data: cases, behaviours with shares of the points, slips, styles, hints."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

# Why a change of the reference can leave every answer right (keys of `equivalent_mutants`).
CONVERTS_INPUT = "only converts the input, and every case already gives arrays of numbers"
CHECKS_SHAPES = "only decides what an error about shapes says, which no exercise asks for"


@dataclass(frozen=True)
class Case:
    """One call of the learner's function: its arguments, and the behaviour that the call puts to the test."""

    behaviour: str
    arguments: tuple


@dataclass(frozen=True)
class Behaviour:
    """One thing that a right answer does, and its share of the points; the shares of an exercise sum to 1."""

    name: str
    share: float


@dataclass(frozen=True)
class Slip:
    """A common wrong answer: the code that makes it, what is wrong in the learner's terms, where to look next."""

    name: str
    code: Callable
    wrong: str
    look: str


@dataclass(frozen=True)
class Property:
    """Something that can be right about a wrong answer: a sentence, and a test of one case's returned arrays."""

    sentence: str
    holds: Callable


@dataclass(frozen=True)
class Exercise:
    """A function that the learner completes, with all that is needed to judge it.

    Parameters
    ----------
    id : str
        `section.function`, the name that `check` takes.
    title : str
    points : float
    reference : callable
        The right answer, from `helpers.reference`.
    returns : tuple of str
        Names of the arrays that a right answer returns.
    cases : callable
        From a `numpy.random.Generator` to a list of `Case`, smallest first.
    behaviours : tuple of Behaviour
        The first is the core: without it the others earn nothing.
    slips : tuple of Slip
        Recognised in this order.
    styles : tuple of callable
        Right answers, each written another way and none calling the reference.
    hints : tuple of three str
        From a nudge to nearly the answer.
    properties : tuple of Property
    effect : callable, optional
        For answers that are right by what they achieve: from the returned arrays and the case's arguments to the arrays
        that are compared in their place, on both sides. Raises `UnusableValueError("effect", sentence)`.
    untouched : str, optional
        Name of the behaviour whose cases fail if the answer changes its arguments. Elsewhere the report mentions it,
        and it costs nothing.
    compared : tuple of str
        Names of the arrays that the effect gives.
    tolerance : float
        Largest relative error of a right answer; wide enough for float32.
    equivalent_mutants : mapping of str to tuple of str
        Changes of the reference that leave every answer right, by their reason.
    """

    id: str
    title: str
    points: float
    reference: Callable
    returns: tuple[str, ...]
    cases: Callable[[np.random.Generator], list[Case]]
    behaviours: tuple[Behaviour, ...]
    slips: tuple[Slip, ...]
    styles: tuple[Callable, ...]
    hints: tuple[str, str, str]
    properties: tuple[Property, ...] = ()
    effect: Callable[[tuple[np.ndarray, ...], tuple], tuple[np.ndarray, ...]] | None = None
    untouched: str = ""
    compared: tuple[str, ...] = ()
    tolerance: float = 1e-4
    equivalent_mutants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def draw_cases(exercise, seed, rounds=1):
    """Draw the cases of an exercise; the same seed gives the same cases.

    Parameters
    ----------
    exercise : Exercise
    seed : int
    rounds : int
        How many times the exercise's generator is called, each time with fresh random numbers.

    Returns
    -------
    cases : list of Case
    """
    rng = np.random.default_rng([seed, zlib.crc32(exercise.id.encode())])
    return [case for _ in range(rounds) for case in exercise.cases(rng)]
