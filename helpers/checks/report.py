"""Show a judgement: HTML to the eye, a bare number of points as `text/plain` for nbgrader, text in a terminal.

nbgrader reads the points of a cell from `text/plain`, and anything that is not a plain non-negative number counts
as full marks; so `repr` of a report is such a number wherever a kernel may be reading it.
"""

import builtins
import html
import inspect
import sys
from dataclasses import dataclass

import numpy as np

from helpers.checks.time_limit import has_time_limit

TITLES = {
    "correct": "✓ 全对",
    "not attempted": "… 还没有作答",
    "reference called": "✗ 调用了参考实现",
    "timed out": "✗ 超时",
    "raised": "✗ 运行时出错",
    "wrong type": "✗ 返回值的类型不对",
    "not raised": "✗ 应当报错，却没有",
    "wrong shape": "✗ 形状不对",
    "not finite": "✗ 出现了 NaN 或无穷大",
    "changed inputs": "✗ 改动了传进来的数组",
    "slip": "✗ 认出了这个错误",
    "different": "✗ 数值不对",
    "unknown exercise": "？没有这道题",
    "not a function": "？交来的不是函数",
    "check failed": "！检查程序自己出错了",
}
COLORS = {"correct": "#009E73", "not attempted": "#767676", "unknown exercise": "#767676", "check failed": "#767676"}
WRONG_COLOR = "#D55E00"

NEXT_STEP = {
    "not attempted": '把函数补完，再运行这一格。没有思路时，运行 hint("{id}")。',
    "reference called": "参考实现在检查时是锁住的：调用它不算作答。请用 NumPy 自己写出来。",
    "timed out": "循环能结束吗？有没有对每个元素做了不必要的重复计算？",
    "raised": "先让函数在题目里的手算例（写成 np.array）上跑通，再运行这一格。",
    "wrong type": "对照题目里写明的返回值。",
    "not raised": "在函数开头检查输入，不合要求就 raise。",
    "wrong shape": "在纸上写出每一步的形状，看哪一步多了、少了或换了一个轴。",
    "not finite": "哪一步会除以 0，或对很大的数取指数？",
    "changed inputs": "改之前先复制：a = a.copy()；写成 a = a + b，不写成 a += b。",
    "different": '先用题目里的手算例（写成 np.array）运行函数，对照每一步的结果。需要提示时，运行 hint("{id}")。',
}
RAISED_LATER = "较小的例子已经跑通；看这一次的输入多了什么（批量轴、掩码、很大的数），写出每一步的形状。"
ONE_OF_SEVERAL = "改好之后再检查一次：此外还有别的错误。"
UNUSABLE = {
    "none": "函数返回了 None：是不是忘了写 return？",
    "parts": "应返回 {n_parts} 个结果（{returns}，用逗号分开），现在是{detail}。",
    "effect": "{detail}",
    "huge": "返回的数组大得不可能是答案：{detail}。",
    "ragged": "返回的嵌套列表各行长短不一，不能当作数组。",
    "type": "返回值不是由实数组成的数组，而是 {detail}。",
}
RIGHT, WRONG, LOOK = "已经对的", "不对的", "下一步"
SHAPE_RIGHT = "形状对了"
PASSED, FAILED = "通过", "未通过"
RAISED_AT_LINE = "（你的函数所在单元格的第 {line} 行）"
CALLS_UNWRITTEN = "它调用的 {detail} 还没有写完。"
TIMED_OUT_AFTER = "{detail} 秒之内没有返回，已被叫停。"
VALUES_RIGHT = "返回的数值是对的；但题目要求不改动传进来的数组。"
NOT_RAISED = "这组输入不合要求，应抛出 {expected}；你的函数却照样返回了一个结果。"
OTHER_ERROR, OTHER_FUNCTION = "自定义的异常", "另一个函数"
SHAPE_IS_WRONG = "{part} 的形状不对。"
SHAPE_IS = "{part} 的形状是 {got}，应为 {expected}。"
ENTRY_IS = "{part}{index} 是 {got}，应为 {expected}。"
FAILING_CASE = "出错的例子"
PERHAPS = "可能是"
SAME_ERRORS = "{name}。{wrong}（这个常见的错误，在每组输入上都这样报错。）"
CORE_FIRST = "第一项“{core}”没有通过时，其余各项暂不计分。"
CHANGED_INPUTS = "提醒：你的函数改动了传给它的数组；别处还要用它们，请先复制。"
WARNED = "运行时的警告：{warned}"
PRINTED = "函数打印的内容：{printed}"
NOTHING_STOPS_A_LOOP = (
    "提醒：浏览器里的 Python 没有时限，死循环停不下来。一格总是 [*] 时，先保存，再选“内核 → 重启内核”，改好再运行。"
)
CANNOT_READ = "请把这一格的内容恢复原样再运行。{detail}"

