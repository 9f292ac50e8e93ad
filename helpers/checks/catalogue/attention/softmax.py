"""Exercise `attention.softmax`: scores become weights."""

import math

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import attention as reference

CORE, LARGE, MASKED, BATCH = "每一行成为一个分布", "很大的分数不溢出", "−inf 的位置权重为 0", "前面可以有批量轴"


def cases(rng):
    masked = rng.normal(size=(3, 4))
    masked[0, 1:3] = -np.inf
    masked[1] = -np.inf
    large = 1e4 * np.array([[1.0, -1.0], [-1.0, 1.0]]) + rng.integers(-2, 3, size=(2, 2))
    return [
        Case(CORE, (rng.normal(size=3),)),
        Case(CORE, (2 * rng.normal(size=(2, 5)),)),
        Case(CORE, (rng.normal(size=(3, 7)).astype(np.float32),)),
        Case(LARGE, (large,)),
        Case(LARGE, (np.array([[1e4], [-1e4]]) + rng.integers(0, 4, size=(2, 3)),)),
        Case(MASKED, (masked,)),
        Case(MASKED, (np.array([[-1e4, -1e4 + 1, -np.inf], [-np.inf] * 3]),)),
        Case(BATCH, (rng.normal(size=(2, 3, 5)),)),
        Case(BATCH, (np.where(rng.random((2, 3, 2, 5)) < 0.3, -np.inf, rng.normal(size=(2, 3, 2, 5))),)),
    ]


def along_the_first_axis(scores):
    exps = np.exp(scores - np.max(scores, axis=0, keepdims=True))
    return exps / exps.sum(axis=0, keepdims=True)


def over_the_whole_array(scores):
    exps = np.exp(scores - np.max(scores))
    return exps / exps.sum()


def without_subtracting_the_maximum(scores):
    exps = np.exp(scores)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total == 0, 1, total)


def subtracting_one_maximum_for_all_rows(scores):
    largest = np.max(scores)
    exps = np.exp(scores - (largest if np.isfinite(largest) else 0))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total == 0, 1, total)


def axis_not_kept(scores):
    exps = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1)


def without_exponential(scores):
    return scores / np.sum(scores, axis=-1, keepdims=True)


def without_dividing(scores):
    largest = np.max(scores, axis=-1, keepdims=True)
    return np.exp(scores - np.where(np.isfinite(largest), largest, 0))


def along_axis_one(scores):
    exps = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def nan_in_a_row_of_minus_infinity(scores):
    exps = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def formula_alone(scores):
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def overflow_hidden(scores):
    exps = np.exp(scores)
    return np.nan_to_num(exps / exps.sum(axis=-1, keepdims=True))


def blind_row_looks_everywhere(scores):
    finite = np.where(np.isfinite(scores), scores, -1e9)
    exps = np.exp(finite - finite.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def with_loops(scores):
    scores = np.asarray(scores)
    if scores.ndim > 1:
        return [with_loops(row) for row in scores]
    largest = max(scores)
    if largest == -math.inf:
        return [0.0 for _ in scores]
    exps = [math.exp(score - largest) for score in scores]
    return [e / sum(exps) for e in exps]


def through_logarithms(scores):
    largest = np.maximum(np.max(scores, axis=-1, keepdims=True), -1e300)
    log_total = largest + np.log(np.maximum(np.exp(scores - largest).sum(axis=-1, keepdims=True), 1e-300))
    return np.exp(scores - log_total)


def in_float32(scores):
    scores = np.asarray(scores, dtype=np.float32)
    exps = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0))
    total = np.einsum("...i->...", exps)[..., None]
    return np.divide(exps, total, out=np.zeros_like(exps), where=total > 0)


def by_comparing_pairs(scores):
    scores = np.asarray(scores, dtype=float)
    difference = np.minimum(scores[..., None, :] - scores[..., :, None], 700.0)
    ratios = np.nan_to_num(np.exp(difference), nan=0.0)
    total = ratios.sum(axis=-1)
    return np.where(np.isfinite(scores), 1 / np.where(total > 0, total, 1), 0.0)


