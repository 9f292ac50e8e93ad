"""Exercise `multihead.head_entropy`: how widely each head looks."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, ZEROS, BATCH = "每个头一个数", "权重为 0 时不出 NaN", "前面可以有批量轴"


def _weights(rng, *shape, spread=1.0):
    exps = np.exp(spread * rng.normal(size=shape))
    return exps / exps.sum(axis=-1, keepdims=True)


def cases(rng):
    masked = np.exp(rng.normal(size=(3, 5, 5))) * np.tri(5)
    masked = masked / masked.sum(axis=-1, keepdims=True)
    blind = masked[:2].copy()
    blind[:, 3] = 0
    return [
        Case(CORE, (np.array([[[0.5, 0.5]], [[0.25, 0.75]]]),)),
        Case(CORE, (_weights(rng, 2, 3, 5),)),
        Case(CORE, (_weights(rng, 5, 7, 2).astype(np.float32),)),
        Case(CORE, (_weights(rng, 3, 5, 7, spread=3.0),)),
        Case(ZEROS, (masked,)),
        Case(ZEROS, (blind,)),
        Case(ZEROS, (np.stack([np.eye(3), np.full((3, 3), 1 / 3)]),)),
        Case(BATCH, (_weights(rng, 2, 3, 5, 7),)),
        Case(BATCH, (_weights(rng, 3, 2, 5, 7, 2),)),
    ]


def _logs(weights, log=np.log):
    return log(np.where(weights > 0, weights, 1.0))


def in_bits(weights):
    return -(weights * _logs(weights, np.log2)).sum(axis=-1).mean(axis=-1)


def added_over_the_queries(weights):
    return -(weights * _logs(weights)).sum(axis=(-1, -2))


def entropy_of_the_mean_row(weights):
    mean = weights.mean(axis=-2)
    return -(mean * _logs(mean)).sum(axis=-1)


def averaged_over_the_heads_too(weights):
    return -(weights * _logs(weights)).sum(axis=-1).mean(axis=(-1, -2))


def without_the_sign(weights):
    return (weights * _logs(weights)).sum(axis=-1).mean(axis=-1)


def nan_where_a_weight_is_zero(weights):
    return -(weights * np.log(weights)).sum(axis=-1).mean(axis=-1)


def as_part_of_the_largest(weights):
    return -(weights * _logs(weights)).sum(axis=-1).mean(axis=-1) / np.log(weights.shape[-1])


def averaged_over_the_keys(weights):
    return -(weights * _logs(weights)).mean(axis=(-1, -2))


def one_number_per_query(weights):
    return -(weights * _logs(weights)).sum(axis=-1)


def over_the_queries(weights):
    return -(weights * _logs(weights)).sum(axis=-2).mean(axis=-1)


def as_a_number_of_keys(weights):
    return np.exp(-(weights * _logs(weights)).sum(axis=-1)).mean(axis=-1)


def blind_rows_left_out(weights):
    rows = -(weights * _logs(weights)).sum(axis=-1)
    seeing = weights.sum(axis=-1) > 0
    return (rows * seeing).sum(axis=-1) / seeing.sum(axis=-1)


def with_loops(weights):
    if np.ndim(weights) > 3:
        return [with_loops(one) for one in weights]
    rows = [[-sum(w * math.log(w) for w in map(float, row) if w > 0) for row in head] for head in weights]
    return [sum(head) / len(head) for head in rows]


def with_a_small_number_added(weights):
    return np.mean(np.einsum("...ij,...ij->...i", weights, -np.log(weights + 1e-12)), axis=-1)


def through_information(weights):
    surprise = np.log(np.divide(1.0, weights, out=np.ones(np.shape(weights)), where=np.asarray(weights) > 0))
    return np.average(np.sum(surprise * weights, axis=-1), axis=-1)


def in_float32(weights):
    weights = np.asarray(weights, np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        products = np.nan_to_num(weights * np.log(weights))
    return -products.sum(-1).sum(-1) / np.float32(weights.shape[-2])


EXERCISE = Exercise(
    id="multihead.head_entropy",
    title="一个头看得有多散",
    points=2,
    reference=reference.head_entropy,
    returns=("entropy",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(ZEROS, 0.25), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "用了以 2 为底的对数",
            in_bits,
            wrong="单位成了比特；这里约定用自然对数（nat）。",
            look="用 np.log。",
        ),
        Slip(
            "对查询求了和",
            added_over_the_queries,
            wrong="每个查询的熵加了起来；句子越长，数越大，头与头就不好比了。",
            look="对查询取平均。",
        ),
        Slip(
            "先把各行平均了",
            entropy_of_the_mean_row,
            wrong="先平均各行、再算熵：每个查询都只看一个键的头，平均之后却显得很散。",
            look="先算每一行的熵，再对各行取平均。",
        ),
        Slip(
            "头也平均掉了",
            averaged_over_the_heads_too,
            wrong="只剩一个数；每个头应各有一个。",
            look="只对查询的轴取平均。",
        ),
        Slip(
            "少了负号",
            without_the_sign,
            wrong="熵不会是负数：p ln p 不大于 0，前面要加负号。",
            look="−Σ p ln p。",
        ),
        Slip(
            "权重为 0 时得到 NaN",
            nan_where_a_weight_is_zero,
            wrong="0 × ln 0 = 0 × (−∞) 得 NaN；按极限，这一项应是 0。",
            look="对数里把 0 换成 1：np.log(np.where(weights > 0, weights, 1))。",
        ),
        Slip(
            "除以了最大的熵",
            as_part_of_the_largest,
            wrong="算成了最大熵 ln n 的几分之几；这里要的是 nat。",
            look="不要除以 np.log(n_keys)。",
        ),
        Slip(
            "对键取了平均",
            averaged_over_the_keys,
            wrong="一行的各项应相加，不是平均。",
            look="沿键 sum，沿查询 mean。",
        ),
        Slip(
            "还没有对查询平均",
            one_number_per_query,
            wrong="每个查询有一个数；要的是每个头一个。",
            look="再沿最后一个轴（查询）取平均。",
        ),
        Slip(
            "沿查询的轴算了熵",
            over_the_queries,
            wrong="一个分布是一行（一个查询对所有键），不是一列。",
            look="沿最后一个轴求和。",
        ),
        Slip(
            "取了指数",
            as_a_number_of_keys,
            wrong="exp(熵) 是“相当于看几个键”；这里要的是熵本身。",
            look="不要取指数。",
        ),
        Slip(
            "没有算上什么都不看的行",
            blind_rows_left_out,
            wrong="什么都不许看的一行，熵算 0，也参加平均。",
            look="除以查询的总数。",
        ),
    ),
    styles=(with_loops, with_a_small_number_added, through_information, in_float32),
    hints=(
        "一行权重的熵是 −Σ p ln p。先算每一行的，再对一个头的各行取平均。",
        "p = 0 的项应是 0，但 np.log(0) 是 −∞：先把 0 换成 1，它的对数正好是 0。",
        "logs = np.log(np.where(weights > 0, weights, 1))；-(weights * logs).sum(axis=-1).mean(axis=-1)。",
    ),
)
