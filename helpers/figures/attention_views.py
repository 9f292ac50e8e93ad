"""The pictures of section 4.1 that a slider redraws: make a view once, then call its `show` with new arrays.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.patches import Rectangle

from helpers.figures.attention import WEIGHT_AXIS, WHERE_ONE_LOOKS, draw_bars, draw_mask
from helpers.figures.live import LivePicture
from helpers.figures.matrix import (
    draw_matrix,
    mark_row,
    name_axes,
    name_cells,
    short_number,
    strongest_looks,
    write_names,
)
from helpers.figures.scaling import (
    GRADIENT_TITLE,
    RAW,
    RAW_LOOK,
    SCALED,
    SCALED_LOOK,
    SCORE_AXIS,
    TOP_WEIGHT_TITLE,
    draw_pair,
    histogram,
)
from helpers.style import PALETTE, styled

HEAT_MAP_TITLE = "注意力权重"
MASK_TITLE = "掩码：圆点可看，灰格禁止"
ENTROPY_NOTE = "{looks}　熵 {entropy:.2f} / {largest:.2f} nat"
HISTOGRAM_TITLE = "{label}：分数的标准差 {std:.2f}"
ANSWER_TITLE = "温度 {temperature:.3g}：答案 {answer:.2f}"

ALT_ATTENTION = "左：{n} × {n} 的注意力权重热力图，{looks}。右：「{name}」一行的条形图，熵 {entropy:.2f} nat。"
ALT_SCALING = (
    "d_k = {d_k}。左：分数的直方图，不缩放的标准差 {raw:.2f}，除以 √d_k 后 {scaled:.2f}。"
    "右：最大权重 {raw_top:.2f} 与 {scaled_top:.2f}，梯度范数 {raw_gradient:.3f} 与 {scaled_gradient:.3f}。"
)
ALT_MASK = "左：掩码，{allowed} / {cells} 格允许，当前格在第 {row} 行第 {column} 列。右：所得的注意力权重，{looks}。"
ALT_LOOKUP = "条形图：温度 {temperature:.3g} 时 {n} 个键的权重，最大的是「{label}」{weight:.2f}，答案 {answer:.2f}。"


@dataclass(frozen=True)
class AttentionView:
    """A heat map of weights with one row framed, and that row as bars; its size may change up to `len(tokens)`."""

    tokens: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.5))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make every artist for the largest size."""
        n = len(self.tokens)
        left, right = self.picture.subplots(1, 2, width_ratios=[1, 1.15])
        image = draw_matrix(left, np.zeros((n, n)), self.tokens, self.tokens, limit=1.0, numbers=False, stacked=True)
        name_axes(left)
        left.set_title(HEAT_MAP_TITLE)
        bars, texts = draw_bars(right, np.zeros(n), self.tokens, room=0)
        right.set_ylabel(WEIGHT_AXIS)
        frame, title = mark_row(left, 0, n), right.set_title(" ")
        self.picture.move(image, frame, *bars, right.spines["bottom"], *texts, title)
        self.artists.update(image=image, frame=frame, bars=bars, texts=texts, title=title)

    @styled
    def show(self, weights, row, entropy):
        """Show the weights `(n, n)`, n up to `len(tokens)`, and the given row of them, whose entropy is in nats."""
        n, names = len(weights), self.tokens[: len(weights)]
        self._resize(n)
        self.artists["image"].set_data(weights)
        self.artists["frame"].set(y=row - 0.5, width=n)
        set_bars(self.artists["bars"], self.artists["texts"], weights[row])
        looks = WHERE_ONE_LOOKS.format(names[row])
        self.artists["title"].set_text(ENTROPY_NOTE.format(looks=looks, entropy=entropy, largest=np.log(n)))
        self.picture.alt = ALT_ATTENTION.format(
            n=n, looks=strongest_looks(weights, names, names), name=names[row], entropy=entropy
        )

    def _resize(self, n):
        left, right = self.artists["image"].axes, self.artists["title"].axes
        names = self.tokens[:n]
        if self.picture.still == n:
            return
        self.picture.still = n
        self.artists["image"].set_extent((-0.5, n - 0.5, n - 0.5, -0.5))
        name_cells(left, names, names, stacked=True)
        write_names(right, names, room=0)
        right.set_xlim(-0.6, n - 0.4)


