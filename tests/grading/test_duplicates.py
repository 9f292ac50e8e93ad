import pytest

from grading.duplicates import KeepOneCopy
from tests.grading.conftest import STUB, described

MINE, MINE_TOO = ("softmax", "def softmax(s): return 1"), ("softmax", "def softmax(s): return 2")
UNTOUCHED = ("softmax", STUB + "\n")


def settled(nb):
    return KeepOneCopy().preprocess(nb, {})[0]


@pytest.mark.parametrize("order", [(MINE, UNTOUCHED), (UNTOUCHED, MINE)])
def test_the_copy_with_an_answer_counts_and_the_stub_is_not_run(submitted, order):
    nb = settled(submitted(*order))
    counting = order.index(MINE)
    assert described(nb)[counting] == "softmax"
    assert nb.cells[1 - counting].cell_type == "markdown"
    assert "不运行" in nb.cells[1 - counting].source


def test_of_several_answers_the_last_counts_and_the_others_run_as_plain_cells(submitted):
    nb = settled(submitted(MINE, MINE_TOO))
    assert described(nb) == [MINE[1], "softmax"]
    assert "nbgrader" not in nb.cells[0].metadata


def test_of_untouched_copies_the_last_counts(submitted):
    nb = settled(submitted("softmax", "softmax", "softmax"))
    assert described(nb)[2] == "softmax"
    assert [cell.cell_type for cell in nb.cells] == ["markdown", "markdown", "code"]


def test_of_a_test_the_last_copy_counts(submitted):
    nb = settled(submitted("softmax-check", "softmax", "softmax-check"))
    assert ["nbgrader" in cell.metadata for cell in nb.cells] == [False, True, True]


def test_cells_of_the_learners_own_are_no_copies_of_each_other(submitted):
    assert described(settled(submitted("x = 1", "x = 1"))) == ["x = 1", "x = 1"]
