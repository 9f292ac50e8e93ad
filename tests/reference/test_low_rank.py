"""The low-rank bottleneck: a head of size d_k fits what theory allows, and no more."""

import numpy as np
import pytest

from helpers.reference import low_rank as ref
from helpers.reference.attention import softmax


@pytest.fixture
def rng():
    return np.random.default_rng(6)


def cross_entropy(parts, pattern):
    q, k = np.split(parts, [len(pattern)])
    return -(pattern * np.log(softmax(q @ k.T / np.sqrt(q.shape[-1])))).sum()


def test_a_head_as_large_as_the_sentence_fits_any_pattern(rng):
    pattern = ref.random_pattern(8, rng)
    assert ref.misplaced(ref.fit_head(pattern, 7), pattern) < 1e-3  # one direction is free: softmax ignores it


def test_a_smaller_head_misplaces_more(rng):
    pattern = ref.random_pattern(12, rng)
    shares = [ref.misplaced(ref.fit_head(pattern, d_k), pattern) for d_k in (1, 2, 4, 8, 11)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.3 > 0.01 > shares[-1]


def test_the_gradient_is_what_finite_differences_measure(rng):
    pattern, parts = ref.random_pattern(5, rng)[:4], rng.normal(size=(4 + 5, 3))  # 4 queries, 5 keys
    gradient = ref._gradient(parts, pattern)
    for index in np.ndindex(parts.shape):
        step = np.zeros_like(parts)
        step[index] = 1e-6
        slope = (cross_entropy(parts + step, pattern) - cross_entropy(parts - step, pattern)) / 2e-6
        assert gradient[index] == pytest.approx(slope, abs=1e-6)


def test_fitting_improves_on_its_start(rng):
    pattern = ref.random_pattern(12, rng)
    start, end = (ref.misplaced(ref.fit_head(pattern, 2, n_steps), pattern) for n_steps in (0, 300))
    assert end < 0.9 * start


def test_weight_is_misplaced_wholly_when_no_key_is_shared():
    assert ref.misplaced([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]) == 0.5
