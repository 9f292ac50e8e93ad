"""Figure 4.3 shows what was measured beside √d_k."""

import numpy as np
import pytest

from helpers.figures import scaling as figures
from helpers.reference.scaling import measure_scaling


@pytest.fixture(scope="module")
def measurements():
    rng = np.random.default_rng(0)
    return [measure_scaling(2**exponent, rng, n_rows=50) for exponent in range(11)]


def line(axes, label):
    (found,) = [line for line in axes.lines if line.get_label() == label]
    return found.get_data()


def test_every_panel_fits_alone_and_all_fit_together(fits, measurements):
    for picture in (
        figures.draw_scaling(measurements),
        figures.draw_score_std(measurements),
        figures.draw_score_histograms(measurements[6]),
        figures.draw_sharpness(measurements),
        figures.draw_scaling_gradient(measurements),
        figures.draw_scaling(measurements[:3]),
    ):
        fits(picture)


def test_the_measured_deviation_stands_beside_the_theory(measurements):
    axes = figures.draw_score_std(measurements).axes[0]
    d_k, theory = line(axes, "理论 √d_k")
    _, measured = line(axes, "测得")
    assert d_k.tolist() == [2**exponent for exponent in range(11)]
    np.testing.assert_allclose(theory**2, d_k)
    np.testing.assert_allclose(measured, [measurement.raw.std() for measurement in measurements])
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("draw", "panel", "quantity"),
    [
        (figures.draw_sharpness, 0, "top_weight"),
        (figures.draw_sharpness, 1, "entropy"),
        (figures.draw_scaling_gradient, 0, "gradient"),
    ],
)
def test_raw_and_scaled_lines_are_the_measured_ones(measurements, draw, panel, quantity):
    axes = draw(measurements).axes[panel]
    for label, prefix in (("不缩放", "raw"), ("除以 √d_k", "scaled")):
        _, values = line(axes, label)
        assert values.tolist() == [getattr(measurement, f"{prefix}_{quantity}") for measurement in measurements]


def test_a_histogram_is_a_density(measurements):
    density, edges = figures.histogram(measurements[4].raw)
    assert (density * np.diff(edges)).sum() == pytest.approx(1)
    assert edges[0] <= measurements[4].raw.min()
    assert edges[-1] >= measurements[4].raw.max()


def test_the_histograms_are_of_raw_and_scaled_scores(measurements):
    axes = figures.draw_score_histograms(measurements[6]).axes[0]
    widths = {patch.get_label(): np.ptp(patch.get_data().edges) for patch in axes.patches}
    assert widths["不缩放"] == pytest.approx(8 * widths["除以 √d_k"])


def test_the_figure_shows_the_histograms_of_the_d_k_asked_for(measurements):
    titles = [axes.get_title() for axes in figures.draw_scaling(measurements, histogram_d_k=256).axes]
    assert "分数的分布（d_k = 256）" in titles


def test_the_alternative_text_states_the_numbers(measurements):
    alt = figures.draw_scaling(measurements).alt
    first, last = measurements[0], measurements[-1]
    assert f"q·k 的标准差从 {first.raw.std():.2f} 到 {last.raw.std():.1f}" in alt
    assert f"最大权重：不缩放时从 {first.raw_top_weight:.2f} 到 {last.raw_top_weight:.2f}" in alt
    assert f"缩放后从 {first.scaled_gradient:.3f} 到 {last.scaled_gradient:.3f}" in alt
