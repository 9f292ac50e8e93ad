"""Where no submission can be run, it is said, and everything else of grading works."""

import subprocess
import sys

import pytest

from grading.sandbox import isolation
from grading.sandbox.isolation import NoSandboxError, strongest
from grading.worker import ROOT

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
