"""A drag redraws what moves and nothing else: the background of a widget's picture is drawn once, or once a layout."""

import numpy as np
import pytest

from benchmarks.widgets import events, factories, make, positions
from helpers.figures.live import MOST_KEPT, LivePicture
from helpers.figures.moving_names import MovingNames

# What another background is for: the number of cells, heads or columns, which ticks and limits follow; a poem's words.
LAYOUTS = {
    "attention_explorer": "seq_len",
    "heads_explorer": "n_heads",
    "encoding_explorer": "d_model",
    "head_browser": "poem",
    "head_switches": "poem",
}
N_EVENTS = 12


@pytest.fixture
def backgrounds(monkeypatch):
    """Count the backgrounds that are drawn."""
    drawn = []
    draw = LivePicture._background

    def count(picture):
        before = picture._backgrounds.get(picture.still)
        background = draw(picture)
        if background is not before:
            drawn.append(picture.still)
        return background

    monkeypatch.setattr(LivePicture, "_background", count)
    return drawn


@pytest.mark.parametrize("name", [name for name in factories() if name not in LAYOUTS])
def test_any_control_moved_to_any_value_leaves_the_background_as_it_was(name, backgrounds):
    explorer = make(name, factories()[name])
    for control, value in events(explorer, N_EVENTS, np.random.default_rng(3)):
        explorer.controls[control].value = value
    assert len(backgrounds) == 1


@pytest.mark.parametrize(("name", "layout"), LAYOUTS.items())
def test_a_layout_that_was_there_before_keeps_its_background(name, layout, backgrounds):
    explorer = make(name, factories()[name])
    control = explorer.controls[layout]
    start, (other, *_) = control.value, positions(control)
    for value in (other, start, other, start):
        control.value = value
    assert len(backgrounds) == 2


def test_a_picture_with_many_layouts_keeps_the_latest_backgrounds(backgrounds):
    picture = LivePicture(1, 1)
    for still in [*range(MOST_KEPT + 1), MOST_KEPT, 0]:
        picture.still = still
        picture.frame()
    assert backgrounds == [*range(MOST_KEPT + 1), 0]
    assert len(picture._backgrounds) == MOST_KEPT


@pytest.mark.parametrize(("side", "axis"), [("left", "y"), ("top", "x"), ("bottom", "x")])
def test_a_moving_name_stands_where_a_tick_label_would(side, axis):
    picture = LivePicture(3, 2)
    axes = picture.subplots()
    axes.set(xlim=(0, 2), ylim=(0, 2), **{f"{axis}ticks": [1], f"{axis}ticklabels": ["names"]})
    axes.tick_params(length=0, labelsize=9, labeltop=side == "top", labelbottom=side == "bottom")
    picture.settle()
    tick = getattr(axes, f"{axis}axis").get_major_ticks()[0]
    expected = (tick.label2 if side == "top" else tick.label1).get_window_extent().bounds
    names = MovingNames(axes, side, 2)
    names.write(["names"], [1])
    np.testing.assert_allclose(names.texts[0].get_window_extent().bounds, expected, atol=0.5)
    assert names.texts[1].get_text() == ""


def test_the_title_over_moving_names_stays_where_the_longest_names_had_put_it():
    picture = LivePicture(3, 2)
    axes = picture.subplots()
    axes.set(xticks=[0], xticklabels=["long\nlong\nlong"], title="title")
    axes.tick_params(labeltop=True, labelbottom=False)
    picture.settle()
    before = axes.title.get_window_extent().bounds
    MovingNames(axes, "top", 1)
    picture.draw_without_rendering()
    assert axes.title.get_window_extent().bounds == before
