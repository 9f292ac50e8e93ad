"""A decoder-only model, layer by layer against the block's parts, and what is left when parts are taken away."""

import numpy as np
import pytest

from helpers.reference import backward, decoder
from helpers.reference.attention import causal_mask
from helpers.reference.block import feed_forward, layer_norm
from helpers.reference.multihead import multihead_attention

VOCAB_SIZE, N_POSITIONS, D_MODEL, N_HEADS, D_FF, N_LAYERS = 11, 9, 12, 3, 20, 2


@pytest.fixture
def rng():
    return np.random.default_rng(47)


@pytest.fixture
def model(rng):
    blocks = tuple(backward.random_block(D_MODEL, rng, D_FF) for _ in range(N_LAYERS))
    embedding, positions = rng.normal(size=(VOCAB_SIZE, D_MODEL)), rng.normal(size=(N_POSITIONS, D_MODEL))
    return decoder.Decoder(embedding, positions, blocks, rng.normal(size=(D_MODEL, VOCAB_SIZE)), N_HEADS)


def layer_by_layer(model, token_ids, mask, residual=1):
    """Return states, weights and logits from the parts of 4.2 and 4.4."""
    states, all_weights = [model.embedding[token_ids] + model.positions[: token_ids.shape[-1]]], []
    for w_q, w_k, w_v, w_o, w_1, w_2 in model.blocks:
        x = states[-1]
        output, weights = multihead_attention(layer_norm(x), w_q, w_k, w_v, w_o, model.n_heads, mask)
        x = residual * x + output
        states.append(residual * x + feed_forward(layer_norm(x), w_1, w_2))
        all_weights.append(weights)
    return states, all_weights, layer_norm(states[-1]) @ model.unembedding


@pytest.mark.parametrize(("causal", "residual"), [(True, True), (False, True), (True, False)])
@pytest.mark.parametrize("shape", [(7,), (2, 5)])
def test_reading_is_one_block_after_the_other(model, rng, shape, causal, residual):
    token_ids = rng.integers(VOCAB_SIZE, size=shape)
    mask = causal_mask(shape[-1]) if causal else None
    states, weights, logits = layer_by_layer(model, token_ids, mask, int(residual))
    reading = decoder.read(model, token_ids, causal, residual)
    assert np.allclose(reading.states, states)
    assert np.allclose(reading.weights, weights)
    assert np.allclose(reading.logits, logits)


def test_what_follows_changes_nothing_before_it_unless_the_mask_is_off(model, rng):
    token_ids = rng.integers(VOCAB_SIZE, size=7)
    changed = np.append(token_ids[:-1], (token_ids[-1] + 1) % VOCAB_SIZE)
    with_mask = [decoder.read(model, ids).logits[:-1] for ids in (token_ids, changed)]
    without = [decoder.read(model, ids, causal=False).logits[:-1] for ids in (token_ids, changed)]
    assert np.allclose(*with_mask, atol=1e-12)
    assert np.abs(without[0] - without[1]).max() > 0.01


def test_going_on_from_a_layer_gives_what_reading_from_the_start_gives(model, rng):
    reading = decoder.read(model, rng.integers(VOCAB_SIZE, size=(2, 5)))
    (last,) = decoder.traces_from(model, 1, reading.states[1])
    assert np.allclose(last.output, reading.states[2])


def test_a_text_longer_than_the_positions_is_refused(model):
    with pytest.raises(ValueError, match="10 tokens are too many for a model with 9 positions"):
        decoder.read(model, np.zeros(10, dtype=int))


def test_heads_that_are_off_bring_nothing_and_the_others_what_they_brought(model, rng):
    token_ids, d_v = rng.integers(VOCAB_SIZE, size=5), D_MODEL // N_HEADS
    x = decoder.embed(model, token_ids)
    (trace, *_), (without, *_) = (
        decoder.traces_from(m, 0, x) for m in (model, decoder.without_heads(model, [(0, 2), (0, 0)]))
    )
    only_the_middle = trace.attention.merged[:, d_v : 2 * d_v] @ model.blocks[0].w_o[d_v : 2 * d_v]
    assert np.allclose(without.before_ffn, x + only_the_middle)


def test_heads_of_several_layers_can_be_off_and_the_model_stays_as_it_was(model):
    before = [block.w_o.copy() for block in model.blocks]
    changed = decoder.without_heads(model, {(0, 1), (1, 2)})
    assert [np.flatnonzero((block.w_o == 0).all(axis=1)).tolist() for block in changed.blocks] == [
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]
    assert all(np.array_equal(block.w_o, old) for block, old in zip(model.blocks, before, strict=True))


@pytest.mark.parametrize("head", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_a_head_that_is_not_there_is_refused(model, head):
    with pytest.raises(ValueError, match="there are 2 layers of 3 heads, from 0"):
        decoder.without_heads(model, [head])


def test_without_positions_the_order_of_what_was_read_tells_the_last_token_nothing(model, rng):
    token_ids = rng.permutation(VOCAB_SIZE)[:5]
    turned = np.append(token_ids[-2::-1], token_ids[-1])
    bare = decoder.without_positions(model)._replace(blocks=model.blocks[:1])  # deeper ones see how much stood before
    assert np.allclose(*(decoder.read(bare, ids).logits[-1] for ids in (token_ids, turned)))
    assert not np.allclose(*(decoder.read(model, ids).logits[-1] for ids in (token_ids, turned)))


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
def test_a_loss_is_minus_the_logarithm_of_what_the_next_token_was_given(rng, batch):
    logits, token_ids = 3 * rng.normal(size=(*batch, 5, 7)), rng.integers(7, size=(*batch, 5))
    losses = decoder.token_losses(logits, token_ids)
    assert losses.shape == (*batch, 4)
    for place in np.ndindex(losses.shape):
        row, wanted = np.exp(logits[place]), token_ids[(*place[:-1], place[-1] + 1)]
        assert losses[place] == pytest.approx(-np.log(row[wanted] / row.sum()))


def test_the_last_row_of_logits_may_be_missing_and_large_ones_do_not_overflow(rng):
    logits, token_ids = 1000 + rng.normal(size=(5, 7)), rng.integers(7, size=5)
    losses = decoder.token_losses(logits, token_ids)
    assert np.isfinite(losses).all()
    assert np.allclose(losses, decoder.token_losses(logits[:-1] - 1000, token_ids))
