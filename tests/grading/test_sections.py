"""Which section a notebook belongs to, told from its cells."""

import copy

import nbformat
import pytest
from nbformat import from_dict, v4

from grading.sections import read_releases, recognise
from tests.grading.real_course import ROOT

PATHS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))


@pytest.fixture(scope="module")
def releases():
    return read_releases(ROOT / "notebooks")


def stripped(nb):
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        cell.metadata = from_dict({})
    return nb


def answers_alone(nb):
    return v4.new_notebook(cells=[c for c in stripped(nb).cells if c.source.startswith("def ")])


def ids_alone(nb):
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        cell.source = "x = 1"
    return nb


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("what_is_left", [copy.deepcopy, stripped, answers_alone, ids_alone])
def test_every_section_is_recognised_by_what_is_left_of_it(releases, path, what_is_left):
    release = recognise(what_is_left(nbformat.read(path, as_version=4)), releases)
    assert (release.assignment, release.notebook) == (path.parent.name, path.stem)


@pytest.mark.parametrize("sources", [[], ["x = 1"], ["import numpy as np", "def my_own(): ..."]])
def test_a_notebook_of_the_learners_own_is_of_no_section(releases, sources):
    assert recognise(v4.new_notebook(cells=[v4.new_code_cell(source) for source in sources]), releases) is None


def test_the_cells_that_all_sections_share_tell_nothing(releases):
    first, second = (nbformat.read(path, as_version=4) for path in PATHS[:2])
    texts = {cell.source for cell in second.cells}
    shared = v4.new_notebook(cells=[cell for cell in first.cells if cell.source in texts])
    assert shared.cells
    assert recognise(shared, releases) is None


def test_two_sections_in_one_notebook_are_not_decided(releases):
    first, second = (nbformat.read(path, as_version=4) for path in PATHS[:2])
    both = v4.new_notebook()
    both.cells = first.cells + second.cells
    assert recognise(both, releases) is None


def test_metadata_that_is_none_does_no_harm(releases):
    nb = nbformat.read(PATHS[0], as_version=4)
    for cell in nb.cells:
        cell.metadata["nbgrader"] = "?"
    assert recognise(nb, releases).assignment == PATHS[0].parent.name
