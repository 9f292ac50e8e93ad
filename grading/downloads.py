"""Find the notebooks in zip and tar files and folders that a course system hands out, and unpack nothing to the disk.

nbgrader's `ExtractorPlugin` does not serve here: it unpacks whatever an archive holds, without a limit on size or
count, loses the times of the files, which say which of two is the newer, and stops at the first broken archive.
"""

import functools
import gzip
import os
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

MAX_NOTEBOOK_BYTES = 50_000_000
MAX_ARCHIVE_BYTES = 1_000_000_000  # of an archive within an archive
MAX_BYTES = 20_000_000_000  # of everything read from one download
MAX_MEMBERS = 100_000
MAX_DEPTH = 3
CHUNK = 1 << 20

ZIP, TAR, GZIPPED_TAR = (".zip",), (".tar",), (".tar.gz", ".tgz")
OTHER_ARCHIVES = (".rar", ".7z", ".bz2", ".xz", ".zst", ".gz")
UNPACK = "an archive of a kind that is not opened here: unpack it, and give the folder"
NAMES_OF_SYSTEMS = {"__MACOSX", "Thumbs.db", "desktop.ini"}
UTF8_FLAG = 0x800
NO_DATE = (1980, 1, 1)  # what an archive says that knows no time
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


@dataclass(frozen=True)
class Download:
    """A file that may be a notebook: its folders and name below what was `given`, when it was made, what it holds."""

    given: str
    parts: tuple[str, ...]
    time: datetime
    content: bytes

    @property
    def origin(self):
        """Where it comes from, in words for the report."""
        return "/".join([self.given, *self.parts])


@dataclass(frozen=True)
class Refused:
    """A file that was not read, and why; `is_other_file` if it does not even look like a notebook."""

    given: str
    parts: tuple[str, ...]
    reason: str
    is_other_file: bool = False

    origin = Download.origin


class Budget:
    """What may still be read from one download."""

    def __init__(self, n_bytes):
        self.left = n_bytes

    def read(self, file, limit):
        """Return a file's content, None if it is larger than the limit, or than what is left."""
        chunks, size = [], 0
        while chunk := file.read(CHUNK):
            size += len(chunk)
            self.left -= len(chunk)
            if size > limit or self.left < 0:
                return None
            chunks.append(chunk)
        return b"".join(chunks)


def find_downloads(path):
    """Yield what a zip or tar file, a notebook or a folder of such holds.

    Parameters
    ----------
    path : Path

    Yields
    ------
    found : Download or Refused
        In the order of the names; of a tar file, in its own.
    """
    budget = Budget(MAX_BYTES)
    if path.is_dir():
        yield from _in_folder(path, budget)
    elif _is_archive(path.name):
        yield from _file(path, path.name, (), budget)
    else:
        yield from _file(path, path.resolve().parent.name, _clean([path.name]), budget)


def _in_folder(folder, budget):
    given, unread = folder.resolve().name, []
    for root, folders, files in os.walk(folder, onerror=unread.append):
        folders.sort()
        for path in sorted(Path(root, name) for name in [*folders, *files]):
            parts = _clean(path.relative_to(folder).parts)
            if path.is_symlink():
                yield Refused(given, parts, "a link to another place")
            elif not path.is_dir() and not _is_ignored(parts):
                yield from _file(path, given, parts, budget)
    for error in unread:
        yield Refused(given, _clean(Path(error.filename).relative_to(folder).parts), f"not read ({error.strerror})")


