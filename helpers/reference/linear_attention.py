"""Attention without a softmax over pairs: multiply keys and values first, or carry their running sum along.

Sources: Katharopoulos et al. 2020, *Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention*,
section 3 (arXiv:2006.16236); Choromanski et al. 2021, *Rethinking Attention with Performers*, section 2.3
(arXiv:2009.14794).
"""

import numpy as np

from helpers.reference.attention import attention

SHARPNESSES = (1.0, 2.0, 4.0, 8.0, 16.0)  # tried by `recall_shares`, the best one counts


def feature_map(x):
    """Make every component positive: `elu(x) + 1`, that is `x + 1` above 0 and `exp(x)` below.

    Parameters
    ----------
    x : (...) array

    Returns
    -------
    features : (...) array

    Examples
    --------
    >>> feature_map([2.0, 0.0, -1000.0])
    array([3., 1., 0.])
    """
    x = np.asarray(x, dtype=float)
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear_attention(q, k, v, through="state"):
    """Weigh values by `feature_map(q) @ feature_map(k)` instead of its exponential; without softmax, the order is free.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
    v : (..., n_keys, d_v) array
    through : str
        What stands in the middle: "weights" multiplies queries and keys first, "state" keys and values.

    Returns
    -------
    output : (..., n_queries, d_v) array
        The same both ways.
    middle : array
        Through weights: (..., n_queries, n_keys), rows sum to 1. Through the state: (..., d_k, d_v), the sum over keys
        of their features times their values.

    Raises
    ------
    ValueError
        If `through` is neither.

    Examples
    --------
    >>> q, k, v = [[0.0]], [[0.0], [2.0]], [[4.0], [8.0]]
    >>> linear_attention(q, k, v, through="weights")
    (array([[7.]]), array([[0.25, 0.75]]))
    >>> linear_attention(q, k, v, through="state")
    (array([[7.]]), array([[28.]]))
    """
    _require_way(through)
    q, k, v = feature_map(q), feature_map(k), np.asarray(v, dtype=float)
    if through == "weights":
        products = q @ np.swapaxes(k, -1, -2)  # (..., n, d_k) @ (..., d_k, m) -> (..., n, m)
        weights = products / products.sum(axis=-1, keepdims=True)
        return weights @ v, weights
    state = np.swapaxes(k, -1, -2) @ v  # (..., d_k, m) @ (..., m, d_v) -> (..., d_k, d_v)
    total = q @ k.sum(axis=-2)[..., None]  # (..., n, d_k) @ (..., d_k, 1) -> (..., n, 1)
    return q @ state / total, state  # (..., n, d_k) @ (..., d_k, d_v) -> (..., n, d_v)


def causal_linear_attention(q, k, v):
    """Let every position collect from itself and those before it, through running sums: a recurrent network.

    Parameters
    ----------
    q, k : (..., seq_len, d_k) arrays
    v : (..., seq_len, d_v) array

    Returns
    -------
    output : (..., seq_len, d_v) array

    Examples
    --------
    >>> causal_linear_attention([[0.0], [0.0]], [[0.0], [2.0]], [[4.0], [8.0]])
    array([[4.],
           [7.]])
    """
    q = feature_map(q)
    states, totals = running_state(k, v)
    collected = (q[..., None, :] @ states)[..., 0, :]  # (..., n, 1, d_k) @ (..., n, d_k, d_v) -> (..., n, d_v)
    return collected / (q * totals).sum(axis=-1, keepdims=True)


def running_state(k, v):
    """Return what causal linear attention carries along: the sums over all keys so far, after each token.

    Parameters
    ----------
    k : (..., seq_len, d_k) array
    v : (..., seq_len, d_v) array

    Returns
    -------
    states : (..., seq_len, d_k, d_v) array
        Sum of features times values.
    totals : (..., seq_len, d_k) array
        Sum of features.

    Examples
    --------
    >>> states, totals = running_state([[0.0], [2.0]], [[4.0], [8.0]])
    >>> states[:, 0, 0], totals[:, 0]
    (array([ 4., 28.]), array([1., 4.]))
    """
    features, v = feature_map(k), np.asarray(v, dtype=float)
    products = features[..., :, None] * v[..., None, :]  # (..., n, d_k, 1) * (..., n, 1, d_v) -> (..., n, d_k, d_v)
    return products.cumsum(axis=-3), features.cumsum(axis=-2)


