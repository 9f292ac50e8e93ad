"""Exercise `attention.softmax_jacobian`: how each weight answers to each score."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import attention as reference

CORE, BATCH = "一行权重的雅可比矩阵", "前面可以有批量轴"


def _weights(rng, *shape):
    exps = np.exp(rng.normal(size=shape))
    return exps / exps.sum(axis=-1, keepdims=True)


def cases(rng):
    return [
        Case(CORE, (_weights(rng, 3),)),
        Case(CORE, (_weights(rng, 5).astype(np.float32),)),
        Case(CORE, (np.array([0.0, 1.0, 0.0, 0.0]),)),
        Case(BATCH, (_weights(rng, 2, 3),)),
        Case(BATCH, (_weights(rng, 3, 2, 5),)),
    ]


def diagonal_alone(weights):
    return (weights * (1 - weights))[..., None] * np.eye(weights.shape[-1])


def weights_on_the_diagonal_alone(weights):
    return weights[..., None] * np.eye(weights.shape[-1])


def opposite_sign(weights):
    outer = weights[..., :, None] * weights[..., None, :]
    return outer - weights[..., None] * np.eye(weights.shape[-1])


def plus_instead_of_minus(weights):
    outer = weights[..., :, None] * weights[..., None, :]
    return weights[..., None] * np.eye(weights.shape[-1]) + outer


def without_the_diagonal(weights):
    return -weights[..., :, None] * weights[..., None, :]


def inner_product(weights):
    return weights[..., :, None] * np.eye(weights.shape[-1]) - (weights**2).sum(axis=-1)[..., None, None]


def taking_scores(weights):
    exps = np.exp(weights)
    again = exps / exps.sum(axis=-1, keepdims=True)
    return again[..., None] * np.eye(again.shape[-1]) - again[..., :, None] * again[..., None, :]


def for_a_single_row(weights):
    return np.diag(weights) - np.outer(weights, weights)


def diagonal_as_a_vector(weights):
    return weights * (1 - weights)


def one_formula_for_all(weights):
    return weights[..., :, None] * (1 - weights[..., None, :])


def plus_beside_the_diagonal(weights):
    outer = weights[..., :, None] * weights[..., None, :]
    identity = np.eye(weights.shape[-1])
    return outer * (1 - identity) + (weights * (1 - weights))[..., None] * identity


def identity_in_place_of_the_weights(weights):
    return np.eye(weights.shape[-1]) - weights[..., :, None] * weights[..., None, :]


def of_the_logarithm(weights):
    return np.eye(weights.shape[-1]) - weights[..., None, :] * np.ones_like(weights)[..., :, None]


def weight_of_the_column(weights):
    return weights[..., None, :] * (np.eye(weights.shape[-1]) - weights[..., None, :])


def with_loops(weights):
    if np.ndim(weights) > 1:
        return [with_loops(row) for row in weights]
    n = len(weights)
    return [[weights[i] * ((1 if i == j else 0) - weights[j]) for j in range(n)] for i in range(n)]


def with_einsum(weights):
    identity = np.eye(np.shape(weights)[-1])
    return np.einsum("...i,ij->...ij", weights, identity) - np.einsum("...i,...j->...ij", weights, weights)


def weight_times_identity_minus_weight(weights):
    return weights[..., :, None] * (np.identity(weights.shape[-1]) - weights[..., None, :])


def in_float32(weights):
    weights = np.asarray(weights, np.float32)
    jacobian = -(weights[..., None] @ weights[..., None, :])
    diagonal = np.arange(weights.shape[-1])
    jacobian[..., diagonal, diagonal] += weights
    return jacobian


EXERCISE = Exercise(
    id="attention.softmax_jacobian",
    title="softmax 的雅可比矩阵",
    points=1,
    reference=reference.softmax_jacobian,
    returns=("jacobian",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(BATCH, 0.3)),
    properties=(
        Property(
            "每一行的和是 0（分数一起加上同一个数，权重不变）",
            lambda jacobian: bool(np.allclose(jacobian.sum(-1), 0, atol=1e-5)),
        ),
        Property(
            "矩阵是对称的", lambda jacobian: bool(np.allclose(jacobian, np.swapaxes(jacobian, -1, -2), atol=1e-5))
        ),
    ),
    slips=(
        Slip(
            "只有对角线",
            diagonal_alone,
            wrong="一个分数升高，别的权重会下降；对角线之外不是 0。",
            look="对角线之外是 −weights[i]·weights[j]：减去的是整个外积，不只是它的对角线。",
        ),
        Slip(
            "只有 diag(weights)",
            weights_on_the_diagonal_alone,
            wrong="还缺一半：没有减去外积 weights[i]·weights[j]。",
            look="分母里也有每一个分数。对分母求导，会得到哪一项？",
        ),
        Slip(
            "符号反了",
            opposite_sign,
            wrong="每一项的符号都反了：一个分数升高，它自己的权重应当升高。",
            look="是 diag 减外积，不是外积减 diag。",
        ),
        Slip(
            "减号写成了加号",
            plus_instead_of_minus,
            wrong="对角线之外应为负：一个权重升高，别的权重就要让出来。",
            look="diag 与外积之间是减号。",
        ),
        Slip(
            "缺少对角线的一项",
            without_the_diagonal,
            wrong="只有外积，没有 diag(weights)；现在每个分数升高都让所有权重下降。",
            look="i = j 时，分子也要求导，多出来一个 weights[i]。",
        ),
        Slip(
            "外积写成了内积",
            inner_product,
            wrong="一维时 w @ w.T 是一个数，每一项都减去了它。",
            look="外积是 weights[..., :, None] * weights[..., None, :]。",
        ),
        Slip(
            "又做了一次 softmax",
            taking_scores,
            wrong="输入已经是 softmax 之后的权重；再做一次就不是同一个分布了。",
            look="直接用 weights，不要再取指数。",
        ),
        Slip(
            "批量轴没有保留",
            for_a_single_row,
            wrong="一行时正确；有批量轴时就不对了（例如 np.diag、np.outer 只认一行）。",
            look="用广播代替：weights[..., :, None] 和 weights[..., None, :]。",
        ),
        Slip(
            "只返回了一个向量",
            diagonal_as_a_vector,
            wrong="p(1 − p) 只是对角线：每个权重对每个分数都有导数，应是 (n, n) 的矩阵。",
            look="对角线之外还有 −weights[i]·weights[j]。",
        ),
        Slip(
            "没有分开 i = j 与 i ≠ j",
            one_formula_for_all,
            wrong="每一格都用了 p_i(1 − p_j)；那个 1 只在对角线上才有。",
            look="p_i(δ_ij − p_j)：用 np.eye(n) 代替 1。",
        ),
        Slip(
            "对角线之外的符号反了",
            plus_beside_the_diagonal,
            wrong="对角线对了；但一个分数升高，别的权重应下降，对角线之外是负的。",
            look="对角线之外是 −weights[i]·weights[j]。",
        ),
        Slip(
            "diag(weights) 写成了单位矩阵",
            identity_in_place_of_the_weights,
            wrong="对角线上多了 1 − p_i：减号前面应是 diag(weights)，不是单位矩阵。",
            look="weights[..., :, None] * np.eye(n) 减去外积。",
        ),
        Slip(
            "求的是 log softmax 的导数",
            of_the_logarithm,
            wrong="δ_ij − p_j 是 ln p_i 对分数的导数；题目问的是 p_i 本身。",
            look="再乘上 p_i：每一行乘以自己的权重。",
        ),
        Slip(
            "乘了列的权重",
            weight_of_the_column,
            wrong="对角线对了；对角线之外成了 −p_j²，应是 −p_i p_j。",
            look="前面的因子是行的：weights[..., :, None]。",
        ),
    ),
    styles=(with_loops, with_einsum, weight_times_identity_minus_weight, in_float32),
    hints=(
        "把公式拆成两块：p_i δ_ij 只有对角线，p_i p_j 是所有两两的乘积。",
        "只有一行时，是 np.diag(weights) 减去 np.outer(weights, weights)。",
        "带批量轴时，c = weights[..., :, None]，r = weights[..., None, :]，结果是 c * np.eye(n) − c * r。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "weights = np.asarray(weights, dtype=float) -> (dropped)",
            "np.asarray(weights, dtype=float) -> weights",
            "np.asarray(weights, dtype=float) -> np.asarray(weights)",
        ),
    },
)
