"""The figures of a trained model show the arrays that they are given, and say so in their alternative text."""

import numpy as np
import pytest

from helpers.figures import poems as poem_figures
from helpers.figures import tiny_gpt as figures
from helpers.reference.attention import causal_mask, softmax

COUPLET = list("^白日依山尽，黄河入海流。")
POEM = "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。"


def images(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def bars(axes):
    return [patch.get_height() for patch in axes.patches]


def random_weights(rng, n, shape=(4, 4)):
    return softmax(np.where(causal_mask(n), 2 * rng.standard_normal((*shape, n, n)), -np.inf))


def test_all_heads_are_drawn_layer_by_layer_on_one_scale(fits, rng):
    weights = random_weights(rng, len(COUPLET), (2, 3))
    picture = fits(figures.draw_all_heads(weights, COUPLET))
    assert [image.tolist() for image in images(picture)] == weights.reshape(6, 13, 13).tolist()
    assert {axes.images[0].get_clim() for axes in picture.axes} == {(0.0, 1.0)}
    assert "2 层 × 3 个头" in picture.alt
    query, key = np.unravel_index(weights[1, 2, 1:].argmax(), (12, 13))
    said = f"层 1 头 2 最多的权重在「{COUPLET[query + 1]}」看「{COUPLET[key]}」（{weights[1, 2, 1:].max():.2f}）"
    assert said in picture.alt


def test_the_best_head_of_every_score_is_framed_and_named(fits, rng):
    scores = {name: rng.random((4, 4)) for name in ("前一个字", "五个之前", "上一行同位", "同样的字", "接着上回")}
    scores["前一个字"][2, 3] = 1.0
    picture = fits(figures.draw_head_scores(scores, dict.fromkeys(scores, 0.08)))
    assert [image.tolist() for image in images(picture)] == [values.tolist() for values in scores.values()]
    assert picture.axes[0].patches[0].get_xy() == (2.5, 1.5)
    assert "前一个字：最高的是层 2 头 3，1.00，平均着看是 0.08" in picture.alt


def test_costs_stand_in_a_table_and_beside_the_score(fits, rng):
    costs, scores = rng.standard_normal((4, 4)), rng.random((4, 4))
    costs[1, 0], scores[3, 2] = 5.0, 2.0
    picture = fits(figures.draw_switched_off(costs, scores, "前一个字"))
    table, points = picture.axes
    assert np.asarray(table.images[0].get_array()).tolist() == costs.tolist()
    assert points.collections[0].get_offsets().tolist() == np.stack([scores, costs], axis=-1).reshape(16, 2).tolist()
    assert "最多的是层 1 头 0，5.000" in picture.alt
    assert f"得分最高的是层 3 头 2，它的代价是 {costs[3, 2]:.3f}" in picture.alt


def test_a_right_guess_of_the_lens_is_framed_and_counted(fits, rng):
    truths = list(POEM + "$")
    guesses = [["，"] * 25, truths]
    picture = fits(figures.draw_logit_lens(guesses, rng.random((2, 25)), list("^" + POEM), truths))
    assert len(picture.axes[0].patches) == 2 + 25
    assert "从上到下是 2、25，共 25 个" in picture.alt


def test_what_was_taken_away_has_a_bar_for_each_way_and_lines_to_compare(fits):
    picture = fits(
        figures.draw_without(
            ["位置", "残差", "掩码"],
            [11.7, 15.5, 8.3],
            [8.4, 15.7, 30.0],
            {"完整": 7.0, "3-gram": 8.0},
            [8.4, 15.7, 0.5],
        )
    )
    (axes,) = picture.axes
    widths = [patch.get_width() for patch in axes.patches]
    assert widths[:6] == [11.7, 15.5, 8.3, 8.4, 15.7, 30.0]
    assert np.isnan(widths[6:8]).all()  # as trained is drawn only where it differs
    assert widths[8] == 0.5
    assert [line.get_xdata()[0] for line in axes.lines] == [7.0, 8.0]
    assert "掩码：训练好了再拿掉 8.30，从头就没有 30.00，从头就没有，偷看着算 0.50" in picture.alt


def test_the_summary_shows_the_found_heads_the_layers_and_the_models(fits, rng):
    maps = dict(zip(("前一个字", "五个之前", "上一行同位", "同样的字"), random_weights(rng, 13, (4,)), strict=True))
    bits = {"完整": 7.0, "3-gram": 8.0, "没有残差连接": 15.7}
    picture = fits(figures.draw_opened(maps, COUPLET, [18.6, 8.9, 8.2, 8.0, 7.9], bits))
    assert [image.tolist() for image in images(picture)] == [weights.tolist() for weights in maps.values()]
    assert picture.axes[4].lines[0].get_ydata().tolist() == [18.6, 8.9, 8.2, 8.0, 7.9]
    assert [patch.get_width() for patch in picture.axes[5].patches] == list(bits.values())


def test_next_characters_have_a_panel_for_each_opening(fits):
    picture = fits(poem_figures.draw_next({"春": ("风来", [0.3, 0.1]), "床前明月光": ("，光", [0.6, 0.2])}))
    assert [bars(axes) for axes in picture.axes] == [[0.3, 0.1], [0.6, 0.2]]
    assert "「床前明月光」之后最可能的是「，」（0.60）" in picture.alt


@pytest.mark.parametrize("others", [{}, {"关掉一个头": np.arange(25) / 2}])
def test_surprise_has_a_bar_for_each_character(fits, rng, others):
    bits = rng.random(25)
    picture = fits(poem_figures.draw_surprise({"完整": bits} | others, list(POEM + "$")))
    assert bars(picture.axes[0]) == bits.tolist()
    assert [line.get_ydata().tolist() for line in picture.axes[0].lines] == [list(values) for values in others.values()]


def test_bits_are_written_behind_their_bars(fits):
    picture = fits(poem_figures.draw_bits({"这个模型": 7.0, "3-gram": 8.25}))
    assert [text.get_text() for text in picture.axes[0].texts] == ["7.00", "8.25"]
