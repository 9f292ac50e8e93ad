"""What `tools/lab_extension` adds to JupyterLab: pictures large enough on a phone, sliders that tell their names."""

import pytest

from tests.browser.lab import write_notebook
from tests.browser.reading import PHONE, ExplorerOnPage

PICTURES = """
from helpers.style import Picture
from IPython.display import display
display(Picture(8, 2, "wide"), Picture(2, 2, "small"))
"""
EXPLORER = "from helpers.widgets import attention\nattention.soft_lookup_explorer()"
WIDTHS = "() => [...document.querySelectorAll('.jp-RenderedImage img')].map(image => image.clientWidth)"
TOLD = "handle => ['aria-label', 'aria-valuetext'].map(name => handle.getAttribute(name))"


@pytest.fixture
def shown(lab, reader):
    """Return a reader with a notebook that shows a wide picture, a small one and an explorer."""
    reader.open(lab.address, write_notebook(lab.folder, "shown.ipynb", [PICTURES, EXPLORER]))
    reader.run_all()
    return reader


def test_a_phone_shows_a_picture_500_pixels_wide_in_a_scrolling_cell_and_a_smaller_one_as_it_is(shown):
    assert shown.beyond_the_edge() == []  # the window is a phone's from here on
    assert shown.page.evaluate("innerWidth") == PHONE["width"]
    assert shown.page.evaluate(WIDTHS) == [500, 220]


def test_a_slider_tells_its_name_and_the_value_that_stands_beside_it(shown):
    explorer = ExplorerOnPage(shown, shown.explorers()[0])
    (slider,) = explorer.controls
    handle = shown.page.locator(".noUi-handle")
    assert handle.evaluate(TOLD) == ["温度", "0.50"]
    explorer.press(slider, "End")
    explorer.look()
    assert handle.evaluate(TOLD) == ["温度", "10.00"]
