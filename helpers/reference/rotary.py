"""Rotary position embedding (RoPE): turn queries and keys by their positions, so that scores know distances.

Source: Su et al. 2021, *RoFormer*, section 3.2 (arXiv:2104.09864). Pairs are neighbours (0, 1), (2, 3) … as in the
paper and in GPT-J; `rotate_half_split` pairs i with i + d_k / 2, as GPT-NeoX and Llama do.
"""

import numpy as np

from helpers.reference.positions import frequencies, require_even


def rotate(x, positions, base=10000.0):
    """Turn each pair (x[2i], x[2i + 1]) of every vector by its position times the pair's frequency.

    Parameters
    ----------
    x : (..., seq_len, d_k) array
        `d_k` even.
    positions : (seq_len,) array
    base : float

    Returns
    -------
    turned : (..., seq_len, d_k) array

    Raises
    ------
    ValueError
        If `d_k` is odd, or there is not one position for each vector.

    Examples
    --------
    >>> rotate([[1.0, 0.0]], [np.pi / 2]).round(6)
    array([[0., 1.]])
    """
    x, positions = np.asarray(x, dtype=float), np.asarray(positions, dtype=float)
    _require_fitting(x, positions)
    cos, sin = _cos_sin(x, positions, base)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., 0::2] = first * cos - second * sin
    turned[..., 1::2] = first * sin + second * cos
    return turned


def rotate_half_split(x, positions, base=10000.0):
    """Turn as `rotate` does, but pair component i with component i + d_k / 2: Llama's convention.

    Parameters
    ----------
    x : (..., seq_len, d_k) array
    positions : (seq_len,) array
    base : float

    Returns
    -------
    turned : (..., seq_len, d_k) array

    Raises
    ------
    ValueError
        If `d_k` is odd, or there is not one position for each vector.

    Examples
    --------
    >>> rotate_half_split([[1.0, 5.0, 0.0, 0.0]], [np.pi / 2])[:, [0, 2]].round(6)
    array([[0., 1.]])
    """
    x, positions = np.asarray(x, dtype=float), np.asarray(positions, dtype=float)
    _require_fitting(x, positions)
    cos, sin = _cos_sin(x, positions, base)
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


def half_split_order(d_k):
    """Return where half-split RoPE keeps the components: `rotate(x)[..., order] == rotate_half_split(x[..., order])`.

    Parameters
    ----------
    d_k : int

    Returns
    -------
    order : (d_k,) int array

    Examples
    --------
    >>> half_split_order(6)
    array([0, 2, 4, 1, 3, 5])
    """
    return np.arange(d_k).reshape(-1, 2).T.reshape(-1)  # (d_k / 2, 2) -> (2, d_k / 2) -> (d_k,)


def rope(q, k, v, base=10000.0):
    """Prepare queries, keys and values for attention with RoPE: the first two are turned, values stay.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
        `d_k` even; positions count from 0 in both.
    v : (..., n_keys, d_v) array
    base : float

    Returns
    -------
    q, k, v : arrays of the same shapes

    Raises
    ------
    ValueError
        If `d_k` is odd.

    Examples
    --------
    >>> q, k, v = rope([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0]], [[7.0]])
    >>> q.round(2)
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    >>> k, v
    (array([[0., 1.]]), array([[7.]]))
    """
    q, k = np.asarray(q, dtype=float), np.asarray(k, dtype=float)
    turned_q = rotate(q, np.arange(q.shape[-2]), base)
    turned_k = rotate(k, np.arange(k.shape[-2]), base)
    return turned_q, turned_k, np.array(v, dtype=float)


def _cos_sin(x, positions, base):
    angles = positions[:, None] * frequencies(x.shape[-1], base)  # (n, 1) * (f,) -> (n, f)
    return np.cos(angles), np.sin(angles)


def _require_fitting(x, positions):
    require_even("d_k", x.shape[-1])
    if positions.shape != x.shape[-2:-1]:
        raise ValueError(f"x {x.shape} needs {x.shape[-2]} positions, one for each vector: got {positions.shape}")
