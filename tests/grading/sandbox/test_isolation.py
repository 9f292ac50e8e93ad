"""Where no submission can be run, it is said, and everything else of grading works."""

import subprocess
import sys
from pathlib import Path

import pytest

from grading.sandbox import isolation, view
from grading.sandbox.isolation import NoSandboxError, strongest
from grading.worker import ROOT

ISOLATION = "from grading.sandbox.isolation import strongest; print(strongest().name)"
AS_ON_WINDOWS = """
import ctypes, sys
import numpy.testing
sys.modules["resource"] = None

def no_library(name, *args, load=ctypes.CDLL, **kwargs):
    if name is None:
        raise TypeError("LoadLibrary() argument 1 must be str, not None")
    return load(name, *args, **kwargs)

ctypes.CDLL = no_library
import grading.__main__, grading.execute, grading.release, grading.feedback
"""


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_system_other_than_linux_is_refused_with_or_without_a_sandbox(monkeypatch, unsafe):
    monkeypatch.setattr(isolation.sys, "platform", "darwin")
    with pytest.raises(NoSandboxError, match=r"this is darwin\. Grade in a virtual machine"):
        strongest(unsafe)


def test_what_nbgrader_s_settings_and_the_commands_import_is_there_on_windows_too():
    ran = subprocess.run([sys.executable, "-c", AS_ON_WINDOWS], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_sandbox_is_as_strong_where_links_lead_to_python(tmp_path):
    try:
        name = strongest().name
    except NoSandboxError as error:
        pytest.skip(str(error))
    (tmp_path / "data").symlink_to(Path(sys.prefix).parent)
    (tmp_path / "home").symlink_to("data")
    python = tmp_path / "home" / Path(sys.prefix).name / Path(sys.executable).relative_to(sys.prefix)
    ran = subprocess.run([python, "-c", ISOLATION], cwd=ROOT, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f"{name}\n", "")


def test_the_links_on_the_way_to_a_file_are_found_where_they_really_are(tmp_path):
    (tmp_path / "real" / "bin").mkdir(parents=True)
    (tmp_path / "real" / "bin" / "python").symlink_to("../../base")
    (tmp_path / "base").touch()
    (tmp_path / "home").symlink_to(tmp_path / "real")
    links = view.links_to(tmp_path.resolve() / "home" / "bin" / "python")
    assert links == {tmp_path.resolve() / "home", tmp_path.resolve() / "real" / "bin" / "python"}
