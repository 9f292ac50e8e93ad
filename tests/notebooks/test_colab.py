"""The learner's notebook runs from the top where Colab runs it: its Python, its versions, no helpers installed."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks.reading import read, releases
from tests.test_set_up_cell import hanging, run_set_up, working
from tests.widgets.kernel_burst import N_POSITIONS, burst
from tools.build.addresses import project_addresses
from tools.build.section import ROOT

ENVIRONMENTS = sorted((ROOT / "tests" / "environments").glob("colab-*.txt"))
RUN_ALL = Path(__file__).parent / "run_all.py"
WITHOUT_A_NETWORK = ["unshare", "--map-root-user", "--net"]


def python_version(pins):
    """Return the version in a name such as colab-2026.08-python3.13.txt."""
    return pins.stem.rpartition("python")[2]


def find_python(version):
    """Return an interpreter of this version that starts, or None: on the path, of pyenv, or of uv."""
    managed = Path.home() / ".local" / "share" / "uv" / "python"
    candidates = [
        shutil.which(f"python{version}"),
        *sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python")),
        *sorted(managed.glob(f"cpython-{version}.*/bin/python{version}")),
    ]
    return next((str(path) for path in candidates if path and runs(path, version)), None)


def runs(python, version):
    """Return whether the interpreter starts and is what its name says."""
    command = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() == version


@pytest.fixture(scope="module", params=ENVIRONMENTS, ids=lambda pins: pins.stem)
def colab_python(request):
    """Return the Python of an environment with exactly Colab's versions, made once and kept in the checkout."""
    pins = request.param
    python = find_python(python_version(pins))
    if python is None:
        pytest.skip(f"NOT TESTED in {pins.name}: there is no Python {python_version(pins)} on this machine")
    environment = ROOT / f".venv-{pins.stem}"
    installed = environment / "installed.txt"
    if not installed.exists() or installed.read_text() != pins.read_text():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", python, str(environment)], check=True)
        install = [*uv, "pip", "install", "--quiet", "--compile-bytecode"]
        subprocess.run([*install, "--python", str(environment / "bin/python"), "--requirement", str(pins)], check=True)
        installed.write_text(pins.read_text())
    return environment / "bin" / "python"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return the address of a ZIP file of the project, as its host packs it; a file, in reach without a network."""
    folder = tmp_path_factory.mktemp("host")
    shutil.copytree(ROOT / "helpers", folder / "chapter-main" / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    return Path(shutil.make_archive(folder / "main", "zip", folder, "chapter-main")).as_uri()


@pytest.mark.parametrize("path", releases(), ids=str)
def test_run_all_raises_nothing_warns_of_nothing_and_every_control_moves_its_picture(
    colab_python, archive, path, tmp_path
):
    text = (ROOT / path).read_text(encoding="utf-8").replace(project_addresses().archives[0], archive)
    (tmp_path / path.name).write_text(text, encoding="utf-8")
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run(
        [*offline(), colab_python, RUN_ALL, tmp_path / path.name, tmp_path],
        capture_output=True,
        text=True,
        env=alone | {"PATH": f"{colab_python.parent}{os.pathsep}{os.environ['PATH']}", "IPYTHONDIR": str(tmp_path)},
    )
    sources = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    n_explorers = sum(source.startswith("widgets.") for source in sources)
    expected = f"{len(sources)} cells run\n{n_explorers} explorers driven\n"
    assert result.stdout == expected, result.stdout + result.stderr


@functools.cache
def offline():
    """Return what to put before a command so that it has no network, not even its own machine's; or nothing."""
    if not shutil.which(WITHOUT_A_NETWORK[0]):
        return []
    trial = subprocess.run([*WITHOUT_A_NETWORK, "true"], capture_output=True)
    return [] if trial.returncode else WITHOUT_A_NETWORK


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


@pytest.mark.parametrize("pins", ENVIRONMENTS, ids=lambda pins: pins.stem)
def test_an_environment_is_called_after_its_python(pins):
    assert python_version(pins) in {"3.12", "3.13"}
