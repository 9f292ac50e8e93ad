"""The parts of a Transformer block and the block itself, before or after normalisation: section 4.4 in plain NumPy.

Sources: Vaswani et al. 2017, *Attention Is All You Need*, section 3 (arXiv:1706.03762); Ba, Kiros and Hinton 2016,
*Layer Normalization* (arXiv:1607.06450); Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture*
(arXiv:2002.04745).
"""

import numpy as np

from helpers.reference.attention import attention, project, self_attention

NORMS = ("none", "pre", "post")


def layer_norm(x, gain=1.0, shift=0.0, eps=1e-5):
    """Give every token mean 0 and variance 1 over its own components, then scale and shift them.

    Parameters
    ----------
    x : (..., d_model) array
    gain, shift : (d_model,) arrays or float
    eps : float
        Added to the variance, inside the square root; the variance divides by `d_model`, not by `d_model - 1`.

    Returns
    -------
    normalised : (..., d_model) array

    Examples
    --------
    >>> layer_norm([1.0, 3.0], eps=0.0)
    array([-1.,  1.])
    """
    x = np.asarray(x, dtype=float)
    centred = x - x.mean(axis=-1, keepdims=True)  # (..., d_model) - (..., 1)
    variance = (centred**2).mean(axis=-1, keepdims=True)  # (..., d_model) -> (..., 1)
    return gain * centred / np.sqrt(variance + eps) + shift


def relu(x):
    """Keep what is positive; the rest becomes 0.

    Parameters
    ----------
    x : (...) array

    Returns
    -------
    positive : (...) array

    Examples
    --------
    >>> relu([-2.0, 3.0])
    array([0., 3.])
    """
    return np.maximum(x, 0.0)


def feed_forward(x, w_1, w_2, b_1=0.0, b_2=0.0):
    """Work on every token alone: widen, cut what is negative, narrow again.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_1 : (d_model, d_ff) array
    w_2 : (d_ff, d_model) array
    b_1 : (d_ff,) array or float
    b_2 : (d_model,) array or float

    Returns
    -------
    output : (..., seq_len, d_model) array

    Raises
    ------
    ValueError
        If `w_1` does not have `d_model` rows, or `w_2` not `d_ff`.

    Examples
    --------
    >>> feed_forward([[1.0, 2.0]], [[1.0, -1.0], [1.0, -1.0]], [[10.0], [100.0]])
    array([[30.]])
    """
    x, w_1, w_2 = (np.asarray(a, dtype=float) for a in (x, w_1, w_2))
    _require_rows(x, "w_1", w_1)
    hidden = relu(x @ w_1 + b_1)  # (..., n, d_model) @ (d_model, d_ff) -> (..., n, d_ff)
    _require_rows(hidden, "w_2", w_2)
    return hidden @ w_2 + b_2  # (..., n, d_ff) @ (d_ff, d_model) -> (..., n, d_model)


def block(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    """Let the tokens exchange, then let each digest; both are added to what was there (one head, no biases).

    Pre-norm: `x + f(layer_norm(x))`, for attention and then for the feed-forward network.
    Post-norm: `layer_norm(x + f(x))`.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_model) array
    w_1 : (d_model, d_ff) array
    w_2 : (d_ff, d_model) array
    mask : (..., seq_len, seq_len) bool array, optional
        True = this query may look at this key.
    norm : {"pre", "post"}

    Returns
    -------
    output : (..., seq_len, d_model) array

    Raises
    ------
    ValueError
        If `norm` is neither, or shapes do not fit.

    Examples
    --------
    >>> zero, one = np.zeros((2, 2)), np.eye(2)
    >>> block([[1.0, 3.0]], one, one, zero, one, zero)
    array([[1., 3.]])
    >>> block([[1.0, 3.0]], one, one, zero, one, zero, norm="post").round(3)
    array([[-1.,  1.]])
    """
    x = np.asarray(x, dtype=float)
    if norm == "pre":
        x = x + self_attention(layer_norm(x), w_q, w_k, w_v, mask)[0]
        return x + feed_forward(layer_norm(x), w_1, w_2)
    if norm == "post":
        x = layer_norm(x + self_attention(x, w_q, w_k, w_v, mask)[0])
        return layer_norm(x + feed_forward(x, w_1, w_2))
    raise ValueError(f'norm must be "pre" or "post", got {norm!r}')


def cross_attention(x, source, w_q, w_k, w_v, mask=None):
    """Let the tokens of one sequence ask those of another: queries from `x`, keys and values from `source`.

    Parameters
    ----------
    x : (..., n_target, d_model) array
        The decoder's tokens.
    source : (..., n_source, d_source) array
        The encoder's output.
    w_q : (d_model, d_k) array
    w_k : (d_source, d_k) array
    w_v : (d_source, d_v) array
    mask : (..., n_target, n_source) bool array, optional
        True = this token may look at this source token.

    Returns
    -------
    output : (..., n_target, d_v) array
    weights : (..., n_target, n_source) array

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> output, weights = cross_attention([[0.0]], [[10.0], [20.0]], [[1.0]], [[1.0]], [[1.0]])
    >>> output, weights
    (array([[15.]]), array([[0.5, 0.5]]))
    """
    q, _, _ = project(x, w_q, w_q, w_q)
    _, k, v = project(source, w_k, w_k, w_v)
    return attention(q, k, v, mask)


def cosine(a, b):
    """Compare the directions of vectors: 1 the same, 0 at right angles, −1 opposite; 0 where a vector is zero.

    Parameters
    ----------
    a, b : (..., d) arrays

    Returns
    -------
    cosine : (...) array

    Examples
    --------
    >>> cosine([[2.0, 0.0], [0.0, 0.0]], [[3.0, 0.0], [1.0, 0.0]])
    array([1., 0.])
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)  # (..., d) -> (...)
    return (a * b).sum(axis=-1) / np.where(lengths > 0, lengths, 1.0)


def _require_rows(x, name, matrix):
    if matrix.shape[-2] != x.shape[-1]:
        raise ValueError(
            f"x {x.shape} and {name} {matrix.shape} must fit: {x.shape[-1]} columns != {matrix.shape[-2]} rows"
        )
