"""The figures of section 4.2 show the arrays that they are given, and say so in their alternative text."""

import numpy as np
import pytest

from helpers.figures import multihead as figures
from helpers.reference import attention as attention_reference
from helpers.reference import heads as heads_reference
from helpers.reference import low_rank
from helpers.reference import multihead as reference

TOKENS = ["我", "喜欢", "读", "书"]
WORDS = ["老师", "问", "学生", "学生", "问", "老师", "好"]
QUESTIONS = ["前一个", "后一个", "在哪里", "句首", "哪些词"]


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def line(axes, number):
    return axes.lines[number].get_ydata()


def test_one_average_draws_both_errors_their_mean_and_two_heads(fits):
    picture = fits(
        figures.draw_one_average([0, 0.25, 0.5, 0.75, 1], [1, 0.9, 0.5, 0.1, 0], [0, 0.1, 0.5, 0.9, 1], 0.02)
    )
    axes = picture.axes[0]
    assert line(axes, 0).tolist() == [1, 0.9, 0.5, 0.1, 0]
    assert line(axes, 1).tolist() == [0, 0.1, 0.5, 0.9, 1]
    assert line(axes, 2) == pytest.approx([0.5] * 5)
    assert set(line(axes, 3)) == {0.02}
    assert "两者平均始终在 0.50 到 0.50 之间；两个头的误差是 0.02" in picture.alt


@pytest.mark.parametrize(("n_heads", "n_columns"), [(2, 2), (6, 3), (4, 3)])
def test_every_head_has_a_heat_map_of_its_own(fits, rng, n_heads, n_columns):
    weights = attention_reference.softmax(rng.standard_normal((n_heads, 7, 7)))
    titles = [f"头 {h}" for h in range(n_heads)]
    picture = fits(figures.draw_heads(weights, titles, WORDS, n_columns))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == weights.tolist()
    assert [axes.get_title() for axes in picture.axes if axes.images] == titles
    assert f"头 1：「老师」最看「{WORDS[weights[1, 0].argmax()]}」（{weights[1, 0].max():.2f}）" in picture.alt


@pytest.mark.parametrize(("seq_len", "d_model", "n_heads"), [(4, 6, 3), (4, 8, 2), (3, 4, 4)])
def test_the_split_shows_the_same_columns_whole_and_in_pieces(fits, rng, seq_len, d_model, n_heads):
    x = rng.standard_normal((seq_len, d_model))
    heads = reference.split_heads(x, n_heads)
    picture = fits(figures.draw_split(x, heads, TOKENS[:seq_len]))
    whole, *pieces = heat_maps(picture)
    assert whole.tolist() == x.tolist()
    assert [piece.tolist() for piece in pieces] == heads.tolist()
    assert picture.axes[1].get_title().endswith(f"({n_heads}, {seq_len}, {d_model // n_heads})")


def test_the_split_frames_each_head_in_one_colour_on_both_sides(rng):
    x = rng.standard_normal((4, 6))
    whole, *pieces = figures.draw_split(x, reference.split_heads(x, 3), TOKENS).axes
    colors = [patch.get_edgecolor() for patch in whole.patches]
    assert colors == [axes.patches[0].get_edgecolor() for axes in pieces]
    assert [round(patch.get_x() + 0.44) for patch in whole.patches] == [0, 2, 4]


def test_reshape_alone_is_shown_with_the_token_of_every_entry(fits):
    whole = np.repeat(np.arange(4)[:, None], 12, axis=1)
    right, wrong = reference.split_heads(whole, 3), whole.reshape(3, 4, 4)
    picture = fits(figures.draw_reshape(whole, right, wrong, list("春夏秋冬")))
    drawn = ["".join(text.get_text() for text in axes.texts) for axes in picture.axes]
    assert drawn[0] == "春" * 12 + "夏" * 12 + "秋" * 12 + "冬" * 12
    assert drawn[1] == drawn[0]
    assert (
        drawn[2]
        == "春春春春夏夏夏夏秋秋秋秋"
        + "春春春春夏夏夏夏冬冬冬冬"
        + "春春春春秋秋秋秋冬冬冬冬"
        + "夏夏夏夏秋秋秋秋冬冬冬冬"
    )
    assert f"{(wrong != np.arange(4)[:, None]).sum()} / 48 格" in picture.alt


