"""Put what a course system hands out into nbgrader's `submitted/`: `python -m grading collect ASSIGNMENT DOWNLOADS…`.

`nbgrader zip_collect` takes one pattern, stops at the first name that it cannot place, fails where one learner's two
files have no time in their names, and trusts the name for the section. Here the content says which section a
notebook is, the newer of two counts, and a file that cannot be taken costs a line in the report.
"""

import argparse
import hashlib
import io
import os
import re
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from grading.downloads import Refused, find_downloads
from grading.reading import is_unreadable, read_submission
from grading.sections import read_releases, recognise
from grading.students import PATTERNS, Roster, Unknown, WhoHandedIn, time_in_name
from grading.text_table import aligned

ROSTER = "roster.csv"  # as the README calls it
TIMESTAMP_FILE = "timestamp.txt"
TIMESTAMP_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's own
COLUMNS = ("student", "notebook", "handed in (UTC)", "", "from")

COPY_NUMBER = re.compile(r"[(（](\d{1,4})[)）]|-(\d{1,4})\.ipynb$")

NEW, NEWER, SAME = "new", "replaces an older one", "already there"


@dataclass(frozen=True)
class Submission:
    """A notebook of a learner, recognised; `staged` is a copy of its bytes."""

    student: str
    assignment: str
    notebook: str
    time: datetime
    origin: str
    digest: str
    staged: Path


@dataclass(frozen=True)
class Remark:
    """A file that was not taken, and why; `student` where that is known."""

    origin: str
    reason: str
    student: str | None = None
    harmless_if_taken: bool = False


@dataclass
class Report:
    """What was taken, as (submission, what that meant) pairs, and what was not."""

    taken: list[tuple[Submission, str]] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def students(self):
        """Whose notebook was taken."""
        return {submission.student for submission, _ in self.taken}

    def harmless(self, remark):
        """Say whether nobody has to look: the same learner's right notebook was taken."""
        return remark.harmless_if_taken and remark.student in self.students

    @property
    def problems(self):
        """The remarks that somebody has to look at."""
        return [remark for remark in self.remarks if not self.harmless(remark)]


def collect(assignment, downloads, who, release_directory="notebooks", submitted_directory="submitted"):
    """Copy each learner's newest notebook of an assignment into nbgrader's folders; the downloads stay as they are.

    Parameters
    ----------
    assignment : str
    downloads : sequence of Path
        Zip or tar files, folders and notebooks.
    who : WhoHandedIn
    release_directory, submitted_directory : str or Path

    Returns
    -------
    report : Report
    """
    releases, report = read_releases(release_directory), Report()
    if assignment not in {release.assignment for release in releases}:
        known = ", ".join(sorted({release.assignment for release in releases})) or "none"
        raise LookupError(f"no release of {assignment} in {release_directory}; there are: {known}")
    with tempfile.TemporaryDirectory() as staging:
        submissions = {}
        for path in downloads:
            for found in find_downloads(path):
                submission = _recognised(found, assignment, releases, who, Path(staging), report)
                if submission:
                    submissions.setdefault((submission.student, submission.notebook), []).append(submission)
        for _, versions in sorted(submissions.items()):
            newest = _newest(versions, report)
            _hand_in(newest, Path(submitted_directory), report)
    return report


def _recognised(found, assignment, releases, who, staging, report):
    """Return a download as a submission of this assignment; None, and a remark, if it is none."""
    student, unknown = _student(who, found)
    if isinstance(found, Refused):
        report.remarks.append(Remark(found.origin, found.reason, student, found.is_other_file))
        return None
    nb = read_submission(io.TextIOWrapper(io.BytesIO(found.content), encoding="utf-8"))
    release = None if is_unreadable(nb) else recognise(nb, releases)
    if is_unreadable(nb):
        report.remarks.append(Remark(found.origin, "no notebook that can be read", student))
    elif release is None:
        report.remarks.append(Remark(found.origin, "not made from any section, or from several", student, True))
    elif release.assignment != assignment:
        report.remarks.append(Remark(found.origin, f"is {release.assignment}, not {assignment}", student, True))
    elif student is None:
        report.remarks.append(Remark(found.origin, unknown))
    else:
        digest = hashlib.sha256(found.content).hexdigest()
        staged = staging / digest
        staged.write_bytes(found.content)
        time = time_in_name([found.given, *found.parts]) or found.time
        return Submission(student, assignment, release.notebook, time, found.origin, digest, staged)
    return None


def _student(who, found):
    """Return the student's id and None, or None and the reason why it is not known."""
    try:
        return who.find(found.given, found.parts or (found.given,)), None
    except Unknown as reason:
        return None, str(reason)


def _newest(versions, report):
    """Return the newest of a learner's versions, and say which others there are."""
    newest = max(versions, key=lambda each: (each.time, _copy_number(each.origin), each.origin))
    for other in versions:
        if other is newest or other.digest == newest.digest:
            continue
        if other.time == newest.time:
            reason = f"as old as {newest.origin}, and different: look which one counts; that one was taken"
            report.remarks.append(Remark(other.origin, reason, other.student))
        else:
            report.notes.append(f"{other.origin}: {other.student} handed in a newer one, {newest.origin}")
    return newest


def _copy_number(name):
    """Return the number that a browser or Canvas gave to a later file of the same name, 0 if there is none."""
    match = COPY_NUMBER.search(name)
    return int(match.group(1) or match.group(2)) if match else 0


