"""The pictures on vector spaces that a slider redraws: make a view once, then call its `show` with new arrays."""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.patches import Polygon

from helpers.figures.live import LivePicture
from helpers.figures.vectors import (
    COLORS,
    KEY_COLOR,
    PART,
    PART_COLOR,
    QUERY_COLOR,
    REST,
    REST_COLOR,
    around,
    arrow,
    draw_grid,
    line_sample,
    plane,
    unit_square,
)
from helpers.style import PALETTE, styled

LONGEST = 3.0  # arrows that the plane has room for
ROOM = 2.6  # how far the plane of a map reaches
N_BINS = 60  # histogram of angles, 3 degrees each

ANGLE_AXIS, PRODUCT_AXIS = "夹角（度）", "内积 a·b"
PRODUCT_TITLE = "夹角 {angle:.0f} 度：内积 {product:.2f}"
ANGLES_TITLE = "d = {d}：夹角 {mean:.0f} ± {spread:.1f} 度"
LENGTHS_TITLE = "长度 ÷ √d 的分布"
SAMPLED, EXACT_DENSITY = "随机抽样", "精确的密度"
LENGTH_AXIS = "长度 ÷ √d"
BEFORE_TITLE, AFTER_TITLE = "原来", "乘矩阵之后：面积 × {area:.2f}"

ALT_PROJECTION = (
    "左：长 {a:.2f} 的 a 和长 {b:.2f} 的 b，夹角 {angle:.0f} 度，a 在 b 上的投影是 ({x:.2f}, {y:.2f})，"
    "残差长 {rest:.2f}。"
    "右：内积随夹角的曲线，标记在 {product:.2f}。"
)
ALT_ANGLES = (
    "左：{d} 维随机向量夹角的直方图，平均 {mean:.0f} 度，标准差 {spread:.1f} 度。右：长度除以 √d，标准差 {length:.3f}。"
)
ALT_MAP = (
    "左：原来的方格和单位正方形。右：乘矩阵之后，(1, 0) 到了 ({a:.1f}, {b:.1f})，(0, 1) 到了 ({c:.1f}, {d:.1f})，"
    "面积变成 {area:.2f} 倍。"
)


