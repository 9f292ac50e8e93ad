"""The figures of section 4.1: soft look-up, who looks at whom, masks and what they cut, the whole flow of attention."""

import numpy as np
from matplotlib.patches import ConnectionPatch, Rectangle

from helpers.figures.matrix import (
    EXACT,
    SMALL,
    draw_matrix,
    mark_row,
    name_axes,
    short_number,
    strongest_looks,
    token_names,
    write_names,
)
from helpers.style import PALETTE, Picture, styled

TEMPERATURE = "温度 {:g}"
ANSWER = "答案 {:.2f}"
WEIGHT_AXIS = "权重"
MOVED_AXIS = "输出移动的距离"
OUTPUT_AXIS = "输出的位置"
WHERE_ONE_LOOKS = "「{}」看向谁"
WITHOUT_PROJECTIONS = "没有投影：x xᵀ（对称）"
WITH_PROJECTIONS = "有投影：q kᵀ / √d_k（有方向）"
UNCHANGED_BY_FLIP = "沿对角线翻折：不变"
CHANGED_BY_FLIP = "沿对角线翻折：最多变 {:.2f}"
MASK_AXIS = "掩码（圆点可看）"
WEIGHTS_TITLE = "注意力权重"
REACH_TITLE = "{} 层之后"
CHANGED_TITLE = "{}：改动「{}」"
REACH_AXES = {"ylabel": "输出", "xlabel": "输入"}

FLOW_TITLES = {
    "x": "x：输入",
    "q": "q = x w_q",
    "k": "k = x w_k",
    "v": "v = x w_v",
    "raw": "q kᵀ：分数",
    "scaled": "÷ √d_k：缩放",
    "mask": "掩码：谁看得见谁",
    "weights": "softmax：权重",
    "output": "权重 × v：输出",
}

FLOW_PLACES = [["", "q", "raw", "scaled"], ["x", "k", "weights", "mask"], ["", "v", "output", ""]]
FLOW_ARROWS = [  # from panel, to panel, leaving at this border, arriving at that one
    ("x", "q", "top", "left"),
    ("x", "k", "right", "left"),
    ("x", "v", "bottom", "left"),
    ("q", "raw", "right", "left"),
    ("k", "raw", "right", "corner"),
    ("raw", "scaled", "right", "left"),
    ("scaled", "mask", "bottom", "title"),
    ("mask", "weights", "left", "right"),
    ("weights", "output", "bottom", "title"),
    ("v", "output", "right", "left"),
]
BORDERS = {  # places in a panel, in fractions of its width and height; outside it where names or a title stand
    "left": (0, 0.5),
    "right": (1, 0.5),
    "top": (0.5, 1.25),
    "bottom": (0.5, 0),
    "title": (0.5, 1.2),
    "corner": (0, 0.1),
}

ALT_SOFT_LOOKUP = "软字典：每个温度一幅条形图，横轴是 {n} 个键，纵轴是权重。{parts}。"
ALT_SOFT_LOOKUP_PART = "温度 {temperature:g} 时最大权重是「{label}」的 {weight:.2f}{answer}"
ALT_ANSWER = "，答案 {:.2f}"
ALT_WEIGHTS = "{title}热力图，{n} 行查询，{m} 列键。{looks}。"
ALT_ROW = "条形图：「{query}」对 {n} 个键的权重，最大的是「{key}」{weight:.2f}。"
ALT_BEFORE_AFTER = (
    "两幅权重热力图。「{token}」一行：{before}最看「{old}」（{old_weight:.2f}），"
    "{after}最看「{new}」（{new_weight:.2f}）。下方是这一行的条形图。"
)
ALT_SYMMETRY = (
    "两幅热力图。左：x xᵀ，与自己的转置最多相差 {left:.2f}，{self_best} / {n} 个词与自己最像。右：q kᵀ / √d_k，"
    "与自己的转置最多相差 {right:.2f}。"
)
ALT_MASKS = "{n} 种掩码，上排是允许看的格子，下排是所得的权重。{parts}。"
ALT_MASKS_PART = "{name}：{allowed} / {cells} 格允许"
ALT_INFLUENCE = "改动位置 {position} 的输入后，每个输出移动多远。{parts}。"
ALT_INFLUENCE_PART = "{name}：{which}"
ALT_MOVED, ALT_NONE_MOVED = "位置 {} 的输出动了", "没有输出动"
ALT_REACH = "同一掩码叠几层后，每个输出能依赖哪些输入。{parts}。"
ALT_REACH_PART = "{layers} 层：最后一个输出依赖 {count} 个输入"
ALT_FLOW = (
    "自注意力的数据流，从左到右：x {x} 投影成 q、k {q} 和 v {v}；q kᵀ 得分数，除以 √d_k，加掩码，"
    "softmax 得权重 {weights}；权重乘 v 得输出 {output}。{looks}。"
)


