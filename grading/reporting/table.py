"""Show who got what as a table: in the terminal, and as CSV for a spreadsheet."""

import csv
import os.path

from grading.reporting.marks import NOT_GRADED as WAITS
from grading.text_table import aligned, printable

ABSENT, NOT_GRADED = "-", "not graded"
MAXIMUM = "(maximum)"
FORMULA = tuple("=+-@＝＋－＠\t\r")  # with these, a spreadsheet takes a text for something to compute


def as_text(class_marks):
    """Return the table for the terminal."""
    names = [assignment.name for assignment in class_marks.assignments]
    short = dict(zip(names, _without_common_prefix(names), strict=True))
    head, maximum, *rows = _rows(class_marks, ABSENT)
    lines = aligned([[short.get(text, text) for text in head], maximum, *rows], n_left=head.index(names[0]))
    return "\n".join(f"  {line}" for line in lines)


def flags_as_text(class_marks):
    """Return what to look at, a line each; the table itself says whose work is not graded."""
    several = len(class_marks.assignments) > 1
    lines = [
        f"{student}  {f'{assignment.name}: ' if several else ''}{flag}"
        for student in class_marks.students
        for assignment, mark in zip(class_marks.assignments, class_marks.of_student(student), strict=True)
        for flag in (mark.flags if mark else ())
        if flag != WAITS
    ]
    return "".join(f"{printable(line)}\n" for line in lines)


def as_csv(class_marks, file):
    """Write the table as CSV; who handed in nothing has an empty place, as has what is not there."""
    writer = csv.writer(file)
    for row in _rows(class_marks, ""):
        writer.writerow([f"'{text}" if text.startswith(FORMULA) else text for text in row])


def points_text(points):
    """Return points with at most two decimals.

    Examples
    --------
    >>> points_text(2.0), points_text(1.666667)
    ('2', '1.67')
    """
    return f"{round(points, 2):g}" if points < 1e5 else f"{points:.2f}"


def _rows(class_marks, absent):
    """Return head, maximum and one row a student, all as text."""
    with_names = bool(class_marks.names)
    assignments = class_marks.assignments
    head = ["student", *(["name"] if with_names else []), *(each.name for each in assignments)]
    top = [MAXIMUM, *([""] if with_names else []), *(points_text(each.max_points) for each in assignments)]
    total = points_text(sum(each.max_points for each in assignments))
    rows = [[*head, "total", "to mark", "flags"], [*top, total, "", ""]]
    for student in class_marks.students:
        marks = class_marks.of_student(student)
        name = [class_marks.names.get(student, "")] if with_names else []
        rows.append([student, *name, *(_cell(mark, absent) for mark in marks), *_sums(marks)])
    return rows


def _cell(mark, absent):
    if mark is None:
        return absent
    return NOT_GRADED if mark.points is None else points_text(mark.points)


def _sums(marks):
    """Return the total, the number of written answers to mark, and the number of flags."""
    there = [mark for mark in marks if mark is not None]
    total = sum(mark.points for mark in there if mark.points is not None)
    waiting, flags = sum(len(mark.waiting) for mark in there), sum(len(mark.flags) for mark in there)
    return points_text(total), str(waiting or ""), str(flags or "")


def _without_common_prefix(names):
    """Return names without the words that all begin with: seven long ones do not fit a terminal."""
    common = os.path.commonprefix(names).rpartition("_") if len(names) > 1 else ("", "", "")
    return [name.removeprefix("".join(common[:2])) for name in names]
