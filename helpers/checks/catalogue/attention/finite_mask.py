"""What the wrong answers have in common that mask with −1e4 in place of −∞, wherever an exercise has a mask."""

from helpers.checks.exercise import Slip

KEPT_BY_THE_LOWEST = "分数比 −1e4 还低时，不许看的键反而拿走了权重；−∞ 才比什么分数都低"


def filled(code, look):
    """Return the slip of code that puts −1e4 in the place of a forbidden score."""
    return Slip("用 −1e4 遮住", code, wrong=f"{KEPT_BY_THE_LOWEST}。", look=look)


def filled_with_blind_row_zero(code, look):
    """Return the slip of code that does so, and gives no weight in a row that may look nowhere."""
    wrong = f"{KEPT_BY_THE_LOWEST}（什么都不许看的一行你照顾到了。）"
    return Slip("用 −1e4 遮住，什么都不许看的一行为 0", code, wrong=wrong, look=look)


def subtracted(code, look):
    """Return the slip of code that takes 1e4 off a forbidden score."""
    wrong = "不许看的分数本来就高出 1e4 以上时，减去 1e4 也遮不住；−∞ 才遮得住。"
    return Slip("减去 1e4 来遮住", code, wrong=wrong, look=look)
