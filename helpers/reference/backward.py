"""A block with its gradient, by hand and in NumPy: what training does, and what a deep stack does to it.

The gradients are those of ordinary backpropagation (Rumelhart, Hinton and Williams 1986), one rule for each part of the
block; the tests compare them with finite differences.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from helpers.reference.attention import masked_softmax, scores
from helpers.reference.block import NORMS, layer_norm, relu
from helpers.reference.multihead import merge_heads, split_heads


class BlockWeights(NamedTuple):
    """The matrices of one block, or their gradients: the first four `(d_model, d_model)`, then two of the FFN."""

    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray
    w_o: np.ndarray
    w_1: np.ndarray  # (d_model, d_ff)
    w_2: np.ndarray  # (d_ff, d_model)


@dataclass(frozen=True)
class AttentionTrace:
    """What the gradient of attention needs: its input, and `(..., n_heads, n, ·)` arrays of all heads."""

    x: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    weights: np.ndarray
    merged: np.ndarray


@dataclass(frozen=True)
class FeedForwardTrace:
    """What the gradient of the feed-forward network needs: its input and what passed the ReLU."""

    x: np.ndarray
    hidden: np.ndarray


@dataclass(frozen=True)
class BlockTrace:
    """One pass through a block: output, attention weights, and all that its gradient needs.

    `before_attention` and `before_ffn` are what each sub-layer was added to (or replaced); `attended` and `output`
    are what came out of each, and `summed` the same two before a post-norm.
    """

    parameters: BlockWeights
    norm: str
    residual: bool
    before_attention: np.ndarray
    attention: AttentionTrace
    before_ffn: np.ndarray
    feed_forward: FeedForwardTrace | None
    summed: tuple[np.ndarray, ...]
    output: np.ndarray

    @property
    def weights(self):
        """The attention weights, `(..., n_heads, n, n)`."""
        return self.attention.weights


def random_block(d_model, rng, d_ff=None, gain=1.0):
    """Draw the matrices of a block, so that each keeps the size of what it multiplies.

    Parameters
    ----------
    d_model : int
    rng : numpy.random.Generator
    d_ff : int, optional
        `4 * d_model` if not given.
    gain : float
        Factor of the two matrices that write into the residual stream, `w_o` and `w_2`; GPT-2 takes
        `1 / sqrt(2 * n_layers)` (Radford et al. 2019, section 2.3).

    Returns
    -------
    BlockWeights

    Examples
    --------
    >>> random_block(2, np.random.default_rng(0)).w_1.shape
    (2, 8)
    """
    d_ff = d_ff or 4 * d_model
    shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]
    matrices = [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes]
    matrices[3], matrices[5] = gain * matrices[3], gain * matrices[5]
    matrices[5] *= np.sqrt(2)  # the ReLU lets half of the power through
    return BlockWeights(*matrices)


def block_forward(x, weights, n_heads, mask=None, norm="pre", residual=True, ffn=True):
    """Compute a block of several heads and keep what its gradient needs.

    Parameters
    ----------
    x : (..., n, d_model) array
    weights : BlockWeights
    n_heads : int
    mask : (..., n, n) bool array, optional
        True = this query may look at this key.
    norm : {"none", "pre", "post"}
    residual : bool
        Whether each sub-layer adds to its input, or takes its place.
    ffn : bool
        Whether there is a feed-forward network at all.

    Returns
    -------
    BlockTrace

    Raises
    ------
    ValueError
        If `norm` is none of the three.
    """
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r}")
    x = np.asarray(x, dtype=float)
    attention = _attention_forward(layer_norm(x) if norm == "pre" else x, weights, n_heads, mask)
    summed = (_joined(x, attention.merged @ weights.w_o, residual),)
    attended = layer_norm(summed[0]) if norm == "post" else summed[0]
    if not ffn:
        return BlockTrace(weights, norm, residual, x, attention, attended, None, summed, attended)
    digest = _feed_forward_forward(layer_norm(attended) if norm == "pre" else attended, weights)
    summed = (*summed, _joined(attended, digest.hidden @ weights.w_2, residual))
    output = layer_norm(summed[1]) if norm == "post" else summed[1]
    return BlockTrace(weights, norm, residual, x, attention, attended, digest, summed, output)


def block_backward(trace, d_output):
    """Turn the gradient at a block's output into the gradients at its input and at its matrices.

    Parameters
    ----------
    trace : BlockTrace
    d_output : (..., n, d_model) array

    Returns
    -------
    d_x : (..., n, d_model) array
    d_weights : BlockWeights
        Summed over the batch; zero for a feed-forward network that is not there.
    """
    parameters = trace.parameters
    d_w1, d_w2 = np.zeros_like(parameters.w_1), np.zeros_like(parameters.w_2)
    if trace.feed_forward is not None:
        d_summed = layer_norm_backward(trace.summed[1], d_output) if trace.norm == "post" else d_output
        d_input, d_w1, d_w2 = _feed_forward_backward(trace.feed_forward, parameters, d_summed)
        d_output = _split(trace, trace.before_ffn, d_summed, d_input)
    d_summed = layer_norm_backward(trace.summed[0], d_output) if trace.norm == "post" else d_output
    d_input, *d_projections = _attention_backward(trace.attention, parameters, d_summed)
    d_x = _split(trace, trace.before_attention, d_summed, d_input)
    return d_x, BlockWeights(*d_projections, d_w1, d_w2)


def layer_norm_backward(x, d_output, eps=1e-5):
    """Turn the gradient at the output of `layer_norm(x)` into the gradient at `x`.

    Parameters
    ----------
    x, d_output : (..., d_model) arrays
    eps : float

    Returns
    -------
    d_x : (..., d_model) array

    Examples
    --------
    >>> layer_norm_backward([1.0, 3.0], [1.0, 1.0])  # both outputs cannot grow: their mean is 0
    array([0., 0.])
    """
    x, d_output = np.asarray(x, dtype=float), np.asarray(d_output, dtype=float)
    normalised = layer_norm(x, eps=eps)
    std = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    shared = normalised * (d_output * normalised).mean(axis=-1, keepdims=True)
    return (d_output - d_output.mean(axis=-1, keepdims=True) - shared) / std


def _joined(x, new, residual):
    return x + new if residual else new


def _split(trace, x, d_summed, d_input):
    """Add up what reaches `x` through the sub-layer (and its pre-norm) and along the residual connection."""
    through = layer_norm_backward(x, d_input) if trace.norm == "pre" else d_input
    return through + d_summed if trace.residual else through


def _attention_forward(x, parameters, n_heads, mask):
    matrices = (parameters.w_q, parameters.w_k, parameters.w_v)
    q, k, v = (split_heads(x @ matrix, n_heads) for matrix in matrices)
    shared = None if mask is None else np.asarray(mask)[..., None, :, :]  # (..., n, n) -> (..., 1, n, n)
    weights = masked_softmax(scores(q, k), shared)
    return AttentionTrace(x, q, k, v, weights, merge_heads(weights @ v))


def _attention_backward(trace, parameters, d_output):
    """Return the gradients at the input and at `w_q`, `w_k`, `w_v`, `w_o`."""
    n_heads, d_k = trace.q.shape[-3], trace.q.shape[-1]
    d_heads = split_heads(d_output @ parameters.w_o.T, n_heads)  # (..., h, n, d_v)
    d_weights = d_heads @ np.swapaxes(trace.v, -1, -2)  # (..., h, n, d_v) @ (..., h, d_v, n) -> (..., h, n, n)
    mean = (d_weights * trace.weights).sum(axis=-1, keepdims=True)
    d_scores = trace.weights * (d_weights - mean) / np.sqrt(d_k)  # softmax's Jacobian, applied
    d_q, d_k, d_v = (
        merge_heads(piece)
        for piece in (
            d_scores @ trace.k,
            np.swapaxes(d_scores, -1, -2) @ trace.q,
            np.swapaxes(trace.weights, -1, -2) @ d_heads,
        )
    )
    d_x = d_q @ parameters.w_q.T + d_k @ parameters.w_k.T + d_v @ parameters.w_v.T
    return d_x, *(outer(trace.x, d) for d in (d_q, d_k, d_v)), outer(trace.merged, d_output)


def _feed_forward_forward(x, parameters):
    return FeedForwardTrace(x, relu(x @ parameters.w_1))


def _feed_forward_backward(trace, parameters, d_output):
    """Return the gradients at the input and at `w_1`, `w_2`."""
    d_hidden = (d_output @ parameters.w_2.T) * (trace.hidden > 0)
    return d_hidden @ parameters.w_1.T, outer(trace.x, d_hidden), outer(trace.hidden, d_output)


def outer(x, d_output):
    """Return the gradient at a matrix that maps `x` to something with the gradient `d_output`, summed over the batch.

    Parameters
    ----------
    x : (..., n, rows) array
    d_output : (..., n, columns) array

    Returns
    -------
    d_matrix : (rows, columns) array

    Examples
    --------
    >>> outer([[1.0, 2.0]], [[10.0]])
    array([[10.],
           [20.]])
    """
    # One small product for each text: on a busy machine, the threads of one large product wait for each other.
    products = np.swapaxes(x, -1, -2) @ np.asarray(d_output)  # (..., rows, n) @ (..., n, columns)
    return products.reshape(-1, *products.shape[-2:]).sum(axis=0)  # (..., rows, columns) -> (rows, columns)
