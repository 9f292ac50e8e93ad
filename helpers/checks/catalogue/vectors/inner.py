"""Exercise `vectors.inner`: multiply entry by entry and add up."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import vectors as reference

CORE, ROWS, BROADCAST = "两个向量", "每一行各算各的", "前面的轴可以广播"


def cases(rng):
    return [
        Case(CORE, (np.array([1.0, 2.0, 3.0]), np.array([4.0, 0.0, -1.0]))),
        Case(CORE, (rng.normal(size=5) + 1, rng.normal(size=5))),
        Case(CORE, (rng.normal(size=7).astype(np.float32), rng.normal(size=7).astype(np.float32))),
        Case(CORE, (1e4 * rng.uniform(0.5, 2, size=2), -1e3 * rng.uniform(0.5, 2, size=2))),
        Case(ROWS, (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))),
        Case(ROWS, (rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))),
        Case(ROWS, (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5)))),
        Case(BROADCAST, (rng.normal(size=(3, 5)), rng.normal(size=5))),
        Case(BROADCAST, (rng.normal(size=(3, 1, 2)), rng.normal(size=(5, 2)))),
    ]


def not_added_up(a, b):
    return a * b


def averaged(a, b):
    return (a * b).mean(axis=-1)


def everything_added_up(a, b):
    return (a * b).sum()


def columns_added_up(a, b):
    return (a * b).sum(axis=0)


def always_axis_one(a, b):
    return (a * b).sum(axis=1)


def with_dot(a, b):
    return np.dot(a, b)


def all_pairs(a, b):
    return a @ np.swapaxes(b, -1, -2) if min(a.ndim, b.ndim) > 1 else a @ b


def with_inner(a, b):
    return np.inner(a, b)


def with_vdot(a, b):
    return np.vdot(a, b)


def scaled(a, b):
    return (a * b).sum(axis=-1) / np.sqrt(a.shape[-1])


def cosine_similarity(a, b):
    return (a * b).sum(axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def of_the_sizes(a, b):
    return np.abs(a * b).sum(axis=-1)


def outer_product(a, b):
    return a[..., :, None] * b[..., None, :]


def squared_distance(a, b):
    return ((a - b) ** 2).sum(axis=-1)


def product_of_the_sums(a, b):
    return a.sum(axis=-1) * b.sum(axis=-1)


def axis_kept(a, b):
    return (a * b).sum(axis=-1, keepdims=True)


def with_the_transpose(a, b):
    return a @ b.T


def with_loops(a, b):
    if np.ndim(a) == np.ndim(b) == 1:
        total = 0.0
        for one, other in zip(a, b, strict=True):
            total += float(one) * float(other)
        return total
    a, b = np.broadcast_arrays(a, b)
    return [with_loops(one, other) for one, other in zip(a, b, strict=True)]


def with_einsum(a, b):
    return np.einsum("...d,...d->...", a, b)


def with_matmul(a, b):
    return (np.asarray(a)[..., None, :] @ np.asarray(b)[..., :, None])[..., 0, 0]


def exactly_added(a, b):
    return np.apply_along_axis(math.fsum, -1, np.multiply(a, b, dtype=float))


def in_float32(a, b):
    return np.multiply(np.float32(a), np.float32(b)).sum(-1)


EXERCISE = Exercise(
    id="vectors.inner",
    title="内积",
    points=1,
    reference=reference.inner,
    returns=("inner",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(ROWS, 0.25), Behaviour(BROADCAST, 0.15)),
    slips=(
        Slip(
            "没有加起来",
            not_added_up,
            wrong="逐项相乘是对的，还要把乘积加起来：两个向量的内积是一个数。",
            look="沿最后一个轴求和：.sum(axis=-1)。",
        ),
        Slip(
            "取了平均",
            averaged,
            wrong="除以了 d；内积是和，不是平均。",
            look="用 sum，不用 mean。",
        ),
        Slip(
            "把整个数组加成了一个数",
            everything_added_up,
            wrong="一对向量时是对的；有很多行时，每一行应各得一个数。",
            look="只沿最后一个轴求和：.sum(axis=-1)。",
        ),
        Slip(
            "沿第 0 轴加了",
            columns_added_up,
            wrong="向量是一行，这里却把一列加了起来。",
            look="求和的轴是最后一个：axis=-1。",
        ),
        Slip(
            "总是沿第 1 轴加",
            always_axis_one,
            wrong="二维时是对的；一维的向量没有第 1 轴，前面再多一个轴时最后一个轴也不是第 1 轴。",
            look="写 axis=-1，不写 axis=1。",
        ),
        Slip(
            "用了 np.dot",
            with_dot,
            wrong="两个一维向量时 np.dot 是内积；有很多行时它是矩阵乘法。",
            look="(a * b).sum(axis=-1) 对多少个轴都成立。",
        ),
        Slip(
            "算成了所有的行两两之间",
            all_pairs,
            wrong="a 的每一行和 b 的每一行都算了；要的是第 i 行和第 i 行。",
            look="(a * b).sum(axis=-1)。两两之间的在对角线上。",
        ),
        Slip(
            "用了 np.inner",
            with_inner,
            wrong="有很多行时，np.inner 让每一行和每一行都相乘；要的是第 i 行和第 i 行。",
            look="(a * b).sum(axis=-1)。",
        ),
        Slip(
            "用了 np.vdot",
            with_vdot,
            wrong="np.vdot 先把数组摊平成一个长向量，于是很多行只得一个数。",
            look="(a * b).sum(axis=-1)。",
        ),
        Slip(
            "除以了 √d",
            scaled,
            wrong="那是注意力的缩放点积；内积本身不缩放。",
            look="去掉 / np.sqrt(d)。",
        ),
        Slip(
            "算成了余弦",
            cosine_similarity,
            wrong="除以了两个向量的长度；内积保留长度。",
            look="去掉除法：下下题才是余弦。",
        ),
        Slip(
            "取了绝对值",
            of_the_sizes,
            wrong="乘积的符号丢了；方向相反的分量应当互相抵消。",
            look="去掉 abs。",
        ),
        Slip(
            "算成了外积",
            outer_product,
            wrong="得到了一张 d × d 的表：每个分量和每个分量相乘。",
            look="分量 i 只和分量 i 相乘，再加起来。",
        ),
        Slip(
            "算成了距离的平方",
            squared_distance,
            wrong="把差平方再相加，得到的是距离的平方。",
            look="相乘，不是相减：a * b。",
        ),
        Slip(
            "先加再乘",
            product_of_the_sums,
            wrong="两个和的乘积里多了 a_i × b_j 这些交叉的项。",
            look="先逐项相乘，再求和。",
        ),
        Slip(
            "留下了一个长度为 1 的轴",
            axis_kept,
            wrong="数都对，但形状多了一个长度为 1 的轴。",
            look="这里不要 keepdims=True。",
        ),
        Slip(
            "写成了 a @ b.T",
            with_the_transpose,
            wrong="有很多行时，a @ b.T 让每一行和每一行都相乘；三维时 .T 还会把所有的轴倒过来。",
            look="(a * b).sum(axis=-1)。",
        ),
    ),
    styles=(with_loops, with_einsum, with_matmul, exactly_added, in_float32),
    hints=(
        "第 i 个分量只和第 i 个分量相乘，再把 d 个乘积加起来。",
        "a * b 逐项相乘，也会广播前面的轴；然后沿最后一个轴求和。",
        "return (a * b).sum(axis=-1)",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "a, b = (np.asarray(a, dtype=float), np.asarray(b, dtype=float)) -> (dropped)",
            "np.asarray(a, dtype=float) -> a",
            "np.asarray(a, dtype=float) -> np.asarray(a)",
            "np.asarray(b, dtype=float) -> b",
            "np.asarray(b, dtype=float) -> np.asarray(b)",
        ),
        CHECKS_SHAPES: (
            "_require_shared_d(a, b) -> (dropped)",
            "_require_shared_d(a, b) -> a",
            "_require_shared_d(a, b) -> _require_shared_d(b, a)",
        ),
    },
)
