"""Recognise a submitted notebook that was renamed, by the cells in it, and let it be graded under its own name."""

import hashlib
import shutil
from pathlib import Path

from traitlets.log import get_logger

from grading.reading import read_submission
from grading.released import released_id

NOTE = "这份 {copy} 是批改时从 {original} 复制来的，因为交来的文件改了名字。\nsha256 {digest}\n"
SHARE_TO_RECOGNISE = 0.5


def adopt_renamed(release_directory, *, assignment, student, notebooks):
    """Copy a renamed notebook to the released name, beside the original, which stays as it is.

    nbgrader calls it before each submission (`Autograde.pre_convert_hook`), and by itself skips a notebook
    with another name. What cannot be recognised is copied as well, so that the learner reads what is missing.

    Parameters
    ----------
    release_directory : str or Path
        It holds a folder for each assignment.
    assignment, student : str
        As on nbgrader's command line; they may be patterns.
    notebooks : list of str
        The submission's notebooks. The copy is added to it.
    """
    folder = Path(notebooks[0]).parent
    releases = sorted((Path(release_directory) / folder.name).glob("*.ipynb"))
    others = [Path(name) for name in notebooks if Path(name).name not in {release.name for release in releases}]
    for release in releases:
        copy = folder / release.name
        if copy.exists() and not _is_our_copy(copy):
            continue
        original = _newest_candidate(others, release, only_one=len(releases) == 1)
        if original is not None:
            _copy(original, copy)
            notebooks[:] = sorted({*notebooks, str(copy)})


def _newest_candidate(paths, release, only_one):
    """Return the newest notebook with the release's cells; failing that, the newest, if one was released."""
    recognised = [path for path in paths if _share_of_cells(path, release) >= SHARE_TO_RECOGNISE]
    candidates = recognised or (paths if only_one else [])
    return max(candidates, key=lambda path: (path.stat().st_mtime, path.name), default=None)


def _share_of_cells(path, release):
    released = _released_ids(release)
    return len(released & _released_ids(path)) / max(len(released), 1)


def _released_ids(path):
    with open(path, encoding="utf-8") as file:
        return {released_id(cell) for cell in read_submission(file).cells} - {None}


def _copy(original, copy):
    shutil.copy2(original, copy)
    note = NOTE.format(copy=copy.name, original=original.name, digest=_digest(copy))
    _note(copy).write_text(note, encoding="utf-8")
    get_logger().warning("%s is graded as %s", original, copy.name)


def _is_our_copy(path):
    """Say whether an earlier run made this file; a newer submission may then replace it."""
    note = _note(path)
    return note.exists() and _digest(path) in note.read_text(encoding="utf-8")


def _note(copy):
    return copy.with_name(f"{copy.stem}_renamed.txt")


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
