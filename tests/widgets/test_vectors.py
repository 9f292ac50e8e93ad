"""The explorers on vector spaces draw what the reference says."""

import numpy as np
import pytest

from helpers.reference import linear_maps
from helpers.reference import vectors as reference
from helpers.widgets import vectors as widgets


@pytest.mark.parametrize(("angle", "side"), [(0, "内积为正"), (90, "投影是零向量"), (150, "反方向")])
def test_the_projection_lies_along_b_and_the_residual_leads_to_a(angle, side):
    explorer = widgets.projection_explorer()
    for name, value in (("length_a", 2.0), ("length_b", 1.5), ("angle", angle), ("turn", 30)):
        explorer.controls[name].value = value
    part, a, b = (np.array(patch._posA_posB[1]) for patch in explorer.picture.axes[0].patches)
    np.testing.assert_allclose([reference.norm(a), reference.norm(b)], [2.0, 1.5])
    np.testing.assert_allclose(part, reference.project(a, b), atol=1e-12)
    np.testing.assert_allclose(explorer.picture.axes[0].lines[-1].get_xydata(), [part, a])
    ((where, product),) = explorer.picture.axes[1].lines[-1].get_xydata()
    assert (where, product) == (angle, pytest.approx(a @ b))
    assert side in explorer.caption.value


def test_the_histogram_follows_the_exact_density_and_both_narrow_with_the_dimension():
    explorer = widgets.dimension_explorer()
    widths = []
    for d in (3, 1024):
        explorer.controls["d"].value = d
        bars, edges, _ = explorer.picture.axes[0].patches[0].get_data()
        angles, curve = explorer.picture.axes[0].lines[0].get_data()
        middles = (edges[1:] + edges[:-1]) / 2
        assert np.abs(bars - np.interp(middles, angles, curve)).mean() < 0.1
        widths.append((bars > 0.5).sum())
        assert f"1/√d = {1 / np.sqrt(d):.3f}" in explorer.caption.value
    assert widths[0] > 5 * widths[1]


@pytest.mark.parametrize(
    ("preset", "words"),
    [("旋转", "可以原路返回"), ("翻面", "左右翻了面"), ("压到一条线", "压扁了"), ("拉伸", "奇异值 1.50 和 0.50")],
)
def test_a_button_sets_its_matrix_and_the_grid_follows(preset, words):
    explorer = widgets.map_explorer()
    explorer.controls[preset].click()
    matrix = np.array(widgets.PRESETS[preset])
    assert [
        explorer.controls[f"m{row}{column}"].value for row in (0, 1) for column in (0, 1)
    ] == matrix.ravel().tolist()
    moved = np.array([line.get_xydata() for line in explorer.picture.axes[1].lines[2:]])
    np.testing.assert_allclose(moved, linear_maps.grid_lines(8, 4.0) @ matrix)
    assert words in explorer.caption.value
