"""What a course system hands out becomes nbgrader's `submitted/`, the newest of each learner, byte for byte."""

import argparse
import copy
import json
import os
import shutil
import subprocess
import sys
import zipfile
from datetime import UTC, datetime

import nbformat
import pytest
from nbformat import from_dict
from nbgrader.utils import parse_utc

from grading.collecting import add_parser, as_text, collect
from grading.students import Roster, WhoHandedIn
from tests.grading.real_course import ASSIGNMENT, NOTEBOOK
from tests.grading.small_course import ROOT
from tests.grading.synthetic_class import saved_by_colab

OTHER = "ch04_02_multihead"
MONDAY, TUESDAY = (2026, 11, 23, 10, 0, 0), (2026, 11, 24, 10, 0, 0)
ROSTER = Roster.from_rows(
    [
        {"id": "2023001", "first_name": "三", "last_name": "张"},
        {"id": "2023002", "first_name": "四", "last_name": "李"},
        {"id": "2023003", "first_name": "Ada", "last_name": "King"},
        {"id": "2023004", "first_name": "五", "last_name": "王"},
    ]
)


def release(assignment):
    (path,) = (ROOT / "notebooks" / assignment).glob("*.ipynb")
    return nbformat.read(path, as_version=4)


def notebook(mark="", assignment=ASSIGNMENT, damage=copy.deepcopy):
    """Return a learner's file, told from others by a mark."""
    nb = damage(release(assignment))
    nb.metadata["mark"] = mark
    return json.dumps(nb, ensure_ascii=False)


def stripped(nb):
    for cell in nb.cells:
        cell.metadata = from_dict({})
    return nb


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    (tmp_path / "downloads").mkdir()
    return tmp_path


@pytest.fixture
def collected(course):
    """Return a function that hands files out in one zip file, and collects it."""

    def run(files, name="class.zip", roster=ROSTER):
        path = course / "downloads" / name
        with zipfile.ZipFile(path, "w") as archive:
            for member, (content, time) in files.items():
                archive.writestr(zipfile.ZipInfo(member, time), content)
        return collect(ASSIGNMENT, [path], WhoHandedIn(roster=roster), course / "notebooks", course / "submitted")

    return run


def submitted(course):
    """Return what lies in `submitted/`: every file with its bytes and time."""
    files = [path for path in (course / "submitted").rglob("*") if path.is_file()]
    return {str(path.relative_to(course / "submitted")): (path.read_bytes(), path.stat().st_mtime) for path in files}


def mark_of(course, student):
    path = course / "submitted" / student / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))["metadata"]["mark"]


def reasons(report):
    return {remark.origin.rpartition("/")[2]: remark.reason for remark in report.problems}


def test_each_learners_notebook_is_taken_whatever_its_name_and_copied_byte_for_byte(course, collected):
    files = {
        "张三_48211_assignsubmission_file_/01_attention (1).ipynb": (notebook("a"), MONDAY),
        "2023002_李四_“01_attention.ipynb”的副本.ipynb": (notebook("b", damage=saved_by_colab), MONDAY),
        "kingada_50125_777_Copy of 01_attention.ipynb": (notebook("c", damage=stripped), TUESDAY),
    }
    report = collected(files)
    assert report.problems == []
    assert sorted(report.students) == ["2023001", "2023002", "2023003"]
    handed_in = {content.encode() for content, _ in files.values()}
    taken = submitted(course)
    assert {taken[f"{student}/{ASSIGNMENT}/{NOTEBOOK}.ipynb"][0] for student in report.students} == handed_in
    stamp = taken[f"2023003/{ASSIGNMENT}/timestamp.txt"][0].decode()
    assert parse_utc(stamp) == datetime(*TUESDAY).astimezone(UTC).replace(tzinfo=None)


def test_a_notebook_of_another_section_is_said_to_be_one_whatever_its_name(course, collected):
    report = collected({"2023001_01_attention.ipynb": (notebook(assignment=OTHER), MONDAY)})
    assert reasons(report) == {"2023001_01_attention.ipynb": f"is {OTHER}, not {ASSIGNMENT}"}
    assert submitted(course) == {}


def test_of_two_files_the_newer_counts_and_it_is_said(course, collected):
    files = {
        "2023001_01_attention (1).ipynb": (notebook("older"), MONDAY),
        "2023001_01_attention.ipynb": (notebook("newer"), TUESDAY),
    }
    report = collected(files)
    assert mark_of(course, "2023001") == "newer"
    assert report.problems == []
    assert "(1).ipynb: 2023001 handed in a newer one, class.zip/2023001_01_attention.ipynb" in report.notes[0]


def test_a_time_that_the_course_system_wrote_into_the_name_comes_before_the_files(course, collected):
    files = {
        "2023001_attempt_2026-11-24-12-00-00_x.ipynb": (notebook("newer"), MONDAY),
        "2023001_attempt_2026-11-23-12-00-00_x.ipynb": (notebook("older"), TUESDAY),
    }
    collected(files)
    assert mark_of(course, "2023001") == "newer"


