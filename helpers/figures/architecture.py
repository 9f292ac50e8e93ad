"""The figures of section 4.4 about one block and a stack of them: every array on the way, depth, the two branches."""

import numpy as np
from matplotlib.patches import ConnectionPatch

from helpers.figures.matrix import SMALL, draw_matrix, short_number, strongest_looks, token_names
from helpers.style import PALETTE, Picture, ink_on, readable, styled

STEP_ROWS = (
    ("①　q、k、v 从哪里来", ("x", "value_inputs", "q", "k", "v")),
    ("②　分数　　　③　softmax 之后加权求和", ("scores", "weights", "context")),
    ("④　残差 + FFN", ("after_attention", "hidden", "ffn_output", "output")),
)
STEP_NAMES = {
    "x": "x：词",
    "value_inputs": "值的输入",
    "q": "q",
    "k": "k",
    "v": "v",
    "scores": "分数 ÷ √d_k",
    "weights": "权重",
    "context": "权重 × v",
    "after_attention": "+ x",
    "hidden": "ReLU(· w_1)",
    "ffn_output": "· w_2",
    "output": "+ 前一步 = 输出",
}
DEPTH_AXIS = "层数"
DEPTH_PANELS = {
    "signal": ("信号的大小", "每个数的均方根"),
    "similarity": ("词与词的相似度", "余弦的平均"),
    "gradient": ("第一层的梯度", "范数"),
}
VARIANT_LOOKS = [
    ("vermilion", "s", "-"),
    ("orange", "^", "-"),
    ("purple", "v", "-"),
    ("green", "D", "--"),
    ("blue", "o", "-"),
]
LAYERS_DONE = "{} 层之后"
COORDINATES = ("第 0 维", "第 1 维")
SHARE_AXIS = "占一个 block 的参数"
FLOW_NAMES = {
    "x": "x",
    "attention": "注意力(norm(x))",
    "after_attention": "x + 注意力",
    "ffn": "FFN(norm(·))",
    "output": "+ FFN\n= 输出",
}
WEIGHTS_TITLE = "权重"
RESIDUAL = "残差：原样加回来"
DIFFERENCE = "后者 − 前者"

ALT_STEPS = (
    "一个最小 block 的每个中间数组，三行热力图：先是 x、值的输入和 q、k、v，再是分数、权重和加权的和，"
    "最后是加残差、FFN 的两步和输出。{looks}。输出第一行 {first}，最后一行 {last}。"
)
ALT_COMPARED = "三张权重热力图：{first}、{second}，以及两者之差。变了的行：{rows}。"
ALT_NONE_CHANGED = "没有"
ALT_DEPTH = (
    "三幅折线图，横轴是层数：信号的大小、词与词的相似度、第一层的梯度，五种搭法各一条线。{deepest} 层时：{parts}。"
)
ALT_DEPTH_PART = "{name}：信号 {signal:.1e}，相似度 {similarity:.2f}，梯度 {gradient:.1e}"
ALT_MIXING = "散点图，{n} 个词在平面上。只有注意力时，最远两点的距离依次是 {spreads}。"
ALT_PARTS = "条形图：一个 block 的参数里，{parts}。"
ALT_PARTS_PART = "{name}占 {share:.1%}"
ALT_FLOW = (
    "pre-norm block 的数据流，从左到右：x 先归一化再做注意力，结果加回 x；再归一化、过 FFN，结果又加回来，得到输出。"
    "两条弧线是残差连接。{looks}。"
)