def linear_multiplications(seq_len, d_k, d_v, through):
    """Count the multiplications of the matrix products, as many queries as keys.

    Parameters
    ----------
    seq_len, d_k, d_v : int
    through : str
        "weights" or "state", as for `linear_attention`.

    Returns
    -------
    multiplications : int

    Examples
    --------
    >>> linear_multiplications(100, 4, 4, "weights"), linear_multiplications(100, 4, 4, "state")
    (80000, 3600)
    """
    _require_way(through)
    if through == "weights":
        return seq_len**2 * (d_k + d_v)
    return 2 * seq_len * d_k * d_v + seq_len * d_k


def random_features(x, directions):
    """Map queries or keys to positive features whose inner products estimate `exp(q @ k / sqrt(d_k))`.

    Parameters
    ----------
    x : (..., seq_len, d_k) array
    directions : (n_features, d_k) array
        Standard normal, the same for queries and keys.

    Returns
    -------
    features : (..., seq_len, n_features) array

    Examples
    --------
    >>> random_features([[0.0, 0.0]], np.ones((4, 2)))
    array([[0.5, 0.5, 0.5, 0.5]])
    """
    directions = np.asarray(directions, dtype=float)
    n_features, d_k = directions.shape
    x = np.asarray(x, dtype=float) / d_k**0.25  # so that q @ k comes out divided by sqrt(d_k)
    exponents = x @ directions.T - (x**2).sum(axis=-1, keepdims=True) / 2  # (..., n, d_k) @ (d_k, r) -> (..., n, r)
    return np.exp(exponents) / np.sqrt(n_features)


def performer_attention(q, k, v, directions):
    """Estimate softmax attention by linear attention with random features: the more features, the nearer.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
    v : (..., n_keys, d_v) array
    directions : (n_features, d_k) array
        Standard normal.

    Returns
    -------
    output : (..., n_queries, d_v) array
    weights : (..., n_queries, n_keys) array

    Examples
    --------
    >>> output, weights = performer_attention([[0.0]], [[0.0], [0.0]], [[2.0], [4.0]], np.ones((3, 1)))
    >>> output, weights
    (array([[3.]]), array([[0.5, 0.5]]))
    """
    products = random_features(q, directions) @ np.swapaxes(random_features(k, directions), -1, -2)  # (..., n, m)
    weights = products / products.sum(axis=-1, keepdims=True)
    return weights @ np.asarray(v, dtype=float), weights


def recall_shares(n_pairs, d_k, rng):
    """Store random pairs of key and value, ask for every value by its own key, and count the right answers.

    Softmax attention keeps all pairs; the state of linear attention has `d_k * d_k` numbers, however many pairs there
    are. Each gets the length of keys and queries, out of `SHARPNESSES`, that suits it best.

    Parameters
    ----------
    n_pairs, d_k : int
    rng : numpy.random.Generator

    Returns
    -------
    shares : dict of str to float
        "softmax" and "linear": of the answers, how many are nearest in direction to the value asked for (the mean of
        all values taken off first).

    Examples
    --------
    >>> recall_shares(64, 16, np.random.default_rng(0))
    {'softmax': 1.0, 'linear': 0.125}
    """
    keys = _unit(rng.standard_normal((n_pairs, d_k)))
    values = rng.standard_normal((n_pairs, d_k))
    mean = values.mean(axis=0)

    def best(read):
        answers = (read(sharpness * keys, sharpness * keys, values)[0] for sharpness in SHARPNESSES)
        nearest = ((_unit(a - mean) @ _unit(values - mean).T).argmax(axis=-1) for a in answers)  # (n_pairs,) each
        return max(float(np.mean(found == np.arange(n_pairs))) for found in nearest)

    return {"softmax": best(attention), "linear": best(linear_attention)}


def _unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def _require_way(through):
    if through not in ("weights", "state"):
        raise ValueError(f'through must be "weights" or "state", got {through!r}')