def test_two_files_of_the_same_time_are_taken_by_their_number_and_need_a_look(course, collected):
    files = {
        "2023001_01_attention.ipynb": (notebook("first"), MONDAY),
        "2023001_01_attention (2).ipynb": (notebook("third"), MONDAY),
        "2023001_01_attention (1).ipynb": (notebook("second"), MONDAY),
    }
    report = collected(files)
    assert mark_of(course, "2023001") == "third"
    assert len(report.problems) == 2
    assert "look which one counts" in report.problems[0].reason


def test_the_same_file_twice_is_no_problem(collected):
    files = {f"2023001_{name}.ipynb": (notebook("same"), MONDAY) for name in ("a", "b")}
    report = collected(files)
    assert report.problems == []
    assert report.notes == []


def test_collecting_twice_changes_nothing(course, collected):
    files = {"2023001_a.ipynb": (notebook("a"), MONDAY), "2023001_b.ipynb": (notebook("b"), MONDAY)}
    first = collected(files)
    there = submitted(course)
    second = collected(files)
    assert submitted(course) == there
    assert [result for _, result in second.taken] == ["already there"]
    assert second.remarks == first.remarks


def test_the_same_bytes_with_a_later_time_are_no_resubmission(course, collected):
    collected({"2023001_x.ipynb": (notebook("a"), MONDAY)})
    there = submitted(course)
    collected({"2023001_x.ipynb": (notebook("a"), TUESDAY)})
    assert submitted(course) == there


def test_a_newer_download_replaces_and_gets_a_newer_timestamp_and_an_older_one_does_not(course, collected):
    stamp = course / "submitted" / "2023001" / ASSIGNMENT / "timestamp.txt"
    collected({"2023001_x.ipynb": (notebook("older"), MONDAY)})
    before = parse_utc(stamp.read_text())
    report = collected({"2023001_x.ipynb": (notebook("newer"), TUESDAY)}, name="later.zip")
    assert [result for _, result in report.taken] == ["replaces an older one"]
    assert (mark_of(course, "2023001"), parse_utc(stamp.read_text()) > before) == ("newer", True)
    there = submitted(course)
    report = collected({"2023001_x.ipynb": (notebook("older"), MONDAY)})
    assert "is newer, and stays" in report.notes[0]
    assert submitted(course) == there


def test_a_different_file_of_the_same_time_as_one_that_was_collected_changes_nothing(course, collected):
    collected({"2023001_x.ipynb": (notebook("first"), MONDAY)})
    report = collected({"2023001_x.ipynb": (notebook("other"), MONDAY)})
    assert "nothing was changed" in report.problems[0].reason
    assert mark_of(course, "2023001") == "first"


def test_a_run_that_was_stopped_before_the_timestamp_is_completed(course, collected):
    files = {"2023001_x.ipynb": (notebook("a"), MONDAY)}
    collected(files)
    there = submitted(course)
    (course / "submitted" / "2023001" / ASSIGNMENT / "timestamp.txt").unlink()
    collected(files)
    assert submitted(course) == there


def test_what_was_put_there_by_hand_is_replaced_by_what_is_newer_and_it_is_said(course, collected):
    path = course / "submitted" / "2023001" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook("by hand"))
    os.utime(path, (0, 0))
    report = collected({"2023001_x.ipynb": (notebook("collected"), MONDAY)})
    assert mark_of(course, "2023001") == "collected"
    assert "--force" in report.notes[0]


def test_every_file_that_cannot_be_taken_is_a_line_and_the_rest_goes_on(course, collected):
    files = {
        "2023001_x.ipynb": (notebook(), MONDAY),
        "2023002_broken.ipynb": (notebook()[:-100], MONDAY),
        "2023003_latin.ipynb": (notebook("é").encode("latin-1", errors="replace"), MONDAY),
        "2023004_own.ipynb": (json.dumps({**release(ASSIGNMENT), "cells": []}), MONDAY),
        "nobody_x.ipynb": (notebook(), MONDAY),
        "../2023002_out.ipynb": (notebook(), MONDAY),
        "2023002_x.html": ("<html>", MONDAY),
        "inner.zip": (b"PK", MONDAY),
    }
    report = collected(files)
    assert report.students == {"2023001"}
    assert reasons(report) == {
        "2023002_broken.ipynb": "no notebook that can be read",
        "2023003_latin.ipynb": "no notebook that can be read",
        "2023004_own.ipynb": "not made from any section, or from several",
        "nobody_x.ipynb": "no student of the roster in its name",
        "2023002_out.ipynb": "a name that leads out of its archive",
        "2023002_x.html": "not a notebook",
        "inner.zip": "not a zip file that can be read (BadZipFile)",
    }
    assert list((course / "submitted").iterdir()) == [course / "submitted" / "2023001"]


