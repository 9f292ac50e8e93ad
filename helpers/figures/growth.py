"""Draw how amounts grow with the length of the text, on two logarithmic axes: `draw_growth` for bytes and counts.

A straight line of slope 1 doubles when the length doubles; one of slope 2 takes four times as much.
"""

import numpy as np

from helpers.style import PALETTE, Picture, styled

LOOKS = [
    ("blue", "o", "-"),
    ("vermilion", "s", "--"),
    ("green", "^", "-."),
    ("purple", "D", ":"),
    ("orange", "v", (0, (5, 1))),
]
ALT = "双对数图，横轴是{across}，纵轴是{up}。{parts}。"
ALT_PART = "{name}：从 {first:.3g} 到 {last:.3g}"


@styled
def draw_growth(lengths, amounts, across, up, marked=None):
    """Draw several amounts over one length, a line each, told apart by colour, marker and dash.

    Parameters
    ----------
    lengths : (n,) array of positive numbers
        In rising order.
    amounts : dict of str to (n,) array
        By the line's name; five at most.
    across, up : str
        What the axes say.
    marked : dict of str to float, optional
        Lengths to mark with a thin upright line and a word.

    Returns
    -------
    Picture
    """
    parts = [ALT_PART.format(name=name, first=values[0], last=values[-1]) for name, values in amounts.items()]
    picture = Picture(6.6, 3.5, ALT.format(across=across, up=up, parts="；".join(parts)))
    axes = picture.subplots()
    for (name, values), (color, marker, line) in zip(amounts.items(), LOOKS, strict=False):
        axes.loglog(lengths, values, color=PALETTE[color], marker=marker, markersize=4, linestyle=line, label=name)
    for name, length in (marked or {}).items():
        axes.axvline(length, color=PALETTE["muted"], linewidth=1, linestyle=":")
        axes.annotate(
            name, (length, 1), xycoords=("data", "axes fraction"), xytext=(3, 2), textcoords="offset points",
            color=PALETTE["muted"], ha="right",
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [_short(length) for length in lengths])
    axes.minorticks_off()
    axes.set(xlabel=across, ylabel=up)
    picture.legend(loc="outside right upper")
    return picture


def _short(length):
    """Write a length as a tick has room for it.

    Examples
    --------
    >>> _short(512), _short(4096)
    ('512', '4k')
    """
    length = int(np.round(length))
    return f"{length // 1024}k" if length >= 1024 and length % 1024 == 0 else str(length)
