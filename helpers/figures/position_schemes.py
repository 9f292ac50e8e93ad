"""The figures of section 4.3 on the other kinds of position: what each adds to the scores, and how far it carries."""

import numpy as np
from matplotlib.patches import ConnectionPatch

from helpers.figures.matrix import SMALL, draw_matrix, name_axes, strongest_looks, token_names
from helpers.style import DIVERGING, PALETTE, SEQUENTIAL, Picture, styled

LOOKS = {  # a colour, a marker and a dash each, so that seven lines are told apart without colour
    "none": ("muted", "x", ":"),
    "learned": ("orange", "s", "--"),
    "sinusoidal": ("vermilion", "^", "-"),
    "shaw": ("green", "D", "-"),
    "t5": ("purple", "v", "--"),
    "alibi": ("sky", "P", "-."),
    "rope": ("blue", "o", "-"),
}
NAMES = {
    "none": "不加位置",
    "learned": "可学的绝对位置",
    "sinusoidal": "正弦",
    "shaw": "截断的相对距离",
    "t5": "T5 分桶",
    "alibi": "ALiBi",
    "rope": "RoPE",
}
LENGTH_AXIS, WEIGHT_AXIS = "测试时的序列长度", "落在正确位置上的权重"
TRAINED = "训练长度 {}"
SCORE_AXIS = "分数"
ROTARY_TITLE = "RoPE：一对 q、k 的分数只看距离"
AT = "q 在位置 {}"
HALVES_TITLES = ("交错：相邻两个一对", "前后两半：i 与 i + d/2 一对")
PAIR_AXIS = "分量"
TURNED_AXIS = "转过的角度（弧度）"

FLOW_PLACES = [["x", "pe", "sum"], ["q", "turned", "scores"], ["plain", "bias", "weights"]]
FLOW_TITLES = {
    "x": "x：内容",
    "pe": "① PE：加在输入上",
    "sum": "x + PE",
    "q": "q = x w_q",
    "turned": "② RoPE：转 q（和 k）",
    "scores": "转过之后的分数",
    "plain": "q kᵀ / √d_k：分数",
    "bias": "③ 偏置：加在分数上",
    "weights": "softmax：权重",
}
FLOW_SIGNS = [
    ("x", "pe", "+"),
    ("pe", "sum", "="),
    ("q", "turned", "→"),
    ("turned", "scores", "→"),
    ("plain", "bias", "+"),
    ("bias", "weights", "→"),
]

ALT_ADDED = "{n} 幅热力图，行是查询，列是键。{parts}。"
ALT_ADDED_PART = "{name}：从 {low:.3g} 到 {high:.3g}"
ALT_EXTRAPOLATION = "{n} 幅折线图，训练长度 {train}，横轴是测试长度。{parts}。"
ALT_EXTRAPOLATION_PART = "{title}，长 {length} 时：{values}"
ALT_ROTARY = "{n} 条曲线几乎重合：分数对距离，不论 q 在哪个位置；同一距离上最多相差 {spread:.4f}。"
ALT_HALVES = "两幅图，位置 {position} 上每个分量转过的角度。左：相邻两个一样。右：前一半与后一半一样。"
ALT_FLOW = (
    "九幅小热力图，三行。第一行：内容 x 加上位置编码。第二行：查询转过角度，再与键打分。第三行：分数加上距离的偏置，"
    "再过 softmax。{looks}。"
)


