"""Exercise `multihead.score_rank`: how many independent directions one head's scores have."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, REPEATED, SCALE, BATCH = "分数矩阵的秩", "有重复的 token 时", "分数很小或很大时", "前面可以有批量轴"


def _arguments(rng, batch, seq_len, d_model, d_k):
    return tuple(rng.normal(size=shape) for shape in ((*batch, seq_len, d_model), (d_model, d_k), (d_model, d_k)))


def cases(rng):
    x, w_q, w_k = _arguments(rng, (), 7, 5, 3)
    doubled = w_k[:, [0, 1, 1]]
    repeated = x[[0, 1, 2, 0, 1, 0, 1]]
    batch, w_q_batch, w_k_batch = _arguments(rng, (2,), 5, 7, 3)
    batch[1] = batch[1, [0, 1, 0, 1, 1]]
    return [
        Case(CORE, _arguments(rng, (), 3, 5, 1)),
        Case(CORE, _arguments(rng, (), 7, 5, 2)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 7, 5))),  # full: any threshold will do
        Case(CORE, _arguments(rng, (), 3, 8, 5)),
        Case(CORE, (x, w_q, doubled)),
        Case(CORE, (x, doubled, w_q)),
        Case(CORE, (x, w_q * [1, 1, 0], w_k * [0, 1, 1])),  # queries and keys have two directions, share one
        Case(REPEATED, (repeated, w_q[:, [0, 1, 2, 0]] + rng.normal(size=(5, 4)), rng.normal(size=(5, 4)))),
        Case(SCALE, (1e-4 * x, 1e-4 * w_q, 1e-4 * w_k)),
        Case(SCALE, (1e4 * x, 1e4 * w_q, 1e4 * doubled)),
        Case(BATCH, (batch, w_q_batch, w_k_batch)),
        Case(BATCH, _arguments(rng, (3, 2), 5, 7, 2)),
    ]


def _scores(x, w_q, w_k):
    return (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])


def rank_of_the_weights(x, w_q, w_k):
    scores = _scores(x, w_q, w_k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.linalg.matrix_rank(exps / exps.sum(axis=-1, keepdims=True))


def d_k_itself(x, w_q, w_k):
    return np.full(x.shape[:-2], w_q.shape[-1])


def the_smaller_of_d_k_and_seq_len(x, w_q, w_k):
    return np.full(x.shape[:-2], min(w_q.shape[-1], x.shape[-2]))


def rank_of_the_queries(x, w_q, w_k):
    return np.linalg.matrix_rank(x @ w_q)


def rank_of_the_keys(x, w_q, w_k):
    return np.linalg.matrix_rank(x @ w_k)


def the_smaller_of_both_ranks(x, w_q, w_k):
    return np.minimum(np.linalg.matrix_rank(x @ w_q), np.linalg.matrix_rank(x @ w_k))


def rank_of_x(x, w_q, w_k):
    return np.linalg.matrix_rank(x)


def rank_of_the_matrices(x, w_q, w_k):
    return np.full(x.shape[:-2], np.linalg.matrix_rank(w_q @ w_k.T))


def every_singular_value(x, w_q, w_k):
    return (np.linalg.svd(_scores(x, w_q, w_k), compute_uv=False) > 0).sum(axis=-1)


def fixed_threshold(x, w_q, w_k):
    return (np.linalg.svd(_scores(x, w_q, w_k), compute_uv=False) > 1e-6).sum(axis=-1)


def without_batch_axis(x, w_q, w_k):
    return np.linalg.matrix_rank((x @ w_q) @ (x @ w_k).T)


def with_singular_values(x, w_q, w_k):
    values = np.linalg.svd((x @ w_q) @ np.swapaxes(x @ w_k, -1, -2), compute_uv=False)
    return (values > 1e-5 * values.max(axis=-1, keepdims=True)).sum(axis=-1)


def with_loops(x, w_q, w_k):
    if np.ndim(x) > 2:
        return [with_loops(one, w_q, w_k) for one in x]
    rows = (np.asarray(x, float) @ w_q) @ (np.asarray(x, float) @ w_k).T
    smallest, rank = 1e-9 * np.linalg.norm(rows), 0
    while rank < len(rows):
        residual = np.linalg.norm(rows, axis=1)
        best = int(residual.argmax())
        if residual[best] <= smallest:
            break
        direction = rows[best] / residual[best]
        rows = rows - np.outer(rows @ direction, direction)
        rank += 1
    return rank


def through_the_form(x, w_q, w_k):
    form = np.asarray(w_q, dtype=float) @ np.asarray(w_k, dtype=float).T
    return np.linalg.matrix_rank(np.einsum("...id,de,...je->...ij", x, form, x))


def in_float32(x, w_q, w_k):
    size = [1 / np.abs(a).max() for a in (x, w_q, w_k)]
    x, w_q, w_k = (np.asarray(a * s, dtype=np.float32) for a, s in zip((x, w_q, w_k), size, strict=True))
    return np.linalg.matrix_rank((x @ w_q) @ np.swapaxes(x @ w_k, -1, -2), rtol=1e-5)


EXERCISE = Exercise(
    id="multihead.score_rank",
    title="分数矩阵的秩",
    points=1,
    reference=reference.score_rank,
    returns=("rank",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(REPEATED, 0.15), Behaviour(SCALE, 0.1), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "算了权重的秩",
            rank_of_the_weights,
            wrong="softmax 之后的秩通常是满的；低秩的是 softmax 之前的分数。",
            look="分数是 q @ k 的转置（除以 √d_k），不要做 softmax。",
        ),
        Slip(
            "直接返回了 d_k",
            d_k_itself,
            wrong="d_k 是上限，不总能达到：句子可能更短，列可能重复。",
            look="算出分数矩阵，再用 np.linalg.matrix_rank。",
        ),
        Slip(
            "返回了 d_k 和 seq_len 中小的一个",
            the_smaller_of_d_k_and_seq_len,
            wrong="这是上限，不总能达到：w_k 的列可能重复，token 也可能重复。",
            look="算出分数矩阵，再用 np.linalg.matrix_rank。",
        ),
        Slip(
            "算了查询的秩",
            rank_of_the_queries,
            wrong="分数还要经过键：键的秩更低时，分数也更低。",
            look="先乘出 q @ k 的转置，再求秩。",
        ),
        Slip(
            "算了键的秩",
            rank_of_the_keys,
            wrong="分数还要经过查询：查询的秩更低时，分数也更低。",
            look="先乘出 q @ k 的转置，再求秩。",
        ),
        Slip(
            "取了查询和键的秩中小的一个",
            the_smaller_of_both_ranks,
            wrong="它只是上限：查询的方向和键的方向若错开了，乘积的秩还要小。",
            look="先乘出分数 q @ kᵀ，再求它的秩。",
        ),
        Slip(
            "算了 x 的秩",
            rank_of_x,
            wrong="x 的秩可以远大于 d_k；投影会把它压下来。",
            look="先投影成 q 和 k。",
        ),
        Slip(
            "只看了两个矩阵",
            rank_of_the_matrices,
            wrong="w_q @ w_kᵀ 的秩只是上限：句子短或 token 重复时，分数的秩更低。",
            look="x 也要乘进去。",
        ),
        Slip(
            "数了所有的奇异值",
            every_singular_value,
            wrong="舍入误差让本该为 0 的奇异值成了 1e−16 这样的数，它们不该算。",
            look="和最大的奇异值比，小得多的才算 0；np.linalg.matrix_rank 就是这样做的。",
        ),
        Slip(
            "用了固定的门槛",
            fixed_threshold,
            wrong="门槛不随分数的大小变：分数整体很小时全成了 0，很大时舍入误差又冒了出来。",
            look="门槛应是最大奇异值的一个很小的倍数。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一个句子时正确；k.T 在有批量轴时把批量轴也搬走了。",
            look="只交换最后两个轴：np.swapaxes(k, -1, -2)。",
        ),
    ),
    styles=(with_singular_values, with_loops, through_the_form, in_float32),
    hints=(
        "先算出这个头的分数矩阵，再问它有几个独立的方向。",
        "NumPy 有现成的函数：np.linalg.matrix_rank，它也接受批量轴。除不除以 √d_k 不影响秩。",
        "q = x @ w_q；k = x @ w_k；返回 np.linalg.matrix_rank(q @ np.swapaxes(k, -1, -2))。",
    ),
    equivalent_mutants={
        "a matrix has the rank of its transpose": (
            "project(x, w_q, w_k, w_k) -> project(x, w_k, w_q, w_k)",
            "scores(q, k) -> scores(k, q)",
        ),
        "the values take no part": ("project(x, w_q, w_k, w_k) -> project(x, w_q, w_k, w_k)",),
    },
)
