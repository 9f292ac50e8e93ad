"""Show what a class did as one HTML page in Chinese, with nothing to load from elsewhere and no script in it."""

import statistics
from html import escape
from pathlib import Path

from grading.reporting.counts import (
    NOTHING,
    OTHER,
    RIGHT,
    SLIP,
    bin_width,
    groups,
    histogram,
    most_frequent_slips,
)
from grading.reporting.table import points_text
from helpers.checks import exercises
from helpers.style import PALETTE

STYLE = Path(__file__).with_name("page.css")
SHADES = {"line": "#d5d5d5", "pale": "#f4f4f4"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # a browser then runs and loads nothing, whatever gets in here
N_SLIPS_TO_REPEAT = 6
BAR_HEIGHT = 9  # rem, of the highest in a histogram

TITLE = "批改报告"
MADE = "生成于 {when:%Y-%m-%d %H:%M}"
CONTENTS = "目录"
MARKS, FLAGS = "成绩", "需要看一眼的"
STUDENT, NAME, TOTAL, TO_MARK, N_FLAGS = "学号", "姓名", "合计", "待批", "提醒"
MAXIMUM = "满分 {points}"
ABSENT, NOT_GRADED = "没交", "没批完"
ABOUT_MARKS = "“待批”是还没有给分的书面题数，批完之前合计里没有它们的分；“提醒”的内容在本页最后。"
GRADED, MEAN, MEDIAN, WAITING, UNGRADED = "份已批改", "平均分", "中位数", "道书面题待批", "份没批完"
REPEAT = "课上值得再讲的"
NO_SLIPS = "没有认出有名字的错误。"
SPREAD = "分数的分布"
ABOUT_SPREAD = "每格 {width} 分，横轴是一格里的最低分，柱上是人数。满分 {points} 分。"
EACH_EXERCISE = "每道练习"
DETAILS = "错在哪里"
KIND_NAMES = {RIGHT: "全对", SLIP: "认出的错误", OTHER: "别的错误", NOTHING: "没有作答，或无法评判"}
WHY = "<b>不对的：</b>{wrong}<b>　下一步：</b>{look}"
SHARE = "{count} 人 · {percent:.0f}%"
OUT_OF = "{count} / {total} 全对"
WRITTEN = "书面题"
STILL_WAITING = "{count} 份待批"
ALL_MARKED = "都批完了"
HOW_TO_MARK = "在 formgrader 里批：make lab，菜单 Nbgrader &gt; Formgrader。批完后再生成这份报告。"
NO_RECORDS = "这一节没有可以统计的批改记录。"
NO_FLAGS = "没有。"
ABOUT_FLAGS = "这些只是请你看一眼，本身不加分也不扣分。"


def as_html(class_marks, when):
    """Return the page.

    Parameters
    ----------
    class_marks : ClassMarks
    when : datetime
        When it is made.

    Returns
    -------
    html : str
    """
    sections = [_assignment(assignment, class_marks) for assignment in class_marks.assignments]
    colors = "".join(f"--{name}:{color};" for name, color in (PALETTE | SHADES).items())
    return f"""<!doctype html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{TITLE}</title>
<style>
:root {{ {colors} }}
{STYLE.read_text(encoding="utf-8")}</style>
</head>
<body>
<h1>{TITLE}</h1>
<p class="quiet">{MADE.format(when=when)}</p>
{_contents(class_marks)}
{_marks(class_marks)}
{"".join(sections)}
{_flags(class_marks)}
</body>
</html>
"""


def _contents(class_marks):
    entries = [("marks", MARKS), *((each.name, each.title) for each in class_marks.assignments), ("flags", FLAGS)]
    links = "".join(f'<li><a href="#{escape(anchor)}">{escape(text)}</a></li>' for anchor, text in entries)
    return f'<nav aria-label="{CONTENTS}"><ul>{links}</ul></nav>'


# ---- the table -------------------------------------------------------------------------------------------------------


def _marks(class_marks):
    maximum = sum(each.max_points for each in class_marks.assignments)
    columns = [(each.title, each.max_points) for each in class_marks.assignments] + [(TOTAL, maximum)]
    head = "".join(
        f'<th scope="col">{escape(title)}<small>{MAXIMUM.format(points=points_text(points))}</small></th>'
        for title, points in columns
    )
    name = f'<th scope="col" class="name">{NAME}</th>' if class_marks.names else ""
    rows = "".join(_row(student, class_marks) for student in class_marks.students)
    return (
        f'<h2 id="marks">{MARKS}</h2><p class="quiet">{ABOUT_MARKS}</p><div class="scroll" tabindex="0"><table><thead>'
        f'<tr><th scope="col">{STUDENT}</th>{name}{head}<th scope="col">{TO_MARK}</th><th scope="col">{N_FLAGS}</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(student, class_marks):
    marks = class_marks.of_student(student)
    there = [mark for mark in marks if mark is not None]
    name = f'<td class="name">{escape(class_marks.names.get(student, ""))}</td>' if class_marks.names else ""
    total = points_text(sum(mark.points or 0 for mark in there))
    waiting, n_flags = sum(len(mark.waiting) for mark in there), sum(len(mark.flags) for mark in there)
    flags = f'<td class="alert">{n_flags}</td>' if n_flags else "<td></td>"
    return (
        f'<tr><th scope="row">{escape(student)}</th>{name}{"".join(map(_points, marks))}<td><b>{total}</b></td>'
        f"<td>{waiting or ''}</td>{flags}</tr>"
    )


def _points(mark):
    if mark is None:
        return f'<td class="none">{ABSENT}</td>'
    return f'<td class="alert">{NOT_GRADED}</td>' if mark.points is None else f"<td>{points_text(mark.points)}</td>"


# ---- an assignment ---------------------------------------------------------------------------------------------------


def _assignment(assignment, class_marks):
    marks = class_marks.of_assignment(assignment).values()
    points = [mark.points for mark in marks if mark.points is not None]
    found = {name: groups(name, marks) for name in assignment.exercises}
    found = {name: each for name, each in found.items() if each}
    title = f'<h2 id="{escape(assignment.name)}">{escape(assignment.title)}</h2>'
    answers = _repeat(assignment, found) + _spread(assignment, points) + _exercises(assignment, found)
    return (
        title
        + _numbers(marks, points)
        + (answers if found else _spread(assignment, points) + f"<p>{NO_RECORDS}</p>")
        + _written(assignment, marks)
    )


def _numbers(marks, points):
    ungraded, waiting = len(marks) - len(points), sum(len(mark.waiting) for mark in marks)
    numbers = [(len(points), GRADED)]
    if points:
        numbers += [(points_text(statistics.mean(points)), MEAN), (points_text(statistics.median(points)), MEDIAN)]
    numbers += [(ungraded, UNGRADED)] if ungraded else []
    numbers += [(waiting, WAITING)] if waiting else []
    return f'<ul class="numbers">{"".join(f"<li><b>{number}</b>{what}</li>" for number, what in numbers)}</ul>'


def _repeat(assignment, found):
    """Return what tomorrow's lecture may repeat: the slips of the whole assignment that are made most often."""
    slips = most_frequent_slips(found, N_SLIPS_TO_REPEAT)
    items = "".join(
        f"<li><span><b>{escape(slip.name)}</b><br>{_link(assignment, name)}</span>"
        f"{_bar([slip], _total(found[name]))}{_count(slip.count, _total(found[name]))}"
        f'<p class="why quiet">{escape(slip.wrong)}</p></li>'
        for name, slip in slips
    )
    return f"<h3>{REPEAT}</h3>" + (f'<ol class="repeat">{items}</ol>' if slips else f"<p>{NO_SLIPS}</p>")


def _spread(assignment, points):
    if not points:
        return ""
    bins = histogram(points, assignment.max_points)
    highest = max(count for _, count in bins)
    columns = "".join(
        f"<li{'' if count else ' class=empty'}><b>{count}</b>"
        f'<i style="height:{BAR_HEIGHT * count / highest:.2f}rem"></i><span>{points_text(lowest)}</span></li>'
        for lowest, count in bins
    )
    about = ABOUT_SPREAD.format(
        width=points_text(bin_width(assignment.max_points)), points=points_text(assignment.max_points)
    )
    return f'<h3>{SPREAD}</h3><ul class="histogram">{columns}</ul><p class="quiet">{about}</p>'


def _exercises(assignment, found):
    key = "".join(f'<li><i class="{kind}"></i>{name}</li>' for kind, name in KIND_NAMES.items())
    overview = "".join(
        f"<li><span>{_link(assignment, name)}</span>{_bar(each, _total(each))}"
        f'<span class="count">{OUT_OF.format(count=_count_right(each), total=_total(each))}</span></li>'
        for name, each in found.items()
    )
    details = "".join(_exercise(assignment, name, each) for name, each in found.items())
    return (
        f'<h3>{EACH_EXERCISE}</h3><ul class="key quiet">{key}</ul><ul class="overview">{overview}</ul>'
        f"<h3>{DETAILS}</h3>{details}"
    )


def _exercise(assignment, name, found):
    total = _total(found)
    state = " some-wrong" if _count_right(found) < total else ""
    return (
        f'<section class="exercise{state}" id="{escape(_anchor(name))}"><h4>{escape(_label(assignment, name))} '
        f'<span class="id">{escape(name)}</span></h4>{"".join(_group(each, total) for each in found)}</section>'
    )


def _group(group, total):
    why = WHY.format(wrong=escape(group.wrong), look=escape(group.look)) if group.wrong else ""
    return (
        f'<div class="group"><span>{escape(group.name)}</span>{_bar([group], total)}{_count(group.count, total)}'
        f"{f'<p class=why>{why}</p>' if why else ''}</div>"
    )


def _bar(found, total):
    """Return a bar whose parts are shares of the class, in the order of the legend."""
    parts = "".join(
        f'<i class="{kind}" style="width:{100 * count / total:.2f}%"></i>'
        for kind in KIND_NAMES
        if (count := sum(group.count for group in found if group.kind == kind))
    )
    return f'<div class="bar" aria-hidden="true">{parts}</div>'


def _count(count, total):
    return f'<span class="count">{SHARE.format(count=count, percent=100 * count / total)}</span>'


def _total(found):
    return sum(group.count for group in found)


def _count_right(found):
    return sum(group.count for group in found if group.kind == RIGHT)


def _link(assignment, name):
    return f'<a href="#{escape(_anchor(name))}">{escape(_label(assignment, name))}</a>'


def _label(assignment, name):
    """Return the heading that an exercise stands under in its lesson; failing that, its title or its id."""
    known = exercises().get(name)
    return assignment.exercises.get(name) or (known.title if known else name)


def _anchor(name):
    return f"exercise-{name}"


def _written(assignment, marks):
    if not assignment.written:
        return ""
    waiting = [name for mark in marks for name in mark.waiting]
    items = "".join(
        f'<li>{escape(heading)} <span class="id">{escape(name)}</span>：'
        f"{STILL_WAITING.format(count=waiting.count(name)) if name in waiting else ALL_MARKED}</li>"
        for name, heading in assignment.written.items()
    )
    how = f'<p class="quiet">{HOW_TO_MARK}</p>' if waiting else ""
    return f"<h3>{WRITTEN}</h3><ul>{items}</ul>{how}"


# ---- what to look at -------------------------------------------------------------------------------------------------


def _flags(class_marks):
    people = "".join(_flags_of(student, class_marks) for student in class_marks.students)
    listed = f'<p class="quiet">{ABOUT_FLAGS}</p>{people}' if people else f"<p>{NO_FLAGS}</p>"
    return f'<h2 id="flags">{FLAGS}</h2>{listed}'


def _flags_of(student, class_marks):
    items = "".join(
        f'<li><span class="quiet">{escape(assignment.title)}</span>　{escape(flag)}</li>'
        for assignment, mark in zip(class_marks.assignments, class_marks.of_student(student), strict=True)
        for flag in (mark.flags if mark else ())
    )
    name = class_marks.names.get(student, "")
    return (
        f'<div class="person"><b>{escape(student)}</b>　{escape(name)}<ul class="flags">{items}</ul></div>'
        if items
        else ""
    )
