"""The figures on grouped-query attention: which query heads ask which keys and values, and what sharing costs."""

import numpy as np

from helpers.figures.matrix import SMALL
from helpers.style import PALETTE, Picture, styled

QUERIES, KEYS = "查询头", "键值头"
SHARING_TITLE = "{name}：{n} 组键和值"
SHARED_AXIS = "几组键和值"
LOST_AXIS = "落在错误的键上的权重"
LIKENESS = "图案相似度 {:g}"
LOOKS = [("blue", "o", "-"), ("vermilion", "s", "--"), ("green", "^", "-."), ("purple", "D", ":")]

ALT_SHARING = "{n} 个查询头各连到一组键和值。{parts}。"
ALT_SHARING_PART = "{name}：{n_kv} 组，每组供 {each} 个查询头"
ALT_ERROR = "折线图，横轴是键和值的组数，纵轴是落在错误的键上的权重，各头平均。{parts}。"
ALT_ERROR_PART = "{name}：{points}"


@styled
def draw_head_sharing(n_heads, n_kv_heads):
    """Draw which group of keys and values each query head asks, a panel for each way to share.

    Parameters
    ----------
    n_heads : int
        Query heads.
    n_kv_heads : dict of str to int
        How many groups of keys and values there are, by the way's name; each divides `n_heads`.

    Returns
    -------
    Picture
    """
    parts = [ALT_SHARING_PART.format(name=name, n_kv=n, each=n_heads // n) for name, n in n_kv_heads.items()]
    picture = Picture(7.4, 2.1, ALT_SHARING.format(n=n_heads, parts="；".join(parts)))
    panels = picture.subplots(1, len(n_kv_heads), squeeze=False)[0]
    for axes, (name, n) in zip(panels, n_kv_heads.items(), strict=True):
        draw_links(axes, n_heads, n)
        axes.set_title(SHARING_TITLE.format(name=name, n=n))
        if axes is not panels[0]:
            axes.set_yticks([])
    return picture


def draw_links(axes, n_heads, n_kv_heads):
    """Draw query heads above, groups below and a line from each head to its group; returns lines and squares."""
    places = group_places(n_heads, n_kv_heads)
    links = [
        axes.plot([head, place], [1, 0], color=PALETTE["muted"], linewidth=1.2, zorder=1)[0]
        for head, place in enumerate(places)
    ]
    axes.plot(range(n_heads), np.ones(n_heads), "o", color=PALETTE["blue"], markersize=13)
    (groups,) = axes.plot(places, np.zeros(n_heads), "s", color=PALETTE["vermilion"], markersize=13)
    for head in range(n_heads):
        axes.text(head, 0.99, str(head), color="white", ha="center", va="center", fontsize=SMALL)
    axes.set(xlim=(-0.7, n_heads - 0.3), ylim=(-0.4, 1.4), xticks=[])
    axes.set_yticks([1, 0], [QUERIES, KEYS])
    axes.tick_params(length=0, labelsize=SMALL)
    axes.spines[:].set_visible(False)
    return links, groups


def group_places(n_heads, n_kv_heads):
    """Return for each query head where its group stands: under the middle of the heads that share it.

    Examples
    --------
    >>> group_places(4, 2)
    array([0.5, 0.5, 2.5, 2.5])
    """
    each = n_heads // n_kv_heads
    return np.arange(n_heads) // each * each + (each - 1) / 2


@styled
def draw_sharing_error(n_kv_heads, errors):
    """Draw how much weight lands on wrong keys as heads share more, a line for each likeness of the heads.

    Parameters
    ----------
    n_kv_heads : list of int
        From many groups to one.
    errors : dict of float to (n,) array
        Mean over heads, by the likeness of the heads' patterns.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_ERROR_PART.format(
            name=LIKENESS.format(likeness),
            points="、".join(f"{n} 组 {error:.2f}" for n, error in zip(n_kv_heads, values, strict=True)),
        )
        for likeness, values in errors.items()
    ]
    picture = Picture(6.6, 3.0, ALT_ERROR.format(parts="；".join(parts)))
    axes = picture.subplots()
    for (likeness, values), (color, marker, line) in zip(errors.items(), LOOKS, strict=False):
        label = LIKENESS.format(likeness)
        axes.plot(values, color=PALETTE[color], marker=marker, markersize=5, linestyle=line, label=label)
    axes.set_xticks(range(len(n_kv_heads)), n_kv_heads)
    axes.set(xlabel=SHARED_AXIS, ylabel=LOST_AXIS)
    axes.set_ylim(bottom=0)
    picture.legend(loc="outside right upper")
    return picture
