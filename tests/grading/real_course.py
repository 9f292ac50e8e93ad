"""Make the course of the first section as an instructor does, and run commands in its folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.grading.synthetic_class import SEED, read_section

ROOT = Path(__file__).parents[2]
ASSIGNMENT, NOTEBOOK = "ch04_01_attention", "01_attention"
WITHOUT_GRAMMAR = Path(__file__).parent / "without_grammar"


def release(course):
    """Have nbgrader make the release in an empty folder, and return the section and what was said.

    The release is not run: no grade depends on the pictures of its demonstrations, and making them takes longer than
    grading ten submissions.
    """
    shutil.copy(ROOT / "nbgrader_config.py", course)
    shutil.copytree(ROOT / "solutions" / ASSIGNMENT, course / "solutions" / ASSIGNMENT)
    ran = run(course, "nbgrader", "generate_assignment", ASSIGNMENT, "--force", "--ExecuteRelease.enabled=False")
    path = Path(ASSIGNMENT, f"{NOTEBOOK}.ipynb")
    return read_section(course / "notebooks" / path, course / "solutions" / path), ran.stderr


def run(course, module, *arguments):
    """Run a command in the course's folder, as an instructor would; it has to succeed."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # nbgrader calls alembic
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(WITHOUT_GRAMMAR)]),
        "PYTHONWARNINGS": "ignore",
        "JUPYTER_CONFIG_DIR": str(course),
        "JUPYTER_RUNTIME_DIR": str(course / "runtime"),
        "GRADING_SEED": str(SEED),
    }
    command = [sys.executable, "-m", module, *arguments]
    result = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def hand_in(course, student, text, file_name=f"{NOTEBOOK}.ipynb"):
    """Put a notebook where nbgrader expects it, and return its folder."""
    folder = course / "submitted" / student / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file_name).write_text(text, encoding="utf-8")
    return folder
