"""Inner products, lengths, angles, projections, distances and neighbours: against loops, NumPy's own and geometry."""

import math

import numpy as np
import pytest

from helpers.reference import block
from helpers.reference import vectors as ref


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def test_an_inner_product_adds_the_products_of_the_entries(rng):
    a, b = rng.normal(size=(2, 3, 5)), rng.normal(size=(3, 5))
    got = ref.inner(a, b)
    assert got.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert got[i, j] == pytest.approx(math.fsum(a[i, j, c] * b[j, c] for c in range(5)))


def test_vectors_of_different_sizes_are_refused_even_if_numpy_would_broadcast_them():
    with pytest.raises(ValueError, match="3 != 1"):
        ref.inner([1.0, 2.0, 3.0], [1.0])
    with pytest.raises(ValueError, match="2 != 3"):
        ref.distances(np.zeros((4, 2)), np.zeros((4, 3)))


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, math.inf])
def test_norms_are_those_of_numpy(rng, p):
    x = rng.normal(size=(2, 3, 5))
    np.testing.assert_allclose(ref.norm(x, p), np.linalg.norm(x, ord=p, axis=-1))


def test_a_norm_is_euclidean_unless_told_otherwise_and_p_below_one_gives_none():
    assert ref.norm([3.0, 4.0]) == 5
    with pytest.raises(ValueError, match=r"p = 0\.5"):
        ref.norm([3.0, 4.0], 0.5)


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
def test_no_detour_is_shorter_than_the_straight_way(rng, p):
    a, b = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    assert (ref.norm(a + b, p) <= ref.norm(a, p) + ref.norm(b, p) + 1e-12).all()


def test_a_cosine_is_blind_to_lengths_and_agrees_with_the_one_of_4_4(rng):
    a, b = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    np.testing.assert_allclose(ref.cosine(100 * a, 0.01 * b), ref.cosine(a, b))
    np.testing.assert_allclose(ref.cosine(a, b), block.cosine(a, b))


@pytest.mark.parametrize(("a", "b"), [([0.0, 0.0], [1.0, 2.0]), ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 0.0]])])
def test_a_zero_vector_has_no_direction_and_nothing_is_projected_onto_it(a, b):
    with pytest.raises(ValueError, match="no direction"):
        ref.cosine(a, b)
    with pytest.raises(ValueError, match="onto must not be zero"):
        ref.project(b, np.zeros_like(b))


def test_angles_are_those_that_were_drawn_and_survive_rounding():
    degrees = np.array([0.0, 30.0, 90.0, 135.0, 180.0])
    np.testing.assert_allclose(ref.angle(ref.polar(2.0, 10.0), ref.polar(3.0, 10.0 + degrees)), degrees, atol=1e-5)
    thirds = np.full(3, 1 / 3)
    assert ref.angle(thirds, 7 * thirds) == pytest.approx(0, abs=1e-5)


def test_what_a_projection_leaves_is_at_right_angles_and_nothing_on_the_line_is_nearer(rng):
    x, onto = rng.normal(size=(4, 5)), 3 * rng.normal(size=(4, 5))
    shadow = ref.project(x, onto)
    np.testing.assert_allclose(ref.inner(x - shadow, onto), 0, atol=1e-12)
    for share in np.linspace(-2, 2, 41):
        assert (ref.norm(x - shadow) <= ref.norm(x - share * onto) + 1e-12).all()


def test_a_projection_does_not_depend_on_the_length_of_what_it_falls_on(rng):
    x, onto = rng.normal(size=3), rng.normal(size=3)
    np.testing.assert_allclose(ref.project(x, -50 * onto), ref.project(x, onto))


def test_distances_are_pythagoras_for_every_pair(rng):
    a, b = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 4, 5))
    got = ref.distances(a, b)
    for batch, i, j in np.ndindex(2, 3, 4):
        assert got[batch, i, j] == pytest.approx(math.dist(a[batch, i], b[batch, j]))


def test_for_unit_vectors_the_squared_distance_is_two_minus_twice_the_cosine(rng):
    units = rng.normal(size=(5, 3))
    units = units / np.linalg.norm(units, axis=-1, keepdims=True)
    np.testing.assert_allclose(ref.distances(units, units) ** 2, 2 - 2 * units @ units.T, atol=1e-12)


@pytest.mark.parametrize("measure", ref.MEASURES)
def test_the_nearest_are_those_that_a_search_finds(rng, measure):
    queries = rng.normal(size=(4, 3))
    points = rng.uniform(0.2, 4, size=(9, 1)) * rng.normal(size=(9, 3))
    nearness = {
        "euclidean": lambda q, p: -math.dist(q, p),
        "cosine": lambda q, p: (q @ p) / math.hypot(*p),
        "inner": lambda q, p: q @ p,
    }[measure]
    for query, got in zip(queries, ref.nearest(queries, points, 4, measure), strict=True):
        assert got.tolist() == sorted(range(9), key=lambda i: -nearness(query, points[i]))[:4]


def test_the_three_measures_can_disagree_and_the_first_of_equals_comes_first():
    points = np.array([[2.0, 0.5], [10.0, 10.0], [30.0, 0.0], [2.0, 0.5]])
    found = [ref.nearest([[3.0, 0.0]], points, 1, measure)[0, 0] for measure in ref.MEASURES]
    assert found == [0, 2, 2]
    assert ref.nearest([[3.0, 2.9]], points, 1, "cosine")[0, 0] == 1
    assert ref.nearest([[2.0, 0.0]], points, 2)[0].tolist() == [0, 3]


def test_an_unknown_measure_and_too_few_points_are_named():
    with pytest.raises(ValueError, match="'manhattan' is none of euclidean, cosine, inner"):
        ref.nearest([[1.0]], [[2.0]], measure="manhattan")
    with pytest.raises(ValueError, match="3 nearest of 2 points"):
        ref.nearest([[1.0]], [[2.0], [3.0]], 3)


@pytest.mark.parametrize(("p", "area"), [(1, 2), (2, math.pi), (math.inf, 4)])
def test_a_unit_ball_is_a_closed_curve_around_the_known_area(p, area):
    x, y = ref.unit_ball(p, 4001).T
    assert abs((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2 == pytest.approx(area, rel=1e-3)
    assert (x[0], y[0]) == pytest.approx((x[-1], y[-1]))
