"""Linear maps of rows, `x @ matrix`: what they do to the plane, what they lose, and their best low-rank stand-in.

Source: Trefethen and Bau 1997, *Numerical Linear Algebra*, lectures 4 and 5; Eckart and Young 1936.
"""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np


def rotation(degrees):
    """Return the map that turns the plane counter-clockwise.

    Parameters
    ----------
    degrees : float

    Returns
    -------
    matrix : (2, 2) array

    Examples
    --------
    >>> (np.array([1.0, 0.0]) @ rotation(90)).round(6)
    array([0., 1.])
    """
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, sin], [-sin, cos]])


NAMED_MAPS = MappingProxyType(
    {
        "identity": ((1.0, 0.0), (0.0, 1.0)),
        "rotation": tuple(map(tuple, rotation(30).round(3).tolist())),
        "shear": ((1.0, 0.0), (0.8, 1.0)),
        "stretch": ((1.6, 0.0), (0.0, 0.5)),
        "reflection": ((1.0, 0.0), (0.0, -1.0)),
        "projection": ((0.8, 0.4), (0.4, 0.2)),  # onto the line along (2, 1)
        "rank 1": ((1.0, 0.5), (-0.6, -0.3)),  # everything onto that line too, but not along right angles
    }
)


@dataclass(frozen=True)
class MapSummary:
    """What a square matrix does: `directions[i] @ matrix` is `images[i]`, of length `singular_values[i]`."""

    determinant: float  # by what factor areas grow; negative where the map turns the plane over
    rank: int
    singular_values: np.ndarray  # (d,) largest first
    directions: np.ndarray  # (d, d) orthonormal rows
    images: np.ndarray  # (d, d) rows at right angles


def grid_lines(n=4, extent=2.0, points=2):
    """Draw a square grid as lines of points, the horizontal ones first, from bottom to top and from left to right.

    Parameters
    ----------
    n : int
        Number of squares along a side.
    extent : float
        The grid reaches from -extent to extent.
    points : int
        Number of points on a line.

    Returns
    -------
    lines : (2 * n + 2, points, 2) array

    Examples
    --------
    >>> grid_lines(n=1, extent=1.0)[0].tolist()
    [[-1.0, -1.0], [1.0, -1.0]]
    """
    levels, steps = np.linspace(-extent, extent, n + 1), np.linspace(-extent, extent, points)
    across, up = np.meshgrid(steps, levels)  # (n + 1, points) each
    return np.concatenate([np.stack([across, up], axis=-1), np.stack([up, across], axis=-1)])


def map_points(points, matrix):
    """Apply a linear map to points.

    Parameters
    ----------
    points : (..., d) array
    matrix : (d, m) array

    Returns
    -------
    points : (..., m) array

    Examples
    --------
    >>> map_points([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.8, 1.0]])
    array([[1. , 0. ],
           [0.8, 1. ],
           [1.8, 1. ]])
    """
    return np.asarray(points, dtype=float) @ np.asarray(matrix, dtype=float)  # (..., d) @ (d, m) -> (..., m)


def describe_map(matrix):
    """Measure what a square matrix does: determinant, rank, and the directions that it stretches most and least.

    Parameters
    ----------
    matrix : (d, d) array

    Returns
    -------
    MapSummary

    Examples
    --------
    >>> summary = describe_map([[2.0, 0.0], [0.0, 0.5]])
    >>> round(summary.determinant, 6), summary.rank, summary.singular_values
    (1.0, 2, array([2. , 0.5]))
    """
    matrix = np.asarray(matrix, dtype=float)
    directions = np.linalg.svd(matrix)[0].T  # (d, d) rows
    return MapSummary(
        determinant=float(np.linalg.det(matrix)),
        rank=int(np.linalg.matrix_rank(matrix)),
        singular_values=np.linalg.svd(matrix, compute_uv=False),
        directions=directions,
        images=directions @ matrix,
    )


def low_rank(matrix, rank):
    """Find the nearest matrix that lets only `rank` directions through.

    Parameters
    ----------
    matrix : (n, m) array
    rank : int

    Returns
    -------
    matrix : (n, m) array
        Of all matrices of this rank the one with the smallest squared differences.

    Examples
    --------
    >>> low_rank([[3.0, 0.0], [0.0, 1.0]], 1).round(6) + 0.0
    array([[3., 0.],
           [0., 0.]])
    """
    u, s, v = np.linalg.svd(np.asarray(matrix, dtype=float), full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ v[:rank]  # (n, rank) @ (rank, m) -> (n, m)


def low_rank_error(matrix):
    """Measure what is lost with every rank, as a share of the matrix (root of the summed squares).

    Parameters
    ----------
    matrix : (n, m) array

    Returns
    -------
    errors : (min(n, m) + 1,) array
        Entry r is left out by rank r: from 1 down to 0.

    Examples
    --------
    >>> low_rank_error([[4.0, 0.0], [0.0, 3.0]]).round(6)
    array([1. , 0.6, 0. ])
    """
    squares = np.linalg.svd(np.asarray(matrix, dtype=float), compute_uv=False) ** 2
    left = squares.sum() - np.concatenate([[0.0], np.cumsum(squares)])
    return np.sqrt(np.maximum(left, 0) / squares.sum())


def blind_direction(w):
    """Find a direction in which tokens may differ without the map noticing: `direction @ w` is zero.

    Parameters
    ----------
    w : (d_model, d_k) array

    Returns
    -------
    direction : (d_model,) array
        Of length 1; of all of them the one nearest to an axis.

    Raises
    ------
    ValueError
        If the map loses nothing.

    Examples
    --------
    >>> blind_direction([[1.0], [0.0]])
    array([0., 1.])
    """
    w = np.asarray(w, dtype=float)
    u, s, _ = np.linalg.svd(w)
    rank = int(np.linalg.matrix_rank(w))
    if rank == len(w):
        raise ValueError(f"w {w.shape} has rank {rank}: it is blind to no direction")
    unseen = np.eye(len(w)) - u[:, :rank] @ u[:, :rank].T  # shadow in the space that w maps to zero
    lengths = np.linalg.norm(unseen, axis=-1)
    nearest = int(np.argmax(lengths))
    return unseen[nearest] / lengths[nearest]
