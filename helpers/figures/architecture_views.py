"""The pictures of section 4.4 that a control redraws: make a view once, then call its `show` with new arrays.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.colors import ListedColormap

from helpers.figures.families import INPUT, MASK_COLORS, NO_LOSS, TARGET, name_columns, upright
from helpers.figures.live import LivePicture
from helpers.figures.matrix import SMALL, draw_matrix, name_cells
from helpers.figures.moving_names import MovingNames
from helpers.style import PALETTE, styled

CURVE_TITLES = {"signal": "信号：每个数的均方根", "gradient": "梯度的范数"}
CURVE_LOOKS = {"signal": ("blue", "o"), "gradient": ("vermilion", "s")}
LAYER_AXIS = "第几层之后"
LOWEST, HIGHEST = 1e-9, 1e9  # what a curve shows; beyond, it runs along the border
WEIGHTS_TITLE = "最后一层的权重（各头平均）"
INPUT_TITLE, OUTPUT_TITLE = "输入 x", "输出（各自着色）"
MASK_TITLE = "谁能看谁：行看列，蓝色可以"
TARGETS_TITLE = "训练：橙色的位置算损失"
STATE_TITLE = "k 和 v"
STATES = ("还没有", "从缓存取", "刚算的")
STATE_COLORS = ListedColormap(["#EEEEEE", PALETTE["sky"], PALETTE["orange"]])
CACHE_TITLE = "第 0 层头 0 的 k"
NEXT_TITLE = "下一个符号的概率"
COST_TITLE = "累计乘法（万次）"
WAYS = ("没有缓存", "有缓存")

ALT_BLOCK = (
    "上：{n_layers} 层里信号从 {signal_first:.2g} 到 {signal_last:.2g}，第一层之前的梯度 {gradient:.2g}"
    "（最后一层之后是 1）。下：最后一层的权重，输入和输出的热力图；输出里词与词的余弦平均 {similarity:.2f}。"
)
ALT_FAMILY = "左：{family} 的掩码，{allowed} / {all} 格可以看。右：训练的输入和目标，{n} 个位置算损失。"
ALT_STEPPER = (
    "已有 {length} 个符号「{text}」，其中 {computed} 个位置的 k 和 v 是这一步算的，{fetched} 个从缓存取。"
    "下一个符号最可能是「{likely}」，概率 {probability:.2f}。"
    "累计乘法：没有缓存 {without:.3g}，有缓存 {with_cache:.3g}。"
)


@dataclass(frozen=True)
class BlockView:
    """A stack of blocks seen from outside: signal and gradient over the layers, weights, input beside output."""

    n_layers: int
    seq_len: int
    d_model: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 4.4))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make both curves and the three heat maps."""
        upper, lower = self.picture.subfigures(2, 1, height_ratios=[1.15, 1])
        for axes, (name, title) in zip(upper.subplots(1, 2), CURVE_TITLES.items(), strict=True):
            self._make_curve(axes, name, title)
        weights, before, after = lower.subplots(1, 3, width_ratios=[1, 1.4, 1.4])
        n, d = self.seq_len, self.d_model
        self.artists["weights"] = draw_matrix(weights, np.zeros((n, n)), [], [], limit=1.0, numbers=False)
        self.artists["x"] = draw_matrix(before, np.zeros((n, d)), [], [], signed=True, limit=2.5, numbers=False)
        self.artists["output"] = draw_matrix(after, np.zeros((n, d)), [], [], signed=True, numbers=False)
        titles = (WEIGHTS_TITLE, INPUT_TITLE, OUTPUT_TITLE)
        for axes, title in zip((weights, before, after), titles, strict=True):
            axes.set_title(title, fontsize=10)
            axes.set_aspect("auto")
        self.picture.move(*(self.artists[name] for name in ("weights", "x", "output")))

    def _make_curve(self, axes, name, title):
        color, marker = CURVE_LOOKS[name]
        (line,) = axes.semilogy([0], [1.0], color=PALETTE[color], marker=marker, markersize=3)
        axes.axhline(1.0, color=PALETTE["muted"], linewidth=0.8, linestyle=":", zorder=1)
        axes.set(xlim=(-1, self.n_layers + 1), ylim=(LOWEST / 2, HIGHEST * 2), title=title, xlabel=LAYER_AXIS)
        axes.set_yticks([LOWEST, 1e-6, 1e-3, 1, 1e3, 1e6, HIGHEST])
        axes.minorticks_off()
        self.artists[name] = line
        self.picture.move(line)

    @styled
    def show(self, x, measured):
        """Show the input `(seq_len, d_model)` and a measured stack: `signal`, `gradient`, `weights`, `output` ..."""
        layers = np.arange(len(measured.signal))
        for name in CURVE_TITLES:
            self.artists[name].set_data(layers, np.clip(getattr(measured, name), LOWEST, HIGHEST))
        self.artists["weights"].set_data(measured.weights.mean(axis=0))  # (h, n, n) -> (n, n)
        self.artists["x"].set_data(x)
        limit = np.abs(measured.output).max() or 1.0
        self.artists["output"].set(data=measured.output, clim=(-limit, limit))
        self.picture.alt = ALT_BLOCK.format(
            n_layers=len(layers) - 1,
            signal_first=measured.signal[0],
            signal_last=measured.signal[-1],
            gradient=measured.gradient[0],
            similarity=measured.similarity[-1],
        )


