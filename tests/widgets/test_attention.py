"""The explorers of section 4.1 draw what the reference says."""

import numpy as np
import pytest

from helpers.reference import attention as reference
from helpers.widgets import attention as widgets
from tests.widgets.driving import image_titled


def expected_weights(values):
    q, k = np.random.default_rng(values["seed"]).standard_normal((2, values["seq_len"], values["d_k"]))
    raw = q @ k.T / (np.sqrt(values["d_k"]) if values["scaled"] else 1)
    i, j = np.indices(raw.shape)
    allowed = {
        widgets.NO_MASK: i == i,
        widgets.CAUSAL: j <= i,
        widgets.PADDING: j < values["seq_len"] - 2,
        widgets.SLIDING: (j <= i) & (i - j < 3),
    }[values["mask"]]
    exps = np.exp(raw - raw.max()) * allowed
    return exps / exps.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("mask", [widgets.NO_MASK, widgets.CAUSAL, widgets.PADDING, widgets.SLIDING])
@pytest.mark.parametrize(("seq_len", "scaled"), [(3, True), (7, False), (10, True)])
def test_the_attention_explorer_draws_the_weights_of_its_controls(mask, seq_len, scaled):
    explorer = widgets.attention_explorer()
    for name, value in {"mask": mask, "scaled": scaled, "seq_len": seq_len, "row": 2, "seed": 5, "d_k": 8}.items():
        explorer.controls[name].value = value
    weights = expected_weights(explorer.values())
    np.testing.assert_allclose(image_titled(explorer, "注意力权重"), weights, atol=1e-12)
    bars = [bar.get_height() for bar in explorer.picture.axes[1].containers[0] if bar.get_visible()]
    np.testing.assert_allclose(bars, weights[2], atol=1e-12)


def test_the_attention_explorer_states_the_entropy_of_the_row():
    explorer = widgets.attention_explorer()
    row = expected_weights(explorer.values())[explorer.controls["row"].value]
    entropy = -(row * np.log(row)).sum()
    assert f"熵 {entropy:.2f} / {np.log(8):.2f} nat" in explorer.picture.axes[1].get_title()
    assert f"这一行的熵 {entropy:.2f} nat" in explorer.caption.value


def test_a_shorter_sentence_takes_its_last_row_with_it():
    explorer = widgets.attention_explorer()
    explorer.controls["row"].value = 7
    explorer.controls["seq_len"].value = 4
    assert (explorer.controls["row"].value, explorer.controls["row"].max) == (3, 3)
    assert explorer.picture.axes[1].get_title().startswith(f"「{widgets.SENTENCE[3]}」")


def test_the_frame_stands_on_the_row_that_the_bars_show():
    explorer = widgets.attention_explorer()
    explorer.controls["row"].value = 1
    frame = explorer.picture.axes[0].patches[0]
    assert (frame.get_y(), frame.get_width()) == (0.5, 8)


@pytest.mark.parametrize("d_k", [1, 32, 1024])
def test_the_scaling_explorer_draws_histograms_as_wide_as_theory_says(d_k):
    explorer = widgets.scaling_explorer()
    explorer.controls["d_k"].value = d_k
    titles = [axes.get_title() for axes in explorer.picture.axes]
    raw, scaled = (float(next(t for t in titles if t.startswith(name)).split()[-1]) for name in ("不缩放", "除以"))
    assert raw == pytest.approx(np.sqrt(d_k), rel=0.1)
    assert scaled == pytest.approx(1, rel=0.1)


def test_the_scaling_explorers_markers_stand_at_its_d_k():
    explorer = widgets.scaling_explorer()
    explorer.controls["d_k"].value = 256
    markers = [line.get_xdata() for axes in explorer.picture.axes for line in axes.lines if line.get_linestyle() == ":"]
    assert [list(marker) for marker in markers] == [[256, 256], [256, 256]]


def test_the_scaling_explorer_states_weight_and_gradient_of_both():
    explorer = widgets.scaling_explorer()
    explorer.controls["d_k"].value = 1
    assert "不缩放时分数的标准差 1.0" in explorer.caption.value
    sentence = explorer.caption.value.partition("</div>")[0]
    weight = [part.split("，")[0] for part in sentence.split("最大权重的平均值 ")[1:]]
    assert sentence.count(f"{float(weight[0]):.2f}") == 2  # at d_k = 1 scaling changes nothing


def test_the_mask_painter_draws_the_mask_and_the_weights_that_it_leaves():
    explorer = widgets.mask_painter(list("甲乙丙"))
    explorer.controls["rule"].value = "j < i"
    dots = set(zip(*explorer.picture.axes[0].lines[0].get_data(), strict=True))
    assert dots == {(0, 1), (0, 2), (1, 2)}
    weights = image_titled(explorer, "注意力权重")
    np.testing.assert_allclose(weights.sum(axis=1), [0, 1, 1])
    assert weights[1].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("rule", "window", "expected"),
    [
        ("j <= i", 1, ["1000", "1100", "1110", "1111"]),
        ("j < i", 1, ["0000", "1000", "1100", "1110"]),
        ("j >= i", 1, ["1111", "0111", "0011", "0001"]),
        ("|i − j| <= w", 1, ["1100", "1110", "0111", "0011"]),
        ("i − w < j <= i", 2, ["1000", "1100", "0110", "0011"]),
        ("全部允许", 1, ["1111"] * 4),
    ],
)
def test_a_rule_gives_the_mask_that_it_spells(rule, window, expected):
    mask = widgets.rule_mask(rule, 4, window)
    assert mask.dtype == bool
    assert ["".join(str(int(cell)) for cell in row) for row in mask] == expected


