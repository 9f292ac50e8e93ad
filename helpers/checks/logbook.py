"""Which exercises of a section are done, tried or open, from the reports of this session."""

import html
from dataclasses import dataclass

from helpers.checks.catalogue import exercises

DONE, TRIED, OPEN = "✓ 完成", "… 试过", "○ 未做"
HEADINGS = ("题目", "状态", "得分")
TOTAL = "合计"

_latest_reports = {}  # by exercise id: the one thing that outlives a call of `check`


def record(report):
    """Remember the latest report of an exercise and return it."""
    _latest_reports[report.id] = report
    return report


@dataclass(frozen=True)
class Progress:
    """A table of exercises: rows of (id, title, state, points, max_points)."""

    rows: tuple[tuple[str, str, str, float, float], ...]

    @property
    def points(self):
        """Points reached."""
        return round(sum(row[3] for row in self.rows), 2)

    @property
    def max_points(self):
        """Points that can be reached."""
        return sum(row[4] for row in self.rows)

    def __repr__(self):
        lines = [f"{state}  {points:g}/{most:g}  {title}（{id_}）" for id_, title, state, points, most in self.rows]
        return "\n".join([*lines, f"{TOTAL}  {self.points:g}/{self.max_points:g}"])

    def _repr_html_(self):
        head = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
        body = "".join(
            f"<tr><td>{html.escape(title)} <code>{html.escape(id_)}</code></td>"
            f'<td style="white-space:nowrap">{state}</td><td style="white-space:nowrap">{points:g} / {most:g}</td></tr>'
            for id_, title, state, points, most in self.rows
        )
        total = f"<tr><td><b>{TOTAL}</b></td><td></td><td><b>{self.points:g} / {self.max_points:g}</b></td></tr>"
        return f"<table><tr>{head}</tr>{body}{total}</table>"


def progress(section):
    """Show how far the exercises of a section have come in this session.

    Parameters
    ----------
    section : str
        The part of the ids before the dot, for example `"attention"`.

    Returns
    -------
    Progress

    Raises
    ------
    ValueError
        If no exercise belongs to the section.
    """
    chosen = [exercise for exercise in exercises().values() if exercise.id.split(".")[0] == section]
    if not chosen:
        known = sorted({id_.split(".")[0] for id_ in exercises()})
        raise ValueError(f"no exercises in section {section!r}; there are {', '.join(known)}")
    return Progress(tuple(_row(exercise) for exercise in chosen))


def _row(exercise):
    report = _latest_reports.get(exercise.id)
    if report is None or report.outcome == "not attempted":
        return exercise.id, exercise.title, OPEN, 0.0, exercise.points
    state = DONE if report.outcome == "correct" else TRIED
    return exercise.id, exercise.title, state, report.points, exercise.points