def test_other_files_of_a_learner_whose_notebook_was_taken_need_no_look(collected):
    files = {
        "2023001_x.ipynb": (notebook(), MONDAY),
        "2023001_x.html": ("<html>", MONDAY),
        "2023001_02.ipynb": (notebook(assignment=OTHER), TUESDAY),
        "2023002_02.ipynb": (notebook(assignment=OTHER), TUESDAY),
    }
    report = collected(files)
    assert set(reasons(report)) == {"2023002_02.ipynb"}
    assert "2023001_x.html: not a notebook (2023001)" in as_text(report)


def test_the_downloads_stay_as_they_are(course, collected):
    collected({"2023001_x.ipynb": (notebook(), MONDAY)})
    path = course / "downloads" / "class.zip"
    before = path.read_bytes(), path.stat().st_mtime_ns
    collect(ASSIGNMENT, [path], WhoHandedIn(), course / "notebooks", course / "submitted")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert os.listdir(course / "downloads") == ["class.zip"]


def test_the_report_is_a_table_with_who_has_handed_in_nothing(collected):
    report = collected({"2023001_张三.ipynb": (notebook(), MONDAY), "2023002_x.ipynb": (notebook(), MONDAY)})
    lines = as_text(report, ROSTER).splitlines()
    assert lines[0].split() == ["student", "notebook", "handed", "in", "(UTC)", "from"]
    assert lines[1].startswith("2023001  01_attention  2026-11-23")
    assert lines[1].endswith("new  class.zip/2023001_张三.ipynb")
    assert "Taken: 2 new." in lines
    assert lines[-1] == "  Nothing from 2 of the roster: 2023003, 2023004"


@pytest.fixture
def command(course, capsys):
    """Return a function that runs the command, and returns its exit code with what it says."""
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(required=True))

    def run(*arguments):
        parsed = parser.parse_args(["collect", *map(str, arguments)])
        code = parsed.run(parsed)
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def test_the_command_ends_with_0_if_all_was_taken_and_1_if_something_needs_a_look(course, command):
    folder = course / "downloads" / "2023001"
    folder.mkdir()
    (folder / "01_attention.ipynb").write_text(notebook())
    assert command(ASSIGNMENT, course / "downloads")[0] == 0
    (course / "downloads" / "x.ipynb").write_text(notebook())
    code, said = command(ASSIGNMENT, course / "downloads")
    assert code == 1
    assert "1 need a look:" in said
    assert "downloads/x.ipynb: no student id in its name" in said


def test_a_roster_in_the_course_folder_is_used(course, command):
    (course / "roster.csv").write_text("id\n2023002\n")
    (course / "downloads" / "2023001_x.ipynb").write_text(notebook())
    code, said = command(ASSIGNMENT, course / "downloads")
    assert code == 1
    assert "Nothing from 1 of the roster: 2023002" in said


def test_a_pattern_may_be_named_or_written(course, command):
    (course / "downloads" / "group1-ada.ipynb").write_text(notebook())
    assert command(ASSIGNMENT, course / "downloads", "--pattern", "moodle")[0] == 1
    assert command(ASSIGNMENT, course / "downloads", "--student-pattern", r"group\d-(?P<student_id>\w+)")[0] == 0
    assert mark_of(course, "ada") == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("ch99", "downloads"), "there are: ch04_01_attention"),
        ((ASSIGNMENT, "no such file"), "there is no no such file"),
        ((ASSIGNMENT, "downloads", "--pattern", "("), "Nothing was collected"),
        ((ASSIGNMENT, "downloads", "--roster", "none.csv"), "none.csv"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_ends_with_2(command, arguments, reason):
    code, said = command(*arguments)
    assert code == 2
    assert reason in said
    assert len(said.splitlines()) == 1


def test_a_setting_of_nbgrader_is_refused(course, capsys):
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(required=True))
    parsed = parser.parse_args(["collect", ASSIGNMENT, str(course)])
    assert parsed.run(parsed, ["--ExecuteSubmission.timeout=30"]) == 2
    assert "knows no --ExecuteSubmission.timeout=30" in capsys.readouterr().err


def test_nbgrader_reads_what_was_collected(course, collected):
    collected({"2023001_x.ipynb": (notebook(), MONDAY)})
    shutil.copy(ROOT / "nbgrader_config.py", course)
    code = (
        "from nbgrader.apps import NbGraderAPI; from traitlets.config import Config; c = Config();"
        f"c.CourseDirectory.root = {str(course)!r}; api = NbGraderAPI(config=c);"
        f"print(api.get_submitted_students({ASSIGNMENT!r}), api.get_submitted_timestamp({ASSIGNMENT!r}, '2023001'))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    expected = datetime(*MONDAY).astimezone(UTC).replace(tzinfo=None)
    assert result.stdout.split("\n")[0] == f"{{'2023001'}} {expected}", result.stderr