def painted(explorer):
    return np.asarray(explorer.picture.axes[0].images[0].get_array()).astype(bool)


def test_the_toggle_paints_the_cell_under_the_cursor_and_leaves_the_rule():
    explorer = widgets.mask_painter()
    expected = reference.causal_mask(6)
    explorer.controls["row"].value, explorer.controls["column"].value = 2, 4
    assert explorer.controls["allowed"].value is False
    explorer.controls["allowed"].value = True
    expected[2, 4] = True
    assert painted(explorer).tolist() == expected.tolist()
    assert explorer.controls["rule"].value == widgets.PAINTED
    assert "1 格看得到未来（第一处：第 2 行看第 4 列）" in explorer.caption.value


def test_moving_the_cursor_never_paints():
    explorer = widgets.mask_painter()
    for row in range(6):
        for column in range(6):
            explorer.controls["row"].value, explorer.controls["column"].value = row, column
    assert painted(explorer).tolist() == reference.causal_mask(6).tolist()
    assert explorer.controls["rule"].value == "j <= i"


def test_the_toggle_says_what_it_has_done():
    explorer = widgets.mask_painter()
    assert "允许" in explorer.controls["allowed"].description
    explorer.controls["allowed"].value = False
    assert "禁止" in explorer.controls["allowed"].description


def test_a_cell_can_be_painted_twice():
    explorer = widgets.mask_painter()
    explorer.controls["allowed"].value = False
    explorer.controls["allowed"].value = True
    assert painted(explorer).tolist() == reference.causal_mask(6).tolist()


def test_the_window_does_not_wipe_out_a_painting():
    explorer = widgets.mask_painter()
    explorer.controls["allowed"].value = False
    explorer.controls["window"].value = 4
    assert not painted(explorer)[0, 0]


def test_reset_goes_back_to_the_last_rule():
    explorer = widgets.mask_painter()
    explorer.controls["rule"].value = "j >= i"
    explorer.controls["allowed"].value = False
    explorer.controls["reset"].click()
    assert explorer.controls["rule"].value == "j >= i"
    assert painted(explorer).tolist() == reference.causal_mask(6).T.tolist()
    assert explorer.controls["allowed"].value is True


def says(mask, *parts):
    sentence = widgets.what_the_mask_does(np.array(mask, dtype=bool))
    return all(part in sentence for part in parts)


def test_a_blind_row_is_named_whatever_rule_made_it():
    assert says([[0, 0, 0], [1, 0, 0], [0, 0, 0]], "第 0、2 行没有任何可看的键", "权重全是 0")


def test_the_future_is_counted_and_its_first_cell_named():
    assert says([[1, 0, 0], [1, 1, 1], [1, 1, 1]], "1 格看得到未来（第一处：第 1 行看第 2 列）")


def test_a_row_that_cannot_see_itself_is_named():
    assert says([[1, 0, 0], [1, 0, 0], [1, 1, 1]], "第 1 行看不到自己")


def test_a_past_that_layers_can_relay_is_told_from_a_past_that_is_lost():
    assert says([[1, 0, 0], [1, 1, 0], [0, 1, 1]], "第 2 行看不到第 0 列）：一层够不着，多叠几层可以接力传到")
    assert says([[1, 0, 0], [0, 1, 0], [1, 1, 1]], "第 1 行看不到第 0 列）：叠多少层也传不到")


def test_a_key_that_nobody_sees_is_named():
    assert says([[1, 0, 0], [1, 0, 0], [1, 0, 1]], "第 1 列没有任何一行看")


def test_every_mask_gets_a_sentence():
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert widgets.what_the_mask_does(rng.random((4, 4)) < 0.5)


def test_only_the_causal_mask_is_called_causal():
    assert widgets.what_the_mask_does(reference.causal_mask(5)) == widgets.EXACTLY_CAUSAL
    assert widgets.EXACTLY_CAUSAL not in widgets.what_the_mask_does(np.ones((5, 5), bool))


def test_the_soft_lookup_explorer_draws_the_references_weights():
    explorer = widgets.soft_lookup_explorer(
        ["甲", "乙", "丙"], [1.0, 2.0], [[1, 0], [0, 1], [1, 1]], [10.0, 20.0, 30.0]
    )
    explorer.controls["temperature"].value = 2.0
    answer, weights = reference.soft_lookup([1.0, 2.0], [[1, 0], [0, 1], [1, 1]], [10.0, 20.0, 30.0], 2.0)
    assert [bar.get_height() for bar in explorer.picture.axes[0].containers[0]] == weights.tolist()
    assert explorer.picture.axes[0].get_title() == f"温度 2：答案 {answer:.2f}"


def test_a_cold_lookup_is_a_dictionarys():
    explorer = widgets.soft_lookup_explorer()
    explorer.controls["temperature"].value = 0.01
    assert "「草莓」得到 1.00 的权重，答案 11.98" in explorer.caption.value
