"""The pictures of section 4.3 that a slider redraws: make a view once, then call its `show` with new arrays."""

from dataclasses import dataclass, field

import numpy as np

from helpers.figures.live import LivePicture
from helpers.figures.positions import (
    COLUMN_AXIS,
    DISTANCE_AXIS,
    HAND_TITLE,
    SIMILARITY_AXIS,
    SIMILARITY_TITLE,
    SMALL,
    draw_clock,
    draw_encoding,
)
from helpers.style import PALETTE, styled

ROW_TITLE = "PE({position})：一对正弦、余弦，一根针"
SINE_BARS, COSINE_BARS = "正弦", "余弦"
TURNED_TITLE = "第 {pair} 对：q 转 {q:.2f}，k 转 {k:.2f} 弧度"
SCORE_TITLE = "距离 {distance}：分数 {score:.2f}"
SCORE_AXIS = "q·k ÷ √d_k"
LONGEST = 300  # positions that an encoding view has room to number

ALT_ENCODING = (
    "左：{n} 个位置、{d} 列的位置编码热力图，base = {base:g}。右：相似度除以距离 0 处的值，距离 1 处 {near:.3f}，"
    "距离 {far} 处 {last:.3f}。"
)
ALT_CLOCKS = "上：位置 {position} 的 {n} 个钟面，指针从正上方顺时针转过 {turns} 圈。下：这个位置的编码的条形图。"
ALT_ROPE = (
    "左：第 {pair} 对，q 在位置 {q_position}，k 在位置 {k_position}，两个箭头夹角 {between:.2f} 弧度。"
    "右：分数随距离的曲线，标记在距离 {distance}，分数 {score:.2f}。"
)


@dataclass(frozen=True)
class EncodingView:
    """The encoding as a heat map, and how alike two positions are over their distance."""

    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.5))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the image and the curve."""
        left, right = self.picture.subplots(1, 2)
        image = draw_encoding(left, np.zeros((2, 2)))
        self.picture.colorbar(image, ax=left, ticks=[-1, 0, 1])
        right.axhline(0, color=PALETTE["muted"], linewidth=1)
        (curve,) = right.plot([0, 1], [0, 0], color=PALETTE["blue"])
        right.set(title=SIMILARITY_TITLE, xlabel=DISTANCE_AXIS, ylim=(-1.05, 1.05))
        right.set_ylabel(f"{SIMILARITY_AXIS} ÷ PE(p)·PE(p)")
        # Spines lie over image and curve, so they follow them.
        self.picture.move(image, left.spines["left"], left.spines["bottom"], curve, right.spines["left"])
        self.artists.update(image=image, curve=curve)
        self._resize(LONGEST, 4)
        self.picture.settle()  # with the widest tick labels: later ones fit as well

    @styled
    def show(self, encoding, similarity, base):
        """Show an encoding `(seq_len, d_model)` and the similarity `(seq_len,)` at distances from 0 up."""
        n, d_model = encoding.shape
        self._resize(n, d_model)
        self.artists["image"].set_data(encoding)
        relative = similarity / similarity[0]
        self.artists["curve"].set_data(np.arange(n), relative)
        self.picture.alt = ALT_ENCODING.format(
            n=n, d=d_model, base=base, near=relative[1], far=n - 1, last=relative[-1]
        )

    def _resize(self, n, d_model):
        if self.picture.still == (n, d_model):
            return
        self.picture.still = (n, d_model)
        image = self.artists["image"]
        image.set_extent((-0.5, d_model - 0.5, n - 0.5, -0.5))
        image.axes.set(xlim=(-0.5, d_model - 0.5), ylim=(n - 0.5, -0.5))
        self.artists["curve"].axes.set_xlim(0, n - 1)


@dataclass(frozen=True)
class ClockView:
    """One position as a row of clocks, and below it the same encoding as bars."""

    wavelengths: np.ndarray
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.6))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the hands and the bars."""
        n = len(self.wavelengths)
        names = [f"clock {i}" for i in range(n)]
        panels = self.picture.subplot_mosaic([names, ["row"] * n], height_ratios=[1, 1.1])
        hands = []
        for i, name in enumerate(names):
            draw_clock(panels[name])
            panels[name].set_title(HAND_TITLE.format(i=i, length=self.wavelengths[i]), fontsize=SMALL)
            hands += panels[name].plot([0, 0], [0, 1], color=PALETTE["vermilion"], linewidth=2.5)
        bars = self._make_bars(panels["row"], 2 * n)
        title = panels["row"].set_title(" ")
        self.picture.move(*hands, *bars, panels["row"].lines[0], panels["row"].spines["left"], title)
        self.artists.update(hands=hands, bars=bars, title=title)

    def _make_bars(self, axes, n_columns):
        columns = np.arange(n_columns)
        sines = axes.bar(columns[::2], 0, color=PALETTE["blue"], label=SINE_BARS)
        cosines = axes.bar(columns[1::2], 0, color=PALETTE["orange"], label=COSINE_BARS)
        axes.axhline(0, color=PALETTE["muted"], linewidth=1)
        axes.set(ylim=(-1.1, 1.1), yticks=[-1, 0, 1], xticks=columns, xlabel=COLUMN_AXIS)
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return [bar for pair in zip(sines, cosines, strict=True) for bar in pair]

    @styled
    def show(self, position, encoding):
        """Show one position and its encoding `(2 * n_clocks,)`."""
        for hand, sine, cosine in zip(self.artists["hands"], encoding[::2], encoding[1::2], strict=True):
            hand.set_data([0, sine], [0, cosine])
        for bar, value in zip(self.artists["bars"], encoding, strict=True):
            bar.set_height(value)
        self.artists["title"].set_text(ROW_TITLE.format(position=position))
        turns = "、".join(f"{position / length:.2f}" for length in self.wavelengths)
        self.picture.alt = ALT_CLOCKS.format(position=position, n=len(self.wavelengths), turns=turns)


