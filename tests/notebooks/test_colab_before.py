"""The learner's notebook runs from the top in Colab's environment before today's, the oldest that must do.

Its pictures are drawn and its widgets moved in today's alone (test_colab.py): what they are made of has the same
versions in both.
"""

import pytest

from tests.notebooks.colab import NEWEST, OLDER, code_cells, environment, run_all
from tests.notebooks.reading import releases

# What draws, and what a message of a control passes through before it; what differs is Python and NumPy.
ON_THE_WAY = ("ipykernel", "ipython", "ipywidgets", "jupyter_client", "matplotlib", "pyzmq", "tornado", "traitlets")


@pytest.fixture(scope="module")
def colab_python():
    return environment(OLDER)


@pytest.mark.parametrize("path", releases(), ids=str)
def test_run_all_raises_nothing_and_warns_of_nothing(colab_python, archive, path, tmp_path):
    result = run_all(colab_python, path, archive, tmp_path, "--undrawn")
    assert result.stdout == f"{len(code_cells(path))} cells run\n", result.stdout + result.stderr


def test_what_draws_and_what_controls_need_has_the_same_versions_in_both_environments():
    older, newest = (dict(line.split("==") for line in pins.read_text().splitlines()) for pins in (OLDER, NEWEST))
    assert {name: older[name] for name in ON_THE_WAY} == {name: newest[name] for name in ON_THE_WAY}
