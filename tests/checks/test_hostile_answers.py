"""Whatever a learner's code does, `check` comes back with a number in range, and nothing reaches stderr."""

import logging
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from helpers.checks import check

MOST = 2  # points of attention.softmax


class AlwaysEqual:
    def __eq__(self, other):
        return True

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array here")


class ArrayThatNeverComes:
    def __array__(self, *args, **kwargs):
        while True:
            pass


class TextThatRaises(Exception):
    def __str__(self):
        raise RuntimeError("no text here")


class LyingArray(np.ndarray):
    def __eq__(self, other):
        return np.True_

    def __sub__(self, other):
        return np.zeros(self.shape)


def changes_its_input(scores):
    scores[...] = 0
    return scores


def warns_and_prints(scores):
    warnings.warn("careful", stacklevel=1)
    print("out")
    print("err", file=sys.stderr)
    os.write(2, b"straight to the descriptor\n")
    logging.getLogger("learner").warning("logged")
    return scores


def starts_a_noisy_process(scores):
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('child')"], check=True)
    return scores


def raises_text_that_raises(scores):
    raise TextThatRaises


def stub(scores):
    raise NotImplementedError


ANSWERS = {
    "raises": (lambda scores: 1 / 0, "raised"),
    "exits": (lambda scores: sys.exit(1), "raised"),
    "interrupts": (lambda scores: (_ for _ in ()).throw(KeyboardInterrupt), "raised"),
    "takes no argument": (lambda: None, "raised"),
    "text that raises": (raises_text_that_raises, "raised"),
    "recurses": (lambda scores: ANSWERS["recurses"][0](scores), "raised"),
    "not written": (stub, "not attempted"),
    "calls what is not written": (lambda scores: stub(scores), "raised"),
    "nothing": (lambda scores: None, "wrong type"),
    "text": (lambda scores: "0.5", "wrong type"),
    "dictionary": (lambda scores: {"weights": scores}, "wrong type"),
    "generator": (lambda scores: (score for score in scores), "wrong type"),
    "complex": (lambda scores: scores + 1j, "wrong type"),
    "objects": (lambda scores: np.full(scores.shape, "0.5", dtype=object), "wrong type"),
    "ragged": (lambda scores: [[1.0], [1.0, 2.0]], "wrong type"),
    "always equal": (lambda scores: AlwaysEqual(), "raised"),
    "array that never comes": (lambda scores: ArrayThatNeverComes(), "timed out"),
    "huge view": (lambda scores: np.broadcast_to(0.0, (10**9, 10**9)), "wrong type"),
    "transposed": (lambda scores: np.expand_dims(scores, 0), "wrong shape"),
    "not a number": (lambda scores: np.asarray(scores) * np.nan, "not finite"),
    "lying array": (lambda scores: np.asarray(scores, dtype=float).view(LyingArray), "different"),
    "changes its input": (changes_its_input, "different"),
    "prints": (warns_and_prints, "different"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_gets_a_number_in_range_and_leaves_no_trace_on_stderr(name, capfd, monkeypatch):
    monkeypatch.setattr("helpers.checks.collect.SECONDS_PER_CASE", 0.2)
    function, outcome = ANSWERS[name]
    report = check("attention.softmax", function)
    assert report.outcome == outcome
    assert type(report.points) is float
    assert 0 <= report.points < MOST
    assert capfd.readouterr() == ("", "")


def test_what_a_child_process_writes_stays_out_of_the_notebook(capfd):
    assert check("attention.softmax", starts_a_noisy_process).outcome == "different"
    assert capfd.readouterr() == ("", "")


def test_a_logging_handler_that_holds_the_old_stderr_stays_silent(capsys):
    handler = logging.StreamHandler(sys.stderr)
    logger = logging.getLogger("learner.handler")
    logger.addHandler(handler)
    check("attention.softmax", lambda scores: logger.warning("noise"))
    logger.removeHandler(handler)
    assert capsys.readouterr() == ("", "")


def test_streams_and_descriptors_work_again_after_a_check(capfd):
    check("attention.softmax", warns_and_prints)
    print("out")
    os.write(2, b"err")
    assert capfd.readouterr() == ("out\n", "err")


def test_exit_as_notebooks_define_it_does_not_reach_the_kernel():
    stopped = []
    names = {"exit": lambda: stopped.append("kernel")}
    exec("def softmax(scores):\n    exit()", names)
    shell_exit = names["exit"]
    report = check("attention.softmax", names["softmax"])
    assert (report.outcome, stopped) == ("raised", [])
    assert names["exit"] is shell_exit


def test_a_replaced_print_does_no_harm(monkeypatch):
    monkeypatch.setattr("builtins.print", None)
    assert check("attention.softmax", lambda scores: scores).outcome == "different"


def test_an_unknown_exercise_is_told_the_nearest_ids():
    report = check("attention.sofmax", lambda scores: scores)
    assert report.outcome == "unknown exercise"
    assert "attention.softmax" in str(report)


def test_a_result_in_place_of_the_function_is_explained():
    report = check("attention.softmax", np.ones(3))
    assert (report.outcome, report.points, report.max_points) == ("not a function", 0.0, MOST)
    assert 'check("attention.softmax", softmax)' in str(report)


def test_a_check_that_breaks_down_still_gives_zero(monkeypatch):
    monkeypatch.setattr("helpers.checks.checking.judge", lambda *arguments: 1 / 0)
    report = check("attention.softmax", lambda scores: scores)
    assert (report.outcome, report.points) == ("check failed", 0.0)


def test_inputs_that_were_changed_are_mentioned():
    assert "改动了" in str(check("attention.softmax", changes_its_input))
