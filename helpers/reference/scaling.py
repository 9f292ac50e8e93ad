"""Why scores are divided by sqrt(d_k): measured spread, sharpness and gradient of softmax, with and without.

Source: Vaswani et al. 2017, section 3.2.1, footnote 4 (arXiv:1706.03762).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import entropy, softmax, softmax_jacobian


@dataclass(frozen=True)
class ScalingMeasurement:
    """What one d_k does to the scores of random queries and keys; `raw` is `q @ k`, `scaled` is `/ sqrt(d_k)`."""

    d_k: int
    raw: np.ndarray  # (n_rows, n_keys) scores
    scaled: np.ndarray  # (n_rows, n_keys) scores
    raw_top_weight: float  # mean over the rows of the largest softmax weight
    scaled_top_weight: float
    raw_entropy: float  # mean over the rows, in nats
    scaled_entropy: float
    raw_gradient: float  # mean Frobenius norm of the softmax Jacobian
    scaled_gradient: float


def measure_scaling(d_k, rng, n_rows=400, n_keys=10):
    """Draw standard normal queries and keys of size `d_k` and measure what softmax makes of their scores.

    Parameters
    ----------
    d_k : int
    rng : numpy.random.Generator
    n_rows : int
        How many queries, each with keys of its own.
    n_keys : int
        How many keys each query is compared with.

    Returns
    -------
    ScalingMeasurement

    Examples
    --------
    >>> m = measure_scaling(64, np.random.default_rng(0))
    >>> m.raw_top_weight > 0.8 > 0.4 > m.scaled_top_weight
    True
    """
    q = rng.standard_normal((n_rows, 1, d_k))
    k = rng.standard_normal((n_rows, n_keys, d_k))
    raw = (q @ np.swapaxes(k, -1, -2))[:, 0, :]  # (r, 1, d_k) @ (r, d_k, m) -> (r, m)
    scaled = raw / np.sqrt(d_k)
    sharpness = [_sharpness(rows) for rows in (raw, scaled)]
    (raw_top, raw_entropy, raw_gradient), (scaled_top, scaled_entropy, scaled_gradient) = sharpness
    return ScalingMeasurement(
        d_k, raw, scaled, raw_top, scaled_top, raw_entropy, scaled_entropy, raw_gradient, scaled_gradient
    )


def _sharpness(rows):
    """Return mean largest weight, mean entropy and mean Jacobian norm over rows of scores `(n_rows, n_keys)`."""
    weights = softmax(rows)
    gradient = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))  # (r, m, m) -> (r,)
    return float(weights.max(axis=-1).mean()), float(entropy(weights).mean()), float(gradient.mean())
