"""Count what a class did: how many got an exercise right, which slips they make how often, how points are spread."""

import math
from collections import Counter
from dataclasses import dataclass

from grading.reporting.marks import NOT_JUDGED
from helpers.checks import exercises
from helpers.checks.report import TITLES

RIGHT, SLIP, OTHER, NOTHING = "right", "slip", "other", "nothing"  # kinds of answers
KINDS = {"correct": RIGHT, "not attempted": NOTHING, NOT_JUDGED: NOTHING}
NAMES = {
    "different": "数值不对，不是认得出的错误",
    NOT_JUDGED: "函数没有定义，或运行中断",
}
MARK_AND_SPACE = "✓✗…？！ "  # a title in a report begins with them

STEPS = (1, 2, 5)  # times a power of ten: how wide a bin of the histogram may be
MAX_BINS = 16


@dataclass(frozen=True)
class Group:
    """Those who gave the same answer: right, a slip (with what is wrong and where to look), another outcome."""

    kind: str
    name: str
    count: int
    wrong: str = ""
    look: str = ""


def groups(exercise_id, marks):
    """Return the answers of a class to an exercise: first the right ones, then the most frequent.

    Parameters
    ----------
    exercise_id : str
    marks : iterable of Mark

    Returns
    -------
    groups : list of Group
    """
    judged = [mark.outcomes.get(exercise_id, (NOT_JUDGED, None)) for mark in marks if mark.outcomes is not None]
    found = [_group(exercise_id, outcome, slip, count) for (outcome, slip), count in Counter(judged).items()]
    return sorted(found, key=lambda group: (group.kind != RIGHT, -group.count, group.name))


def _group(exercise_id, outcome, slip, count):
    if slip is None:
        name = NAMES.get(outcome) or TITLES.get(outcome, outcome).lstrip(MARK_AND_SPACE)
        return Group(KINDS.get(outcome, OTHER), name, count)
    exercise = exercises().get(exercise_id)
    known = {each.name: (each.wrong, each.look) for each in exercise.slips} if exercise else {}
    return Group(SLIP, slip, count, *known.get(slip, ("", "")))


def most_frequent_slips(groups_by_exercise, n_slips):
    """Return the slips of a whole assignment that are made most often.

    Parameters
    ----------
    groups_by_exercise : dict of str to list of Group
    n_slips : int

    Returns
    -------
    slips : list of (exercise_id, Group) pairs
    """
    slips = [(name, group) for name, found in groups_by_exercise.items() for group in found if group.kind == SLIP]
    return sorted(slips, key=lambda pair: -pair[1].count)[:n_slips]


def histogram(points, max_points):
    """Count how many got how many points.

    Parameters
    ----------
    points : iterable of float
    max_points : float

    Returns
    -------
    counts : list of (lowest, count) pairs
        Bins of one width, from 0 up; the last holds full marks, and whatever is above.

    Examples
    --------
    >>> histogram([0, 1.5, 3, 3], max_points=3)
    [(0, 1), (1, 1), (2, 0), (3, 2)]
    """
    step = bin_width(max_points)
    last = math.floor(max_points / step)
    # A sum of partial marks may lie a rounding error below the number that it is.
    counted = Counter(min(math.floor(each / step + 1e-9), last) for each in points)
    return [(number * step, counted[number]) for number in range(last + 1)]


def bin_width(max_points):
    """Return the width of a bin: a round number of points, with few enough bins to label.

    Examples
    --------
    >>> [bin_width(max_points) for max_points in (0, 14, 22, 100)]
    [1, 1, 2, 10]
    """
    widths = (10**power * step for power in range(10) for step in STEPS)
    return next(width for width in widths if max_points / width < MAX_BINS)
