"""The learner's notebook runs from the top, and its widgets follow, where Colab runs it today."""

import subprocess
import sys

import pytest

from tests.notebooks.colab import NEWEST, OLDER, code_cells, environment, offline, python_version, run_all
from tests.notebooks.reading import releases
from tests.test_set_up_cell import hanging, run_set_up, working
from tests.widgets.kernel_burst import N_POSITIONS, burst


@pytest.fixture(scope="module")
def colab_python():
    return environment(NEWEST)


@pytest.mark.parametrize("path", releases(), ids=str)
def test_run_all_raises_nothing_warns_of_nothing_and_every_control_moves_its_picture(
    colab_python, archive, path, tmp_path
):
    result = run_all(colab_python, path, archive, tmp_path, "--drive")
    sources = code_cells(path)
    n_explorers = sum(source.startswith("widgets.") for source in sources)
    expected = f"{len(sources)} cells run\n{n_explorers} explorers driven\n"
    assert result.stdout == expected, result.stdout + result.stderr


def test_the_notebooks_above_ran_without_a_network():
    if not offline():
        pytest.skip("NOT TESTED without a network: this system lets nobody leave it (unshare --net)")
    connect = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=5)"
    result = subprocess.run([*offline(), sys.executable, "-c", connect], capture_output=True, text=True)
    assert "Network is unreachable" in result.stderr


def test_helpers_come_from_the_mirror_when_the_repository_hangs(colab_python):
    with hanging() as repository, working() as mirror:
        result = run_set_up(repository, mirror, colab_python)
    assert result.stderr == ""
    assert f"已下载 helpers：{mirror}" in result.stdout


def test_a_burst_of_slider_positions_is_drawn_a_few_times_and_ends_at_the_last(colab_python, tmp_path):
    result = burst(colab_python, tmp_path)
    assert result["seen"] == list(range(1, N_POSITIONS + 1))
    assert len(result["drawn"]) < N_POSITIONS
    assert result["drawn"][-1] == N_POSITIONS
    assert result["same"]


@pytest.mark.parametrize("pins", [OLDER, NEWEST], ids=lambda pins: pins.stem)
def test_an_environment_is_called_after_its_python(pins):
    assert python_version(pins) in {"3.12", "3.13"}
