"""Grouped-query attention shares neighbours' keys and values, and its cache is what the configuration says."""

import numpy as np
import pytest

from helpers.reference import grouped as ref
from helpers.reference.attention import attention
from helpers.reference.multihead import multihead_attention, split_heads


@pytest.fixture
def rng():
    return np.random.default_rng(13)


def arguments(rng, n_heads, n_kv_heads, batch=()):
    return (
        rng.normal(size=(*batch, n_heads, 3, 5)),
        rng.normal(size=(*batch, n_kv_heads, 7, 5)),
        rng.normal(size=(*batch, n_kv_heads, 7, 2)),
    )


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
def test_every_head_is_plain_attention_with_the_keys_of_its_group(rng, n_kv_heads):
    q, k, v = arguments(rng, 6, n_kv_heads)
    mask = rng.random((3, 7)) < 0.6
    output, weights = ref.grouped_query_attention(q, k, v, mask)
    owner = {1: "000000", 2: "000111", 3: "001122", 6: "012345"}[n_kv_heads]
    for h, g in enumerate(map(int, owner)):
        expected, expected_weights = attention(q[h], k[g], v[g], mask)
        np.testing.assert_allclose(output[h], expected)
        np.testing.assert_allclose(weights[h], expected_weights)


def test_as_many_key_heads_as_query_heads_is_multi_head_attention(rng):
    x, *matrices = rng.normal(size=(4, 6)), *rng.normal(size=(3, 6, 6))
    q, k, v = (split_heads(x @ matrix, 3) for matrix in matrices)
    output, weights = ref.grouped_query_attention(q, k, v, np.tri(4, dtype=bool))
    merged, expected = multihead_attention(x, *matrices, np.eye(6), 3, np.tri(4, dtype=bool))
    np.testing.assert_allclose(weights, expected)
    np.testing.assert_allclose(np.concatenate(list(output), axis=-1), merged)


def test_a_batch_is_its_members_side_by_side(rng):
    q, k, v = arguments(rng, 4, 2, batch=(3,))
    masks = rng.random((3, 3, 7)) < 0.6
    output, _ = ref.grouped_query_attention(q, k, v, masks)
    for i, mask in enumerate(masks):
        np.testing.assert_allclose(output[i], ref.grouped_query_attention(q[i], k[i], v[i], mask)[0])


def test_a_query_that_may_look_at_nothing_gets_zero_from_every_head(rng):
    q, k, v = arguments(rng, 4, 2)
    output, weights = ref.grouped_query_attention(q, k, v, np.array([[True] * 7, [False] * 7, [True] * 7]))
    assert not output[:, 1].any()
    assert not weights[:, 1].any()


def test_groups_of_unequal_size_are_refused_with_both_numbers(rng):
    q, k, v = arguments(rng, 6, 4)
    with pytest.raises(ValueError, match="n_heads 6 must be divisible by n_kv_heads 4"):
        ref.grouped_query_attention(q, k, v)
    with pytest.raises(ValueError, match="n_heads 6 must be divisible by n_kv_heads 4"):
        ref.pool_heads(q, 4)


def test_llama_2_70b_caches_what_its_configuration_says():
    assert ref.LLAMA2_70B.n_bytes(1) == 327_680
    assert ref.LLAMA2_70B.d_k == 128
    assert ref.LLAMA2_70B.n_bytes(4096, batch=2) == 2 * 4096 * 327_680


def test_sharing_saves_exactly_the_size_of_a_group():
    whole = ref.kv_cache_bytes(9, 80, 8192, 64, 64)
    assert ref.kv_cache_bytes(9, 80, 8192, 64, 64, bytes_per_number=4) == 2 * whole
    assert whole == 8 * ref.kv_cache_bytes(9, 80, 8192, 64, 8) == 64 * ref.kv_cache_bytes(9, 80, 8192, 64, 1)


def test_a_window_bounds_the_cache_and_a_short_text_does_not_fill_it():
    sizes = [ref.MISTRAL_7B.n_bytes(seq_len) for seq_len in (1, 4096, 4097, 10**6)]
    assert sizes == [131_072, 4096 * 131_072, 4096 * 131_072, 4096 * 131_072]


def test_the_heads_of_every_model_fill_it_and_its_groups_are_equal():
    for model in ref.CACHE_MODELS:
        assert model.d_k * model.n_heads == model.d_model
        assert model.n_heads % model.n_kv_heads == 0


def test_pooling_averages_neighbours_and_changes_nothing_when_every_head_is_its_own_group(rng):
    heads = rng.normal(size=(2, 6, 3, 5))
    np.testing.assert_allclose(ref.pool_heads(heads, 6), heads)
    np.testing.assert_allclose(ref.pool_heads(heads, 2)[:, 1], (heads[:, 3] + heads[:, 4] + heads[:, 5]) / 3)


def test_equal_heads_lose_nothing_by_pooling(rng):
    q, k, v = arguments(rng, 6, 2)
    alike_k, alike_v = np.repeat(k, 3, axis=0), np.repeat(v, 3, axis=0)
    before, _ = ref.grouped_query_attention(q, alike_k, alike_v)
    after, _ = ref.grouped_query_attention(q, ref.pool_heads(alike_k, 2), ref.pool_heads(alike_v, 2))
    np.testing.assert_allclose(after, before)


def test_patterns_are_rows_of_weights_and_likeness_brings_them_together(rng):
    distances = []
    for likeness in (0.0, 0.5, 1.0):
        patterns = ref.related_patterns(4, 7, likeness, rng)
        np.testing.assert_allclose(patterns.sum(axis=-1), 1)
        distances.append(np.abs(patterns - patterns.mean(axis=0)).mean())
    assert distances[0] > distances[1] > distances[2] == pytest.approx(0)


def test_fewer_key_heads_misplace_more_unless_the_heads_are_alike(rng):
    def errors(likeness):
        patterns = ref.related_patterns(4, 9, likeness, rng)
        return [ref.sharing_error(patterns, n_kv_heads, 2).mean() for n_kv_heads in (4, 2, 1)]

    own, alike = errors(0.0), errors(1.0)
    assert own[0] < own[1] < own[2]
    assert own[2] - own[0] > 5 * abs(alike[2] - alike[0])


def test_each_head_gets_its_own_error_in_its_own_place(rng):
    flat = np.full((1, 6, 6), 1 / 6)
    sharp = ref.related_patterns(1, 6, 0.0, rng)
    error = ref.sharing_error(np.concatenate([flat, sharp]), 2, 1)
    assert error[0] < 1e-6 < 0.05 < error[1]
