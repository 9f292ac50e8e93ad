"""The figures on vector spaces: arrows and what they measure, bases, maps of the plane, distances, high dimensions."""

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.ticker import MultipleLocator, NullLocator

from helpers.figures.matrix import SMALL, draw_matrix, name_axes, strongest_looks
from helpers.style import PALETTE, Picture, readable, styled

COLORS = [PALETTE[name] for name in ("blue", "vermilion", "green", "purple", "orange", "sky")]
STYLES = ["-", "--", "-.", ":"]
QUERY_COLOR, KEY_COLOR, PART_COLOR, REST_COLOR = (PALETTE[name] for name in ("blue", "vermilion", "green", "purple"))

ARROWS_TITLE = "向量"
PRODUCTS_TITLE = "两两的内积"
NORMS_TITLE = "长度为 1 的向量：三种范数"
PROJECTION_TITLE = "{a} 投影到 {b} 上"
PART, REST = "投影", "残差"
STEP_TITLES = ("原来的两个向量", "减去投影", "除以长度")
GIVEN_NAMES, BASIS_NAMES = ("$v_1$", "$v_2$"), ("$q_1$", "$q_2$")
COORDINATES_TITLE = "{name}：坐标 ({first:g}, {second:g})"
MAP_TITLE = "{name}\n面积 × {area:.2g}"
SINGULAR_AXES = {"xlabel": "第几个", "ylabel": "奇异值"}
CLOSER_TITLE = "{measure}：{name} 最近"
COSINE_AXIS, DENSITY_AXIS, D_AXIS, SPREAD_AXIS = "余弦", "密度", "维数 d", "余弦的标准差"
COSINES_TITLE, SPREAD_TITLE = "随机向量之间的余弦", "分散的程度"
DIMENSION_NAME = "d = {}"
MEASURED, THEORY = "测得", "理论 1/√d"
ANALOGY_TITLE = "同样的差，同样的箭头"
FORM_TITLES = ("x", "M = w_q w_kᵀ", "x M xᵀ：分数")
PLANE_TITLE, SCORES_TITLE, WEIGHTS_TITLE = "q 和 k 在同一个空间里", "q kᵀ：内积", "÷ √d_k，softmax：权重"
QUERY_NAME, KEY_NAME = "q {}", "k {}"

ALT_PRODUCTS = "左：{n} 个平面上的箭头。右：它们两两内积的表。{parts}。"
ALT_PRODUCTS_PART = "{a}·{b} = {value:.2f}"
ALT_NORMS = "平面上三条围住原点的线，线上每一点的范数都是 1：{parts}。一个箭头指向 ({x:.2f}, {y:.2f})。"
ALT_NORMS_PART = "{name} 在对角线方向离原点 {reach:.2f}"
ALT_PROJECTIONS = (
    "两幅图，同样的 a 和 b。左：a 投影到 b 上，长 {left:.2f}。右：b 投影到 a 上，长 {right:.2f}。残差都与投影垂直。"
)
ALT_STEPS = (
    "三幅图。左：v1 和 v2，夹角 {before:.0f} 度。中：v2 减去它在 q1 上的投影。"
    "右：q1 和 q2，长度都是 1，夹角 {after:.0f} 度。"
)
ALT_BASES = "同一个箭头 ({x:g}, {y:g})，画在 {n} 套格子里。{parts}。"
ALT_BASES_PART = "{name}的坐标是 ({first:g}, {second:g})"
ALT_MAPS = "{n} 个矩阵怎样移动平面上的格子和单位正方形。{parts}。"
ALT_MAPS_PART = "{name}：面积变成 {area:.2g} 倍"
ALT_SINGULAR = "点图：{parts}。"
ALT_SINGULAR_PART = "{name}有 {count} 个不为 0 的奇异值，共 {n} 个"
ALT_MEASURES = "同样的查询和 {n} 个点，三种量法的等高线。{parts}。"
ALT_MEASURES_PART = "用{measure}，最近的是 {name}"
ALT_COSINES = (
    "左：随机向量之间余弦的直方图，维数越高越挤在 0 附近。右：标准差随维数下降，与 1/√d 最多差 {error:.0%}。{parts}。"
)
ALT_COSINES_PART = "d = {d} 时标准差 {spread:.3f}"
ALT_ANALOGY = "平面上的 {n} 个词。{parts}。"
ALT_ANALOGY_PART = "从 {start} 到 {end} 的箭头是 ({x:.1f}, {y:.1f})"
ALT_FORM = "三幅热力图：x {x}、M {form}、分数 {scores}。{looks}。"
ALT_PLANE = "左：{n} 个词的查询和键画成平面上的箭头，零向量不画。中：它们的内积。右：权重，{looks}。"