def _file(path, given, parts, budget):
    """Yield what a file on the disk holds."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            yield Refused(given, parts, "not a regular file")
            return
        with path.open("rb") as file:
            time = datetime.fromtimestamp(status.st_mtime, UTC)
            if _is_archive(path.name):
                yield from _in_archive(path.name, file, given, parts, time, budget, depth=1)
            else:
                yield _read(file, status.st_size, given, parts, time, budget)
    except OSError as error:
        yield Refused(given, parts, f"cannot be read ({error.strerror})")


def _in_archive(name, file, given, parts, time, budget, depth):
    """Yield what an archive holds; `name`, its own, says of which kind it is."""
    kind = "zip" if name.lower().endswith(ZIP) else "tar"
    members = (_in_zip if kind == "zip" else _in_tar)(file, name, time, budget)
    number = 0
    while True:
        try:
            member = next(members, None)
        except BROKEN as error:
            reason = f"not a {kind} file that can be read ({type(error).__name__})"
            yield Refused(given, parts, f"{reason}, from its member {number + 1} on" if number else reason)
            return
        if member is None:
            return
        number += 1
        if depth > MAX_DEPTH or number > MAX_MEMBERS:
            yield Refused(given, parts, f"{number} files at depth {depth}: too many, or archives within archives")
            return
        inside = (*parts, *_clean(PurePosixPath(member.name).parts))
        if member.why_unsafe:
            yield Refused(given, inside, member.why_unsafe)
        elif not member.is_folder and not _is_ignored(inside):
            yield from _member(member, given, inside, budget, depth)


@dataclass(frozen=True)
class _Member:
    """A file or folder in an archive; `open` gives its content."""

    name: str
    is_folder: bool
    why_unsafe: str | None
    size: int
    time: datetime
    open: Callable


def _in_zip(file, name, time, budget):
    archive = zipfile.ZipFile(file)
    for member in sorted(archive.infolist(), key=_name):
        why_unsafe = _why_unsafe(_name(member), is_link=stat.S_ISLNK(member.external_attr >> 16))
        opened = functools.partial(archive.open, member)
        yield _Member(_name(member), member.is_dir(), why_unsafe, member.file_size, _time(member, time), opened)


def _in_tar(file, name, time, budget):
    file.seek(0)
    unpacked = gzip.GzipFile(fileobj=file) if name.lower().endswith(GZIPPED_TAR) else file
    with tarfile.open(fileobj=_Forwards(unpacked, budget), mode="r:", encoding="utf-8") as archive:
        for member in archive:
            archive.members.clear()  # it would keep them all
            member_name = _decoded(member.name.encode("utf-8", "surrogateescape"), member.name)
            why_unsafe = _why_unsafe(member_name, is_link=member.issym() or member.islnk())
            if not (why_unsafe or member.isfile() or member.isdir()):
                why_unsafe = "not a regular file"
            changed = datetime.fromtimestamp(member.mtime, UTC) if member.mtime > 0 else time
            opened = functools.partial(archive.extractfile, member)
            yield _Member(member_name, member.isdir(), why_unsafe, member.size, changed, opened)


class _Forwards:
    """A file for `tarfile` whose every byte is charged to the budget, also those that are passed over.

    A tar file has no list of its members: it is read, and perhaps unpacked, from its beginning to its end. What is read
    at once is limited, too: headers say themselves how long they are.
    """

    def __init__(self, file, budget):
        self._file, self._budget = file, budget
        self.tell = file.tell

    def read(self, size):
        if not 0 <= size <= CHUNK:
            raise tarfile.ReadError("a header that is too large")
        self._budget.left -= size
        if self._budget.left < 0:
            raise tarfile.ReadError("larger than all that may be read")
        return self._file.read(size)

    def seek(self, position):
        if position < self.tell():
            self._file.seek(position)
        while (left := position - self.tell()) > 0 and self.read(min(left, CHUNK)):
            pass


def _member(member, given, parts, budget, depth):
    try:
        with member.open() as file:
            if not _is_archive(parts[-1]):
                yield _read(file, member.size, given, parts, member.time, budget)
                return
            content = budget.read(file, MAX_ARCHIVE_BYTES)
            if content is None:
                yield Refused(given, parts, "an archive that is too large within another")
                return
            with tempfile.TemporaryFile() as inner:
                inner.write(content)
                del content
                yield from _in_archive(parts[-1], inner, given, parts, member.time, budget, depth + 1)
    except BROKEN as error:
        yield Refused(given, parts, f"cannot be read ({error or type(error).__name__})")


def _read(file, size, given, parts, time, budget):
    """Return a file's content; the size that an archive states may be a lie, so it is counted as well."""
    if parts[-1].lower().endswith(OTHER_ARCHIVES):
        return Refused(given, parts, UNPACK, is_other_file=True)
    if not _may_be_notebook(parts[-1]):
        return Refused(given, parts, "not a notebook", is_other_file=True)
    content = None if size > MAX_NOTEBOOK_BYTES else budget.read(file, MAX_NOTEBOOK_BYTES)
    if content is None:
        return Refused(given, parts, f"larger than {MAX_NOTEBOOK_BYTES // 10**6} MB, or than all that may be read")
    if ".ipynb" not in parts[-1].lower() and not _looks_like_notebook(content):
        return Refused(given, parts, "not a notebook", is_other_file=True)
    return Download(given, parts, time, content)


def _may_be_notebook(name):
    """Say whether a name may be a notebook's: copies come without an ending, browsers add one."""
    return ".ipynb" in name.lower() or Path(name).suffix.lower() in ("", ".json", ".txt") or name.endswith("的副本")


def _looks_like_notebook(content):
    return content.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") and b'"nbformat"' in content


def _is_archive(name):
    return name.lower().endswith((*ZIP, *TAR, *GZIPPED_TAR))


def _is_ignored(parts):
    return any(part.startswith(".") or part in NAMES_OF_SYSTEMS for part in parts)


def _clean(parts):
    """Return names in one form (macOS takes accents apart), with nothing in them that acts on a terminal."""
    composed = (unicodedata.normalize("NFC", part) for part in parts)
    return tuple("".join(letter if letter.isprintable() else "?" for letter in part) for part in composed)


def _name(member):
    """Return the name of a member; Windows writes Chinese ones in its own encoding and does not say so."""
    if member.flag_bits & UTF8_FLAG:
        return member.filename
    try:
        raw = member.filename.encode("cp437")
    except UnicodeEncodeError:
        return member.filename
    return _decoded(raw, member.filename)


def _decoded(raw, otherwise):
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return otherwise


def _why_unsafe(name, is_link):
    """Say what is wrong with where a member wants to be unpacked; None if nothing is."""
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0][:2]:
        return "a name that leads out of its archive"
    if is_link:
        return "a link to another place"
    return None


def _time(member, time_of_archive):
    """Return when a member was made; archives hold the time of the place where they were made, taken for this one's."""
    if member.date_time[:3] == NO_DATE:
        return time_of_archive
    try:
        return datetime(*member.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return time_of_archive
