"""Every learner notebook runs in JupyterLab, every control answers to the keyboard, a phone shows all of it."""

import nbformat
import pytest

from tests.browser.driving import Drive
from tests.browser.reading import ExplorerOnPage
from tools.build.section import ROOT

NOTEBOOKS = sorted(path.relative_to(ROOT / "notebooks") for path in (ROOT / "notebooks").rglob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_all_cells_run_and_every_picture_follows_every_control(reader, keep_screenshot, lab, path):
    reader.open(lab.address, path)
    reader.run_all()
    assert reader.complaints() == []
    places = reader.explorers()
    complaints = [complaint for place in places for complaint in complaints_about(reader, place, keep_screenshot)]
    assert complaints + reader.complaints() == []
    assert len(places) == number_of_explorers(path)
    assert reader.beyond_the_edge() == []


def complaints_about(reader, place, keep_screenshot):
    """Drive the explorer of a cell; return what is wrong with it, and where a picture of the page is kept."""
    explorer = ExplorerOnPage(reader, place)
    complaints = Drive(explorer).every_control()
    complaints += [f"{explorer.name}: no font has {character!r}" for character in explorer.undrawn_characters()]
    complaints += [f"{explorer.name}: a {role} without a name" for role in explorer.unnamed()]
    if complaints:
        complaints.append(f"the page then: {keep_screenshot(f'cell-{place}')}")
    return complaints


def number_of_explorers(path):
    """Count the cells that call one of the functions of `helpers.widgets`."""
    notebook = nbformat.read(ROOT / "notebooks" / path, as_version=4)
    return sum(cell.source.startswith("widgets.") for cell in notebook.cells)