MAX_SHOWN_ENTRIES, MAX_SHOWN_BOOLEANS = 12, 40


@dataclass(frozen=True)
class Report:
    """What a learner and an instructor read about one answer.

    Attributes
    ----------
    id : str
        The exercise's.
    title : str
    points, max_points : float
    outcome : str
        A key of `TITLES`.
    slip : str or None
        Name of the recognised mistake.
    lines : tuple of (heading, sentence) pairs
    behaviours : tuple of (name, passed) pairs
    """

    id: str
    title: str
    points: float
    max_points: float
    outcome: str
    slip: str | None = None
    lines: tuple[tuple[str, str], ...] = ()
    behaviours: tuple[tuple[str, bool], ...] = ()

    def __str__(self):
        head = f"{TITLES[self.outcome]}  {self.title}（{self.id}）  {self.points:g} / {self.max_points:g} 分"
        named = [f"错误：{self.slip}"] if self.slip else []
        lines = [f"{heading}：{sentence}" if heading else sentence for heading, sentence in self.lines]
        behaviours = [f"  [{'✓' if passed else '✗'}] {name}" for name, passed in self.behaviours]
        return "\n".join([head, *named, *lines, *behaviours])

    def __repr__(self):
        return str(self) if _in_terminal() else f"{self.points:g}"

    def _repr_html_(self):
        color = COLORS.get(self.outcome, WRONG_COLOR)
        named = f"<p><b>错误：{html.escape(self.slip)}</b></p>" if self.slip else ""
        return (
            f'<div style="border-left:4px solid {color};padding:0.3em 1em;overflow-wrap:anywhere">'
            f"<p><b>{TITLES[self.outcome]}</b>　{html.escape(self.title)}　"
            f'<b style="white-space:nowrap">{self.points:g} / {self.max_points:g} 分</b></p>'
            f"{named}{''.join(map(_line_html, self.lines))}{_behaviours_html(self.behaviours)}</div>"
        )


def build_report(exercise, judgement, cases, answers, reveal=True):
    """Put a judgement into words: what is right already, what is wrong, what to look at next.

    Parameters
    ----------
    exercise : Exercise
    judgement : Judgement
    cases : list of Case
    answers : list of Answer
    reveal : bool
        Whether inputs, outputs and messages may be shown; not while grading, where the cases are secret.

    Returns
    -------
    Report
    """
    lines = ()
    if judgement.failing is not None:
        case, answer = cases[judgement.failing], judgement.answer
        lines = (
            *_right_lines(judgement, answers),
            *_wrong_lines(exercise, judgement, case, answer, reveal),
            (LOOK, _next_step(exercise, judgement)),
        )
    attempted = judgement.outcome != "not attempted"
    return Report(
        id=exercise.id,
        title=exercise.title,
        points=judgement.points,
        max_points=exercise.points,
        outcome=judgement.outcome,
        slip=judgement.slip.name if judgement.slip else None,
        lines=(*lines, *(_notes(exercise, judgement, answers, reveal) if attempted else _warning_before_a_loop())),
        behaviours=tuple(
            (behaviour.name, behaviour.name in judgement.passed) for behaviour in exercise.behaviours if attempted
        ),
    )


def _next_step(exercise, judgement):
    if judgement.suspected:
        return judgement.suspected.look
    if judgement.slip:
        return judgement.slip.look + ("" if judgement.slip_is_all else ONE_OF_SEVERAL)
    if judgement.outcome == "raised" and judgement.failing > 0:
        return RAISED_LATER
    return NEXT_STEP[judgement.outcome].format(id=exercise.id)


def _right_lines(judgement, answers):
    if judgement.outcome in ("not attempted", "reference called"):
        return ()
    right = [SHAPE_RIGHT] if judgement.worst and all(answer.parts for answer in answers) else []
    right += judgement.properties
    return ((RIGHT, "；".join(right) + "。"),) if right else ()


def _wrong_lines(exercise, judgement, case, answer, reveal):
    wrong = [(WRONG, judgement.slip.wrong)] if judgement.slip else []
    if judgement.outcome in ("not attempted", "reference called"):
        return wrong
    if reveal:
        wrong.append((FAILING_CASE, _call_text(exercise, case)))
    sentence = _what_came_out(exercise, judgement, case, answer, reveal)
    if sentence:
        wrong.append(("" if judgement.slip else WRONG, sentence))
    if judgement.suspected:
        name, sentence = judgement.suspected.name, judgement.suspected.wrong
        wrong.append((PERHAPS, SAME_ERRORS.format(name=name, wrong=sentence)))
    return wrong