@dataclass(frozen=True)
class ProjectionView:
    """Two vectors with the projection of one onto the other, and their inner product over the angle."""

    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.6))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the arrows, the residual and the curve."""
        left, right = self.picture.subplots(1, 2)
        plane(left, around(LONGEST * 1.1))
        looks = {"part": (PART_COLOR, 5), "a": (QUERY_COLOR, 2.5), "b": (KEY_COLOR, 2.5)}
        arrows = {name: arrow(left, (1, 1), color, width=width) for name, (color, width) in looks.items()}
        (rest,) = left.plot([0, 1], [0, 1], "--", color=REST_COLOR, linewidth=2)
        samples = [line_sample(color, width=width) for color, width in looks.values()]
        self.picture.legend([*samples, rest], [PART, "a", "b", REST], loc="outside lower left", ncols=4)
        right.axhline(0, color=PALETTE["muted"], linewidth=0.8)
        (curve,) = right.plot([0, 180], [0, 0], color=PALETTE["muted"])
        (marker,) = right.plot([0], [0], "o", color=PALETTE["ink"], markersize=9)
        limit = 1.1 * LONGEST**2
        right.set(xlabel=ANGLE_AXIS, ylabel=PRODUCT_AXIS, xlim=(0, 180), xticks=[0, 45, 90, 135, 180])
        right.set_ylim(-limit, limit)
        title = right.set_title(" ")
        self.picture.move(*arrows.values(), rest, curve, marker, right.spines["left"], title)
        self.artists.update(arrows, rest=rest, curve=curve, marker=marker, title=title)

    @styled
    def show(self, a, b, part, angle):
        """Show vectors `a` and `b` of the plane, `part` (of a, along b), and the angle between them in degrees."""
        for name, end in (("a", a), ("b", b), ("part", part)):
            self.artists[name].set_positions((0, 0), tuple(end))
        self.artists["rest"].set_data(*np.array([part, a]).T)
        angles, lengths, product = np.linspace(0, 180, 91), (np.linalg.norm(a), np.linalg.norm(b)), np.dot(a, b)
        self.artists["curve"].set_data(angles, lengths[0] * lengths[1] * np.cos(np.radians(angles)))
        self.artists["marker"].set_data([angle], [product])
        self.artists["title"].set_text(PRODUCT_TITLE.format(angle=angle, product=product))
        rest = np.linalg.norm(np.subtract(a, part))
        self.picture.alt = ALT_PROJECTION.format(
            a=lengths[0], b=lengths[1], angle=angle, x=part[0], y=part[1], rest=rest, product=product
        )


@dataclass(frozen=True)
class DimensionView:
    """Histograms of the angles between random vectors, and of their lengths, for one dimension."""

    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.2))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the histograms, whose bins stay, and the curve of the exact density."""
        left, right = self.picture.subplots(1, 2)
        panels = {"angles": (left, np.linspace(0, 180, N_BINS + 1)), "lengths": (right, np.linspace(0, 3, 91))}
        for (name, (axes, edges)), color in zip(panels.items(), COLORS, strict=False):
            self.artists[name] = axes.stairs(np.zeros(len(edges) - 1), edges, fill=True, color=color, alpha=0.7)
            axes.set(yticks=[], ylim=(0, 1.15))
            axes.spines["left"].set_visible(False)
        (curve,) = left.plot([0, 180], [0, 0], color=PALETTE["ink"], linewidth=1.5)
        left.set(xlabel=ANGLE_AXIS, xlim=(0, 180), xticks=[0, 45, 90, 135, 180])
        right.set(xlabel=LENGTH_AXIS, xlim=(0, 3), xticks=[0, 1, 2, 3], title=LENGTHS_TITLE)
        self.picture.legend(
            [self.artists["angles"], curve], [SAMPLED, EXACT_DENSITY], loc="outside lower left", ncols=2
        )
        title = left.set_title(" ")
        spines = left.spines["bottom"], right.spines["bottom"]
        self.picture.move(self.artists["angles"], curve, self.artists["lengths"], title, *spines)
        self.artists.update(curve=curve, title=title)

    @styled
    def show(self, d, angles, density, lengths):
        """Show one dimension.

        Parameters
        ----------
        d : int
        angles : (n,) array
            Between random vectors, in degrees.
        density : pair of (n_points,) arrays
            Angles in degrees, and the exact density there.
        lengths : (n,) array
            Of random vectors, divided by √d.
        """
        tallest = self._set_bars("angles", angles)
        places, heights = density
        self.artists["curve"].set_data(places, heights / tallest)
        self._set_bars("lengths", lengths)
        mean, spread = np.mean(angles), np.std(angles)
        self.artists["title"].set_text(ANGLES_TITLE.format(d=d, mean=mean, spread=spread))
        self.picture.alt = ALT_ANGLES.format(d=d, mean=mean, spread=spread, length=np.std(lengths))

    def _set_bars(self, name, values):
        """Give a histogram its bars, the tallest 1 high; returns how high that one would be as a density."""
        edges = self.artists[name].get_data().edges
        heights, _ = np.histogram(values, edges, density=True)
        self.artists[name].set_data(heights / heights.max())
        return heights.max()


@dataclass(frozen=True)
class MapView:
    """A square grid, the unit square and the unit vectors, before and after a 2 × 2 map."""

    lines: np.ndarray  # (n_lines, n_points, 2): of the grid
    picture: LivePicture = field(default_factory=lambda: LivePicture(7, 3.7))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Draw the plane as it is, which stays, and once more to be moved."""
        left, right = self.picture.subplots(1, 2)
        for axes in (left, right):
            plane(axes, around(ROOM))
            square = axes.add_patch(Polygon(unit_square(np.eye(2)), facecolor=PALETTE["orange"], alpha=0.5))
            grid = draw_grid(axes, self.lines)
            arrows = [arrow(axes, end, color) for end, color in zip(np.eye(2), COLORS, strict=False)]
        left.set_title(BEFORE_TITLE)
        title = right.set_title(" ")
        self.picture.move(*grid, square, *arrows, title)
        self.artists.update(grid=grid, square=square, arrows=arrows, title=title)

    @styled
    def show(self, matrix, moved_lines, determinant):
        """Show what a matrix `(2, 2)` does to rows: the grid `(n_lines, n_points, 2)` after it, and the determinant."""
        for line, points in zip(self.artists["grid"], moved_lines, strict=True):
            line.set_data(*points.T)
        for head, end in zip(self.artists["arrows"], matrix, strict=True):
            head.set_positions((0, 0), tuple(end))
        self.artists["square"].set_xy(unit_square(matrix))
        self.artists["title"].set_text(AFTER_TITLE.format(area=abs(determinant)))
        (a, b), (c, d) = matrix
        self.picture.alt = ALT_MAP.format(a=a, b=b, c=c, d=d, area=abs(determinant))
