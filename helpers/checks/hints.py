"""Three hints for every exercise, from a nudge to nearly the answer, each one call away."""

from dataclasses import dataclass

from helpers.checks.catalogue import exercises

MORE = '下一条提示：hint("{id}", {next})'
LAST = "这是最后一条提示。"
UNKNOWN = "没有 {id} 这道题。现有：{known}。"
OUT_OF_RANGE = "{id} 有 3 条提示：写 1、2 或 3。"


@dataclass(frozen=True)
class Hint:
    """One hint, shown as text."""

    text: str

    def __repr__(self):
        return self.text


def hint(exercise_id, number=1):
    """Show one of the three hints of an exercise.

    Parameters
    ----------
    exercise_id : str
    number : int
        1 is a nudge, 3 is nearly the answer.

    Returns
    -------
    Hint

    Examples
    --------
    >>> hint("attention.causal_mask", 4)
    attention.causal_mask 有 3 条提示：写 1、2 或 3。
    """
    exercise_id = str(exercise_id)
    if exercise_id not in exercises():
        return Hint(UNKNOWN.format(id=exercise_id, known="、".join(exercises())))
    if number not in (1, 2, 3):
        return Hint(OUT_OF_RANGE.format(id=exercise_id))
    number = int(number)
    more = LAST if number == 3 else MORE.format(id=exercise_id, next=number + 1)
    return Hint(f"提示 {number}/3：{exercises()[exercise_id].hints[number - 1]}\n{more}")
