"""Random vectors in many dimensions: what is measured against what theory says."""

import itertools
import math

import numpy as np
import pytest

from helpers.reference import high_dimensions as ref


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("d", [2, 5, 50, 500])
def test_the_cosines_of_random_vectors_spread_as_one_over_root_d(rng, d):
    cosines = ref.random_cosines(d, 4000, rng)
    assert cosines.shape == (4000,)
    assert cosines.mean() == pytest.approx(0, abs=4 / np.sqrt(4000 * d))
    assert cosines.std() == pytest.approx(1 / math.sqrt(d), rel=0.06)


def test_a_spread_is_that_of_all_pairs_of_different_vectors(rng):
    vectors = rng.uniform(0.1, 9, size=(6, 1)) * rng.normal(size=(6, 3))
    cosines = [a @ b / math.hypot(*a) / math.hypot(*b) for a, b in itertools.combinations(vectors, 2)]
    spread, predicted = ref.angle_spread(vectors)
    assert spread == pytest.approx(math.sqrt(np.mean(np.square(cosines)) - np.mean(cosines) ** 2))
    assert predicted == pytest.approx(3**-0.5)


@pytest.mark.parametrize("d", [3, 4, 10, 200])
def test_the_density_of_the_cosine_adds_up_to_one_and_has_variance_one_over_d(d):
    cosines = np.linspace(-1, 1, 20_001)[1:-1]
    density, step = ref.cosine_density(cosines, d), cosines[1] - cosines[0]
    assert density.sum() * step == pytest.approx(1, rel=1e-3)
    assert (density * cosines**2).sum() * step == pytest.approx(1 / d, rel=1e-3)


def test_the_density_is_that_of_the_cosines_that_are_drawn(rng):
    counts, edges = np.histogram(ref.random_cosines(8, 40_000, rng), bins=20, range=(-0.8, 0.8))
    middles = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(counts / 40_000 / 0.08, ref.cosine_density(middles, 8), atol=0.05)


def test_on_a_line_there_is_no_density():
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        ref.cosine_density([0.5], 1)


@pytest.mark.parametrize("d", [16, 400])
def test_lengths_gather_around_root_d(rng, d):
    mean, spread = ref.length_spread(d, 3000, rng)
    assert mean == pytest.approx(1, abs=1 / d)
    assert spread == pytest.approx(1 / math.sqrt(2 * d), rel=0.1)


def test_near_and_far_become_hard_to_tell_apart(rng):
    contrasts = [np.mean([ref.distance_contrast(d, 100, rng) for _ in range(20)]) for d in (2, 20, 500)]
    assert contrasts[0] > 4 * contrasts[1] > 16 * contrasts[2]


def test_more_vectors_than_dimensions_are_almost_at_right_angles_when_there_are_many(rng):
    assert ref.almost_orthogonal(rng.normal(size=(300, 200)), at_most=0.45) == 0
    crowded = ref.almost_orthogonal(rng.normal(size=(300, 10)), at_most=0.45)
    assert 0.05 < crowded / (300 * 299 / 2) < 0.3


def test_only_pairs_beyond_the_limit_count_and_opposite_ones_do_too():
    vectors = [[1.0, 0.0], [-1.0, 0.1], [0.2, 1.0]]
    assert [ref.almost_orthogonal(vectors, at_most) for at_most in (0.0, 0.15, 0.5, 1.0)] == [3, 2, 1, 0]
