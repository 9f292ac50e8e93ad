from io import StringIO

import pytest
from nbformat import v4

from grading.flags import UNREADABLE, flags_of, suspicious
from grading.reading import read_submission


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import inspect", "inspect"),
        ("from ctypes import CDLL", "ctypes"),
        ("import sys\nsys.modules['helpers']", "modules"),
        ("f.__code__", "__code__"),
        ("open('a')", "open"),
        ("from helpers.checks import collect", "helpers.checks"),
        ("p = '../../solutions/x'", "'solutions'"),
        ("!ls", "get_ipython"),
    ],
)
def test_what_has_no_place_in_a_solution_is_found(source, what):
    assert what in {found for _, found in suspicious(source)}


def test_an_ordinary_solution_is_not_suspicious():
    source = "import math\nimport numpy as np\nfrom itertools import product\ndef f(x):\n    return np.exp(x) / math.pi"
    assert suspicious(source) == []


def test_helpers_are_at_home_in_demonstrations_alone():
    assert suspicious("from helpers.reference import attention", is_answer=False) == []
    assert suspicious("from helpers.reference import attention") != []


def test_a_file_that_cannot_be_read_is_listed():
    nothing = {"tests": {}, "stopped": {}, "gave_up": False}
    assert flags_of(read_submission(StringIO('{"cells": [')), {"cells": []}, nothing) == [UNREADABLE]
    assert flags_of(v4.new_notebook(), {"cells": []}, nothing) == []


def test_what_does_not_parse_is_left_alone():
    assert suspicious("def f(:") == []


def test_every_reason_for_a_look_is_a_sentence_with_the_place():
    nb = v4.new_notebook(cells=[v4.new_code_cell("import gc")])
    job = {"cells": [{"index": 0, "kind": "answer"}]}
    tests = {
        "1": {"exercise_id": "a.f", "outcome": "reference called", "recited": False},
        "2": {"exercise_id": "a.g", "outcome": "different", "recited": True},
        "3": {"missing": "NameError"},
    }
    flags = flags_of(nb, job, {"tests": tests, "stopped": {"4": "died"}, "gave_up": True})
    assert ["a.f" in flags[0], "a.g" in flags[1], "第 5 个" in flags[2], "没有运行" in flags[3], "gc" in flags[4]] == [
        True
    ] * 5
