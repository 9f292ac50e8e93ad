"""The explorers of section 4.2 draw what the reference says."""

import numpy as np
import pytest

from helpers.reference import multihead as reference
from helpers.widgets import multihead as widgets
from tests.widgets.driving import picture_of


def visible_images(explorer):
    return [
        np.asarray(axes.images[0].get_array()) for axes in explorer.picture.axes if axes.images and axes.get_visible()
    ]


@pytest.mark.parametrize("n_heads", widgets.DIVISORS)
def test_there_are_as_many_heat_maps_as_heads(n_heads):
    explorer = widgets.heads_explorer()
    explorer.controls["n_heads"].value = n_heads
    explorer.controls["seq_len"].value = 5
    expected = widgets.random_heads(n_heads, 5, False, 0)
    assert np.array(visible_images(explorer)).tolist() == expected.tolist()
    assert f"每头 d_k = {24 // n_heads}" in explorer.caption.value


def test_heat_maps_never_overlap():
    explorer = widgets.heads_explorer()
    for n_heads in widgets.DIVISORS:
        explorer.controls["n_heads"].value = n_heads
        boxes = [axes.get_tightbbox() for axes in explorer.picture.axes if axes.images and axes.get_visible()]
        for place, box in enumerate(boxes):
            for other in boxes[place + 1 :]:
                width, height = (
                    min(box.x1, other.x1) - max(box.x0, other.x0),
                    min(box.y1, other.y1) - max(box.y0, other.y0),
                )
                assert min(width, height) < 2, n_heads


def test_parameters_and_multiplications_do_not_move_with_the_number_of_heads():
    explorer = widgets.heads_explorer()
    sentences = set()
    for n_heads in widgets.DIVISORS:
        explorer.controls["n_heads"].value = n_heads
        sentences.add(explorer.caption.value.split("参数")[1].split("，都不随")[0])
    assert sentences == {f" {reference.parameter_count(24)} 个，乘法 {reference.flops(6, 24)} 次"}


def test_a_causal_mask_hides_the_future_from_every_head():
    explorer = widgets.heads_explorer()
    explorer.controls["causal"].value = True
    assert all((np.triu(head, k=1) == 0).all() for head in visible_images(explorer))


def test_equal_heads_do_not_differ_and_opposite_ones_differ_wholly():
    assert widgets.mean_difference(np.stack([np.eye(3)] * 4)) == 0
    assert widgets.mean_difference(np.stack([np.eye(2), np.eye(2)[::-1]])) == 1


def answered(explorer):
    (axes,) = [axes for axes in explorer.picture.axes if axes.containers]
    return [bar.get_height() for bar in axes.containers[0]]


def test_switching_a_head_off_loses_its_question_and_makes_it_faint():
    explorer = widgets.switch_explorer()
    assert answered(explorer) == [1] * 5
    explorer.controls["head_3"].value = False
    assert answered(explorer) == [1, 1, 1, 0, 1]
    assert "关掉头 3：「句首」答不出了" in explorer.caption.value
    alphas = [axes.images[0].get_alpha() for axes in explorer.picture.axes if axes.images]
    assert alphas[:6] == [1, 1, 1, 0.15, 1, 1]


def test_a_head_with_a_double_can_be_spared_but_not_both():
    explorer = widgets.switch_explorer()
    explorer.controls["head_0"].value = False
    assert "五个问题仍都答得出" in explorer.caption.value
    explorer.controls["head_5"].value = False
    assert "关掉头 0、头 5：「前一个」答不出了" in explorer.caption.value


def test_all_heads_off_leave_an_empty_output():
    explorer = widgets.switch_explorer()
    for control in explorer.controls.values():
        control.value = False
    assert answered(explorer) == [0] * 5
    assert not visible_images(explorer)[-1].any()
    assert "输出变了 100%" in explorer.caption.value


@pytest.mark.parametrize("way", ["split", "merge"])
def test_the_right_way_leaves_every_token_in_its_row_and_reshape_alone_does_not(way):
    start, right, wrong = widgets.both_ways(way, 3, 4)
    rows = np.arange(4)[:, None]
    assert (start == rows).all()
    assert (right == rows).all()
    assert (wrong != rows).any()
    assert right.shape == wrong.shape


@pytest.mark.parametrize("way", list(widgets.WAYS))
def test_the_sentence_counts_the_entries_in_a_wrong_row(way):
    explorer = widgets.reshape_explorer()
    explorer.controls["way"].value = way
    _, _, wrong = widgets.both_ways(widgets.WAYS[way], 3, 4)
    assert f"48 格里 {(wrong != np.arange(4)[:, None]).sum()} 格" in explorer.caption.value


@pytest.mark.parametrize(("name", "why"), [("n_heads", "只有一个头"), ("seq_len", "只有一个 token")])
def test_where_both_ways_agree_it_says_so(name, why):
    explorer = widgets.reshape_explorer()
    explorer.controls[name].value = 1
    assert why in explorer.caption.value


def test_coming_back_to_a_number_of_heads_brings_back_its_picture():
    explorer = widgets.heads_explorer()
    shown = []
    for n_heads in (24, 1, 24):
        explorer.controls["n_heads"].value = n_heads
        shown.append(picture_of(explorer))
    assert shown[0] == shown[2]
