"""A small released notebook, and the tools to make submissions of it."""

import pytest
from nbformat import from_dict, v4

import grading.duplicates
import grading.metadata
import grading.missing
from grading.released import ReleasedCell

STUB = "def softmax(scores):\n    raise NotImplementedError"


def released_cell(grade_id, source="", cell_type="code", grade=False, solution=False, points=None):
    """Return a cell as the gradebook knows it."""
    return ReleasedCell(grade_id, cell_type, source, "checksum", not solution, grade, solution, False, points)


RELEASED = {
    cell.grade_id: cell
    for cell in (
        released_cell("set-up", "import numpy as np"),
        released_cell("softmax", STUB, solution=True),
        released_cell("softmax-check", 'check("attention.softmax", softmax)', grade=True, points=2.0),
        released_cell("scores", "def scores(q, k):\n    raise NotImplementedError", solution=True),
        released_cell("scores-check", 'check("attention.scores", scores)', grade=True, points=3.0),
        released_cell("why", "在这里写下你的回答。", "markdown", grade=True, solution=True, points=2.0),
    )
}


@pytest.fixture
def submitted(monkeypatch):
    """Return a function that makes a notebook of released ids, `(id, source)` pairs and texts of the learner's own."""
    for module in (grading.duplicates, grading.metadata, grading.missing):
        monkeypatch.setattr(module, "released_cells", lambda resources: RELEASED)
    return lambda *cells: v4.new_notebook(cells=[_cell(cell) for cell in cells])


def _cell(cell):
    if cell not in RELEASED and isinstance(cell, str):
        return v4.new_code_cell(cell)
    grade_id, source = (cell, RELEASED[cell].source) if isinstance(cell, str) else cell
    make = v4.new_code_cell if RELEASED[grade_id].cell_type == "code" else v4.new_markdown_cell
    return make(source, metadata={"nbgrader": from_dict(RELEASED[grade_id].metadata())})


def described(nb):
    """Return the notebook as a list of released ids, and of sources where a cell has none."""
    return [cell.metadata.get("nbgrader", {}).get("grade_id") or cell.source for cell in nb.cells]
