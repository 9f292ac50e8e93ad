"""A cell that shows another picture than the notebook holds is found, wherever nbval runs it."""

import base64
import io

import numpy as np
import pytest
from nbformat import v4
from PIL import Image

from tests.notebooks.shown import complaint


def showing(*pictures, **metadata):
    """Return outputs with these pictures, arrays of RGB values."""
    return [v4.new_output("display_data", {"image/png": png(picture)}, metadata=metadata) for picture in pictures]


def png(picture):
    written = io.BytesIO()
    Image.fromarray(np.uint8(picture)).save(written, "png")
    return base64.b64encode(written.getvalue()).decode()


@pytest.fixture
def picture():
    """Return a page with a line on it."""
    picture = np.full((30, 50, 3), 255.0)
    picture[12] = 0
    return picture


def test_the_same_picture_is_right_though_an_edge_has_moved_by_the_last_bits(picture):
    assert complaint(showing(picture), showing(np.maximum(picture - 1, 0))) is None


def test_a_line_drawn_elsewhere_is_found(picture):
    assert complaint(showing(np.roll(picture, 1, axis=0)), showing(picture)) == "other pictures"


def test_a_picture_more_one_less_and_one_of_another_size_are_found(picture):
    for others in [(picture, picture), (), (picture[1:],)]:
        assert complaint(showing(*others), showing(picture)) is not None


def test_other_metadata_are_found_except_of_a_widget_that_is_alive(picture):
    alive = {"application/vnd.jupyter.widget-view+json": {"colab": {}}}
    assert complaint(showing(picture, **alive), showing(picture)) is None
    assert complaint(showing(picture, needs_background="light"), showing(picture)) == "other metadata of the outputs"


def test_nbval_asks_for_it(request):
    if not request.config.getoption("nbval"):
        pytest.skip("nbval does not run")
    assert request.config.pluginmanager.has_plugin("shown")
