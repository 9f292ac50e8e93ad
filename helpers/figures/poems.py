"""The figures of a model that writes poems: what may come next, how surprised it is, one step of writing."""

import numpy as np

from helpers.figures.matrix import SMALL
from helpers.style import PALETTE, Picture, styled

PROBABILITY_AXIS = "概率"
AFTER_TITLE = "「{}」之后"
BITS_AXIS = "比特"
BITS_PER_CHARACTER_AXIS = "比特 / 字（越少越好）"
SURPRISE_TITLE = "每个字有多出乎意料"
MARKERS = [("vermilion", "o"), ("green", "^"), ("purple", "D")]

ALT_NEXT = "{n} 幅条形图，一个开头一幅，高的是更可能的下一个字。{parts}。"
ALT_NEXT_PART = "「{opening}」之后最可能的是「{character}」（{probability:.2f}）"
ALT_SURPRISE = "条形图，一个字一条，高的是没料到的。{parts}。"
ALT_SURPRISE_PART = "{name}：平均 {mean:.2f} 比特，最没料到的是「{token}」（{most:.1f}）"
ALT_BITS = "横的条形图，每字要几个比特：{parts}。"


@styled
def draw_next(distributions):
    """Draw the most likely next characters after some openings.

    Parameters
    ----------
    distributions : dict of str to (str, array)
        By opening: the likely characters, the most likely first, and their probabilities.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_NEXT_PART.format(opening=opening, character=characters[0], probability=probabilities[0])
        for opening, (characters, probabilities) in distributions.items()
    ]
    picture = Picture(7.2, 2.4, ALT_NEXT.format(n=len(parts), parts="；".join(parts)))
    panels = picture.subplots(1, len(parts), sharey=True, squeeze=False).ravel()
    for axes, (opening, (characters, probabilities)) in zip(panels, distributions.items(), strict=True):
        axes.bar(range(len(characters)), probabilities, color=PALETTE["blue"], width=0.7)
        axes.set_xticks(range(len(characters)), list(characters))
        axes.tick_params(axis="x", length=0)
        axes.set_title(AFTER_TITLE.format(opening))
    panels[0].set_ylabel(PROBABILITY_AXIS)
    return picture


@styled
def draw_surprise(bits, tokens):
    """Draw how many bits every character costs: the first model as bars, others as marks.

    Parameters
    ----------
    bits : dict of str to (n,) array
        By the model's name, at most four.
    tokens : (n,) list of str
        What is predicted.

    Returns
    -------
    Picture
    """
    picture = Picture(7.4, 2.6, _alt_surprise(bits, tokens))
    axes = picture.subplots()
    places = np.arange(len(tokens))
    (first, heights), *others = bits.items()
    axes.bar(places, heights, color=PALETTE["sky"], width=0.8, label=first)
    for (name, marks), (color, marker) in zip(others, MARKERS, strict=False):
        look = {"color": PALETTE[color], "marker": marker, "markersize": 5, "linestyle": "none"}
        axes.plot(places, marks, label=name, **look)
    axes.set_xticks(places, list(tokens))
    axes.tick_params(axis="x", length=0)
    axes.margins(x=0.01)
    axes.set(title=SURPRISE_TITLE, ylabel=BITS_AXIS)
    if others:
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=4, fontsize=SMALL)
    return picture


def _alt_surprise(bits, tokens):
    parts = []
    for name, values in bits.items():
        most = int(np.argmax(values))
        parts.append(
            ALT_SURPRISE_PART.format(name=name, mean=np.mean(values), token=tokens[most], most=float(values[most]))
        )
    return ALT_SURPRISE.format(parts="；".join(parts))


@styled
def draw_bits(bits, first_color="blue"):
    """Draw how many bits a character some models need.

    Parameters
    ----------
    bits : dict of str to float
        By the model's name; the first stands out.
    first_color : str
        Name of a colour of the palette.

    Returns
    -------
    Picture
    """
    parts = "，".join(f"{name} {value:.2f}" for name, value in bits.items())
    picture = Picture(6.4, 0.9 + 0.36 * len(bits), ALT_BITS.format(parts=parts))
    axes = picture.subplots()
    draw_bit_bars(axes, bits, first_color)
    return picture


def draw_bit_bars(axes, bits, first_color="blue"):
    """Draw a horizontal bar for each model, its bits behind it; the first in a colour.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    bits : dict of str to float
    first_color : str
    """
    colors = [PALETTE[first_color], *[PALETTE["muted"]] * (len(bits) - 1)]
    drawn = axes.barh(list(bits), list(bits.values()), color=colors, height=0.6)
    axes.bar_label(drawn, [f"{value:.2f}" for value in bits.values()], padding=3, fontsize=SMALL)
    axes.invert_yaxis()
    axes.set(xlabel=BITS_PER_CHARACTER_AXIS, xlim=(0, 1.2 * max(bits.values())))
