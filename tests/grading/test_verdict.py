import pytest
from nbformat import v4

from grading.verdict import STOPPED_KEY, show_result

LIMITS = {"cell_seconds": 60.0}


@pytest.fixture
def shown(submitted):
    """Return a function that puts a result into a notebook of an answer, its test and a demonstration."""

    def show(outputs=None, tests=None, stopped=None, gave_up=False):
        nb = submitted("softmax", "softmax-check", "draw()")
        nb.cells[1].outputs = [v4.new_output("execute_result", data={"text/plain": "2"}, execution_count=1)]
        kinds = ("answer", "test", "untouched")
        job = {"cells": [{"index": index, "kind": kind} for index, kind in enumerate(kinds)], "limits": LIMITS}
        result = {"outputs": outputs or {}, "tests": tests or {}, "stopped": stopped or {}, "gave_up": gave_up}
        show_result(nb, job, result, {"draw()": [v4.new_output("stream", text="released")]})
        return nb

    return show


def test_the_points_of_a_test_come_from_its_report_alone(shown):
    (output,) = shown(tests={"1": {"html": "<p>", "text": "1.5"}}).cells[1].outputs
    assert output.output_type == "execute_result"
    assert output.data == {"text/html": "<p>", "text/plain": "1.5"}


def test_a_function_that_is_not_there_gives_an_error_that_says_so(shown):
    (output,) = shown(tests={"1": {"missing": "NameError"}}).cells[1].outputs
    assert output.output_type == "error"
    assert "没有定义" in output.evalue
    assert "TypeError" in shown(tests={"1": {"missing": "TypeError"}}).cells[1].outputs[0].evalue


def test_an_untouched_cell_shows_what_it_was_released_with(shown):
    assert shown(outputs={"2": []}).cells[2].outputs[0].text == "released"


def test_a_learner_s_cell_shows_what_it_showed(shown):
    output = {"output_type": "stream", "name": "stdout", "text": "mine"}
    assert shown(outputs={"0": [output]}).cells[0].outputs == [output]


@pytest.mark.parametrize(
    ("reason", "sentence"), [("too long", "60 秒"), ("died", "终止了"), ("memory", "内存"), ("forged", "通信")]
)
def test_a_stopped_cell_says_why(shown, reason, sentence):
    nb = shown(stopped={"0": reason})
    assert sentence in nb.cells[0].outputs[0].evalue
    assert nb.cells[0].metadata[STOPPED_KEY]


def test_a_test_without_any_result_scores_nothing(shown):
    assert shown(stopped={"0": "died"}, gave_up=True).cells[1].outputs[0].output_type == "error"
    assert shown().cells[1].outputs[0].output_type == "error"
