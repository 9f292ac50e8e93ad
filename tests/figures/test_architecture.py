"""The figures of section 4.4 show the arrays that they are given, and say so in their alternative text."""

import numpy as np
import pytest

from helpers.figures import architecture as figures
from helpers.figures import families as family_figures
from helpers.figures import generation as generation_figures
from helpers.reference import attention as attention_reference
from helpers.reference import depth, families, lesson_block

WORDS = ["甲", "乙", "丙"]
PAIR = ["我", "喜欢", "读", "书", "I", "love", "books"]


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def lesson_arrays(steps):
    shown = ("q", "k", "v", "weights", "context", "after_attention", "hidden", "ffn_output", "output")
    return {
        "x": steps.tokens,
        "value_inputs": np.array(lesson_block.VALUE_INPUTS),
        "scores": np.where(steps.mask, steps.scores, -np.inf),
        **{name: getattr(steps, name) for name in shown},
    }


def test_the_steps_of_a_block_show_every_array_with_its_numbers_and_cross_out_what_is_forbidden(fits):
    steps = lesson_block.trace(*lesson_block.ARGUMENTS)
    arrays = lesson_arrays(steps)
    picture = fits(figures.draw_block_steps(arrays, WORDS))
    shown = [heat_map.tolist() for heat_map in heat_maps(picture)]
    for name, array in arrays.items():
        if name != "scores":
            assert array.tolist() in shown, name
    crosses = [text for axes in picture.axes for text in axes.texts if text.get_text() == "×"]
    assert len(crosses) == 3
    assert "输出第一行 3.750, 3.500, 1.500，最后一行 4.366, 4.752, 1.153" in picture.alt


def test_a_block_without_value_inputs_of_its_own_leaves_their_panel_out(fits):
    arrays = lesson_arrays(lesson_block.trace(*lesson_block.ARGUMENTS))
    whole = len(figures.draw_block_steps(arrays, WORDS).axes)
    del arrays["value_inputs"]
    assert len(fits(figures.draw_block_steps(arrays, WORDS)).axes) == whole - 1


def test_compared_weights_name_the_rows_that_changed(fits):
    before, after = (lesson_block.trace(*lesson_block.ARGUMENTS, causal=causal).weights for causal in (True, False))
    picture = fits(figures.draw_weights_compared(before, after, ("有 j <= i", "没有 j <= i"), WORDS))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == [
        before.tolist(),
        after.tolist(),
        (after - before).tolist(),
    ]
    assert picture.alt.endswith("变了的行：「甲」、「乙」。")


def test_equal_weights_have_no_changed_row(fits):
    picture = fits(figures.draw_weights_compared(np.eye(3), np.eye(3), ("前", "后"), WORDS))
    assert picture.alt.endswith("变了的行：没有。")


def test_depth_draws_five_lines_in_each_of_three_panels(fits):
    depths = [1, 2, 4, 8, 16, 32, 48]
    measured = depth.depth_experiment([1, 2], np.random.default_rng(0), seq_len=3, d_model=4, n_heads=2)
    names = ["都没有", "只有残差", "只有归一化", "post-norm", "pre-norm"]
    results = {
        name: {
            "signal": np.logspace(0, -3, 7),
            "similarity": np.linspace(0, 1, 7),
            "gradient": np.logspace(1, 17, 7) + place,
        }
        for place, name in enumerate(names)
    }
    assert len(measured) == len(names)
    picture = fits(figures.draw_depth(depths, results))
    for axes, quantity in zip(picture.axes, ("signal", "similarity", "gradient"), strict=True):
        assert [line.get_ydata().tolist() for line in axes.lines] == [
            values[quantity].tolist() for values in results.values()
        ]
    assert [axes.get_yscale() for axes in picture.axes] == ["log", "linear", "log"]
    assert "48 层时：都没有：信号 1.0e-03，相似度 1.00，梯度 1.0e+17" in picture.alt


def test_mixing_says_how_far_the_tokens_are_apart_after_each_number_of_layers(fits):
    points = np.array([[0.0, 0], [4, 0], [0, 3]])
    picture = fits(figures.draw_mixing([points, points / 2, points / 10], [0, 2, 5], WORDS))
    assert [axes.collections[0].get_offsets().tolist() for axes in picture.axes] == [
        points.tolist(),
        (points / 2).tolist(),
        (points / 10).tolist(),
    ]
    assert "0 层 5.00、2 层 2.50、5 层 0.50" in picture.alt


