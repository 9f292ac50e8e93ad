"""Why scores are divided by √d_k: the chapter's figure 4.3, whole (`draw_scaling`) or panel by panel."""

import numpy as np

from helpers.style import PALETTE, Picture, styled

D_K_AXIS = "键的维数 d_k"
RAW, SCALED = "不缩放", "除以 √d_k"
STD_TITLE = "q·k 的标准差随 d_k 增长"
STD_AXIS = "q·k 的标准差"
MEASURED, THEORY = "测得", "理论 √d_k"
HISTOGRAM_TITLE = "分数的分布（d_k = {}）"
SCORE_AXIS = "分数"
DENSITY_AXIS = "密度"
TOP_WEIGHT_TITLE = "softmax 的最大权重"
TOP_WEIGHT_AXIS = "最大权重（平均）"
ENTROPY_TITLE = "权重的熵"
ENTROPY_AXIS = "熵（nat）"
GRADIENT_TITLE = "softmax 的梯度"
GRADIENT_AXIS = "雅可比矩阵的范数"

ALT_STD = "双对数图：d_k 从 {first} 到 {last}，q·k 的标准差从 {low:.2f} 到 {high:.1f}，与 √d_k 最多相差 {error:.0%}。"
ALT_HISTOGRAM = "d_k = {d_k} 时分数的两个直方图：不缩放的标准差 {raw:.2f}，除以 √d_k 后 {scaled:.2f}。"
ALT_TOP = "最大权重：不缩放时从 {raw_first:.2f} 到 {raw_last:.2f}，缩放后从 {scaled_first:.2f} 到 {scaled_last:.2f}。"
ALT_ENTROPY = "熵：不缩放时从 {raw_first:.2f} 到 {raw_last:.2f}，缩放后从 {scaled_first:.2f} 到 {scaled_last:.2f}。"
ALT_GRADIENT = (
    "softmax 雅可比矩阵的范数：不缩放时从 {raw_first:.3f} 到 {raw_last:.3f}，"
    "缩放后从 {scaled_first:.3f} 到 {scaled_last:.3f}。"
)

RAW_LOOK = {"color": PALETTE["vermilion"], "marker": "s", "markersize": 4}
SCALED_LOOK = {"color": PALETTE["blue"], "marker": "o", "markersize": 4}


@styled
def draw_scaling(measurements, histogram_d_k=64):
    """Draw figure 4.3: spread of the scores, their histograms, the largest weight and the gradient, over d_k.

    Parameters
    ----------
    measurements : list of ScalingMeasurement
        One per d_k, in rising order.
    histogram_d_k : int
        Which of them the histograms show; the nearest is taken.

    Returns
    -------
    Picture
    """
    shown = min(measurements, key=lambda measurement: abs(measurement.d_k - histogram_d_k))
    alt = _alt_std(measurements) + _alt_histograms(shown) + _alt_top(measurements) + _alt_gradient(measurements)
    picture = Picture(7, 5.6, alt)
    (std, histogram), (top, gradient) = picture.subplots(2, 2)
    _score_std_panel(std, measurements)
    _histogram_panel(histogram, shown)
    _top_weight_panel(top, measurements)
    _gradient_panel(gradient, measurements)
    return picture


@styled
def draw_score_std(measurements):
    """Draw the measured standard deviation of `q @ k` beside √d_k, both axes logarithmic.

    Parameters
    ----------
    measurements : list of ScalingMeasurement

    Returns
    -------
    Picture
    """
    picture = Picture(5, 3.2, _alt_std(measurements))
    _score_std_panel(picture.subplots(), measurements)
    return picture


@styled
def draw_score_histograms(measurement):
    """Draw the scores of one d_k, as they are and divided by √d_k, as two histograms.

    Parameters
    ----------
    measurement : ScalingMeasurement

    Returns
    -------
    Picture
    """
    picture = Picture(5, 3.2, _alt_histograms(measurement))
    _histogram_panel(picture.subplots(), measurement)
    return picture


@styled
def draw_sharpness(measurements):
    """Draw what scaling does to softmax over d_k: its largest weight, and its entropy.

    Parameters
    ----------
    measurements : list of ScalingMeasurement

    Returns
    -------
    Picture
    """
    picture = Picture(7, 3, _alt_top(measurements) + _alt_entropy(measurements))
    top, entropy = picture.subplots(1, 2)
    _top_weight_panel(top, measurements)
    _entropy_panel(entropy, measurements)
    return picture


