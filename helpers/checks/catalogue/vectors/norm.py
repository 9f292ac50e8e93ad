"""Exercise `vectors.norm`: the length of a vector, by any p-norm."""

import math

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import vectors as reference

CORE, OTHER, INFINITE, ROWS = "p = 2", "别的 p", "p = ∞", "每一行各算各的"


def cases(rng):
    zero = rng.normal(size=(3, 2))
    zero[1] = 0
    return [
        Case(CORE, (np.array([3.0, -4.0]), 2)),
        Case(CORE, (rng.normal(size=3),)),
        Case(CORE, (rng.normal(size=5).astype(np.float32), 2.0)),
        Case(CORE, (1e5 * rng.normal(size=7), 2.0)),
        Case(CORE, (np.zeros(3), 2)),
        Case(OTHER, (np.array([3.0, -4.0, 0.5]), 1)),
        Case(OTHER, (rng.normal(size=4), 3)),
        Case(OTHER, (1e-3 * rng.normal(size=5), 1.5)),
        Case(INFINITE, (np.array([2.0, -3.0, 3.0, 1.0]), math.inf)),
        Case(INFINITE, (np.array([1.0, -7.0, 2.5]), np.inf)),
        Case(ROWS, (zero, 2)),
        Case(ROWS, (rng.normal(size=(3, 3)), 1)),
        Case(ROWS, (rng.normal(size=(2, 3, 5)), 3)),
        Case(ROWS, (rng.normal(size=(5, 2, 3)), math.inf)),
    ]


def _largest(x):
    return np.abs(x).max(axis=-1)


def root_forgotten(x, p=2.0):
    return _largest(x) if p == math.inf else (np.abs(x) ** p).sum(axis=-1)


def always_two(x, p=2.0):
    return np.sqrt((x**2).sum(axis=-1))


def always_the_square_root(x, p=2.0):
    return _largest(x) if p == math.inf else np.sqrt((np.abs(x) ** p).sum(axis=-1))


def always_squared(x, p=2.0):
    return _largest(x) if p == math.inf else (x**2).sum(axis=-1) ** (1 / p)


def signs_kept(x, p=2.0):
    return _largest(x) if p == math.inf else (x**p).sum(axis=-1) ** (1 / p)


def infinity_into_the_formula(x, p=2.0):
    return (np.abs(x) ** p).sum(axis=-1) ** (1 / p)


def signs_kept_everywhere(x, p=2.0):
    return x.max(axis=-1) if p == math.inf else (x**p).sum(axis=-1) ** (1 / p)


def largest_without_sign(x, p=2.0):
    return x.max(axis=-1) if p == math.inf else (np.abs(x) ** p).sum(axis=-1) ** (1 / p)


def smallest(x, p=2.0):
    return np.abs(x).min(axis=-1) if p == math.inf else (np.abs(x) ** p).sum(axis=-1) ** (1 / p)


def large_instead_of_infinite(x, p=2.0):
    p = 100 if p == math.inf else p
    return (np.abs(x) ** p).sum(axis=-1) ** (1 / p)


def averaged(x, p=2.0):
    return _largest(x) if p == math.inf else (np.abs(x) ** p).mean(axis=-1) ** (1 / p)


def everything_together(x, p=2.0):
    return np.abs(x).max() if p == math.inf else (np.abs(x) ** p).sum() ** (1 / p)


def of_the_columns(x, p=2.0):
    return np.abs(x).max(axis=0) if p == math.inf else (np.abs(x) ** p).sum(axis=0) ** (1 / p)


def without_an_axis(x, p=2.0):
    return np.linalg.norm(x, p)


def always_one(x, p=2.0):
    return _largest(x) if p == math.inf else np.abs(x).sum(axis=-1)


def divided_by_p(x, p=2.0):
    return _largest(x) if p == math.inf else (np.abs(x) ** p).sum(axis=-1) / p


def square_root_and_no_infinity(x, p=2.0):
    return np.sqrt((np.abs(x) ** p).sum(axis=-1))


def two_unless_infinite(x, p=2.0):
    return _largest(x) if p == math.inf else np.sqrt((x**2).sum(axis=-1))


