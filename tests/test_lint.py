"""Ruff finds nothing, in the notebooks either, and no function is too long to read at once."""

import ast
import subprocess
import sys

import pytest

from tools.build.section import ROOT

LONGEST_FUNCTION = 40  # lines, the docstring not counted
FOLDERS = ("helpers", "grading", "tools", "code", "tests")


@pytest.mark.parametrize("command", [("check",), ("format", "--check")], ids=" ".join)
def test_ruff_finds_nothing(command):
    ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "."]
    result = subprocess.run(ruff, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}\nrun `ruff check --fix` and `ruff format`"


def test_no_function_is_longer_than_forty_lines():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and length(node) > LONGEST_FUNCTION
    ]
    assert long == []


def length(function):
    """Return the number of lines from `def` to the end, without the docstring."""
    first = function.body[0]
    docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(function) else 0
    return function.end_lineno - function.lineno + 1 - docstring
