"""Sparse masks allow what they say, and several layers of them reach as far as the formulas say."""

import numpy as np
import pytest

from helpers.reference import sparse as ref
from helpers.reference.attention import attention, causal_mask, reach, sliding_window_mask


@pytest.mark.parametrize("window", [1, 2, 4])
@pytest.mark.parametrize("n_layers", [0, 1, 3])
def test_the_formula_for_the_reach_agrees_with_following_the_mask(window, n_layers):
    reachable = reach(sliding_window_mask(11, window), n_layers)
    np.testing.assert_array_equal(ref.reach_of_window(np.arange(11), window, n_layers), reachable.argmax(axis=-1))


def test_mistral_reaches_131072_positions_back_less_one_a_layer():
    assert 200_000 - ref.reach_of_window(200_000, 4096, 32) == 32 * 4095


def test_masks_agree_with_their_definitions_entry_by_entry():
    n = 9
    for i in range(n):
        for j in range(n):
            assert ref.two_sided_window_mask(n, 3)[i, j] == (abs(i - j) < 3)
            assert ref.strided_mask(n, 3)[i, j] == (j <= i and (i - j) % 3 == 0)
            assert ref.global_mask(n, 2)[i, j] == (i < 2 or j < 2)
    np.testing.assert_array_equal(ref.strided_mask(n, 1), causal_mask(n))


def test_a_window_and_a_stride_reach_everything_in_two_layers():
    n, stride = 17, 4
    near, far = sliding_window_mask(n, stride), ref.strided_mask(n, stride)
    np.testing.assert_array_equal(far @ near, causal_mask(n))  # a step of strides, then one inside the window
    assert ref.layers_needed(near | far) == 2
    assert ref.layers_needed(near) == 6


def test_one_global_token_connects_an_encoder_in_two_layers():
    window = ref.two_sided_window_mask(12, 2)
    assert ref.layers_needed(window) == 11
    assert ref.layers_needed(window | ref.global_mask(12, 1)) == 2


def test_layers_that_do_not_suffice_are_said_so():
    assert ref.layers_needed(sliding_window_mask(12, 2), max_layers=10) is None
    assert ref.layers_needed(sliding_window_mask(12, 2), max_layers=11) == 11
    assert ref.layers_needed(np.eye(4, dtype=bool)) == 0


def test_the_density_is_the_share_of_allowed_pairs():
    assert ref.density(sliding_window_mask(10, 3)) == pytest.approx((1 + 2 + 8 * 3) / 100)


@pytest.mark.parametrize("window", [1, 3, 7, 20])
def test_the_band_alone_gives_what_the_mask_gives(window):
    rng = np.random.default_rng(2)
    q, k, v = (rng.normal(size=(2, 7, d)) for d in (3, 3, 5))
    expected, _ = attention(q, k, v, sliding_window_mask(7, window))
    np.testing.assert_allclose(ref.banded_attention(q, k, v, window), expected)
