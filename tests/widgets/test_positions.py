"""The explorers of section 4.3 draw what the reference says."""

import numpy as np
import pytest

from helpers.reference import positions as reference
from helpers.widgets import positions as widgets


@pytest.mark.parametrize(("d_model", "base", "seq_len"), [(4, 10, 20), (128, 1000000, 300), (16, 100, 40)])
def test_the_encoding_explorer_draws_the_encoding_and_the_similarity_of_its_controls(d_model, base, seq_len):
    explorer = widgets.encoding_explorer()
    for name, value in (("d_model", d_model), ("base", base), ("seq_len", seq_len)):
        explorer.controls[name].value = value
    encoding = reference.sinusoidal(seq_len, d_model, base)
    image = explorer.picture.axes[0].images[0]
    np.testing.assert_allclose(image.get_array(), encoding)
    assert list(image.get_extent()) == [-0.5, d_model - 0.5, seq_len - 0.5, -0.5]
    curve = explorer.picture.axes[1].lines[-1].get_ydata()
    np.testing.assert_allclose(curve, encoding @ encoding[0] / (d_model / 2), atol=1e-9)


def test_the_widest_tick_labels_stay_inside_the_picture():
    explorer = widgets.encoding_explorer()
    explorer.controls["seq_len"].value = 300
    explorer.picture.canvas.draw()  # a label moves when it is drawn
    assert explorer.picture.axes[0].yaxis.label.get_window_extent().x0 >= 0


@pytest.mark.parametrize("position", [0, 10, 250])
def test_the_clock_explorer_points_its_hands_to_sine_and_cosine_and_reads_the_position_back(position):
    explorer = widgets.clock_explorer()
    explorer.controls["position"].value = position
    expected = reference.sinusoidal(position + 1, widgets.CLOCK_D_MODEL, widgets.CLOCK_BASE)[-1]
    hands = [axes.lines[-1].get_data() for axes in explorer.picture.axes[:-1]]
    ends = [coordinate for x, y in hands for coordinate in (x[-1], y[-1])]
    np.testing.assert_allclose(ends, expected, atol=1e-9)
    bars = sorted(explorer.picture.axes[-1].patches, key=lambda bar: bar.get_x())
    np.testing.assert_allclose([bar.get_height() for bar in bars], expected, atol=1e-9)
    assert f"读出的位置是 {position}。" in explorer.caption.value
    assert f"顺时针转过 {position / (2 * np.pi):.2f}、" in explorer.alt


def score_of(explorer):
    return explorer.caption.value.split("分数 ")[1].split("。")[0]


def test_the_score_of_the_rope_explorer_follows_the_distance_alone():
    explorer = widgets.rope_explorer()
    scores = {}
    for q_position, k_position in ((12, 7), (25, 20), (12, 8)):
        explorer.controls["q_position"].value = q_position
        explorer.controls["k_position"].value = k_position
        scores[q_position, k_position] = score_of(explorer)
        marker = explorer.picture.axes[1].lines[1].get_data()
        assert marker[0] == [q_position - k_position]
        assert f"标记在距离 {q_position - k_position}，分数" in explorer.alt
    assert scores[12, 7] == scores[25, 20] != scores[12, 8]


def test_the_arrows_of_the_rope_explorer_turn_by_the_pairs_frequency():
    explorer = widgets.rope_explorer()
    explorer.controls["pair"].value = 2

    def direction(name):
        (line,) = [line for line in explorer.picture.axes[0].lines if line.get_label() == name]
        x, y = line.get_data()
        return np.arctan2(y[-1], x[-1])

    explorer.controls["q_position"].value = 0
    start = direction("q")
    explorer.controls["q_position"].value = 7
    turned = (direction("q") - start) % (2 * np.pi)
    assert turned == pytest.approx(7 * reference.frequencies(widgets.ROPE_D_K, widgets.ROPE_BASE)[2])