def one_two_or_infinite(x, p=2.0):
    if p == 1:
        return np.abs(x).sum(axis=-1)
    return np.sqrt((x**2).sum(axis=-1)) if p == 2 else _largest(x)


def size_of_the_sum(x, p=2.0):
    return _largest(x) if p == math.inf else np.abs((x**p).sum(axis=-1)) ** (1 / p)


def axis_kept(x, p=2.0):
    return np.linalg.norm(x, ord=p, axis=-1, keepdims=True)


def always_axis_one(x, p=2.0):
    return np.linalg.norm(x, ord=p, axis=1)


def number_of_the_largest(x, p=2.0):
    return np.abs(x).argmax(axis=-1) if p == math.inf else np.linalg.norm(x, ord=p, axis=-1)


def with_loops(x, p=2.0):
    if np.ndim(x) > 1:
        return [with_loops(row, p) for row in x]
    sizes = [abs(float(entry)) for entry in x]
    return max(sizes) if p == float("inf") else sum(size**p for size in sizes) ** (1 / p)


def with_numpys_norm(x, p=2.0):
    return np.linalg.norm(x, ord=p, axis=-1)


def with_the_largest_taken_out(x, p=2.0):
    x = np.asarray(x, dtype=float)
    largest = np.amax(np.abs(x), axis=-1, initial=0.0)
    if np.isinf(p):
        return largest
    shares = np.abs(x) / np.where(largest > 0, largest, 1.0)[..., None]
    return largest * np.power(np.sum(np.power(shares, p), axis=-1), 1 / p)


def case_by_case(x, p=2.0):
    if p == 2:
        return np.sqrt(np.einsum("...d,...d->...", x, x))
    if p == 1:
        return np.maximum(x, -x).sum(-1)
    return np.sort(np.abs(x), axis=-1)[..., -1] if p == np.inf else np.sum(np.abs(x) ** p, -1) ** p**-1.0


def in_float32(x, p=2.0):
    x = np.asarray(x, dtype=np.float32)
    return np.fabs(x).max(-1) if p == np.inf else np.sum(np.fabs(x) ** np.float32(p), -1) ** np.float32(1 / p)