def plane(axes, view, ticks=True):
    """Make a panel a piece of the plane, as large to the right as up; `view` is (left, right, bottom, top)."""
    axes.axhline(0, color=PALETTE["muted"], linewidth=0.8, zorder=0)
    axes.axvline(0, color=PALETTE["muted"], linewidth=0.8, zorder=0)
    axes.set(xlim=view[:2], ylim=view[2:], aspect="equal")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=SMALL)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(1) if ticks else NullLocator())


def arrow(axes, end, color, start=(0.0, 0.0), style="-", width=2.2):
    """Draw one arrow; returns it, to be moved by `set_positions`."""
    head = FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=13, shrinkA=0, shrinkB=0, color=color, linewidth=width
    )
    head.set(linestyle=style, joinstyle="miter", clip_on=False)
    return axes.add_patch(head)


def name_arrow(axes, end, name, color, apart=0.1):
    """Write a name just beyond the end of an arrow from the origin; `apart` in parts of the panel's width."""
    length = np.hypot(*end)
    direction = np.asarray(end, dtype=float) / length if length > 0 else np.array([0.0, 1.0])
    place = np.asarray(end) + direction * apart * np.ptp(axes.get_xlim())
    return axes.text(*place, name, color=readable(color), ha="center", va="center")


def _arrows(axes, vectors, names, colors=COLORS, apart=0.07):
    for vector, name, color in zip(vectors, names, colors, strict=False):
        arrow(axes, vector, color)
        name_arrow(axes, vector, name, color, apart)


def around(limit):
    """Return the view of a square with the origin in its middle."""
    return -limit, limit, -limit, limit


def view_of(*points, margin=0.18):
    """Return the smallest view that holds the origin and all points `(..., 2)`, with a margin for names."""
    ends = np.concatenate([np.zeros((1, 2)), *(np.reshape(group, (-1, 2)) for group in points)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    room = margin * (high - low).max()
    (left, bottom), (right, top) = low - room, high + room
    return left, right, bottom, top


def line_sample(color, style="-", width=2.2):
    """Return a short line for a legend: an arrow's own sample would be a box."""
    return Line2D([], [], color=color, linestyle=style, linewidth=width)


@styled
def draw_inner_products(vectors, names, products):
    """Draw vectors of the plane as arrows, and beside them the table of their inner products.

    Parameters
    ----------
    vectors : (n, 2) array
    names : list of str
    products : (n, n) array

    Returns
    -------
    Picture
    """
    products = np.asarray(products, dtype=float)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))][:6]
    parts = "；".join(ALT_PRODUCTS_PART.format(a=names[i], b=names[j], value=products[i, j]) for i, j in pairs)
    picture = Picture(6.6, 3.2, ALT_PRODUCTS.format(n=len(names), parts=parts))
    left, right = picture.subplots(1, 2)
    plane(left, view_of(vectors))
    _arrows(left, vectors, names)
    left.set_title(ARROWS_TITLE)
    draw_matrix(right, products, names, names, signed=True)
    right.set_title(PRODUCTS_TITLE)
    return picture