@styled
def draw_scaling_gradient(measurements):
    """Draw what scaling does to softmax's gradient over d_k: the norm of its Jacobian.

    Parameters
    ----------
    measurements : list of ScalingMeasurement

    Returns
    -------
    Picture
    """
    picture = Picture(5, 3.2, _alt_gradient(measurements))
    _gradient_panel(picture.subplots(), measurements)
    return picture


def histogram(values):
    """Return densities `(41,)` and bin borders `(42,)` of scores, the bins as wide as these scores need."""
    limit = max(np.abs(values).max(), 1e-9)
    return np.histogram(values, np.linspace(-limit, limit, 42), density=True)


def _score_std_panel(axes, measurements):
    d_k, measured = _score_stds(measurements)
    axes.loglog(d_k, np.sqrt(d_k), "--", color=PALETTE["muted"], label=THEORY, base=2)
    axes.loglog(d_k, measured, "o", color=PALETTE["vermilion"], markersize=5, label=MEASURED, base=2)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set(title=STD_TITLE, ylabel=STD_AXIS)
    _d_k_axis(axes, d_k)
    axes.legend()


def _histogram_panel(axes, measurement):
    for values, look, label in ((measurement.scaled, SCALED_LOOK, SCALED), (measurement.raw, RAW_LOOK, RAW)):
        axes.stairs(*histogram(values), fill=True, color=look["color"], alpha=0.65, label=label)
    axes.set(title=HISTOGRAM_TITLE.format(measurement.d_k), xlabel=SCORE_AXIS, ylabel=DENSITY_AXIS)
    axes.legend()


def _top_weight_panel(axes, measurements):
    draw_pair(axes, measurements, "top_weight")
    axes.set(title=TOP_WEIGHT_TITLE, ylabel=TOP_WEIGHT_AXIS, ylim=(0, 1.05))


def _entropy_panel(axes, measurements):
    draw_pair(axes, measurements, "entropy")
    axes.set(title=ENTROPY_TITLE, ylabel=ENTROPY_AXIS)
    axes.set_ylim(bottom=0)


def _gradient_panel(axes, measurements):
    draw_pair(axes, measurements, "gradient")
    axes.set(title=GRADIENT_TITLE, ylabel=GRADIENT_AXIS)
    axes.set_ylim(bottom=0)


def draw_pair(axes, measurements, quantity):
    """Draw one measured quantity over d_k, raw and scaled."""
    d_k = np.array([measurement.d_k for measurement in measurements])
    for prefix, label, look in (("raw", RAW, RAW_LOOK), ("scaled", SCALED, SCALED_LOOK)):
        values = [getattr(measurement, f"{prefix}_{quantity}") for measurement in measurements]
        axes.plot(d_k, values, label=label, **look)
    axes.set_xscale("log", base=2)
    _d_k_axis(axes, d_k)
    axes.legend()


def _d_k_axis(axes, d_k):
    axes.set_xlabel(D_K_AXIS)
    axes.set_xticks(d_k[:: max(1, len(d_k) // 6 + 1) if len(d_k) > 6 else 1])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()


def _score_stds(measurements):
    """Return d_k and the standard deviation of all its raw scores, `(n,)` each."""
    d_k = np.array([measurement.d_k for measurement in measurements])
    return d_k, np.array([measurement.raw.std() for measurement in measurements])


def _alt_std(measurements):
    d_k, measured = _score_stds(measurements)
    error = np.abs(measured / np.sqrt(d_k) - 1).max()
    return ALT_STD.format(first=d_k[0], last=d_k[-1], low=measured[0], high=measured[-1], error=error)


def _alt_histograms(measurement):
    return ALT_HISTOGRAM.format(d_k=measurement.d_k, raw=measurement.raw.std(), scaled=measurement.scaled.std())


def _alt_top(measurements):
    return _alt_pair(ALT_TOP, measurements, "top_weight")


def _alt_entropy(measurements):
    return _alt_pair(ALT_ENTROPY, measurements, "entropy")


def _alt_gradient(measurements):
    return _alt_pair(ALT_GRADIENT, measurements, "gradient")


def _alt_pair(template, measurements, quantity):
    ends = {"first": measurements[0], "last": measurements[-1]}
    return template.format(
        **{
            f"{prefix}_{end}": getattr(measurement, f"{prefix}_{quantity}")
            for prefix in ("raw", "scaled")
            for end, measurement in ends.items()
        }
    )
