"""Tiled softmax and attention are exact for every block size, after the last block and after each one before."""

import numpy as np
import pytest

from helpers.reference import tiled as ref
from helpers.reference.attention import attention, causal_mask, softmax


@pytest.fixture
def rng():
    return np.random.default_rng(23)


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 10])
def test_online_softmax_is_softmax_and_its_statistics_are_those_of_what_was_read(rng, block_size):
    scores = rng.normal(scale=5, size=(2, 3, 7))
    weights, largest, total = ref.online_softmax(scores, block_size)
    np.testing.assert_allclose(weights, softmax(scores))
    for t in range(largest.shape[-1]):
        read = scores[..., : (t + 1) * block_size]
        np.testing.assert_allclose(largest[..., t], read.max(axis=-1))
        np.testing.assert_allclose(total[..., t], np.exp(read - read.max(axis=-1, keepdims=True)).sum(axis=-1))


def test_online_softmax_survives_large_scores_and_blocks_of_minus_infinity():
    scores = np.array([-np.inf, -np.inf, 1000.0, 1001.0, -np.inf])
    weights, largest, total = ref.online_softmax(scores, 2)
    np.testing.assert_allclose(weights, softmax(scores))
    np.testing.assert_array_equal(largest, [-np.inf, 1001, 1001])
    assert total[0] == 0
    assert not ref.online_softmax(np.full(3, -np.inf), 2)[0].any()


@pytest.mark.parametrize("block_size", range(1, 10))
def test_tiled_attention_is_attention_over_the_keys_so_far_for_every_block_size(rng, block_size):
    q, k, v = (rng.normal(size=(2, n, d)) for n, d in ((5, 3), (8, 3), (8, 4)))
    mask = rng.random((5, 8)) < 0.5
    mask[2], mask[3, :6] = False, False
    outputs = ref.tiled_attention(3 * q, k, v, block_size, mask)
    assert len(outputs) == -(-8 // block_size)
    for t, output in enumerate(outputs):
        seen = np.arange(8) < (t + 1) * block_size
        np.testing.assert_allclose(output, attention(3 * q, k, v, mask & seen)[0], atol=1e-12)


def test_tiled_attention_without_a_mask_survives_large_scores(rng):
    q, k, v = (rng.normal(size=(5, 4)) for _ in range(3))
    np.testing.assert_allclose(ref.tiled_attention(1e4 * q, k, v, 2)[-1], attention(1e4 * q, k, v)[0])


def test_each_step_shows_what_turns_the_old_sum_into_the_new(rng):
    q, k, v = (rng.normal(size=(n, d)) for n, d in ((4, 3), (5, 3), (5, 2)))
    mask = causal_mask(5)[:4]
    steps = ref.tile_steps(q, k, v, 2, mask)
    assert [(step.start, step.stop) for step in steps] == [(0, 2), (2, 4), (4, 5)]
    total = np.zeros(4)
    for step in steps:
        total = step.rescale * total + np.exp(step.scores - step.largest[:, None]).sum(axis=-1)
        np.testing.assert_allclose(step.total, total)
    np.testing.assert_array_equal(np.hstack([np.isfinite(step.scores) for step in steps]), mask)
    np.testing.assert_allclose(steps[-1].output, attention(q, k, v, mask)[0])
    assert not steps[0].rescale.any()  # nothing was there before


@pytest.mark.parametrize(("block_q", "block_k"), [(1, 1), (2, 3), (3, 2), (20, 20)])
def test_visible_tiles_are_those_with_an_allowed_pair(rng, block_q, block_k):
    mask = rng.random((7, 5)) < 0.15
    visible = ref.visible_tiles(mask, block_q, block_k)
    for i, row in enumerate(visible):
        for j, is_visible in enumerate(row):
            assert is_visible == mask[i * block_q : (i + 1) * block_q, j * block_k : (j + 1) * block_k].any()
    assert visible.shape == (-(-7 // block_q), -(-5 // block_k))


def test_a_causal_mask_needs_little_more_than_half_of_the_tiles():
    assert ref.visible_tiles(causal_mask(64), 4, 4).mean() == (16 * 17 / 2) / 16**2
