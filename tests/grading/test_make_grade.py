"""`make grade` from nothing to marks, on a small class with a broken, an empty and an unknown submission."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from grading.flags import UNREADABLE
from grading.reporting.marks import STRANGER
from grading.sandbox.isolation import NoSandboxError, strongest
from tests.grading.real_course import WITHOUT_GRAMMAR
from tests.grading.small_course import ASSIGNMENT, NOTEBOOK, POINTS, ROOT, hand_in, release

FULL = f"{sum(POINTS.values()):g}"


def make_grade(course, assignment=ASSIGNMENT):
    """Run the target with this environment in the place of `.venv`."""
    places = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(WITHOUT_GRAMMAR)]), "JUPYTER_CONFIG_DIR": str(course)}
    command = ["make", "grade", f"ASSIGNMENT={assignment}", f"BIN={Path(sys.executable).parent}"]
    outer = {"MAKEFLAGS": "", "MAKELEVEL": ""}  # of the make that runs the tests, perhaps: not of an instructor's
    environment = os.environ | places | outer | {"GRADING_SEED": "7"}
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    try:
        strongest()
    except NoSandboxError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "Makefile", folder)
    (folder / "pyproject.toml").touch()
    (folder / ".venv").mkdir()
    (folder / ".venv" / "installed-for-grading").touch()
    release(folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for student in ("ada", "bob", "cyd", "dan"):
            gradebook.add_student(student, first_name=student.title(), last_name="Li")
    hand_in(folder, "ada")
    (hand_in(folder, "bob") / f"{NOTEBOOK}.ipynb").write_text("{", encoding="utf-8")
    (hand_in(folder, "cyd") / f"{NOTEBOOK}.ipynb").unlink()
    hand_in(folder, "adda")
    return folder


@pytest.fixture(scope="module")
def twice(course):
    """Return what two runs said, and what each left in the files that an instructor opens."""
    runs = []
    for _ in range(2):
        ran = make_grade(course)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        runs.append((ran, (course / "grades.csv").read_text(), (course / "report.csv").read_text("utf-8-sig")))
    return runs


def test_the_terminal_says_who_got_what_and_what_to_look_at_and_little_else(twice):
    for ran, _, _ in twice:
        lines = ran.stdout.splitlines()
        assert f"adda  {STRANGER}" in lines
        assert f"bob  {UNREADABLE}" in lines
        assert [line for line in lines if line.startswith("cyd  NOT GRADED")]
        assert ["ada", FULL, FULL] in [line.split() for line in lines]
        assert ["dan", "-", "0"] in [line.split() for line in lines]
        assert len(lines) < 25
        assert ran.stderr == ""


def test_the_marks_are_exported_and_a_second_run_changes_none(twice):
    (_, grades, report), again = twice
    assert again[1:] == (grades, report)
    scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(grades.splitlines())}
    assert scores == {"ada": float(FULL), "adda": float(FULL), "bob": 0, "cyd": 0, "dan": 0}
    assert {row["student"]: row["flags"] for row in csv.DictReader(report.splitlines())}["bob"] == "1"


def test_whoever_handed_in_has_a_page_and_the_class_has_one(twice, course):
    pages = {path.relative_to(course).parts[1] for path in (course / "feedback").rglob("*.html")}
    assert pages == {"ada", "adda", "bob"}
    assert STRANGER in (course / "report.html").read_text(encoding="utf-8")


def test_a_misspelt_assignment_stops_it_with_the_names_of_those_that_are_there(course):
    ran = make_grade(course, "smal")
    assert ran.returncode != 0
    assert f"Nobody has handed in smal: nothing of it is in submitted/ (there is {ASSIGNMENT})." in ran.stderr
