"""The wheels that Pyodide's distribution lacks: `helpers`, ipywidgets, and the kernel that JupyterLite brings."""

import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from tools.build.section import ROOT

# jupyterlite-pyodide-kernel ships these inside JupyterLab's extension.
KERNEL_EXTENSION = Path(sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi")
FROM_KERNEL_EXTENSION = ("ipykernel", "piplite", "pyodide_kernel")
FROM_INDEX = ("ipywidgets", "comm")  # in the versions of this environment


def collect_our_wheels(folder):
    """Put all of them into an empty folder and return their paths."""
    folder.mkdir(parents=True)
    build_helpers(folder)
    for name in FROM_KERNEL_EXTENSION:
        (wheel,) = KERNEL_EXTENSION.glob(f"{name}-*.whl")
        shutil.copy(wheel, folder)
    download([f"{name}=={version(name)}" for name in FROM_INDEX], folder)
    return sorted(folder.glob("*.whl"))


def build_helpers(folder):
    """Build the wheel of `helpers`, font inside, from a copy: setuptools leaves files beside what it builds."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copy(ROOT / "pyproject.toml", copy)
        shutil.copytree(ROOT / "helpers", Path(copy, "helpers"), ignore=shutil.ignore_patterns("__pycache__"))
        pip("wheel", "--no-deps", "--wheel-dir", folder, copy)


def download(requirements, folder):
    """Fetch pure wheels from the package index, in exactly these versions."""
    pure = ("--only-binary=:all:", "--python-version=3.14", "--implementation=py", "--abi=none", "--platform=any")
    pip("download", "--no-deps", *pure, "--dest", folder, *requirements)


def pip(*arguments):
    """Run this environment's pip, quietly."""
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)]
    subprocess.run(command, check=True)