@dataclass(frozen=True)
class RopeView:
    """One pair of components of a query and a key, turned by their positions, and the score over the distance."""

    distances: np.ndarray
    scores: np.ndarray
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.4))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Draw the curve, which stays, and the arrows and the marker, which move."""
        left, right = self.picture.subplots(1, 2, width_ratios=[1, 1.3])
        draw_clock(left)
        (q_arrow,) = left.plot([0, 1], [0, 0], color=PALETTE["blue"], linewidth=3, label="q")
        (k_arrow,) = left.plot([0, 0], [0, 1], color=PALETTE["vermilion"], linewidth=3, linestyle="--", label="k")
        left.legend(loc="upper left", bbox_to_anchor=(-0.12, 1.0))
        right.plot(self.distances, self.scores, color=PALETTE["muted"])
        (marker,) = right.plot([0], [0], "o", color=PALETTE["ink"], markersize=9)
        right.set(xlabel=DISTANCE_AXIS, ylabel=SCORE_AXIS)
        titles = left.set_title(" "), right.set_title(" ")
        self.picture.move(q_arrow, k_arrow, marker, *titles)
        self.artists.update(q=q_arrow, k=k_arrow, marker=marker, titles=titles)

    @styled
    def show(self, pair, positions, angles, arrows, score):
        """Show one pair of components.

        Parameters
        ----------
        pair : int
        positions : (query's, key's)
        angles : (query's, key's)
            By which the position turns the pair, in radians.
        arrows : two (2,) arrays
            The pair after turning, of the query and of the key.
        score : float
        """
        for name, (x, y) in zip(("q", "k"), arrows, strict=True):
            length = max(np.hypot(x, y), 1e-9)
            self.artists[name].set_data([0, x / length], [0, y / length])
        distance = positions[0] - positions[1]
        self.artists["marker"].set_data([distance], [score])
        left, right = self.artists["titles"]
        left.set_text(TURNED_TITLE.format(pair=pair, q=angles[0], k=angles[1]))
        right.set_text(SCORE_TITLE.format(distance=distance, score=score))
        directions = [np.arctan2(y, x) for x, y in arrows]
        between = abs((directions[0] - directions[1] + np.pi) % (2 * np.pi) - np.pi)
        self.picture.alt = ALT_ROPE.format(
            pair=pair, q_position=positions[0], k_position=positions[1], between=between, distance=distance, score=score
        )