@styled
def draw_soft_lookup(labels, weights, temperatures, answers=None):
    """Draw how a dictionary's look-up softens as the temperature rises, one panel of bars per temperature.

    Parameters
    ----------
    labels : list of str
        The names of the n_keys keys.
    weights : (n_temperatures, n_keys) array
    temperatures : (n_temperatures,) array
    answers : (n_temperatures,) array, optional
        The answer that each temperature gives.

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    answers = [None] * len(weights) if answers is None else answers
    picture = Picture(7, 2.6, _alt_soft_lookup(labels, weights, temperatures, answers))
    panels = picture.subplots(1, len(weights), sharey=True, squeeze=False)[0]
    for axes, row, temperature, answer in zip(panels, weights, temperatures, answers, strict=True):
        draw_bars(axes, row, labels, room=40 // len(weights))
        axes.set_title(TEMPERATURE.format(temperature))
        if answer is not None:
            axes.set_xlabel(ANSWER.format(answer))
    panels[0].set_ylabel(WEIGHT_AXIS)
    return picture


def draw_bars(axes, weights, names, room=40):
    """Draw one distribution as bars with their values on top, names below; returns the bars and the value texts."""
    bars = axes.bar(range(len(weights)), weights, color=PALETTE["blue"], width=0.7)
    texts = [
        axes.text(place, weight + 0.02, short_number(weight), ha="center", va="bottom", fontsize=SMALL)
        for place, weight in enumerate(weights)
    ]
    write_names(axes, names, room)
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.set_ylim(0, 1.12)
    axes.set_yticks([0, 0.5, 1])
    return bars, texts


@styled
def draw_weights(weights, tokens, key_tokens=None, title=WEIGHTS_TITLE, marked_row=None):
    """Draw attention weights as a heat map: a query per row, a key per column.

    Parameters
    ----------
    weights : (n_queries, n_keys) array
    tokens : list of str or None
        The queries' tokens; the keys' too unless `key_tokens` is given.
    key_tokens : list of str, optional
    title : str
    marked_row : int, optional
        The row to frame.

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    n_queries, n_keys = weights.shape
    queries = token_names(tokens, n_queries)
    keys = token_names(tokens if key_tokens is None else key_tokens, n_keys)
    looks = strongest_looks(weights, queries, keys)
    picture = Picture(5, 4.2, ALT_WEIGHTS.format(title=title, n=n_queries, m=n_keys, looks=looks))
    axes = picture.subplots()
    image = draw_matrix(axes, weights, queries, keys, limit=1.0)
    name_axes(axes)
    axes.set_title(title)
    if marked_row is not None:
        mark_row(axes, marked_row, n_keys)
    picture.colorbar(image, ax=axes, label=WEIGHT_AXIS, shrink=0.8, ticks=[0, 0.5, 1])
    return picture


