"""What eyes tell apart: colours as the three dichromacies see them, their distance, and the contrast of a text.

Sources: Machado, Oliveira and Fernandes 2009, *A Physiologically-based Model for Simulation of Color Vision
Deficiency*, table 1 at full severity; WCAG 2.2, relative luminance and contrast ratio; CIE 1976 L*a*b*, white D65.
"""

import io
import itertools

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text

from helpers.style import PALETTE

SEEN_WITH = {  # linear RGB -> linear RGB
    "all three cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
APART = 15  # two colours at least, in L*a*b*: more than six times what is just noticeable
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color):
    """Return a colour's linear RGB, `(3,)` from 0 to 1.

    Examples
    --------
    >>> linear("white")
    array([1., 1., 1.])
    """
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return the L*a*b* `(3,)` of a linear RGB `(3,)`.

    Examples
    --------
    >>> lab(linear("white")).round() + 0
    array([100.,   0.,   0.])
    """
    x, y, z = (TO_XYZ @ rgb) / TO_XYZ.sum(axis=1)
    fx, fy, fz = (t ** (1 / 3) if t > (6 / 29) ** 3 else t / 3 / (6 / 29) ** 2 + 4 / 29 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def distance(one, other, eyes="all three cones"):
    """Return how far two colours are apart, in L*a*b*, for these eyes; 2.3 is just noticeable.

    Examples
    --------
    >>> distance("red", "green") > 100 > 60 > distance("red", "green", "deuteranopia")
    True
    """
    seen = [lab(np.clip(SEEN_WITH[eyes] @ linear(color), 0, 1)) for color in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def contrast(one, other="white"):
    """Return the contrast ratio of two colours, from 1 to 21.

    Examples
    --------
    >>> contrast("black"), round(contrast("#767676"), 2)
    (21.0, 4.54)
    """
    dark, light = sorted(float(TO_XYZ[1] @ linear(color)) for color in (one, other))
    return round((light + 0.05) / (dark + 0.05), 6)


def faint_texts(picture, least):
    """Return the texts of a drawn picture whose contrast with what they stand on is below `least`, with the ratio.

    A text of the usual ink is not looked at: it stands on white. The ground is the commonest colour around a text.
    """
    texts = [text for text in picture.findobj(Text) if text.get_text().strip() and is_seen(text)]
    coloured = [text for text in texts if to_rgb(text.get_color()) != to_rgb(PALETTE["ink"])]
    if not coloured:
        return []
    picture.savefig(buffer := io.BytesIO(), format="rgba", dpi=picture.dpi)
    width, height = picture.canvas.get_width_height()
    pixels = np.frombuffer(buffer.getvalue(), dtype=np.uint8).reshape(height, width, 4)[::-1, :, :3]
    ratios = [(text.get_text(), round(contrast(text.get_color(), ground(text, pixels)), 1)) for text in coloured]
    return [(text, ratio) for text, ratio in ratios if ratio < least]


def is_seen(artist):
    """Return whether neither an artist nor the axes around it is hidden."""
    return artist.get_visible() and (artist.axes is None or artist.axes.get_visible())


def ground(text, pixels):
    """Return the commonest colour in the box of a text, `pixels` `(height, width, 3)` counted from below."""
    box = text.get_window_extent()
    rows, columns = slice(max(int(box.y0) - 1, 0), int(box.y1) + 2), slice(max(int(box.x0) - 1, 0), int(box.x1) + 2)
    colors, counts = np.unique(pixels[rows, columns].reshape(-1, 3), axis=0, return_counts=True)
    return tuple(colors[counts.argmax()] / 255) if len(colors) else "white"


def confusable_curves(picture, least):
    """Return pairs of colours of curves in one panel, alike in dashes and markers, that some eyes hardly tell apart."""
    found = set()
    for axes in picture.axes:
        looks = {
            (to_hex(line.get_color()), line.get_linestyle(), str(line.get_marker()))
            for line in axes.get_lines()
            if is_seen(line) and len(np.atleast_1d(line.get_xdata())) > 2
        }
        for (one, *style), (other, *other_style) in itertools.combinations(sorted(looks), 2):
            nearest = min(distance(one, other, eyes) for eyes in SEEN_WITH)
            if style == other_style and nearest < least:
                found.add((one, other, round(nearest)))
    return sorted(found)
