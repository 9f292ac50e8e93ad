import pytest
from nbformat import v4

from grading.job import UnreadableTestError, digest, make_job, parse_test
from grading.sandbox.limits import Limits
from tests.grading.conftest import RELEASED

DEMONSTRATION = "show(weights)"


@pytest.fixture
def job(submitted):
    nb = submitted("set-up", ("softmax", "def softmax(scores): ..."), "softmax-check", DEMONSTRATION, "mine = 1")
    nb.cells.insert(0, v4.new_markdown_cell("text"))
    return make_job(nb, RELEASED, {"import numpy as np", DEMONSTRATION}, "7", Limits())


def test_a_cell_is_an_answer_a_test_untouched_or_the_learner_s_own(job):
    assert [cell["kind"] for cell in job["cells"]] == ["untouched", "answer", "test", "untouched", "ordinary"]
    assert [cell["index"] for cell in job["cells"]] == [1, 2, 3, 4, 5]
    assert job["cells"][2] == {
        "index": 3,
        "kind": "test",
        "exercise_id": "attention.softmax",
        "function": "softmax",
    }


def test_the_name_of_a_job_changes_with_a_cell_the_seed_and_the_limits(job):
    others = [job | {"seed": "8"}, job | {"cells": job["cells"][:-1]}, job | {"limits": {}}]
    assert len({digest(each) for each in [job, dict(job), *others]}) == 4


@pytest.mark.parametrize("source", ["", "check(softmax)", "x = check('a', f)", "check('a', f)\n1", "check('a', f())"])
def test_a_test_cell_that_is_no_call_of_check_is_refused(source):
    with pytest.raises(UnreadableTestError, match="must be check"):
        parse_test(source)
