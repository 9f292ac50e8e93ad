"""Scaled dot-product attention, its masks and its gradient: section 4.1 in plain NumPy.

Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.1 (arXiv:1706.03762).
"""

import numpy as np


def softmax(scores):
    """Turn scores into weights that are positive and sum to 1 along the last axis.

    Parameters
    ----------
    scores : (..., n) array
        Any finite values, or `-inf` for an entry that must get no weight.

    Returns
    -------
    weights : (..., n) array
        Zero everywhere in a row whose scores are all `-inf`.

    Examples
    --------
    >>> softmax([0.0, 0.0])
    array([0.5, 0.5])
    >>> softmax([1000.0, 1000.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    scores = np.asarray(scores, dtype=float)
    largest = scores.max(axis=-1, keepdims=True)  # (..., n) -> (..., 1)
    shifted = scores - np.where(np.isfinite(largest), largest, 0.0)
    exps = np.exp(shifted)
    total = exps.sum(axis=-1, keepdims=True)  # (..., n) -> (..., 1)
    return exps / np.where(total > 0, total, 1.0)


def project(x, w_q, w_k, w_v):
    """Give every token its query, its key and its value: `x @ w_q`, `x @ w_k`, `x @ w_v`.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_v) array

    Returns
    -------
    q, k : (..., seq_len, d_k) arrays
    v : (..., seq_len, d_v) array

    Raises
    ------
    ValueError
        If a matrix does not have `d_model` rows.

    Examples
    --------
    >>> q, k, v = project([[1.0, 2.0]], [[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]])
    >>> q, k, v
    (array([[1.]]), array([[2.]]), array([[3.]]))
    """
    x, w_q, w_k, w_v = (np.asarray(a, dtype=float) for a in (x, w_q, w_k, w_v))
    _require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v)
    return x @ w_q, x @ w_k, x @ w_v  # (..., n, d_model) @ (d_model, d) -> (..., n, d)


def scores(q, k):
    """Compare every query with every key: `q @ k.T / sqrt(d_k)`.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array

    Returns
    -------
    scores : (..., n_queries, n_keys) array

    Raises
    ------
    ValueError
        If queries and keys differ in `d_k`.

    Examples
    --------
    >>> scores([[2.0, 0.0, 0.0, 0.0]], [[3.0, 1.0, 1.0, 1.0], [0.0, 5.0, 5.0, 5.0]])
    array([[3., 0.]])
    """
    q, k = np.asarray(q, dtype=float), np.asarray(k, dtype=float)
    _require_shared_d_k(q, k)
    d_k = q.shape[-1]
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k)  # (..., n, d_k) @ (..., d_k, m) -> (..., n, m)


def masked_softmax(scores, mask=None):
    """Softmax over the entries that the mask allows; the others get weight 0.

    Parameters
    ----------
    scores : (..., n_queries, n_keys) array
    mask : (..., n_queries, n_keys) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    weights : (..., n_queries, n_keys) array

    Examples
    --------
    >>> masked_softmax([[0.0, 0.0, 9.0]], [[True, True, False]])
    array([[0.5, 0.5, 0. ]])
    """
    if mask is None:
        return softmax(scores)
    return softmax(np.where(mask, scores, -np.inf))


def attention(q, k, v, mask=None):
    """Let every query collect the values, each weighted by how well its key fits.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
    v : (..., n_keys, d_v) array
    mask : (..., n_queries, n_keys) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    output : (..., n_queries, d_v) array
    weights : (..., n_queries, n_keys) array

    Raises
    ------
    ValueError
        If queries and keys differ in `d_k`, or keys and values in number.

    Examples
    --------
    >>> output, weights = attention([[0.0]], [[1.0], [2.0]], [[10.0], [20.0]])
    >>> output, weights
    (array([[15.]]), array([[0.5, 0.5]]))
    """
    v = np.asarray(v, dtype=float)
    _require_same_number(np.asarray(k), v)
    weights = masked_softmax(scores(q, k), mask)
    return weights @ v, weights  # (..., n, m) @ (..., m, d_v) -> (..., n, d_v)


def self_attention(x, w_q, w_k, w_v, mask=None):
    """Attention of a sequence over itself: queries, keys and values are all projections of `x`.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_v) array
    mask : (..., seq_len, seq_len) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    output : (..., seq_len, d_v) array
    weights : (..., seq_len, seq_len) array

    Raises
    ------
    ValueError
        If a matrix does not have `d_model` rows, or `w_q` and `w_k` differ in `d_k`.

    Examples
    --------
    >>> output, weights = self_attention([[1.0], [1.0]], [[1.0]], [[1.0]], [[4.0]])
    >>> output
    array([[4.],
           [4.]])
    """
    q, k, v = project(x, w_q, w_k, w_v)
    return attention(q, k, v, mask)


def causal_mask(seq_len):
    """Let every position look at itself and at what came before: `j <= i`.

    Parameters
    ----------
    seq_len : int

    Returns
    -------
    mask : (seq_len, seq_len) bool array

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    position = np.arange(seq_len)
    return position[None, :] <= position[:, None]  # (1, m) <= (n, 1) -> (n, m): key j, query i


