"""The command `python -m grading report`, and the table that grading ends with."""

import sys
from datetime import datetime
from pathlib import Path

from sqlalchemy.exc import OperationalError

from grading.collecting import ROSTER
from grading.course import Course
from grading.reporting.marks import NothingToReport, read_class
from grading.reporting.table import as_csv, as_text, flags_as_text
from grading.students import full_names


def add_parser(subparsers):
    """Add `report` to the commands of `python -m grading`; `run` in what it parses does the work."""
    parser = subparsers.add_parser(
        "report",
        help="show who got what, and which mistakes the class makes",
        description="Print what to look at and the points of the class, and write them as CSV and as one HTML page, "
        "with a histogram, and the mistakes that the class makes and how often. It changes nothing. Names are shown "
        "where the roster has them. Exit code: 0 if there is a report, 2 if there is none.",
    )
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="default: all that was handed in")
    parser.add_argument("--roster", type=Path, help=f"CSV, id,first_name,last_name,email (default: {ROSTER} if there)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="such as report.html: one file, to open and to print")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="such as report.csv")
    parser.set_defaults(run=run)
    return parser


def run(options, settings=()):
    """Write what is asked for, print the table, and return the exit code."""
    try:
        class_marks = read_class(Course(settings), options.assignments, _names(options.roster))
        if options.csv:
            with options.csv.open(
                "w", encoding="utf-8-sig", errors="replace", newline=""
            ) as file:  # so that Excel reads Chinese
                as_csv(class_marks, file)
        if options.html:
            from grading.reporting.page import as_html  # brings matplotlib, which others can spare

            options.html.write_text(as_html(class_marks, datetime.now()), encoding="utf-8", errors="replace")
    except (NothingToReport, OperationalError, OSError, ValueError) as error:
        print(f"No report: {_in_words(error)}", file=sys.stderr)
        return 2
    _print(class_marks)
    return 0


def print_table(course, assignments):
    """Print what to look at and the table of what is graded, by ids alone; nothing if nothing was handed in."""
    try:
        _print(read_class(course, assignments))
    except (NothingToReport, OperationalError) as error:
        print(f"No table: {_in_words(error)}", file=sys.stderr)


def _print(class_marks):
    print(flags_as_text(class_marks) + as_text(class_marks))


def _names(roster):
    default = Path(ROSTER) if Path(ROSTER).exists() else None
    path = roster or default
    return full_names(path) if path else {}


def _in_words(error):
    return getattr(error, "orig", error)  # what the database said, without the query
