"""What the instructor reads: made of a small gradebook and graded notebooks that say what is wrong in them."""

import csv
import hashlib
import re
import shutil
from datetime import datetime, timedelta
from html.parser import HTMLParser

import nbformat
import pytest
from nbformat import v4
from nbgrader.api import Gradebook

from grading.__main__ import main
from grading.course import Course
from grading.reporting.counts import NOTHING, RIGHT, SLIP, groups, histogram, most_frequent_slips
from grading.reporting.marks import LATE, NOT_GRADED, REPLACED, STRANGER, Mark, NothingToReport, read_class
from grading.reporting.page import as_html
from grading.reporting.table import as_csv, as_text, flags_as_text
from helpers.checks import exercises

FIRST, SECOND = "ch04_01_first", "ch04_02_second"
SOFTMAX, SCORES, HEADS = "attention.softmax", "attention.scores", "multihead.split_heads"
LESSONS = {FIRST: ("4.1 第一节", (SOFTMAX, SCORES)), SECOND: ("4.2 第二节", (HEADS,))}
MAX_POINTS = 2.0  # of every exercise and of the written answer
SLIP_NAME = exercises()[SOFTMAX].slips[0].name
OTHER_SLIP = exercises()[SCORES].slips[1].name
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
WHEN = datetime(2026, 11, 29, 21, 30)
SETTINGS = """
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
"""

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's, when it adds a submission


def check_id(exercise_id):
    return f"{exercise_id.replace('.', '-')}-check"


class MadeUpCourse:
    """A course folder whose grading came out as a test wants it."""

    def __init__(self, folder):
        self.folder = folder

    def release(self):
        (self.folder / "nbgrader_config.py").write_text(SETTINGS, encoding="utf-8")
        with self.gradebook() as gradebook:
            for assignment, (title, names) in LESSONS.items():
                self._release(gradebook, assignment, title, names)

    def gradebook(self):
        return Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}")

    def _release(self, gradebook, assignment, title, names):
        cells = [v4.new_markdown_cell(f"# {title}")]
        gradebook.add_assignment(assignment)
        gradebook.add_notebook("lesson", assignment)
        for number, name in enumerate(names, start=1):
            cells.append(v4.new_markdown_cell(f"### 练习 {number}　{name.split('.')[1]}　〔深度〕\n\n问题"))
            cells.append(graded_cell(v4.new_code_cell(f'check("{name}", f)'), check_id(name), False))
            gradebook.add_grade_cell(check_id(name), "lesson", assignment, max_score=MAX_POINTS, cell_type="code")
        cells.append(v4.new_markdown_cell("### 核心问题 1"))
        cells.append(graded_cell(v4.new_markdown_cell("在这里写下你的回答。"), "why", True))
        gradebook.add_grade_cell("why", "lesson", assignment, max_score=MAX_POINTS, cell_type="markdown")
        write(self.folder / "notebooks" / assignment / "lesson.ipynb", v4.new_notebook(cells=cells))

    def hand_in(self, student, assignment=FIRST, content="{}"):
        path = self.folder / "submitted" / student / assignment / "lesson.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")
        return path

    def grade(self, student, assignment=FIRST, outcomes=(), points=(), flags=(), written=None, finished=True):
        """Leave what grading leaves; `written` are the points of the written answer, if it has been marked."""
        path = self.hand_in(student, assignment)
        names = LESSONS[assignment][1]
        tests = [
            {"missing": "NameError"}
            if outcome is None
            else {"exercise_id": name, "points": 0, "outcome": outcome, "slip": None, "recited": False}
            if outcome in ("correct", "different", "not attempted")
            else {"exercise_id": name, "points": 0, "outcome": "slip", "slip": outcome, "recited": False}
            for name, outcome in zip(names, outcomes, strict=False)
        ]
        record = {"submitted": hashlib.sha256(path.read_bytes()).hexdigest(), "flags": list(flags)}
        record |= {"tests": tests} if finished else {}
        graded = self.folder / "autograded" / student / assignment / "lesson.ipynb"
        write(graded, v4.new_notebook(metadata={"grading": record}))
        with self.gradebook() as gradebook:
            gradebook.update_or_create_student(student, first_name="Only", last_name="In the gradebook")
            for grade in gradebook.add_submission(assignment, student).notebooks[0].grades:
                if grade.cell.name == "why":
                    grade.manual_score, grade.needs_manual_grade = written, written is None
                elif finished:
                    got = dict(zip(map(check_id, names), points, strict=False))
                    grade.auto_score, grade.needs_manual_grade = got.get(grade.cell.name, 0.0), False
            gradebook.db.commit()

    def read(self, *assignments, names=None):
        return read_class(Course(), assignments, names)


