"""Exercise `attention.scores`: every query is compared with every key."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, BATCH = "点积除以 √d_k", "前面可以有批量轴"


def cases(rng):
    return [
        Case(CORE, (rng.normal(size=(2, 3)), rng.normal(size=(5, 3)))),
        Case(CORE, (rng.normal(size=(3, 7)).astype(np.float32), rng.normal(size=(2, 7)).astype(np.float32))),
        Case(CORE, (rng.normal(size=(3, 64)), rng.normal(size=(5, 64)))),
        Case(BATCH, (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5)))),
        Case(BATCH, (rng.normal(size=(2, 3, 2, 7)), rng.normal(size=(2, 3, 5, 7)))),
    ]


def without_scaling(q, k):
    return q @ np.swapaxes(k, -1, -2)


def divided_by_d_k(q, k):
    return q @ np.swapaxes(k, -1, -2) / q.shape[-1]


def divided_by_sqrt_n_keys(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-2])


def divided_by_sqrt_n_queries(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-2])


def multiplied_by_sqrt_d_k(q, k):
    return q @ np.swapaxes(k, -1, -2) * np.sqrt(q.shape[-1])


def keys_not_turned(q, k):
    return q @ k / np.sqrt(q.shape[-1])


def transposed(q, k):
    return k @ np.swapaxes(q, -1, -2) / np.sqrt(q.shape[-1])


def transposing_all_axes(q, k):
    return q @ k.T / np.sqrt(q.shape[-1])


def d_k_from_axis_one(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[1])


def with_dot(q, k):
    return np.dot(q, np.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1])


def cosine_similarity(q, k):
    dot = q @ np.swapaxes(k, -1, -2)
    return dot / (np.linalg.norm(q, axis=-1)[..., :, None] * np.linalg.norm(k, axis=-1)[..., None, :])


def softmax_as_well(q, k):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def batch_always_there(q, k):
    return q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])


def always_divided_by_eight(q, k):
    return q @ np.swapaxes(k, -1, -2) / 8


def reshape_in_place_of_transpose(q, k):
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / np.sqrt(q.shape[-1])


def with_loops(q, k):
    if np.ndim(q) > 2:
        return [with_loops(q_one, k_one) for q_one, k_one in zip(q, k, strict=True)]
    root = math.sqrt(len(q[0]))
    return [[sum(a * b for a, b in zip(one, other, strict=True)) / root for other in k] for one in q]


def with_einsum(q, k):
    return np.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5


def scaling_the_queries_first(q, k):
    return (q / np.sqrt(q.shape[-1])) @ np.moveaxis(k, -1, -2)


def in_float32(q, k):
    q, k = np.float32(q), np.float32(k)
    return (q[..., :, None, :] * k[..., None, :, :]).sum(-1) * np.float32(1 / np.sqrt(q.shape[-1]))


EXERCISE = Exercise(
    id="attention.scores",
    title="缩放点积：查询与键的分数",
    points=2,
    reference=reference.scores,
    returns=("scores",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(BATCH, 0.3)),
    slips=(
        Slip(
            "键没有转置",
            keys_not_turned,
            wrong="k 的形状是 (n_keys, d_k)：要先转置，每个查询才能和每个键点积。",
            look="q @ np.swapaxes(k, -1, -2)。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="点积对了，但没有除以 √d_k：d_k 越大，分数越散，softmax 越尖。",
            look="点积的标准差随 √d_k 增长。把它除回去。",
        ),
        Slip(
            "除以了 d_k",
            divided_by_d_k,
            wrong="除得太多：除以 d_k 之后，d_k 越大分数越接近 0，所有键看起来都一样。",
            look="要除的是标准差 √d_k，不是方差 d_k。",
        ),
        Slip(
            "除以了 √n_keys",
            divided_by_sqrt_n_keys,
            wrong="除数用了键的个数；分数的大小取决于每个点积加了多少项，而那是 d_k。",
            look="d_k 是查询和键的最后一个轴的长度：q.shape[-1]。",
        ),
        Slip(
            "除以了 √n_queries",
            divided_by_sqrt_n_queries,
            wrong="除数用了查询的个数；分数的大小取决于每个点积加了多少项，而那是 d_k。",
            look="d_k 是查询和键的最后一个轴的长度：q.shape[-1]。",
        ),
        Slip(
            "乘以了 √d_k",
            multiplied_by_sqrt_d_k,
            wrong="方向反了：乘以 √d_k 会让本来就偏大的分数更大。",
            look="缩放要把标准差变回 1：是除，不是乘。",
        ),
        Slip(
            "分数转置了",
            transposed,
            wrong="行和列对调了：现在每一行是一个键，每一列是一个查询。",
            look="结果的形状应是 (n_queries, n_keys)：q 在左，k 转置后在右。",
        ),
        Slip(
            "没有照顾批量轴",
            transposing_all_axes,
            wrong="二维时正确；前面有批量轴时就不对了（例如 k.T 会把批量轴也倒过来，einsum 里少了“...”会报错）。",
            look="只交换最后两个轴：np.swapaxes(k, -1, -2)；@ 会保留前面的轴。",
        ),
        Slip(
            "d_k 取自第 1 轴",
            d_k_from_axis_one,
            wrong="二维时是对的；有批量轴时，q.shape[1] 不再是 d_k。",
            look="d_k 是最后一个轴的长度：q.shape[-1]。",
        ),
        Slip(
            "用了 np.dot",
            with_dot,
            wrong="有批量轴时，np.dot 把每一批与所有的批都相乘。",
            look="用 @：前面的轴一一对应。",
        ),
        Slip(
            "算成了余弦相似度",
            cosine_similarity,
            wrong="除以了两个向量的长度；缩放点积保留长度，只除以 √d_k。",
            look="长度也是信息：一个长的键可以更引人注意。去掉 norm，除以 √d_k。",
        ),
        Slip(
            "又做了 softmax",
            softmax_as_well,
            wrong="分数对了，但又变成了权重；这一题只要分数，softmax 是下一步。",
            look="返回 softmax 之前的数。",
        ),
        Slip(
            "只能处理一批",
            batch_always_there,
            wrong="认定了有三个轴；没有批量轴时只有两个，几批时有四个。",
            look="只交换最后两个轴：np.swapaxes(k, -1, -2)。",
        ),
        Slip(
            "除数写死成了 8",
            always_divided_by_eight,
            wrong="8 = √64 只在 d_k = 64 时正确。",
            look="除以 np.sqrt(q.shape[-1])。",
        ),
        Slip(
            "用 reshape 代替了转置",
            reshape_in_place_of_transpose,
            wrong="形状对了，内容乱了：reshape 按原来的顺序重新分段，不会把行变成列。",
            look="np.swapaxes(k, -1, -2)。",
        ),
    ),
    styles=(with_loops, with_einsum, scaling_the_queries_first, in_float32),
    hints=(
        "一个分数是一个查询和一个键的点积，再除以 √d_k。所有分数可以用一次矩阵乘法得到。",
        "q 的形状是 (..., n_queries, d_k)；要得到 (..., n_queries, n_keys)，k 的最后两个轴要先交换。",
        "np.swapaxes(k, -1, -2) 的形状是 (..., d_k, n_keys)；q 乘以它，再除以 np.sqrt(q.shape[-1])。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "q, k = (np.asarray(q, dtype=float), np.asarray(k, dtype=float)) -> (dropped)",
            "np.asarray(q, dtype=float) -> q",
            "np.asarray(q, dtype=float) -> np.asarray(q)",
            "np.asarray(k, dtype=float) -> k",
            "np.asarray(k, dtype=float) -> np.asarray(k)",
        ),
        CHECKS_SHAPES: (
            "_require_shared_d_k(q, k) -> (dropped)",
            "_require_shared_d_k(q, k) -> q",
            "_require_shared_d_k(q, k) -> _require_shared_d_k(k, q)",
        ),
        "exchanging two axes is the same in either order": ("np.swapaxes(k, -1, -2) -> np.swapaxes(k, -2, -1)",),
    },
)
