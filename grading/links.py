"""Follow no link that a submission holds: it would show its author, in the feedback, what the instructor can read."""

from pathlib import Path

from traitlets.log import get_logger

LINKED = "交来的 {name} 是指向别处的链接，没有读取。"


def links_in(folder):
    """Return the paths, relative to a submission's folder, that are links, or lie below one."""
    return [path.relative_to(folder) for path in sorted(Path(folder).rglob("*")) if path.is_symlink()]


def remove_linked(autograded_directory, *, assignment, student, notebooks):
    """Remove what nbgrader has copied from behind a link; it calls this after each submission.

    Parameters
    ----------
    autograded_directory : str or Path
    assignment, student : str
        As on nbgrader's command line; they may be patterns.
    notebooks : list of str
        The submission's notebooks.
    """
    folder = Path(notebooks[0]).parent
    for link in links_in(folder):
        copied = Path(autograded_directory, folder.parent.name, folder.name, link)
        if copied.exists() and copied.suffix != ".ipynb":  # a notebook behind a link is read as an empty one
            copied.unlink()
        get_logger().warning("%s is a link; not read", folder / link)
