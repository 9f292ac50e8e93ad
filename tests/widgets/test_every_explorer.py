"""Every explorer is driven through the extremes of every control: the picture and its words follow, and nothing else.

That the numbers in it are right is tested explorer by explorer, in the file that is called like its section.
"""

import functools

import numpy as np
import pytest

from benchmarks.widgets import factories, make
from tests.notebooks.colab import code_cells
from tests.notebooks.reading import releases
from tests.widgets.driving import artists_of, picture_of, pixels, positions, settable

# A control that moves nothing but under a certain position of another one.
FIRST_SET = {("mask_painter", "window"): ("rule", "|i − j| <= w")}
# The painter's last rule, "painted", keeps the mask of the rule before it.
SHOW_THE_SAME = {("mask_painter", "rule"): 1}
LARGEST = 120_000  # bytes

each = pytest.mark.parametrize("name", factories())


@functools.cache
def untouched(name):
    """Return an explorer that nobody moves."""
    return make(name, factories()[name])


@each
def test_every_position_of_every_control_gives_another_picture_and_other_words_in_the_same_artists(name):
    explorer, other = make(name, factories()[name]), untouched(name)
    picture, artists, still = explorer.picture, artists_of(explorer), picture_of(other)
    for control in settable(explorer):
        shown = show_all(explorer, control, *FIRST_SET.get((name, control), ()))
        expected = len(shown) - SHOW_THE_SAME.get((name, control), 0)
        assert [len(set(what)) for what in zip(*shown, strict=True)] == [expected, expected], control
    assert explorer.picture is picture
    assert all(before is after for before, after in zip(artists, artists_of(explorer), strict=True))
    assert picture_of(other) == still


def show_all(explorer, name, first=None, value=None):
    """Return the picture and the words of every position of a control, and put all back where they stood."""
    controls = explorer.controls
    kept = {moved: control.value for moved, control in settable(explorer).items()}
    if first:
        controls[first].value = value
    shown = []
    for position in positions(controls[name]):
        controls[name].value = position
        assert explorer.error is None, (name, position)
        assert "nan" not in explorer.alt + explorer.caption.value
        assert "-0.00" not in explorer.caption.value
        shown.append((picture_of(explorer), explorer.alt + explorer.caption.value))
    for moved, before in kept.items():
        controls[moved].value = before
    return shown


@each
def test_a_frame_has_the_pixels_of_the_figure_drawn_whole(name):
    explorer = make(name, factories()[name])
    for end in (-1, 0):
        for control in settable(explorer).values():
            control.value = positions(control)[end]
        # Where a moving line crosses a still one, the order of drawing may show in a pixel or two: up to 5 of 255.
        np.testing.assert_allclose(pixels(picture_of(explorer)), pixels(explorer.picture.png()), atol=0.02)


@each
def test_it_begins_with_the_same_small_picture_each_time(name):
    picture = untouched(name).picture.png()
    assert make(name, factories()[name]).picture.png() == picture
    assert len(picture) < LARGEST


@each
def test_every_control_has_a_chinese_description_and_is_a_core_widget(name):
    for control in untouched(name).controls.values():
        assert any("\u4e00" <= character <= "\u9fff" for character in control.description), control
        assert type(control).__module__.startswith("ipywidgets."), control


def test_the_explorers_that_the_notebooks_show_are_among_them():
    shown = {
        source.removeprefix("widgets.").partition("(")[0]
        for path in releases()
        for source in code_cells(path)
        if source.startswith("widgets.")
    }
    assert shown
    assert shown <= factories().keys()
