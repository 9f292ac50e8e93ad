import itertools

import pytest

from grading.missing import PutBackMissingCells
from grading.reading import UNREADABLE_KEY
from tests.grading.conftest import RELEASED, described

ALL = list(RELEASED)


def completed(nb):
    return PutBackMissingCells().preprocess(nb, {})[0]


@pytest.mark.parametrize("kept", [set(kept) for size in range(7) for kept in itertools.combinations(ALL, size)])
def test_whatever_is_missing_comes_back_in_the_released_order(submitted, kept):
    nb = completed(submitted(*[grade_id for grade_id in ALL if grade_id in kept]))
    assert described(nb) == ALL


def test_a_test_comes_back_right_behind_its_answer(submitted):
    nb = completed(submitted("set-up", "softmax", "x = 1", "scores", "scores-check", "why"))
    assert described(nb)[:4] == ["set-up", "softmax", "softmax-check", "x = 1"]
    assert nb.cells[2].source.endswith(RELEASED["softmax-check"].source)
    assert nb.cells[2].source.startswith("# 交上来的 notebook 里没有")


def test_a_test_whose_answer_lost_its_metadata_comes_back_behind_what_the_learner_wrote(submitted):
    nb = completed(submitted("set-up", "def softmax(scores): return scores", "scores", "scores-check", "why"))
    assert described(nb).index("softmax-check") > described(nb).index("def softmax(scores): return scores")


def test_without_any_metadata_the_tests_come_behind_everything_and_the_set_up_first(submitted):
    nb = completed(submitted("def softmax(scores): return scores", "def scores(q, k): return q"))
    assert described(nb)[0] == "set-up"
    assert described(nb)[1:3] == ["def softmax(scores): return scores", "def scores(q, k): return q"]


def test_the_stub_of_a_missing_answer_does_not_replace_a_function_defined_elsewhere(submitted):
    nb = completed(submitted("def softmax(scores): return scores"))
    assert "def " not in nb.cells[described(nb).index("softmax")].source


def test_a_missing_written_answer_waits_for_a_reader_unless_nothing_could_be_read(submitted):
    waiting, hopeless = submitted("x = 1"), submitted("x = 1")
    hopeless.metadata[UNREADABLE_KEY] = True
    stub = RELEASED["why"].source
    assert completed(waiting).cells[-1].source != stub
    assert completed(hopeless).cells[-1].source == stub
    assert described(hopeless)[0] == "x = 1"  # the notice that says why
