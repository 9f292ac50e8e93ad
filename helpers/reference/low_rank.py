"""How well a head of size d_k can fit a given attention pattern: the low-rank bottleneck, measured.

Source: Bhojanapalli et al. 2020, *Low-Rank Bottleneck in Multi-head Attention Models*, theorem 1 (arXiv:2002.07028).
"""

import numpy as np

from helpers.reference.attention import scores, softmax

LEARNING_RATE, BETA_1, BETA_2, EPSILON = 0.05, 0.9, 0.999, 1e-8  # Adam's


def random_pattern(seq_len, rng, spread=3.0):
    """Draw a random attention pattern: every query prefers keys of its own, regardless of any order.

    Parameters
    ----------
    seq_len : int
    rng : numpy.random.Generator
    spread : float
        Standard deviation of the scores behind it; a large one gives sharp rows.

    Returns
    -------
    weights : (seq_len, seq_len) array

    Examples
    --------
    >>> random_pattern(3, np.random.default_rng(0)).sum(axis=-1)
    array([1., 1., 1.])
    """
    return softmax(spread * rng.standard_normal((seq_len, seq_len)))


def fit_head(pattern, d_k, n_steps=300):
    """Fit free queries and keys of size `d_k` to an attention pattern, by Adam on the cross-entropy.

    It starts from the best approximation of the pattern's logarithm, so that more steps can only polish it.

    Parameters
    ----------
    pattern : (n_queries, n_keys) array
        Rows that sum to 1, without zeros.
    d_k : int
    n_steps : int

    Returns
    -------
    weights : (n_queries, n_keys) array
        What the fitted head makes of its queries and keys.

    Examples
    --------
    >>> pattern = random_pattern(4, np.random.default_rng(0))
    >>> [round(misplaced(fit_head(pattern, d_k), pattern), 2) for d_k in (1, 2, 4)]
    [0.33, 0.06, 0.0]
    """
    pattern = np.asarray(pattern, dtype=float)
    parts = np.concatenate(_nearest_queries_and_keys(pattern, d_k))  # (n, d_k), (m, d_k) -> (n + m, d_k)
    mean, square = np.zeros_like(parts), np.zeros_like(parts)
    for step in range(1, n_steps + 1):
        gradient = _gradient(parts, pattern)
        mean = BETA_1 * mean + (1 - BETA_1) * gradient
        square = BETA_2 * square + (1 - BETA_2) * gradient**2
        size = np.sqrt(square / (1 - BETA_2**step)) + EPSILON
        rate = LEARNING_RATE * (1 - step / n_steps)  # down to 0, so that the end does not wobble
        parts = parts - rate * mean / (1 - BETA_1**step) / size
    return softmax(scores(*np.split(parts, [len(pattern)])))


def misplaced(weights, pattern):
    """Measure how much weight a row puts where it does not belong: total variation distance, averaged over the rows.

    Parameters
    ----------
    weights, pattern : (n_queries, n_keys) arrays

    Returns
    -------
    share : float
        0 when they are equal, 1 when they have no key in common.

    Examples
    --------
    >>> misplaced([[0.5, 0.5]], [[1.0, 0.0]])
    0.5
    """
    difference = np.asarray(weights, dtype=float) - np.asarray(pattern, dtype=float)
    return float(np.abs(difference).sum(axis=-1).mean() / 2)


def _nearest_queries_and_keys(pattern, d_k):
    """Factor the logarithm of the pattern, rows centred (softmax does not see their level), into rank `d_k`."""
    logs = np.log(pattern)
    u, s, v = np.linalg.svd(logs - logs.mean(axis=-1, keepdims=True))
    root = np.sqrt(s[:d_k] * np.sqrt(d_k))  # the scaling divides by sqrt(d_k)
    return u[:, :d_k] * root, v[:d_k].T * root  # (n, d_k), (m, d_k)


def _gradient(parts, pattern):
    """Differentiate the cross-entropy, summed over rows, by queries and keys `(n + m, d_k)`."""
    q, k = np.split(parts, [len(pattern)])
    d_scores = (softmax(scores(q, k)) - pattern) / np.sqrt(q.shape[-1])  # (n, m)
    return np.concatenate([d_scores @ k, d_scores.T @ q])  # (n, m) @ (m, d_k), (m, n) @ (n, d_k)
