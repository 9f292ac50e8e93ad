"""Exercise `tinygpt.head_score`: how much of its attention a head gives to the token so many places back."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import inspection as reference

CORE, OFFSET, BATCH = "看前一个 token", "看更前面的 token", "前面可以有批量轴"


def _weights(rng, *shape):
    """Return the weights of heads that look back alone, as a decoder's do."""
    *_, seq_len = shape
    powers = np.tri(seq_len) * rng.exponential(size=shape)
    return powers / powers.sum(axis=-1, keepdims=True)


def cases(rng):
    return [
        Case(CORE, (_weights(rng, 2, 3, 3), 1)),
        Case(CORE, (_weights(rng, 3, 7, 7), 1)),
        Case(CORE, (_weights(rng, 5, 4, 4).astype(np.float32), 1)),
        Case(CORE, (_weights(rng, 1, 9, 9), 1)),
        Case(CORE, (rng.dirichlet(np.ones(5), size=(4, 5)), 1)),  # an encoder's: they look ahead too
        Case(OFFSET, (_weights(rng, 3, 7, 7), 2)),
        Case(OFFSET, (_weights(rng, 2, 8, 8), 5)),
        Case(OFFSET, (_weights(rng, 4, 5, 5), 4)),
        Case(OFFSET, (rng.dirichlet(np.ones(6), size=(3, 6)), 2)),
        Case(BATCH, (_weights(rng, 2, 3, 5, 5), 2)),
        Case(BATCH, (_weights(rng, 3, 2, 4, 6, 6), 1)),
    ]


def _back(weights, offset):
    return np.diagonal(weights, -offset, axis1=-2, axis2=-1)


def itself(weights, offset):
    return _back(weights, 0).mean(axis=-1)


def ahead(weights, offset):
    return _back(weights, -offset).mean(axis=-1)


def divided_by_all(weights, offset):
    return _back(weights, offset).sum(axis=-1) / weights.shape[-1]


def divided_by_all_but_one(weights, offset):
    return _back(weights, offset).sum(axis=-1) / (weights.shape[-1] - 1)


def always_from_one(weights, offset):
    i = np.arange(1, weights.shape[-1])
    return weights[..., i, i - offset].mean(axis=-1)


def mean_over_the_square(weights, offset):
    return _back(weights, offset).sum(axis=-1) / weights.shape[-1] ** 2


def summed(weights, offset):
    return _back(weights, offset).sum(axis=-1)


def joined_round(weights, offset):
    i = np.arange(weights.shape[-1])
    return weights[..., i, i - offset].mean(axis=-1)


def first_left_out(weights, offset):
    return _back(weights, offset)[..., 1:].sum(axis=-1) / np.maximum(weights.shape[-1] - offset - 1, 1)


def last_left_out(weights, offset):
    return _back(weights, offset)[..., :-1].sum(axis=-1) / np.maximum(weights.shape[-1] - offset - 1, 1)


def one_further(weights, offset):
    return _back(weights, offset + 1).mean(axis=-1) if offset + 1 < weights.shape[-1] else 0 * weights[..., 0, 0]


def one_nearer(weights, offset):
    return _back(weights, offset - 1).mean(axis=-1)


def always_the_previous(weights, offset):
    return _back(weights, 1).mean(axis=-1)


def heads_averaged(weights, offset):
    return _back(weights, offset).mean(axis=(-2, -1))


def tokens_not_averaged(weights, offset):
    return _back(weights, offset).copy()


def largest(weights, offset):
    return _back(weights, offset).max(axis=-1)


def median(weights, offset):
    return np.median(_back(weights, offset), axis=-1)


def how_often_the_most(weights, offset):
    i = np.arange(offset, weights.shape[-1])
    return (weights[..., offset:, :].argmax(axis=-1) == i - offset).mean(axis=-1)


def all_that_lie_back(weights, offset):
    return np.tril(weights, -offset)[..., offset:, :].sum(axis=-1).mean(axis=-1)


def all_up_to_there(weights, offset):
    kept = np.tril(weights, -1) * ~np.tri(weights.shape[-1], k=-offset - 1, dtype=bool)
    return kept[..., offset:, :].sum(axis=-1).mean(axis=-1)


def column(weights, offset):
    return weights[..., offset:, 0].mean(axis=-1)


def share_of_the_diagonals(weights, offset):
    return _back(weights, offset).sum(axis=-1) / np.tril(weights).sum(axis=(-2, -1)) * 1.0


def first_two_axes(weights, offset):
    return np.diagonal(weights, -offset, axis1=0, axis2=1).mean(axis=-1)


def first_axis_taken_for_the_heads(weights, offset):
    return np.array([np.diagonal(head, -offset).mean() for head in weights])


def batch_averaged(weights, offset):
    score = _back(weights, offset).mean(axis=-1)
    return score.reshape(-1, score.shape[-1]).mean(axis=0)


def with_loops(weights, offset):
    if np.ndim(weights) > 2:
        return [with_loops(each, offset) for each in weights]
    total = 0.0
    for i in range(offset, len(weights)):
        total += weights[i][i - offset]
    return total / (len(weights) - offset)


def with_a_mask(weights, offset):
    n = np.shape(weights)[-1]
    i, j = np.mgrid[:n, :n]
    return (np.asarray(weights) * (i - j == offset)).sum(axis=(-1, -2)) / (n - offset)


def with_indices(weights, offset):
    i = np.arange(offset, weights.shape[-1])
    return np.average(weights[..., i, i - offset].astype(np.float32), axis=-1)