EXERCISE = Exercise(
    id="vectors.norm",
    title="范数：向量有多长",
    points=2,
    reference=reference.norm,
    returns=("norm",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.4), Behaviour(OTHER, 0.2), Behaviour(INFINITE, 0.2), Behaviour(ROWS, 0.2)),
    properties=(Property("没有一个长度是负数", lambda norm: bool((norm >= 0).all())),),
    slips=(
        Slip(
            "没有开方",
            root_forgotten,
            wrong="加到了 p 次方的和，还没有开 p 次方：向量变成 2 倍，长度应是 2 倍，不是 2 的 p 次方倍。",
            look="最后 ** (1 / p)。",
        ),
        Slip(
            "没有用到 p",
            always_two,
            wrong="不管 p 是几，都算了欧氏长度。",
            look="指数用 p，不写死 2。",
        ),
        Slip(
            "总是开平方",
            always_the_square_root,
            wrong="乘方用了 p，开方却总是 2 次。",
            look="把 sqrt 换成 ** (1 / p)。",
        ),
        Slip(
            "总是平方",
            always_squared,
            wrong="开方用了 p，乘方却总是 2 次。",
            look="np.abs(x) ** p。",
        ),
        Slip(
            "没有取绝对值",
            signs_kept,
            wrong="p 是奇数时，负的分量抵消了正的；p 不是整数时，负数的乘方得 NaN。",
            look="先取绝对值：np.abs(x) ** p。",
        ),
        Slip(
            "处处没有取绝对值",
            signs_kept_everywhere,
            wrong="负的分量或者抵消了正的，或者在取最大时被漏掉。",
            look="一开始就取绝对值：np.abs(x)。",
        ),
        Slip(
            "把 ∞ 代进了公式",
            infinity_into_the_formula,
            wrong="p = ∞ 时公式给出 ∞ 的 0 次方，什么也不说明；p 趋于 ∞ 的极限是最大的那个分量。",
            look="p == math.inf 时单独处理：np.abs(x).max(axis=-1)。",
        ),
        Slip(
            "取最大前没有取绝对值",
            largest_without_sign,
            wrong="绝对值最大的分量若是负数，就漏掉了。",
            look="np.abs(x).max(axis=-1)。",
        ),
        Slip(
            "取了最小",
            smallest,
            wrong="p = ∞ 时剩下的是最大的分量，不是最小的。",
            look="p 越大，大的分量越压过小的。",
        ),
        Slip(
            "用很大的 p 代替 ∞",
            large_instead_of_infinite,
            wrong="很接近，但不相等：两个分量一样大时，还差 2 的 1/100 次方。",
            look="p == math.inf 时直接取最大的绝对值。",
        ),
        Slip(
            "取了平均",
            averaged,
            wrong="除以了 d；多几个 0 分量不应改变长度。",
            look="用 sum，不用 mean。",
        ),
        Slip(
            "把整个数组当成一个向量",
            everything_together,
            wrong="一个向量时是对的；有很多行时，每一行应各有一个长度。",
            look="沿最后一个轴：axis=-1。",
        ),
        Slip(
            "沿第 0 轴算了",
            of_the_columns,
            wrong="算的是每一列的长度；向量是行。",
            look="axis=-1。",
        ),
        Slip(
            "np.linalg.norm 没有给 axis",
            without_an_axis,
            wrong="不给 axis 时，二维数组被当作矩阵，算的是矩阵的范数；三维就报错。",
            look="给出 axis=-1。",
        ),
        Slip(
            "总是把大小加起来",
            always_one,
            wrong="那是 p = 1：沿着格子走的路程。",
            look="p = 2 时，先平方、相加、再开方。",
        ),
        Slip(
            "把开方写成了除法",
            divided_by_p,
            wrong="除以 p 不是开 p 次方。",
            look="** (1 / p)。",
        ),
        Slip(
            "总是开平方，也没有处理 ∞",
            square_root_and_no_infinity,
            wrong="乘方用了 p，开方却写死了 2 次；p = ∞ 也代进了公式。",
            look="** (1 / p)；p == math.inf 时取最大的绝对值。",
        ),
        Slip(
            "除了 ∞ 都按 2 算",
            two_unless_infinite,
            wrong="∞ 处理对了；别的 p 没有用上。",
            look="指数用 p，不写死 2。",
        ),
        Slip(
            "1 和 2 以外都按 ∞ 算",
            one_two_or_infinite,
            wrong="p = 3 或 1.5 时也取了最大；只有 p = ∞ 才取最大。",
            look="有限的 p 一律用同一个公式。",
        ),
        Slip(
            "求和之后才取绝对值",
            size_of_the_sum,
            wrong="相加的时候，正负已经抵消了。",
            look="先取绝对值，再乘方、相加。",
        ),
        Slip(
            "留下了一个长度为 1 的轴",
            axis_kept,
            wrong="数都对，但形状多了一个长度为 1 的轴。",
            look="这里不要 keepdims=True。",
        ),
        Slip(
            "总是沿第 1 轴算",
            always_axis_one,
            wrong="一个向量没有第 1 轴，三维时最后一个轴也不是第 1 轴。",
            look="axis=-1。",
        ),
        Slip(
            "给的是编号",
            number_of_the_largest,
            wrong="argmax 给出最大的是第几个；要的是它有多大。",
            look="用 max，不用 argmax。",
        ),
    ),
    styles=(with_loops, with_numpys_norm, with_the_largest_taken_out, case_by_case, in_float32),
    hints=(
        "先取每个分量的大小（绝对值），p 次方，相加，再开 p 次方。p = ∞ 要单独想：谁最后说了算？",
        "有限的 p：(np.abs(x) ** p).sum(axis=-1) ** (1 / p)。p = ∞：最大的大小。",
        "if p == math.inf: return np.abs(x).max(axis=-1)；否则 return (np.abs(x) ** p).sum(axis=-1) ** (1 / p)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
        "only refuses a p below 1, which no exercise asks for": (
            "_require_norm(p) -> (dropped)",
            "_require_norm(p) -> p",
        ),
    },
)
