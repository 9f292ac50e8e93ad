"""An exercise may hand functions to the answer, as positions.is_permutation_equivariant does."""

import numpy as np

from helpers.checks import check

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
