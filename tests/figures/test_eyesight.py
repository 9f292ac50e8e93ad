"""The palette stays apart for every kind of eyes, and its texts stand out from the page."""

import itertools

import matplotlib
import numpy as np
import pytest

from helpers.checks import report
from helpers.style import LEAST_CONTRAST, PALETTE, RC, Picture, readable
from helpers.widgets import explorer
from tests.figures.eyesight import APART, SEEN_WITH, confusable_curves, contrast, distance, faint_texts

CURVES = [entry["color"] for entry in RC["axes.prop_cycle"]]


@pytest.mark.parametrize("eyes", SEEN_WITH)
def test_any_two_colours_of_curves_stay_apart_for(eyes):
    near = [pair for pair in itertools.combinations(CURVES, 2) if distance(*pair, eyes) < APART]
    assert len(CURVES) == 6
    assert near == []


@pytest.mark.parametrize("eyes", SEEN_WITH)
@pytest.mark.parametrize("name", ["blue", "vermilion", "orange"])
def test_what_is_not_the_point_stays_apart_from_what_is(eyes, name):
    assert distance(PALETTE[name], PALETTE["muted"], eyes) >= APART


@pytest.mark.parametrize("name", PALETTE)
def test_a_colour_made_readable_stands_out_from_white_and_changes_no_more_than_it_must(name):
    assert contrast(readable(PALETTE[name])) >= LEAST_CONTRAST
    assert contrast(readable(PALETTE[name])) < 4.8 or contrast(PALETTE[name]) >= LEAST_CONTRAST


def test_an_explorers_alarm_stands_out_as_a_text_and_a_reports_border_as_a_line():
    alarm = explorer.ALARM.partition(";color:")[2].partition('"')[0]
    assert contrast(alarm) >= LEAST_CONTRAST
    assert min(map(contrast, [*report.COLORS.values(), report.WRONG_COLOR])) >= 3


@pytest.mark.parametrize("name", ["cividis", "PuOr"])
@pytest.mark.parametrize("eyes", SEEN_WITH)
def test_a_heat_map_runs_from_end_to_end_without_coming_back(name, eyes):
    colors = matplotlib.colormaps[name](np.linspace(0, 1, 9))[:, :3]
    steps = [distance(colors[0], color, eyes) for color in colors[1:]]
    assert steps == sorted(steps) or name == "PuOr"
    assert distance(colors[0], colors[-1], eyes) > 3 * APART


def test_red_and_green_would_be_noticed():
    assert distance("#d62728", "#2ca02c") > 4 * APART
    assert min(distance("#c44e00", "#7a7a00", eyes) for eyes in SEEN_WITH) < APART


def test_curves_alike_in_all_but_a_colour_that_some_eyes_do_not_see_are_noticed():
    picture = Picture(2, 2, "")
    axes = picture.subplots()
    axes.plot([0, 1, 2], color=PALETTE["green"])
    axes.plot([1, 2, 3], color=PALETTE["muted"])
    assert confusable_curves(picture, APART) == [(PALETTE["green"].lower(), PALETTE["muted"], 11)]
    axes.get_lines()[1].set_linestyle(":")
    assert confusable_curves(picture, APART) == []


def test_a_faint_text_is_noticed_on_what_it_stands_on():
    picture = Picture(3, 2, "")
    axes = picture.subplots()
    axes.set(xlim=(0, 2), ylim=(0, 1))
    axes.axvspan(1, 2, color=PALETTE["ink"])
    for x, color in ((0.5, PALETTE["sky"]), (1.5, PALETTE["sky"]), (1.5, "white"), (0.5, "white")):
        axes.text(x, 0.2 + 0.6 * (color == "white"), color, color=color, ha="center")
    faint = [text for text, _ in faint_texts(picture, LEAST_CONTRAST)]
    assert faint == [PALETTE["sky"], "white"]
