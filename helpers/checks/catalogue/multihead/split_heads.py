"""Exercise `multihead.split_heads`: `(seq_len, d_model)` becomes `(n_heads, seq_len, d_k)`."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, BATCH, INDIVISIBLE = "拆成 (n_heads, seq_len, d_k)", "前面可以有批量轴", "除不尽时抛出 ValueError"


def cases(rng):
    return [
        Case(CORE, (np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2)),
        Case(CORE, (rng.normal(size=(3, 10)), 2)),
        Case(CORE, (rng.normal(size=(5, 6)).astype(np.float32), 3)),
        Case(CORE, (1e6 * rng.normal(size=(2, 3)), 1)),
        Case(CORE, (rng.normal(size=(2, 3)), 3)),
        Case(BATCH, (rng.normal(size=(2, 5, 6)), 3)),
        Case(BATCH, (rng.normal(size=(3, 2, 7, 10)), 5)),
        Case(INDIVISIBLE, (rng.normal(size=(3, 5)), 2)),
        Case(INDIVISIBLE, (rng.normal(size=(2, 7)), 3)),
    ]


def reshape_without_transpose(x, n_heads):
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)


def heads_after_time(x, n_heads):
    return x.reshape(*x.shape[:-1], n_heads, -1)


def heads_last(x, n_heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -1, -2)


def columns_dealt_in_turn(x, n_heads):
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, n_heads), -1, -3)


def time_last(x, n_heads):
    pieces = x.reshape(*x.shape[:-1], n_heads, -1)
    return np.moveaxis(pieces, -3, -1)


def whole_vector_for_every_head(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("d_model must be divisible by n_heads")
    return np.stack([x] * n_heads, axis=-3)


def columns_left_over(x, n_heads):
    d_k = x.shape[-1] // n_heads
    return np.stack([x[..., h * d_k : (h + 1) * d_k] for h in range(n_heads)], axis=-3)


def without_batch_axis(x, n_heads):
    seq_len, d_model = x.shape
    return x.reshape(seq_len, n_heads, d_model // n_heads).transpose(1, 0, 2)


def heads_before_the_batch(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1))


def n_heads_as_d_k(x, n_heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], -1, n_heads), -2, -3)


def assertion_when_indivisible(x, n_heads):
    assert x.shape[-1] % n_heads == 0, "d_model must be divisible by n_heads"
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def nothing_when_indivisible(x, n_heads):
    if x.shape[-1] % n_heads:
        return None
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def first_two_axes_exchanged(x, n_heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), 0, 1)


def batch_always_there(x, n_heads):
    batch, seq_len, d_model = x.shape
    return x.reshape(batch, seq_len, n_heads, d_model // n_heads).transpose(0, 2, 1, 3)


def slices_of_one_sentence(x, n_heads):
    d_k = x.shape[-1] // n_heads
    return np.stack([x[:, h * d_k : (h + 1) * d_k] for h in range(n_heads)])


def with_np_split(x, n_heads):
    return np.stack(np.split(np.asarray(x), n_heads, axis=-1), axis=-3)


def with_slices(x, n_heads):
    d_k, rest = divmod(len(x[0]) if np.ndim(x) == 2 else np.shape(x)[-1], n_heads)
    if rest:
        raise ValueError(f"{n_heads} heads do not divide the width")
    if np.ndim(x) > 2:
        return [with_slices(one, n_heads) for one in x]
    return [[[row[h * d_k + c] for c in range(d_k)] for row in x] for h in range(n_heads)]


def transposing_first(x, n_heads):
    columns = np.swapaxes(x, -1, -2)
    pieces = columns.reshape(*x.shape[:-2], n_heads, -1, x.shape[-2])
    return np.swapaxes(pieces, -1, -2)


def in_float32(x, n_heads):
    x = np.asarray(x, dtype=np.float32)
    if x.shape[-1] % n_heads != 0:
        raise ValueError("d_model % n_heads != 0")
    return np.moveaxis(x.reshape(x.shape[:-1] + (n_heads, x.shape[-1] // n_heads)), -2, -3)


EXERCISE = Exercise(
    id="multihead.split_heads",
    title="拆成多个头",
    points=2,
    reference=reference.split_heads,
    returns=("heads",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BATCH, 0.25), Behaviour(INDIVISIBLE, 0.15)),
    slips=(
        Slip(
            "只改形状，没有换轴",
            reshape_without_transpose,
            wrong="形状对了，内容乱了：头 0 拿到的全是前几个 token 的片段，第 i 行不再是第 i 个 token。",
            look="reshape 不移动数据。先变成 (..., seq_len, n_heads, d_k)，再把 seq_len 和 n_heads 两个轴交换。",
        ),
        Slip(
            "头留在了时间后面",
            heads_after_time,
            wrong="现在是 (..., seq_len, n_heads, d_k)：拆开了，但头没有移到时间前面。",
            look="最后交换倒数第二和倒数第三个轴：np.swapaxes(…, -2, -3)。",
        ),
        Slip(
            "头放到了最后",
            heads_last,
            wrong="现在头是最后一个轴；之后每个头要做矩阵乘法，最后两个轴必须是 (seq_len, d_k)。",
            look="目标是 (..., n_heads, seq_len, d_k)。",
        ),
        Slip(
            "列是轮流发的",
            columns_dealt_in_turn,
            wrong="第 h 个头拿到了第 h、h + n_heads…… 列；约定是每个头拿连续的 d_k 列。",
            look="reshape 时 n_heads 在前，d_k 在后：(..., seq_len, n_heads, d_k)。",
        ),
        Slip(
            "时间放到了最后",
            time_last,
            wrong="每个头转置了：现在是 (..., n_heads, d_k, seq_len)。",
            look="每个头里仍是一行一个 token。",
        ),
        Slip(
            "每个头都拿到了整个向量",
            whole_vector_for_every_head,
            wrong="复制了 n_heads 份，没有拆：每个头只应有 d_k = d_model / n_heads 列。",
            look="把最后一个轴切成 n_heads 段，一个头一段。",
        ),
        Slip(
            "悄悄丢掉了多余的列",
            columns_left_over,
            wrong="d_model 不能被 n_heads 整除时，多余的列不见了，谁也不会发现。",
            look="x.shape[-1] % n_heads 不是 0 时，raise ValueError，并说出两个数。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一个句子时正确；前面有批量轴时，形状就拆不出来了。",
            look="前面的轴原样保留：x.shape[:-1]；换轴用负的编号。",
        ),
        Slip(
            "把 n_heads 当成了 d_k",
            n_heads_as_d_k,
            wrong="每个头得到 n_heads 列，头的个数成了 d_model / n_heads。",
            look="n_heads 是头的个数；每个头的宽度是 d_model // n_heads。",
        ),
        Slip(
            "头放到了批量轴前面",
            heads_before_the_batch,
            wrong="没有批量轴时正确；有批量轴时，头应紧挨在 seq_len 前面，现在跑到了最前面。",
            look="np.stack(…, axis=-3)，不是 axis=0。",
        ),
        Slip(
            "除不尽时抛出的是 AssertionError",
            assertion_when_indivisible,
            wrong="assert 抛出 AssertionError，python -O 之下什么也不抛；题目要 ValueError。",
            look="if x.shape[-1] % n_heads: raise ValueError(…)。",
        ),
        Slip(
            "除不尽时返回了 None",
            nothing_when_indivisible,
            wrong="返回 None，错误要到后面才露出来。",
            look="raise ValueError，并说出两个数。",
        ),
        Slip(
            "换的是前两个轴",
            first_two_axes_exchanged,
            wrong="没有批量轴时正确；有批量轴时，前两个轴不是时间和头。",
            look="从后往前数：np.swapaxes(…, -2, -3)。",
        ),
        Slip(
            "只能处理一批句子",
            batch_always_there,
            wrong="认定了 x 有三个轴；一个句子只有两个，几批句子有四个。",
            look="前面的轴原样保留：x.shape[:-1]；换轴用负的编号。",
        ),
        Slip(
            "切的是第 1 轴，多余的列也丢了",
            slices_of_one_sentence,
            wrong="没有批量轴时，x[:, …] 切的是列；有批量轴时切的是时间。除不尽时，多余的列也不见了。",
            look="切最后一个轴：x[..., …]，叠在 axis=-3；除不尽时 raise ValueError。",
        ),
    ),
    styles=(with_np_split, with_slices, transposing_first, in_float32),
    hints=(
        "分两步：先把最后一个轴切成 n_heads 段，再把“第几段”这个轴移到时间前面。",
        "reshape 只会按原来的顺序重新分段，不会移动数据，所以第二步换轴不能省。",
        "pieces = x.reshape(*x.shape[:-1], n_heads, -1)；再 np.swapaxes(pieces, -2, -3)。除不尽时 raise ValueError。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x = np.asarray(x, dtype=float) -> (dropped)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
        "reshape raises a ValueError too, with less to say": (
            "_require_divisible(x.shape[-1], n_heads) -> (dropped)",
            "_require_divisible(x.shape[-1], n_heads) -> x.shape[-1]",
        ),
        "exchanging two axes is the same in either order": (
            "np.swapaxes(pieces, -2, -3) -> np.swapaxes(pieces, -3, -2)",
        ),
    },
)
