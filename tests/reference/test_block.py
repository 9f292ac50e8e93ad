"""The block against oracles of another kind: token by token, and the lesson's own numbers."""

import numpy as np
import pytest

from helpers.reference import block as ref
from helpers.reference import lesson_block
from helpers.reference.attention import causal_mask, padding_mask, self_attention


@pytest.fixture
def rng():
    return np.random.default_rng(44)


def matrices(rng, d_model, d_k, d_ff):
    shapes = [(d_model, d_k), (d_model, d_k), (d_model, d_model), (d_model, d_ff), (d_ff, d_model)]
    return [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes]


def test_a_normalised_token_has_mean_0_and_variance_1(rng):
    normalised = ref.layer_norm(5 + 3 * rng.normal(size=(2, 3, 64)))
    assert np.allclose(normalised.mean(axis=-1), 0)
    assert np.allclose((normalised**2).mean(axis=-1), 1, atol=1e-4)


def test_equal_components_are_normalised_to_0_and_never_nan():
    assert (ref.layer_norm(np.full((2, 3), 7.0)) == 0).all()


def test_normalising_ignores_the_scale_and_the_offset_of_a_token(rng):
    x = rng.normal(size=(3, 5))
    assert np.allclose(ref.layer_norm(1000 * x + 7), ref.layer_norm(x), atol=1e-4)


def test_the_feed_forward_network_treats_every_token_alone(rng):
    x, w_1, w_2, b_1, b_2 = (rng.normal(size=s) for s in [(2, 5, 3), (3, 7), (7, 3), (7,), (3,)])
    output = ref.feed_forward(x, w_1, w_2, b_1, b_2)
    for batch, i in np.ndindex(2, 5):
        hidden = [max(0.0, x[batch, i] @ w_1[:, j] + b_1[j]) for j in range(7)]
        assert np.allclose(output[batch, i], np.array(hidden) @ w_2 + b_2)


def test_before_the_norm_the_block_adds_and_after_it_the_output_is_normal(rng):
    x, w = rng.normal(size=(2, 5, 4)), matrices(rng, 4, 3, 7)
    silent = [*w[:2], 0 * w[2], w[3], 0 * w[4]]
    assert np.allclose(ref.block(x, *silent, norm="pre"), x)
    after = ref.block(x, *w, mask=causal_mask(5), norm="post")
    assert np.allclose(after.mean(axis=-1), 0)
    assert np.allclose(after.std(axis=-1), 1, atol=1e-3)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_causal_block_never_lets_a_later_token_change_an_earlier_one(rng, norm):
    x, w = rng.normal(size=(5, 4)), matrices(rng, 4, 3, 7)
    changed = x.copy()
    changed[3, 0] += 1  # the same for all components would be lost in the norm
    before, after = (ref.block(a, *w, mask=causal_mask(5), norm=norm) for a in (x, changed))
    assert np.allclose(before[:3], after[:3])
    assert not np.isclose(before[3:], after[3:]).all(axis=-1).any()


def test_a_norm_that_is_neither_is_refused_by_name(rng):
    with pytest.raises(ValueError, match="'before'"):
        ref.block(rng.normal(size=(2, 4)), *matrices(rng, 4, 3, 7), norm="before")


def test_matrices_that_do_not_fit_are_named(rng):
    with pytest.raises(ValueError, match=r"x \(2, 4\) and w_1 \(3, 7\).*4 columns != 3 rows"):
        ref.feed_forward(np.ones((2, 4)), np.ones((3, 7)), np.ones((7, 4)))
    with pytest.raises(ValueError, match=r"w_2 \(5, 4\).*7 columns != 5 rows"):
        ref.feed_forward(np.ones((2, 4)), np.ones((4, 7)), np.ones((5, 4)))


def test_crossing_over_to_oneself_is_self_attention(rng):
    x, (w_q, w_k, w_v, *_) = rng.normal(size=(2, 5, 4)), matrices(rng, 4, 3, 7)
    mask = padding_mask([3, 5], 5)
    output, weights = ref.cross_attention(x, x, w_q, w_k, w_v, mask)
    own_output, own_weights = self_attention(x, w_q, w_k, w_v, mask)
    assert np.allclose(output, own_output)
    assert np.allclose(weights, own_weights)


def test_a_target_may_be_longer_than_its_source_and_takes_only_from_it(rng):
    x, source, w_q, w_k, w_v = (rng.normal(size=s) for s in [(7, 4), (2, 5), (4, 3), (5, 3), (5, 6)])
    output, weights = ref.cross_attention(x, source, w_q, w_k, w_v)
    assert output.shape == (7, 6)
    assert weights.shape == (7, 2)
    values = source @ w_v
    assert ((output >= values.min(axis=0) - 1e-12) & (output <= values.max(axis=0) + 1e-12)).all()


WEIGHTS = [[1.0, 0.0, 0.0], [0.413, 0.587, 0.0], [0.456, 0.225, 0.32]]
OUTPUT = [[3.75, 3.5, 1.5], [3.897, 4.294, 2.566], [4.366, 4.752, 1.153]]
UNMASKED_WEIGHTS = [[0.37, 0.26, 0.37], [0.188, 0.268, 0.544], [0.456, 0.225, 0.32]]
UNMASKED_OUTPUT = [[4.213, 4.37, 1.986], [4.768, 5.221, 2.938], [4.366, 4.752, 1.153]]


@pytest.mark.parametrize(
    ("causal", "weights", "output"), [(True, WEIGHTS, OUTPUT), (False, UNMASKED_WEIGHTS, UNMASKED_OUTPUT)]
)
def test_lists_and_numpy_give_the_lessons_numbers_and_agree_to_the_last_digit(causal, weights, output):
    in_lists = lesson_block.in_lists(*lesson_block.ARGUMENTS, causal=causal)
    traced = lesson_block.trace(*lesson_block.ARGUMENTS, causal=causal)
    assert np.round(in_lists[0], 3).tolist() == weights
    assert np.round(in_lists[1], 3).tolist() == output
    assert np.allclose(traced.weights, in_lists[0], rtol=1e-15, atol=1e-15)
    assert np.allclose(traced.output, in_lists[1], rtol=1e-15, atol=1e-15)


def test_the_exercises_give_what_the_trace_gives(rng):
    arrays = tuple(rng.normal(size=s) for s in [(5, 4), (5, 2), (4, 3), (4, 3), (2, 4), (4, 6), (6, 4)])
    traced = lesson_block.trace(*arrays)
    weights, output = lesson_block.lesson_block(*arrays)
    assert np.allclose(weights, traced.weights)
    assert np.allclose(output, traced.output)
    bare, similarity = lesson_block.without_residual(*arrays)
    assert np.allclose(bare, lesson_block.trace(*arrays, residual=False).output)
    assert np.allclose(similarity, [ref.cosine(bare[i], arrays[0][i]) for i in range(5)])


def test_only_the_last_token_does_not_mind_whether_there_is_a_mask():
    weights, changed = lesson_block.unmasked(lesson_block.TOKENS, lesson_block.W_Q, lesson_block.W_K)
    assert np.round(weights, 3).tolist() == UNMASKED_WEIGHTS
    assert changed.tolist() == [True, True, False]
