"""Tell from the names of a file and its folders who handed it in.

Each pattern is applied by nbgrader's `FileNameCollectorPlugin`, so an instructor's `named_regexp` for `zip_collect`
works here as it is; what the plug-in cannot do, finding a person by name, needs the roster.
"""

import csv
import logging
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nbgrader.plugins import FileNameCollectorPlugin

PATTERNS = {
    "moodle": r"(?P<name>[^/]+?)_\d+_assignsubmission_",
    "canvas": r"(?P<name>[^/_]+)(_LATE)?_(?P<lms_user_id>\d{3,})_\d{3,}_",
    "prefix": r"(?P<student_id>[A-Za-z]{0,3}\d{4,})(?![0-9A-Za-z])",
}
TIMESTAMP = re.compile(r"(20\d\d)-(\d\d)-(\d\d)[-_ T](\d\d)[-.:](\d\d)(?:[-.:](\d\d))?(?!\d)")
USABLE_ID = re.compile(r"\w[\w.@-]*")  # it becomes the name of a folder, and part of nbgrader's patterns
SHORTEST_ID = 4  # characters; a shorter one may be a number of something else
QUIET = logging.getLogger(f"{__name__}.patterns")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False  # the plug-in complains of every name that a pattern does not match


@dataclass(frozen=True)
class Roster:
    """Who takes the course, as `nbgrader db student import` reads it: id, first_name, last_name, email, lms_user_id."""

    ids: dict[str, str] = field(default_factory=dict)
    lms_user_ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path):
        """Read a CSV file, in UTF-8 or as a Chinese Excel writes it."""
        return cls.from_rows(_rows_of(path))

    @classmethod
    def from_rows(cls, rows):
        """Build the look-up tables."""
        ids, lms_user_ids, names = {}, {}, {}
        for row in rows:
            student = row["id"].strip()
            ids[student.casefold()] = student
            if row.get("lms_user_id"):
                lms_user_ids[row["lms_user_id"].strip()] = student
            for name in _names(row):
                names.setdefault(name, set()).add(student)
        return cls(ids, lms_user_ids, {name: frozenset(students) for name, students in names.items()})

    def find(self, groups):
        """Return the ids that fit what a pattern found."""
        by_id = self.ids.get((groups.get("student_id") or "").casefold())
        by_number = self.lms_user_ids.get(groups.get("lms_user_id") or "")
        if by_id or by_number:
            return {by_id or by_number}
        name = groups.get("name") or (groups.get("last_name") or "") + (groups.get("first_name") or "")
        return set(self.names.get(_key(name), ())) | set(self.names.get(_key(groups.get("email") or ""), ()))

    def mentioned(self, text):
        """Return the students whose id stands in a text as a word of its own; failing that, whose name does."""
        words = re.findall(r"[0-9A-Za-z]+", text)
        ids = {self.ids[word.casefold()] for word in words if len(word) >= SHORTEST_ID and word.casefold() in self.ids}
        named = [self.names.get(_key(word), frozenset()) for word in re.split(r"[\W_]+", text)]
        return ids or set().union(*named)


@dataclass(frozen=True)
class WhoHandedIn:
    """How to tell: the patterns, each a name in `PATTERNS` or a regular expression, and the roster, if there is one."""

    patterns: tuple[str, ...] = tuple(PATTERNS)
    roster: Roster | None = None

    def __post_init__(self):
        for pattern in self.patterns:
            try:
                re.compile(PATTERNS.get(pattern, pattern))
            except re.error as error:
                raise ValueError(f"the pattern {pattern} is no regular expression: {error}") from error

    def find(self, given, parts):
        """Return the student's id, or raise `Unknown` with the reason.

        Parameters
        ----------
        given : str
            The name of the file or folder that was given. It counts only where a roster can confirm it: a folder of
            a whole class may be called `20261129`.
        parts : sequence of str
            The folders and the name of the file, from the outside in.
        """
        if self.roster is None:
            return self._by_names_alone(parts)
        for names in (parts, [given, *parts]):
            found = [self.roster.find(groups) for groups in self._groups(names)]
            students = set().union(*found)
            if self.patterns == tuple(PATTERNS):  # whoever gives a pattern means that one
                students = students or set().union(*map(self.roster.mentioned, names))
            if len(students) > 1:
                raise Unknown(f"the name fits several students: {', '.join(sorted(students))}")
            if students:
                return _usable(*students)
        raise Unknown("no student of the roster in its name")

    def _by_names_alone(self, parts):
        for groups in self._groups(parts):
            student = groups.get("student_id") or groups.get("lms_user_id")
            if student:
                return _usable(student)
        raise Unknown("no student id in its name (a roster would tell by the person's name)")

    def _groups(self, parts):
        """Yield what each pattern finds, from the file's own name outwards."""
        paths = ["/".join(parts[start:]) for start in reversed(range(len(parts)))]
        for pattern in self.patterns:
            regexp = PATTERNS.get(pattern, pattern)
            plugin = FileNameCollectorPlugin(named_regexp=regexp, valid_ext=list({_ending(parts[-1])}), log=QUIET)
            for path in paths:
                groups = plugin.collect(path)
                if groups:
                    yield groups


class Unknown(Exception):
    """Whose a file is cannot be told."""


def full_names(path):
    """Return the name of each student of a roster's file by id; empty where it holds none."""
    return {row["id"].strip(): _full_name(row) for row in _rows_of(path)}


def time_in_name(parts):
    """Return the time that a course system wrote into a name, None if it wrote none.

    Examples
    --------
    >>> time_in_name(["ps1_ada_attempt_2016-01-30-15-00-07_x.ipynb"]).second
    7
    >>> time_in_name(["202311070123_x.ipynb"]) is None  # an id, not a time
    True
    """
    for part in reversed(parts):
        match = TIMESTAMP.search(part)
        if match:
            try:
                return datetime(*(int(number or 0) for number in match.groups())).astimezone(UTC)
            except ValueError:
                continue
    return None


def _ending(name):
    return f".{name.rpartition('.')[2]}" if "." in name.lstrip(".") else ""


def _usable(student):
    if not USABLE_ID.fullmatch(student):
        raise Unknown(f"{student!r} cannot be a student's id")
    return student


def _rows_of(path):
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("gb18030")
    rows = list(csv.DictReader(text.splitlines()))
    if rows and "id" not in rows[0]:
        raise ValueError(f"{path} needs a column id")
    return [row for row in rows if (row["id"] or "").strip()]


def _full_name(row):
    """Return the names in the order in which they are written: a Chinese family name stands first."""
    first, last = (row.get("first_name") or "").strip(), (row.get("last_name") or "").strip()
    is_latin = any(letter.isascii() for letter in first + last)
    return f"{first} {last}".strip() if is_latin else last + first


def _names(row):
    """Return the forms in which course systems write a person: last name first or last, the email's first half."""
    first, last = (row.get("first_name") or ""), (row.get("last_name") or "")
    email = row.get("email") or ""
    return {_key(first + last), _key(last + first), _key(email), _key(email.partition("@")[0])} - {""}


def _key(name):
    """Return a name without case, spaces, marks and signs."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", name).casefold() if letter.isalnum())
