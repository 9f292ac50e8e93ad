"""The drive finds what it is there for: broken explorers, errors and missing glyphs, in a notebook made of them."""

import pytest

from tests.browser.driving import Drive
from tests.browser.lab import write_notebook
from tests.browser.reading import ExplorerOnPage

IMPORTS = """
import sys
import ipywidgets
from IPython.display import HTML, Javascript, display
from helpers.widgets import attention
"""
STUCK = "explorer._update = lambda temperature: 'the same'"
RAISES = "def broken(temperature):\n    raise ValueError('broken here')\nexplorer._update = broken"
STACKED = "explorer.box.children = (*explorer.box.children, ipywidgets.Image(value=explorer.image.value))"
CUNEIFORM = "explorer.controls['temperature'].description = chr(0x12000)"
UNNAMED = "explorer.box.children = (*explorer.box.children, ipywidgets.Text())"
WIDE = "ipywidgets.HBox([ipywidgets.IntSlider(layout={'min_width': '40em'})])"
CUT = "ipywidgets.HBox([ipywidgets.Checkbox(description='cut off here', indent=False, layout={'width': '5em'})])"
CLIPPED = 'display(HTML(\'<div style="overflow: hidden"><p style="width: 40em">out of reach</p></div>\'))'
TROUBLE = ["display(Javascript('console.error(\"from the page\")'))", "print('from stderr', file=sys.stderr)", "1 / 0"]
BROKEN = (STUCK, RAISES, STACKED, CUNEIFORM, UNNAMED)


@pytest.fixture
def broken(lab, reader):
    """Return a reader with a notebook in which one explorer after the other is broken, and then the cells are."""
    explorers = [f"explorer = attention.soft_lookup_explorer()\n{how}" for how in BROKEN]
    sources = [IMPORTS, *(f"{source}\nexplorer" for source in explorers), WIDE, CUT, CLIPPED, *TROUBLE]
    reader.open(lab.address, write_notebook(lab.folder, "broken.ipynb", sources))
    reader.run_all()
    return reader


def test_the_drive_and_the_reader_name_everything_that_is_broken(broken):
    found = []
    for place in broken.explorers()[: len(BROKEN)]:
        explorer = ExplorerOnPage(broken, place)
        found.append((Drive(explorer, within=0.5).every_control(), explorer.undrawn_characters(), explorer.unnamed()))
    (stuck, _, named), (raises, _, _), (stacked, _, _), (_, undrawn, _), (text, _, unnamed) = found
    assert "the picture stayed" in stuck[0]
    assert "broken here" in raises[0]
    assert "2 pictures in 1 outputs" in stacked[0]
    assert undrawn == [chr(0x12000)]
    assert "the picture stayed" in text[0]  # nobody reads the field
    assert (named, unnamed) == ([], ["textbox"])
    complaints = " ".join(broken.complaints())
    assert all(part in complaints for part in ("from the page", "from stderr", "division by zero"))
    narrow = " ".join(broken.beyond_the_edge())
    assert "out of reach" in narrow
    assert "cell 6 on a phone: div" in narrow  # the slider
    assert "cell 7 on a phone: label cut off here" in narrow
    assert "cell 1 " not in narrow
