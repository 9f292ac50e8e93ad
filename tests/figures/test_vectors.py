"""The figures on vector spaces show the arrays that they are given, and their names do not overlap."""

import math

import numpy as np
import pytest

from helpers.figures import vectors as figures
from helpers.reference import bases, high_dimensions, linear_maps
from helpers.reference import vectors as reference

ARROWS = np.array([[2.0, 0.5], [1.0, 2.0], [-2.0, 1.0]])


def tips(axes):
    """Where the arrows of a panel end, in the order in which they were drawn."""
    return [tuple(float(x) for x in patch._posA_posB[1]) for patch in axes.patches if hasattr(patch, "set_positions")]


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def draw_steps():
    _, second = bases.gram_schmidt_steps(ARROWS[:2])
    return figures.draw_gram_schmidt(ARROWS[:2], second.along, bases.gram_schmidt(ARROWS[:2]))


def draw_measures():
    side = np.linspace(0, 5, 20)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    closeness = {"欧氏距离": reference.norm(grid - [2, 1]), "内积": grid @ [2, 1]}
    points = np.array([[1.2, 2.0], [3.6, 1.9], [4.2, 4.4]])
    return figures.draw_measures(points, ["甲", "乙", "丙"], [2, 1], side, closeness, [0, 2])


def draw_plane(q, k):
    scores = q @ k.T
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return figures.draw_query_key_plane(q, k, scores, weights, ["小猫", "吃", "鱼"])


def test_every_figure_fits_and_its_labels_do_not_overlap(fits, rng):
    fits(figures.draw_inner_products(ARROWS, list("abc"), ARROWS @ ARROWS.T))
    fits(figures.draw_norms([0.6, 0.8], {f"p = {p}": reference.unit_ball(p, 201) for p in (1, 2, math.inf)}))
    fits(figures.draw_projections([1, 2], [3, 1], [1.5, 0.5], [1, 2]))
    fits(draw_steps())
    grids = {"标准的基": np.eye(2), "斜着的基": np.array([[1.0, 1], [-1, 1]])}
    fits(figures.draw_bases([3.0, 1.0], grids, [[3, 1], [2, -1]], linear_maps.grid_lines(12, 6.0)))
    maps = {name: np.array(matrix) for name, matrix in zip("甲乙丙丁戊", linear_maps.NAMED_MAPS.values(), strict=False)}
    fits(figures.draw_maps(maps, [1, 1, 1, 0.8, 0], linear_maps.grid_lines(8, 4.0)))
    fits(figures.draw_singular_values({"窄的": [2, 1] + [0] * 14, "一般的": np.linspace(3, 0.1, 16)}))
    fits(draw_measures())
    cosines = {d: high_dimensions.random_cosines(d, 500, rng) for d in (2, 8, 64, 512)}
    fits(figures.draw_high_dimensions(cosines, [4, 64, 1024], [0.5, 0.12, 0.03]))
    words = ["男人", "国王", "女人", "王后"]
    fits(figures.draw_analogy([[1, 0], [0.9, 1], [-1, 0], [-0.9, 0.9]], words, [(0, 1), (2, 3)], ("男 ↔ 女", "王室")))
    x, form = rng.standard_normal((4, 6)), rng.standard_normal((6, 6))
    fits(figures.draw_bilinear_form(x, form, x @ form @ x.T, ["我", "喜欢", "读", "书"]))
    fits(draw_plane(np.array([[0, 0], [1, 2], [2.2, -0.6]]), np.array([[3, 0.3], [0.6, 2.6], [0, 0]])))


def test_arrows_end_at_the_vectors_and_the_table_holds_their_products():
    products = ARROWS @ ARROWS.T
    picture = figures.draw_inner_products(ARROWS, list("abc"), products)
    assert tips(picture.axes[0]) == [tuple(vector) for vector in ARROWS]
    assert (heat_maps(picture)[0] == products).all()
    assert "b·c = 0.00" in picture.alt


def test_each_norm_has_its_outline():
    outlines = {"甲": reference.unit_ball(1, 201), "乙": reference.unit_ball(math.inf, 201)}
    picture = figures.draw_norms([0.6, 0.8], outlines)
    drawn = {line.get_label(): line.get_xydata() for line in picture.axes[0].lines}
    assert all((drawn[name] == points).all() for name, points in outlines.items())
    assert "甲 在对角线方向离原点 0.71，乙 在对角线方向离原点 1.41" in picture.alt


