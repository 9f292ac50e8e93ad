"""What depth does to signal, tokens and gradient, as the lesson tells it."""

import numpy as np
import pytest

from helpers.reference import depth
from helpers.reference.backward import random_block

DEPTHS = [1, 8, 48]


@pytest.fixture(scope="module")
def measured():
    return depth.depth_experiment(DEPTHS, np.random.default_rng(4))


def test_there_is_one_measurement_for_each_variant_and_depth_on_the_same_tokens(measured):
    assert tuple(measured) == depth.VARIANTS
    for stacks in measured.values():
        assert [stack.n_layers for stack in stacks] == DEPTHS
        assert all(stack.signal[0] == measured["neither"][0].signal[0] for stack in stacks)
        assert all(stack.gradient[-1] == pytest.approx(1) for stack in stacks)


def test_without_residual_the_tokens_become_one_within_a_few_layers(measured):
    assert measured["neither"][1].similarity[-1] > 0.999
    assert measured["norm"][1].similarity[-1] > 0.999
    assert measured["pre-norm"][1].similarity[-1] < 0.7


def test_with_the_residual_alone_signal_and_gradient_explode(measured):
    deep = measured["residual"][-1]
    assert deep.signal[-1] > 1e9
    assert deep.first_layer_gradient > 1e9


def test_in_pre_norm_both_grow_slowly_even_at_48_layers(measured):
    shallow, _, deep = measured["pre-norm"]
    assert 2 < deep.signal[-1] / shallow.signal[-1] < 20
    assert deep.first_layer_gradient / shallow.first_layer_gradient < 20


def test_in_post_norm_every_layer_ends_at_size_1(measured):
    assert np.allclose(measured["post-norm"][-1].signal[1:], 1, atol=1e-3)


def test_scaling_what_is_written_keeps_48_layers_near_their_start():
    deep = [
        depth.depth_experiment([48], np.random.default_rng(4), gain=gain)["pre-norm"][0].signal[-1]
        for gain in (1.0, 1 / np.sqrt(96))
    ]
    assert deep[1] < 2 < deep[0]


def test_attention_alone_never_leaves_the_hull_and_ends_in_one_point():
    x = np.random.default_rng(7).normal(size=(6, 2))
    states = depth.attention_only(x, 60)
    assert (np.diff(states.max(axis=1), axis=0) <= 1e-12).all()
    assert (np.diff(states.min(axis=1), axis=0) >= -1e-12).all()
    assert np.ptp(states[-1], axis=0).max() < 1e-3


@pytest.mark.parametrize(("d_model", "d_ff"), [(8, None), (6, 10)])
def test_the_share_of_the_ffn_is_the_size_of_its_arrays(d_model, d_ff):
    block = random_block(d_model, np.random.default_rng(0), d_ff)
    sizes = [matrix.size for matrix in block]
    assert depth.ffn_share(d_model, d_ff) == pytest.approx(sum(sizes[4:]) / sum(sizes))
