"""Make Colab's environments, with exactly its versions, and run notebooks in them as it does: no helpers installed."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks.reading import read
from tools.build.addresses import project_addresses
from tools.build.section import ROOT

OLDER, NEWEST = sorted((ROOT / "tests" / "environments").glob("colab-*.txt"))
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


def environment(pins):
    """Return the Python of an environment, made once and kept in the checkout; skip where there is no such Python."""
    python = find_python(python_version(pins))
    if python is None:
        pytest.skip(f"NOT TESTED in {pins.name}: there is no Python {python_version(pins)} on this machine")
    folder = ROOT / f".venv-{pins.stem}"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_text() != pins.read_text():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", python, str(folder)], check=True)
        install = [*uv, "pip", "install", "--quiet", "--python", str(folder / "bin/python")]
        subprocess.run([*install, "--requirement", str(pins)], check=True)
        subprocess.run([str(folder / "bin/python"), "-c", "import matplotlib.font_manager"], check=True)  # lists fonts
        installed.write_text(pins.read_text())
    return folder / "bin" / "python"


def run_all(python, path, archive, folder, *options):
    """Run a learner's notebook where nothing else is and the network is out of reach.

    Parameters
    ----------
    python : pathlib.Path
    path : pathlib.Path
        Of the notebook, in the project.
    archive : str
        The address that its set-up cell is to fetch helpers from.
    folder : pathlib.Path
        Empty.
    options : str
        More for `run_all.py`.

    Returns
    -------
    result : subprocess.CompletedProcess
    """
    text = (ROOT / path).read_text(encoding="utf-8").replace(project_addresses().archives[0], archive)
    (folder / path.name).write_text(text, encoding="utf-8")
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [*offline(), python, RUN_ALL, folder / path.name, folder, *options],
        capture_output=True,
        text=True,
        env=alone | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "IPYTHONDIR": str(folder)},
    )


def code_cells(path):
    """Return the sources of a notebook's code."""
    return [cell.source for cell in read(path).cells if cell.cell_type == "code"]


@functools.cache
def offline():
    """Return what to put before a command so that it has no network, not even its own machine's; or nothing."""
    if not shutil.which(WITHOUT_A_NETWORK[0]):
        return []
    trial = subprocess.run([*WITHOUT_A_NETWORK, "true"], capture_output=True)
    return [] if trial.returncode else WITHOUT_A_NETWORK
