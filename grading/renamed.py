"""Recognise a notebook that was renamed before it was handed in, and grade it under its own name, where it lies."""

import functools
import os
from pathlib import Path

from traitlets import Unicode
from traitlets.log import get_logger

from grading.reading import ReadAnySubmission, is_unreadable, read_submitted
from grading.sections import read_releases, recognise

GRADED_AS = "交来的文件叫 {original}，作为 {name} 批改；文件本身没有改动。"


class ReadUnderAnyName(ReadAnySubmission):
    """An exporter that opens, where nothing lies under a released name, the file that was handed in instead of it."""

    release_directory = Unicode("notebooks", help="where the released notebooks are").tag(config=True)

    def read(self, filename):
        """Read the file that is graded as `filename`."""
        return read_submitted(file_behind(filename, self.release_directory))


def adopt_renamed(release_directory, *, assignment, student, notebooks):
    """Add to the list of notebooks each released name under which another file is graded.

    nbgrader calls it before each submission (`Autograde.pre_convert_hook`), and by itself skips a notebook
    with another name. What cannot be recognised is graded as well, so that the learner reads what is missing.

    Parameters
    ----------
    release_directory : str or Path
        It holds a folder for each assignment.
    assignment, student : str
        As on nbgrader's command line; they may be patterns.
    notebooks : list of str
        The submission's notebooks. The released names are added to it.
    """
    folder = Path(notebooks[0]).parent
    for name in _released_names(release_directory, folder.name):
        path, behind = folder / name, file_behind(folder / name, release_directory)
        if behind != path:
            get_logger().warning("%s is graded as %s", behind, name)
            notebooks[:] = sorted({*notebooks, str(path)})


def file_behind(path, release_directory):
    """Return the file that is graded as `path`.

    Parameters
    ----------
    path : str or Path
        Of a released name, in the folder of a submission.
    release_directory : str or Path

    Returns
    -------
    path : Path
        Itself if something lies there. Else the newest notebook of the folder that was made from this release; failing
        that, the newest, if one was released; failing that, itself.
    """
    path = Path(path)
    if os.path.lexists(path):
        return path
    names = _released_names(release_directory, path.parent.name)
    others = [other for other in path.parent.glob("*.ipynb") if other.name not in names and not other.is_dir()]
    recognised = [other for other in others if _is_made_from(other, path, release_directory)]
    candidates = recognised or (others if names == {path.name} else [])
    return max(candidates, key=lambda other: (other.lstat().st_mtime, other.name), default=path)


def _released_names(release_directory, assignment):
    return {path.name for path in Path(release_directory, assignment).glob("*.ipynb")}


def _is_made_from(path, released, release_directory):
    nb = read_submitted(path)
    if is_unreadable(nb):
        return False
    times = tuple((path, path.stat().st_mtime_ns) for path in sorted(Path(release_directory).glob("*/*.ipynb")))
    release = recognise(nb, _releases(release_directory, times))
    return release is not None and (release.assignment, release.notebook) == (released.parent.name, released.stem)


@functools.lru_cache(maxsize=1)
def _releases(release_directory, times):
    """Return the releases below a folder; `times` are those of its files, by which it is known that it changed."""
    return read_releases(release_directory)
