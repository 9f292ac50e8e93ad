"""Gram–Schmidt, shadows and coordinates: against QR, least squares and what the words mean."""

import numpy as np
import pytest

from helpers.reference import bases as ref


@pytest.fixture
def rng():
    return np.random.default_rng(9)


def test_gram_schmidt_gives_the_rows_of_qr_with_positive_signs(rng):
    vectors = rng.normal(size=(3, 5))
    q, r = np.linalg.qr(vectors.T)
    np.testing.assert_allclose(ref.gram_schmidt(vectors), (q * np.sign(np.diag(r))).T, atol=1e-12)


def test_every_vector_lies_in_the_span_of_as_many_rows_or_fewer(rng):
    vectors = rng.normal(size=(4, 6))
    basis = ref.gram_schmidt(vectors)
    lower = vectors @ basis.T
    np.testing.assert_allclose(np.triu(lower, 1), 0, atol=1e-12)
    np.testing.assert_allclose(lower @ basis, vectors, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_dependent_and_zero_vectors_are_left_out_at_any_scale(rng, scale):
    a, b, c = rng.normal(size=(3, 4))
    basis = ref.gram_schmidt(scale * np.array([np.zeros(4), a, b, a - 3 * b, -a, c]))
    np.testing.assert_allclose(basis, ref.gram_schmidt([a, b, c]), atol=1e-9)


def test_the_basis_of_nothing_is_empty_and_no_basis_is_larger_than_the_space(rng):
    assert ref.gram_schmidt(np.zeros((2, 3))).shape == (0, 3)
    assert ref.gram_schmidt(rng.normal(size=(7, 3))).shape == (3, 3)


def test_almost_dependent_vectors_still_give_right_angles():
    """Läuchli's matrix, on which subtracting from the vector itself loses all accuracy."""
    vectors = np.hstack([np.ones((3, 1)), 1e-8 * np.eye(3)])
    products = ref.gram_schmidt(vectors) @ ref.gram_schmidt(vectors).T
    np.testing.assert_allclose(products, np.eye(3), atol=1e-7)


def test_steps_split_every_vector_and_end_in_the_basis(rng):
    vectors = rng.normal(size=(4, 5))
    vectors[2] = vectors[0] + vectors[1]
    steps = ref.gram_schmidt_steps(vectors)
    assert [step.kept for step in steps] == [True, True, False, True]
    assert [len(step.basis) for step in steps] == [1, 2, 2, 3]
    for step, vector in zip(steps, vectors, strict=True):
        np.testing.assert_allclose(step.along + step.residual, vector)
        np.testing.assert_allclose(step.residual @ step.along, 0, atol=1e-12)
    for step, before in zip(steps[1:], steps, strict=False):
        np.testing.assert_allclose(before.basis @ step.residual, 0, atol=1e-12)
    np.testing.assert_allclose(steps[-1].basis, ref.gram_schmidt(vectors))


def test_a_shadow_is_the_nearest_point_of_the_span(rng):
    vectors, x = rng.normal(size=(2, 5)), rng.normal(size=5)
    matrix = ref.projection_matrix(ref.gram_schmidt(vectors))
    shares, *_ = np.linalg.lstsq(vectors.T, x, rcond=None)
    np.testing.assert_allclose(x @ matrix, shares @ vectors)
    assert ref.is_projection(matrix)
    assert not ref.is_projection((1 + 9e-9) * matrix)


def test_orthonormal_needs_both_right_angles_and_unit_lengths(rng):
    basis = ref.gram_schmidt(rng.normal(size=(2, 3)))
    assert ref.is_orthonormal(basis)
    assert not ref.is_orthonormal((1 + 4e-9) * basis)
    assert not ref.is_orthonormal([[1.0, 0.0], [0.6, 0.8]])


def test_coordinates_put_a_vector_together_again(rng):
    x, basis = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 4))
    shares = ref.coordinates(x, basis)
    np.testing.assert_allclose(ref.from_coordinates(shares, basis), x)
    np.testing.assert_allclose(shares[1, 2], np.linalg.solve(basis.T, x[1, 2]))


def test_in_an_orthonormal_basis_coordinates_are_inner_products(rng):
    basis, x = ref.gram_schmidt(rng.normal(size=(2, 5))), rng.normal(size=(3, 5))
    np.testing.assert_allclose(ref.coordinates(x, basis), x @ basis.T)


def test_dependent_rows_are_no_basis():
    with pytest.raises(ValueError, match="span only 1"):
        ref.coordinates([1.0, 2.0], [[1.0, 1.0], [2.0, 2.0]])


def test_a_map_in_another_basis_does_the_same(rng):
    matrix, basis, x = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=(5, 3))
    there = ref.coordinates(x, basis) @ ref.map_in_basis(matrix, basis)
    np.testing.assert_allclose(ref.from_coordinates(there, basis), x @ matrix)