EXERCISE = Exercise(
    id="attention.softmax",
    title="softmax：把分数变成权重",
    points=2,
    reference=reference.softmax,
    returns=("weights",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.4), Behaviour(LARGE, 0.2), Behaviour(MASKED, 0.2), Behaviour(BATCH, 0.2)),
    properties=(
        Property("每个权重都在 0 和 1 之间", lambda weights: bool(((weights >= 0) & (weights <= 1)).all())),
        Property(
            "每一行的和是 1（或整行为 0）",
            lambda weights: bool((np.isclose(weights.sum(-1), 1) | np.isclose(weights.sum(-1), 0)).all()),
        ),
    ),
    slips=(
        Slip(
            "没有留住轴",
            axis_not_kept,
            wrong="每行一个数，少了一个轴：除（或减）的时候对错了行，或者对不上。",
            look="exps.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "沿第一个轴归一化",
            along_the_first_axis,
            wrong="现在是每一列的和为 1，而不是每一行。",
            look="一行是一个查询的全部分数：最大值和总和都应沿最后一个轴（axis=-1，keepdims=True）取。",
        ),
        Slip(
            "在整个数组上归一化",
            over_the_whole_array,
            wrong="所有行加在一起才是 1；每个查询应各有自己的一个分布。",
            look="最大值和总和是对整个数组取的吗？要沿 axis=-1，并用 keepdims=True 保留这个轴。",
        ),
        Slip(
            "没有先减去最大值",
            without_subtracting_the_maximum,
            wrong="分数到 10000 时 exp 溢出成无穷大，无穷大除以无穷大得到 NaN。",
            look="同一行的分数都减去同一个数，softmax 的结果不变。减去哪个数，能让最大的指数恰好是 exp(0) = 1？",
        ),
        Slip(
            "各行减去了同一个最大值",
            subtracting_one_maximum_for_all_rows,
            wrong="减的是整个数组的最大值：比它小得多的一行，指数全部下溢成 0，权重就没有了。",
            look="每一行减去自己的最大值：axis=-1，keepdims=True。",
        ),
        Slip(
            "忘了取指数",
            without_exponential,
            wrong="直接用分数除以总和：负的分数会得到负的权重。",
            look="先对每个分数取 exp，再除以它们的总和。",
        ),
        Slip(
            "忘了除以总和",
            without_dividing,
            wrong="取了指数，但每一行的和不是 1。",
            look="最后一步：除以这一行的总和（axis=-1，keepdims=True）。",
        ),
        Slip(
            "写成了 axis=1",
            along_axis_one,
            wrong="二维时是对的；有了批量轴，第 1 轴就不再是最后一个轴，一维时则没有这个轴。",
            look="用 axis=-1 表示“最后一个轴”，不论前面还有几个轴。",
        ),
        Slip(
            "整行 −inf 变成 NaN",
            nan_in_a_row_of_minus_infinity,
            wrong="整行都是 −inf 时，最大值也是 −inf，而 −inf − (−inf) 是 NaN。",
            look="什么都不许看的一行，权重应全为 0：最大值不是有限数时减 0，总和为 0 时除以 1。",
        ),
        Slip(
            "直接照公式写",
            formula_alone,
            wrong="公式没有错，但分数很大时 exp 溢出，整行 −inf 时总和是 0：两处都得 NaN。",
            look="每行先减去自己的最大值；最大值不是有限数时减 0，总和为 0 时除以 1。",
        ),
        Slip(
            "用 nan_to_num 盖住了溢出",
            overflow_hidden,
            wrong="NaN 没有了，但最该看的位置权重成了 0。",
            look="先减去每一行的最大值，就不会溢出。",
        ),
        Slip(
            "整行 −inf 变成了平均",
            blind_row_looks_everywhere,
            wrong="什么都不许看的一行得到了平均的权重，应全为 0。",
            look="保留 −inf，让 exp 给出 0；总和为 0 时除以 1。",
        ),
    ),
    styles=(with_loops, through_logarithms, in_float32, by_comparing_pairs),
    hints=(
        "先拿一行手算。多行时，每行该减去自己的最大值：取最大值之后，怎样保留最后一个轴，才能直接相减？",
        "scores.max(axis=-1, keepdims=True) 的形状是 (..., 1)，可以直接从 scores 里减去。exp(−inf) 正好是 0。",
        "整行都是 −inf 时，把最大值换成 0（np.where(np.isfinite(largest), largest, 0)），把总和 0 换成 1，再相除。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "scores = np.asarray(scores, dtype=float) -> (dropped)",
            "np.asarray(scores, dtype=float) -> scores",
            "np.asarray(scores, dtype=float) -> np.asarray(scores)",
        ),
        "any finite number may stand for the maximum of a row of minus infinities": ("0.0 -> 1.0",),
        "any positive number may divide a row of zeros": ("1.0 -> 2.0",),
        "the total of a row is 0 or at least 1, since its largest exponential is 1": ("0 -> 1",),
    },
)
