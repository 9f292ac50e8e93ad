"""What the wrong answers have in common that compare a prediction with another token than the next one."""

from helpers.checks.exercise import Slip

# By the name of the slip: what is wrong, and where to look.
MISTAKES = {
    "没有移位": (
        "第 i 行说的是第 i + 1 个 token，却拿第 i 个去比。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]。",
    ),
    "没有移位，去掉了最后一个": (
        "个数对了，但第 i 行仍和第 i 个 token 比；应和第 i + 1 个比。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]。",
    ),
    "没有移位，去掉了第一个": (
        "个数对了，但第 i 行仍和第 i 个 token 比；应和第 i + 1 个比。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]。",
    ),
    "编号少了一个轴": (
        "np.take_along_axis 要两个数组的轴一样多；token_ids 没有词表的轴。",
        "token_ids[..., 1:, None]，取完再 [..., 0]。",
    ),
    "logits 的最后一行没有去掉": (
        "token_ids 去掉了第一个，logits 还有 seq_len 行，对不上。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]，各 seq_len − 1 个。",
    ),
    "往反方向移了": (
        "拿前一个 token 去比，而它已经读过了。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]。",
    ),
    "首尾接在了一起": (
        "最后一行拿第一个 token 去比了；它后面没有 token，不算。",
        "logits[..., :-1, :] 与 token_ids[..., 1:]，不用 np.roll。",
    ),
}


def slip(name, code):
    """Return the slip of code that makes one of these mistakes."""
    wrong, look = MISTAKES[name]
    return Slip(name, code, wrong=wrong, look=look)
