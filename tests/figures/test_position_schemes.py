"""The figures of section 4.3 on what is added to the scores show the arrays that they are given."""

import numpy as np

from helpers.figures import position_schemes as figures
from helpers.reference import attention, positions, relative, rotary


def entry_points(rng, n=5):
    x, q, k = rng.standard_normal((n, 6)), rng.standard_normal((n, 4)), rng.standard_normal((n, 4))
    turned_q, turned_k, _ = rotary.rope(q, k, k)
    bias = relative.alibi_bias(8, n)[0]
    encoding = positions.sinusoidal(n, 6)
    arrays = {"x": x, "pe": encoding, "sum": x + encoding, "q": q, "turned": turned_q}
    arrays |= {"scores": attention.scores(turned_q, turned_k), "plain": attention.scores(q, k), "bias": bias}
    return arrays | {"weights": attention.softmax(arrays["plain"] + bias)}


def results(rng):
    return {title: {name: rng.random(4).tolist() for name in figures.NAMES} for title in ("三步之前", "最近的同类")}


def test_every_figure_fits_and_its_labels_do_not_overlap(fits, rng):
    matrices = [relative.clipped_distance(24, 6), relative.alibi_bias(8, 24)[1]]
    fits(figures.draw_added_scores(2 * matrices, ["截断的距离编号（上限 6）", "ALiBi", "T5 的桶号（16 个桶）", "RoPE"]))
    fits(figures.draw_extrapolation(results(rng), [32, 64, 128, 256], 32))
    fits(figures.draw_rotary_scores(np.arange(-9, 10), np.tile(rng.random(19), (3, 1)), [50, 100, 1000]))
    fits(figures.draw_two_conventions(np.repeat([3.0, 1.0], 2), np.tile([3.0, 1.0], 2), 3))
    fits(figures.draw_entry_points(entry_points(rng), list("狗咬了人吗")))


def test_a_scale_with_negative_entries_has_zero_in_the_middle():
    picture = figures.draw_added_scores([relative.clipped_distance(5, 2), [[-0.25, 1.0]]], ["甲", "乙"])
    amounts, signed = (axes.images[0] for axes in picture.axes if axes.images)
    assert amounts.get_clim() == (0, 4)
    assert signed.get_clim() == (-1, 1)
    assert "乙：从 -0.25 到 1" in picture.alt


def test_each_scheme_is_a_line_in_each_task_told_apart_without_colour(rng):
    drawn = results(rng)
    picture = figures.draw_extrapolation(drawn, [32, 64, 128, 256], 32)
    for axes, weights in zip(picture.axes, drawn.values(), strict=True):
        lines = {line.get_label(): line for line in axes.lines if line.get_label() in figures.NAMES.values()}
        for name, values in weights.items():
            assert list(lines[figures.NAMES[name]].get_ydata()) == values
        assert len({line.get_marker() for line in lines.values()}) == len(lines)
    assert f"RoPE {drawn['三步之前']['rope'][-1]:.2f}" in picture.alt


def test_curves_of_the_rotary_score_state_how_far_they_are_apart():
    curves = np.tile(np.arange(5.0), (3, 1))
    assert "最多相差 0.0000" in figures.draw_rotary_scores(np.arange(5), curves, [1, 2, 3]).alt
    curves[1, 2] += 0.25
    assert "最多相差 0.2500" in figures.draw_rotary_scores(np.arange(5), curves, [1, 2, 3]).alt


def test_components_that_are_turned_together_have_one_colour():
    picture = figures.draw_two_conventions(np.repeat([3.0, 1.0], 2), np.tile([3.0, 1.0], 2), 3)
    colors = [[bar.get_facecolor() for bar in axes.containers[0]] for axes in picture.axes]
    assert colors[0][0] == colors[0][1] != colors[0][2] == colors[0][3]
    assert colors[1][0] == colors[1][2] != colors[1][1] == colors[1][3]


def test_the_summary_shows_every_array(rng):
    arrays = entry_points(rng)
    picture = figures.draw_entry_points(arrays, list("狗咬了人吗"))
    shown = {axes.get_title(): np.asarray(axes.images[0].get_array()) for axes in picture.axes}
    assert {title: shown[title].tolist() for title in shown} == {
        figures.FLOW_TITLES[name]: array.tolist() for name, array in arrays.items()
    }