@styled
def draw_block_steps(arrays, tokens):
    """Draw every array of one block, in the order in which they arise, with its numbers.

    Parameters
    ----------
    arrays : dict of str to (seq_len, n_columns) array
        Keys `x`, `value_inputs`, `q`, `k`, `v`, `scores` (forbidden entries -inf or very low), `weights`, `context`,
        `after_attention`, `hidden`, `ffn_output`, `output`; a missing `value_inputs` is left out.
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(array, dtype=float) for name, array in arrays.items()}
    names = token_names(tokens, len(arrays["x"]))
    picture = Picture(7.4, 5.4, _alt_steps(arrays, names))
    for part, (heading, row) in zip(picture.subfigures(3, 1), STEP_ROWS, strict=True):
        part.suptitle(heading, x=0.01, ha="left", fontsize=11, color=PALETTE["blue"])
        shown = [name for name in row if name in arrays]
        for axes, name in zip(part.subplots(1, len(shown)), shown, strict=True):
            columns = names if name in ("scores", "weights") else []
            _draw_step(axes, name, arrays[name], names if name == row[0] else [], columns)
    return picture


def _draw_step(axes, name, values, row_names, column_names):
    forbidden = values < -1e6
    values = np.where(forbidden, 0.0, values)
    image = draw_matrix(
        axes, values, row_names, column_names, signed=name != "weights", limit=_limit(name, values), numbers=False
    )
    for (row, column), value in np.ndenumerate(values):
        text = "×" if forbidden[row, column] else short_number(value)
        axes.text(column, row, text, ha="center", va="center", fontsize=SMALL, color=ink_on(image.to_rgba(value)))
    axes.set_title(STEP_NAMES[name], fontsize=10)
    axes.set_aspect("auto")


def _limit(name, values):
    return 1.0 if name == "weights" else 1.4 * np.abs(values).max() or 1.0


def _alt_steps(arrays, names):
    first, last = (", ".join(f"{value:.3f}" for value in arrays["output"][row]) for row in (0, -1))
    return ALT_STEPS.format(looks=strongest_looks(arrays["weights"], names, names), first=first, last=last)


@styled
def draw_weights_compared(first, second, titles, tokens):
    """Draw two weight matrices and their difference, so that a row that stayed is seen to be zero.

    Parameters
    ----------
    first, second : (seq_len, seq_len) arrays
    titles : pair of str
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    names = token_names(tokens, len(first))
    changed = [names[row] for row in np.flatnonzero(np.abs(second - first).max(axis=-1) > 1e-9)]
    rows = "、".join(f"「{name}」" for name in changed) or ALT_NONE_CHANGED
    picture = Picture(7, 3.1, ALT_COMPARED.format(first=titles[0], second=titles[1], rows=rows))
    panels = picture.subplots(1, 3)
    for axes, weights, title in zip(panels, (first, second), titles, strict=False):
        draw_matrix(axes, weights, names if axes is panels[0] else [], names, limit=1.0)
        axes.set_title(title)
    draw_matrix(panels[2], second - first, [], names, signed=True, limit=1.0)
    panels[2].set_title(DIFFERENCE)
    return picture


@styled
def draw_depth(depths, results):
    """Draw signal, similarity and first-layer gradient against depth, a line for each way of building the stack.

    Parameters
    ----------
    depths : (n_depths,) int array
    results : dict of str to dict of str to (n_depths,) array
        By the variant's name, then by `signal`, `similarity`, `gradient`; five variants at most.

    Returns
    -------
    Picture
    """
    picture = Picture(7.4, 3.6, _alt_depth(depths, results))
    panels = picture.subplots(1, 3)
    for axes, (quantity, (title, label)) in zip(panels, DEPTH_PANELS.items(), strict=True):
        for (name, values), (color, marker, line) in zip(results.items(), VARIANT_LOOKS, strict=False):
            look = {"color": PALETTE[color], "marker": marker, "markersize": 4, "linestyle": line}
            axes.plot(depths, values[quantity], label=name, **look)
        axes.set_xscale("log", base=2)
        if quantity != "similarity":
            axes.set_yscale("log")
        axes.set_xticks(depths, [str(depth) for depth in depths])
        axes.minorticks_off()
        axes.set(title=title, xlabel=DEPTH_AXIS, ylabel=label)
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=SMALL)
    return picture


def _alt_depth(depths, results):
    parts = [
        ALT_DEPTH_PART.format(name=name, **{quantity: values[quantity][-1] for quantity in DEPTH_PANELS})
        for name, values in results.items()
    ]
    return ALT_DEPTH.format(deepest=depths[-1], parts="；".join(parts))