def test_the_residual_leads_from_the_projection_to_the_vector():
    picture = figures.draw_projections([1, 2], [3, 1], [1.5, 0.5], [1, 2])
    for axes, part, whole in zip(picture.axes, ([1.5, 0.5], [1, 2]), ([1, 2], [3, 1]), strict=True):
        assert tips(axes)[-1] == tuple(part)
        assert axes.lines[-1].get_xydata().tolist() == [part, whole]
    assert "长 1.58" in picture.alt
    assert "长 2.24" in picture.alt


def test_the_last_step_of_gram_and_schmidt_shows_the_basis():
    picture = draw_steps()
    assert tips(picture.axes[2]) == [tuple(row) for row in bases.gram_schmidt(ARROWS[:2])]
    assert "夹角 49 度" in picture.alt
    assert "夹角 90 度" in picture.alt


def test_the_way_along_every_basis_ends_at_the_vector():
    grids = {"甲": np.eye(2), "乙": np.array([[1.0, 1], [-1, 1]])}
    picture = figures.draw_bases([3.0, 1.0], grids, [[3, 1], [2, -1]], linear_maps.grid_lines())
    for axes in picture.axes:
        _, by_coordinates, vector = tips(axes)
        assert by_coordinates == vector == (3.0, 1.0)
    assert picture.axes[1].get_title() == "乙：坐标 (2, −1)"


def test_the_grid_and_the_square_move_with_the_matrix():
    matrix, lines = np.array([[1.0, 0.0], [0.8, 1.0]]), linear_maps.grid_lines(2, 1.0)
    (axes,) = figures.draw_maps({"错切": matrix, "不动": np.eye(2)}, [1, 1], lines).axes[:1]
    drawn = np.array([line.get_xydata() for line in axes.lines[2:]])  # after the two axes
    np.testing.assert_allclose(drawn, lines @ matrix)
    assert axes.patches[0].get_xy()[:4].tolist() == [[0, 0], [1, 0], [1.8, 1], [0.8, 1]]
    assert tips(axes) == [(1.0, 0.0), (0.8, 1.0)]


def test_zero_singular_values_are_not_counted():
    assert "甲有 2 个不为 0 的奇异值，共 3 个" in figures.draw_singular_values({"甲": [2, 1, 1e-16]}).alt


def test_the_nearest_point_of_every_measure_stands_out():
    for axes, best in zip(draw_measures().axes, ([1.2, 2.0], [4.2, 4.4]), strict=True):
        largest = max(axes.lines, key=lambda line: line.get_markersize())
        assert largest.get_xydata().tolist() == [best]


def test_spreads_are_drawn_over_their_dimensions():
    picture = figures.draw_high_dimensions({2: np.array([0.0, 0.5])}, [4, 64], [0.5, 0.11])
    assert picture.axes[1].lines[-1].get_xydata().tolist() == [[4, 0.5], [64, 0.11]]
    assert "最多差 12%" in picture.alt


def test_arrows_of_an_analogy_lead_from_word_to_word():
    picture = figures.draw_analogy([[1, 0], [0.5, 2]], ["甲", "乙"], [(0, 1)], ("横", "竖"))
    assert tips(picture.axes[0]) == [(0.5, 2.0)]
    assert "从 甲 到 乙 的箭头是 (-0.5, 2.0)" in picture.alt


def test_a_form_stands_between_its_tokens(rng):
    x, form = rng.standard_normal((3, 2)), rng.standard_normal((2, 2))
    picture = figures.draw_bilinear_form(x, form, x @ form @ x.T, list("甲乙丙"))
    assert all(
        (drawn == given).all() for drawn, given in zip(heat_maps(picture), (x, form, x @ form @ x.T), strict=True)
    )


def test_a_zero_query_has_no_arrow_but_a_row():
    q, k = np.array([[0, 0], [1, 2], [2, -0.6]]), np.array([[3, 0.3], [0.6, 2.6], [0, 0]])
    picture = draw_plane(q, k)
    assert tips(picture.axes[0]) == [(1.0, 2.0), (2.0, -0.6), (3.0, 0.3), (0.6, 2.6)]
    assert [drawn.shape for drawn in heat_maps(picture)] == [(3, 3), (3, 3)]
    assert "「小猫」看得一样多（各 0.33）" in picture.alt


@pytest.mark.parametrize(("points", "view"), [([[2, 1]], (-0.2, 2.2, -0.2, 1.2)), ([[-1, 1]], (-1.1, 0.1, -0.1, 1.1))])
def test_a_view_holds_the_origin_and_the_points(points, view):
    assert figures.view_of(points, margin=0.1) == pytest.approx(view)