@dataclass(frozen=True)
class FamilyView:
    """One family: its mask over source and target, and what it is trained on."""

    longest: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 4.2))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make a mask and a strip of targets, as large as they can get."""
        mask, targets = self.picture.subplots(1, 2, width_ratios=[1.35, 1])
        empty = np.zeros((self.longest, self.longest))
        self.artists["mask"] = mask.imshow(empty, cmap=MASK_COLORS, vmin=0, vmax=1, interpolation="nearest")
        name_cells(mask, ["books."] * self.longest, [])  # the longest names: room for all
        name_columns(mask, ["books."] * self.longest)
        mask.set_title(MASK_TITLE)
        self.artists["boundary"] = [line(0.5, color="white", linewidth=3) for line in (mask.axhline, mask.axvline)]
        colors = ListedColormap(["#F4F4F4", PALETTE["orange"]])
        cells = np.zeros((self.longest, 2))
        self.artists["targets"] = targets.imshow(cells, cmap=colors, vmin=0, vmax=1, aspect="auto")
        name_cells(targets, [], [INPUT, TARGET])
        targets.set_title(TARGETS_TITLE)
        self.artists["texts"] = [
            [targets.text(column, row, "", ha="center", va="center", fontsize=SMALL) for column in range(2)]
            for row in range(self.longest)
        ]
        self.picture.settle()
        rows, columns = MovingNames(mask, "left", self.longest), MovingNames(mask, "top", self.longest)
        self.artists.update(rows=rows, columns=columns)
        texts = [*(text for row in self.artists["texts"] for text in row), *rows.texts, *columns.texts]
        self.picture.move(self.artists["mask"], *self.artists["boundary"], self.artists["targets"], *texts)

    @styled
    def show(self, family, mask, tokens, n_source, inputs, targets):
        """Show a mask `(n, n)` over `tokens`, and inputs and targets, lists of str; a target of None has no loss."""
        n, axes = len(tokens), self.artists["mask"].axes
        self.artists["rows"].write(tokens)
        self.artists["columns"].write(upright(tokens))
        axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
        self.artists["targets"].axes.set_ylim(len(inputs) - 0.5, -0.5)
        self.artists["mask"].set(data=mask, extent=(-0.5, n - 0.5, n - 0.5, -0.5))
        across, down = self.artists["boundary"]
        across.set_ydata([n_source - 0.5] * 2)
        down.set_xdata([n_source - 0.5] * 2)
        carries = np.array([target is not None for target in targets], dtype=float)
        cells = np.stack([np.zeros(len(inputs)), carries], axis=-1)  # (n_inputs, 2)
        self.artists["targets"].set(data=cells, extent=(-0.5, 1.5, len(inputs) - 0.5, -0.5))
        for row, pair in enumerate(self.artists["texts"]):
            shown = (inputs[row], targets[row] or NO_LOSS) if row < len(inputs) else ("", "")
            for text, what in zip(pair, shown, strict=True):
                text.set_text(what)
        self.picture.alt = ALT_FAMILY.format(
            family=family, allowed=int(mask.sum()), all=mask.size, n=int(carries.sum())
        )


@dataclass(frozen=True)
class StepperView:
    """Generation step by step: whose k and v are computed now or fetched, what comes next, what it has cost so far."""

    symbols: list
    n_positions: int
    d_k: int
    highest_cost: float
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.8))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the strip of states, the cache, the bars of the next symbol and of the cost."""
        panels = self.picture.subplots(1, 4, width_ratios=[0.55, 1.1, 1.3, 0.9])
        state, cache, following, cost = panels
        empty = np.zeros((self.n_positions, 1))
        self.artists["state"] = state.imshow(
            empty, cmap=STATE_COLORS, vmin=0, vmax=2, aspect="auto", interpolation="nearest"
        )
        self.artists["cache"] = draw_matrix(
            cache, np.zeros((self.n_positions, self.d_k)), [], [], signed=True, limit=2.0, numbers=False
        )
        # Empty rows are white, not transparent: up to matplotlib 3.10 the kept background has the first frame's image.
        colors = self.artists["cache"].get_cmap()
        self.artists["cache"].set_cmap(colors.with_extremes(bad="white"))
        cache.set_aspect("auto")
        name_cells(state, [""] * self.n_positions, [])
        self.artists["texts"] = [
            state.text(0, row, "", ha="center", va="center", fontsize=SMALL) for row in range(self.n_positions)
        ]
        places = range(len(self.symbols))
        self.artists["next"] = following.bar(places, np.zeros(len(self.symbols)), color=PALETTE["blue"])
        following.set_xticks(places, self.symbols, fontsize=SMALL)
        following.set(ylim=(0, 1.05))
        self.artists["cost"] = cost.bar(WAYS, [1.0, 1.0], color=[PALETTE["vermilion"], PALETTE["green"]], width=0.6)
        cost.set(ylim=(0, 1.05 * self.highest_cost / 1e4))
        for axes, title in zip(panels, (STATE_TITLE, CACHE_TITLE, NEXT_TITLE, COST_TITLE), strict=True):
            axes.set_title(title, fontsize=10)
        self._explain_states()
        bars = [*self.artists["next"], *self.artists["cost"]]
        spines = [axes.spines["bottom"] for axes in (following, cost)]
        self.picture.move(self.artists["state"], self.artists["cache"], *bars, *spines, *self.artists["texts"])

    def _explain_states(self):
        handles = [
            self.picture.axes[0].bar(0, 0, color=STATE_COLORS(number), label=name) for number, name in enumerate(STATES)
        ]
        self.picture.legend(handles, STATES, loc="outside lower left", ncols=3, fontsize=SMALL)
        self.picture.axes[0].set(xlim=(-0.5, 0.5), ylim=(self.n_positions - 0.5, -0.5))

    @styled
    def show(self, text, states, keys, probabilities, costs):
        """Show the symbols so far, a state 0, 1, 2 a position, keys `(t, d_k)`, probabilities, and both total costs."""
        self.artists["state"].set_data(np.asarray(states)[:, None])
        shown = np.full((self.n_positions, self.d_k), np.nan)
        shown[: len(keys)] = keys
        self.artists["cache"].set_data(np.ma.masked_invalid(shown))
        for place, label in enumerate(self.artists["texts"]):
            label.set_text(text[place] if place < len(text) else "")
        for bar, height in zip(self.artists["next"], probabilities, strict=True):
            bar.set_height(height)
        for bar, cost in zip(self.artists["cost"], costs, strict=True):
            bar.set_height(cost / 1e4)
        best = int(np.argmax(probabilities))
        self.picture.alt = ALT_STEPPER.format(
            length=len(text),
            text=" ".join(text),
            computed=int(np.sum(np.asarray(states) == 2)),
            fetched=int(np.sum(np.asarray(states) == 1)),
            likely=self.symbols[best],
            probability=probabilities[best],
            without=costs[0],
            with_cache=costs[1],
        )
