"""Exercise `multihead.merge_heads`: `(n_heads, seq_len, d_v)` becomes `(seq_len, n_heads * d_v)`."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, BATCH = "每个 token 的各段并排放回", "前面可以有批量轴"


def cases(rng):
    return [
        Case(CORE, (np.array([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]),)),
        Case(CORE, (rng.normal(size=(2, 3, 5)),)),
        Case(CORE, (rng.normal(size=(3, 2, 7)).astype(np.float32),)),
        Case(CORE, (1e6 * rng.normal(size=(5, 3, 1)),)),
        Case(CORE, (rng.normal(size=(1, 2, 3)),)),
        Case(BATCH, (rng.normal(size=(2, 3, 5, 7)),)),
        Case(BATCH, (rng.normal(size=(3, 2, 5, 7, 2)),)),
    ]


def reshape_without_transpose(heads):
    return heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)


def heads_averaged(heads):
    return heads.mean(axis=-3)


def heads_added(heads):
    return heads.sum(axis=-3)


def heads_below_each_other(heads):
    return heads.reshape(*heads.shape[:-3], -1, heads.shape[-1])


def columns_dealt_in_turn(heads):
    last = np.moveaxis(heads, -3, -1)
    return last.reshape(*last.shape[:-2], -1)


def not_flattened(heads):
    return np.swapaxes(heads, -2, -3)


def transposed(heads):
    rows = np.swapaxes(heads, -1, -2)
    return rows.reshape(*heads.shape[:-3], -1, heads.shape[-2])


def without_batch_axis(heads):
    return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)


def heads_reversed(heads):
    pieces = np.swapaxes(heads[..., ::-1, :, :], -2, -3)
    return pieces.reshape(*pieces.shape[:-2], -1)


def first_axis_concatenated(heads):
    return np.concatenate(heads, axis=-1)


def first_two_axes_exchanged(heads):
    return np.swapaxes(heads, 0, 1).reshape(heads.shape[1], -1)


def batch_always_there(heads):
    batch, n_heads, seq_len, d_v = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, seq_len, n_heads * d_v)


def with_concatenate(heads):
    return np.concatenate([heads[..., h, :, :] for h in range(heads.shape[-3])], axis=-1)


def with_loops(heads):
    if np.ndim(heads) > 3:
        return [with_loops(one) for one in heads]
    return [[number for head in heads for number in head[i]] for i in range(len(heads[0]))]


def filling_columns(heads):
    *batch, n_heads, seq_len, d_v = np.shape(heads)
    merged = np.empty((*batch, seq_len, n_heads * d_v))
    for h in range(n_heads):
        merged[..., h * d_v : (h + 1) * d_v] = heads[..., h, :, :]
    return merged


def in_float32(heads):
    heads = np.asarray(heads, dtype=np.float32)
    pieces = np.einsum("...hnd->...nhd", heads)
    return pieces.reshape(pieces.shape[:-2] + (pieces.shape[-2] * pieces.shape[-1],))


EXERCISE = Exercise(
    id="multihead.merge_heads",
    title="把头合并回去",
    points=2,
    reference=reference.merge_heads,
    returns=("x",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(BATCH, 0.3)),
    slips=(
        Slip(
            "只改形状，没有换轴",
            reshape_without_transpose,
            wrong="形状对了，内容乱了：一个 token 的一行里接上的是同一个头的下一个 token。",
            look="先把头和时间两个轴换回来，再 reshape。",
        ),
        Slip(
            "各个头取了平均",
            heads_averaged,
            wrong="多头是拼接，不是平均：平均之后，每个头带来的不同内容就混在一起，分不开了。",
            look="一个 token 的 n_heads 段要并排放：结果有 n_heads × d_v 列。",
        ),
        Slip(
            "各个头相加了",
            heads_added,
            wrong="多头是拼接，不是相加。",
            look="一个 token 的 n_heads 段要并排放：结果有 n_heads × d_v 列。",
        ),
        Slip(
            "头一个接一个往下排",
            heads_below_each_other,
            wrong="现在有 n_heads × seq_len 行；应仍是一个 token 一行，头接在右边。",
            look="拼接沿最后一个轴做。",
        ),
        Slip(
            "列是轮流放的",
            columns_dealt_in_turn,
            wrong="先放了每个头的第 0 列，再放每个头的第 1 列；应先放完头 0 的全部列。",
            look="换轴之后应是 (..., seq_len, n_heads, d_v)，再把最后两个轴并成一个。",
        ),
        Slip(
            "还没有并成一个轴",
            not_flattened,
            wrong="轴换回来了，但最后两个轴 (n_heads, d_v) 还没有并成一个。",
            look="再 reshape(..., -1)。",
        ),
        Slip(
            "结果转置了",
            transposed,
            wrong="现在一列一个 token；应一行一个。",
            look="目标是 (..., seq_len, n_heads × d_v)。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一个句子时正确；前面有批量轴时就不行了。",
            look="换轴用负的编号：np.swapaxes(heads, -2, -3)。",
        ),
        Slip(
            "头的顺序反了",
            heads_reversed,
            wrong="头 0 应在最左边。",
            look="按 0、1、2…… 的顺序拼接。",
        ),
        Slip(
            "拼接的是第一个轴",
            first_axis_concatenated,
            wrong="没有批量轴时正确；有批量轴时，np.concatenate(heads, axis=-1) 拆开的是句子，不是头。",
            look="头是倒数第三个轴：先 np.swapaxes(heads, -2, -3)，再 reshape。",
        ),
        Slip(
            "换的是前两个轴",
            first_two_axes_exchanged,
            wrong="没有批量轴时正确；有批量轴时，前两个轴不是头和时间。",
            look="从后往前数：np.swapaxes(heads, -2, -3)，reshape 时留住 pieces.shape[:-2]。",
        ),
        Slip(
            "只能处理一批句子",
            batch_always_there,
            wrong="认定了有四个轴；一个句子只有三个。",
            look="从后往前数：np.swapaxes(heads, -2, -3)，前面有几个轴都行。",
        ),
    ),
    styles=(with_concatenate, with_loops, filling_columns, in_float32),
    hints=(
        "把拆开的两步倒过来做：先换轴，再并成一个轴。",
        "np.swapaxes(heads, -2, -3) 的形状是 (..., seq_len, n_heads, d_v)。",
        "pieces = np.swapaxes(heads, -2, -3)；返回 pieces.reshape(*pieces.shape[:-2], -1)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "heads = np.asarray(heads, dtype=float) -> (dropped)",
            "np.asarray(heads, dtype=float) -> heads",
            "np.asarray(heads, dtype=float) -> np.asarray(heads)",
        ),
        "exchanging two axes is the same in either order": (
            "np.swapaxes(heads, -2, -3) -> np.swapaxes(heads, -3, -2)",
        ),
    },
)
