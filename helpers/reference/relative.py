"""Positions as distances: Shaw's clipped distances, T5's buckets and ALiBi's penalty, all added to the scores.

Sources: Shaw et al. 2018 (arXiv:1803.02155), section 3.2; Raffel et al. 2020, *T5*, section 2.1 (arXiv:1910.10683);
Press et al. 2022, *Train Short, Test Long* (arXiv:2108.12409), section 3.
"""

import numpy as np

from helpers.reference.attention import masked_softmax, scores


def clipped_distance(seq_len, max_distance):
    """Give each distance from query i to key j, `j - i`, a number from 0 up, cut off at `max_distance` on both sides.

    Parameters
    ----------
    seq_len : int
    max_distance : int
        Beyond it all distances count as one.

    Returns
    -------
    index : (seq_len, seq_len) int array
        From 0 (far to the left) through `max_distance` (itself) to `2 * max_distance` (far to the right): rows of a
        learned table.

    Examples
    --------
    >>> clipped_distance(4, 2)
    array([[2, 3, 4, 4],
           [1, 2, 3, 4],
           [0, 1, 2, 3],
           [0, 0, 1, 2]])
    """
    position = np.arange(seq_len)
    distance = position[None, :] - position[:, None]  # (1, m) - (n, 1) -> (n, m): key j minus query i
    return np.clip(distance, -max_distance, max_distance) + max_distance


def shaw_scores(q, k, relative_keys):
    """Compare queries with keys to which a vector for the clipped distance was added: `q_i @ (k_j + a_ij) / sqrt(d_k)`.

    Parameters
    ----------
    q, k : (seq_len, d_k) arrays
    relative_keys : (2 * max_distance + 1, d_k) array
        One learned vector for each row number that `clipped_distance` gives.

    Returns
    -------
    scores : (seq_len, seq_len) array

    Examples
    --------
    >>> shaw_scores(np.ones((2, 1)), np.zeros((2, 1)), [[-1.0], [0.0], [1.0]])
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    q, relative_keys = np.asarray(q, dtype=float), np.asarray(relative_keys, dtype=float)
    index = clipped_distance(len(q), len(relative_keys) // 2)
    by_distance = q @ relative_keys.T / np.sqrt(q.shape[-1])  # (n, d_k) @ (d_k, r) -> (n, r)
    return scores(q, k) + np.take_along_axis(by_distance, index, axis=-1)  # (n, m) + (n, m)


def relative_bucket(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    """Sort distances into T5's buckets: one bucket for each short distance, ever wider ones for long distances.

    Parameters
    ----------
    relative_position : (...) int array
        Position of the key minus position of the query.
    bidirectional : bool
        True: half of the buckets are for keys after the query. False: those all share bucket 0, for a causal mask.
    n_buckets : int
    max_distance : int
        From here on every distance falls into the last bucket of its side.

    Returns
    -------
    bucket : (...) int array
        From 0 to `n_buckets - 1`.

    Examples
    --------
    >>> relative_bucket([0, -1, -7, -8, -12, -200, 1, 200])
    array([ 0,  1,  7,  8,  9, 15, 17, 31])
    >>> relative_bucket([0, -1, -15, -200, 1], bidirectional=False)
    array([ 0,  1, 15, 31,  0])
    """
    relative_position = np.asarray(relative_position)
    first = 0
    distance = np.maximum(-relative_position, 0)
    if bidirectional:
        n_buckets = n_buckets // 2
        first = n_buckets * (relative_position > 0)
        distance = np.abs(relative_position)
    n_exact = n_buckets // 2
    ratio = np.log(np.maximum(distance, 1) / n_exact) / np.log(max_distance / n_exact)  # 0 at n_exact, then up to 1
    far = n_exact + np.floor(ratio * (n_buckets - n_exact)).astype(int)
    return first + np.where(distance < n_exact, distance, np.minimum(far, n_buckets - 1))


def alibi_slopes(n_heads):
    """Return how fast each head of ALiBi loses interest with distance: a geometric series that ends at 2 ** -8.

    Parameters
    ----------
    n_heads : int
        If no power of two: the slopes of the next smaller one, then every other slope of the next larger one.

    Returns
    -------
    slopes : (n_heads,) array

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    power = 1 << (n_heads.bit_length() - 1)  # the largest power of two that is not above n_heads
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    return np.concatenate([slopes, between[: n_heads - power]])


def alibi_bias(n_heads, seq_len):
    """Return what ALiBi adds to the scores: minus the head's slope times the distance between query and key.

    Parameters
    ----------
    n_heads, seq_len : int

    Returns
    -------
    bias : (n_heads, seq_len, seq_len) array
        0 on the diagonal, falling off to both sides; a causal mask hides the upper half.

    Examples
    --------
    >>> alibi_bias(8, 3)[0]
    array([[-0. , -0.5, -1. ],
           [-0.5, -0. , -0.5],
           [-1. , -0.5, -0. ]])
    """
    position = np.arange(seq_len)
    distance = np.abs(position[:, None] - position[None, :])  # (n, 1) - (1, m) -> (n, m)
    return -alibi_slopes(n_heads)[:, None, None] * distance  # (h, 1, 1) * (n, m) -> (h, n, m)


def biased_attention(q, k, v, bias, mask=None):
    """Attention whose scores get a bias before mask and softmax: `softmax(q @ k.T / sqrt(d_k) + bias) @ v`.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
    v : (..., n_keys, d_v) array
    bias : (..., n_queries, n_keys) array
        For example `alibi_bias(n_heads, seq_len)`, or a learned number for each bucket.
    mask : (..., n_queries, n_keys) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    output : (..., n_queries, d_v) array
    weights : (..., n_queries, n_keys) array

    Examples
    --------
    >>> output, weights = biased_attention([[0.0]], [[1.0], [1.0]], [[4.0], [8.0]], [[0.0, np.log(3)]])
    >>> output.round(6), weights.round(6)
    (array([[7.]]), array([[0.25, 0.75]]))
    """
    weights = masked_softmax(scores(q, k) + np.asarray(bias, dtype=float), mask)
    return weights @ np.asarray(v, dtype=float), weights  # (..., n, m) @ (..., m, d_v) -> (..., n, d_v)