@styled
def draw_added_scores(matrices, names, signed=None):
    """Draw what kinds of position give each pair of query and key, as heat maps side by side.

    Parameters
    ----------
    matrices : list of (n, n) arrays
    names : list of str
    signed : list of bool, optional
        Which of them are drawn on a scale with 0 in the middle; those with negative entries, if not given.

    Returns
    -------
    Picture
    """
    matrices = [np.asarray(matrix, dtype=float) + 0.0 for matrix in matrices]  # −0 becomes 0
    signed = [matrix.min() < 0 for matrix in matrices] if signed is None else signed
    parts = [
        ALT_ADDED_PART.format(name=name, low=matrix.min(), high=matrix.max())
        for name, matrix in zip(names, matrices, strict=True)
    ]
    picture = Picture(7, 6.2, ALT_ADDED.format(n=len(matrices), parts="；".join(parts)))
    panels = picture.subplots(-(-len(matrices) // 2), 2)
    for axes, matrix, name, is_signed in zip(panels.flat, matrices, names, signed, strict=True):
        limit = np.abs(matrix).max()
        image = axes.imshow(
            matrix,
            cmap=DIVERGING if is_signed else SEQUENTIAL,
            vmin=-limit if is_signed else matrix.min(),
            vmax=limit if is_signed else matrix.max(),
            interpolation="nearest",
        )
        axes.tick_params(labelsize=SMALL)
        name_axes(axes)
        axes.xaxis.set_label_position("bottom")
        axes.set_title(name)
        picture.colorbar(image, ax=axes, shrink=0.85).ax.tick_params(labelsize=SMALL)
    return picture


@styled
def draw_extrapolation(results, test_lengths, train_length):
    """Draw how much attention lands where it should, over the test length, for each kind of position.

    Parameters
    ----------
    results : dict of str to dict of str to list of float
        Title of the task -> name of the scheme (a key of `NAMES`) -> weight at each test length.
    test_lengths : list of int
    train_length : int

    Returns
    -------
    Picture
    """
    picture = Picture(7, 3.7, _alt_extrapolation(results, test_lengths, train_length))
    panels = picture.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for axes, (title, weights) in zip(panels, results.items(), strict=True):
        axes.axvline(train_length, color=PALETTE["muted"], linewidth=1)
        for scheme, values in weights.items():
            color, marker, style = LOOKS[scheme]
            axes.plot(test_lengths, values, color=PALETTE[color], marker=marker, linestyle=style, label=NAMES[scheme])
        axes.set_xscale("log", base=2)
        axes.set_xticks(test_lengths, map(str, test_lengths))
        axes.minorticks_off()
        axes.set(title=title, xlabel=LENGTH_AXIS, ylim=(-0.04, 1.04))
    panels[0].set_ylabel(WEIGHT_AXIS)
    picture.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return picture


@styled
def draw_rotary_scores(distances, scores, positions):
    """Draw the score of one query and one key over their distance, for the query at several positions.

    Parameters
    ----------
    distances : (m,) array
    scores : (n_positions, m) array
    positions : list of int
        Where the query stands in each row.

    Returns
    -------
    Picture
    """
    scores = np.asarray(scores, dtype=float)
    spread = np.ptp(scores, axis=0).max()
    picture = Picture(6.4, 3, ALT_ROTARY.format(n=len(scores), spread=spread))
    axes = picture.subplots()
    styles = [("muted", "-", 6), ("vermilion", "--", 3), ("blue", ":", 1.5)]
    for (color, style, width), row, position in zip(styles, scores, positions, strict=False):
        axes.plot(distances, row, style, color=PALETTE[color], linewidth=width, label=AT.format(position))
    axes.set(title=ROTARY_TITLE, xlabel="距离 p − q", ylabel=SCORE_AXIS)
    axes.legend()
    return picture


@styled
def draw_two_conventions(interleaved, half_split, position):
    """Draw by which angle each component is turned, in the two orders that are in use.

    Parameters
    ----------
    interleaved, half_split : (d_k,) arrays
        In radians.
    position : int

    Returns
    -------
    Picture
    """
    picture = Picture(7, 2.6, ALT_HALVES.format(position=position))
    panels = picture.subplots(1, 2, sharey=True)
    for axes, angles, title in zip(panels, (interleaved, half_split), HALVES_TITLES, strict=True):
        order = np.unique(angles)[::-1]
        hues = ["blue", "vermilion", "green", "orange", "purple", "sky", "muted", "ink"]
        colors = [PALETTE[hues[int(np.flatnonzero(order == angle)[0]) % len(hues)]] for angle in angles]
        axes.bar(range(len(angles)), angles, color=colors)
        axes.set(title=title, xlabel=PAIR_AXIS, xticks=range(len(angles)))
    panels[0].set_ylabel(TURNED_AXIS)
    return picture


@styled
def draw_entry_points(arrays, tokens):
    """Draw the three places where positions enter attention, with the arrays themselves.

    Parameters
    ----------
    arrays : dict of str to array
        Keys `x`, `pe`, `sum` `(seq_len, d_model)`, `q`, `turned` `(seq_len, d_k)`, and `scores`, `plain`, `bias`,
        `weights` `(seq_len, seq_len)`.
    tokens : list of str

    Returns
    -------
    Picture
    """
    names = token_names(tokens, len(arrays["x"]))
    looks = strongest_looks(arrays["weights"], names, names)
    picture = Picture(7, 6, ALT_FLOW.format(looks=looks))
    picture.get_layout_engine().set(w_pad=0.25, h_pad=0.1)
    panels = picture.subplot_mosaic(FLOW_PLACES)
    for key, axes in panels.items():
        rows = names if key in ("x", "q", "plain") else []
        draw_matrix(axes, arrays[key], rows, [], signed=key != "weights", numbers=False)
        axes.set_title(FLOW_TITLES[key])
    for left, right, sign in FLOW_SIGNS:
        _draw_sign(picture, panels[left], panels[right], sign)
    return picture


def _draw_sign(picture, left, right, sign):
    """Draw a connection between two panels, with the sign of what happens on it; an arrow needs no other sign."""
    if sign == "→":
        arrow = ConnectionPatch((1, 0.5), (0, 0.5), "axes fraction", axesA=left, axesB=right,
                                arrowstyle="-|>", mutation_scale=12, color=PALETTE["muted"],
                                shrinkA=4, shrinkB=4)  # fmt: skip
        arrow.set_in_layout(False)
        picture.add_artist(arrow)
        return
    text = left.annotate(sign, (1, 0.5), xycoords="axes fraction", xytext=(14, 0), textcoords="offset points",
                         ha="center", va="center", fontsize=16)  # fmt: skip
    text.set_in_layout(False)


def _alt_extrapolation(results, test_lengths, train_length):
    parts = [
        ALT_EXTRAPOLATION_PART.format(
            title=title,
            length=test_lengths[-1],
            values="，".join(f"{NAMES[scheme]} {values[-1]:.2f}" for scheme, values in weights.items()),
        )
        for title, weights in results.items()
    ]
    return ALT_EXTRAPOLATION.format(n=len(results), train=train_length, parts="；".join(parts))
