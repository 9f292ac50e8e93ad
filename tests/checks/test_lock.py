import sys
from pathlib import Path

import pytest

from helpers import reference
from helpers.checks import check, exercises
from helpers.checks.catalogue.attention import reach
from helpers.checks.lock import ReferenceLockedError, reference_locked
from helpers.reference import attention
from helpers.reference.attention import softmax as held_under_another_name


def test_the_reference_is_locked_under_every_name_and_unlocked_after():
    with reference_locked():
        for call in (lambda: attention.softmax([1.0]), lambda: held_under_another_name([1.0])):
            with pytest.raises(ReferenceLockedError):
                call()
    assert held_under_another_name([0.0, 0.0]).tolist() == [0.5, 0.5]


def test_the_lock_opens_again_after_an_error():
    with pytest.raises(KeyError), reference_locked():
        raise KeyError
    assert attention.causal_mask(1).tolist() == [[True]]


def test_an_answer_that_calls_the_reference_earns_nothing_and_is_told():
    report = check("attention.softmax", lambda scores: held_under_another_name(scores))
    assert (report.outcome, report.points) == ("reference called", 0.0)


@pytest.mark.parametrize("id_", exercises())
def test_the_reference_itself_is_no_answer(id_):
    assert check(id_, exercises()[id_].reference).outcome == "reference called"


def test_an_answer_that_calls_a_style_earns_nothing():
    style = exercises()["attention.softmax"].styles[0]
    assert check("attention.softmax", lambda scores: style(scores)).outcome == "reference called"


def test_while_grading_a_style_handed_in_itself_earns_nothing(monkeypatch):
    style = exercises()["attention.softmax"].styles[0]
    assert check("attention.softmax", style).outcome == "correct"
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert check("attention.softmax", style).outcome == "reference called"


def test_every_style_is_a_plain_function_so_that_it_can_be_locked():
    closures = [
        f"{exercise.id}: {style.__name__}"
        for exercise in exercises().values()
        for style in exercise.styles
        if style.__code__.co_freevars
    ]
    assert closures == []


def test_while_grading_the_catalogues_own_helpers_are_locked_too(monkeypatch):
    def through_a_helper(mask, n_layers):
        return reach._power(mask, n_layers)

    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert check("attention.reach", through_a_helper).outcome == "reference called"


def test_every_module_of_the_reference_is_there_to_be_locked():
    folder = Path(reference.__file__).parent
    with reference_locked():
        missing = [p.stem for p in folder.glob("[a-z]*.py") if f"helpers.reference.{p.stem}" not in sys.modules]
    assert missing == []
