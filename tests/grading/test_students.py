"""Who handed a file in, told from the names that course systems give to files and folders."""

from datetime import UTC, datetime

import pytest

from grading.students import Roster, Unknown, WhoHandedIn, time_in_name

ROWS = """\
id,first_name,last_name,email,lms_user_id
2023001,三,张,zhangsan@example.edu,50123
2023002,四,李,lisi@example.edu,
2023003,Ada,King Lovelace,ada@example.edu,50125
2023004,Wei,Li,wl@example.edu,
2023005,Wei,Li,weili@example.edu,
"""


@pytest.fixture
def roster(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text(ROWS, encoding="utf-8")
    return Roster.read(path)


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("张三_48211_assignsubmission_file_/x.ipynb", "2023001"),
        ("三 张_48211_assignsubmission_file_x.ipynb", "2023001"),
        ("Ada King Lovelace_48213_assignsubmission_file/x.ipynb", "2023003"),
        ("kinglovelaceada_777_8888_01_attention-1.ipynb", "2023003"),
        ("zhangsan_LATE_777_8888_x.ipynb", "2023001"),
        ("someone_50125_8888_x.ipynb", "2023003"),
        ("2023002_李四_01_attention (1).ipynb", "2023002"),
        ("2023002李四.zip/work/01.ipynb", "2023002"),
        ("李四/2023002/01.ipynb", "2023002"),
        ("第三组-2023002-01.ipynb", "2023002"),
        ("01_attention-张三 (1).ipynb", "2023001"),
        ("2023004_李四/张三的作业.ipynb", "2023004"),
    ],
)
def test_the_roster_knows_a_person_by_id_number_name_or_email(roster, name, student):
    assert WhoHandedIn(roster=roster).find("class", name.split("/")) == student


@pytest.mark.parametrize("name", ["王五_1_assignsubmission_file_/x.ipynb", "2024001_x.ipynb", "01_attention (1).ipynb"])
def test_who_is_not_in_the_roster_is_unknown(roster, name):
    with pytest.raises(Unknown, match="no student of the roster"):
        WhoHandedIn(roster=roster).find("class", name.split("/"))


@pytest.mark.parametrize(
    "name", ["Wei Li_1_assignsubmission_file_/x.ipynb", "张三_1_assignsubmission_/2023002_x.ipynb"]
)
def test_a_name_that_fits_two_students_is_not_decided(roster, name):
    with pytest.raises(Unknown, match="fits several students: 202300., 202300."):
        WhoHandedIn(roster=roster).find("class", name.split("/"))


def test_the_name_of_a_persons_own_archive_counts_if_the_roster_knows_it(roster):
    assert WhoHandedIn(roster=roster).find("2023001_张三.zip", ["01.ipynb"]) == "2023001"
    with pytest.raises(Unknown):
        WhoHandedIn().find("2023001_张三.zip", ["01.ipynb"])


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("2023001_张三_01_attention (1).ipynb", "2023001"),
        ("B2023001张三.ipynb", "B2023001"),
        ("2023001/01_attention.ipynb", "2023001"),
        ("zhangsan_50123_8888_x.ipynb", "50123"),
    ],
)
def test_without_a_roster_an_id_in_the_name_is_taken(name, student):
    assert WhoHandedIn().find("class", name.split("/")) == student


@pytest.mark.parametrize("name", ["张三_48211_assignsubmission_file_/x.ipynb", "01_attention.ipynb", "hw_1_2_x.ipynb"])
def test_without_a_roster_and_an_id_nothing_is_guessed(name):
    with pytest.raises(Unknown, match="no student id"):
        WhoHandedIn().find("class", name.split("/"))


def test_a_regular_expression_as_for_zip_collect_works():
    pattern = r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
    who = WhoHandedIn((pattern,))
    assert who.find("class", ["a", "ps1_bitdiddle_attempt_2016-01-30-15-00-00_problem1.ipynb"]) == "bitdiddle"
    with pytest.raises(Unknown):
        who.find("class", ["2023001_x.ipynb"])


@pytest.mark.parametrize("student", ["..", ".hidden", "a b", "*", "[x]", "a\\b"])
def test_an_id_that_cannot_be_a_folder_is_refused(student):
    with pytest.raises(Unknown, match="cannot be"):
        WhoHandedIn((r"(?P<student_id>[^/]+)=",)).find("class", [f"{student}=.ipynb"])


def test_a_pattern_that_was_given_is_the_only_one_that_counts(roster):
    with pytest.raises(Unknown, match="no student of the roster"):
        WhoHandedIn(("moodle",), roster).find("class", ["2023001_x.ipynb"])


def test_a_broken_regular_expression_is_refused_at_once():
    with pytest.raises(ValueError, match="no regular expression"):
        WhoHandedIn(("(",))


def test_the_roster_is_read_as_excel_writes_it(tmp_path):
    path = tmp_path / "roster.csv"
    for encoding in ("utf-8-sig", "gb18030"):
        path.write_bytes(ROWS.encode(encoding))
        assert Roster.read(path).find({"name": "张三"}) == {"2023001"}
    path.write_text("student,name\n1,x\n")
    with pytest.raises(ValueError, match="column id"):
        Roster.read(path)


@pytest.mark.parametrize(
    "name", ["Ada_attempt_2026-11-29-08-30-02_x.ipynb", "Ada_2026-11-29 08.30.02.ipynb", "2026-11-29T08:30:02"]
)
def test_a_time_in_the_name_is_read(name):
    assert time_in_name(["class", name]) == datetime(2026, 11, 29, 8, 30, 2).astimezone(UTC)


@pytest.mark.parametrize("name", ["202311070123_x.ipynb", "2023-99-07-01-23_x.ipynb", "x.ipynb"])
def test_an_id_is_not_taken_for_a_time(name):
    assert time_in_name([name]) is None
