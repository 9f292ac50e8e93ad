import pytest

from grading.job import make_job
from grading.sandbox.isolation import NONE, Isolation
from grading.sandbox.limits import Limits
from grading.sandbox.service import Sandbox
from grading.work import run_job
from helpers.checks import exercises
from helpers.checks.checking import VISIBLE_SEED
from helpers.checks.exercise import draw_cases
from tests.grading.conftest import RELEASED
from tests.grading.synthetic_class import standalone_source

SOFTMAX = exercises()["attention.softmax"]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(Isolation(NONE), Limits(cell_seconds=20)) as sandbox:
        yield sandbox


@pytest.fixture
def test_of(submitted, sandbox):
    """Return a function that gives the result of an answer's test."""

    def run(source, seed="7"):
        nb = submitted("set-up", ("softmax", source), "softmax-check")
        result = run_job(make_job(nb, RELEASED, set(), seed, sandbox.limits), sandbox)
        return result["tests"]["2"]

    return run


def test_a_right_answer_gets_all_points_and_a_report_without_a_case(test_of):
    test = test_of(standalone_source(SOFTMAX.styles[0], "softmax"))
    assert (test["outcome"], test["text"]) == ("correct", "2")
    assert "全对" in test["html"]


def test_a_known_mistake_is_named(test_of):
    slip = SOFTMAX.slips[0]
    test = test_of(standalone_source(slip.code, "softmax"))
    assert (test["outcome"], test["slip"]) == ("slip", slip.name)
    assert not test["recited"]


def test_an_answer_that_calls_the_reference_gets_nothing(test_of):
    test = test_of("import helpers.reference.attention as ready\ndef softmax(x):\n    return ready.softmax(x)")
    assert (test["outcome"], test["points"]) == ("reference called", 0)


def test_an_answer_that_recites_the_practice_cases_gets_nothing_and_is_known(test_of):
    cases = draw_cases(SOFTMAX, VISIBLE_SEED)
    known = [(case.arguments[0].tolist(), SOFTMAX.reference(*case.arguments).tolist()) for case in cases]
    table = f"inf, nan = float('inf'), float('nan')\nknown = {known!r}\n"
    recite = "def softmax(x):\n    return next((a for q, a in known if q == np.asarray(x).tolist()), x)"
    test = test_of(table + recite)
    assert test["points"] == 0
    assert test["recited"]


def test_a_function_that_is_not_there_is_missing(test_of):
    assert test_of("1 / 0") == {"exercise_id": "attention.softmax", "missing": "NameError"}
