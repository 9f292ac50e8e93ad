"""Orthonormal bases, shadows in a subspace, and the coordinates of a vector in another basis.

Source: Trefethen and Bau 1997, *Numerical Linear Algebra*, lectures 6 to 8. Vectors are rows, as everywhere here.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Step:
    """One step of Gram–Schmidt: a vector is split into what the basis already has and what is new."""

    vector: np.ndarray  # (d,)
    along: np.ndarray  # (d,) sum of the projections onto the basis so far
    residual: np.ndarray  # (d,) vector - along
    kept: bool  # whether the residual is long enough to become a basis vector
    basis: np.ndarray  # (k, d) after this step


def gram_schmidt(vectors, tolerance=1e-10):
    """Make orthonormal vectors that span the same space, each from the next vector minus its part along the earlier.

    Parameters
    ----------
    vectors : (n, d) array
    tolerance : float
        A vector of which no more than this share is left depends on the earlier ones and is left out.

    Returns
    -------
    basis : (rank, d) array
        Orthonormal rows; the first k vectors lie in the span of the first k rows or fewer.

    Examples
    --------
    >>> gram_schmidt([[3.0, 4.0], [6.0, 8.0], [0.0, 5.0]]).round(6)
    array([[ 0.6,  0.8],
           [-0.8,  0.6]])
    """
    vectors = np.asarray(vectors, dtype=float)
    basis = np.zeros((0, vectors.shape[-1]))
    for vector in vectors:
        residual = vector
        for direction in basis:  # from what is left, not from the vector: rounding errors do not add up
            residual = residual - (residual @ direction) * direction
        length = np.linalg.norm(residual)
        if length > tolerance * np.linalg.norm(vector):
            basis = np.vstack([basis, residual / length])
    return basis


def gram_schmidt_steps(vectors, tolerance=1e-10):
    """Show Gram–Schmidt step by step.

    Parameters
    ----------
    vectors : (n, d) array
    tolerance : float

    Returns
    -------
    steps : list of Step
        One for each vector.

    Examples
    --------
    >>> [step.kept for step in gram_schmidt_steps([[3.0, 4.0], [6.0, 8.0], [0.0, 5.0]])]
    [True, False, True]
    """
    vectors = np.asarray(vectors, dtype=float)
    bases = [gram_schmidt(vectors[:k], tolerance) for k in range(len(vectors) + 1)]
    along = [vector @ projection_matrix(basis) for vector, basis in zip(vectors, bases, strict=False)]
    return [
        Step(vectors[k], along[k], vectors[k] - along[k], len(bases[k + 1]) > len(bases[k]), bases[k + 1])
        for k in range(len(vectors))
    ]


def projection_matrix(basis):
    """Return the map that takes every vector to its shadow in the span of orthonormal rows.

    Parameters
    ----------
    basis : (k, d) array
        Orthonormal rows.

    Returns
    -------
    matrix : (d, d) array
        `x @ matrix` is the shadow of `x`.

    Examples
    --------
    >>> projection_matrix([[0.0, 1.0]])
    array([[0., 0.],
           [0., 1.]])
    """
    basis = np.asarray(basis, dtype=float)
    return basis.T @ basis  # (d, k) @ (k, d) -> (d, d)


def is_projection(matrix, tolerance=1e-9):
    """Say whether a second application changes nothing: the shadow of a shadow is the shadow.

    Parameters
    ----------
    matrix : (d, d) array
    tolerance : float

    Returns
    -------
    answer : bool

    Examples
    --------
    >>> is_projection([[0.0, 0.0], [0.0, 1.0]]), is_projection([[2.0, 0.0], [0.0, 0.0]])
    (True, False)
    """
    matrix = np.asarray(matrix, dtype=float)
    return bool(np.allclose(matrix @ matrix, matrix, rtol=0, atol=tolerance))


def is_orthonormal(vectors, tolerance=1e-9):
    """Say whether all rows have length 1 and stand at right angles to each other.

    Parameters
    ----------
    vectors : (n, d) array
    tolerance : float

    Returns
    -------
    answer : bool

    Examples
    --------
    >>> is_orthonormal([[0.6, 0.8], [-0.8, 0.6]]), is_orthonormal([[1.0, 0.0], [1.0, 1.0]])
    (True, False)
    """
    vectors = np.asarray(vectors, dtype=float)
    products = vectors @ vectors.T  # (n, d) @ (d, n) -> (n, n)
    return bool(np.allclose(products, np.eye(len(vectors)), rtol=0, atol=tolerance))


def coordinates(x, basis):
    """Find how much of each basis vector a vector is made of: `x = coordinates @ basis`.

    Parameters
    ----------
    x : (..., d) array
    basis : (n, d) array
        Independent rows, at any angles and of any lengths.

    Returns
    -------
    coordinates : (..., n) array
        Those of its shadow in the span of the basis, where `x` lies outside.

    Raises
    ------
    ValueError
        If the rows depend on each other: there would be many answers.

    Examples
    --------
    >>> coordinates([3.0, 1.0], [[1.0, 1.0], [1.0, -1.0]]).round(6)
    array([2., 1.])
    """
    x, basis = np.asarray(x, dtype=float), np.asarray(basis, dtype=float)
    rank = np.linalg.matrix_rank(basis)
    if rank < len(basis):
        raise ValueError(f"the {len(basis)} basis vectors depend on each other: they span only {rank} dimensions")
    return x @ np.linalg.pinv(basis)  # (..., d) @ (d, n) -> (..., n)


def from_coordinates(coordinates, basis):
    """Put a vector together from its coordinates in a basis.

    Parameters
    ----------
    coordinates : (..., n) array
    basis : (n, d) array

    Returns
    -------
    x : (..., d) array

    Examples
    --------
    >>> from_coordinates([2.0, 1.0], [[1.0, 1.0], [1.0, -1.0]])
    array([3., 1.])
    """
    return np.asarray(coordinates, dtype=float) @ np.asarray(basis, dtype=float)  # (..., n) @ (n, d) -> (..., d)


def map_in_basis(matrix, basis):
    """Write a linear map in the coordinates of another basis: `coordinates(x @ matrix) = coordinates(x) @ result`.

    Parameters
    ----------
    matrix : (d, d) array
    basis : (d, d) array
        Independent rows.

    Returns
    -------
    matrix : (d, d) array

    Examples
    --------
    >>> map_in_basis([[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, -1.0]]).round(6) + 0.0
    array([[3., 0.],
           [0., 1.]])
    """
    return coordinates(from_coordinates(basis, matrix), basis)  # rows of basis @ matrix, in the basis