@styled
def draw_norms(vector, outlines):
    """Draw, for several norms, all vectors of norm 1, and one vector to compare.

    Parameters
    ----------
    vector : (2,) array
    outlines : dict of str to (n_points, 2) array
        The name of each norm, and the points around the origin whose norm is 1, from the x axis on.

    Returns
    -------
    Picture
    """
    reaches = {name: np.linalg.norm(points[len(points) // 8]) for name, points in outlines.items()}
    parts = "，".join(ALT_NORMS_PART.format(name=name, reach=reach) for name, reach in reaches.items())
    picture = Picture(5, 3.4, ALT_NORMS.format(parts=parts, x=vector[0], y=vector[1]))
    axes = picture.subplots()
    plane(axes, around(1.2))
    for (name, points), color, style in zip(outlines.items(), COLORS, STYLES, strict=False):
        axes.plot(*np.asarray(points).T, color=color, linestyle=style, linewidth=2, label=name)
    arrow(axes, vector, PALETTE["ink"])
    axes.set_title(NORMS_TITLE)
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return picture


@styled
def draw_projections(a, b, a_onto_b, b_onto_a):
    """Draw the same two vectors twice: the first projected onto the second, and the other way round.

    Parameters
    ----------
    a, b, a_onto_b, b_onto_a : (2,) arrays

    Returns
    -------
    Picture
    """
    lengths = [np.linalg.norm(part) for part in (a_onto_b, b_onto_a)]
    picture = Picture(6.6, 3.4, ALT_PROJECTIONS.format(left=lengths[0], right=lengths[1]))
    panels, view = picture.subplots(1, 2), view_of(a, b, a_onto_b, b_onto_a)
    for axes, which in zip(panels, (0, 1), strict=True):
        plane(axes, view)
        tip, part = ((a, a_onto_b), (b, b_onto_a))[which]
        _arrows(axes, (a, b), "ab", (QUERY_COLOR, KEY_COLOR))
        arrow(axes, part, PART_COLOR, width=4)
        axes.plot(*np.array([part, tip]).T, color=REST_COLOR, linestyle="--", linewidth=2)
        axes.set_title(PROJECTION_TITLE.format(a="ab"[which], b="ba"[which]))
    handles = [line_sample(PART_COLOR, width=4), line_sample(REST_COLOR, "--")]
    picture.legend(handles, [PART, REST], loc="outside lower center", ncols=2)
    return picture


@styled
def draw_gram_schmidt(vectors, part, basis):
    """Draw Gram and Schmidt's two steps in the plane: take the projection off, then divide by the length.

    Parameters
    ----------
    vectors : (2, 2) array
        One vector a row.
    part : (2,) array
        The projection of the second onto the first.
    basis : (2, 2) array
        The orthonormal rows that come out.

    Returns
    -------
    Picture
    """
    vectors, part, basis = (np.asarray(array, dtype=float) for array in (vectors, part, basis))
    alt = ALT_STEPS.format(before=_degrees(*vectors), after=_degrees(*basis))
    picture = Picture(7, 2.8, alt)
    view = view_of(vectors, vectors[1] - part, margin=0.25)
    panels = picture.subplots(1, 3)
    for axes, title in zip(panels, STEP_TITLES, strict=True):
        plane(axes, view)
        axes.set_title(title)
    _arrows(panels[0], vectors, GIVEN_NAMES)
    arrow(panels[1], vectors[1], PALETTE["muted"])
    name_arrow(panels[1], vectors[1], GIVEN_NAMES[1], PALETTE["muted"], 0.07)
    panels[1].plot(*np.array([vectors[1], vectors[1] - part]).T, color=PALETTE["muted"], linestyle=":")
    arrow(panels[1], part, PART_COLOR, width=3)
    arrow(panels[1], vectors[1] - part, REST_COLOR, style="--")
    name_arrow(panels[1], part, PART, PART_COLOR, 0.15)
    name_arrow(panels[1], vectors[1] - part, REST, REST_COLOR, 0.08)
    _arrows(panels[2], basis, BASIS_NAMES, apart=0.09)
    return picture


def _degrees(a, b):
    return np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1)))


