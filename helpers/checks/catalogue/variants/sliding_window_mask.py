"""Exercise `variants.sliding_window_mask`: every position sees itself and a few before it."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Property, Slip
from helpers.reference import attention as reference

CORE, EDGES = "自己和前面几个", "窗口为 1，或比句子长"


def cases(rng):
    seq_len, window = int(rng.integers(9, 14)), int(rng.integers(4, 7))
    return [
        Case(CORE, (4, 2)),
        Case(CORE, (5, 3)),
        Case(CORE, (7, 2)),
        Case(CORE, (seq_len, window)),
        Case(EDGES, (3, 1)),
        Case(EDGES, (4, 7)),
        Case(EDGES, (5, 5)),
        Case(EDGES, (1, 1)),
    ]


def _steps_back(seq_len):
    return np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]


def one_too_many(seq_len, window):
    return (_steps_back(seq_len) >= 0) & (_steps_back(seq_len) <= window)


def one_too_few(seq_len, window):
    return (_steps_back(seq_len) >= 0) & (_steps_back(seq_len) < window - 1)


def without_itself(seq_len, window):
    return (_steps_back(seq_len) > 0) & (_steps_back(seq_len) < window)


def others_without_itself(seq_len, window):
    return (_steps_back(seq_len) > 0) & (_steps_back(seq_len) <= window)


def looking_ahead_too(seq_len, window):
    return np.abs(_steps_back(seq_len)) < window


def looking_ahead_instead(seq_len, window):
    return (_steps_back(seq_len) <= 0) & (_steps_back(seq_len) > -window)


def centred(seq_len, window):
    return np.abs(_steps_back(seq_len)) <= window // 2


def all_the_future(seq_len, window):
    return _steps_back(seq_len) < window


def window_ignored(seq_len, window):
    return _steps_back(seq_len) >= 0


def cut_into_pieces(seq_len, window):
    piece = np.arange(seq_len) // window
    return (piece[:, None] == piece[None, :]) & (_steps_back(seq_len) >= 0)


def outside_of_the_window(seq_len, window):
    return ~((_steps_back(seq_len) >= 0) & (_steps_back(seq_len) < window))


def what_came_long_ago(seq_len, window):
    return _steps_back(seq_len) >= window


def scores_for_adding(seq_len, window):
    allowed = (_steps_back(seq_len) >= 0) & (_steps_back(seq_len) < window)
    return np.where(allowed, 0.0, -np.inf)


def the_first_columns(seq_len, window):
    return (_steps_back(seq_len) >= 0) & (np.arange(seq_len) < window)


def a_row_for_each_window(seq_len, window):
    return np.array([[j - i in range(window) for j in range(seq_len)] for i in range(seq_len - window + 1)])


def negative_slices(seq_len, window):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        mask[i, i - window + 1 : i + 1] = True
    return mask


def negative_indices(seq_len, window):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        for steps in range(window):
            mask[i, (i - steps) % seq_len] = True
    return mask


def a_large_negative_for_adding(seq_len, window):
    allowed = (_steps_back(seq_len) >= 0) & (_steps_back(seq_len) < window)
    return np.where(allowed, 0.0, -1e9)


def with_loops(seq_len, window):
    return [[i - window < j <= i for j in range(seq_len)] for i in range(seq_len)]


def with_triangles(seq_len, window):
    everything = np.ones((seq_len, seq_len))
    return np.tril(everything) - np.tril(everything, -window)


def row_by_row(seq_len, window):
    mask = np.zeros((seq_len, seq_len), dtype=np.int8)
    for i in range(seq_len):
        mask[i, max(0, i - window + 1) : i + 1] = 1
    return mask


def diagonal_by_diagonal(seq_len, window):
    mask = sum(np.eye(seq_len, k=-steps) for steps in range(window))
    return mask.astype(np.float32)


EXERCISE = Exercise(
    id="variants.sliding_window_mask",
    title="滑动窗口掩码",
    points=1,
    reference=reference.sliding_window_mask,
    returns=("mask",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(EDGES, 0.3)),
    properties=(
        Property("每个位置都看得到自己", lambda mask: bool((np.diagonal(mask) == 1).all())),
        Property("没有看未来", lambda mask: not np.triu(mask, 1).any()),
    ),
    slips=(
        Slip(
            "窗口多了一个",
            one_too_many,
            wrong="窗口包含自己：window = 2 是自己和前一个，不是前两个。",
            look="i − j < window，不取等号。",
        ),
        Slip(
            "窗口少了一个",
            one_too_few,
            wrong="最远的一个漏了：window 个位置是自己和前面 window − 1 个。",
            look="0 ≤ i − j < window。",
        ),
        Slip(
            "看不到自己",
            without_itself,
            wrong="窗口从自己算起，i = j 也可以看。",
            look="i − j ≥ 0，取等号。",
        ),
        Slip(
            "窗口不含自己",
            others_without_itself,
            wrong="个数是对的，但窗口应从自己算起：自己和前面 window − 1 个。",
            look="0 ≤ i − j < window。",
        ),
        Slip(
            "前后都看了",
            looking_ahead_too,
            wrong="绝对值让窗口也向后开：看到了未来。",
            look="再加一个条件：j ≤ i。",
        ),
        Slip(
            "向前看成了向后",
            looking_ahead_instead,
            wrong="行和列反了：现在每个位置看的是自己和后面几个。",
            look="行是查询 i，列是键 j，条件是 j ≤ i。",
        ),
        Slip(
            "窗口以自己为中心",
            centred,
            wrong="窗口应全在自己这一边：自己和前面的，不看后面。",
            look="0 ≤ i − j < window。",
        ),
        Slip(
            "忘了因果的一半",
            all_the_future,
            wrong="太久以前的遮住了，但未来全都看得到。",
            look="再加一个条件：j ≤ i。",
        ),
        Slip(
            "没有用到窗口",
            window_ignored,
            wrong="这是因果掩码：前面的全都看得到。",
            look="再加一个条件：i − j < window。",
        ),
        Slip(
            "切成了一段一段",
            cut_into_pieces,
            wrong="每段里只看段内：段首的位置看不到前一个。窗口应跟着每个位置滑动。",
            look="按距离 i − j 判断，不按 i // window。",
        ),
        Slip(
            "真假反了",
            outside_of_the_window,
            wrong="约定是 True = 可以看。",
            look="窗口里面是 True。",
        ),
        Slip(
            "留下了窗口以外的",
            what_came_long_ago,
            wrong="看到的正是太久以前的。",
            look="i − j < window。",
        ),
        Slip(
            "返回了要加到分数上的数",
            scores_for_adding,
            wrong="要的是真假：True = 可以看，不是 0 和 −∞。",
            look="直接返回条件本身。",
        ),
        Slip(
            "窗口没有滑动",
            the_first_columns,
            wrong="看的总是最前面的几个键。",
            look="按距离 i − j 判断，不按 j。",
        ),
        Slip(
            "一行一个窗口，不是一行一个位置",
            a_row_for_each_window,
            wrong="每个位置都要有一行，开头的几个也是：它们前面不够 window 个，有几个看几个。",
            look="形状是 (seq_len, seq_len)。",
        ),
        Slip(
            "切片的起点成了负数",
            negative_slices,
            wrong="i − window + 1 为负时，NumPy 从末尾数起，开头几行就空了。",
            look="起点用 max(0, i − window + 1)。",
        ),
        Slip(
            "下标成了负数",
            negative_indices,
            wrong="i − steps 为负时，NumPy 从末尾数起：开头几行看到了句子的结尾。",
            look="只在 i − steps ≥ 0 时才写。",
        ),
        Slip(
            "返回了要加到分数上的大负数",
            a_large_negative_for_adding,
            wrong="要的是真假：True = 可以看，不是 0 和 −1e9。",
            look="直接返回条件本身。",
        ),
    ),
    styles=(with_loops, with_triangles, row_by_row, diagonal_by_diagonal),
    hints=(
        "写出 i − j：查询 i 往回走几步到键 j。自己是 0 步。允许的是哪几个步数？",
        "两个条件：i − j ≥ 0（不看未来），i − j < window（不太远）。",
        "steps = np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]；return (steps >= 0) & (steps < window)。",
    ),
    equivalent_mutants={
        "both conditions must hold, whichever comes first": (
            "(steps_back >= 0) & (steps_back < window) -> (steps_back < window) & (steps_back >= 0)",
        ),
    },
)
