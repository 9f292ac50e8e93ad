"""Writing on, one token at a time: by choice, by chance, with a cache."""

import numpy as np
import pytest

from helpers.reference import generation as ref
from helpers.reference.attention import causal_mask, self_attention


def counts_up(token_ids):
    return np.log(0.1) * np.ones((len(token_ids), 10)) + 3 * np.eye(10)[(np.asarray(token_ids) + 1) % 10]


def test_greedy_reads_what_it_wrote_and_stops_behind_the_end():
    assert ref.greedy_decode(counts_up, [7], 5).tolist() == [7, 8, 9, 0, 1, 2]
    assert ref.greedy_decode(counts_up, [7], 5, end_id=0).tolist() == [7, 8, 9, 0]
    assert ref.greedy_decode(counts_up, [7], 0).tolist() == [7]


def test_tokens_are_drawn_as_often_as_their_probability_says():
    logits = np.log([0.5, 0.3, 0.2])
    rng = np.random.default_rng(5)
    drawn = ref.sample_decode(lambda ids: np.tile(logits, (len(ids), 1)), [0], 3000, 1.0, rng)[1:]
    assert np.allclose(np.bincount(drawn) / 3000, [0.5, 0.3, 0.2], atol=0.03)


def test_sampling_stops_behind_the_end_too():
    drawn = ref.sample_decode(counts_up, [7], 9, 1e-3, np.random.default_rng(0), end_id=9)
    assert drawn.tolist() == [7, 8, 9]


def test_a_low_temperature_sharpens_a_high_one_flattens_and_none_is_refused():
    low, one, high = (ref.temperature_probabilities([0.0, 1.0], t)[1] for t in (0.1, 1.0, 100.0))
    assert low > 0.99
    assert one == pytest.approx(1 / (1 + np.exp(-1)))
    assert 0.5 < high < 0.51
    with pytest.raises(ValueError, match="greedy_decode"):
        ref.temperature_probabilities([0.0, 1.0], 0.0)


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
def test_step_by_step_with_a_cache_is_causal_attention_in_one_go(batch):
    rng = np.random.default_rng(46)
    x, positions = rng.normal(size=(*batch, 7, 4)), rng.normal(size=(9, 4))
    w_q, w_k, w_v = (rng.normal(size=shape) for shape in [(4, 3), (4, 3), (4, 5)])
    whole, _ = self_attention(x + positions[:7], w_q, w_k, w_v, causal_mask(7))
    k_cache, v_cache = np.zeros((*batch, 0, 3)), np.zeros((*batch, 0, 5))
    for t in range(7):
        output, k_cache, v_cache = ref.cached_step(x[..., t, :], positions, w_q, w_k, w_v, k_cache, v_cache)
        assert np.abs(output - whole[..., t, :]).max() < 1e-10
    assert k_cache.shape == (*batch, 7, 3)
    assert v_cache.shape == (*batch, 7, 5)


def product(rows, inner, columns):
    return rows * inner * columns


@pytest.mark.parametrize("cached", [True, False])
def test_the_count_is_the_sum_over_the_products(cached):
    length, d_model, d_ff = 7, 6, 10
    rows = 1 if cached else length
    products = [product(rows, d_model, d_model)] * 4
    products += [product(rows, d_model, length), product(rows, length, d_model)]
    products += [product(rows, d_model, d_ff), product(rows, d_ff, d_model)]
    assert ref.step_multiplications(length, d_model, 3, cached, d_ff) == 3 * sum(products)
