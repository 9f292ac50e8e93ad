"""The explorers of the attention variants draw what the reference says."""

import numpy as np
import pytest

from helpers.reference import memory_traffic
from helpers.reference.attention import attention, causal_mask, reach, scores
from helpers.widgets import variants as widgets


@pytest.mark.parametrize(("n_kv_heads", "name", "times"), [(8, "MHA", 1), (4, "GQA", 2), (1, "MQA", 8)])
def test_sharing_divides_the_cache_and_is_called_by_its_name(n_kv_heads, name, times):
    explorer = widgets.sharing_explorer()
    explorer.controls["n_kv_heads"].value = n_kv_heads
    own, now = (bar.get_height() for bar in explorer.picture.axes[1].containers[0])
    assert own == pytest.approx(times * now)
    assert f"{name}：" in explorer.caption.value
    losses = [bar.get_height() for bar in explorer.picture.axes[2].containers[0]]
    assert losses == pytest.approx(widgets.errors_of_sharing(0.5, n_kv_heads))


def test_a_pattern_and_what_its_layers_reach_are_the_reference_s():
    explorer = widgets.pattern_explorer()
    explorer.controls["window"].value, explorer.controls["n_global"].value = 4, 1
    explorer.controls["causal"].value, explorer.controls["n_layers"].value = False, 2
    mask, reached = (np.asarray(axes.images[0].get_array()).astype(bool) for axes in explorer.picture.axes)
    assert (mask == widgets.pattern(4, widgets.NO_STRIDE, 1, False)).all()
    assert (reached == reach(mask, 2)).all()
    assert "够到 20 / 20 个位置；要叠 2 层" in explorer.caption.value


def test_a_causal_pattern_never_looks_ahead():
    assert not (widgets.pattern(5, 3, 2, True) & ~causal_mask(widgets.POSITIONS)).any()


@pytest.mark.parametrize(("block_size", "masked"), [(1, False), (3, True), (8, True)])
def test_after_the_last_tile_the_output_is_the_answer_and_the_bytes_are_the_formula_s(block_size, masked):
    explorer = widgets.tile_stepper()
    explorer.controls["masked"].value = masked
    explorer.controls["block_size"].value = block_size
    explorer.controls["step"].value = explorer.controls["step"].max
    output, wanted = (np.asarray(explorer.picture.axes[place].images[0].get_array()) for place in (3, 4))
    q, k, v = widgets.tile_inputs()
    answer = attention(q, k, v, causal_mask(len(q)) if masked else None)[0]
    assert np.abs(output - answer).max() < 1e-12
    assert np.abs(wanted - answer).max() < 1e-12
    moved = [bar.get_height() for bar in explorer.picture.axes[5].containers[0]]
    plain, tiled = memory_traffic.memory_traffic(widgets.TILE_LEN, widgets.TILE_D_K, block_size)
    assert moved == [2 * tiled, 2 * plain]
    assert widgets.FINISHED in explorer.caption.value


def test_a_tile_shows_its_own_scores_and_leaves_the_later_ones_white():
    explorer = widgets.tile_stepper()
    explorer.controls["step"].value = 3
    shown = explorer.picture.axes[0].images[0].get_array()
    q, k, _ = widgets.tile_inputs()
    assert np.abs(shown[:, :6] - scores(q, k)[:, :6]).max() < 1e-12
    assert np.ma.getmaskarray(shown)[:, 6:].all()
    frame = explorer.picture.axes[0].patches[0]
    assert (frame.get_x(), frame.get_width()) == (3.5, 2)


@pytest.mark.parametrize("likeness", [0.0, 0.5])
def test_no_head_loses_more_than_the_scale_shows(likeness):
    assert widgets.errors_of_sharing(likeness, 1).max() < widgets.HIGHEST_ERROR
