"""The reference gives what PyTorch 2.13 and transformers 5.24 gave; `make test-oracle` asks them again."""

import numpy as np
import pytest

from helpers.reference import attention, backward, block, grouped, positions, relative, rotary
from tests.reference.frozen import frozen


def test_attention_gives_pytorchs_output_without_and_with_a_mask():
    stored = frozen("attention")
    q, k, v, mask = (stored[name] for name in ("q", "k", "v", "mask"))
    np.testing.assert_allclose(attention.attention(q, k, v)[0], stored["output"], atol=1e-8)
    np.testing.assert_allclose(attention.attention(q, k, v, mask)[0], stored["masked_output"], atol=1e-8)


@pytest.mark.parametrize(("prefix", "mask"), [("", None), ("causal_", attention.causal_mask(3))])
def test_multihead_attention_gives_pytorchs_output_and_weights(prefix, mask):
    multihead = pytest.importorskip("helpers.reference.multihead", reason="section 4.2 is not there")
    stored = frozen("multihead")
    output, weights = multihead.multihead_attention(stored["x"], *stored["matrices"], n_heads=2, mask=mask)
    np.testing.assert_allclose(output, stored[f"{prefix}output"], atol=1e-8)
    np.testing.assert_allclose(weights, stored[f"{prefix}weights"], atol=1e-8)


@pytest.mark.parametrize(("prefix", "mask"), [("", None), ("causal_", attention.causal_mask(3))])
def test_grouped_query_attention_gives_pytorchs_output(prefix, mask):
    stored = frozen("grouped")
    output, _ = grouped.grouped_query_attention(stored["q"], stored["k"], stored["v"], mask)
    np.testing.assert_allclose(output, stored[f"{prefix}output"], atol=1e-8)


def test_a_norm_with_gain_and_shift_is_pytorchs():
    stored = frozen("block")
    ours = block.layer_norm(stored["x"], stored["gain"], stored["shift"])
    np.testing.assert_allclose(ours, stored["normalised"], atol=1e-8)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(("prefix", "mask"), [("", None), ("causal_", attention.causal_mask(3))])
def test_a_block_gives_the_output_of_pytorchs_encoder_layer(norm, prefix, mask):
    stored = frozen("block")
    weights = backward.BlockWeights(**{name: stored[name] for name in backward.BlockWeights._fields})
    output = backward.block_forward(stored["x"], weights, 2, mask, norm).output
    np.testing.assert_allclose(output, stored[f"{prefix}{norm}"], atol=1e-8)


@pytest.mark.parametrize(
    ("name", "arguments"), [("both_ways", ()), ("one_way", (False,)), ("twenty_to_fifty", (True, 20, 50))]
)
def test_buckets_are_those_of_t5(name, arguments):
    stored = frozen("t5_buckets")
    assert relative.relative_bucket(stored["relative_position"], *arguments).tolist() == stored[name].tolist()


@pytest.mark.parametrize("n_heads", [1, 2, 3, 4, 8, 12, 16])
def test_slopes_are_those_of_bloom(n_heads):
    np.testing.assert_allclose(relative.alibi_slopes(n_heads), frozen("alibi_slopes")[f"slopes_{n_heads}"], rtol=1e-6)


def test_neighbouring_pairs_turn_as_in_gptj_and_halves_as_in_llama():
    stored = frozen("rotary")
    x, places = stored["x"], stored["positions"]
    np.testing.assert_allclose(rotary.rotate(x, places), stored["gptj"], atol=1e-5)
    np.testing.assert_allclose(rotary.rotate_half_split(x, places), stored["llama"], atol=1e-5)
    np.testing.assert_allclose(rotary.rotate_half_split(x, places, 100.0), stored["llama_base_100"], atol=1e-5)


def test_the_encoding_holds_the_columns_of_transformers_in_another_order():
    ours = positions.sinusoidal(4, 6)[:, rotary.half_split_order(6)]
    np.testing.assert_allclose(ours, frozen("rotary")["sinusoids_in_halves"], atol=1e-6)
