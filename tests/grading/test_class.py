"""A whole class goes through nbgrader's stock commands: each submission gets what it deserves, the others untouched."""

import csv
import html
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from nbgrader.api import Gradebook

from helpers.checks import exercises
from helpers.checks.checking import GRADING_ROUNDS
from helpers.checks.exercise import draw_cases
from tests.grading.real_course import ASSIGNMENT, NOTEBOOK, hand_in, release, run
from tests.grading.synthetic_class import SEED, Section, Submission, make_class

# Two processes share the class, as an instructor may; whoever is slow gets a time limit that a test can wait for, and
# that leaves a function the 5 seconds after which it is stopped by itself.
SHARES = (
    ["--student=slow*", "--ExecuteSubmission.timeout=8"],
    ["--student=[a-n]*"],
    ["--student=[o-z]*", "--CourseDirectory.student_id_exclude=slow_endless_loops"],
)


@dataclass(frozen=True)
class GradedClass:
    """A course folder after grading."""

    course: Path
    section: Section
    submissions: dict[str, Submission]
    output: str

    def grades(self, student):
        """Return the learner's grades by the name of the graded cell."""
        with Gradebook(f"sqlite:///{self.course / 'gradebook.db'}") as gradebook:
            notebook = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student)
            return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}

    def feedback(self, student):
        """Return the page that the learner gets back."""
        return (self.course / "feedback" / student / ASSIGNMENT / f"{NOTEBOOK}.html").read_text(encoding="utf-8")

    @property
    def with_notebook(self):
        """The learners who handed in anything that has the name of a notebook."""
        return {student: submission for student, submission in self.submissions.items() if submission.text is not None}


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    section, output = release(course)
    submissions = make_class(section)
    for student, submission in submissions.items():
        hand_in_all(course, student, submission)
    (course / "roster.csv").write_text("id\n" + "\n".join(submissions))
    output += nbgrader(course, "db", "student", "import", "roster.csv")
    with ThreadPoolExecutor(max_workers=2) as pool:
        output += "".join(pool.map(lambda share: nbgrader(course, "autograde", ASSIGNMENT, *share), SHARES))
    output += nbgrader(course, "generate_feedback", ASSIGNMENT)
    output += nbgrader(course, "export", "--to=grades.csv")
    return GradedClass(course, section, submissions, output)


def nbgrader(course, *arguments):
    """Run a stock command and return what it says."""
    return run(course, "nbgrader", *arguments).stderr


def hand_in_all(course, student, submission):
    """Put everything that a learner hands in where nbgrader expects it."""
    for name, text in submission.other_files.items():
        path = course / "submitted" / student / ASSIGNMENT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if submission.text is not None:
        hand_in(course, student, submission.text, file_name(submission))


def file_name(submission):
    return (submission.file_name or "{name}.ipynb").format(name=NOTEBOOK)


def test_every_exercise_of_every_submission_gets_the_points_that_it_deserves(graded_class):
    given = {}
    for student in graded_class.with_notebook:
        grades = graded_class.grades(student)
        given[student] = {
            question.exercise_id: grades[question.test_id][0] for question in graded_class.section.questions
        }
    deserved = {student: submission.points for student, submission in graded_class.with_notebook.items()}
    wrong = {student: given[student] for student in given if given[student] != pytest.approx(deserved[student])}
    assert wrong == {}


def test_the_lesson_asks_every_exercise_of_its_section_and_offers_its_points(graded_class):
    section = NOTEBOOK.split("_", 1)[1]
    asked = {question.exercise_id: question.points for question in graded_class.section.questions}
    assert asked == {name: each.points for name, each in exercises().items() if name.startswith(f"{section}.")}


def test_a_written_answer_waits_for_a_reader_and_an_untouched_one_gets_zero(graded_class):
    for grade_id in graded_class.section.written_ids:
        assert graded_class.grades("perfect")[grade_id] == (None, True)
        assert graded_class.grades("untouched")[grade_id] == (0, False)
        assert graded_class.grades("not_json")[grade_id] == (0, False)


def test_the_feedback_says_in_chinese_why_points_were_lost(graded_class):
    for student, submission in graded_class.with_notebook.items():
        text = html.unescape(re.sub(r"<[^>]*>", "", graded_class.feedback(student)))
        for sentence in submission.must_say:
            assert sentence in text, (student, sentence)


def test_no_feedback_shows_a_number_of_a_grading_case(graded_class):
    asked = [exercises()[question.exercise_id] for question in graded_class.section.questions]
    secret = {number for exercise in asked for number in numbers_of_cases(exercise)}
    assert len(secret) > 500
    harmless = numbers_shown(graded_class.feedback("untouched"))  # of the lesson, and of the page's style sheet
    for student in graded_class.with_notebook:
        shown = numbers_shown(graded_class.feedback(student)) - harmless
        assert not shown & secret, student


def numbers_shown(page):
    """Return the numbers with at least four decimals in a page, cut off after four."""
    return set(re.findall(r"\d+\.\d{4}", page))


def numbers_of_cases(exercise):
    """Yield the numbers of an exercise's grading cases as text, with four decimals, cut off and rounded."""
    for case in draw_cases(exercise, SEED, GRADING_ROUNDS):
        for argument in case.arguments:
            numbers = np.abs(np.ravel(np.asarray(0.0 if callable(argument) else argument, dtype=float)))
            finite = numbers[np.isfinite(numbers)]
            for number in finite[finite % 1 > 0.01]:
                yield from (f"{number:.12f}"[:-8], f"{number:.4f}")


def test_no_feedback_holds_a_script_of_the_submission(graded_class):
    page = graded_class.feedback("leaks_the_cases")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "只按文字显示" in page


def test_the_export_has_one_row_a_learner_of_this_section_alone(graded_class):
    with open(graded_class.course / "grades.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["assignment"] for row in rows} == {ASSIGNMENT}
    totals = {student: sum(submission.points.values()) for student, submission in graded_class.submissions.items()}
    assert {row["student_id"]: float(row["score"]) for row in rows} == pytest.approx(totals)


def test_what_was_handed_in_is_not_edited(graded_class):
    for student, submission in graded_class.with_notebook.items():
        folder = graded_class.course / "submitted" / student / ASSIGNMENT
        assert (folder / file_name(submission)).read_text(encoding="utf-8") == submission.text


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc, as Linux has it")
def test_no_kernel_is_left_behind(graded_class):
    runtime = str(graded_class.course / "runtime").encode()
    assert "Cell" in graded_class.output  # some cells did have to be stopped
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        assert runtime not in _read_or_empty(process)


def _read_or_empty(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""