@pytest.mark.parametrize("quantity", ["multiplications", "seconds"])
def test_costs_are_drawn_over_heads_length_and_width_on_one_scale(fits, quantity):
    costs = {
        "n_heads": ([1, 2, 4, 8, 16, 32], [1e8] * 6),
        "seq_len": ([32, 64, 128, 256, 512, 1024, 2048], [1e7 * 2.5**n for n in range(7)]),
        "d_model": ([32, 64, 128, 256], [1e6, 1e7, 1e8, 1e9]),
    }
    picture = fits(figures.draw_costs(costs, quantity))
    for axes, (values, cost) in zip(picture.axes, costs.values(), strict=True):
        assert axes.lines[0].get_xdata().tolist() == values
        assert line(axes, 0) == pytest.approx(cost)
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert len({axes.get_ylim() for axes in picture.axes}) == 1
    assert f"头数 n_heads 从 1 到 32，{figures.COST_NAMES[quantity]}从 1e+08 到 1e+08" in picture.alt


def test_singular_values_are_counted(fits):
    picture = fits(figures.draw_singular_values([3, 2, 1e-16, 1e-17, 0, 0], [5, 4, 3, 2, 1, 0.5]))
    assert line(picture.axes[0], 1).tolist() == [5, 4, 3, 2, 1, 0.5]
    assert "三个一样的头的输出只有 2 个不为 0 的奇异值，三个不同的头的有 6 个" in picture.alt


def test_the_bottleneck_shows_the_pattern_its_fits_and_the_curve(fits, rng):
    pattern = low_rank.random_pattern(12, rng)
    fitted = {d_k: low_rank.fit_head(pattern, d_k, n_steps=20) for d_k in (1, 4, 11)}
    picture = fits(figures.draw_bottleneck(pattern, fitted, [1, 2, 4, 8, 11], [0.6, 0.4, 0.2, 0.05, 0.0]))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == [
        pattern.tolist(),
        *map(np.ndarray.tolist, fitted.values()),
    ]
    assert line(picture.axes[-1], 0).tolist() == [0.6, 0.4, 0.2, 0.05, 0.0]
    assert "d_k = 2 时 40%" in picture.alt


def test_an_ablation_names_the_questions_that_are_lost(fits):
    right = np.ones((3, 5))
    right[1, 1], right[2, [0, 3]] = 0.5, 0
    picture = fits(figures.draw_ablation(right, [0, 0.25, 0.5], ["都开着", "关掉头 1", "关掉头 0、3、5"], QUESTIONS))
    assert heat_maps(picture)[0].tolist() == right.tolist()
    assert [bar.get_width() for bar in picture.axes[1].containers[0]] == [0, 0.25, 0.5]
    assert "都开着：都答对，输出变了 0%；关掉头 1：答错「后一个」，输出变了 25%" in picture.alt
    assert "答错「前一个」、「句首」，输出变了 50%" in picture.alt


@pytest.mark.parametrize("n_heads", [2, 3])
def test_the_flow_shows_every_array_on_the_way(fits, rng, n_heads):
    x, w = rng.standard_normal((4, 6)), rng.standard_normal((4, 6, 6))
    q, k, v = (reference.split_heads(part, n_heads) for part in attention_reference.project(x, *w[:3]))
    brought, weights = attention_reference.attention(q, k, v)
    merged = reference.merge_heads(brought)
    picture = fits(figures.draw_multihead_flow(x, weights, brought, merged, merged @ w[3], TOKENS))
    shown = [heat_map.tolist() for heat_map in heat_maps(picture)]
    for array in (x, *weights, *brought, merged, merged @ w[3]):
        assert array.tolist() in shown
    assert f"拆给 {n_heads} 个头" in picture.alt


def test_the_hand_built_heads_fit(fits):
    heads = heads_reference.hand_built_heads(WORDS)
    fits(figures.draw_heads(heads.weights, [f"头 {h}：前一个词" for h in range(6)], WORDS))
