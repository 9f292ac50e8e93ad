"""The figures on sparse attention: patterns of who may look at whom, and how far several layers of a window reach."""

import numpy as np

from helpers.figures.families import MASK_COLORS
from helpers.figures.matrix import KEY_AXIS, QUERY_AXIS, SMALL
from helpers.style import PALETTE, Picture, styled

PATTERN_TITLE = "{name}\n{share:.0%} 的格子"
LAYER = "第 {} 层"
INPUT = "输入"
POSITION_AXIS = "位置"
ALT_PATTERNS = "{n} 张掩码，蓝色的格子可以看。{parts}。"
ALT_PATTERNS_PART = "{name}：{share:.0%}，最后一行看 {last} 个"
ALT_FAN = "从位置 {last} 往下看 {n} 层，每个圆点只连到窗口里的位置。够到的位置：{parts}。"
ALT_FAN_PART = "{name} {first} 到 {last}"


@styled
def draw_patterns(masks):
    """Draw patterns beside each other: what may be looked at is blue, what may not is grey.

    Parameters
    ----------
    masks : dict of str to (seq_len, seq_len) bool array
        By name; four at most.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_PATTERNS_PART.format(name=name, share=np.mean(mask), last=np.sum(mask[-1])) for name, mask in masks.items()
    ]
    picture = Picture(7.4, 2.5, ALT_PATTERNS.format(n=len(masks), parts="；".join(parts)))
    panels = picture.subplots(1, len(masks), squeeze=False)[0]
    for axes, (name, mask) in zip(panels, masks.items(), strict=True):
        draw_pattern(axes, mask)
        axes.set_title(PATTERN_TITLE.format(name=name, share=np.mean(mask)), fontsize=10, linespacing=1.4)
    panels[0].set_ylabel(QUERY_AXIS, fontsize=SMALL)
    for axes in panels:
        axes.set_xlabel(KEY_AXIS, fontsize=SMALL)
    return picture


def draw_pattern(axes, mask):
    """Draw one mask `(n, n)` without names, with thin lines between the cells; returns the image."""
    n = len(mask)
    image = axes.imshow(np.asarray(mask, dtype=float), cmap=MASK_COLORS, vmin=0, vmax=1, interpolation="nearest")
    for edge in np.arange(0.5, n - 1):
        axes.axvline(edge, color="white", linewidth=0.5)
        axes.axhline(edge, color="white", linewidth=0.5)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    return image


@styled
def draw_fan(reachable, mask):
    """Draw what the last position depends on, layer below layer: the further down, the wider the fan.

    Parameters
    ----------
    reachable : (n_layers + 1, seq_len) bool array
        Row l: what the last position reaches through l layers; row 0 is itself alone.
    mask : (seq_len, seq_len) bool array
        The mask of every layer.

    Returns
    -------
    Picture
    """
    reachable, mask = np.asarray(reachable, dtype=bool), np.asarray(mask, dtype=bool)
    n_layers, seq_len = len(reachable) - 1, reachable.shape[1]
    picture = Picture(7.2, 0.7 + 0.55 * n_layers, _alt_fan(reachable))
    axes = picture.subplots()
    for depth in range(n_layers):
        for query in np.flatnonzero(reachable[depth]):
            for key in np.flatnonzero(mask[query]):
                axes.plot([query, key], [-depth, -depth - 1], color=PALETTE["sky"], linewidth=1, zorder=1)
    for depth, row in enumerate(reachable):
        colors = [PALETTE["blue"] if seen else "#DDDDDD" for seen in row]
        axes.scatter(range(seq_len), np.full(seq_len, -depth), s=45, c=colors, zorder=2)
    names = [LAYER.format(n_layers - depth) for depth in range(n_layers)] + [INPUT]
    axes.set_yticks(-np.arange(n_layers + 1), names)
    axes.set_xticks(range(seq_len))
    axes.set(xlabel=POSITION_AXIS, ylim=(-n_layers - 0.4, 0.4))
    axes.tick_params(length=0, labelsize=SMALL)
    axes.spines[:].set_visible(False)
    return picture


def _alt_fan(reachable):
    n_layers = len(reachable) - 1
    parts = []
    for depth, row in enumerate(reachable[1:], start=1):
        seen = np.flatnonzero(row)
        name = INPUT if depth == n_layers else LAYER.format(n_layers - depth)
        parts.append(ALT_FAN_PART.format(name=name, first=seen.min(), last=seen.max()))
    return ALT_FAN.format(last=reachable.shape[1] - 1, n=n_layers, parts="；".join(parts))
