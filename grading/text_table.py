"""Set rows of text in columns on a terminal, where a Chinese character takes two and some characters are commands."""

import unicodedata

NOT_SHOWN = "\N{REPLACEMENT CHARACTER}"


def aligned(rows, n_left=None):
    r"""Yield a line for each row.

    Parameters
    ----------
    rows : sequence of sequences of str
        All of one length.
    n_left : int, optional
        So many columns are aligned to the left, the others, of numbers, to the right. By default all are.

    Examples
    --------
    >>> list(aligned([("id", "points"), ("张三", "7")], n_left=1))
    ['id    points', '张三       7']
    """
    rows = [[printable(text) for text in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = [(text, " " * (width - _width(text))) for text, width in zip(row, widths, strict=True)]
        left, right = padded[:n_left], padded[n_left:] if n_left is not None else []
        yield "  ".join([text + space for text, space in left] + [space + text for text, space in right]).rstrip()


def printable(text):
    r"""Return a text without what a terminal would obey: whoever names a file may write such characters into it.

    Examples
    --------
    >>> printable("ada\x1b[2J")
    'ada�[2J'
    """
    return "".join(letter if letter.isprintable() else NOT_SHOWN for letter in text)


def _width(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
