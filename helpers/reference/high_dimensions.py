"""What happens to angles, lengths and distances of random vectors when the dimension grows, measured.

Source: Vershynin 2018, *High-Dimensional Probability*, sections 3.1 to 3.3; contrast: Beyer et al. 1999.
"""

import math

import numpy as np

from helpers.reference.vectors import cosine, distances, norm


def random_cosines(d, n_pairs, rng):
    """Draw pairs of standard normal vectors and compare their directions.

    Parameters
    ----------
    d : int
    n_pairs : int
    rng : numpy.random.Generator

    Returns
    -------
    cosines : (n_pairs,) array

    Examples
    --------
    >>> round(float(random_cosines(400, 1000, np.random.default_rng(0)).std()), 2)
    0.05
    """
    return cosine(rng.standard_normal((n_pairs, d)), rng.standard_normal((n_pairs, d)))


def angle_spread(vectors):
    """Measure how far the cosines of all pairs spread, and what random directions would give.

    Parameters
    ----------
    vectors : (n, d) array
        None of them zero.

    Returns
    -------
    spread : float
        Standard deviation of the cosines of all pairs of different vectors.
    predicted : float
        1 / sqrt(d), the standard deviation for independent random directions.

    Examples
    --------
    >>> spread, predicted = angle_spread([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    >>> round(spread, 3), round(predicted, 3)
    (0.333, 0.707)
    """
    return float(_pair_cosines(vectors).std()), 1 / math.sqrt(np.shape(vectors)[-1])


def cosine_density(cosines, d):
    """Say how likely each cosine of two random directions is.

    Parameters
    ----------
    cosines : (...) array
        Between −1 and 1, without the ends.
    d : int
        At least 2.

    Returns
    -------
    density : (...) array

    Raises
    ------
    ValueError
        If `d` is below 2: on a line the cosine is −1 or 1.

    Examples
    --------
    >>> cosine_density([-0.5, 0.0, 0.5], 3)
    array([0.5, 0.5, 0.5])
    """
    if d < 2:
        raise ValueError(f"d = {d}: a density needs at least 2 dimensions; on a line the cosine is -1 or 1")
    scale = math.exp(math.lgamma(d / 2) - math.lgamma((d - 1) / 2)) / math.sqrt(math.pi)
    return scale * (1 - np.asarray(cosines, dtype=float) ** 2) ** ((d - 3) / 2)


def length_spread(d, n, rng):
    """Measure the lengths of standard normal vectors: their mean in units of sqrt(d), and their relative spread.

    Parameters
    ----------
    d : int
    n : int
        How many vectors are drawn.
    rng : numpy.random.Generator

    Returns
    -------
    mean, spread : float

    Examples
    --------
    >>> mean, spread = length_spread(256, 1000, np.random.default_rng(0))
    >>> round(mean, 1), round(spread, 2)
    (1.0, 0.04)
    """
    lengths = norm(rng.standard_normal((n, d)))
    return float(lengths.mean() / math.sqrt(d)), float(lengths.std() / lengths.mean())


def distance_contrast(d, n, rng):
    """Measure how much farther the farthest of random points is than the nearest.

    Parameters
    ----------
    d : int
    n : int
        How many points are drawn in the unit cube, beside the one that asks.
    rng : numpy.random.Generator

    Returns
    -------
    contrast : float
        (farthest − nearest) / nearest.

    Examples
    --------
    >>> [distance_contrast(d, 200, np.random.default_rng(0)) > 1 for d in (2, 1000)]
    [True, False]
    """
    lengths = distances(rng.random((1, d)), rng.random((n, d)))  # (1, n)
    return float((lengths.max() - lengths.min()) / lengths.min())


def almost_orthogonal(vectors, at_most):
    """Count the pairs of different vectors that are farther from a right angle than allowed.

    Parameters
    ----------
    vectors : (n, d) array
    at_most : float
        Largest allowed size of the cosine.

    Returns
    -------
    n_pairs : int
        0 when all vectors are almost at right angles to each other.

    Examples
    --------
    >>> almost_orthogonal([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], at_most=0.5)
    2
    """
    return int((np.abs(_pair_cosines(vectors)) > at_most).sum())


def _pair_cosines(vectors):
    """Compare all pairs of different rows `(n, d)`, each pair once; row by row, as all at once fill the memory."""
    vectors = np.asarray(vectors, dtype=float)
    rows = [cosine(vector, vectors[i + 1 :]) for i, vector in enumerate(vectors[:-1])]
    return np.concatenate([np.zeros(0), *rows])  # (n_pairs,)
