"""Read what a class got: the points from nbgrader's gradebook, the outcomes and flags from the graded notebooks."""

import contextlib
import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.api import BaseCell, Grade, Gradebook, MissingEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory

from grading.course import Submission
from grading.gradebook import missing_file
from grading.job import UnreadableTestError, parse_test
from grading.released import released_id
from grading.stamp import RECORD_KEY, SUBMITTED_KEY, digest_of

NOT_GRADED = "交来的作业还没有批改完。"
REPLACED = "批改之后，交来的文件换过了：请再批改一次。"
LATE = "晚交了 {time}（扣 {points} 分）。"
STRANGER = "名单里没有这个学号：submitted/ 里的文件夹名写对了吗？"
NOT_JUDGED = "not judged"  # beside the outcomes of `helpers.checks`
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
PATHS = re.compile(r"[\s　]*〔[^〕]*〕")  # whom a heading is for, such as 〔深度〕


class NothingToReport(LookupError):
    """There is no such assignment, or nobody handed anything in."""


@dataclass(frozen=True)
class Assignment:
    """An assignment as it was released; `exercises` and `written` hold the headings by exercise and by cell."""

    name: str
    title: str
    max_points: float
    exercises: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mark:
    """What became of a student's work on an assignment.

    Attributes
    ----------
    points : float or None
        `None` where it is not graded.
    outcomes : dict of str to (outcome, slip) pairs, or None
        By exercise; the slip is `None` where none was recognised. `None` where there is no record of them.
    flags : tuple of str
        Sentences on what to look at.
    waiting : tuple of str
        The cells of written answers that wait for marks.
    """

    points: float | None = None
    outcomes: dict[str, tuple] | None = None
    flags: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassMarks:
    """What a class got.

    Attributes
    ----------
    assignments : tuple of Assignment
    students : tuple of str
        The ids: of the roster, of the gradebook, and of whoever handed in.
    marks : dict of (student, assignment) pairs of str to Mark
        Of those who handed in.
    names : dict of str to str
        By the student's id; only what the instructor's roster says.
    """

    assignments: tuple[Assignment, ...]
    students: tuple[str, ...]
    marks: dict[tuple[str, str], Mark]
    names: dict[str, str] = field(default_factory=dict)

    def of_student(self, student):
        """Return a student's marks, `None` where nothing was handed in, in the order of the assignments."""
        return [self.marks.get((student, assignment.name)) for assignment in self.assignments]

    def of_assignment(self, assignment):
        """Return the marks of an assignment by student."""
        return {student: mark for (student, name), mark in self.marks.items() if name == assignment.name}


def read_class(course, assignments=(), names=None):
    """Read what a class got.

    Parameters
    ----------
    course : Course
    assignments : sequence of str
        All for which anything was handed in, if empty.
    names : dict of str to str, optional
        The roster: names by student id.

    Returns
    -------
    marks : ClassMarks

    Raises
    ------
    NothingToReport
    """
    directory = CourseDirectory(config=course.config)
    if missing := missing_file(directory.db_url):
        raise NothingToReport(f"there is no {missing}: is this the course's folder?")
    with Gradebook(directory.db_url, directory.course_id) as gradebook:
        reader = _Reader(course, directory, gradebook, names or {})
        read = {name: reader.marks(name) for name in assignments or reader.assignments()}
        released = tuple(reader.assignment(name) for name in read)
        marks = {(student, name): mark for name, marks in read.items() for student, mark in marks.items()}
        known = {student.id for student in gradebook.students}
    if not marks:
        raise NothingToReport("nothing was handed in")
    students = known | set(names or {}) | {student for student, _ in marks}
    return ClassMarks(released, tuple(sorted(students)), marks, names or {})