def padding_mask(lengths, seq_len):
    """Let every position look at the first `lengths` keys, the real tokens, and never at the padding.

    Parameters
    ----------
    lengths : int or (...) int array
        How many tokens of each sequence are real.
    seq_len : int
        The padded length.

    Returns
    -------
    mask : (..., seq_len, seq_len) bool array

    Examples
    --------
    >>> padding_mask(2, 3).astype(int)
    array([[1, 1, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    lengths = np.asarray(lengths)
    real_key = np.arange(seq_len) < lengths[..., None]  # (seq_len,) < (..., 1) -> (..., seq_len)
    return np.repeat(real_key[..., None, :], seq_len, axis=-2)  # (..., 1, seq_len) -> (..., seq_len, seq_len)


def sliding_window_mask(seq_len, window):
    """Let every position look at itself and at the `window - 1` positions before it: `i - window < j <= i`.

    Parameters
    ----------
    seq_len : int
    window : int
        How many positions each one sees, itself included.

    Returns
    -------
    mask : (seq_len, seq_len) bool array

    Examples
    --------
    >>> sliding_window_mask(3, 2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    steps_back = np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]  # (n, 1) - (1, m) -> (n, m)
    return (steps_back >= 0) & (steps_back < window)


def score_std(d_k, q_variance=1.0, k_variance=1.0):
    """Return the standard deviation of `q @ k` for independent components with mean 0: `sqrt(d_k * var_q * var_k)`.

    Parameters
    ----------
    d_k : int
    q_variance, k_variance : float
        Variance of each component of a query and of a key.

    Returns
    -------
    std : float

    Examples
    --------
    >>> float(score_std(64))
    8.0
    """
    return np.sqrt(d_k * q_variance * k_variance)