@styled
def draw_row(weights, tokens, query):
    """Draw where one query looks, as bars.

    Parameters
    ----------
    weights : (n_keys,) array
    tokens : list of str or None
        The keys' tokens.
    query : str
        The token that asks.

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    names = token_names(tokens, len(weights))
    largest = weights.argmax()
    alt = ALT_ROW.format(query=query, n=len(names), key=names[largest], weight=weights[largest])
    picture = Picture(6, 2.4, alt)
    axes = picture.subplots()
    draw_bars(axes, weights, names)
    axes.set_title(WHERE_ONE_LOOKS.format(query))
    axes.set_ylabel(WEIGHT_AXIS)
    return picture


@styled
def draw_before_after(before, after, tokens, marked_row, titles=("改之前", "改之后")):
    """Draw two heat maps of weights side by side, one row framed, and below them that row as bars.

    Parameters
    ----------
    before, after : (seq_len, seq_len) arrays
    tokens : list of str or None
    marked_row : int
        The row that the reader should compare, say the pronoun's.
    titles : pair of str

    Returns
    -------
    Picture
    """
    pair = np.asarray([before, after], dtype=float)  # (2, n, n)
    names = token_names(tokens, pair.shape[-1])
    picture = Picture(7, 5.6, _alt_before_after(pair[:, marked_row], names, marked_row, titles))
    panels = picture.subplot_mosaic([["before", "after"], ["row", "row"]], height_ratios=[2.1, 1])
    for axes, weights, title in zip((panels["before"], panels["after"]), pair, titles, strict=True):
        draw_matrix(axes, weights, names, names, limit=1.0)
        name_axes(axes)
        axes.set_title(title)
        mark_row(axes, marked_row, len(names))
    _draw_grouped_bars(panels["row"], pair[:, marked_row], names, titles)
    panels["row"].set_title(WHERE_ONE_LOOKS.format(names[marked_row]))
    return picture


def _draw_grouped_bars(axes, rows, names, labels):
    """Draw two distributions `(2, n)` beside each other, told apart by colour, hatch and legend."""
    looks = ({"color": PALETTE["muted"]}, {"color": PALETTE["blue"]})
    for shift, row, label, look in zip((-0.2, 0.2), rows, labels, looks, strict=True):
        bars = axes.bar(np.arange(len(names)) + shift, row, width=0.38, label=label, **look)
        axes.bar_label(bars, [short_number(weight) for weight in row], fontsize=SMALL, padding=1)
    write_names(axes, names, room=40)
    axes.set_ylim(0, max(rows.max() * 1.25, 0.1))
    axes.set_ylabel(WEIGHT_AXIS)
    axes.legend(ncols=2)


@styled
def draw_symmetry(similarity, scores, tokens):
    """Draw `x @ x.T`, symmetric and largest on its diagonal, beside the scores of projected queries and keys.

    Parameters
    ----------
    similarity : (seq_len, seq_len) array
        Without projections.
    scores : (seq_len, seq_len) array
        With `w_q` and `w_k`.
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    pair = [np.asarray(matrix, dtype=float) for matrix in (similarity, scores)]
    names = token_names(tokens, len(pair[0]))
    picture = Picture(7, 4.1, _alt_symmetry(*pair))
    picture.get_layout_engine().set(h_pad=0.1)  # titles of two lines move up after the layout is made
    for axes, matrix, title in zip(picture.subplots(1, 2), pair, (WITHOUT_PROJECTIONS, WITH_PROJECTIONS), strict=True):
        draw_matrix(axes, matrix, names, names, signed=True, decimals=1)
        name_axes(axes)
        axes.set_title(f"{title}\n{_symmetry_note(matrix)}")
        _frame_diagonal(axes, len(names))
    return picture


def _symmetry_note(matrix):
    return UNCHANGED_BY_FLIP if _asymmetry(matrix) < EXACT else CHANGED_BY_FLIP.format(_asymmetry(matrix))


def _frame_diagonal(axes, n_cells):
    for place in range(n_cells):
        axes.add_patch(Rectangle((place - 0.5, place - 0.5), 1, 1, fill=False, edgecolor=PALETTE["ink"], linewidth=1))


def _asymmetry(matrix):
    """Largest difference between a square matrix and its transpose."""
    return np.abs(matrix - matrix.T).max()


