"""`python -m grading autograde` as an instructor runs it: in a sandbox, interrupted once, and once more."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from grading.__main__ import main
from grading.sandbox.isolation import NoSandboxError, strongest
from tests.grading.small_course import ASSIGNMENT, POINTS, hand_in, release, scores, submitted_files

ROOT = Path(__file__).parents[2]
STUDENTS = ("ada", "bob", "cyd")
SECONDS_TO_WAIT = 120


def a_sandbox_is_to_be_had():
    try:
        return bool(strongest())
    except NoSandboxError:
        return False


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return the folder of a course in which the last student's notebook takes a while."""
    folder = tmp_path_factory.mktemp("course")
    release(folder)
    for student in STUDENTS:
        hand_in(folder, student, extra="import time; time.sleep(5)" if student == "cyd" else None)
    return folder


def start(course, *arguments, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GRADING_SEED": "7"}
    command = [sys.executable, "-m", "grading", "autograde", *arguments]
    return subprocess.Popen(
        command, cwd=course, env=environment, start_new_session=True, text=True, preexec_fn=hear_ctrl_c, **options
    )


def hear_ctrl_c():
    """Undo what a shell does to what it starts in the background, perhaps these tests: it has them ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def descendants(pid):
    """Return the ids of the processes that a process has started, and of those that these have."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        threads = list(Path(f"/proc/{pid}/task").glob("*/children"))
        children += [int(child) for path in threads for child in path.read_text().split()]
    except OSError:
        return set()
    return set(children).union(*map(descendants, children))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not a_sandbox_is_to_be_had(), reason="no sandbox is to be had on this machine")
def test_ctrl_c_stops_the_run_leaves_no_process_and_the_next_run_goes_on_with_time_left_on_the_terminal(course):
    before = submitted_files(course)
    process = start(course, ASSIGNMENT, "--jobs=1", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + SECONDS_TO_WAIT
    while '"tests"' not in graded(course, "bob"):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)  # until that is in the report
    started = descendants(process.pid)
    assert started
    os.killpg(process.pid, signal.SIGINT)
    printed, complaints = process.communicate(timeout=SECONDS_TO_WAIT)
    assert process.returncode == 1
    assert "Sandbox: " in printed
    assert "2 graded" in printed
    assert "Interrupted" in printed
    assert complaints == ""  # no bar where nobody watches, and no traceback
    assert not any(map(is_running, started))
    assert not graded(course, "cyd")

    near, far = pty.openpty()
    termios.tcsetwinsize(far, (24, 80))
    with os.fdopen(near, "rb") as terminal:
        process = start(course, ASSIGNMENT, "--jobs=1", stdout=subprocess.PIPE, stderr=far)
        os.close(far)
        printed, _ = process.communicate(timeout=SECONDS_TO_WAIT)
        shown = terminal.read1(100_000).decode()
    assert process.returncode == 0
    assert "1 graded, 2 were, 0 could not be." in printed
    assert "1/1 [" in shown
    assert "<00:00" in shown  # the time left
    assert scores(course) == dict.fromkeys(STUDENTS, POINTS)
    assert submitted_files(course) == before


def graded(course, student):
    """Return the text of a student's graded notebook."""
    try:
        return (course / "autograded" / student / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text(encoding="utf-8")
    except OSError:
        return ""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([ASSIGNMENT, "--jobs=0"], "'0' is not a number from 1"),
        ([ASSIGNMENT, "--jobs=-1"], "'-1' is not a number from 1"),
        ([ASSIGNMENT, "--jobs=many"], "'many' is not a number from 1"),
        (["another"], f"Nobody has handed in another: nothing of it is in submitted/ (there is {ASSIGNMENT})."),
        (["--CourseDirectory.submitted_directory=elsewhere", ASSIGNMENT], "(it is empty; `python -m grading collect`"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_exit_code_is_two(course, arguments, complaint, monkeypatch, capsys):
    monkeypatch.chdir(course)
    try:
        code = main(["autograde", *arguments])
    except SystemExit as left:
        code = left.code
    assert code == 2
    assert complaint in capsys.readouterr().err