def test_parts_are_drawn_as_shares_of_the_whole(fits):
    picture = fits(figures.draw_parts({"FFN": 8, "注意力": 4}))
    assert [bar.get_width() for bar in picture.axes[0].containers[0]] == pytest.approx([2 / 3, 1 / 3])
    assert "FFN占 66.7%，注意力占 33.3%" in picture.alt


def test_the_flow_shows_every_array_and_two_residual_arcs(fits, rng):
    x = rng.standard_normal((4, 6))
    arrays = {"x": x, "attention": x / 2, "after_attention": 1.5 * x, "ffn": -x / 3, "output": 1.2 * x}
    weights = attention_reference.softmax(rng.standard_normal((4, 4)))
    picture = fits(figures.draw_block_flow(arrays, weights, PAIR[:4]))
    shown = [heat_map.tolist() for heat_map in heat_maps(picture)]
    for array in (*arrays.values(), weights):
        assert array.tolist() in shown
    labels = [text.get_text() for axes in picture.axes for text in axes.texts]
    assert labels.count(figures.RESIDUAL) == 2


def test_families_show_their_masks_and_count_what_may_be_looked_at(fits):
    masks = {family: families.visibility(family, 4, 3) for family in families.FAMILIES}
    picture = fits(family_figures.draw_families(masks, [PAIR] * 3, [PAIR] * 3))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == [mask.tolist() for mask in masks.values()]
    assert "decoder-only：28 / 49 格可以看" in picture.alt


def test_targets_colour_only_the_positions_that_carry_loss(fits):
    objectives = {
        "填空": (["我", "[M]", "书"], [None, "读", None]),
        "下一个词": (["我", "读"], ["读", "书"]),
    }
    picture = fits(family_figures.draw_targets(objectives))
    assert [heat_map[1].tolist() for heat_map in heat_maps(picture)] == [[0, 1, 0], [1, 1]]
    assert [text.get_text() for text in picture.axes[0].texts] == ["我", "·", "[M]", "读", "书", "·"]
    assert "填空：1 个预测，在位置 1；下一个词：2 个预测，在位置 0、1" in picture.alt


def test_a_training_shows_loss_and_exact_generation(fits):
    losses = {"有掩码": np.geomspace(2.5, 0.85, 40), "没有掩码": np.geomspace(2.5, 0.003, 40)}
    picture = fits(generation_figures.draw_training(losses, {"有掩码": 1.0, "没有掩码": 0.01}))
    curve, bars = picture.axes
    assert [line.get_ydata().tolist() for line in curve.lines] == [values.tolist() for values in losses.values()]
    assert [bar.get_height() for bar in bars.containers[0]] == [1.0, 0.01]
    assert "没有掩码：损失从 2.50 降到 0.00，生成正确 1%" in picture.alt


def test_temperatures_have_a_panel_each(fits):
    probabilities = np.array([[0.9, 0.1], [0.6, 0.4]])
    picture = fits(generation_figures.draw_temperatures(probabilities, [0.3, 2], ["甲", "乙"]))
    assert [[bar.get_height() for bar in axes.containers[0]] for axes in picture.axes] == probabilities.tolist()
    assert "温度 0.3 时最大的概率是 0.90；温度 2 时最大的概率是 0.60" in picture.alt


@pytest.mark.parametrize("quantity", ["multiplications", "seconds"])
def test_the_cache_is_drawn_on_two_logarithmic_axes(fits, quantity):
    costs = {"没有缓存": [1e6, 4e6, 2e7], "有 KV 缓存": [1e5, 1.1e5, 1.4e5]}
    picture = fits(generation_figures.draw_cache([16, 64, 256], costs, quantity))
    (axes,) = picture.axes
    assert [list(line.get_ydata()) for line in axes.lines] == list(costs.values())
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert "没有缓存：从 1e+06 到 2e+07" in picture.alt


def test_memory_is_stacked_and_totalled(fits):
    totals = {"推理": {"权重": 3e9, "缓存": 1e9, "激活": 0}, "训练": {"权重": 6e9, "缓存": 0, "激活": 2e9}}
    picture = fits(generation_figures.draw_memory(totals))
    weights, cache, activations = picture.axes[0].containers
    assert [bar.get_width() for bar in weights] == [3, 6]
    assert [(bar.get_x(), bar.get_width()) for bar in cache] == [(3, 1), (6, 0)]
    assert [(bar.get_x(), bar.get_width()) for bar in activations] == [(4, 0), (6, 2)]
    assert "推理：权重 3.0、缓存 1.0，合计 4.0；训练：权重 6.0、激活 2.0，合计 8.0" in picture.alt
