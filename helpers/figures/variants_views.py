"""The pictures of the attention variants that a control redraws: make a view once, then call its `show`.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.patches import Rectangle

from helpers.figures.grouped import LOST_AXIS, draw_links, group_places
from helpers.figures.live import LivePicture
from helpers.figures.matrix import KEY_AXIS, QUERY_AXIS, SMALL, draw_matrix
from helpers.figures.sparse import draw_pattern
from helpers.style import PALETTE, ink_on, styled

CACHE_TITLE, CACHE_AXIS = "KV 缓存", "MB"
FULL, NOW = "各用各的", "现在"
ERROR_TITLE, HEAD_AXIS = "每个头的损失", "查询头"
MASK_TITLE, REACH_TITLE = "一层：谁能看谁", "叠起来：谁够得到谁"
SCORES_TITLE, OUTPUT_TITLE, WANTED_TITLE = "分数（一块一块地算）", "到此的输出", "答案"
LARGEST_TITLE, TOTAL_TITLE = "最大值", "和"
MOVED_TITLE, TILED, PLAIN = "搬运（字节）", "分块", "不分块"
FORBIDDEN_COLOR = "#C8C8C8"  # a pair that the mask forbids, beside white for one not yet computed
FAR_BELOW = 1e3  # stands for -inf, which an image cannot hold

ALT_SHARING = (
    "左：{n_heads} 个查询头连到 {n_kv_heads} 组键和值。中：KV 缓存 {now:.0f} MB，各用各的是 {full:.0f} MB。"
    "右：各头落在错误的键上的权重，平均 {mean:.2f}，最大 {worst:.2f}。"
)
ALT_PATTERN = (
    "左：掩码，{allowed} / {all} 格可以看。右：叠 {n_layers} 层之后，{reached} / {all} 格够得到；"
    "最后一个位置够到 {last} 个。"
)
ALT_TILES = (
    "第 {step} / {n_steps} 块，键 {start} 到 {stop}。最后一行：最大值 {largest}，和 {total:.2f}。"
    "到此的输出与答案最多差 {error:.3f}。已搬运 {moved} 字节，不分块全程要 {plain} 字节。"
)


@dataclass(frozen=True)
class SharingView:
    """Query heads and their groups of keys and values, the size of the cache, and what each head loses."""

    n_heads: int
    highest_cache: float
    highest_error: float
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 2.9))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the links, two bars for the cache and a bar for each head."""
        sharing, cache, error = self.picture.subplots(1, 3, width_ratios=[1.5, 0.8, 1.3])
        links, groups = draw_links(sharing, self.n_heads, self.n_heads)
        bars = cache.bar([FULL, NOW], [1.0, 1.0], color=[PALETTE["muted"], PALETTE["vermilion"]], width=0.6)
        cache.set(title=CACHE_TITLE, ylabel=CACHE_AXIS, ylim=(0, 1.05 * self.highest_cache))
        losses = error.bar(range(self.n_heads), np.zeros(self.n_heads), color=PALETTE["blue"], width=0.7)
        error.set(title=ERROR_TITLE, xlabel=HEAD_AXIS, ylabel=LOST_AXIS, xticks=range(self.n_heads))
        error.set_ylim(0, self.highest_error)
        spines = [axes.spines["bottom"] for axes in (cache, error)]
        above = [*sharing.lines[self.n_heads :], *sharing.texts]  # the circles and squares cover the links' ends
        self.picture.move(*links, *above, *bars, *losses, *spines)
        self.artists.update(links=links, groups=groups, cache=bars, losses=losses)

    @styled
    def show(self, n_kv_heads, cache, errors):
        """Show a number of groups, the bytes of the cache `(unshared, now)` and the heads' errors `(n_heads,)`."""
        places = group_places(self.n_heads, n_kv_heads)
        for head, (link, place) in enumerate(zip(self.artists["links"], places, strict=True)):
            link.set_data([head, place], [1, 0])
        self.artists["groups"].set_data(places, np.zeros(self.n_heads))
        for bar, size in zip(self.artists["cache"], cache, strict=True):
            bar.set_height(size / 1e6)
        for bar, error in zip(self.artists["losses"], errors, strict=True):
            bar.set_height(error)
        self.picture.alt = ALT_SHARING.format(
            n_heads=self.n_heads,
            n_kv_heads=n_kv_heads,
            full=cache[0] / 1e6,
            now=cache[1] / 1e6,
            mean=np.mean(errors),
            worst=np.max(errors),
        )