@styled
def draw_bases(vector, bases, coordinates, lines):
    """Draw one vector on the grids of several bases, and the way to its end along each basis.

    Parameters
    ----------
    vector : (2,) array
    bases : dict of str to (2, 2) array
        The name of each basis, and its two vectors as rows.
    coordinates : list of (2,) arrays
    lines : (n_lines, n_points, 2) array
        The lines of a square grid.

    Returns
    -------
    Picture
    """
    named = list(zip(bases, coordinates, strict=True))
    parts = "；".join(ALT_BASES_PART.format(name=name, first=c[0], second=c[1]) for name, c in named)
    picture = Picture(3.4 * len(bases), 3.5, ALT_BASES.format(x=vector[0], y=vector[1], n=len(bases), parts=parts))
    view = view_of(vector, *(np.multiply(c, np.transpose(bases[name])).T for name, c in named), margin=0.3)
    for axes, (name, (first, second)) in zip(picture.subplots(1, len(bases), squeeze=False)[0], named, strict=True):
        basis = np.asarray(bases[name], dtype=float)
        plane(axes, view, ticks=False)
        draw_grid(axes, lines @ basis)
        corner = first * basis[0]
        arrow(axes, corner, PART_COLOR)
        arrow(axes, corner + second * basis[1], REST_COLOR, start=corner)
        arrow(axes, vector, PALETTE["ink"], width=3)
        axes.set_title(COORDINATES_TITLE.format(name=name, first=first, second=second).replace("-", "−"))
    return picture


def draw_grid(axes, lines):
    """Draw the lines `(n_lines, n_points, 2)` of a grid; returns them, to be moved by `set_data`."""
    return [axes.plot(*line.T, color=PALETTE["sky"], linewidth=0.8, zorder=0)[0] for line in np.asarray(lines)]


@styled
def draw_maps(matrices, areas, lines):
    """Draw what 2 × 2 matrices do to the plane: a grid, the unit square and the two unit vectors, moved.

    Parameters
    ----------
    matrices : dict of str to (2, 2) array
        A map takes a row `x` to `x @ matrix`, so that the rows say where the unit vectors go.
    areas : list of float
        By what each map multiplies areas.
    lines : (n_lines, n_points, 2) array
        The lines of a square grid, not yet moved.

    Returns
    -------
    Picture
    """
    areas = dict(zip(matrices, areas, strict=True))
    parts = "；".join(ALT_MAPS_PART.format(name=name, area=area) for name, area in areas.items())
    picture = Picture(7, 2.0, ALT_MAPS.format(n=len(matrices), parts=parts))
    for axes, (name, matrix) in zip(picture.subplots(1, len(matrices)), matrices.items(), strict=True):
        plane(axes, around(2.3), ticks=False)
        draw_grid(axes, lines @ np.asarray(matrix))
        axes.add_patch(Polygon(unit_square(matrix), facecolor=PALETTE["orange"], alpha=0.5))
        for end, color in zip(matrix, COLORS, strict=False):
            arrow(axes, end, color)
        axes.set_title(MAP_TITLE.format(name=name, area=areas[name]))
    return picture


def unit_square(matrix):
    """Return where the corners of the unit square go, `(4, 2)`."""
    return np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) @ np.asarray(matrix, dtype=float)


@styled
def draw_singular_values(values):
    """Draw the singular values of several matrices side by side: how many directions each of them keeps.

    Parameters
    ----------
    values : dict of str to (n,) array
        In falling order.

    Returns
    -------
    Picture
    """
    counts = {name: int((np.asarray(v) > 1e-9).sum()) for name, v in values.items()}
    parts = "；".join(ALT_SINGULAR_PART.format(name=n, count=c, n=len(values[n])) for n, c in counts.items())
    picture = Picture(6, 2.8, ALT_SINGULAR.format(parts=parts))
    axes = picture.subplots()
    for (name, v), color, marker in zip(values.items(), COLORS, "os^D", strict=False):
        axes.plot(range(1, len(v) + 1), v, marker, color=color, label=name, markersize=6)
    axes.set(xticks=range(1, 1 + max(map(len, values.values()))), **SINGULAR_AXES)
    axes.axhline(0, color=PALETTE["muted"], linewidth=0.8, zorder=0)
    axes.legend()
    return picture


