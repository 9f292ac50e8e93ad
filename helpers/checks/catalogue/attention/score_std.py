"""Exercise `attention.score_std`: how widely dot products spread."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, VARIANCES = "方差都是 1", "方差是任意的"


def cases(rng):
    q_variance, k_variance = (float(value) for value in rng.uniform(2.0, 5.0, size=2))
    return [
        Case(CORE, (4, 1.0, 1.0)),
        Case(CORE, (int(rng.integers(5, 200)), 1.0, 1.0)),
        Case(VARIANCES, (7, q_variance, k_variance)),
        Case(VARIANCES, (64, 0.25, q_variance)),
        Case(VARIANCES, (1, 3.0, 0.0)),
    ]


def variance(d_k, q_variance=1.0, k_variance=1.0):
    return d_k * q_variance * k_variance


def without_the_variances(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k)


def k_variance_unused(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k * q_variance)


def variances_outside_the_root(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k) * q_variance * k_variance


def d_k_outside_the_root(d_k, q_variance=1.0, k_variance=1.0):
    return d_k * np.sqrt(q_variance * k_variance)


def sum_of_the_variances(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k * (q_variance + k_variance))


def inverse(d_k, q_variance=1.0, k_variance=1.0):
    product = d_k * q_variance * k_variance
    return 1 / np.sqrt(product) if product else np.inf


def d_k_alone(d_k, q_variance=1.0, k_variance=1.0):
    return d_k


def scale_alone(d_k, q_variance=1.0, k_variance=1.0):
    return 1 / np.sqrt(d_k)


def q_variance_unused(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k * k_variance)


def d_k_forgotten(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(q_variance * k_variance)


def root_of_the_variances_twice(d_k, q_variance=1.0, k_variance=1.0):
    return np.sqrt(d_k * np.sqrt(q_variance * k_variance))


def with_math(d_k, q_variance=1.0, k_variance=1.0):
    return math.sqrt(d_k) * math.sqrt(q_variance) * math.sqrt(k_variance)


def adding_one_component_at_a_time(d_k, q_variance=1.0, k_variance=1.0):
    total = 0.0
    for _ in range(d_k):
        total += q_variance * k_variance
    return total**0.5


def in_float32(d_k, q_variance=1.0, k_variance=1.0):
    return np.linalg.norm(np.full(d_k, np.float32(q_variance) ** 0.5 * np.float32(k_variance) ** 0.5, np.float32))


EXERCISE = Exercise(
    id="attention.score_std",
    title="点积的标准差",
    points=1,
    reference=reference.score_std,
    returns=("std",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(VARIANCES, 0.5)),
    slips=(
        Slip(
            "返回了方差",
            variance,
            wrong="这是方差；题目问的是标准差，也就是方差的平方根。",
            look="最后开平方。",
        ),
        Slip(
            "没有用到方差",
            without_the_variances,
            wrong="√d_k 只在 q 和 k 的方差都是 1 时成立。",
            look="一项 q_i·k_i 的方差是多少？独立且均值为 0 时，是两个方差的乘积。",
        ),
        Slip(
            "只用了查询的方差",
            k_variance_unused,
            wrong="没有用到 k_variance。",
            look="一项 q_i·k_i 的方差是两个方差的乘积。",
        ),
        Slip(
            "方差留在了根号外",
            variances_outside_the_root,
            wrong="d_k 开了平方，两个方差没有。",
            look="三个因子都属于方差，要一起开平方。",
        ),
        Slip(
            "d_k 留在了根号外",
            d_k_outside_the_root,
            wrong="d_k 项独立的量相加，是方差变为 d_k 倍，标准差只变为 √d_k 倍。",
            look="把 d_k 也放进根号里。",
        ),
        Slip(
            "方差相加了",
            sum_of_the_variances,
            wrong="两个独立变量的和，方差才相加；这里是乘积。",
            look="均值为 0 时，Var(q_i·k_i) = Var(q_i)·Var(k_i)。",
        ),
        Slip(
            "算成了倒数",
            inverse,
            wrong="这是缩放的系数，不是标准差本身。",
            look="题目问的是点积散开多少，而不是要乘上多少。",
        ),
        Slip(
            "返回了 d_k",
            d_k_alone,
            wrong="d_k 是方差都是 1 时点积的方差；题目问的是标准差，而且方差可以不是 1。",
            look="三个因子相乘，最后开平方。",
        ),
        Slip(
            "只给出了缩放系数 1/√d_k",
            scale_alone,
            wrong="这是要乘上的系数，不是点积散开多少；两个方差也没有用到。",
            look="题目问的是标准差本身：√(d_k · q_variance · k_variance)。",
        ),
        Slip(
            "只用了键的方差",
            q_variance_unused,
            wrong="没有用到 q_variance。",
            look="一项 q_i·k_i 的方差是两个方差的乘积。",
        ),
        Slip(
            "忘了 d_k",
            d_k_forgotten,
            wrong="这是一项 q_i·k_i 的标准差；点积是 d_k 项之和。",
            look="独立的项相加，方差相加：再乘 d_k。",
        ),
        Slip(
            "方差开了两次平方",
            root_of_the_variances_twice,
            wrong="q_variance 和 k_variance 已经是方差；先开了一次平方，又随 d_k 再开一次。",
            look="三个因子相乘，只在最后开一次平方。",
        ),
    ),
    styles=(with_math, adding_one_component_at_a_time, in_float32),
    hints=(
        "q·k 是 d_k 项之和，每一项是 q_i·k_i。先求一项的方差。",
        "独立、均值为 0 时，一项的方差是 q_variance · k_variance；独立的项相加，方差相加。",
        "d_k 项的方差之和是 d_k · q_variance · k_variance；标准差是它的平方根。",
    ),
    equivalent_mutants={
        "every case gives both variances, so that no default is used": ("1.0 -> 2.0", "1.0 -> 2.0 #2"),
    },
)
