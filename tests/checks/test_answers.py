from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from helpers.checks.answer import UnusableValueError, to_parts


def test_numbers_lists_and_float32_become_float64_copies():
    given = np.ones((2, 3), dtype=np.float32)
    (part,) = to_parts(given, 1)
    assert (part.dtype, part.shape) == (np.float64, (2, 3))
    part[0, 0] = 7
    assert given[0, 0] == 1
    assert to_parts([[True, 2]], 1)[0].tolist() == [[1.0, 2.0]]


def test_exact_numbers_and_masked_arrays_are_numbers_too():
    assert to_parts([Fraction(1, 4), Decimal("0.5"), True], 1)[0].tolist() == [0.25, 0.5, 1.0]
    assert to_parts(np.ma.masked_array([1.0, 2.0], mask=[True, False]), 1)[0].tolist() == [0.0, 2.0]


def test_whatever_unpacks_into_the_parts_is_as_good_as_a_tuple():
    stacked = np.arange(6.0).reshape(2, 3)
    for value in (stacked, (row for row in stacked), map(list, stacked)):
        assert [part.shape for part in to_parts(value, 2)] == [(3,), (3,)]


def test_a_list_of_parts_is_as_good_as_a_tuple():
    assert [part.shape for part in to_parts([np.ones(2), [[1, 2, 3]]], 2)] == [(2,), (1, 3)]


@pytest.mark.parametrize(
    ("value", "n_parts", "problem"),
    [
        (None, 1, "none"),
        (None, 2, "none"),
        (np.ones((3, 2)), 2, "parts"),
        (np.float64(1), 2, "parts"),
        ((1, 2, 3), 2, "parts"),
        ([[1], [1, 2]], 1, "ragged"),
        ("text", 1, "type"),
        (np.array([1j]), 1, "type"),
        (np.array([None]), 1, "type"),
        (np.broadcast_to(0, (10**9, 10)), 1, "huge"),
        ([0] * 20_000_000, 1, "huge"),
    ],
)
def test_a_value_that_cannot_be_read_says_why(value, n_parts, problem):
    with pytest.raises(UnusableValueError) as caught:
        to_parts(value, n_parts)
    assert caught.value.problem == problem
