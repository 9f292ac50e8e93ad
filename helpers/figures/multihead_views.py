"""The pictures of section 4.2 that a slider redraws: make a view once, then call its `show` with new arrays.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np

from helpers.figures.live import LivePicture
from helpers.figures.matrix import SMALL, draw_matrix, short_number
from helpers.figures.moving_names import MovingNames
from helpers.figures.multihead import HEAD, draw_tokens, heads_side_by_side, side_by_side, write_head_numbers
from helpers.style import PALETTE, styled

GRID_TITLE = "{n_heads} 个头的权重（行：查询，列：键）"
COST_TITLE = "头数 {n_heads}：d_k = {d_k}"
HEADS_AXIS = "头数 n_heads"
COUNT_AXIS = "个数"
COUNTS = {"parameters": "参数", "multiplications": "乘法", "exponentials": "softmax 的指数"}
COUNT_LOOKS = {"parameters": ("blue", "o"), "multiplications": ("vermilion", "s"), "exponentials": ("green", "^")}
ANSWERS_TITLE = "五个问题答对几成"
SLOTS_TITLE = "输出里各问题的一段有多长"
ON, OFF = "开", "关"
RESHAPE_TITLES = {
    "split": ("x：一行一个 token", "对：reshape，再换轴", "错：只 reshape"),
    "merge": ("各个头：一行一个 token", "对：换轴，再 reshape", "错：只 reshape"),
}
SHAPE_NOTE = "{}　{shape}"
GRIDS = {1: (1, 1), 2: (1, 2), 3: (2, 2), 4: (2, 2), 6: (2, 3), 8: (3, 3), 12: (3, 4), 24: (4, 6)}  # rows, columns

ALT_GRID = (
    "左：{n_heads} 个头的 {n} × {n} 权重热力图。右：参数 {parameters} 个、乘法 {multiplications} 次，不随头数变；"
    "softmax 的指数 {exponentials} 个，随头数增长。"
)
ALT_SWITCHES = "上：六个头的权重热力图，{off}。左下：五个问题答对的比例，{answers}。右下：输出里各问题的一段有多长。"
ALT_ALL_ON, ALT_SOME_OFF = "都开着", "关掉的头 {} 变淡"
ALT_RESHAPE = (
    "三行彩色格子，一种颜色一个 token：{titles}。{n_heads} 个头，{seq_len} 个 token，错法里 {wrong} / {all} 格错了行。"
)


@dataclass(frozen=True)
class HeadsView:
    """A grid of heat maps, as many as there are heads, beside the curves of what the heads cost."""

    n_heads: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.9))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Draw the curves, lay them out, and make a heat map for each of the most heads that there can be."""
        grid, axes = self.picture.subplots(1, 2, width_ratios=[1.5, 1])
        grid.set_axis_off()
        grid.set_title(" \n ")  # room for two lines
        self._draw_curves(axes)
        self.picture.settle()
        self.artists["place"] = grid.get_position()
        title = grid.set_title(" ")
        panels = [self.picture.add_axes([0, 0, 0.01, 0.01]) for _ in range(max(self.n_heads))]
        images = [draw_matrix(panel, np.zeros((2, 2)), [], [], limit=1.0, numbers=False) for panel in panels]
        titles = [panel.set_title(" ", fontsize=SMALL, pad=2) for panel in panels]
        self.artists.update(images=images, titles=titles, title=title)
        self.picture.move(*images, title, self.artists["cost_title"])

    def _draw_curves(self, axes):
        for name, (color, marker) in COUNT_LOOKS.items():
            look = {"color": PALETTE[color], "marker": marker, "markersize": 4, "label": COUNTS[name]}
            (self.artists[name],) = axes.loglog(self.n_heads, np.ones(len(self.n_heads)), **look)
        axes.set_xscale("log", base=2)
        axes.set(ylim=(2, 3e5), xlabel=HEADS_AXIS, ylabel=COUNT_AXIS)
        axes.set_xticks([1, 2, 4, 8, 24], ["1", "2", "4", "8", "24"])
        axes.minorticks_off()
        self.artists["marker"] = axes.axvline(1, color=PALETTE["ink"], linestyle=":")
        legend = axes.legend(loc="upper left", fontsize=SMALL, frameon=True, framealpha=1, edgecolor="none")
        self.artists["cost_title"] = axes.set_title(" ")
        self.picture.move(*(self.artists[name] for name in COUNT_LOOKS), self.artists["marker"], legend)

    @styled
    def show(self, weights, d_k, counts):
        """Show the weights `(n_heads, n, n)` and the counts, a dict of arrays `(len(self.n_heads),)` by `COUNTS`."""
        n_heads, n = weights.shape[:2]
        self._arrange(n_heads)
        for image, head in zip(self.artists["images"], weights, strict=False):
            image.set(data=head, extent=(-0.5, n - 0.5, n - 0.5, -0.5))
        for name, values in counts.items():
            self.artists[name].set_ydata(values)
        self.artists["marker"].set_xdata([n_heads, n_heads])
        self.artists["title"].set_text(GRID_TITLE.format(n_heads=n_heads))
        self.artists["cost_title"].set_text(COST_TITLE.format(n_heads=n_heads, d_k=d_k))
        now = {name: values[self.n_heads.index(n_heads)] for name, values in counts.items()}
        self.picture.alt = ALT_GRID.format(n_heads=n_heads, n=n, **now)

    def _arrange(self, n_heads):
        """Put the heat maps of this many heads into a grid and hide the others."""
        if self.picture.still == n_heads:
            return
        self.picture.still = n_heads
        n_rows, n_columns = GRIDS[n_heads]
        place = self.artists["place"]
        width, height = place.width / n_columns, place.height / n_rows
        for h, (image, title) in enumerate(zip(self.artists["images"], self.artists["titles"], strict=True)):
            row, column = divmod(h, n_columns)
            corner = place.x0 + (column + 0.05) * width, place.y1 - (row + 0.97) * height
            image.axes.set_position([*corner, 0.9 * width, max(height - 0.07, 0.6 * height)])
            image.axes.apply_aspect()  # a kept background is not drawn again, which would keep the squares square
            image.set_visible(h < n_heads)
            image.axes.set_visible(h < n_heads)
            title.set_text(HEAD.format(h) if n_columns < 5 else str(h))


