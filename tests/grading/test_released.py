import os
import sys
from pathlib import Path
from unittest import mock

import pytest
from nbformat import v4
from nbgrader.api import Gradebook

from grading.released import released_cells, released_id, released_kernelspec


@pytest.fixture(scope="module")
def resources(tmp_path_factory):
    """Return nbgrader's resources for a notebook that is in a gradebook."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    url = f"sqlite:///{tmp_path_factory.mktemp('course') / 'gradebook.db'}"
    with mock.patch.dict(os.environ, {"PATH": programs}), Gradebook(url) as gradebook:  # making one calls alembic
        gradebook.add_assignment("a")
        gradebook.add_notebook("n", "a", kernelspec='{"name": "python3"}')
        gradebook.add_grade_cell("z-check", "n", "a", max_score=2, cell_type="code")
        gradebook.add_grade_cell("why", "n", "a", max_score=3, cell_type="markdown")
        for name in ("b", "why"):
            gradebook.add_solution_cell(name, "n", "a")
        for name, locked in (("set-up", True), ("b", False), ("z-check", True), ("why", False)):
            gradebook.add_source_cell(name, "n", "a", cell_type="code", locked=locked, source=name, checksum="c")
    return {"nbgrader": {"db_url": url, "notebook": "n", "assignment": "a"}}


def test_the_cells_come_in_the_order_in_which_they_were_released(resources):
    assert list(released_cells(resources)) == ["set-up", "b", "z-check", "why"]


def test_a_test_is_told_from_an_answer_that_a_reader_grades(resources):
    cells = released_cells(resources)
    assert [cell.is_test for cell in cells.values()] == [False, False, True, False]
    assert cells["z-check"].metadata()["points"] == 2
    assert "points" not in cells["b"].metadata()
    assert cells["b"].metadata()["solution"] is True


def test_the_kernel_is_the_one_of_the_released_notebook(resources):
    assert released_kernelspec(resources) == {"name": "python3"}


@pytest.mark.parametrize("metadata", [{}, {"nbgrader": "x"}, {"nbgrader": {}}, {"nbgrader": {"grade_id": 3}}])
def test_a_cell_without_a_sound_id_has_none(metadata):
    assert released_id(v4.new_code_cell(metadata=metadata)) is None
