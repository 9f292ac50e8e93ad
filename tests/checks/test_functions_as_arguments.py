"""An exercise may hand functions to the answer, as positions.is_permutation_equivariant does."""

import sys
import types

import numpy as np
import pytest

from helpers.checks import check, exercises
from helpers.checks.exercise import draw_cases

ID = "positions.is_permutation_equivariant"


def test_a_right_answer_that_calls_the_function_keeps_all_points():
    report = check(ID, lambda f, x, ps: all(np.allclose(f(x[p]), f(x)[p]) for p in ps))
    assert (report.outcome, report.points) == ("correct", report.max_points)
    assert report.lines == ()  # no function counts as a changed input


def test_the_report_shows_the_function_by_its_name():
    report = str(check(ID, lambda f, x, ps: np.allclose(f(x[ps[0]]), f(x))))
    assert "function=doubled" in report
    assert "0x" not in report


def test_an_answer_of_one_value_for_all_earns_nothing_and_is_not_called_a_slip():
    for answer in (True, False):
        report = check(ID, lambda f, x, ps, answer=answer: answer)
        assert (report.points, report.slip) == (0, None)


@pytest.mark.parametrize("exercise_id", [ID, "architecture.greedy_decode"])
def test_while_grading_the_functions_that_are_handed_over_can_be_called(exercise_id, monkeypatch):
    def is_permutation_equivariant(f, x, ps):
        return all(np.allclose(f(x[p]), f(x)[p]) for p in ps)

    def greedy_decode(logits_of, prompt, n_new, end_id=None):
        ids = list(prompt)
        while len(ids) < len(prompt) + n_new and (len(ids) == len(prompt) or ids[-1] != end_id):
            ids.append(int(np.argmax(logits_of(np.array(ids))[-1])))
        return ids

    answers = {ID: is_permutation_equivariant, "architecture.greedy_decode": greedy_decode}
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    report = check(exercise_id, answers[exercise_id])
    assert (report.outcome, report.points) == ("correct", report.max_points)


def test_no_exercise_hands_over_a_function_of_a_module_that_holds_answers():
    handed = {
        argument.__module__
        for exercise in exercises().values()
        for case in draw_cases(exercise, seed=4)
        for argument in case.arguments
        if isinstance(argument, types.FunctionType)
    }
    assert handed
    assert not [name for name in handed if hasattr(sys.modules[name], "EXERCISE")]
