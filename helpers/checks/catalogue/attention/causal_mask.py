"""Exercise `attention.causal_mask`: `j <= i`, nobody sees the future."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, SINGLE = "只看自己和前面：j <= i", "只有一个位置"


def cases(rng):
    return [
        Case(CORE, (2,)),
        Case(CORE, (3,)),
        Case(CORE, (int(rng.integers(5, 9)),)),
        Case(SINGLE, (1,)),
    ]


def strictly_before(seq_len):
    return np.tri(seq_len, k=-1, dtype=bool)


def itself_and_after(seq_len):
    return np.tri(seq_len, dtype=bool).T


def inverted(seq_len):
    return ~np.tri(seq_len, dtype=bool)


def everything(seq_len):
    return np.ones((seq_len, seq_len), dtype=bool)


def itself_alone(seq_len):
    return np.eye(seq_len, dtype=bool)


def one_step_ahead(seq_len):
    return np.tri(seq_len, k=1, dtype=bool)


def additive(seq_len):
    return np.where(np.tri(seq_len, dtype=bool), 0.0, -np.inf)


def additive_large(seq_len):
    return np.where(np.tri(seq_len, dtype=bool), 0.0, -1e9)


def additive_without_itself(seq_len):
    return np.where(np.tri(seq_len, k=-1, dtype=bool), 0.0, -np.inf)


def additive_large_without_itself(seq_len):
    return np.triu(np.ones((seq_len, seq_len))) * -1e9


def with_loops(seq_len):
    return [[j <= i for j in range(seq_len)] for i in range(seq_len)]


def with_tril(seq_len):
    return np.tril(np.ones((seq_len, seq_len), dtype=bool))


def with_indices(seq_len):
    i, j = np.indices((seq_len, seq_len))
    return i - j >= 0


def by_filling_rows(seq_len):
    mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        mask[i, : i + 1] = True
    return mask


def as_numbers(seq_len):
    return np.tri(seq_len, dtype=np.float32)


EXERCISE = Exercise(
    id="attention.causal_mask",
    title="因果掩码",
    points=1,
    reference=reference.causal_mask,
    returns=("mask",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.8), Behaviour(SINGLE, 0.2)),
    slips=(
        Slip(
            "写成了 j < i",
            strictly_before,
            wrong="自己也被遮住了：第一个位置什么都看不到，它的输出只能是 0。",
            look="每个位置可以看自己：对角线应为 True。",
        ),
        Slip(
            "写成了 j >= i",
            itself_and_after,
            wrong="三角形翻到了另一边：每个位置看的是自己和未来，过去反而被遮住。",
            look="行是查询 i，列是键 j；应允许 j <= i，也就是左下角。",
        ),
        Slip(
            "真假反了",
            inverted,
            wrong="这里的约定是 True = 可以看；现在 True 的正是不许看的位置。",
            look="取反，或把比较写成 j <= i。",
        ),
        Slip(
            "什么都没有遮住",
            everything,
            wrong="所有位置都可以看未来：这是双向注意力的掩码。",
            look="比较键的位置 j 和查询的位置 i。",
        ),
        Slip(
            "只能看自己",
            itself_alone,
            wrong="只有对角线是 True：前面的位置也应当看得到。",
            look="是 j <= i，不是 j == i。",
        ),
        Slip(
            "多看了一步",
            one_step_ahead,
            wrong="每个位置看到了下一个位置：预测下一个 token 时，答案就在眼前。",
            look="对角线右边的一条也应为 False。",
        ),
        Slip(
            "给出了加性掩码",
            additive,
            wrong="返回的是要加到分数上的 0 和 −∞；这里的约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j <= i。",
        ),
        Slip(
            "给出了加性掩码（−1e9）",
            additive_large,
            wrong="返回的是要加到分数上的 0 和 −1e9；这里的约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j <= i。",
        ),
        Slip(
            "给出了加性掩码，连自己也遮住了",
            additive_without_itself,
            wrong="返回的是要加到分数上的数，而且对角线上也是 −∞；这里的约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j <= i。",
        ),
        Slip(
            "给出了加性掩码（−1e9），连自己也遮住了",
            additive_large_without_itself,
            wrong="返回的是要加到分数上的数，对角线上也是 −1e9（np.triu 包括对角线）；约定是布尔掩码，True = 可以看。",
            look="直接返回比较的结果 j <= i。",
        ),
    ),
    styles=(with_loops, with_tril, with_indices, by_filling_rows, as_numbers),
    hints=(
        "先把位置编号：查询的位置 i 是行，键的位置 j 是列。什么时候允许看？",
        "np.arange(seq_len) 给出所有位置。一个放成列 (seq_len, 1)，一个放成行 (1, seq_len)，就能一次比较所有的对。",
        "position = np.arange(seq_len)；比较 position[None, :]（键 j）和 position[:, None]（查询 i），用 <=。",
    ),
)
