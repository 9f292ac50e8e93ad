"""The experiment past the training length: its gradients, its tasks, and what it finds."""

import numpy as np
import pytest

from helpers.reference import extrapolation as ref
from helpers.reference.attention import causal_mask, masked_softmax


@pytest.fixture(scope="module")
def results():
    """Return the weights on the right key, by task, scheme and length."""
    return {
        task.__name__: ref.extrapolate(task, np.random.default_rng(0), test_lengths=(32, 128))
        for task in (ref.steps_back, ref.nearest_same)
    }


def loss(scheme, parameters, same, targets):
    weights = masked_softmax(scheme.scores(parameters, same), causal_mask(same.shape[-1]))
    weights = np.broadcast_to(weights, same.shape)
    sequences, queries = np.nonzero(targets >= 0)
    return -np.log(weights[sequences, queries, targets[sequences, queries]]).mean()


@pytest.mark.parametrize("name", ref.schemes())
def test_the_gradient_of_every_scheme_is_what_finite_differences_measure(name):
    scheme, rng = ref.schemes()[name], np.random.default_rng(1)
    tokens = rng.integers(4, size=(3, 7))
    same, targets = ref.same_token(tokens), ref.nearest_same(tokens)
    parameters = [p + 0.3 * rng.standard_normal(p.shape) for p in scheme.initial(rng)]
    gradients = scheme.gradient(parameters, same, ref._d_scores(scheme.scores(parameters, same), targets))
    directions = [rng.standard_normal(p.shape) for p in parameters]
    ahead, behind = (
        loss(scheme, [p + step * d for p, d in zip(parameters, directions, strict=True)], same, targets)
        for step in (1e-6, -1e-6)
    )
    slope = sum((g * d).sum() for g, d in zip(gradients, directions, strict=True))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-4, abs=1e-8)


def test_the_nearest_earlier_token_of_the_same_kind_is_found_by_looking_back():
    tokens = np.random.default_rng(2).integers(3, size=(4, 9))
    for row, targets in zip(tokens, ref.nearest_same(tokens), strict=True):
        for i, target in enumerate(targets):
            earlier = [j for j in range(i) if row[j] == row[i]]
            assert target == (earlier[-1] if earlier else -1)


def test_a_learned_table_knows_nothing_of_positions_that_it_never_saw(results):
    within, beyond = results["steps_back"]["learned"]
    assert within > 0.9
    assert beyond < 0.1


def test_rotations_carry_an_exact_distance_to_any_length(results):
    within, beyond = results["steps_back"]["rope"]
    assert within > 0.9
    assert beyond == pytest.approx(within, abs=0.01)


def test_alibi_carries_nearness_but_cannot_say_three_steps_back(results):
    assert max(results["steps_back"]["alibi"]) < 0.2
    assert min(results["nearest_same"]["alibi"]) > 0.7


def test_without_positions_neither_task_can_be_learned(results):
    assert results["steps_back"]["none"][0] < 0.1
    assert results["nearest_same"]["none"][0] < 0.5
