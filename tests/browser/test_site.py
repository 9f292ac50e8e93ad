"""The site without a server, in Chromium: a notebook solved there and downloaded is as good as any other."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from grading.release import MEASURED_TIME
from tests.browser.driving import Drive
from tests.browser.pyodide_for_tests import put_together
from tests.browser.reading import ExplorerOnPage
from tests.browser.site_visit import Visit, let_the_test_in, served
from tools.build.readme import title
from tools.build.section import ROOT, START, page_of, sections

WHEELS = os.environ.get("PYODIDE_WHEELS", "")
EVERYTHING = bool(os.environ.get("EVERY_NOTEBOOK"))
NOTEBOOKS = [START, *sections()] if EVERYTHING else ["01_attention"]
pytestmark = pytest.mark.skipif(
    not Path(WHEELS or "missing").is_dir(),
    reason="PYODIDE_WHEELS names no folder of compiled wheels (numpy, matplotlib and what they need) for Pyodide",
)


@dataclass(frozen=True)
class Visited:
    """What a visit to one notebook left behind; `solution` is the instructor's notebook or the start page itself."""

    name: str
    solution: nbformat.NotebookNode
    downloaded: nbformat.NotebookNode
    complaints: list
    outside: list
    driven: list


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return where the site is served, built by the command that a maintainer uses."""
    distribution, folder = (tmp_path_factory.mktemp(name) for name in ("pyodide", "site"))
    put_together(distribution, Path(WHEELS))
    command = ["make", "site", f"SITE={folder}"]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PYODIDE_DIST": str(distribution)}, check=True)
    let_the_test_in(folder)
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module", params=NOTEBOOKS)
def visited(request, browser, address):
    """Return what came of a visit in which every exercise of a notebook was solved."""
    page = page_of(request.param)
    solution = nbformat.read(ROOT / (page.release if page.name == START else page.solution), as_version=4)
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    visit = Visit(context.new_page(), address)
    visit.enter(title(page))
    visit.write(answers(solution))
    visit.run_all()
    driven = drive(visit)  # before the download: a learner drags, too
    yield Visited(page.name, solution, visit.download(), visit.reader.complaints(), visit.outside(), driven)
    context.close()


def answers(solution):
    """Return what stands in the cells that a learner fills in, by grade_id."""
    marked = [(cell.metadata.get("nbgrader", {}), cell.source) for cell in solution.cells]
    return {marks["grade_id"]: source for marks, source in marked if marks.get("solution")}


def drive(visit):
    """Move the controls of the first explorer, or of every one, and return what was complained about."""
    complaints = []
    places = visit.reader.explorers()
    for place in places if EVERYTHING else places[:1]:
        explorer = ExplorerOnPage(visit.reader, place)
        complaints += Drive(explorer).every_control()
        complaints += [f"{explorer.name}: a {role} without a name" for role in explorer.unnamed()]
    return complaints


def checks(notebook):
    """Return the marks of the cells that nbgrader grades by itself, with the cells."""
    marked = [(cell.metadata.get("nbgrader", {}), cell) for cell in notebook.cells if cell.cell_type == "code"]
    return [(marks, cell) for marks, cell in marked if marks.get("grade")]


def outputs(notebook, marked):
    """Return the outputs of each code cell, except of those that the notebook `marked` says show measured times."""
    pairs = [pair for pair in zip(notebook.cells, marked.cells, strict=True) if pair[0].cell_type == "code"]
    return [(cell.source, cell.outputs) for cell, mark in pairs if MEASURED_TIME not in mark.metadata.get("tags", [])]


def texts(notebook, marked):
    """Return what each code cell printed, and showed as text."""
    return [(source, [text(output) for output in shown]) for source, shown in outputs(notebook, marked)]


def text(output):
    return output.get("text") or output.get("data", {}).get("text/plain")


def n_pictures(notebook, marked):
    """Return how many pictures each code cell shows."""
    return [sum("image/png" in output.get("data", {}) for output in shown) for _, shown in outputs(notebook, marked)]


def test_every_cell_runs_and_nothing_complains(visited):
    code = [cell for cell in visited.downloaded.cells if cell.cell_type == "code"]
    assert [cell.source for cell in code if cell.source and cell.execution_count is None] == []
    assert visited.complaints == []


def test_nothing_is_asked_of_any_other_origin(visited):
    assert visited.outside == []


def test_the_text_of_every_cell_is_the_same_as_on_other_machines(visited):
    assert texts(visited.downloaded, visited.solution) == texts(visited.solution, visited.solution)


def test_every_figure_is_drawn(visited):
    expected = n_pictures(visited.solution, visited.solution)
    assert sum(expected) > 0
    assert n_pictures(visited.downloaded, visited.solution) == expected


def test_a_picture_follows_its_controls(visited):
    assert visited.driven == []


def test_every_check_gives_all_its_points(visited):
    given = {
        marks["grade_id"]: (marks["points"], cell.outputs[0].data["text/plain"])
        for marks, cell in checks(visited.downloaded)
    }
    assert len(given) == len(checks(visited.solution))
    assert {name: pair for name, pair in given.items() if float(pair[1]) != pair[0]} == {}


def test_the_downloaded_notebook_gets_full_marks_from_the_autograder(visited, tmp_path):
    if visited.name == START:
        return  # it asks nothing
    page = page_of(visited.name)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    shutil.copytree(ROOT / page.solution.parent, tmp_path / page.solution.parent)
    handed_in = tmp_path / "submitted" / "learner" / page.assignment / page.solution.name
    handed_in.parent.mkdir(parents=True)
    nbformat.write(visited.downloaded, handed_in)
    run(tmp_path, "nbgrader", "generate_assignment", page.assignment, "--force")
    run(tmp_path, "grading", "autograde", page.assignment)
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        grades = gradebook.find_submission_notebook(page.name, page.assignment, "learner").grades
        scores = {grade.name: (grade.auto_score, grade.max_score) for grade in grades if grade.cell.cell_type == "code"}
    assert len(scores) == len(checks(visited.solution))
    assert {name: pair for name, pair in scores.items() if pair[0] != pair[1]} == {}


def run(course, module, *arguments):
    """Run a command in the course's folder, as an instructor would."""
    places = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # nbgrader calls alembic
        "PYTHONPATH": str(ROOT),
        "JUPYTER_CONFIG_DIR": str(course),
    }
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=course, env=os.environ | places, capture_output=True, text=True
    )
    assert result.returncode in (0, 1), result.stderr  # 1: written answers wait for a person
    return result.stdout