@dataclass(frozen=True)
class SwitchView:
    """Six heads that can be switched off: their weights, which questions are still answered, what the output holds."""

    tokens: list
    names: list
    questions: list
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 4.3))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the heat maps, the bars and the matrix of slots."""
        upper, lower = self.picture.subfigures(2, 1, height_ratios=[1, 1.5])
        n, n_questions = len(self.tokens), len(self.questions)
        heads, (left, right) = upper.subplots(1, len(self.names)), lower.subplots(1, 2)
        images = [draw_matrix(axes, np.zeros((n, n)), [], [], limit=1.0, numbers=False) for axes in heads]
        titles = [axes.set_title(f"{name}\n{ON}") for axes, name in zip(heads, self.names, strict=True)]
        bars = left.bar(self.questions, np.zeros(n_questions), color=PALETTE["blue"], width=0.6)
        texts = [left.text(place, 0, "", ha="center", va="bottom") for place in range(n_questions)]
        left.set(ylim=(0, 1.2), yticks=[0, 0.5, 1], title=ANSWERS_TITLE)
        slots = draw_matrix(right, np.zeros((n, n_questions)), self.tokens, self.questions, limit=1.5, numbers=False)
        right.set(title=SLOTS_TITLE, aspect="auto")
        self.picture.move(*images, *titles, *bars, left.spines["bottom"], *texts, slots)
        self.artists.update(images=images, titles=titles, bars=bars, texts=texts, slots=slots)

    @styled
    def show(self, weights, off, right, slots):
        """Show heads `(n_heads, n, n)`, those in `off` faint; shares `(n_questions,)`; lengths `(n, n_questions)`."""
        for h, (image, title) in enumerate(zip(self.artists["images"], self.artists["titles"], strict=True)):
            image.set(data=weights[h], alpha=0.15 if h in off else 1.0)
            title.set(text=f"{self.names[h]}\n{OFF if h in off else ON}")
            title.set_color(PALETTE["muted" if h in off else "ink"])
        for bar, text, share in zip(self.artists["bars"], self.artists["texts"], right, strict=True):
            bar.set_height(share)
            text.set(y=share + 0.03, text=short_number(share))
        self.artists["slots"].set_data(slots)
        said = "、".join(f"{question} {share:.0%}" for question, share in zip(self.questions, right, strict=True))
        which = ALT_SOME_OFF.format("、".join(map(str, off))) if off else ALT_ALL_ON
        self.picture.alt = ALT_SWITCHES.format(off=which, answers=said)


@dataclass(frozen=True)
class ReshapeView:
    """Where every token's numbers go when heads are split or merged: before, the right way, by reshape alone."""

    tokens: list
    d_model: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 5))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make three canvases, large enough for the most tokens and heads."""
        panels = self.picture.subplots(3, 1)
        empty = np.full((len(self.tokens), 2 * self.d_model - 1), np.nan)
        images = [draw_tokens(panel, empty, self.tokens) for panel in panels]
        titles = [panel.set_title(" ", loc="left") for panel in panels]
        for panel in panels:
            write_head_numbers(panel, 1, 1)
            panel.set_aspect("auto")
        self.picture.settle()  # while every panel has its head numbers
        rows = [MovingNames(panel, "left", len(self.tokens)) for panel in panels]
        heads = [MovingNames(panel, "bottom", self.d_model) for panel in panels]
        self.picture.move(*images, *titles, *(text for names in (*rows, *heads) for text in names.texts))
        self.artists.update(images=images, titles=titles, rows=rows, heads=heads)

    @styled
    def show(self, way, start, right, wrong):
        """Show three arrays of token numbers, `(n_heads, seq_len, n_columns)` each; a merged one counts as one head."""
        arrays = [np.asarray(array) for array in (start, right, wrong)]
        self._name(arrays)
        for image, title, array, text in zip(
            self.artists["images"], self.artists["titles"], arrays, RESHAPE_TITLES[way], strict=True
        ):
            canvas = np.full((len(self.tokens), 2 * self.d_model - 1), np.nan)
            cells = side_by_side(array)
            canvas[: cells.shape[0], : cells.shape[1]] = cells
            image.set_data(np.ma.masked_invalid(canvas))
            title.set_text(SHAPE_NOTE.format(text, shape=array.shape if len(array) > 1 else array.shape[1:]))
        seq_len = arrays[0].shape[1]
        n_wrong = int((arrays[2] != np.arange(seq_len)[:, None]).sum())
        self.picture.alt = ALT_RESHAPE.format(
            titles="；".join(RESHAPE_TITLES[way]),
            n_heads=max(len(array) for array in arrays),
            seq_len=seq_len,
            wrong=n_wrong,
            all=arrays[2].size,
        )

    def _name(self, arrays):
        """Write the rows' tokens and the heads' numbers."""
        panels = zip(self.artists["images"], self.artists["rows"], self.artists["heads"], arrays, strict=True)
        for image, rows, heads, array in panels:
            n_heads, seq_len, n_columns = array.shape
            rows.write(self.tokens[:seq_len])
            centers, numbers = heads_side_by_side(n_heads if n_heads > 1 else 0, n_columns)
            heads.write(numbers, centers)
            image.axes.set(xlim=(-0.5, n_heads * (n_columns + 1) - 1.5), ylim=(seq_len - 0.5, -0.5))
