"""The proof itself, and that it would notice a check that is too lax or too strict."""

import functools
from dataclasses import replace

import pytest

from helpers.checks import exercises
from helpers.checks.exercise import Behaviour
from tools.proof.mutants import mutants
from tools.proof.proof import prove

EACH = list(exercises())


@functools.cache
def proof_of(id_):
    return prove(exercises()[id_])


@pytest.mark.parametrize("id_", EACH)
def test_every_slip_and_mutant_loses_points_and_every_style_keeps_them(id_):
    assert proof_of(id_).failures == ()


@pytest.mark.parametrize("id_", EACH)
def test_every_exercise_has_slips_three_styles_and_mutants_to_be_proven_with(id_):
    proof = proof_of(id_)
    assert proof.n_slips >= 5
    assert proof.n_styles >= 3
    assert proof.n_mutants > len(proof.equivalent)


def _lax_cases(rng):
    exercise = exercises()["attention.softmax"]
    return [case for case in exercise.cases(rng) if case.behaviour == exercise.behaviours[0].name][:1]


def test_a_check_with_a_single_vector_is_found_to_be_too_lax():
    exercise = exercises()["attention.softmax"]
    core = exercise.behaviours[0].name
    failures = prove(replace(exercise, cases=_lax_cases, behaviours=(Behaviour(core, 1.0),)), seeds=(4,)).failures
    assert any("沿第一个轴归一化" in failure for failure in failures)
    assert any(failure.startswith("mutant keeps all points") for failure in failures)


def test_a_check_that_is_too_strict_is_found():
    exercise = replace(exercises()["attention.softmax"], tolerance=1e-15)
    assert any("in_float32" in failure for failure in prove(exercise, seeds=(4,)).failures)


def test_a_reason_for_a_mutant_that_does_lose_points_is_found():
    exercise = replace(exercises()["attention.reach"], equivalent_mutants={"wrong": ("n_layers -> 7",)})
    assert any("n_layers -> 7" in failure for failure in prove(exercise, seeds=(4,)).failures)


def example(x, n=2):
    """Not to be mutated: 1 + 1."""
    total = x.sum(axis=-1, keepdims=True)
    if n > 1:
        total = total - 1
    return total / n, x


def test_mutants_change_operators_axes_constants_comparisons_arguments_calls_and_lines():
    changes = {mutant.change for mutant in mutants(example)}
    assert {
        "total / n -> total * n",
        "-1 -> 0",
        "2 -> 3",
        "n > 1 -> n >= 1",
        "x.sum(axis=-1, keepdims=True) -> x.sum(axis=-1)",
        "x.sum(axis=-1, keepdims=True) -> x",
        "total = total - 1 -> (dropped)",
        "(total / n, x) -> (x, total / n)",
    } <= changes
    assert not any("1 + 1" in change for change in changes)


def counts_down(n):
    while n > 0:
        n = n - 1
    return n


def test_a_mutant_whose_loop_never_ends_raises_and_one_that_ends_does_not():
    by_change = {mutant.change: mutant.function for mutant in mutants(counts_down)}
    assert by_change["n > 0 -> n >= 0"](7) == -1
    with pytest.raises(StopIteration):
        by_change["n = n - 1 -> (dropped)"](7)
