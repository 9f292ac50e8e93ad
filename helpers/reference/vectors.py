"""Inner product, length, angle, projection, distance and neighbours of vectors, along the last axis.

Source: Deisenroth, Faisal and Ong 2020, *Mathematics for Machine Learning*, chapter 3.
"""

import math

import numpy as np

MEASURES = ("euclidean", "cosine", "inner")


def inner(a, b):
    """Multiply two vectors entry by entry and add up: how far they point the same way, times both lengths.

    Parameters
    ----------
    a, b : (..., d) arrays
        Leading axes are broadcast.

    Returns
    -------
    inner : (...) array

    Raises
    ------
    ValueError
        If the vectors have different sizes.

    Examples
    --------
    >>> float(inner([1.0, 2.0, 3.0], [4.0, 0.0, -1.0]))
    1.0
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    _require_shared_d(a, b)
    return (a * b).sum(axis=-1)  # (..., d) -> (...)


def norm(x, p=2.0):
    """Measure the length of a vector: the p-th root of the sum of its entries' p-th powers.

    Parameters
    ----------
    x : (..., d) array
    p : float
        1 adds the sizes of the entries, 2 is the Euclidean length, `math.inf` takes the largest size.

    Returns
    -------
    norm : (...) array

    Raises
    ------
    ValueError
        If `p` is below 1: the detour over a third point would be shorter than the straight way.

    Examples
    --------
    >>> [round(float(norm([3.0, -4.0], p)), 3) for p in (1, 2, 3, math.inf)]
    [7.0, 5.0, 4.498, 4.0]
    """
    _require_norm(p)
    sizes = np.abs(np.asarray(x, dtype=float))
    if p == math.inf:
        return sizes.max(axis=-1)  # (..., d) -> (...)
    return (sizes**p).sum(axis=-1) ** (1 / p)  # (..., d) -> (...)


def cosine(a, b):
    """Compare the directions of vectors: 1 the same, 0 at right angles, −1 opposite; lengths do not count.

    `helpers.reference.block.cosine` gives 0 for a zero vector, which a figure can draw; here it is an error.

    Parameters
    ----------
    a, b : (..., d) arrays

    Returns
    -------
    cosine : (...) array

    Raises
    ------
    ValueError
        If a vector is zero: it has no direction.

    Examples
    --------
    >>> cosine([1.0, 0.0], [[5.0, 0.0], [0.0, 3.0], [-2.0, 0.0]])
    array([ 1.,  0., -1.])
    """
    lengths = norm(a) * norm(b)
    _require_nonzero("both vectors", lengths)
    return inner(a, b) / lengths


def angle(a, b):
    """Measure the angle between vectors in degrees, 0 to 180.

    Parameters
    ----------
    a, b : (..., d) arrays
        None of them zero.

    Returns
    -------
    degrees : (...) array

    Examples
    --------
    >>> angle([1.0, 0.0], [[1.0, 1.0], [-3.0, 0.0]]).round(6)
    array([ 45., 180.])
    """
    return np.degrees(np.arccos(np.clip(cosine(a, b), -1, 1)))  # rounding can leave [-1, 1]


def project(x, onto):
    """Take the part of a vector that lies along another; what is left is at right angles to that other.

    Parameters
    ----------
    x, onto : (..., d) arrays

    Returns
    -------
    projection : (..., d) array
        A multiple of `onto`.

    Raises
    ------
    ValueError
        If `onto` is zero: there is no line to project onto.

    Examples
    --------
    >>> project([2.0, 3.0], [4.0, 0.0])
    array([2., 0.])
    """
    x, onto = np.asarray(x, dtype=float), np.asarray(onto, dtype=float)
    squared_length = inner(onto, onto)
    _require_nonzero("onto", squared_length)
    share = inner(x, onto) / squared_length  # (...)
    return share[..., None] * onto  # (..., 1) * (..., d) -> (..., d)


def distances(a, b):
    """Measure the Euclidean distance from every vector of one set to every vector of another.

    Parameters
    ----------
    a : (..., n, d) array
    b : (..., m, d) array

    Returns
    -------
    distances : (..., n, m) array

    Raises
    ------
    ValueError
        If the vectors have different sizes.

    Examples
    --------
    >>> distances([[0.0, 0.0], [3.0, 0.0]], [[0.0, 4.0], [3.0, 0.0], [0.0, 0.0]])
    array([[4., 3., 0.],
           [5., 0., 3.]])
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    _require_shared_d(a, b)
    return norm(a[..., :, None, :] - b[..., None, :, :])  # (..., n, 1, d) - (..., 1, m, d) -> (..., n, m)