@styled
def draw_measures(points, names, query, side, closeness, nearest):
    """Draw which point is nearest to a query by several measures, with each measure's contour lines.

    Parameters
    ----------
    points : (n, 2) array
    names : list of str
    query : (2,) array
    side : (n_side,) array
        The coordinates of the grid, along both axes.
    closeness : dict of str to (n_side, n_side) array
        The name of each measure, and its value at `[y, x]`.
    nearest : list of int
        For each measure, which point it holds nearest.

    Returns
    -------
    Picture
    """
    chosen = list(zip(closeness.items(), nearest, strict=True))
    parts = "；".join(ALT_MEASURES_PART.format(measure=measure, name=names[best]) for (measure, _), best in chosen)
    picture = Picture(7, 2.7, ALT_MEASURES.format(n=len(names), parts=parts))
    for axes, ((measure, values), best) in zip(picture.subplots(1, len(chosen)), chosen, strict=True):
        axes.contour(side, side, values, levels=9, colors=PALETTE["sky"], linewidths=0.9, linestyles="solid", zorder=0)
        axes.set(xlim=(0, side[-1]), ylim=(0, side[-1]), aspect="equal", xticks=[0, 2, 4], yticks=[0, 2, 4])
        arrow(axes, query, PALETTE["ink"])
        for i, (point, name) in enumerate(zip(points, names, strict=True)):
            color = PALETTE["vermilion"] if i == best else PALETTE["muted"]
            axes.plot(*point, "o", color=color, markersize=10 if i == best else 6)
            label = axes.annotate(name, point, xytext=(6, 5), textcoords="offset points", color=readable(color))
            label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # no contour line through the name
        axes.set_title(CLOSER_TITLE.format(measure=measure, name=names[best]), fontsize=10)
    return picture


@styled
def draw_high_dimensions(cosines, dimensions, spreads):
    """Draw the cosines of random vectors: histograms for a few dimensions, and the spread over the dimension.

    Parameters
    ----------
    cosines : dict of int to (n,) array
        The dimension, and cosines between random vectors of it.
    dimensions : (n_dimensions,) array
    spreads : (n_dimensions,) array
        The measured standard deviation of the cosine.

    Returns
    -------
    Picture
    """
    dimensions, spreads = np.asarray(dimensions), np.asarray(spreads, dtype=float)
    parts = "；".join(ALT_COSINES_PART.format(d=d, spread=np.std(values)) for d, values in cosines.items())
    error = np.abs(spreads * np.sqrt(dimensions) - 1).max()
    picture = Picture(7, 3, ALT_COSINES.format(error=error, parts=parts))
    left, right = picture.subplots(1, 2)
    for (d, values), color, style in zip(cosines.items(), COLORS, STYLES, strict=False):
        density, edges = np.histogram(values, np.linspace(-1, 1, 81), density=True)
        left.stairs(density, edges, color=color, linestyle=style, linewidth=1.8, label=DIMENSION_NAME.format(d))
    left.set(title=COSINES_TITLE, xlabel=COSINE_AXIS, ylabel=DENSITY_AXIS)
    left.legend()
    right.loglog(dimensions, 1 / np.sqrt(dimensions), "--", color=PALETTE["muted"], label=THEORY)
    right.loglog(dimensions, spreads, "o", color=PALETTE["vermilion"], markersize=5, label=MEASURED)
    right.set(title=SPREAD_TITLE, xlabel=D_AXIS, ylabel=SPREAD_AXIS)
    right.set_xticks([1, 10, 100, 1000])
    right.set_yticks([0.03, 0.1, 0.3, 1])
    right.xaxis.set_major_formatter("{x:g}")
    right.yaxis.set_major_formatter("{x:g}")
    right.minorticks_off()
    right.legend()
    return picture