@dataclass(frozen=True)
class PatternView:
    """A sparse pattern, and beside it what several layers of it reach."""

    seq_len: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.2, 3.9))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make two masks of one size."""
        panels = self.picture.subplots(1, 2)
        empty = np.zeros((self.seq_len, self.seq_len))
        for name, axes, title in zip(("mask", "reach"), panels, (MASK_TITLE, REACH_TITLE), strict=True):
            self.artists[name] = draw_pattern(axes, empty)
            axes.set_title(title)
            axes.set_xlabel(KEY_AXIS, fontsize=SMALL)
            self.picture.move(self.artists[name], *axes.lines)  # the lines lie over the cells
        panels[0].set_ylabel(QUERY_AXIS, fontsize=SMALL)

    @styled
    def show(self, mask, reachable, n_layers):
        """Show a mask and what `n_layers` layers of it reach, `(seq_len, seq_len)` both."""
        self.artists["mask"].set_data(mask.astype(float))
        self.artists["reach"].set_data(reachable.astype(float))
        self.picture.alt = ALT_PATTERN.format(
            allowed=int(mask.sum()),
            all=mask.size,
            n_layers=n_layers,
            reached=int(reachable.sum()),
            last=int(reachable[-1].sum()),
        )


@dataclass(frozen=True)
class TileView:
    """Tiled attention tile by tile: scores, running maximum and sum, output so far beside the answer, bytes moved."""

    seq_len: int
    d_v: int
    highest_score: float
    highest_total: float
    highest_output: float
    highest_moved: float
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.6))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the scores with a frame on one tile, the columns of running numbers, outputs and the two bars."""
        n = self.seq_len
        panels = self.picture.subplots(1, 6, width_ratios=[2.6, 0.5, 0.5, 1.1, 1.1, 0.9])
        scores, largest, total, output, wanted, moved = panels
        self._make_matrix("scores", scores, n, True, self.highest_score)
        self._make_matrix("largest", largest, 1, True, self.highest_score)
        self._make_matrix("total", total, 1, False, self.highest_total)
        self._make_matrix("output", output, self.d_v, True, self.highest_output)
        self._make_matrix("wanted", wanted, self.d_v, True, self.highest_output)
        frame = scores.add_patch(Rectangle((-0.5, -0.5), 1, n, fill=False, edgecolor=PALETTE["vermilion"]))
        frame.set(linewidth=2.5, clip_on=False)
        scores.set_xlabel(KEY_AXIS, fontsize=SMALL)
        scores.set_ylabel(QUERY_AXIS, fontsize=SMALL)
        bars = moved.bar([TILED, PLAIN], [1.0, 1.0], color=[PALETTE["blue"], PALETTE["muted"]], width=0.6)
        moved.set_ylim(0, 1.05 * self.highest_moved)
        moved.tick_params(axis="x", labelsize=SMALL)
        titles = (SCORES_TITLE, LARGEST_TITLE, TOTAL_TITLE, OUTPUT_TITLE, WANTED_TITLE, MOVED_TITLE)
        for axes, title in zip(panels, titles, strict=True):
            axes.set_title(title, fontsize=SMALL)
        texts = [self._make_texts(axes) for axes in (largest, total)]
        self.artists.update(frame=frame, moved=bars, largest_texts=texts[0], total_texts=texts[1])
        written = [text for column in texts for text in column]
        self.picture.move(frame, *bars, moved.spines["bottom"], *written)

    def _make_matrix(self, name, axes, n_columns, signed, limit):
        image = draw_matrix(
            axes, np.zeros((self.seq_len, n_columns)), [], [], signed=signed, limit=limit, numbers=False
        )
        # Not computed yet is white, not transparent: up to matplotlib 3.10 the kept background has the first image.
        image.set_cmap(image.get_cmap().with_extremes(bad="white", under=FORBIDDEN_COLOR))
        axes.set_aspect("auto")
        axes.set_xticks([])
        self.artists[name] = image
        self.picture.move(image)

    def _make_texts(self, axes):
        return [axes.text(0, row, "", ha="center", va="center", fontsize=SMALL) for row in range(self.seq_len)]

    @styled
    def show(self, scores, steps_done, n_steps, running, wanted, moved):
        """Show the state after some tiles.

        Parameters
        ----------
        scores : (seq_len, seq_len) array
            NaN where they have not been computed, -inf where a mask forbids.
        steps_done, n_steps : int
        running : helpers.reference.tiled.TileStep
            The last tile and the running numbers after it.
        wanted : (seq_len, d_v) array
            What attention without tiles gives.
        moved : (tiled so far, plain in all)
            In bytes.
        """
        columns = {"largest": running.largest[:, None], "total": running.total[:, None]}
        arrays = {"scores": scores, "output": running.output, "wanted": wanted}
        for name, array in (arrays | columns).items():
            finite = np.where(np.isneginf(array), -FAR_BELOW, array)
            self.artists[name].set_data(np.ma.masked_invalid(finite))
        for name, values in columns.items():
            self._write(self.artists[f"{name}_texts"], values[:, 0], self.artists[name])
        self.artists["frame"].set(x=running.start - 0.5, width=running.stop - running.start)
        for bar, height in zip(self.artists["moved"], moved, strict=True):
            bar.set_height(height)
        self.picture.alt = ALT_TILES.format(
            step=steps_done,
            n_steps=n_steps,
            start=running.start,
            stop=running.stop - 1,
            largest=_number(running.largest[-1]),
            total=running.total[-1],
            error=np.abs(running.output - wanted).max(),
            moved=moved[0],
            plain=moved[1],
        )

    def _write(self, texts, values, image):
        for text, value in zip(texts, values, strict=True):
            color = ink_on(image.to_rgba(value)) if np.isfinite(value) else "black"
            text.set(text=_number(value), color=color)


def _number(value):
    """Write a running number; nothing may be looked at yet where the maximum is still -inf.

    Examples
    --------
    >>> _number(1.25), _number(-np.inf)
    ('1.25', '−∞')
    """
    return f"{value:.2f}".replace("-", "−") if np.isfinite(value) else "−∞"