@styled
def draw_masks(masks, weights, names, tokens=None):
    """Draw several masks side by side and, below each, the weights that it leaves.

    Parameters
    ----------
    masks : list of (n_queries, n_keys) bool arrays
        True = this query may look at this key.
    weights : list of (n_queries, n_keys) arrays
    names : list of str
        What each mask is called.
    tokens : list of str, optional

    Returns
    -------
    Picture
    """
    masks = [np.asarray(mask, dtype=bool) for mask in masks]
    width = min(7.0, 0.4 + 2.4 * len(masks))
    side = (width - 0.3) / len(masks) - 0.5  # inches that are left for one matrix beside its row names
    picture = Picture(width, 2 * side + 0.9, _alt_masks(masks, names))
    panels = picture.subplots(2, len(masks), squeeze=False)
    for (upper, lower), mask, weight, name in zip(panels.T, masks, weights, names, strict=True):
        cells = token_names(tokens, mask.shape[1])
        draw_mask(upper, mask, cells)
        upper.set_title(name)
        draw_matrix(lower, weight, cells, [], limit=1.0, numbers=mask.shape[1] * len(masks) <= 16)
    panels[0, 0].set_ylabel(MASK_AXIS)
    panels[1, 0].set_ylabel(WEIGHTS_TITLE)
    return picture


def draw_mask(axes, mask, names):
    """Draw a mask: a dot where a query may look, an empty dark cell where it may not; returns image and dots."""
    mask = np.asarray(mask, dtype=bool)
    image = draw_matrix(axes, mask, names, names, limit=1.0, numbers=False, stacked=True)
    image.set_cmap("Greys_r")
    image.set_clim(-0.8, 1.0)  # forbidden is grey, not black
    rows, columns = np.nonzero(mask)
    (dots,) = axes.plot(columns, rows, "o", color=PALETTE["blue"], markersize=4)
    return image, dots


