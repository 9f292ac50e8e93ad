"""Linear maps of the plane, what they lose and what a lower rank keeps."""

import numpy as np
import pytest

from helpers.reference import bases
from helpers.reference import linear_maps as ref


@pytest.fixture
def rng():
    return np.random.default_rng(10)


def test_a_rotation_turns_counter_clockwise_and_keeps_lengths():
    turned = np.array([[1.0, 0.0], [0.0, 2.0]]) @ ref.rotation(30)
    np.testing.assert_allclose(turned, [[np.sqrt(3) / 2, 0.5], [-1, np.sqrt(3)]])
    np.testing.assert_allclose(ref.rotation(30) @ ref.rotation(60), ref.rotation(90), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "determinant", "rank"),
    [
        ("identity", 1, 2),
        ("rotation", 1, 2),
        ("shear", 1, 2),
        ("stretch", 0.8, 2),
        ("reflection", -1, 2),
        ("projection", 0, 1),
        ("rank 1", 0, 1),
    ],
)
def test_the_named_maps_do_what_their_names_say(name, determinant, rank):
    summary = ref.describe_map(ref.NAMED_MAPS[name])
    assert summary.determinant == pytest.approx(determinant, abs=2e-3)  # the rotation is rounded
    assert summary.rank == rank


def test_of_the_two_maps_onto_a_line_one_is_a_projection_at_right_angles():
    projection, slanting = (np.array(ref.NAMED_MAPS[name]) for name in ("projection", "rank 1"))
    along = np.array([2.0, 1.0]) / np.sqrt(5)
    np.testing.assert_allclose(projection, bases.projection_matrix([along]))
    assert not bases.is_projection(slanting)
    np.testing.assert_allclose(slanting @ [1.0, -2.0], 0, atol=1e-12)  # all images lie on the line too


def test_a_grid_has_as_many_lines_either_way_and_each_is_straight():
    lines = ref.grid_lines(n=3, extent=2.0, points=5)
    assert lines.shape == (8, 5, 2)
    assert np.ptp(lines[:4, :, 1], axis=1).max() == 0
    assert np.ptp(lines[4:, :, 0], axis=1).max() == 0
    assert (lines.min(), lines.max()) == (-2, 2)
    assert lines[0].tolist()[::4] == [[-2, -2], [2, -2]]
    assert lines[4].tolist()[::4] == [[-2, -2], [-2, 2]]
    assert ref.grid_lines().shape == (10, 2, 2)
    assert ref.grid_lines().max() == 2
    assert len({tuple(line[0]) + tuple(line[-1]) for line in lines}) == 8


def test_mapping_points_keeps_sums_and_multiples(rng):
    matrix, x, y = rng.normal(size=(2, 3)), rng.normal(size=(4, 5, 2)), rng.normal(size=(4, 5, 2))
    np.testing.assert_allclose(
        ref.map_points(2 * x - 3 * y, matrix), 2 * ref.map_points(x, matrix) - 3 * ref.map_points(y, matrix)
    )


def test_a_summary_names_the_directions_that_are_stretched_most_and_least(rng):
    matrix = rng.normal(size=(3, 3))
    summary = ref.describe_map(matrix)
    np.testing.assert_allclose(np.linalg.norm(summary.images, axis=-1), summary.singular_values)
    assert bases.is_orthonormal(summary.directions)
    gaps = summary.images @ summary.images.T
    np.testing.assert_allclose(gaps, np.diag(np.diag(gaps)), atol=1e-12)
    anywhere = rng.normal(size=(500, 3))
    stretched = np.linalg.norm(anywhere @ matrix, axis=-1) / np.linalg.norm(anywhere, axis=-1)
    assert summary.singular_values[0] >= stretched.max() > 0.9 * summary.singular_values[0]
    assert summary.singular_values[-1] <= stretched.min()
    assert summary.determinant == pytest.approx(np.cross(matrix[0], matrix[1]) @ matrix[2])


def test_a_lower_rank_loses_what_the_table_of_errors_says_and_other_matrices_lose_more(rng):
    matrix = rng.normal(size=(5, 3))
    errors = ref.low_rank_error(matrix)
    assert errors.shape == (4,)
    for rank in range(4):
        kept = ref.low_rank(matrix, rank)
        assert np.linalg.matrix_rank(kept) == rank
        assert np.linalg.norm(matrix - kept) / np.linalg.norm(matrix) == pytest.approx(errors[rank], abs=1e-7)
    for _ in range(50):
        left = rng.normal(size=(5, 2))
        best_right, *_ = np.linalg.lstsq(left, matrix, rcond=None)
        assert np.linalg.norm(matrix - left @ best_right) > np.linalg.norm(matrix - ref.low_rank(matrix, 2))


def test_two_tokens_that_differ_by_a_blind_direction_ask_the_same(rng):
    w_q, x = rng.normal(size=(5, 2)), rng.normal(size=5)
    direction = ref.blind_direction(w_q)
    assert np.linalg.norm(direction) == pytest.approx(1)
    np.testing.assert_allclose((x + 7 * direction) @ w_q, x @ w_q)


def test_of_all_blind_directions_the_one_nearest_to_an_axis_is_named():
    np.testing.assert_allclose(ref.blind_direction([[1.0], [2.0], [0.0]]), [0, 0, 1], atol=1e-12)


def test_a_map_that_loses_nothing_has_no_blind_direction(rng):
    with pytest.raises(ValueError, match="blind to no direction"):
        ref.blind_direction(rng.normal(size=(3, 5)))
