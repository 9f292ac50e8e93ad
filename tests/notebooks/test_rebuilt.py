"""The notebooks in the tree are what `make build` makes from the lessons today.

The first section is built as `make build` does it. Of all, cells and metadata are built, and nothing is run: nbval runs
the notebooks of the tree, and compares what their cells show (shown.py).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from PIL import Image

import grading.release
import tools.build.pipeline
from grading.course import Course
from tests.notebooks.reading import REBUILD, outputs, pictures, read, without_pictures
from tests.notebooks.shown import complaint
from tools.build.pipeline import build
from tools.build.section import ROOT, START, Section, page_of, sections

WITHOUT_A_GRADEBOOK = ("--GenerateAssignment.no_database=True", "--SaveCells.enabled=False")
FIRST = Section(sections()[0])


@pytest.fixture(params=sections())
def section(request):
    return Section(request.param)


@pytest.fixture
def show_as_stored(monkeypatch):
    """Return a function after which builds show what notebooks of the tree show, one by one, and run nothing."""

    def prepare(*paths):
        stored = map(read, paths)
        monkeypatch.setattr(grading.release, "run", lambda notebook: copy_outputs(next(stored), notebook))
        monkeypatch.setattr(tools.build.pipeline, "generate_assignment", generate_in_this_process)
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", os.devnull)

    return prepare


def copy_outputs(stored, notebook):
    for cell, kept in zip(notebook.cells, stored.cells, strict=False):  # other cells are found different afterwards
        if cell.cell_type == kept.cell_type == "code":
            cell.outputs, cell.execution_count = kept.outputs, kept.execution_count


def generate_in_this_process(assignment, course):
    """Do as `nbgrader generate_assignment` does, where it can be kept from running the notebook."""
    shutil.copy(ROOT / "nbgrader_config.py", course)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)
        config = Course(WITHOUT_A_GRADEBOOK).config
        config.CourseDirectory.assignment_id = assignment
        GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()


def test_cells_and_metadata_are_those_in_the_tree(section, tmp_path, show_as_stored):
    show_as_stored(section.solution, section.release)
    build(section.name, tmp_path)
    for path in (section.solution, section.release):
        assert read(tmp_path / path) == read(path), REBUILD


def test_the_start_page_is_the_one_in_the_tree_and_the_build_writes_nothing_else(tmp_path, show_as_stored):
    path = page_of(START).release
    show_as_stored(path)
    build(START, tmp_path)
    assert read(tmp_path / path) == read(path), REBUILD
    assert [found.relative_to(tmp_path) for found in tmp_path.rglob("*") if found.is_file()] == [path]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory):
    """Return the folder of a real build of the first section; the build's own steps are the same for all."""
    folder = tmp_path_factory.mktemp("rebuilt")
    build(FIRST.name, folder)
    return folder


@pytest.mark.parametrize("path", [FIRST.solution, FIRST.release], ids=["solution", "release"])
def test_what_a_real_build_writes_is_in_the_tree(rebuilt, path):
    made, stored = read(rebuilt / path), read(path)
    for one, other in zip(made.cells, stored.cells, strict=True):
        assert complaint(one.get("outputs", []), other.get("outputs", [])) is None, REBUILD
    assert without_pictures(made) == without_pictures(stored), REBUILD


def test_two_runs_show_the_same_bytes(rebuilt):
    """The solution and the release differ in the answers, and no demonstration hangs on these."""
    runs = [read(rebuilt / path).cells for path in (FIRST.solution, FIRST.release)]
    pairs = [pair for pair in zip(*runs, strict=True) if is_demonstration(pair[0])]
    assert sum(len(pictures(cell.outputs)) for cell, _ in pairs) > 10
    assert [cell.outputs for cell, _ in pairs] == [cell.outputs for _, cell in pairs]


def is_demonstration(cell):
    judges = ("check(", "progress(")
    return cell.cell_type == "code" and not cell.source.splitlines()[-1].startswith(judges)


def test_in_a_fresh_clone_where_releases_are_and_a_gradebook_is_not_the_plain_command_makes_the_release(tmp_path):
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    for folder in ("grading", "notebooks", "solutions"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "helpers").symlink_to(ROOT / "helpers")
    programs = Path(sys.executable).parent
    subprocess.run(
        [programs / "nbgrader", "generate_assignment", FIRST.assignment, "--force", "--ExecuteRelease.enabled=False"],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        check=True,
    )
    made, stored = read(tmp_path / FIRST.release), read(FIRST.release)
    assert [(cell.source, cell.metadata) for cell in made.cells] == [
        (cell.source, cell.metadata) for cell in stored.cells
    ]


def test_the_picture_for_the_readmes_is_the_one_that_closes_the_notebook(section):
    closing = pictures(outputs(read(section.solution)))[-1]
    with Image.open(ROOT / section.picture) as image:
        assert np.array_equal(np.asarray(image.convert("RGBA"), dtype=float), closing), REBUILD
