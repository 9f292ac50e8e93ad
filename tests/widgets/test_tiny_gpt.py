"""The explorers of the trained model draw what the reference says."""

import html

import numpy as np
import pytest

from helpers.reference import over_poems, tiny_gpt
from helpers.reference.decoder import without_heads
from helpers.widgets import tiny_gpt as widgets


def test_the_browser_shows_the_chosen_head_of_the_chosen_poem():
    explorer = widgets.head_browser()
    explorer.controls["layer"].value, explorer.controls["head"].value = 2, 3
    explorer.controls["poem"].value = 4
    weights = widgets.reading_of(4).weights[2, 3]
    assert np.asarray(explorer.picture.axes[0].images[0].get_array()) == pytest.approx(weights)
    heights = [bar.get_height() for bar in explorer.picture.axes[1].patches]
    assert heights == pytest.approx([np.diagonal(weights, -back).mean() for back in range(25)])
    names = [label.get_text() for label in explorer.picture.axes[0].get_yticklabels()]
    assert "".join(names) == "^" + widgets.quatrains()[4]


def test_the_stepper_writes_what_the_reference_writes():
    explorer = widgets.poem_stepper()
    explorer.controls["temperature"].value, explorer.controls["k"].value = 1.2, 5
    explorer.controls["seed"].value = 3
    explorer.controls["step"].value = explorer.controls["step"].max
    gpt = tiny_gpt.load()
    form = tiny_gpt.FORMS["五言绝句"]
    *_, last = tiny_gpt.generate(gpt.model, gpt.symbols, "明月", 1.2, 5, np.random.default_rng(3), form)
    assert f"到此是「{last.text}」" in explorer.alt
    assert widgets.FINISHED in explorer.caption.value


@pytest.mark.parametrize("seed", [1, 5])
def test_the_chosen_character_is_red_among_its_candidates(seed):
    explorer = widgets.poem_stepper()
    explorer.controls["k"].value, explorer.controls["temperature"].value = widgets.ALL, 2.0
    explorer.controls["seed"].value = seed
    following = explorer.picture.axes[1]
    names = [text.get_text() for text in following.texts]
    red = [name for name, bar in zip(names, following.patches, strict=True) if bar.get_facecolor()[0] > 0.5]
    assert red == [widgets.broken_at_punctuation(explorer.picture.axes[0].texts[0].get_text())[-1]]


@pytest.mark.parametrize(
    ("wish", "form", "opening", "left_out"),
    [
        (widgets.NOTHING, "五言绝句", "", ""),
        ("白日", "五言绝句", "白日", ""),
        ("白日依山尽黄", "五言绝句", "白日依山尽，黄", ""),
        ("白日依山尽，黄", "七言绝句", "白日依山尽黄", "，"),
        ("白日，", widgets.FREE, "白日，", ""),
        ("A白$日😀", "五言绝句", "白日", "A$😀"),
        ("白 日\n", "五言绝句", "白日", ""),
        ("月" * 22, "五言绝句", "月月月月月，月月月月月。月月月月月，月月月月月。", "月月"),
        ("月" * 50, widgets.FREE, "月" * 48, "月月"),
    ],
)
def test_an_opening_is_cut_to_what_the_model_and_the_form_allow(wish, form, opening, left_out):
    assert widgets.usable_opening(wish, form) == (opening, left_out)


def test_an_opening_of_one_s_own_goes_before_the_list_and_says_what_it_leaves_out():
    explorer = widgets.poem_stepper()
    explorer.controls["own"].value = "白日x"
    assert "到此是「白日" in explorer.alt
    assert "没有用上：x" in html.unescape(explorer.caption.value)


def test_a_long_list_of_what_was_left_out_is_cut_short():
    explorer = widgets.poem_stepper()
    explorer.controls["own"].value = "x" * 300
    assert explorer.error is None
    assert f"没有用上：{'x' * 12}…… 共 300 个" in html.unescape(explorer.caption.value)


@pytest.mark.parametrize("text", ["月" * 65, "月，" * 32, "。" * 65, "月月月月月月，" * 9])
def test_whatever_is_written_has_room_beside_the_bars(text):
    rows = widgets.broken_at_punctuation(text).split("\n")
    assert "".join(rows) == text
    assert len(rows) <= 11
    assert max(map(len, rows)) <= 10


def test_a_poem_that_fills_the_model_says_that_it_stops_there():
    explorer = widgets.poem_stepper()
    explorer.controls["form"].value, explorer.controls["k"].value = widgets.FREE, widgets.ALL
    explorer.controls["temperature"].value = 2.0
    explorer.controls["step"].value = explorer.controls["step"].max
    assert "65 个符号" in explorer.caption.value
    assert widgets.FULL in explorer.caption.value
    assert widgets.HARDLY in explorer.caption.value


def test_a_whole_poem_as_an_opening_leaves_nothing_but_the_end():
    explorer = widgets.poem_stepper()
    explorer.controls["own"].value = widgets.quatrains()[0]
    assert explorer.error is None
    assert (explorer.controls["step"].max, widgets.FINISHED in explorer.caption.value) == (1, True)


def test_switched_off_heads_cost_what_the_reference_says():
    explorer = widgets.head_switches()
    explorer.controls["poem"].value = 2
    explorer.controls["layer_0_head_1"].value = explorer.controls["layer_2_head_0"].value = False
    gpt, poem = tiny_gpt.load(), widgets.quatrains()[2]
    before, now = (
        over_poems.bits_per_character(without_heads(gpt.model, off), [poem], gpt.symbols)
        for off in ([], [(0, 1), (2, 0)])
    )
    widths = [bar.get_width() for bar in explorer.picture.axes[1].patches]
    assert widths == pytest.approx([before, now])
    is_on = np.asarray(explorer.picture.axes[0].images[0].get_array())
    assert np.argwhere(is_on == 0).tolist() == [[0, 1], [2, 0]]
    assert f"{now:.2f} 比特" in explorer.caption.value


def test_a_head_that_hardly_matters_is_not_said_to_cost_nothing_less():
    explorer = widgets.head_switches()
    explorer.controls["layer_3_head_3"].value = False
    assert widgets.THE_SAME in explorer.caption.value
