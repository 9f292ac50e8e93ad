"""Relative positions against plain loops, and attention with a bias."""

import math

import numpy as np
import pytest

from helpers.reference import attention, relative


@pytest.fixture
def rng():
    return np.random.default_rng(13)


@pytest.mark.parametrize(("seq_len", "max_distance"), [(5, 2), (3, 7), (4, 0)])
def test_clipped_distances_equal_plain_loops(seq_len, max_distance):
    expected = [
        [min(max(j - i, -max_distance), max_distance) + max_distance for j in range(seq_len)] for i in range(seq_len)
    ]
    assert relative.clipped_distance(seq_len, max_distance).tolist() == expected


def test_shaws_scores_equal_plain_loops(rng):
    q, k, table = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    scores = relative.shaw_scores(q, k, table)
    for i in range(4):
        for j in range(4):
            row = min(max(j - i, -2), 2) + 2
            assert scores[i, j] == pytest.approx(q[i] @ (k[j] + table[row]) / math.sqrt(3))


@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_grow_with_the_distance_and_use_every_number(bidirectional):
    past = relative.relative_bucket(-np.arange(300), bidirectional)
    assert (np.diff(past) >= 0).all()
    assert set(past) == set(range(16 if bidirectional else 32))
    future = relative.relative_bucket(np.arange(1, 300), bidirectional)
    assert set(future) == (set(range(17, 32)) if bidirectional else {0})


def test_the_far_buckets_are_ever_wider():
    _, widths = np.unique(relative.relative_bucket(-np.arange(128), True), return_counts=True)
    assert (widths[:8] == 1).all()
    assert (np.diff(widths[8:]) >= 0).all()
    assert widths[-1] > 3 * widths[8]


def test_no_distance_makes_a_warning(recwarn):
    relative.relative_bucket(np.arange(-10, 11))
    assert not recwarn.list


@pytest.mark.parametrize("n_heads", [1, 2, 8, 16])
def test_slopes_are_a_geometric_series_that_ends_at_two_to_the_minus_eight(n_heads):
    slopes = relative.alibi_slopes(n_heads)
    assert slopes[-1] == 2.0**-8
    np.testing.assert_allclose(slopes[1:] / slopes[:-1], 2.0 ** (-8 / n_heads))


def test_other_numbers_of_heads_borrow_slopes_from_the_next_power_of_two():
    slopes = relative.alibi_slopes(6)
    assert slopes[:4].tolist() == relative.alibi_slopes(4).tolist()
    assert slopes[4:].tolist() == relative.alibi_slopes(8)[[0, 2]].tolist()


def test_the_penalty_is_the_slope_times_the_distance_both_ways():
    bias = relative.alibi_bias(4, 5)
    for head, slope in enumerate(relative.alibi_slopes(4)):
        assert bias[head, 4, 1] == bias[head, 1, 4] == -3 * slope


def test_attention_with_a_bias_of_zero_is_attention_and_a_blind_row_gives_zero(rng):
    q, k, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 7))
    mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=bool)
    output, weights = relative.biased_attention(q, k, v, np.zeros((3, 5)), mask)
    for got, expected in zip((output, weights), attention.attention(q, k, v, mask), strict=True):
        np.testing.assert_allclose(got, expected)
    assert (output[:, 1] == 0).all()


def test_a_large_bias_decides(rng):
    q, k, v = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    bias = np.zeros((3, 5))
    bias[[0, 1, 2], [4, 0, 2]] = 1e4
    np.testing.assert_allclose(relative.biased_attention(q, k, v, bias)[0], v[[4, 0, 2]])