def graded_cell(cell, grade_id, is_written):
    cell.metadata["nbgrader"] = {"grade_id": grade_id, "grade": True, "solution": is_written, "points": MAX_POINTS}
    return cell


def write(path, nb):
    path.parent.mkdir(parents=True)
    nbformat.write(nb, path)


@pytest.fixture(scope="module")
def empty_template(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbgrader.api.get_alembic_version", lambda: "")  # it starts a process; nobody asks here
        course = MadeUpCourse(tmp_path_factory.mktemp("course"))
        course.release()
    return course.folder


@pytest.fixture(scope="module")
def graded_template(empty_template, tmp_path_factory):
    course = MadeUpCourse(shutil.copytree(empty_template, tmp_path_factory.mktemp("course"), dirs_exist_ok=True))
    course.grade("ada", outcomes=("correct", "correct"), points=(2, 2))
    course.grade("bo", outcomes=(SLIP_NAME, "different"), points=(0.5, 0))
    course.grade("cai", outcomes=(SLIP_NAME, OTHER_SLIP), points=(0.5, 1), flags=("第 3 个单元格出现 open。",))
    course.grade("di", outcomes=("not attempted", None), points=(0, 0), written=0)
    return course.folder


@pytest.fixture
def course(empty_template, in_new_folder):
    """Return a course in which nothing was handed in."""
    return MadeUpCourse(shutil.copytree(empty_template, in_new_folder, dirs_exist_ok=True))


@pytest.fixture
def small_class(graded_template, in_new_folder):
    """Return a course: Ada is right, Bo and Cai make the same slip, Di answers nothing, and alone waits for no mark."""
    return MadeUpCourse(shutil.copytree(graded_template, in_new_folder, dirs_exist_ok=True))


@pytest.fixture
def in_new_folder(tmp_path, monkeypatch):
    (tmp_path / "course").mkdir()
    monkeypatch.chdir(tmp_path / "course")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    return tmp_path / "course"


def cells_of(table):
    return [re.split(r" {2,}", line.strip()) for line in table.splitlines()]


class Page(HTMLParser):
    """What a browser finds in a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.texts = set(), [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


# ---- marks -----------------------------------------------------------------------------------------------------------


def test_points_are_the_gradebook_s_with_what_was_given_by_hand(small_class):
    with small_class.gradebook() as gradebook:
        gradebook.find_grade("why", "lesson", FIRST, "ada").manual_score = 1.5
        gradebook.find_grade(check_id(SCORES), "lesson", FIRST, "bo").manual_score = 1.0
        gradebook.db.commit()
    marks = small_class.read(FIRST).marks
    assert {student: mark.points for (student, _), mark in marks.items()} == {
        "ada": 5.5,
        "bo": 1.5,
        "cai": 1.5,
        "di": 0,
    }


def test_points_lost_for_being_late_are_lost_here_too(small_class):
    with small_class.gradebook() as gradebook:
        gradebook.find_submission_notebook("lesson", FIRST, "ada").late_submission_penalty = 1.5
        gradebook.find_submission_notebook("lesson", FIRST, "bo").late_submission_penalty = 7.0
        gradebook.db.commit()
    marks = small_class.read(FIRST).marks
    assert marks["ada", FIRST].points == 2.5
    assert marks["bo", FIRST].points == 0


def test_an_answer_waits_until_somebody_has_marked_it(small_class):
    marks = small_class.read(FIRST).marks
    assert marks["ada", FIRST].waiting == ("why",)
    assert marks["di", FIRST].waiting == ()


def test_without_any_name_every_assignment_that_was_handed_in_is_read(course):
    course.grade("ada", FIRST)
    assert [assignment.name for assignment in course.read().assignments] == [FIRST]
    course.hand_in("bo", SECOND)
    assert [assignment.name for assignment in course.read().assignments] == [FIRST, SECOND]


def test_headings_come_from_the_release_without_whom_they_are_for(small_class):
    (assignment,) = small_class.read(FIRST).assignments
    assert assignment.title == "4.1 第一节"
    assert assignment.exercises == {SOFTMAX: "练习 1　softmax", SCORES: "练习 2　scores"}
    assert assignment.written == {"why": "核心问题 1"}


def test_what_is_handed_in_and_not_graded_to_its_end_has_no_points_and_is_listed(course):
    course.hand_in("waits")
    course.grade("interrupted", outcomes=("correct", "correct"), points=(2, 2), finished=False)
    course.grade("damaged", outcomes=("correct", "correct"), points=(2, 2))
    (course.folder / "autograded" / "damaged" / FIRST / "lesson.ipynb").write_text("{", encoding="utf-8")
    marks = course.read(FIRST).marks
    assert {student for student, _ in marks} == {"waits", "interrupted", "damaged"}
    assert {(mark.points, mark.flags) for mark in marks.values()} == {(None, (NOT_GRADED,))}


def test_a_file_that_was_replaced_after_grading_is_listed(small_class):
    path = small_class.folder / "submitted" / "ada" / FIRST / "lesson.ipynb"
    assert small_class.read(FIRST).marks["ada", FIRST].flags == ()
    path.write_text("{ }", encoding="utf-8")
    assert small_class.read(FIRST).marks["ada", FIRST].flags == (REPLACED,)
    path.unlink()  # put away by the instructor
    assert small_class.read(FIRST).marks["ada", FIRST].flags == ()


def test_what_came_after_its_due_date_is_listed_with_the_time_and_the_penalty(small_class):
    due = datetime(2026, 11, 5, 23, 59)
    with small_class.gradebook() as gradebook:
        gradebook.update_or_create_assignment(FIRST, duedate=due)
        late = {"ada": timedelta(days=4, hours=10), "bo": timedelta(seconds=1), "cai": -timedelta(1)}
        for student, after in late.items():
            submission = gradebook.find_submission(FIRST, student)
            submission.timestamp = due + after
            submission.notebooks[0].late_submission_penalty = 0.5 if student == "bo" else None
        gradebook.db.commit()
    marks = small_class.read(FIRST).marks
    assert marks["ada", FIRST].flags == (LATE.format(time="4 天 10 小时", points="0"),)
    assert marks["bo", FIRST].flags == (LATE.format(time="1 分钟", points="0.5"),)
    assert all(LATE[:3] not in flag for student in ("cai", "di") for flag in marks[student, FIRST].flags)


def test_who_is_not_in_the_roster_is_listed_and_without_a_roster_nobody_is(small_class):
    assert small_class.read(FIRST).marks["ada", FIRST].flags == ()
    with small_class.gradebook() as gradebook:
        gradebook.update_or_create_student("ada", first_name=None, last_name=None)
        assert small_class.read(FIRST).marks["ada", FIRST].flags == (STRANGER,)
        assert small_class.read(FIRST, names={"ada": "Ada"}).marks["ada", FIRST].flags == ()
        for student in ("bo", "cai", "di"):
            gradebook.update_or_create_student(student, first_name=None, last_name=None)
    assert small_class.read(FIRST).marks["ada", FIRST].flags == ()


def test_in_the_terminal_too_it_is_said_what_to_look_at_but_not_once_more_who_is_not_graded(small_class):
    small_class.hand_in("waits")
    small_class.grade("bo", SECOND, outcomes=("correct",), points=(2,), flags=("\x1b[2J出现 open。",))
    assert flags_as_text(small_class.read(FIRST)) == "cai  第 3 个单元格出现 open。\n"
    assert flags_as_text(small_class.read(FIRST, SECOND)).splitlines() == [
        f"bo  {SECOND}: �[2J出现 open。",
        f"cai  {FIRST}: 第 3 个单元格出现 open。",
    ]


def test_points_stay_where_the_graded_notebooks_were_put_away(small_class):
    (small_class.folder / "autograded" / "ada" / FIRST / "lesson.ipynb").unlink()
    mark = small_class.read(FIRST).marks["ada", FIRST]
    assert (mark.points, mark.outcomes) == (4, None)


def test_a_notebook_that_a_learner_put_beside_the_lesson_is_not_read(small_class):
    forged = v4.new_notebook(metadata={"grading": {"flags": ["forged"], "tests": []}})
    nbformat.write(forged, small_class.folder / "autograded" / "ada" / FIRST / "another.ipynb")
    assert small_class.read(FIRST).marks["ada", FIRST].flags == ()


def test_an_unknown_assignment_and_an_empty_course_are_said_to_be_so(course):
    with pytest.raises(NothingToReport, match="knows no assignment ch04_09"):
        course.read("ch04_09")
    with pytest.raises(NothingToReport, match="nothing was handed in"):
        course.read()


# ---- counts ----------------------------------------------------------------------------------------------------------


def test_each_slip_is_counted_and_comes_with_its_sentences(small_class):
    marks = small_class.read(FIRST).marks.values()
    right, slip, nothing = (
        next(group for group in groups(SOFTMAX, marks) if group.kind == k) for k in (RIGHT, SLIP, NOTHING)
    )
    assert (right.count, slip.count, nothing.count) == (1, 2, 1)
    known = exercises()[SOFTMAX].slips[0]
    assert (slip.name, slip.wrong, slip.look) == (known.name, known.wrong, known.look)


def test_right_answers_stand_first_and_the_others_by_how_many_they_are(small_class):
    for number in range(3):
        small_class.grade(f"more_{number}", outcomes=("not attempted", "correct"))
    found = groups(SOFTMAX, small_class.read(FIRST).marks.values())
    assert [(group.kind, group.count) for group in found] == [(RIGHT, 1), (NOTHING, 4), (SLIP, 2)]


def test_an_exercise_that_could_not_be_judged_counts_and_work_that_is_not_graded_does_not(small_class):
    small_class.hand_in("waits")
    small_class.grade("unreadable", outcomes=(None, None))
    found = groups(SCORES, small_class.read(FIRST).marks.values())
    assert sum(group.count for group in found) == 5
    assert [group.count for group in found if "函数没有定义" in group.name] == [2]


def test_a_slip_that_is_no_longer_in_the_catalogue_keeps_its_name():
    (group,) = groups(SOFTMAX, [Mark(outcomes={SOFTMAX: ("slip", "an old one")})])
    assert (group.name, group.wrong) == ("an old one", "")


def test_the_most_frequent_slips_of_a_section_come_first(small_class):
    marks = small_class.read(FIRST).marks.values()
    found = {name: groups(name, marks) for name in (SCORES, SOFTMAX)}
    slips = most_frequent_slips(found, n_slips=3)
    assert [(name, group.name, group.count) for name, group in slips] == [
        (SOFTMAX, SLIP_NAME, 2),
        (SCORES, OTHER_SLIP, 1),
    ]
    assert most_frequent_slips(found, n_slips=1) == slips[:1]


def test_the_histogram_loses_nobody_and_full_marks_stand_in_its_last_bin():
    points = [0, 1.99999999999, 2, 13, 25.5, 26, 30]  # with extra credit
    bins = histogram(points, max_points=26)
    assert [lowest for lowest, _ in bins] == list(range(0, 27, 2))
    assert sum(count for _, count in bins) == len(points)
    assert dict(bins)[2] == 2  # a rounding error below 2 is 2
    assert dict(bins)[26] == 2


# ---- the table -------------------------------------------------------------------------------------------------------


def test_the_table_has_a_row_for_every_student_of_the_gradebook(small_class):
    small_class.grade("ada", SECOND, outcomes=("correct",), points=(2,), written=1)
    small_class.hand_in("eve", SECOND)
    with small_class.gradebook() as gradebook:
        gradebook.add_student("zoe")
    assert cells_of(as_text(small_class.read(FIRST, SECOND))) == [
        ["student", "01_first", "02_second", "total", "to mark", "flags"],
        ["(maximum)", "6", "4", "10"],
        ["ada", "4", "3", "7", "1"],
        ["bo", "0.5", "-", "0.5", "1"],
        ["cai", "1.5", "-", "1.5", "1", "1"],
        ["di", "0", "-", "0"],
        ["eve", "-", "not graded", "0", "1"],
        ["zoe", "-", "-", "0"],
    ]


def test_names_of_any_kind_leave_the_columns_in_line_and_command_no_terminal(small_class):
    table = as_text(small_class.read(FIRST, names={"ada": "张三丰", "bo": "Bo\x1b[2JLi"})).splitlines()
    ada, bo = table[2:4]
    assert "张三丰" in ada
    assert "Bo\N{REPLACEMENT CHARACTER}[2JLi" in bo
    # GBK takes two bytes for a Chinese character, as a terminal takes two columns.
    assert len(ada.encode("gbk")) == len(bo.replace("\N{REPLACEMENT CHARACTER}", "?").encode("gbk"))


def test_the_csv_says_the_same(small_class, tmp_path):
    small_class.hand_in("eve")
    with open(tmp_path / "report.csv", "w+", encoding="utf-8", newline="") as file:
        as_csv(small_class.read(FIRST, names={"ada": "张三", "zoe": "Zoe"}), file)
        file.seek(0)
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert rows["ada"] == {
        "student": "ada",
        "name": "张三",
        FIRST: "4",
        "total": "4",
        "to mark": "1",
        "flags": "",
    }
    assert rows["eve"][FIRST] == "not graded"
    assert rows["zoe"][FIRST] == ""
    assert rows["(maximum)"]["total"] == "6"


def test_a_spreadsheet_takes_no_text_of_ours_for_a_formula(course, tmp_path):
    course.grade('=HYPERLINK("x")', outcomes=("correct", "correct"))
    with open(tmp_path / "report.csv", "w+", encoding="utf-8", newline="") as file:
        as_csv(course.read(FIRST, names={"@cmd": "-1+1"}), file)
        file.seek(0)
        cells = [cell for row in csv.reader(file) for cell in row]
    assert '\'=HYPERLINK("x")' in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


# ---- the page --------------------------------------------------------------------------------------------------------


def test_the_page_says_what_to_repeat_what_to_look_at_and_what_waits(small_class):
    page = Page(as_html(small_class.read(), WHEN)).text
    known = exercises()[SOFTMAX].slips[0]
    repeat = page[page.index("课上值得再讲的") : page.index("分数的分布")]
    assert repeat.index(SLIP_NAME) < repeat.index(OTHER_SLIP)
    assert "2 人 · 50%" in repeat
    assert known.wrong in page
    assert known.look in page
    assert "1 / 4 全对" in page
    assert "核心问题 1 why：3 份待批" in page
    assert "4.1 第一节 第 3 个单元格出现 open。" in page[page.index("这些只是请你看一眼") :]


def test_the_page_loads_nothing_and_its_bars_are_as_long_as_their_shares(small_class):
    html = as_html(small_class.read(), WHEN)
    page = Page(html)
    assert page.tags.isdisjoint({"script", "link", "img", "iframe", "object", "form"})
    assert {value[:1] for name, value in page.attributes if name in ("href", "src")} == {"#"}
    assert "url(" not in html
    assert "@import" not in html
    assert ("style", "width:50.00%") in page.attributes
    targets = {value for name, value in page.attributes if name == "id"}
    assert {value[1:] for name, value in page.attributes if name == "href"} <= targets


def test_names_are_on_the_page_only_where_the_roster_has_them(small_class):
    with_names = Page(as_html(small_class.read(FIRST, names={"ada": "张三"}), WHEN)).text
    without = Page(as_html(small_class.read(FIRST), WHEN)).text
    assert "张三" in with_names
    assert "姓名" not in without
    assert "In the gradebook" not in with_names + without


def test_nothing_that_a_learner_wrote_acts_in_the_page(course):
    hostile_id = HOSTILE.replace("/", "")  # the name of a folder
    course.grade(hostile_id, outcomes=(HOSTILE, "correct"), flags=(HOSTILE,))
    html = as_html(course.read(FIRST, names={hostile_id: HOSTILE}), WHEN)
    page = Page(html)
    assert page.tags.isdisjoint({"script", "img"})
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert page.text.count("<script>alert(1)</script>") == 5  # its slip and its name, twice, and its flag, as text
    assert "default-src 'none'" in html


def test_a_class_without_any_graded_work_still_has_a_page(course):
    course.hand_in("waits")
    page = Page(as_html(course.read(), WHEN)).text
    assert "没批完" in page
    assert NOT_GRADED in page


# ---- the command -----------------------------------------------------------------------------------------------------


def test_the_command_prints_the_table_and_writes_what_it_is_asked_for(small_class, capsys):
    (small_class.folder / "roster.csv").write_text(
        "id,first_name,last_name\nada,三,张\nzoe,Zoe,Ray\n", encoding="utf-8"
    )
    assert main(["report", FIRST, "--html=report.html", "--csv=report.csv"]) == 0
    printed = capsys.readouterr().out
    assert ["ada", "张三", "4", "4", "1"] in cells_of(printed)
    assert ["zoe", "Zoe Ray", "-", "0"] in cells_of(printed)
    assert "张三" in (small_class.folder / "report.html").read_text(encoding="utf-8")
    assert (small_class.folder / "report.csv").read_bytes().startswith(b"\xef\xbb\xbfstudent,name,")


def test_a_folder_whose_name_is_no_text_stops_no_report(small_class):
    small_class.hand_in("caf\udce9")  # as Python reads a file name that is not UTF-8
    assert main(["report", FIRST, "--html=report.html", "--csv=report.csv"]) == 0


def test_the_command_changes_nothing(small_class):
    def everything():
        files = [path for path in small_class.folder.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in files}

    before = everything()
    assert main(["report"]) == 0
    assert everything() == before


@pytest.mark.parametrize("arguments", [["ch04_09"], ["--roster=none.csv"], ["--html=none/report.html"]])
def test_a_report_that_cannot_be_made_is_said_so_in_one_line(small_class, capsys, arguments):
    assert main(["report", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_where_there_is_no_gradebook_none_is_made(in_new_folder, capsys):
    assert main(["report"]) == 2
    assert "is this the course's folder?" in capsys.readouterr().err
    assert list(in_new_folder.iterdir()) == []
