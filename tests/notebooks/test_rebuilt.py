"""The notebooks in the tree are what `make build` makes from the lessons today."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.notebooks.reading import PICTURE_TOLERANCE, pictures, read, without_pictures
from tools.build.lesson import read_lesson
from tools.build.pipeline import build, write_solution
from tools.build.section import ROOT, START, Section, page_of, sections

REBUILD = "run `make build` and commit what it changes"


SECTIONS = sections()
# Where the build's own steps are tested, which are the same for all sections.
FIRST_SECTION = pytest.mark.parametrize("section", SECTIONS[:1], indirect=True, scope="module")


@pytest.fixture(scope="module", params=SECTIONS)
def section(request):
    return Section(request.param)


@pytest.fixture(scope="module")
def rebuilt(section, tmp_path_factory):
    """Return the folder of a fresh build."""
    folder = tmp_path_factory.mktemp("rebuilt")
    build(section.name, folder)
    return folder


@pytest.fixture(params=["solution", "release"])
def path(section, request):
    return getattr(section, request.param)


def test_sources_metadata_and_texts_are_those_in_the_tree(rebuilt, path):
    assert without_pictures(read(rebuilt / path)) == without_pictures(read(path)), REBUILD


def test_pictures_are_those_in_the_tree(rebuilt, path):
    require_the_same_pictures(read(rebuilt / path), read(path))


def require_the_same_pictures(rebuilt, stored):
    fresh, stored = pictures(rebuilt), pictures(stored)
    assert [picture.shape for picture in fresh] == [picture.shape for picture in stored], REBUILD
    differences = [np.sqrt(np.mean((a - b) ** 2)) for a, b in zip(fresh, stored, strict=True)]
    assert max(differences, default=0.0) <= PICTURE_TOLERANCE, REBUILD


def test_the_start_page_is_the_one_in_the_tree_and_the_build_writes_nothing_else(tmp_path):
    (path,) = build(START, tmp_path)
    stored = read(page_of(START).release)
    assert without_pictures(read(path)) == without_pictures(stored), REBUILD
    require_the_same_pictures(read(path), stored)
    assert [found.relative_to(tmp_path) for found in tmp_path.rglob("*") if found.is_file()] == [page_of(START).release]


@FIRST_SECTION
def test_two_builds_are_byte_identical_and_the_second_is_plain_nbgrader(rebuilt, section, tmp_path):
    """As an instructor does it in a fresh clone: releases are there, a gradebook is not."""
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    shutil.copytree(ROOT / "grading", tmp_path / "grading")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    shutil.copytree(rebuilt / "solutions", tmp_path / "solutions")
    (tmp_path / "helpers").symlink_to(ROOT / "helpers")
    programs = Path(sys.executable).parent
    subprocess.run(
        [programs / "nbgrader", "generate_assignment", section.assignment, "--force"],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        check=True,
    )
    assert (tmp_path / section.release).read_bytes() == (rebuilt / section.release).read_bytes()


@FIRST_SECTION
def test_two_runs_of_a_lesson_are_byte_identical(rebuilt, section, tmp_path):
    again = write_solution(read_lesson(ROOT / section.lesson), section, tmp_path)
    assert again.read_bytes() == (rebuilt / section.solution).read_bytes()


def test_the_picture_for_the_readmes_is_the_one_that_closes_the_notebook(section):
    closing = pictures(read(section.solution))[-1]
    with Image.open(ROOT / section.picture) as image:
        assert np.array_equal(np.asarray(image.convert("RGBA"), dtype=float), closing), REBUILD
