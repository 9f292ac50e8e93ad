"""The figures on linear attention: the two orders of multiplication to scale, and a state that every token adds to."""

import numpy as np
from matplotlib.patches import Rectangle

from helpers.figures.matrix import SMALL, draw_matrix
from helpers.style import PALETTE, Picture, styled

ORDER_TITLES = {"weights": "先 φ(q)φ(k)ᵀ，再乘 v", "state": "先 φ(k)ᵀv，再用 φ(q) 去乘"}
SHAPES = {  # name, rows, columns, colour; "n" and "d" stand for the two lengths
    "weights": [
        ("φ(q)", "n", "d", "blue"),
        ("φ(k)ᵀ", "d", "n", "sky"),
        ("权重", "n", "n", "vermilion"),
        ("v", "n", "d", "green"),
    ],
    "state": [
        ("φ(k)ᵀ", "d", "n", "sky"),
        ("v", "n", "d", "green"),
        ("状态", "d", "d", "vermilion"),
        ("φ(q)", "n", "d", "blue"),
    ],
}
SIZE = "{rows} × {columns}"
STATE_TITLE = "读完 {n} 个"
STATE_AXES = {"xlabel": "值的分量", "ylabel": "键的分量"}

ALT_ORDERS = "按比例画的矩形，n = {n}，d = {d}。先算权重：中间结果 {n} × {n}。先算状态：中间结果 {d} × {d}。"
ALT_STATES = "热力图，读完若干个词之后的状态，大小始终 {rows} × {columns}。{parts}。"
ALT_STATES_PART = "{n} 个词：各数的和 {total:.1f}"


@styled
def draw_two_orders(seq_len, d):
    """Draw the factors of both orders to scale: the one makes an n × n array on its way, the other a d × d one.

    Parameters
    ----------
    seq_len, d : int
        Length of the text, and of a query, a key and a value.

    Returns
    -------
    Picture
    """
    lengths = {"n": seq_len, "d": d}
    picture = Picture(7.2, 3.3, ALT_ORDERS.format(n=seq_len, d=d))
    for axes, (order, shapes) in zip(picture.subplots(2, 1), SHAPES.items(), strict=True):
        _draw_shapes(axes, [(name, lengths[rows], lengths[columns], color) for name, rows, columns, color in shapes])
        axes.set_title(ORDER_TITLES[order], loc="left")
    return picture


def _draw_shapes(axes, shapes):
    """Draw rectangles from left to right, their names and sizes below."""
    longest = max(rows for _, rows, _, _ in shapes)
    step = 1.5 * longest
    for place, (name, rows, columns, color) in enumerate(shapes):
        middle = place * step
        axes.add_patch(Rectangle((middle - columns / 2, -rows / 2), columns, rows, color=PALETTE[color], linewidth=0))
        label = f"{name}　{SIZE.format(rows=rows, columns=columns)}"
        axes.text(middle, -0.6 * longest, label, ha="center", va="top", fontsize=SMALL)
    axes.set(xlim=(-0.6 * step, 3.6 * step), ylim=(-0.85 * longest, 0.55 * longest), aspect="equal")
    axes.axis("off")


@styled
def draw_states(states, counts):
    """Draw the running state after several numbers of tokens, all on one scale.

    Parameters
    ----------
    states : (n_states, d_k, d_v) array
    counts : list of int
        How many tokens had been read.

    Returns
    -------
    Picture
    """
    states = np.asarray(states, dtype=float)
    limit = np.abs(states).max()
    parts = [ALT_STATES_PART.format(n=count, total=state.sum()) for count, state in zip(counts, states, strict=True)]
    alt = ALT_STATES.format(rows=states.shape[1], columns=states.shape[2], parts="；".join(parts))
    picture = Picture(7.2, 2.3, alt)
    panels = picture.subplots(1, len(counts), squeeze=False)[0]
    for axes, state, count in zip(panels, states, counts, strict=True):
        draw_matrix(axes, state, [], [], signed=True, limit=limit, decimals=1)
        axes.set_title(STATE_TITLE.format(n=count), fontsize=10)
    panels[0].set(**STATE_AXES)
    return picture
