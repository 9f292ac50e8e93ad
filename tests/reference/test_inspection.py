"""Scores of heads that were made to do one thing, against loops; switching off and the lens against the whole model."""

import numpy as np
import pytest

from helpers.reference import backward, decoder, inspection
from helpers.reference.attention import softmax


@pytest.fixture
def rng():
    return np.random.default_rng(48)


def causal_weights(rng, *shape):
    powers = np.tri(shape[-1]) * rng.exponential(size=shape)
    return powers / powers.sum(axis=-1, keepdims=True)


def test_a_head_that_looks_two_back_has_score_1_there_and_0_elsewhere():
    weights = np.eye(7, k=-2)
    weights[[0, 1], 0] = 1.0  # the first two have nothing there
    assert [inspection.head_score(weights[None], offset)[0] for offset in (1, 2, 3)] == [pytest.approx(1 / 6), 1, 0]


@pytest.mark.parametrize("offset", [1, 3])
def test_the_score_is_a_mean_over_the_tokens_that_have_one_so_far_back(rng, offset):
    weights = causal_weights(rng, 2, 3, 7, 7)
    scores = inspection.head_score(weights, offset)
    for text, head in np.ndindex(2, 3):
        looked = [weights[text, head, i, i - offset] for i in range(offset, 7)]
        assert scores[text, head] == pytest.approx(np.mean(looked))
    assert np.allclose(scores, inspection.pointed_at(weights, inspection.offset_targets(7, offset)))


def test_a_head_that_finds_what_followed_last_time_has_induction_score_1():
    token_ids = [4, 7, 4, 7, 4]
    weights = np.eye(5)
    weights[[2, 3, 4]] = 0.0
    weights[2, 1] = weights[3, 2] = weights[4, 1] = weights[4, 3] = 1.0
    weights[4] /= 2
    assert inspection.induction_score(weights[None], token_ids).tolist() == [1.0]


def test_the_induction_score_is_that_of_loops_whatever_the_batch(rng):
    weights, token_ids = causal_weights(rng, 3, 2, 9, 9), rng.integers(5, size=(3, 9))
    scores = inspection.induction_score(weights, token_ids)
    for text, head in np.ndindex(3, 2):
        found = []
        for i in range(9):
            places = [j + 1 for j in range(i) if token_ids[text, j] == token_ids[text, i]]
            found += [sum(weights[text, head, i, place] for place in places)] if places else []
        assert scores[text, head] == pytest.approx(np.mean(found))


def test_nothing_repeated_scores_0():
    assert inspection.induction_score(np.tri(3)[None], [1, 2, 3]).tolist() == [0.0]


def test_punctuation_can_be_left_out_of_what_repeats():
    token_ids = [5, 9, 5, 9]
    assert np.argwhere(inspection.duplicate_targets(token_ids)).tolist() == [[2, 0], [3, 1]]
    assert np.argwhere(inspection.duplicate_targets(token_ids, ignored=[9])).tolist() == [[2, 0]]
    assert np.argwhere(inspection.induction_targets(token_ids, ignored=[9])).tolist() == [[2, 1]]


def test_chance_is_the_score_of_even_weights(rng):
    token_ids = rng.integers(4, size=(2, 7))
    targets = inspection.induction_targets(token_ids)
    even = np.tri(7) / np.arange(1, 8)[:, None]
    assert np.allclose(inspection.chance_level(targets), inspection.induction_score(even[None, None], token_ids)[:, 0])


def test_switching_heads_off_costs_what_the_model_without_them_loses(rng):
    block = backward.random_block(6, rng)
    block = block._replace(w_2=np.zeros_like(block.w_2))  # nothing behind the heads
    model = decoder.Decoder(rng.normal(size=(7, 6)), rng.normal(size=(5, 6)), (block,), rng.normal(size=(6, 7)), 3)
    token_ids = rng.integers(7, size=(2, 5))
    x = decoder.embed(model, token_ids)
    (trace,) = decoder.traces_from(model, 0, x)
    heads = np.moveaxis(trace.attention.merged.reshape(2, 5, 3, 2), -2, -3)
    for off in ([], [1], [0, 2], [0, 1, 2]):
        reading = decoder.read(decoder.without_heads(model, [(0, head) for head in off]), token_ids)
        expected = decoder.token_losses(reading.logits, token_ids).mean(axis=-1)
        assert np.allclose(inspection.ablation_loss(x, heads, block.w_o, model.unembedding, token_ids, off), expected)


def test_through_the_lens_the_last_layer_says_what_the_model_says(rng):
    blocks = tuple(backward.random_block(6, rng) for _ in range(2))
    model = decoder.Decoder(rng.normal(size=(7, 6)), rng.normal(size=(5, 6)), blocks, rng.normal(size=(6, 7)), 3)
    reading = decoder.read(model, rng.integers(7, size=(3, 5)))
    best, probability = inspection.logit_lens(reading.states, model.unembedding)
    assert best.shape == probability.shape == (3, 3, 5)
    assert np.array_equal(best[-1], reading.logits.argmax(axis=-1))
    assert np.allclose(probability[-1], softmax(reading.logits).max(axis=-1))
