"""Draw a matrix with names on its rows and columns: `draw_matrix` is what every heat map of the chapter is made of."""

import re

import numpy as np
from matplotlib.patches import Rectangle

from helpers.style import DIVERGING, PALETTE, SEQUENTIAL, ink_on

QUERY_AXIS = "查询（谁在看）"
KEY_AXIS = "键（看谁）"

EXACT = 1e-9  # nearer than this to a whole number: it is one, but for rounding; ".00" says "small, but not 0"
ROOM_OF_A_MATRIX = 16  # Chinese characters that fit beside each other over a matrix half a page wide
SMALL = 9  # points: the smallest text; still read when a figure is printed 12 cm wide
LARGEST_WITH_NUMBERS = 8  # more rows or columns than this leave no room for a number in every cell


def token_names(tokens, count):
    """Return the tokens as they are, or the positions 0, 1, 2 ... when there are none.

    Examples
    --------
    >>> token_names(None, 3)
    ['0', '1', '2']
    """
    return [str(name) for name in (range(count) if tokens is None else tokens)]


def draw_matrix(
    axes, values, row_names, column_names, *, signed=False, limit=None, numbers=True, decimals=2, stacked=False
):
    """Draw a heat map with names on both sides and, if it is small enough, a number in every cell.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    values : (n_rows, n_columns) array
    row_names, column_names : list of str
        Empty for an axis without names.
    signed : bool
        False: amounts from 0 up; True: a scale with 0 in the middle.
    limit : float, optional
        Where the colour scale ends; the largest absolute value if not given.
    numbers : bool
    decimals : int
    stacked : bool
        Write the column names from top to bottom, for narrow columns.

    Returns
    -------
    image : matplotlib.image.AxesImage
    """
    values = np.asarray(values, dtype=float)
    limit = limit or np.abs(values).max() or 1.0
    image = axes.imshow(
        values,
        cmap=DIVERGING if signed else SEQUENTIAL,
        vmin=-limit if signed else 0.0,
        vmax=limit,
        interpolation="nearest",
    )
    name_cells(axes, row_names, column_names, stacked)
    if numbers and max(values.shape) <= LARGEST_WITH_NUMBERS:
        write_numbers(image, decimals)
    return image


def name_cells(axes, row_names, column_names, stacked=False):
    """Write the names beside the rows and above the columns, where a matrix's reader looks for them."""
    write_names(axes, column_names, room=0 if stacked else ROOM_OF_A_MATRIX)
    axes.set_yticks(range(len(row_names)), row_names)
    axes.tick_params(length=0, labelsize=SMALL, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)


def write_names(axes, names, room):
    """Write names along the x axis; names of more than `room` characters in all run downwards instead."""
    crowded = sum(map(len, names)) > room
    is_chinese = any(not name.isascii() for name in names)
    if crowded and is_chinese:  # Chinese stands upright when it runs downwards
        names = ["\n".join(name) for name in names]
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(axis="x", length=0, labelrotation=90 if crowded and not is_chinese and len(max(names)) > 2 else 0)


def write_numbers(image, decimals=2):
    """Write every cell's value into it, dark on light and light on dark; a zero amount is left as a quiet 0."""
    values = np.asarray(image.get_array())
    for (row, column), value in np.ndenumerate(values):
        image.axes.text(
            column,
            row,
            short_number(value, decimals),
            ha="center",
            va="center",
            fontsize=SMALL,
            color=ink_on(image.to_rgba(value)),
        )


def short_number(value, decimals=2):
    """Write a number as short as a cell needs it.

    Examples
    --------
    >>> short_number(0.125), short_number(0.0), short_number(1.0), short_number(0.001), short_number(0.999)
    ('.12', '0', '1', '.00', '1.00')
    >>> short_number(-0.5, 1), short_number(12.25, 1), short_number(-0.01, 1)
    ('−.5', '12.2', '.0')
    """
    if abs(value - round(value)) < EXACT:
        return f"{round(value):d}".replace("-", "−")
    text = f"{value:.{decimals}f}".replace("-", "−")
    text = re.sub(r"^(−?)0\.", r"\1.", text)
    return text if text.strip("−.0") else text.lstrip("−")


def mark_row(axes, row, n_columns):
    """Frame one row of a heat map; returns the frame, which may be moved."""
    frame = Rectangle((-0.5, row - 0.5), n_columns, 1, fill=False, edgecolor=PALETTE["vermilion"], linewidth=2.5)
    frame.set(zorder=3, clip_on=False)
    return axes.add_patch(frame)


def name_axes(axes):
    """Say which side asks and which is looked at."""
    axes.set_ylabel(QUERY_AXIS, fontsize=SMALL)
    axes.set_xlabel(KEY_AXIS, fontsize=SMALL)
    axes.xaxis.set_label_position("top")


def strongest_looks(weights, row_names, column_names, at_most=8):
    """Say in words whom every row looks at most, for alternative texts.

    Examples
    --------
    >>> strongest_looks([[0.9, 0.1], [0.0, 0.0]], ["猫", "它"], ["猫", "它"])
    '「猫」最看「猫」（0.90）；「它」谁也不看'
    >>> strongest_looks([[0.5, 0.5]], ["猫"], ["猫", "它"])
    '「猫」看得一样多（各 0.50）'
    """
    rows = list(zip(row_names, np.asarray(weights, dtype=float), strict=True))
    parts = [f"「{name}」{_strongest_look(row, column_names)}" for name, row in rows[:at_most]]
    return "；".join(parts) + ("……" if len(rows) > at_most else "")


def _strongest_look(row, column_names):
    if not row.any():
        return "谁也不看"
    if len(row) > 1 and np.ptp(row) < EXACT:
        return f"看得一样多（各 {row[0]:.2f}）"
    return f"最看「{column_names[row.argmax()]}」（{row.max():.2f}）"