@styled
def draw_analogy(vectors, names, pairs, axis_names):
    """Draw words as points of the plane, and arrows between pairs of them.

    Parameters
    ----------
    vectors : (n, 2) array
    names : list of str
    pairs : list of (int, int)
        From which word to which an arrow goes.
    axis_names : pair of str

    Returns
    -------
    Picture
    """
    vectors = np.asarray(vectors, dtype=float)
    steps = [(names[i], names[j], *(vectors[j] - vectors[i])) for i, j in pairs]
    parts = "；".join(ALT_ANALOGY_PART.format(start=a, end=b, x=x, y=y) for a, b, x, y in steps)
    picture = Picture(5, 3.4, ALT_ANALOGY.format(n=len(names), parts=parts))
    axes = picture.subplots()
    for (i, j), color in zip(pairs, COLORS, strict=False):
        arrow(axes, vectors[j], color, start=vectors[i])
    axes.plot(*vectors.T, "o", color=PALETTE["ink"], markersize=6)
    for vector, name in zip(vectors, names, strict=True):
        axes.annotate(name, vector, xytext=(7, 7), textcoords="offset points")
    axes.margins(0.2)
    axes.locator_params(nbins=5)
    axes.set(title=ANALOGY_TITLE, xlabel=axis_names[0], ylabel=axis_names[1])
    return picture


@styled
def draw_bilinear_form(x, form, scores, tokens):
    """Draw scores as a form of the tokens themselves: `x`, the one matrix between, and `x M xᵀ`.

    Parameters
    ----------
    x : (seq_len, d_model) array
    form : (d_model, d_model) array
    scores : (seq_len, seq_len) array
    tokens : list of str

    Returns
    -------
    Picture
    """
    scores = np.asarray(scores, dtype=float)
    looks = strongest_looks(scores, tokens, tokens)
    shapes = {"x": np.shape(x), "form": np.shape(form), "scores": scores.shape}
    picture = Picture(7, 2.7, ALT_FORM.format(looks=looks, **shapes))
    panels = picture.subplots(1, 3)
    draw_matrix(panels[0], x, tokens, [], signed=True, decimals=1)
    draw_matrix(panels[1], form, [], [], signed=True, decimals=1)
    draw_matrix(panels[2], scores, tokens, tokens, signed=True, decimals=1)
    for axes, title in zip(panels, FORM_TITLES, strict=True):
        axes.set_title(title)
    return picture


@styled
def draw_query_key_plane(q, k, scores, weights, tokens):
    """Draw attention as geometry: queries and keys as arrows of one plane, their inner products, the weights.

    Parameters
    ----------
    q, k : (seq_len, 2) arrays
    scores : (seq_len, seq_len) array
        Inner products, not scaled.
    weights : (seq_len, seq_len) array
    tokens : list of str

    Returns
    -------
    Picture
    """
    looks = strongest_looks(weights, tokens, tokens)
    picture = Picture(7.2, 2.8, ALT_PLANE.format(n=len(q), looks=looks))
    left, middle, right = picture.subplots(1, 3, width_ratios=[1.25, 1, 1])
    plane(left, view_of(q, k, margin=0.22), ticks=False)
    for vectors, color, name, style in ((q, QUERY_COLOR, QUERY_NAME, "-"), (k, KEY_COLOR, KEY_NAME, "--")):
        for vector, token in zip(vectors, tokens, strict=True):
            if not np.any(vector):
                continue  # no direction, no arrow
            arrow(left, vector, color, style=style)
            name_arrow(left, vector, name.format(token), color, 0.09)
    draw_matrix(middle, scores, tokens, tokens, signed=True)
    draw_matrix(right, weights, tokens, tokens, limit=1.0)
    for axes, title in ((left, PLANE_TITLE), (middle, SCORES_TITLE), (right, WEIGHTS_TITLE)):
        axes.set_title(title, fontsize=10)
    name_axes(middle)
    name_axes(right)
    return picture
