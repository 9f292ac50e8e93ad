"""An Explorer follows its controls, says what went wrong, and shows itself live, as a picture and in words."""

import base64
import io

import ipywidgets
import numpy as np
import pytest
from matplotlib.image import imread

from helpers.figures.attention_views import LookupView
from helpers.widgets.explorer import WIDGET_VIEW, Explorer


def make(update=None, handlers=None, **more_controls):
    view = LookupView(["甲", "乙"])

    def show(height, **_):
        view.show(np.array([height, 1 - height]), 1.0, height)
        return f"高 {height}"

    controls = {"height": ipywidgets.FloatSlider(value=0.5, min=0, max=1), **more_controls}
    return Explorer(view.picture, controls, update or show, handlers)


def picture_of(explorer):
    return bytes(explorer.image.value)


def test_it_has_drawn_before_anything_is_touched():
    explorer = make()
    assert picture_of(explorer).startswith(b"\x89PNG")
    assert "高 0.5" in explorer.caption.value


def test_setting_a_control_changes_the_picture_the_sentence_and_the_alternative_text():
    explorer = make()
    before, alt = picture_of(explorer), explorer.alt
    explorer.controls["height"].value = 0.75
    assert picture_of(explorer) != before
    assert "高 0.75" in explorer.caption.value
    assert explorer.alt != alt


def test_coming_back_gives_the_same_picture():
    explorer = make()
    before = picture_of(explorer)
    explorer.controls["height"].value = 0.75
    explorer.controls["height"].value = 0.5
    assert picture_of(explorer) == before


def test_a_burst_ends_with_the_last_position():
    explorer, direct = make(), make()
    for height in np.linspace(0, 1, 30):
        explorer.controls["height"].value = height
    explorer.controls["height"].value = 0.3
    direct.controls["height"].value = 0.3
    assert picture_of(explorer) == picture_of(direct)


def test_one_picture_is_sent_for_each_change():
    sent = []
    explorer = make()
    explorer.image.observe(lambda change: sent.append(change["new"]), names="value")
    explorer.controls["height"].value = 0.2
    explorer.controls["height"].value = 0.9
    assert len(sent) == 2


def test_a_handler_that_sets_other_controls_causes_one_picture_with_all_of_them():
    other = ipywidgets.IntSlider(value=1, min=0, max=9)
    seen = []

    def update(height, other):
        seen.append((height, other))
        return ""

    explorer = make(update, {"height": lambda height: setattr(other, "value", 7)}, other=other)
    explorer.controls["height"].value = 0.25
    assert seen == [(0.5, 1), (0.25, 7)]


def test_the_frame_has_the_pixels_of_the_figure_drawn_whole():
    explorer = make()
    explorer.controls["height"].value = 0.75
    np.testing.assert_array_equal(imread(io.BytesIO(picture_of(explorer))), imread(io.BytesIO(explorer.picture.png())))


def fragile(height, **_):
    if height > 0.9:
        raise ValueError("太高 <0.9>")
    return "好的"


def test_an_error_is_said_in_chinese_where_the_learner_looks_and_the_picture_stays(capsys):
    explorer = make(fragile)
    before = picture_of(explorer)
    explorer.controls["height"].value = 1.0
    assert "这一步没画出来：ValueError：太高 &lt;0.9&gt;" in explorer.caption.value
    assert isinstance(explorer.error, ValueError)
    assert picture_of(explorer) == before
    assert capsys.readouterr() == ("", "")


def test_after_an_error_the_next_change_works_again():
    explorer = make(fragile)
    explorer.controls["height"].value = 1.0
    explorer.controls["height"].value = 0.1
    assert "好的" in explorer.caption.value
    assert explorer.error is None


def test_an_error_in_a_handler_is_said_too():
    def handler(height):
        raise KeyError("坏键")

    explorer = make(fragile, {"height": handler})
    explorer.controls["height"].value = 0.2
    assert "坏键" in explorer.caption.value


def test_an_error_at_the_first_drawing_is_raised():
    def broken(height):
        raise ValueError("开头就错")

    with pytest.raises(ValueError, match="开头就错"):
        make(broken)


def test_a_button_calls_its_handler_and_the_picture_follows():
    calls = []
    button = ipywidgets.Button(description="按")
    explorer = make(handlers={"press": lambda: calls.append("按了")}, press=button)
    explorer.picture.axes[0].set_title("新")
    button.click()
    assert calls == ["按了"]


def test_it_offers_the_live_widget_the_static_picture_and_the_words():
    explorer = make()
    bundle, metadata = explorer._repr_mimebundle_()
    assert bundle[WIDGET_VIEW] == {"version_major": 2, "version_minor": 0, "model_id": explorer.box.model_id}
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert bundle["text/plain"] == explorer.alt == metadata["image/png"]["alt"]


def test_it_never_displays_by_side_effect():
    assert not hasattr(make(), "_ipython_display_")


def test_its_static_picture_is_the_same_bytes_every_time():
    first, second = (make()._repr_mimebundle_()[0]["image/png"] for _ in range(2))
    assert first == second


def test_its_sentence_is_announced_and_its_characters_are_escaped():
    explorer = make(lambda height: "a < b & c")
    assert 'role="status"' in explorer.caption.value
    assert "a &lt; b &amp; c" in explorer.caption.value


def test_a_screen_reader_finds_what_the_live_picture_shows_in_words():
    explorer = make()
    explorer.controls["height"].value = 0.75
    assert f'<div role="img" aria-label="{explorer.alt}"></div>' in explorer.caption.value


def test_words_about_the_picture_are_escaped():
    explorer = make(lambda height: "as it was")
    explorer.picture.alt = 'left: "a" < b'
    explorer.controls["height"].value = 0.75
    assert 'aria-label="left: &quot;a&quot; &lt; b"' in explorer.caption.value
