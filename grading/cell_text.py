"""Compare cells by what they say: their text apart from spacing, and the functions that they define."""

import ast
import re
from collections import Counter
from itertools import pairwise

MAX_CHARACTERS = 20_000  # nobody writes a longer cell by hand
DEFINITION = re.compile(r"^(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(|^(\w+)[ \t]*=[ \t]*lambda\b", re.MULTILINE)
SHELL_OR_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)


def lines_of(source):
    r"""Return the lines of a cell without what editors change: line ends, spaces at the end, blank lines around.

    Examples
    --------
    >>> lines_of("\r\nx = 1  \r\n    y\r\n")
    ['x = 1', '    y']
    """
    lines = [line.rstrip() for line in source.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def normalised(source):
    """Return the text by which two cells are compared."""
    return "\n".join(lines_of(source))


def similarity(one, other):
    """Return how alike two texts are: the share of the pairs of neighbouring characters that they have in common.

    It takes time in proportion to the length, whatever a submission holds; a comparison that aligns the texts does not.

    Examples
    --------
    >>> similarity("banana", "banana")
    1.0
    >>> round(similarity("softmax of scores", "softmax of score"), 2)
    0.97
    >>> similarity("softmax", "ink")
    0.0
    """
    if one == other:
        return 1.0
    pairs, others = (Counter(pairwise(text[:MAX_CHARACTERS])) for text in (one, other))
    return 2 * (pairs & others).total() / max(pairs.total() + others.total(), 1)


def defined_functions(source):
    r"""Return the names of the functions that a cell defines at its top level, in order, whether or not it parses.

    Examples
    --------
    >>> defined_functions("def softmax(scores):\n    def inner(): ...\nhalve = lambda x: x / 2")
    ['softmax', 'halve']
    """
    return [match.group(1) or match.group(2) for match in DEFINITION.finditer(source[:MAX_CHARACTERS])]


def parses(source):
    r"""Say whether a cell's code is whole; a line for the shell or IPython counts as a statement.

    Examples
    --------
    >>> parses("%time\nx = 1"), parses("    return x")
    (True, False)
    """
    if len(source) > MAX_CHARACTERS:
        return False
    try:
        ast.parse(SHELL_OR_MAGIC.sub(r"\1pass", source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the latter three: code made to do so
        return False
    return True


def find_block(lines, block):
    """Return where the lines of `block` stand together in `lines`, None if they do not.

    Examples
    --------
    >>> find_block(["x = 1", "check(x)"], ["check(x)"])
    1
    """
    if not block:
        return None
    places = range(len(lines) - len(block) + 1)
    return next((place for place in places if lines[place : place + len(block)] == block), None)
