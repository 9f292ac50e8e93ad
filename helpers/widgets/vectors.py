"""The explorers on vector spaces: a projection, random directions, a map of the plane; each returns an `Explorer`."""

import ipywidgets
import numpy as np

from helpers.figures.vector_views import DimensionView, MapView, ProjectionView
from helpers.reference.high_dimensions import cosine_density, random_cosines
from helpers.reference.linear_maps import describe_map, grid_lines, map_points
from helpers.reference.vectors import cosine, inner, norm, polar, project
from helpers.widgets.explorer import Explorer

LENGTH_A, LENGTH_B, ANGLE, TURN = "a 的长度", "b 的长度", "夹角（度）", "一起转（度）"
DIMENSION, SEED = "维数 d", "随机种子"
ENTRY = "第 {row} 行第 {column} 个"
DIMENSIONS = [2, 3, 5, 8, 16, 32, 64, 128, 256, 512, 1024]
N_PAIRS = 2000  # as many as a slider can wait for in 1024 dimensions
PRESETS = {  # rows: where (1, 0) and (0, 1) go
    "不动": ((1.0, 0.0), (0.0, 1.0)),
    "旋转": ((0.8, 0.6), (-0.6, 0.8)),
    "拉伸": ((1.5, 0.0), (0.0, 0.5)),
    "错切": ((1.0, 0.0), (1.0, 1.0)),
    "翻面": ((-1.0, 0.0), (0.0, 1.0)),
    "压到一条线": ((0.5, 0.5), (0.5, 0.5)),
}

PROJECTION_SENTENCE = (
    "内积 {product:.2f}，余弦 {cosine:.2f}。a 在 b 上的投影长 {part:.2f}，"
    "残差长 {rest:.2f}，残差与 b 的内积 {check:.2f}。{side}"
)
SIDES = {
    1: "夹角小于 90 度，内积为正。",
    0: "互相垂直：投影是零向量，残差就是 a。",
    -1: "夹角大于 90 度：投影指向 b 的反方向。",
}
DIMENSION_SENTENCE = (
    "{d} 维：余弦的标准差 {spread:.3f}，1/√d = {theory:.3f}；夹角离 90 度不到 10 度的有 {near:.0%}。"
    "长度的标准差是平均长度的 {length:.1%}。"
)
MAP_SENTENCE = "行列式 {determinant:.2f}，奇异值 {first:.2f} 和 {second:.2f}，秩 {rank}。{what}"
MAP_KINDS = {
    "flat": "压扁了：不同的点落到同一个点，回不去了。",
    "flipped": "行列式是负的：左右翻了面。",
    "plain": "没有压扁，也没有翻面：可以原路返回。",
}


def projection_explorer():
    """Explore the projection of one vector of the plane onto another, by lengths and angle.

    Returns
    -------
    Explorer
        Controls `length_a`, `length_b`, `angle`, `turn`.
    """
    controls = {
        "length_a": _float_slider(2.5, 0.1, 3.0, LENGTH_A),
        "length_b": _float_slider(2.0, 0.1, 3.0, LENGTH_B),
        "angle": ipywidgets.IntSlider(value=50, min=0, max=180, step=5, description=ANGLE),
        "turn": ipywidgets.IntSlider(value=10, min=0, max=180, step=10, description=TURN),
    }
    view = ProjectionView()

    def update(length_a, length_b, angle, turn):
        a, b = polar(length_a, turn + angle), polar(length_b, turn)
        part = project(a, b)
        view.show(a, b, part, angle)
        return PROJECTION_SENTENCE.format(
            product=_rounded(inner(a, b)),
            cosine=_rounded(cosine(a, b)),
            part=norm(part),
            rest=norm(a - part),
            check=abs(inner(a - part, b)),
            side=SIDES[int(np.sign(90 - angle))],
        )

    return Explorer(view.picture, _wide(controls), update)


def dimension_explorer():
    """Explore how random directions come to stand at right angles as the dimension grows.

    Returns
    -------
    Explorer
        Controls `d`, `seed`.
    """
    controls = {
        "d": ipywidgets.SelectionSlider(options=DIMENSIONS, value=3, description=DIMENSION),
        "seed": ipywidgets.IntSlider(value=0, min=0, max=20, description=SEED),
    }
    view = DimensionView()

    def update(d, seed):
        rng = np.random.default_rng(seed)
        cosines = random_cosines(d, N_PAIRS, rng)
        lengths = np.sqrt(rng.chisquare(d, N_PAIRS) / d)  # as of d standard normal numbers, which need not be drawn
        angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
        view.show(d, angles, angle_density(d), lengths)
        return DIMENSION_SENTENCE.format(
            d=d,
            spread=cosines.std(),
            theory=1 / np.sqrt(d),
            near=(np.abs(angles - 90) < 10).mean(),
            length=lengths.std() / lengths.mean(),
        )

    return Explorer(view.picture, _wide(controls), update)


def angle_density(d):
    """Return angles in degrees and the exact density of the angle between two random directions there.

    Parameters
    ----------
    d : int
        At least 2.

    Returns
    -------
    angles, density : (n_points,) arrays

    Examples
    --------
    >>> angles, density = angle_density(5)
    >>> bool(np.isclose((density * (angles[1] - angles[0])).sum(), 1))
    True
    """
    angles = np.linspace(0.25, 179.75, 360)  # the middles of half degrees
    radians = np.radians(angles)
    return angles, cosine_density(np.cos(radians), d) * np.sin(radians) * np.pi / 180


def map_explorer():
    """Explore what a 2 × 2 matrix does to the plane; buttons set well-known matrices.

    Returns
    -------
    Explorer
        Controls `m00`, `m01`, `m10`, `m11`, and a button for each of `PRESETS`, by its name.
    """
    places = [(row, column) for row in range(2) for column in range(2)]
    entries = {
        f"m{row}{column}": _float_slider(PRESETS["错切"][row][column], -2.0, 2.0, ENTRY.format(row=row, column=column))
        for row, column in places
    }
    buttons = {name: ipywidgets.Button(description=name) for name in PRESETS}
    lines = grid_lines(8, 4.0)
    view = MapView(lines)

    def set_entries(matrix):
        for row, column in places:
            entries[f"m{row}{column}"].value = matrix[row][column]

    def update(m00, m01, m10, m11):
        matrix = np.array([[m00, m01], [m10, m11]])
        summary = describe_map(matrix)
        view.show(matrix, map_points(lines, matrix), summary.determinant)
        first, second = summary.singular_values
        kind = "flat" if summary.rank < 2 else "flipped" if summary.determinant < 0 else "plain"
        return MAP_SENTENCE.format(
            determinant=_rounded(summary.determinant),
            first=first,
            second=second,
            rank=summary.rank,
            what=MAP_KINDS[kind],
        )

    handlers = {name: lambda matrix=matrix: set_entries(matrix) for name, matrix in PRESETS.items()}
    return Explorer(view.picture, {**_wide(entries), **buttons}, update, handlers)


def _rounded(value):
    """Round to what is shown, so that nothing reads −0.00."""
    return round(float(value), 2) + 0.0


def _float_slider(value, smallest, largest, description):
    return ipywidgets.FloatSlider(
        value=value, min=smallest, max=largest, step=0.1, readout_format=".1f", description=description
    )


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        control.style.description_width = "8em"
        control.layout.width = "21em"
    return controls