@styled
def draw_mixing(points, n_layers, tokens):
    """Draw tokens of two dimensions after some layers, the first picture's outline kept, so that shrinking is seen.

    Parameters
    ----------
    points : (n_panels, seq_len, 2) array
    n_layers : (n_panels,) int array
        How many layers each panel's points have gone through.
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    points = np.asarray(points, dtype=float)
    names = token_names(tokens, points.shape[1])
    spreads = [np.linalg.norm(panel[:, None] - panel[None], axis=-1).max() for panel in points]
    said = "、".join(f"{n} 层 {spread:.2f}" for n, spread in zip(n_layers, spreads, strict=True))
    picture = Picture(7.2, 2.5, ALT_MIXING.format(n=len(names), spreads=said))
    panels = picture.subplots(1, len(points), sharex=True, sharey=True)
    outline = np.concatenate([points[0], points[0][:1]])
    for axes, panel, depth in zip(panels, points, n_layers, strict=True):
        axes.plot(*outline.T, color=PALETTE["muted"], linewidth=0.8, linestyle=":")
        axes.plot(*np.concatenate([panel, panel[:1]]).T, color=PALETTE["sky"], linewidth=1)
        axes.scatter(*panel.T, color=PALETTE["blue"], s=22, zorder=3)
        axes.set(title=LAYERS_DONE.format(depth), xlabel=COORDINATES[0], aspect="equal")
    panels[0].set_ylabel(COORDINATES[1])
    for name, place in zip(names, points[0], strict=True):
        panels[0].annotate(name, place, xytext=(4, 4), textcoords="offset points", fontsize=SMALL)
    panels[0].margins(0.25)
    return picture


@styled
def draw_parts(parts):
    """Draw how a block's parameters are shared out.

    Parameters
    ----------
    parts : dict of str to int
        Parameters by the name of the part.

    Returns
    -------
    Picture
    """
    counts = np.array(list(parts.values()), dtype=float)
    shares = counts / counts.sum()
    said = "，".join(ALT_PARTS_PART.format(name=name, share=share) for name, share in zip(parts, shares, strict=True))
    picture = Picture(6, 0.7 + 0.42 * len(parts), ALT_PARTS.format(parts=said))
    axes = picture.subplots()
    colors = [PALETTE[name] for name in ("blue", "vermilion", "muted", "green")]
    bars = axes.barh(list(parts), shares, color=colors[: len(parts)], height=0.6)
    axes.bar_label(bars, [f"{share:.1%}" for share in shares], padding=3, fontsize=SMALL)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.1 * shares.max()), xlabel=SHARE_AXIS)
    axes.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return picture


@styled
def draw_block_flow(arrays, weights, tokens):
    """Draw a pre-norm block's whole way with the arrays themselves, both residual connections as arcs.

    Parameters
    ----------
    arrays : dict of str to (seq_len, d_model) array
        Keys `x`, `attention`, `after_attention`, `ffn`, `output`.
    weights : (seq_len, seq_len) array
        Of one head, or averaged over the heads.
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(array, dtype=float) for name, array in arrays.items()}
    names = token_names(tokens, len(arrays["x"]))
    picture = Picture(7.4, 2.9, ALT_FLOW.format(looks=strongest_looks(weights, names, names, at_most=4)))
    columns = ["x", "weights", "attention", "after_attention", "ffn", "output"]
    panels = picture.subplot_mosaic([columns])
    picture.get_layout_engine().set(w_pad=0.1, h_pad=0.1, rect=(0, 0, 1, 0.78))
    limit = max(np.abs(array).max() for array in arrays.values())
    for name, array in arrays.items():
        draw_matrix(panels[name], array, names if name == "x" else [], [], signed=True, limit=limit, numbers=False)
        panels[name].set_xlabel(FLOW_NAMES[name].replace("(", "\n(", 1), fontsize=SMALL)
    draw_matrix(panels["weights"], weights, [], [], limit=1.0, numbers=False)
    panels["weights"].set_xlabel(WEIGHTS_TITLE, fontsize=SMALL)
    for axes in panels.values():
        axes.set_aspect("auto")
        axes.xaxis.set_label_position("bottom")
    for start, end in zip(columns, columns[1:], strict=False):
        _join(picture, panels[start], panels[end])
    for start, end in (("x", "after_attention"), ("after_attention", "output")):
        _bridge(picture, panels[start], panels[end])
    return picture


def _join(picture, start, end):
    arrow = ConnectionPatch(
        (1.02, 0.5), (-0.03, 0.5), start.transAxes, end.transAxes, arrowstyle="->", color=PALETTE["muted"]
    )
    picture.add_artist(arrow)


def _bridge(picture, start, end):
    """Draw a residual connection: an arc over the branch that it passes by."""
    arc = ConnectionPatch(
        (0.5, 1.02),
        (0.5, 1.02),
        start.transAxes,
        end.transAxes,
        arrowstyle="->",
        color=PALETTE["vermilion"],
        linewidth=1.6,
        connectionstyle="arc3,rad=-0.13",
    )
    picture.add_artist(arc)
    where, look = {"xycoords": "axes fraction", "annotation_clip": False}, {"color": readable(PALETTE["vermilion"])}
    start.annotate(RESIDUAL, (1.0, 1.24), fontsize=SMALL, **where, **look).set_in_layout(False)