class _Reader:
    def __init__(self, course, directory, gradebook, names):
        self._course, self._directory, self._gradebook = course, directory, gradebook
        imported = {each.id for each in gradebook.students if each.first_name or each.last_name or each.email}
        self._roster = imported | set(names)  # whoever grading itself has added has an id alone

    def assignments(self):
        """Return the names of the assignments for which anything was handed in."""
        names = sorted(assignment.name for assignment in self._gradebook.assignments)
        return [name for name in names if self._course.submissions(name) or self._find(name).submissions]

    def assignment(self, name):
        """Return an assignment, with the headings of its exercises."""
        released = self._find(name)
        folder = Path(self._directory.root, self._directory.release_directory, name)
        title, exercises, written = name, {}, {}
        for path in sorted(folder.glob("*.ipynb")):
            headings = _headings(nbformat.read(path, as_version=4))
            title = headings.title or title
            exercises |= headings.exercises
            written |= headings.written
        return Assignment(name, title, released.max_score, exercises, written)

    def marks(self, name):
        """Return the marks of an assignment by student."""
        grades, penalties = self._grades(name), self._penalties(name)
        seconds_late = {each.student_id: each.total_seconds_late for each in self._find(name).submissions}
        handed_in = {each.student for each in self._course.submissions(name) if self._course.handed_in(each)}
        notebooks = sorted(notebook.name for notebook in self._find(name).notebooks)
        return {
            student: self._mark(
                Submission(name, student), notebooks, grades[student], seconds_late.get(student, 0), penalties[student]
            )
            for student in sorted(handed_in | grades.keys())
        }

    def _find(self, name):
        try:
            return self._gradebook.find_assignment(name)
        except MissingEntry:
            raise NothingToReport(f"the gradebook knows no assignment {name}") from None

    def _grades(self, name):
        """Return the lists of graded cells, each with its place in the gradebook's `Grade`, by student."""
        assignment, grades = self._find(name), defaultdict(list)
        cells = {
            cell.id: cell for notebook in assignment.notebooks for cell in [*notebook.grade_cells, *notebook.task_cells]
        }
        found = (
            self._gradebook.db.query(SubmittedAssignment.student_id, Grade)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .join(BaseCell, BaseCell.id == Grade.cell_id)
            .filter(SubmittedAssignment.assignment_id == assignment.id)
        )
        for student, grade in found:
            grades[student].append((cells[grade.cell_id], grade))
        return grades

    def _penalties(self, name):
        """Return the points taken off for being late, by student."""
        found = (
            self._gradebook.db.query(SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
            .filter(SubmittedAssignment.assignment_id == self._find(name).id)
        )
        penalties = defaultdict(float)
        for student, penalty in found:
            penalties[student] += penalty or 0
        return penalties

    def _mark(self, submission, notebooks, grades, seconds_late, penalty):
        records = self._records(submission, notebooks)
        finished = all("tests" in record for record in records.values())
        if not finished or not grades or any(_is_unjudged(cell, grade) for cell, grade in grades):
            return Mark(flags=(NOT_GRADED,))
        flags = [flag for record in records.values() for flag in record["flags"]]
        if any(self._is_replaced(submission, name, record) for name, record in records.items()):
            flags.append(REPLACED)
        if seconds_late:
            flags.append(LATE.format(time=time_in_words(seconds_late), points=f"{penalty:g}"))
        if self._roster and submission.student not in self._roster:
            flags.append(STRANGER)
        return Mark(
            points=max(0.0, sum(grade.score for _, grade in grades) - penalty),
            outcomes=_outcomes(records.values()) if records else None,
            flags=tuple(dict.fromkeys(flags)),
            waiting=tuple(cell.name for cell, grade in grades if grade.needs_manual_grade),
        )

    def _records(self, submission, notebooks):
        """Return what grading noted, by notebook; empty where it did not come to its end."""
        folder = self._folder(self._directory.autograded_directory, submission)
        paths = {name: folder / f"{name}.ipynb" for name in notebooks}
        return {name: _record(path) for name, path in paths.items() if path.exists()}

    def _is_replaced(self, submission, notebook, record):
        path = self._folder(self._directory.submitted_directory, submission) / f"{notebook}.ipynb"
        return path.is_file() and digest_of(path) != record.get(SUBMITTED_KEY)

    def _folder(self, directory, submission):
        return Path(self._directory.root, directory, submission.student, submission.assignment)


def time_in_words(seconds):
    """Return a time in Chinese, as exactly as one needs it.

    Examples
    --------
    >>> [time_in_words(seconds) for seconds in (30, 3600, 90_000)]
    ['1 分钟', '1 小时 0 分钟', '1 天 1 小时']
    """
    minutes = math.ceil(seconds / 60)
    days, hours = divmod(minutes // 60, 24)
    if days:
        return f"{days} 天 {hours} 小时"
    return f"{hours} 小时 {minutes % 60} 分钟" if hours else f"{minutes} 分钟"


def _is_unjudged(cell, grade):
    """Say whether a test has no score yet; a written answer may wait for its own."""
    return cell.cell_type == "code" and grade.auto_score is None and grade.manual_score is None


def _record(path):
    """Return a graded notebook's record, read as plain JSON: nbformat would check the whole notebook first."""
    try:
        return json.loads(path.read_bytes())["metadata"].get(RECORD_KEY, {})
    except (OSError, ValueError, KeyError):  # whatever an interrupted run left
        return {}


def _outcomes(records):
    tests = [test for record in records for test in record["tests"]]
    return {test["exercise_id"]: (test["outcome"], test["slip"]) for test in tests if "missing" not in test}


@dataclass
class _Headings:
    title: str | None = None
    exercises: dict = field(default_factory=dict)
    written: dict = field(default_factory=dict)


def _headings(nb):
    """Return the title of a released notebook, and under which heading each exercise and written answer stands."""
    headings, heading = _Headings(), ""
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            found = [PATHS.sub("", text) for text in HEADING.findall(cell.source)]
            headings.title = headings.title or next(iter(found), None)
            heading = found[-1] if found else heading
        if not cell.metadata.get("nbgrader", {}).get("grade"):
            continue
        if cell.cell_type == "markdown":
            headings.written[released_id(cell)] = heading
        else:
            with contextlib.suppress(UnreadableTestError, SyntaxError):
                headings.exercises[parse_test(cell.source)[0]] = heading
    return headings