@dataclass(frozen=True)
class ScalingView:
    """Two histograms of scores for one d_k, and where that d_k stands on the curves of weight and gradient."""

    measurements: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 4.4))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Draw the curves, which stay, and the histograms and markers, which follow d_k."""
        places = [["raw", "top_weight"], ["scaled", "gradient"]]
        panels = self.picture.subplot_mosaic(places)
        panels["scaled"].sharex(panels["raw"])
        for name, look in (("raw", RAW_LOOK), ("scaled", SCALED_LOOK)):
            axes = panels[name]
            self.artists[name] = axes.stairs(np.zeros(41), np.linspace(-1, 1, 42), fill=True, color=look["color"])
            axes.set(yticks=[], ylim=(0, 1.1), title=" ")
            axes.spines["left"].set_visible(False)
            # The whole axis moves, as its ticks follow d_k: cheaper than a background for every d_k.
            self.picture.move(self.artists[name], axes.xaxis, axes.spines["bottom"], axes.title)
        panels["raw"].tick_params(axis="x", labelbottom=False)
        panels["scaled"].set_xlabel(SCORE_AXIS)
        for quantity, title in (("top_weight", TOP_WEIGHT_TITLE), ("gradient", GRADIENT_TITLE)):
            axes = panels[quantity]
            draw_pair(axes, self.measurements, quantity)
            axes.set_title(title)
            axes.set_ylim(0, 1.05 if quantity == "top_weight" else None)
            self.artists[quantity] = axes.axvline(1, color=PALETTE["ink"], linestyle=":")
            self.picture.move(self.artists[quantity], axes.get_legend())
        panels["top_weight"].set_xlabel("")

    @styled
    def show(self, measurement):
        """Show one of the measurements."""
        for name, label in (("raw", RAW), ("scaled", SCALED)):
            values = getattr(measurement, name)
            density, edges = histogram(values)
            self.artists[name].set_data(density / density.max(), edges)
            self.artists[name].axes.set_title(HISTOGRAM_TITLE.format(label=label, std=values.std()))
        limit = 4 * max(measurement.raw.std(), 1.0)
        self.artists["raw"].axes.set_xlim(-limit, limit)
        for quantity in ("top_weight", "gradient"):
            self.artists[quantity].set_xdata([measurement.d_k, measurement.d_k])
        self.picture.alt = ALT_SCALING.format(
            d_k=measurement.d_k,
            raw=measurement.raw.std(),
            scaled=measurement.scaled.std(),
            raw_top=measurement.raw_top_weight,
            scaled_top=measurement.scaled_top_weight,
            raw_gradient=measurement.raw_gradient,
            scaled_gradient=measurement.scaled_gradient,
        )


@dataclass(frozen=True)
class MaskView:
    """A mask with one cell under the cursor, and the weights that it leaves."""

    tokens: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.7))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the mask's cells and dots, the cursor, and the heat map of weights."""
        n, names = len(self.tokens), self.tokens
        left, right = self.picture.subplots(1, 2)
        cells, dots = draw_mask(left, np.ones((n, n), dtype=bool), names)
        cursor = Rectangle((-0.5, -0.5), 1, 1, fill=False, edgecolor=PALETTE["vermilion"], linewidth=2.5)
        cursor.set(clip_on=False, zorder=3)
        left.add_patch(cursor)
        left.set_title(MASK_TITLE)
        image = draw_matrix(right, np.zeros((n, n)), names, names, limit=1.0, numbers=False, stacked=True)
        right.set_title(HEAT_MAP_TITLE)
        self.picture.move(cells, dots, cursor, image)
        self.artists.update(cells=cells, dots=dots, cursor=cursor, image=image)

    @styled
    def show(self, mask, weights, row, column):
        """Show the mask and the weights, `(n, n)` each, with the cursor on one cell."""
        rows, columns = np.nonzero(mask)
        self.artists["cells"].set_data(np.asarray(mask, dtype=float))
        self.artists["dots"].set_data(columns, rows)
        self.artists["cursor"].set_xy((column - 0.5, row - 0.5))
        self.artists["image"].set_data(weights)
        looks = strongest_looks(weights, self.tokens, self.tokens)
        self.picture.alt = ALT_MASK.format(allowed=len(rows), cells=mask.size, row=row, column=column, looks=looks)


@dataclass(frozen=True)
class LookupView:
    """The weights of a soft dictionary's keys as bars, and the answer in the title."""

    labels: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(6, 2.8))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make one bar per key."""
        axes = self.picture.subplots()
        bars, texts = draw_bars(axes, np.zeros(len(self.labels)), self.labels)
        axes.set_ylabel(WEIGHT_AXIS)
        title = axes.set_title(" ")
        self.picture.move(*bars, axes.spines["bottom"], *texts, title)
        self.artists.update(bars=bars, texts=texts, title=title)

    @styled
    def show(self, weights, temperature, answer):
        """Show the weights `(n_keys,)` and the number that a temperature answers."""
        set_bars(self.artists["bars"], self.artists["texts"], weights)
        self.artists["title"].set_text(ANSWER_TITLE.format(temperature=temperature, answer=answer))
        best = int(np.argmax(weights))
        self.picture.alt = ALT_LOOKUP.format(
            temperature=temperature, n=len(weights), label=self.labels[best], weight=weights[best], answer=answer
        )


def set_bars(bars, texts, weights):
    """Give bars and their value texts new weights `(n,)`; bars beyond the n-th are hidden."""
    for place, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        shown = place < len(weights)
        bar.set_visible(shown)
        text.set_visible(shown)
        if shown:
            bar.set_height(weights[place])
            text.set(y=weights[place] + 0.02, text=short_number(weights[place]))