def _hand_in(submission, submitted_directory, report):
    """Write the bytes as they are, and when they were handed in: by that, nbgrader knows that it has to grade again."""
    folder = submitted_directory / submission.student / submission.assignment
    path, stamp = folder / f"{submission.notebook}.ipynb", folder / TIMESTAMP_FILE
    content = submission.staged.read_bytes()
    there = path.read_bytes() if path.exists() else None
    if there is not None and there != content:
        time = _time_of(path, stamp)
        if time >= submission.time:
            _refuse_older(submission, path, time, report)
            return
        if not stamp.exists():
            report.notes.append(f"{path} had no {TIMESTAMP_FILE}: if it was graded before, grade it with --force")
    if there != content:
        stamp.unlink(missing_ok=True)  # written last: a run that is stopped in between leaves none that is too new
        _write(path, content, submission.time)
    if not stamp.exists():
        _write(stamp, submission.time.strftime(TIMESTAMP_FORMAT).encode(), submission.time)
    report.taken.append((submission, SAME if there == content else NEW if there is None else NEWER))


def _refuse_older(submission, path, time, report):
    if time > submission.time:
        report.notes.append(f"{submission.origin}: {path} is newer, and stays")
    else:
        reason = f"as old as {path}, and different: look which one counts; nothing was changed"
        report.remarks.append(Remark(submission.origin, reason, submission.student))


def _time_of(path, stamp):
    """Return when a notebook in `submitted/` was handed in; without nbgrader's file, when it was written."""
    with suppress(OSError, ValueError):
        return parse_utc(stamp.read_text(encoding="utf-8").strip()).replace(tzinfo=UTC)
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _write(path, content, time):
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    os.utime(draft, (time.timestamp(), time.timestamp()))
    os.replace(draft, path)


# ---- the command -----------------------------------------------------------------------------------------------------


def add_parser(subparsers):
    """Add `collect` to the commands of `python -m grading`; `run` in what it parses does the work."""
    parser = subparsers.add_parser(
        "collect",
        help="put what a course system hands out into submitted/",
        description="Put each learner's newest notebook of ASSIGNMENT into submitted/. The downloads stay as they are. "
        "Give archives as they came: they hold the times, by which the newer of two files is known. "
        "Exit code: 0 if everything was taken, 1 if something needs a look, 2 if nothing could be done.",
    )
    parser.add_argument("assignment", help="such as ch04_01_attention")
    parser.add_argument("downloads", nargs="+", type=Path, help="zip or tar files, folders, notebooks")
    parser.add_argument(
        "--pattern",
        "--student-pattern",
        action="append",
        help=f"{', '.join(PATTERNS)}, or a regular expression with (?P<student_id>…), (?P<name>…), (?P<email>…) or "
        "(?P<lms_user_id>…) that fits the beginning of a file's or folder's name; may be given several times "
        "(without: all that have a name)",
    )
    parser.add_argument("--roster", type=Path, help=f"CSV, id,first_name,last_name,email (default: {ROSTER} if there)")
    parser.add_argument("--release", default="notebooks", help="default: %(default)s")
    parser.add_argument("--submitted", default="submitted", help="default: %(default)s")
    parser.set_defaults(run=run)
    return parser


def run(arguments, settings=()):
    """Collect, print the report, and return the exit code; nbgrader's settings mean nothing here."""
    try:
        if settings:
            raise ValueError(f"collect knows no {' '.join(settings)}")
        missing = [str(path) for path in arguments.downloads if not path.exists()]
        if missing:
            raise LookupError(f"there is no {', '.join(missing)}")
        default = Path(ROSTER) if Path(ROSTER).exists() else None
        roster_file = arguments.roster or default
        roster = Roster.read(roster_file) if roster_file else None
        who = WhoHandedIn(tuple(arguments.pattern or PATTERNS), roster)
        report = collect(arguments.assignment, arguments.downloads, who, arguments.release, arguments.submitted)
    except (LookupError, OSError, ValueError) as error:
        print(f"Nothing was collected: {error}", file=sys.stderr)
        return 2
    print(as_text(report, roster))
    return 1 if report.problems else 0


def as_text(report, roster=None):
    """Return the report: a table of what was taken, then what needs a look, then what is good to know."""
    rows = [
        (each.student, each.notebook, f"{each.time:%Y-%m-%d %H:%M:%S}", result, each.origin)
        for each, result in sorted(report.taken, key=lambda pair: (pair[0].student, pair[0].notebook))
    ]
    counted = Counter(result for _, result in report.taken)
    summary = ", ".join(f"{count} {result}" for result, count in counted.items()) or "nothing"
    lines = [*aligned([COLUMNS, *rows]), "", f"Taken: {summary}."] if rows else ["Taken: nothing."]
    problems = [_line(remark) for remark in report.problems]
    notes = [*report.notes, *(_line(remark) for remark in report.remarks if report.harmless(remark))]
    if roster is not None:
        absent = sorted(set(roster.ids.values()) - report.students)
        notes += [f"Nothing from {len(absent)} of the roster: {', '.join(absent)}"] if absent else []
    for title, entries in ((f"{len(problems)} need a look:", problems), ("Good to know:", notes)):
        lines += ["", title, *(f"  {entry}" for entry in entries)] if entries else []
    return "\n".join(lines)


def _line(remark):
    return f"{remark.origin}: {remark.reason}" + (f" ({remark.student})" if remark.student else "")


def main():
    """Run the command by itself: `python -m grading.collecting collect …`."""
    parser = argparse.ArgumentParser(prog="python -m grading.collecting")
    add_parser(parser.add_subparsers(required=True))
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