@styled
def draw_influence(moved, names, position, tokens=None):
    """Draw how far every output moves when one input is changed, a panel per mask.

    Parameters
    ----------
    moved : (n_masks, seq_len) array
    names : list of str
        What each mask is called.
    position : int
        Which input was changed.
    tokens : list of str, optional

    Returns
    -------
    Picture
    """
    moved = np.asarray(moved, dtype=float)
    places = token_names(tokens, moved.shape[1])
    picture = Picture(7, 0.5 + 1.25 * len(moved), _alt_influence(moved, names, position))
    panels = picture.subplots(len(moved), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axes, distances, name in zip(panels, moved, names, strict=True):
        colors = [PALETTE["vermilion"] if place == position else PALETTE["blue"] for place in range(len(places))]
        bars = axes.bar(range(len(places)), distances, color=colors, width=0.7)
        axes.bar_label(bars, [short_number(distance) for distance in distances], fontsize=SMALL, padding=1)
        axes.set_title(CHANGED_TITLE.format(name, places[position]), loc="left")
    write_names(panels[-1], places, room=40)
    panels[-1].set_xlabel(OUTPUT_AXIS)
    panels[0].set_ylim(0, moved.max() * 1.3 or 1.0)
    picture.supylabel(MOVED_AXIS, fontsize=10)
    return picture


@styled
def draw_reach(reachable, n_layers, tokens=None):
    """Draw which inputs each output can depend on after several numbers of layers.

    Parameters
    ----------
    reachable : list of (seq_len, seq_len) bool arrays
    n_layers : list of int
    tokens : list of str, optional

    Returns
    -------
    Picture
    """
    reachable = [np.asarray(mask, dtype=bool) for mask in reachable]
    counts = [int(mask[-1].sum()) for mask in reachable]
    parts = [ALT_REACH_PART.format(layers=n, count=count) for n, count in zip(n_layers, counts, strict=True)]
    picture = Picture(min(7.0, 0.6 + 2.1 * len(counts)), 2.7, ALT_REACH.format(parts="；".join(parts)))
    panels = picture.subplots(1, len(counts), squeeze=False)[0]
    for axes, mask, layers in zip(panels, reachable, n_layers, strict=True):
        draw_mask(axes, mask, token_names(tokens, len(mask)))
        axes.set_title(REACH_TITLE.format(layers))
    panels[0].set(**REACH_AXES)
    return picture


@styled
def draw_attention_flow(x, q, k, v, scores, mask, weights, output, tokens):
    """Draw attention's whole way from the input to the output, with the arrays themselves at every step.

    Parameters
    ----------
    x : (seq_len, d_model) array
    q, k : (seq_len, d_k) arrays
    v : (seq_len, d_v) array
    scores : (seq_len, seq_len) array
        Already divided by sqrt(d_k).
    mask : (seq_len, seq_len) bool array or None
    weights : (seq_len, seq_len) array
    output : (seq_len, d_v) array
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    x, q, k, v, scores, weights, output = (np.asarray(a, dtype=float) for a in (x, q, k, v, scores, weights, output))
    names = token_names(tokens, len(x))
    picture = Picture(7, 5.6, _alt_flow(x, q, v, weights, output, names))
    picture.get_layout_engine().set(h_pad=0.12)  # room for the arrows that go down
    panels = picture.subplot_mosaic(FLOW_PLACES, empty_sentinel="")
    raw = scores * np.sqrt(q.shape[-1])
    signed = {"x": x, "q": q, "k": k, "v": v, "raw": raw, "scaled": scores, "output": output}
    for name, array in signed.items():
        limit = np.abs(raw).max() if name == "scaled" else None  # the scale of `raw`: paler means smaller
        rows = names if name == "x" else []
        draw_matrix(panels[name], array, rows, [], signed=True, limit=limit, numbers=False)
    draw_mask(panels["mask"], np.ones_like(weights) if mask is None else mask, [])
    draw_matrix(panels["weights"], weights, names, [], limit=1.0, numbers=False)
    for name, axes in panels.items():
        axes.set_title(FLOW_TITLES[name])
    _draw_arrows(picture, panels)
    return picture


def _draw_arrows(picture, panels):
    """Draw every arrow of the flow between the borders of two panels."""
    for start, end, leave, arrive in FLOW_ARROWS:
        arrow = ConnectionPatch(
            BORDERS[leave], BORDERS[arrive], "axes fraction", axesA=panels[start], axesB=panels[end],
            arrowstyle="-|>", mutation_scale=12, color=PALETTE["muted"], shrinkA=2, shrinkB=2,
        )  # fmt: skip
        arrow.set_in_layout(False)
        picture.add_artist(arrow)


def _alt_soft_lookup(labels, weights, temperatures, answers):
    parts = [
        ALT_SOFT_LOOKUP_PART.format(
            temperature=temperature,
            label=labels[row.argmax()],
            weight=row.max(),
            answer="" if answer is None else ALT_ANSWER.format(answer),
        )
        for row, temperature, answer in zip(weights, temperatures, answers, strict=True)
    ]
    return ALT_SOFT_LOOKUP.format(n=len(labels), parts="；".join(parts))


def _alt_before_after(rows, names, marked_row, titles):
    (old, new), (old_weight, new_weight) = rows.argmax(axis=-1), rows.max(axis=-1)  # (2, n) -> (2,)
    return ALT_BEFORE_AFTER.format(
        token=names[marked_row],
        before=titles[0],
        after=titles[1],
        old=names[old],
        new=names[new],
        old_weight=old_weight,
        new_weight=new_weight,
    )


def _alt_symmetry(similarity, scores):
    self_best = int((similarity.argmax(axis=-1) == np.arange(len(similarity))).sum())
    return ALT_SYMMETRY.format(
        left=_asymmetry(similarity), right=_asymmetry(scores), self_best=self_best, n=len(similarity)
    )


def _alt_masks(masks, names):
    parts = [
        ALT_MASKS_PART.format(name=name, allowed=int(mask.sum()), cells=mask.size)
        for mask, name in zip(masks, names, strict=True)
    ]
    return ALT_MASKS.format(n=len(masks), parts="；".join(parts))


def _alt_influence(moved, names, position):
    parts = []
    for distances, name in zip(moved, names, strict=True):
        places = np.flatnonzero(distances > EXACT)
        which = ALT_MOVED.format("、".join(map(str, places))) if places.size else ALT_NONE_MOVED
        parts.append(ALT_INFLUENCE_PART.format(name=name, which=which))
    return ALT_INFLUENCE.format(position=position, parts="；".join(parts))


def _alt_flow(x, q, v, weights, output, names):
    return ALT_FLOW.format(
        x=x.shape,
        q=q.shape,
        v=v.shape,
        weights=weights.shape,
        output=output.shape,
        looks=strongest_looks(weights, names, names),
    )
