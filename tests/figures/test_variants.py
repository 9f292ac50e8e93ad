"""The figures of the attention variants show the arrays that they are given, and say so in their alternative text."""

import numpy as np
import pytest

from helpers.figures import grouped as grouped_figures
from helpers.figures import linear_attention as linear_figures
from helpers.figures import sparse as sparse_figures
from helpers.figures import tiled as tiled_figures
from helpers.figures.growth import draw_growth
from helpers.figures.variants import draw_variants
from helpers.reference import attention, memory_traffic, sparse, tiled
from helpers.reference import linear_attention as linear


def images(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def test_growth_draws_a_line_for_each_amount_on_two_logarithmic_axes(fits):
    amounts = {"甲": [1.0, 4.0, 16.0], "乙": [2.0, 4.0, 8.0]}
    picture = fits(draw_growth([512, 1024, 2048], amounts, "长度", "数量", {"界": 1024}))
    (axes,) = picture.axes
    assert [list(line.get_ydata()) for line in axes.lines[:2]] == list(amounts.values())
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["512", "1k", "2k"]
    assert "甲：从 1 到 16；乙：从 2 到 8" in picture.alt


def test_every_query_head_is_linked_to_the_group_that_it_shares(fits):
    picture = fits(grouped_figures.draw_head_sharing(8, {"MHA": 8, "GQA": 2, "MQA": 1}))
    ends = [[line.get_xdata()[1] for line in axes.lines[:8]] for axes in picture.axes]
    assert ends == [list(range(8)), [1.5] * 4 + [5.5] * 4, [3.5] * 8]
    assert "GQA：2 组，每组供 4 个查询头" in picture.alt


def test_the_error_of_sharing_has_a_line_for_each_likeness(fits):
    errors = {0.0: [0.1, 0.2], 1.0: [0.1, 0.1]}
    picture = fits(grouped_figures.draw_sharing_error([8, 1], errors))
    assert [list(line.get_ydata()) for line in picture.axes[0].lines] == list(errors.values())
    assert "图案相似度 0：8 组 0.10、1 组 0.20" in picture.alt


def test_patterns_show_their_masks_and_shares(fits):
    masks = {"窗口": attention.sliding_window_mask(10, 3), "双向": sparse.global_mask(10, 2)}
    picture = fits(sparse_figures.draw_patterns(masks))
    assert [image.astype(bool).tolist() for image in images(picture)] == [mask.tolist() for mask in masks.values()]
    assert "窗口：27%，最后一行看 3 个" in picture.alt


def test_the_fan_links_only_what_the_mask_allows_and_says_how_far_it_reaches(fits):
    mask = attention.sliding_window_mask(9, 3)
    reached = np.array([attention.reach(mask, layers)[-1] for layers in range(3)])
    picture = fits(sparse_figures.draw_fan(reached, mask))
    links = [(line.get_xdata()[0], line.get_xdata()[1]) for line in picture.axes[0].lines]
    assert all(mask[query, key] for query, key in links)
    assert len(links) == 3 + 9  # one query in the upper layer, three in the lower, three keys each
    assert "第 1 层 6 到 8；输入 4 到 8" in picture.alt


def test_both_orders_are_drawn_to_scale(fits):
    picture = fits(linear_figures.draw_two_orders(24, 3))
    sizes = [[(patch.get_height(), patch.get_width()) for patch in axes.patches] for axes in picture.axes]
    assert sizes == [[(24, 3), (3, 24), (24, 24), (24, 3)], [(3, 24), (24, 3), (3, 3), (24, 3)]]


def test_states_are_drawn_on_one_scale(fits, rng):
    states, _ = linear.running_state(rng.standard_normal((5, 2)), rng.standard_normal((5, 3)))
    picture = fits(linear_figures.draw_states(states[[0, 4]], [1, 5]))
    assert [image.tolist() for image in images(picture)] == states[[0, 4]].tolist()
    limits = {axes.images[0].get_clim() for axes in picture.axes}
    assert len(limits) == 1
    assert "始终 2 × 3" in picture.alt


def test_online_softmax_marks_the_blocks_that_rescale_and_a_ragged_last_block(fits):
    scores = np.array([0.5, 1.2, 2.4, 0.9, 1.1])
    _, largest, total = tiled.online_softmax(scores, 2)
    picture = fits(tiled_figures.draw_online_softmax(scores, 2, largest, total))
    bars = picture.axes[1].containers[0]
    assert [bar.get_height() for bar in bars] == pytest.approx(total)
    assert bars[0].get_facecolor() == bars[2].get_facecolor() != bars[1].get_facecolor()
    assert bars[2].get_width() == pytest.approx(bars[0].get_width() / 2)
    assert "依次是 1.20、2.40、2.40" in picture.alt


def test_tiles_that_the_mask_forbids_whole_are_grey(fits):
    mask = attention.causal_mask(5)
    needed = tiled.visible_tiles(mask, 2, 2)
    picture = fits(tiled_figures.draw_tiles(mask, {(2, 2): needed}))
    assert images(picture)[0].astype(bool).tolist() == np.kron(needed, np.ones((2, 2), bool))[:5, :5].tolist()
    assert "块 2 × 2：要算 6 / 9 块" in picture.alt


def test_traffic_has_the_formula_as_a_line_and_the_counts_as_points(fits):
    sizes = [2, 8, 32]
    plain, tiled_counts = memory_traffic.traffic_curve(32, 4, sizes)
    picture = fits(tiled_figures.draw_traffic(sizes, tiled_counts, plain, {8: tiled_counts[1]}))
    formula, level, points = picture.axes[0].lines
    assert formula.get_ydata() == pytest.approx(tiled_counts / 1e6)
    assert level.get_ydata()[0] == pytest.approx(plain / 1e6)
    assert (list(points.get_xdata()), list(points.get_ydata())) == ([8], [tiled_counts[1] / 1e6])


def test_the_summary_shows_the_weights_of_every_variant_on_one_scale(fits, rng):
    full, few, flat = attention.softmax(rng.standard_normal((3, 8, 8)))
    few = few * attention.causal_mask(8)
    picture = fits(draw_variants(full, few, flat, 4, 2, 4))
    shown = [image.tolist() for image in images(picture)]
    assert shown == [full.tolist(), few.tolist(), flat.tolist(), full.tolist()]
    assert len({axes.images[0].get_clim() for axes in picture.axes if axes.images}) == 1
    assert "只有 56% 的格子有权重" in picture.alt