def nearest(queries, points, n_nearest=1, measure="euclidean"):
    """Find the points that are nearest to each query: the smallest distance, or the largest cosine or inner product.

    Parameters
    ----------
    queries : (..., n_queries, d) array
    points : (..., n_points, d) array
    n_nearest : int
        At most `n_points`.
    measure : str
        One of `MEASURES`.

    Returns
    -------
    nearest : (..., n_queries, n_nearest) int array
        Numbers of the points, the nearest first.

    Raises
    ------
    ValueError
        If the measure is unknown, or there are fewer points than asked for.

    Examples
    --------
    >>> points = [[1.0, 1.0], [6.0, 0.0], [0.0, 2.0]]
    >>> {measure: nearest([[2.0, 1.0]], points, measure=measure).tolist() for measure in MEASURES}
    {'euclidean': [[0]], 'cosine': [[0]], 'inner': [[1]]}
    """
    closeness = _closeness(queries, points, measure)  # (..., n_queries, n_points)
    _require_enough(closeness.shape[-1], n_nearest)
    return np.argsort(-closeness, axis=-1, kind="stable")[..., :n_nearest]


def polar(length, degrees):
    """Return the vector of the plane with a length and an angle, counter-clockwise from the first axis.

    Parameters
    ----------
    length, degrees : (...) arrays

    Returns
    -------
    vector : (..., 2) array

    Examples
    --------
    >>> polar(2.0, 90.0).round(6)
    array([0., 2.])
    """
    radians = np.radians(degrees)
    return np.asarray(length)[..., None] * np.stack([np.cos(radians), np.sin(radians)], axis=-1)


def unit_ball(p, n=200):
    """Go once around the points of the plane whose p-norm is 1.

    Parameters
    ----------
    p : float
    n : int

    Returns
    -------
    points : (n, 2) array
        The last is the first again.

    Examples
    --------
    >>> unit_ball(1, 3).round(6).tolist()
    [[1.0, 0.0], [-1.0, 0.0], [1.0, -0.0]]
    """
    directions = polar(1.0, np.linspace(0, 360, n))  # (n, 2)
    return directions / norm(directions, p)[:, None]


def _closeness(queries, points, measure):
    """Compare every query with every point so that larger is nearer, `(..., n_queries, n_points)`."""
    if measure == "euclidean":
        return -distances(queries, points)
    queries, points = np.asarray(queries, dtype=float), np.asarray(points, dtype=float)
    pairs = queries[..., :, None, :], points[..., None, :, :]
    if measure == "cosine":
        return cosine(*pairs)
    if measure == "inner":
        return inner(*pairs)
    raise ValueError(f"measure {measure!r} is none of {', '.join(MEASURES)}")


def _require_shared_d(a, b):
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"vectors {a.shape} and {b.shape} must have the same size: {a.shape[-1]} != {b.shape[-1]}")


def _require_norm(p):
    if p < 1:
        raise ValueError(f"p = {p} gives no norm: the triangle inequality needs p >= 1")


def _require_nonzero(name, lengths):
    if not np.all(lengths > 0):
        raise ValueError(f"{name} must not be zero: a zero vector has no direction")


def _require_enough(n_points, n_nearest):
    if n_nearest > n_points:
        raise ValueError(f"{n_nearest} nearest of {n_points} points: ask for at most {n_points}")
