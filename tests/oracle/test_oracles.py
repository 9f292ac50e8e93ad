"""The reference against PyTorch and transformers, and the frozen values against what these say today."""

import numpy as np
import pytest

from helpers.reference import attention, backward, block, grouped, positions, relative, rotary
from tests.oracle import oracles
from tests.reference.frozen import frozen

SINGLE = 2e-6  # transformers makes its tables of angles in float32


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.mark.parametrize("name", oracles.FIXTURES)
def test_the_frozen_values_are_what_the_oracle_says(name):
    stored, live = frozen(name), oracles.FIXTURES[name]()
    assert stored.keys() == live.keys()
    for key, value in live.items():
        np.testing.assert_allclose(stored[key], value, atol=1e-8, err_msg=key)


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_pytorchs(rng, batch, masked):
    q, k, v = rng.normal(size=(*batch, 5, 7)), rng.normal(size=(*batch, 4, 7)), rng.normal(size=(*batch, 4, 3))
    mask = rng.random((5, 4)) < 0.5 if masked else None
    if masked:
        mask[:, 0] = True
    np.testing.assert_allclose(attention.attention(q, k, v, mask)[0], oracles.dot_product_attention(q, k, v, mask))


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6, 12])
@pytest.mark.parametrize("masked", [False, True])
def test_multihead_attention_is_pytorchs(rng, n_heads, masked):
    multihead = pytest.importorskip("helpers.reference.multihead", reason="section 4.2 is not there")
    x, matrices = rng.normal(size=(5, 12)), rng.normal(size=(4, 12, 12)) / 3
    mask = attention.causal_mask(5) if masked else None
    output, weights = multihead.multihead_attention(x, *matrices, n_heads=n_heads, mask=mask)
    expected, expected_weights = oracles.multihead_attention(x, *matrices, n_heads=n_heads, mask=mask)
    np.testing.assert_allclose(output, expected, atol=1e-12)
    np.testing.assert_allclose(weights, expected_weights, atol=1e-12)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("masked", [False, True])
def test_grouped_query_attention_is_pytorchs(rng, n_kv_heads, masked):
    q = rng.normal(size=(2, 6, 5, 7))
    k, v = rng.normal(size=(2, n_kv_heads, 5, 7)), rng.normal(size=(2, n_kv_heads, 5, 3))
    mask = attention.causal_mask(5) if masked else None
    output, _ = grouped.grouped_query_attention(q, k, v, mask)
    np.testing.assert_allclose(output, oracles.grouped_query_attention(q, k, v, mask))


def test_a_norm_is_pytorchs(rng):
    x, gain, shift = 3 * rng.normal(size=(2, 5, 7)) + 1, rng.normal(size=7), rng.normal(size=7)
    x[0, 0] = 2.0
    np.testing.assert_allclose(block.layer_norm(x, gain, shift), oracles.layer_norm(x, gain, shift), atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_block_is_pytorchs_encoder_layer(rng, n_heads, norm, masked):
    x, weights = rng.normal(size=(5, 12)), backward.random_block(12, rng, d_ff=7)
    mask = attention.causal_mask(5) if masked else None
    output = backward.block_forward(x, weights, n_heads, mask, norm).output
    np.testing.assert_allclose(output, oracles.encoder_layer(x, weights, n_heads, norm, mask), atol=1e-12)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (20, 50), (16, 32), (64, 1000)])
def test_buckets_are_t5s_but_for_the_last_digit_of_a_logarithm(bidirectional, n_buckets, max_distance):
    distances = np.arange(-1500, 1501)
    ours = relative.relative_bucket(distances, bidirectional, n_buckets, max_distance)
    theirs = oracles.t5_bucket(distances, bidirectional, n_buckets, max_distance)
    different = distances[ours != theirs]
    side = n_buckets // 2 if bidirectional else n_buckets
    exact = side // 2
    place = np.log(np.abs(different) / exact) / np.log(max_distance / exact) * (side - exact)
    assert np.allclose(place, np.round(place), atol=1e-5), different


@pytest.mark.parametrize("n_heads", [1, 2, 3, 5, 8, 12, 16, 20])
def test_the_bias_of_alibi_is_blooms_but_for_a_number_in_each_row(rng, n_heads):
    """Bloom adds slope times key position; a number that is the same all along a row does not pass the softmax."""
    theirs, ours = oracles.bloom_bias(n_heads, 7), relative.alibi_bias(n_heads, 7)
    causal, scores = attention.causal_mask(7), rng.normal(size=(n_heads, 7, 7))
    np.testing.assert_allclose(
        attention.masked_softmax(scores + ours, causal), attention.masked_softmax(scores + theirs, causal), rtol=SINGLE
    )


def test_rotating_neighbours_is_gptjs(rng):
    x, places = rng.normal(size=(6, 8)), np.array([0, 1, 5, 20, 21, 300])
    np.testing.assert_allclose(rotary.rotate(x, places), oracles.gptj_rotated(x, places), atol=1e-4)


@pytest.mark.parametrize("base", [100.0, 10000.0, 500000.0])
def test_rotating_halves_is_llamas(rng, base):
    x, places = rng.normal(size=(6, 8)), np.array([0, 1, 5, 20, 21, 300])
    expected = oracles.llama_rotated(x, places, base)
    np.testing.assert_allclose(rotary.rotate_half_split(x, places, base), expected, atol=1e-4)


def test_the_encoding_is_transformers_but_for_the_order_of_its_columns():
    theirs = oracles.sinusoids_in_halves(50, 12)
    np.testing.assert_allclose(positions.sinusoidal(50, 12)[:, rotary.half_split_order(12)], theirs, atol=1e-5)