def with_a_trace(weights, offset):
    moved = np.moveaxis(weights, (-2, -1), (0, 1))
    return np.trace(moved, offset=-offset) / (len(moved) - offset)


EXERCISE = Exercise(
    id="tinygpt.head_score",
    title="往前看几个的得分",
    points=2,
    reference=reference.head_score,
    returns=("score",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.55), Behaviour(OFFSET, 0.25), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "看了自己",
            itself,
            wrong="主对角线是每个 token 看自己的权重。",
            look="第 i 行取第 i − offset 列。",
        ),
        Slip(
            "看了后面",
            ahead,
            wrong="取了对角线的上面：那里是未来，带因果掩码时权重都是 0。",
            look="np.diagonal 的 offset 往下是负的。",
        ),
        Slip(
            "除以了所有 token 的个数",
            divided_by_all,
            wrong="前 offset 个 token 前面没有那么远的 token，不算在内。",
            look="平均的是 seq_len − offset 个数。",
        ),
        Slip(
            "对整个方格取了平均",
            mean_over_the_square,
            wrong="别处换成了 0，又把这些 0 也平均了进去。",
            look="只平均那条斜线上的 seq_len − offset 个数。",
        ),
        Slip(
            "没有平均",
            summed,
            wrong="加起来了，没有除以个数：文字越长，得分越高。",
            look="mean，不是 sum。",
        ),
        Slip(
            "首尾接在了一起",
            joined_round,
            wrong="i < offset 时 i − offset 是负的，取到了最后面的列。",
            look="i 从 offset 开始。",
        ),
        Slip(
            "少了第一个",
            first_left_out,
            wrong="第 offset 个 token（从 0 数）正好有那么远的 token，也要算。",
            look="i 从 offset 开始，不是 offset + 1。",
        ),
        Slip(
            "少了最后一个",
            last_left_out,
            wrong="最后一个 token 也看前面，也要算。",
            look="i 一直到 seq_len − 1。",
        ),
        Slip(
            "远了一个",
            one_further,
            wrong="取了 offset + 1 个之前的。",
            look="offset = 1 就是前一个。",
        ),
        Slip(
            "近了一个",
            one_nearer,
            wrong="取了 offset − 1 个之前的。",
            look="offset = 1 就是前一个。",
        ),
        Slip(
            "总是看前一个",
            always_the_previous,
            wrong="offset 为 1 时对；其他的 offset 没有用上。",
            look="第 i 行取第 i − offset 列。",
        ),
        Slip(
            "总是除以 seq_len − 1",
            divided_by_all_but_one,
            wrong="offset 为 1 时对；前面有那么远的 token 的，有 seq_len − offset 个。",
            look="除以 seq_len − offset，或直接用 mean。",
        ),
        Slip(
            "总是从 i = 1 开始",
            always_from_one,
            wrong="offset 为 1 时对；更大时，i − offset 是负的，取到了最后面的列。",
            look="i 从 offset 开始。",
        ),
        Slip(
            "对头也取了平均",
            heads_averaged,
            wrong="所有的头只有一个数；一个头要有一个。",
            look="只沿最后一个轴取平均。",
        ),
        Slip(
            "没有对 token 取平均",
            tokens_not_averaged,
            wrong="每个 token 各有一个数；一个头只要一个。",
            look="最后 .mean(axis=-1)。",
        ),
        Slip(
            "取了最大的",
            largest,
            wrong="一次看得准不算：要所有 token 的平均。",
            look="mean，不是 max。",
        ),
        Slip(
            "取了中位数",
            median,
            wrong="要的是平均，不是中位数。",
            look="mean(axis=-1)。",
        ),
        Slip(
            "数了有几次看得最多",
            how_often_the_most,
            wrong="数的是权重最大的落在那里的次数；要的是权重自己的平均。",
            look="对权重取平均，不用 argmax。",
        ),
        Slip(
            "更远的也加上了",
            all_that_lie_back,
            wrong="offset 个之前的、还有更前面的都算了；只要正好那一个。",
            look="每行只取一个数：第 i − offset 列。",
        ),
        Slip(
            "更近的也加上了",
            all_up_to_there,
            wrong="从前一个到第 offset 个都算了；只要正好那一个。",
            look="每行只取一个数：第 i − offset 列。",
        ),
        Slip(
            "看了第一个 token",
            column,
            wrong="取的是第 0 列：看开头那个 token 的权重。",
            look="第 i 行取第 i − offset 列。",
        ),
        Slip(
            "取了前两个轴的对角线",
            first_two_axes,
            wrong="np.diagonal 默认用前两个轴：那里是头（或批量），不是查询和键。",
            look="axis1=-2, axis2=-1。",
        ),
        Slip(
            "把轴 0 当作了头",
            first_axis_taken_for_the_heads,
            wrong="没有批量轴时对；有批量轴时，头在倒数第三个轴。",
            look="np.diagonal(weights, -offset, axis1=-2, axis2=-1)：从后面数。",
        ),
        Slip(
            "对批量也取了平均",
            batch_averaged,
            wrong="没有批量轴时对；有批量轴时，每段文字的每个头各有一个数。",
            look="只沿最后一个轴取平均。",
        ),
    ),
    styles=(with_loops, with_a_mask, with_indices, with_a_trace),
    hints=(
        "画出权重的方格：第 i 行是第 i 个 token 在看谁。看前一个，是哪些格子？",
        "是主对角线下面的第 offset 条斜线：weights[..., i, i − offset]，i 从 offset 到最后。",
        "np.diagonal(weights, -offset, axis1=-2, axis2=-1).mean(axis=-1)。",
    ),
)