def softmax_jacobian(weights):
    """Differentiate each weight by each score: `diag(weights) - outer(weights, weights)`.

    Parameters
    ----------
    weights : (..., n) array
        Softmax's output, not its input.

    Returns
    -------
    jacobian : (..., n, n) array
        Entry `[i, j]` is d weights[i] / d scores[j].

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    weights = np.asarray(weights, dtype=float)
    diagonal = weights[..., :, None] * np.eye(weights.shape[-1])  # (..., n, 1) * (n, n) -> (..., n, n)
    return diagonal - weights[..., :, None] * weights[..., None, :]  # (..., n, 1) * (..., 1, n) -> (..., n, n)


def reach(mask, n_layers):
    """Say which inputs each output can depend on after `n_layers` layers of attention under the same mask.

    Attention alone: no residual connection carries a token past a layer that it may not look at itself in.

    Parameters
    ----------
    mask : (..., seq_len, seq_len) bool array
        True = this query may look at this key.
    n_layers : int
        0 layers leave every token to itself.

    Returns
    -------
    reachable : (..., seq_len, seq_len) bool array
        Entry `[i, j]`: output `i` can depend on input `j`.

    Examples
    --------
    >>> reach(sliding_window_mask(4, 2), 2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1]])
    """
    mask = np.asarray(mask, dtype=bool)
    reachable = np.broadcast_to(np.eye(mask.shape[-1], dtype=bool), mask.shape)
    for _ in range(n_layers):
        reachable = mask @ reachable  # (..., n, n) @ (..., n, n) -> (..., n, n), "or" of "and"
    return np.array(reachable)


def entropy(weights):
    """Spread of a distribution in nats: 0 for a single choice, `log(n)` for n equal ones.

    Parameters
    ----------
    weights : (..., n) array
        Rows that sum to 1 (or to 0).

    Returns
    -------
    entropy : (...) array
        In nats.

    Examples
    --------
    >>> float(entropy([1.0, 0.0]))
    0.0
    """
    weights = np.asarray(weights, dtype=float)
    logs = np.log(np.where(weights > 0, weights, 1.0))
    return np.abs(-(weights * logs).sum(axis=-1))  # abs: a single choice is 0, not -0


def soft_lookup(query, keys, values, temperature):
    """Look a query up in a dictionary softly: nearer keys weigh more, a low temperature picks one.

    Parameters
    ----------
    query : (d_k,) array
    keys : (n_keys, d_k) array
    values : (n_keys,) or (n_keys, d_v) array
    temperature : float
        Above 0. Near 0 the best key gets all the weight; large, all keys weigh the same.

    Returns
    -------
    answer : float or (d_v,) array
    weights : (n_keys,) array

    Raises
    ------
    ValueError
        If the temperature is not above 0.

    Examples
    --------
    >>> answer, weights = soft_lookup([1.0], [[1.0], [1.0]], [3.0, 5.0], temperature=0.5)
    >>> float(answer), weights
    (4.0, array([0.5, 0.5]))
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}; near 0 (say 0.01) already picks one key")
    weights = softmax(np.asarray(keys, dtype=float) @ np.asarray(query, dtype=float) / temperature)  # (n_keys,)
    return weights @ np.asarray(values, dtype=float), weights


def influence(x, w_q, w_k, w_v, mask, position, nudge=1.0):
    """Measure how far every output moves when the input at one position is changed.

    Parameters
    ----------
    x : (seq_len, d_model) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_v) array
    mask : (seq_len, seq_len) bool array or None
    position : int
        Which token is changed: every component of it grows by `nudge`.
    nudge : float

    Returns
    -------
    moved : (seq_len,) array
        Euclidean distance between each output before and after.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> influence(np.zeros((3, 1)), one, one, one, causal_mask(3), position=1) > 0
    array([False,  True,  True])
    """
    x = np.asarray(x, dtype=float)
    changed = x.copy()
    changed[position] += nudge
    before, _ = self_attention(x, w_q, w_k, w_v, mask)
    after, _ = self_attention(changed, w_q, w_k, w_v, mask)
    return np.linalg.norm(after - before, axis=-1)  # (n, d_v) -> (n,)


def _require_shared_d_k(q, k):
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"queries {q.shape} and keys {k.shape} must share d_k: {q.shape[-1]} != {k.shape[-1]}")


def _require_same_number(k, v):
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"keys {k.shape} and values {v.shape} must be equally many: {k.shape[-2]} != {v.shape[-2]}")


def _require_shared_d_model(x, **matrices):
    for name, matrix in matrices.items():
        if matrix.shape[-2] != x.shape[-1]:
            raise ValueError(
                f"x {x.shape} and {name} {matrix.shape} must share d_model: {x.shape[-1]} != {matrix.shape[-2]}"
            )
