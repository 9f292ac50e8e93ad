"""The figures of section 4.1 show the arrays that they are given, and say so in their alternative text."""

import numpy as np
import pytest

from helpers.figures import attention as figures
from helpers.figures.matrix import LARGEST_WITH_NUMBERS
from helpers.reference import attention as reference

TOKENS = ["小猫", "追", "老鼠", "因为", "它", "饿"]
LONG_TOKENS = ["人工智能", "的", "注意力", "机制", "很", "有意思", "吗"]


def random_weights(rng, n_queries, n_keys):
    return reference.softmax(rng.standard_normal((n_queries, n_keys)))


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def bar_heights(axes):
    return [[bar.get_height() for bar in container] for container in axes.containers]


def labels(axes, which):
    return [label.get_text() for label in getattr(axes, f"get_{which}ticklabels")()]


@pytest.mark.parametrize("tokens", [TOKENS, LONG_TOKENS, None])
def test_every_figure_with_tokens_fits_and_its_labels_do_not_overlap(fits, rng, tokens):
    n = 7 if tokens is None else len(tokens)
    x = rng.standard_normal((n, 5))
    w_q, w_k, w_v = rng.standard_normal((5, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    q, k, v = reference.project(x, w_q, w_k, w_v)
    masks = [np.ones((n, n), bool), reference.causal_mask(n), reference.padding_mask(2, n), np.zeros((n, n), bool)]
    weights = [reference.attention(q, k, v, mask)[1] for mask in masks]
    names = ["无", "因果", "填充", "全禁止"]
    output, causal_weights = reference.attention(q, k, v, masks[1])
    scores = reference.scores(q, k)
    fits(figures.draw_weights(weights[0], tokens, marked_row=1))
    fits(figures.draw_row(weights[0][1], tokens, "它"))
    fits(figures.draw_before_after(weights[0], weights[1], tokens, marked_row=n - 1))
    fits(figures.draw_symmetry(x @ x.T, scores, tokens))
    fits(figures.draw_masks(masks, weights, names, tokens))
    fits(figures.draw_masks(masks[:2], weights[:2], names[:2], tokens))
    fits(figures.draw_influence(np.abs(scores[:4]), names, 2, tokens))
    fits(figures.draw_reach([reference.reach(masks[1], layers) for layers in (1, 2, 4)], [1, 2, 4], tokens))
    fits(figures.draw_attention_flow(x, q, k, v, scores, masks[1], causal_weights, output, tokens))


def test_the_soft_lookup_has_a_panel_per_temperature_with_its_weights_and_answer(fits, rng):
    weights = random_weights(rng, 4, 5)
    names = ["苹果", "香蕉", "橙子", "葡萄", "西瓜"]
    picture = fits(figures.draw_soft_lookup(names, weights, [0.05, 0.5, 1, 5], answers=[3.0, 2.25, 1.5, 1.0]))
    assert [bar_heights(axes)[0] for axes in picture.axes] == weights.tolist()
    assert picture.axes[1].get_title() == "温度 0.5"
    assert picture.axes[1].get_xlabel() == "答案 2.25"
    assert f"温度 0.5 时最大权重是「{names[weights[1].argmax()]}」的 {weights[1].max():.2f}，答案 2.25" in picture.alt


def test_the_soft_lookup_may_leave_its_answers_out(fits, rng):
    picture = fits(figures.draw_soft_lookup(["甲", "乙", "丙"], random_weights(rng, 2, 3), [0.1, 1]))
    assert "答案" not in picture.alt


def test_a_heat_map_has_queries_as_rows_and_keys_as_columns(fits, rng):
    weights = random_weights(rng, 3, 5)
    picture = fits(figures.draw_weights(weights, ["我", "爱", "你"], key_tokens=list("ABCDE")))
    assert heat_maps(picture)[0].tolist() == weights.tolist()
    assert labels(picture.axes[0], "y") == ["我", "爱", "你"]
    assert labels(picture.axes[0], "x") == list("ABCDE")
    assert picture.axes[0].yaxis_inverted()  # the first query stands on top
    assert f"「爱」最看「{'ABCDE'[weights[1].argmax()]}」（{weights[1].max():.2f}）" in picture.alt


def test_the_numbers_in_the_cells_are_the_weights_rounded(rng):
    weights = random_weights(rng, 3, 5)
    weights[1] = [0, 0, 1, 0, 0]
    texts = figures.draw_weights(weights, list("甲乙丙"), key_tokens=list("ABCDE")).axes[0].texts
    at_place = {text.get_position(): text.get_text() for text in texts}
    assert at_place[(4, 2)] == f"{weights[2, 4]:.2f}"[1:]
    assert at_place[(2, 1)] == "1"
    assert at_place[(0, 1)] == "0"


def test_a_large_heat_map_has_no_numbers(fits, rng):
    n = LARGEST_WITH_NUMBERS + 1
    assert not fits(figures.draw_weights(random_weights(rng, n, n), None)).axes[0].texts


def test_a_number_stands_out_from_its_cell(rng):
    texts = figures.draw_weights(np.eye(2), ["甲", "乙"]).axes[0].texts
    assert [text.get_color() for text in texts] == ["black", "white", "white", "black"]


def test_the_colour_scale_of_weights_is_absolute(rng):
    faint = figures.draw_weights(np.full((2, 2), 0.5), ["甲", "乙"]).axes[0].images[0]
    assert faint.get_clim() == (0.0, 1.0)


def test_the_marked_row_is_framed_whole(rng):
    frame = (
        figures.draw_weights(random_weights(rng, 4, 3), list("甲乙丙丁"), list("ABC"), marked_row=2).axes[0].patches[0]
    )
    assert (frame.get_xy(), frame.get_width(), frame.get_height()) == ((-0.5, 1.5), 3, 1)


def test_a_row_that_looks_at_nothing_is_said_so():
    picture = figures.draw_weights([[0.0, 0.0], [0.25, 0.75]], ["甲", "乙"])
    assert "「甲」谁也不看；「乙」最看「乙」（0.75）" in picture.alt


def test_one_row_is_drawn_as_bars(fits):
    picture = fits(figures.draw_row([0.1, 0.7, 0.2], ["猫", "狗", "鱼"], query="它"))
    assert bar_heights(picture.axes[0]) == [[0.1, 0.7, 0.2]]
    assert picture.alt == "条形图：「它」对 3 个键的权重，最大的是「狗」0.70。"


def test_before_and_after_are_told_apart_and_the_new_referent_is_named(fits):
    before, after = np.full((3, 3), 1 / 3), np.full((3, 3), 1 / 3)
    before[2], after[2] = [0.8, 0.1, 0.1], [0.2, 0.7, 0.1]
    picture = fits(figures.draw_before_after(before, after, ["猫", "鱼", "它"], marked_row=2, titles=("原来", "现在")))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == [before.tolist(), after.tolist()]
    assert bar_heights(picture.axes[2]) == [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1]]
    assert "原来最看「猫」（0.80），现在最看「鱼」（0.70）" in picture.alt


def test_symmetry_is_judged_from_the_arrays(fits, rng):
    x = rng.standard_normal((4, 3))
    scores = rng.standard_normal((4, 4))
    picture = fits(figures.draw_symmetry(x @ x.T, scores, list("甲乙丙丁")))
    left, right = (axes.get_title() for axes in picture.axes)
    largest = np.abs(scores - scores.T).max()
    assert left.endswith("沿对角线翻折：不变")
    assert right.endswith(f"沿对角线翻折：最多变 {largest:.2f}")
    assert f"最多相差 {largest:.2f}" in picture.alt


def test_the_diagonal_of_both_matrices_is_framed(rng):
    picture = figures.draw_symmetry(np.eye(3), rng.standard_normal((3, 3)), list("甲乙丙"))
    corners = [[patch.get_xy() for patch in axes.patches] for axes in picture.axes]
    assert corners == [[(-0.5, -0.5), (0.5, 0.5), (1.5, 1.5)]] * 2


def test_scores_are_coloured_around_zero(rng):
    images = [axes.images[0] for axes in figures.draw_symmetry(np.eye(2), [[-3.0, 1], [0, 2]], ["甲", "乙"]).axes]
    assert [image.get_clim() for image in images] == [(-1.0, 1.0), (-3.0, 3.0)]


def test_a_dot_stands_in_every_cell_that_a_mask_allows(fits):
    masks = [reference.causal_mask(3), np.zeros((3, 3), bool)]
    weights = [reference.masked_softmax(np.zeros((3, 3)), mask) for mask in masks]
    picture = fits(figures.draw_masks(masks, weights, ["因果", "全禁止"], list("甲乙丙")))
    upper = [axes for axes in picture.axes if axes.get_title()]
    dots = [set(zip(*axes.lines[0].get_data(), strict=True)) for axes in upper]
    assert dots == [{(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)}, set()]
    assert picture.alt.endswith("因果：6 / 9 格允许；全禁止：0 / 9 格允许。")


def test_influence_names_the_outputs_that_moved(fits):
    moved = [[0.0, 0.0, 1.5, 0.4], [0.0, 0.0, 0.0, 0.0]]
    picture = fits(figures.draw_influence(moved, ["因果", "全禁止"], position=2, tokens=list("甲乙丙丁")))
    assert [bar_heights(axes)[0] for axes in picture.axes] == moved
    assert "因果：位置 2、3 的输出动了；全禁止：没有输出动" in picture.alt


def test_influence_paints_the_changed_position_in_another_colour():
    bars = figures.draw_influence([[1.0, 1.0, 1.0]], ["无"], position=1).axes[0].patches
    colors = [bar.get_facecolor() for bar in bars]
    assert colors[0] == colors[2] != colors[1]


def test_reach_counts_what_the_last_output_depends_on(fits):
    window = reference.sliding_window_mask(5, 2)
    picture = fits(figures.draw_reach([reference.reach(window, layers) for layers in (1, 3)], [1, 3]))
    assert "1 层：最后一个输出依赖 2 个输入；3 层：最后一个输出依赖 4 个输入" in picture.alt
    assert [axes.get_title() for axes in picture.axes] == ["1 层之后", "3 层之后"]


def test_the_flow_shows_every_array_and_undoes_the_scaling_for_the_raw_scores(fits, rng):
    x = rng.standard_normal((5, 7))
    q, k, v = (rng.standard_normal((5, size)) for size in (4, 4, 2))
    scores = reference.scores(q, k)
    output, weights = reference.attention(q, k, v)
    picture = fits(figures.draw_attention_flow(x, q, k, v, scores, None, weights, output, list("从信号到智")))
    shown = {axes.get_title(): np.asarray(axes.images[0].get_array()) for axes in picture.axes}
    expected = {
        "x：输入": x, "q = x w_q": q, "k = x w_k": k, "v = x w_v": v, "q kᵀ：分数": q @ k.T, "÷ √d_k：缩放": scores,
        "掩码：谁看得见谁": np.ones((5, 5)), "softmax：权重": weights, "权重 × v：输出": output,
    }  # fmt: skip
    assert shown.keys() == expected.keys()
    for title, array in expected.items():
        np.testing.assert_allclose(shown[title], array, err_msg=title)


def test_the_flow_draws_raw_and_scaled_scores_on_one_colour_scale(rng):
    q, k, v = rng.standard_normal((3, 4, 9))
    output, weights = reference.attention(q, k, v)
    picture = figures.draw_attention_flow(q, q, k, v, reference.scores(q, k), None, weights, output, None)
    limits = {axes.get_title(): axes.images[0].get_clim() for axes in picture.axes}
    assert limits["q kᵀ：分数"] == limits["÷ √d_k：缩放"]


def test_drawing_does_not_change_its_arrays(rng):
    weights = random_weights(rng, 3, 3)
    weights.flags.writeable = False
    figures.draw_before_after(weights, weights, None, 0).png()
    figures.draw_weights(weights, None, marked_row=0).png()


def test_lists_are_drawn_like_arrays():
    assert heat_maps(figures.draw_weights([[0.25, 0.75]], ["甲"], ["乙", "丙"]))[0].tolist() == [[0.25, 0.75]]
