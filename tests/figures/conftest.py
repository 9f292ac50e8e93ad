"""What every figure must keep to, and arrays of unequal sizes to draw."""

import itertools
import warnings
from unittest import mock

import numpy as np
import pytest
from matplotlib.text import Text

from helpers.style import LEAST_CONTRAST
from tests.figures.eyesight import APART, confusable_curves, faint_texts

WIDEST = 7.5  # inches
LARGEST_FILE = 120_000  # bytes


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.fixture
def fits():
    """Return a function that draws a picture and checks size, glyphs, words, overlaps, borders and colours."""
    return _check_fit


def _check_fit(picture):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # old matplotlib on new pyparsing
        warnings.simplefilter("error", RuntimeWarning)
        image, texts = _draw_and_watch(picture)
    assert len(image) < LARGEST_FILE
    assert picture.get_figwidth() <= WIDEST
    assert any("\u4e00" <= character <= "\u9fff" for character in picture.alt)
    assert "nan" not in picture.alt
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for (first, box), (second, other) in itertools.combinations(boxes, 2):
        assert not _overlap(box, other), f"{first!r} and {second!r} overlap"
    for text, box in boxes:
        assert _inside(picture, box), f"{text!r} runs out of the figure"
    assert faint_texts(picture, LEAST_CONTRAST) == []
    assert confusable_curves(picture, APART) == []
    return picture


def _draw_and_watch(picture):
    """Return the PNG and the texts that were drawn: a tick beyond the view has a label, but never draws it."""
    drawn = {}
    draw = Text.draw

    def watch(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn[id(text)] = text
        return draw(text, renderer)

    with mock.patch.object(Text, "draw", watch):
        return picture.png(), list(drawn.values())


def _overlap(box, other):
    """A pixel of touching is not an overlap."""
    width = min(box.x1, other.x1) - max(box.x0, other.x0)
    height = min(box.y1, other.y1) - max(box.y0, other.y0)
    return width > 1 and height > 1


def _inside(picture, box):
    return box.x0 >= -1 and box.y0 >= -1 and box.x1 <= picture.bbox.x1 + 1 and box.y1 <= picture.bbox.y1 + 1
