"""A decoder-only model as plain arrays: read a text with it, look at every layer and head, take parts of it away.

The blocks are those of section 4.4 (`block_forward`), before each a normalisation; so every model of the chapter that
writes text, the one trained in seconds and the one trained on poems, runs through this module.

Source: Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*, section 2.3.
"""

from typing import NamedTuple

import numpy as np

from helpers.reference.attention import causal_mask
from helpers.reference.backward import BlockWeights, block_forward
from helpers.reference.block import layer_norm


class Decoder(NamedTuple):
    """The numbers of a decoder-only model; also their gradients."""

    embedding: np.ndarray  # (vocab_size, d_model)
    positions: np.ndarray  # (n_positions, d_model)
    blocks: tuple[BlockWeights, ...]
    unembedding: np.ndarray  # (d_model, vocab_size)
    n_heads: int


class Reading(NamedTuple):
    """All that can be seen in a model while it reads: the tokens' vectors, who looks where, what is expected next."""

    states: np.ndarray  # (n_layers + 1, ..., seq_len, d_model): before the first block, and after each
    weights: np.ndarray  # (n_layers, ..., n_heads, seq_len, seq_len)
    logits: np.ndarray  # (..., seq_len, vocab_size): row i is about token i + 1


def read(model, token_ids, causal=True, residual=True):
    """Read texts and keep everything that is worth a look.

    Parameters
    ----------
    model : Decoder
    token_ids : (..., seq_len) int array
    causal : bool
        Whether a position may look only at itself and backwards.
    residual : bool
        Whether each part of a block adds to its input, or takes its place.

    Returns
    -------
    Reading

    Raises
    ------
    ValueError
        If a text is longer than the model has positions.
    """
    traces = traces_from(model, 0, embed(model, token_ids), causal, residual)
    states = np.stack([*(trace.before_attention for trace in traces), traces[-1].output])
    return Reading(states, np.stack([trace.weights for trace in traces]), to_logits(model, traces[-1].output))


def embed(model, token_ids):
    """Return the vectors that enter the first block: each token's own, and that of its place.

    Parameters
    ----------
    model : Decoder
    token_ids : (..., seq_len) int array

    Returns
    -------
    x : (..., seq_len, d_model) array

    Raises
    ------
    ValueError
        If a text is longer than the model has positions.
    """
    token_ids = np.asarray(token_ids)
    seq_len, n_positions = token_ids.shape[-1], len(model.positions)
    if seq_len > n_positions:
        raise ValueError(f"{seq_len} tokens are too many for a model with {n_positions} positions: read fewer")
    return model.embedding[token_ids] + model.positions[:seq_len]  # (..., n, d_model) + (n, d_model)


def traces_from(model, layer, x, causal=True, residual=True):
    """Send vectors through the blocks from one layer on.

    Parameters
    ----------
    model : Decoder
    layer : int
        0 for all blocks.
    x : (..., seq_len, d_model) array
        What enters that layer.
    causal, residual : bool
        As for `read`.

    Returns
    -------
    traces : list of BlockTrace
    """
    mask = causal_mask(x.shape[-2]) if causal else None
    traces = []
    for weights in model.blocks[layer:]:
        traces.append(block_forward(x, weights, model.n_heads, mask, residual=residual))
        x = traces[-1].output
    return traces


def to_logits(model, x):
    """Turn what leaves the last block into what is expected next.

    Parameters
    ----------
    model : Decoder
    x : (..., d_model) array

    Returns
    -------
    logits : (..., vocab_size) array
    """
    return layer_norm(x) @ model.unembedding  # (..., d_model) @ (d_model, vocab_size)


def token_losses(logits, token_ids):
    """Return how surprising every token but the first is, given those before it: −ln of its probability.

    Parameters
    ----------
    logits : (..., seq_len or seq_len - 1, vocab_size) array
        Row i is about token i + 1; a last row has nothing to be compared with.
    token_ids : (..., seq_len) int array

    Returns
    -------
    losses : (..., seq_len - 1) array
        In nats.

    Examples
    --------
    >>> token_losses(np.log([[0.5, 0.5], [0.2, 0.8], [1.0, 1.0]]), [0, 1, 0]).round(4)  # -ln 0.5, -ln 0.2
    array([0.6931, 1.6094])
    """
    wanted = np.asarray(token_ids)[..., 1:, None]  # (..., n - 1, 1)
    said = np.asarray(logits, dtype=float)[..., : wanted.shape[-2], :]  # (..., n - 1, vocab_size)
    largest = said.max(axis=-1, keepdims=True)  # (..., n - 1, 1)
    total = largest + np.log(np.exp(said - largest).sum(axis=-1, keepdims=True))
    return (total - np.take_along_axis(said, wanted, axis=-1))[..., 0]  # (..., n - 1, 1) -> (..., n - 1)


def without_heads(model, heads):
    """Switch heads off: what they find is no longer added, all else stays.

    Parameters
    ----------
    model : Decoder
    heads : iterable of (layer, head)
        Both from 0.

    Returns
    -------
    Decoder

    Raises
    ------
    ValueError
        If there is no such layer or head.
    """
    blocks = list(model.blocks)
    for layer, head in heads:
        if not (0 <= layer < len(blocks) and 0 <= head < model.n_heads):
            raise ValueError(
                f"no head {head} in layer {layer}: there are {len(blocks)} layers of {model.n_heads} heads, from 0"
            )
        rows = blocks[layer].w_o.reshape(model.n_heads, -1, blocks[layer].w_o.shape[-1]).copy()
        rows[head] = 0.0  # a head's rows of w_o carry what it found into the residual stream
        blocks[layer] = blocks[layer]._replace(w_o=rows.reshape(blocks[layer].w_o.shape))
    return model._replace(blocks=tuple(blocks))


def without_positions(model):
    """Take away what tells a model where a token stands.

    Parameters
    ----------
    model : Decoder

    Returns
    -------
    Decoder
    """
    return model._replace(positions=np.zeros_like(model.positions))