def _what_came_out(exercise, judgement, case, answer, reveal):
    if answer.problem == "NotImplementedError":
        return CALLS_UNWRITTEN.format(detail=answer.detail if reveal else OTHER_FUNCTION)
    if answer.status == "raised":
        return _error_text(answer, reveal)
    if answer.status == "timed out":
        return TIMED_OUT_AFTER.format(detail=answer.detail)
    if answer.status == "unusable":
        return UNUSABLE[answer.problem].format(
            n_parts=len(exercise.returns), returns=", ".join(exercise.returns), detail=answer.detail if reveal else "…"
        )
    if judgement.outcome == "changed inputs":
        return VALUES_RIGHT
    if judgement.expected_error:
        return NOT_RAISED.format(expected=judgement.expected_error)
    if reveal and judgement.worst:
        return _worst_text(exercise, judgement, case)
    return _wrong_shapes(exercise, judgement, answer, reveal)


def _error_text(answer, reveal):
    """Name the exception; of a secret case only a name that is Python's own: a learner's can carry its numbers."""
    where = RAISED_AT_LINE.format(line=answer.line) if answer.line else ""
    if reveal:
        return f"{answer.problem}{': ' + answer.detail if answer.detail else ''}{where}"
    return f"{answer.problem if hasattr(builtins, answer.problem) else OTHER_ERROR}{where}"


def _worst_text(exercise, judgement, case):
    worst = judgement.worst
    index = f"[{', '.join(map(str, worst.index))}]" if worst.index else ""
    boolean = getattr(exercise.reference(*case.arguments), "dtype", np.dtype(float)).kind == "b"
    got, expected = (_entry_text(value, boolean) for value in (worst.got, worst.expected))
    return ENTRY_IS.format(part=worst.part, index=index, got=got, expected=expected)


def _entry_text(value, boolean):
    return str(bool(value)) if boolean and value in (0, 1) else f"{value:.4g}"


def _wrong_shapes(exercise, judgement, answer, reveal):
    """Say which returned array has the wrong shape; of a secret case not which shape it has."""
    for name, got, expected in zip(exercise.returns, answer.parts, judgement.expected, strict=False):
        if got.shape != expected.shape:
            shapes = SHAPE_IS.format(part=name, got=got.shape, expected=expected.shape)
            return shapes if reveal else SHAPE_IS_WRONG.format(part=name)
    return ""


def _call_text(exercise, case):
    names = inspect.signature(exercise.reference).parameters
    arguments = [f"{name}={_value_text(value)}" for name, value in zip(names, case.arguments, strict=False)]
    return f"{exercise.reference.__name__}({', '.join(arguments)})"


def _value_text(value):
    if callable(value):
        return getattr(value, "__name__", "…")
    if not isinstance(value, np.ndarray):
        return repr(value)
    boolean = value.dtype == bool
    if value.size > (MAX_SHOWN_BOOLEANS if boolean else MAX_SHOWN_ENTRIES):
        return f"<{' × '.join(map(str, value.shape))} 数组>"
    shown = value.astype(int) if boolean else value
    entries = np.array2string(shown, precision=3, separator=", ", suppress_small=True).replace("\n", "")
    return f"np.array({entries}{', dtype=bool' if boolean else ''})"


def _notes(exercise, judgement, answers, reveal):
    core = exercise.behaviours[0].name
    notes = [("", CORE_FIRST.format(core=core))] if judgement.passed and core in judgement.failed else []
    if judgement.outcome != "changed inputs" and any(answer.changed_inputs for answer in answers):
        notes.append(("", CHANGED_INPUTS))
    if reveal:
        notes += [("", WARNED.format(warned=answer.warned)) for answer in answers if answer.warned][:1]
        notes += [("", PRINTED.format(printed=answer.printed.strip()[:200])) for answer in answers if answer.printed][
            :1
        ]
    return tuple(notes)


def _warning_before_a_loop():
    """Warn before anything is written, where a time limit does not work: afterwards no report would come."""
    return () if has_time_limit() else (("", NOTHING_STOPS_A_LOOP),)


def _line_html(line):
    heading, sentence = line
    lead = f"<b>{html.escape(heading)}：</b>" if heading else ""
    return f"<p>{lead}{html.escape(sentence)}</p>"


def _behaviours_html(behaviours):
    if not behaviours:
        return ""
    items = "".join(
        f"<li>{'✓' if passed else '✗'} {html.escape(name)}：{PASSED if passed else FAILED}</li>"
        for name, passed in behaviours
    )
    return f'<ul style="list-style:none;padding-left:0">{items}</ul>'


def _in_terminal():
    """Say whether a person reads `repr` in a terminal: plain Python's prompt, or IPython's."""
    if "IPython" not in sys.modules:
        return True
    from IPython import get_ipython

    shell = get_ipython()
    return shell is None or type(shell).__name__ == "TerminalInteractiveShell"
