"""Several heads at once: split, attend, merge, and what they cost; section 4.2 in plain NumPy.

Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.2 (arXiv:1706.03762).
"""

import numpy as np

from helpers.reference.attention import attention, entropy, project, scores


def split_heads(x, n_heads):
    """Cut every token's vector into `n_heads` pieces and bring the heads before time.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    n_heads : int
        Must divide `d_model`.

    Returns
    -------
    heads : (..., n_heads, seq_len, d_k) array
        With `d_k = d_model / n_heads`; head `h` holds the columns `h * d_k` to `(h + 1) * d_k - 1` of every token.

    Raises
    ------
    ValueError
        If `n_heads` does not divide `d_model`.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    array([[[1., 2.],
            [5., 6.]],
    <BLANKLINE>
           [[3., 4.],
            [7., 8.]]])
    """
    x = np.asarray(x, dtype=float)
    _require_divisible(x.shape[-1], n_heads)
    d_k = x.shape[-1] // n_heads
    pieces = x.reshape(*x.shape[:-1], n_heads, d_k)  # (..., n, d_model) -> (..., n, h, d_k)
    return np.swapaxes(pieces, -2, -3)  # (..., n, h, d_k) -> (..., h, n, d_k)


def merge_heads(heads):
    """Put the pieces of every token side by side again: the inverse of `split_heads`.

    Parameters
    ----------
    heads : (..., n_heads, seq_len, d_v) array

    Returns
    -------
    x : (..., seq_len, n_heads * d_v) array

    Examples
    --------
    >>> merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
    array([[1., 2., 3., 4.],
           [5., 6., 7., 8.]])
    """
    heads = np.asarray(heads, dtype=float)
    *batch, n_heads, seq_len, d_v = heads.shape
    pieces = np.swapaxes(heads, -2, -3)  # (..., h, n, d_v) -> (..., n, h, d_v)
    return pieces.reshape(*batch, seq_len, n_heads * d_v)  # (..., n, h, d_v) -> (..., n, h * d_v)


def multihead_attention(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    """Let every head attend with its own queries, keys and values, then mix what the heads bring.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (d_model, n_heads * d_k) arrays
    w_v : (d_model, n_heads * d_v) array
    w_o : (n_heads * d_v, d_model) array
    n_heads : int
    mask : (..., seq_len, seq_len) bool array, optional
        True = this query may look at this key. All heads share it, so it has no axis for them.

    Returns
    -------
    output : (..., seq_len, d_model) array
    weights : (..., n_heads, seq_len, seq_len) array

    Raises
    ------
    ValueError
        If `n_heads` does not divide the columns of a matrix, or shapes do not fit.

    Examples
    --------
    >>> one = np.eye(2)
    >>> output, weights = multihead_attention([[1.0, 3.0], [1.0, 3.0]], one, one, one, one, n_heads=2)
    >>> output, weights.shape
    (array([[1., 3.],
           [1., 3.]]), (2, 2, 2))
    """
    q, k, v = (split_heads(projected, n_heads) for projected in project(x, w_q, w_k, w_v))
    shared = None if mask is None else np.asarray(mask)[..., None, :, :]  # (..., n, n) -> (..., 1, n, n)
    heads, weights = attention(q, k, v, shared)
    merged = merge_heads(heads)  # (..., h, n, d_v) -> (..., n, h * d_v)
    _require_rows(w_o, merged.shape[-1])
    return merged @ np.asarray(w_o, dtype=float), weights  # (..., n, h * d_v) @ (h * d_v, d_model)


def parameter_count(d_model, bias=True):
    """Count the numbers in `w_q`, `w_k`, `w_v` and `w_o`; how many heads share them does not matter.

    Parameters
    ----------
    d_model : int
    bias : bool
        Whether each of the four projections adds a vector of `d_model` numbers.

    Returns
    -------
    count : int

    Examples
    --------
    >>> parameter_count(2), parameter_count(2, bias=False)
    (24, 16)
    """
    per_projection = d_model**2 + (d_model if bias else 0)
    return 4 * per_projection


def flops(seq_len, d_model):
    """Count the multiplications of the six matrix products; how many heads share them does not matter.

    Four projections take `seq_len * d_model**2` each, scores and weighted sums `seq_len**2 * d_model` each: a head of
    size `d_k` takes `seq_len**2 * d_k`, and `n_heads * d_k = d_model`. Additions, softmax and scaling are left out.

    Parameters
    ----------
    seq_len, d_model : int

    Returns
    -------
    multiplications : int

    Examples
    --------
    >>> flops(3, 2)
    84
    """
    projections = 4 * seq_len * d_model**2
    scores_and_sums = 2 * seq_len**2 * d_model
    return projections + scores_and_sums


def ablate(heads, w_o, off):
    """Switch some heads off, as if they had brought zeros, and mix the rest as before.

    Parameters
    ----------
    heads : (..., n_heads, seq_len, d_v) array
        What each head brings, before merging.
    w_o : (n_heads * d_v, d_model) array
    off : sequence of int
        The numbers of the heads to switch off; may be empty.

    Returns
    -------
    output : (..., seq_len, d_model) array

    References
    ----------
    Michel, Levy and Neubig 2019, *Are Sixteen Heads Really Better than One?*, section 2.2 (arXiv:1905.10650).

    Examples
    --------
    >>> ablate([[[2.0]], [[3.0]]], [[10.0], [100.0]], off=[1])
    array([[20.]])
    """
    kept = np.array(heads, dtype=float)
    kept[..., list(off), :, :] = 0.0
    return merge_heads(kept) @ np.asarray(w_o, dtype=float)  # (..., n, h * d_v) @ (h * d_v, d_model)


def head_entropy(weights):
    """Say how widely each head looks: the entropy of its rows in nats, averaged over the queries.

    Parameters
    ----------
    weights : (..., n_heads, n_queries, n_keys) array

    Returns
    -------
    entropy : (..., n_heads) array
        0 for a head whose queries pick one key each, `log(n_keys)` for one that averages over all.

    Examples
    --------
    >>> head_entropy([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]).round(3)
    array([0.   , 0.693])
    """
    return entropy(weights).mean(axis=-1)  # (..., h, n, m) -> (..., h, n) -> (..., h)


def score_rank(x, w_q, w_k):
    """Count the independent directions in one head's score matrix: never more than `d_k`.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
        Of one head.

    Returns
    -------
    rank : (...) int array
        Singular values below `seq_len * 2.2e-16` times the largest count as zero.

    References
    ----------
    Bhojanapalli et al. 2020, *Low-Rank Bottleneck in Multi-head Attention Models*, section 3 (arXiv:2002.07028).

    Examples
    --------
    >>> int(score_rank(np.eye(3), [[1.0], [2.0], [3.0]], [[1.0], [0.0], [1.0]]))
    1
    """
    q, k, _ = project(x, w_q, w_k, w_k)
    return np.linalg.matrix_rank(scores(q, k))


def _require_divisible(d_model, n_heads):
    if d_model % n_heads:
        raise ValueError(
            f"d_model {d_model} must be divisible by n_heads {n_heads}: every head gets d_model / n_heads columns"
        )


def _require_rows(w_o, n_columns):
    if np.shape(w_o)[-2] != n_columns:
        raise ValueError(
            f"w_o {np.shape(w_o)} needs a row for each of the {n_columns} merged columns: "
            f"{np.shape(w_o)[-2]} != {n_columns}"
        )
