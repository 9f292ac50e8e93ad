"""The gradients of a block, of a stack and of the tiny decoder against finite differences."""

import numpy as np
import pytest

from helpers.reference import backward, depth, tiny_decoder
from helpers.reference.attention import causal_mask
from helpers.reference.block import block, layer_norm
from helpers.reference.multihead import multihead_attention

STEP = 1e-6


@pytest.fixture
def rng():
    return np.random.default_rng(45)


def differences(loss, array, places):
    """Return d loss / d array at some places, by central differences."""
    slopes = []
    for place in places:
        kept = array[place]
        array[place] = kept + STEP
        above = loss()
        array[place] = kept - STEP
        below = loss()
        array[place] = kept
        slopes.append((above - below) / (2 * STEP))
    return np.array(slopes)


def some_places(rng, array, n=6):
    return [tuple(rng.integers(size) for size in array.shape) for _ in range(n)]


def test_the_gradient_of_a_norm_is_that_of_finite_differences(rng):
    x, direction = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5))
    places = some_places(rng, x, 10)
    slopes = differences(lambda: (layer_norm(x) * direction).sum(), x, places)
    gradient = backward.layer_norm_backward(x, direction)
    assert np.allclose(slopes, [gradient[place] for place in places], atol=1e-7)


@pytest.mark.parametrize("ffn", [True, False])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", ["none", "pre", "post"])
@pytest.mark.parametrize("mask", [None, causal_mask(5)], ids=["unmasked", "causal"])
def test_the_gradients_of_a_block_are_those_of_finite_differences(rng, norm, residual, ffn, mask):
    x, direction = rng.normal(size=(2, 5, 6)), rng.normal(size=(2, 5, 6))
    weights = backward.random_block(6, rng, d_ff=7)

    def loss():
        return (backward.block_forward(x, weights, 3, mask, norm, residual, ffn).output * direction).sum()

    d_x, d_weights = backward.block_backward(
        backward.block_forward(x, weights, 3, mask, norm, residual, ffn), direction
    )
    for array, gradient in [(x, d_x), *zip(weights, d_weights, strict=True)]:
        places = some_places(rng, array)
        slopes = differences(loss, array, places)
        assert np.allclose(slopes, [gradient[place] for place in places], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_with_one_head_the_block_is_the_one_of_the_exercise(rng, norm):
    x, weights = rng.normal(size=(2, 5, 6)), backward.random_block(6, rng)
    whole = block(x, weights.w_q, weights.w_k, weights.w_v @ weights.w_o, weights.w_1, weights.w_2, norm=norm)
    assert np.allclose(backward.block_forward(x, weights, 1, norm=norm).output, whole)


def test_with_several_heads_the_attention_is_that_of_section_4_2(rng):
    x, weights, mask = rng.normal(size=(5, 6)), backward.random_block(6, rng), causal_mask(5)
    trace = backward.block_forward(x, weights, 3, mask, norm="none", residual=False, ffn=False)
    output, shares = multihead_attention(x, *weights[:4], 3, mask)
    assert np.allclose(trace.output, output)
    assert np.allclose(trace.weights, shares)


def test_a_norm_that_does_not_exist_is_refused(rng):
    with pytest.raises(ValueError, match="'rms'"):
        backward.block_forward(np.ones((2, 4)), backward.random_block(4, rng), 2, norm="rms")


@pytest.mark.parametrize("variant", depth.VARIANTS)
def test_the_gradient_at_the_foot_of_a_stack_is_that_of_finite_differences(rng, variant):
    x, direction = rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    stack, options = depth.random_stack(3, 6, rng), depth.OPTIONS[variant]

    def loss():
        output = depth.measure_stack(x, stack, 2, **options).output
        return (output * direction).sum() / np.linalg.norm(direction)

    measured = depth.measure_stack(x, stack, 2, direction=direction, **options)
    slopes = differences(loss, x, list(np.ndindex(x.shape)))
    assert np.linalg.norm(slopes) == pytest.approx(measured.gradient[0], rel=1e-5)
    first = [differences(loss, matrix, list(np.ndindex(matrix.shape))) for matrix in stack[0]]
    assert np.linalg.norm(np.concatenate(first)) == pytest.approx(measured.first_layer_gradient, rel=1e-5)


@pytest.mark.parametrize("causal", [True, False])
def test_the_gradient_of_the_tiny_decoder_is_that_of_finite_differences(rng, causal):
    model, token_ids = tiny_decoder.random_decoder(rng), tiny_decoder.sorting_batch(3, rng)
    _, gradient = tiny_decoder.loss_and_gradient(model, token_ids, causal)
    for array, slope in zip(tiny_decoder.leaves(model), tiny_decoder.leaves(gradient), strict=True):
        places = some_places(rng, array, 3)
        slopes = differences(lambda: tiny_decoder.loss_and_gradient(model, token_ids, causal)[0].mean(), array, places)
        assert np.allclose(slopes, [slope[place] for place in places], atol=1e-8, rtol=1e-4)
