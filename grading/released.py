"""Look up what was released: the gradebook's record of a notebook's cells, in the order of the notebook."""

import contextlib
import json
from dataclasses import dataclass

from nbgrader.api import Gradebook

SCHEMA_VERSION = 3


@dataclass(frozen=True)
class ReleasedCell:
    """A cell that nbgrader knows by its `grade_id`, as it stood when the assignment was generated."""

    grade_id: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def is_test(self):
        """Whether its output decides the points."""
        return self.grade and not self.solution

    def metadata(self):
        """Return the cell's `nbgrader` metadata."""
        known = {
            "schema_version": SCHEMA_VERSION,
            "grade_id": self.grade_id,
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            "locked": self.locked,
            "grade": self.grade,
            "solution": self.solution,
            "task": self.task,
        }
        return known | ({"points": self.points} if self.points is not None else {})


@contextlib.contextmanager
def releases_remembered():
    """Read each released notebook once while the body runs; nothing may be released meanwhile."""
    global _remembered
    _remembered = {}
    try:
        yield
    finally:
        _remembered = None


_remembered = None  # by gradebook, assignment and notebook


def released_cells(resources):
    """Return the cells of the released notebook whose submission is being graded.

    Parameters
    ----------
    resources : dict
        As nbgrader hands it to its preprocessors.

    Returns
    -------
    cells : dict of str to ReleasedCell
        By `grade_id`, in the order of the notebook.
    """
    return _released(resources)[0]


def released_kernelspec(resources):
    """Return what the released notebook's metadata say of its kernel, None if they say nothing."""
    return _released(resources)[1]


def _released(resources):
    names = resources["nbgrader"]
    key = names["db_url"], names["assignment"], names["notebook"]
    if _remembered is None:
        return _read(*key)
    if key not in _remembered:
        _remembered[key] = _read(*key)
    return _remembered[key]


def _read(db_url, assignment, notebook):
    with Gradebook(db_url) as gradebook:
        notebook = gradebook.find_notebook(notebook, assignment)
        grades = {cell.name: cell.max_score for cell in notebook.grade_cells}
        tasks = {cell.name: cell.max_score for cell in notebook.task_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        cells = {cell.name: _released_cell(cell, grades, tasks, solutions) for cell in notebook.source_cells}
        return cells, notebook.kernelspec and json.loads(notebook.kernelspec)


def _released_cell(cell, grades, tasks, solutions):
    points = grades.get(cell.name, tasks.get(cell.name))
    return ReleasedCell(
        grade_id=cell.name,
        cell_type=cell.cell_type,
        source=cell.source,
        checksum=cell.checksum,
        locked=cell.locked,
        grade=cell.name in grades,
        solution=cell.name in solutions,
        task=cell.name in tasks,
        points=points,
    )


def released_id(cell):
    """Return the `grade_id` that a cell carries, None if it carries none.

    Examples
    --------
    >>> from nbformat import v4
    >>> released_id(v4.new_code_cell(metadata={"nbgrader": {"grade_id": "softmax"}}))
    'softmax'
    >>> released_id(v4.new_code_cell(metadata={"nbgrader": "softmax"})) is None
    True
    """
    metadata = cell["metadata"].get("nbgrader")
    grade_id = metadata.get("grade_id") if isinstance(metadata, dict) else None
    return grade_id if isinstance(grade_id, str) else None
