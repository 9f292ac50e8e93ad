"""Exercise `positions.alibi_bias`: a penalty that grows with the distance, at another rate in each head."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Property, Slip
from helpers.reference import relative as reference

CORE, ENDS = "斜率乘距离，取负", "一个头，或很多头"


def cases(rng):
    return [
        Case(CORE, (2, 3)),
        Case(CORE, (4, 5)),
        Case(CORE, (8, int(rng.integers(6, 11)))),
        Case(ENDS, (1, int(rng.integers(3, 7)))),
        Case(ENDS, (16, 2)),
        Case(ENDS, (4, 1)),
    ]


def _slopes(n_heads):
    return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


def _distance(seq_len):
    return np.abs(np.subtract.outer(np.arange(seq_len), np.arange(seq_len)))


def wrong_sign(n_heads, seq_len):
    return _slopes(n_heads)[:, None, None] * _distance(seq_len)


def slopes_from_head_zero(n_heads, seq_len):
    return -(2.0 ** (-8 * np.arange(n_heads) / n_heads))[:, None, None] * _distance(seq_len)


def slopes_halved_each_time(n_heads, seq_len):
    return -(0.5 ** np.arange(1, n_heads + 1))[:, None, None] * _distance(seq_len)


def slopes_reversed(n_heads, seq_len):
    return -_slopes(n_heads)[::-1, None, None] * _distance(seq_len)


def slopes_evenly_spaced(n_heads, seq_len):
    return -(np.arange(1, n_heads + 1) / n_heads)[:, None, None] * _distance(seq_len)


def slopes_left_out(n_heads, seq_len):
    return -np.ones((n_heads, 1, 1)) * _distance(seq_len)


def exponent_without_minus(n_heads, seq_len):
    return -(2.0 ** (8 * np.arange(1, n_heads + 1) / n_heads))[:, None, None] * _distance(seq_len)


def one_slope_for_all_heads(n_heads, seq_len):
    return -np.full((n_heads, 1, 1), 2.0 ** (-8 / n_heads)) * _distance(seq_len)


def reward_for_the_future(n_heads, seq_len):
    signed = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    return -_slopes(n_heads)[:, None, None] * signed


def penalty_on_the_future(n_heads, seq_len):
    signed = np.subtract.outer(np.arange(seq_len), np.arange(seq_len))
    return _slopes(n_heads)[:, None, None] * signed


def position_of_the_key_alone(n_heads, seq_len):
    keys = np.broadcast_to(np.arange(seq_len), (seq_len, seq_len))
    return _slopes(n_heads)[:, None, None] * keys


def heads_last(n_heads, seq_len):
    return -_distance(seq_len)[:, :, None] * _slopes(n_heads)


def squared_distance(n_heads, seq_len):
    return -_slopes(n_heads)[:, None, None] * _distance(seq_len) ** 2


def causal_mask_built_in(n_heads, seq_len):
    bias = -_slopes(n_heads)[:, None, None] * _distance(seq_len)
    return np.where(np.tri(seq_len, dtype=bool), bias, -np.inf)


def exponent_rounded_down(n_heads, seq_len):
    return -(2.0 ** (-8 * np.arange(1, n_heads + 1) // n_heads))[:, None, None] * _distance(seq_len)


def exponent_rounded_towards_zero(n_heads, seq_len):
    return -(2.0 ** -(8 * np.arange(1, n_heads + 1) // n_heads))[:, None, None] * _distance(seq_len)


def ratio_rounded_down(n_heads, seq_len):
    return -(2.0 ** (-(8 // n_heads) * np.arange(1, n_heads + 1)))[:, None, None] * _distance(seq_len)


def eight_forgotten(n_heads, seq_len):
    return -(2.0 ** (-np.arange(1, n_heads + 1) / n_heads))[:, None, None] * _distance(seq_len)


def penalty_on_the_past_alone(n_heads, seq_len):
    return -_slopes(n_heads)[:, None, None] * np.tril(_distance(seq_len))


def with_loops(n_heads, seq_len):
    bias = []
    for head in range(1, n_heads + 1):
        slope = math.pow(2, -8 * head / n_heads)
        bias.append([[-slope * abs(i - j) for j in range(seq_len)] for i in range(seq_len)])
    return bias


def with_einsum(n_heads, seq_len):
    i, j = np.indices((seq_len, seq_len))
    slopes = np.exp2(np.linspace(0, -8, n_heads + 1)[1:])
    return np.einsum("h,ij->hij", slopes, np.where(j < i, j - i, i - j))


def multiplying_the_first_slope(n_heads, seq_len):
    first = 2 ** (-8 / n_heads)
    slopes = np.cumprod(np.full(n_heads, first))
    positions = np.arange(seq_len)
    return slopes.reshape(-1, 1, 1) * np.minimum(positions - positions[:, None], positions[:, None] - positions)


def in_float32(n_heads, seq_len):
    slopes = np.float32(2) ** (np.float32(-8 / n_heads) * np.arange(1, n_heads + 1, dtype=np.float32))
    position = np.arange(seq_len, dtype=np.float32)
    return np.stack([-slope * np.abs(position - position[:, None]) for slope in slopes])


EXERCISE = Exercise(
    id="positions.alibi_bias",
    title="ALiBi 的距离惩罚",
    points=2,
    reference=reference.alibi_bias,
    returns=("bias",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(ENDS, 0.3)),
    properties=(
        Property(
            "对角线是 0：看自己不受罚",
            lambda bias: bool(bias.ndim == 3 and np.allclose(np.diagonal(bias, axis1=-2, axis2=-1), 0)),
        ),
        Property("没有一个偏置是正的", lambda bias: bool((bias <= 0).all())),
    ),
    slips=(
        Slip(
            "符号反了",
            wrong_sign,
            wrong="越远的键加得越多，注意力会跑到最远处；这是惩罚，应是负数。",
            look="偏置是 −斜率 × 距离。",
        ),
        Slip(
            "斜率从 1 开始",
            slopes_from_head_zero,
            wrong="第一个头的斜率成了 1：指数从 0 数起了。",
            look="头 h = 1, 2, …, n_heads 的斜率是 2 ** (−8h / n_heads)。",
        ),
        Slip(
            "斜率每次减半",
            slopes_halved_each_time,
            wrong="1/2、1/4、1/8…… 只在 n_heads = 8 时正确；头数不同，公比也不同，而最后一个斜率总是 2 的 −8 次方。",
            look="第 h 个斜率是 2 ** (−8h / n_heads)。",
        ),
        Slip(
            "斜率的次序反了",
            slopes_reversed,
            wrong="第一个头应罚得最重，现在最轻。",
            look="h 从 1 到 n_heads，斜率越来越小。",
        ),
        Slip(
            "斜率是等差的",
            slopes_evenly_spaced,
            wrong="斜率应是等比数列：每个头的视野是前一个头的固定倍数。",
            look="2 ** (−8h / n_heads)。",
        ),
        Slip(
            "没有乘斜率",
            slopes_left_out,
            wrong="所有的头都按斜率 1 罚，视野一样，而且都很窄。",
            look="第 h 个头乘以 2 ** (−8h / n_heads)。",
        ),
        Slip(
            "指数少了负号",
            exponent_without_minus,
            wrong="斜率大于 1，而且越来越大：几步之外就什么都看不到了。",
            look="2 ** (−8h / n_heads)，都小于 1。",
        ),
        Slip(
            "所有的头用了同一个斜率",
            one_slope_for_all_heads,
            wrong="每个头的斜率都是第一个头的；多个头就失去了远近的分工。",
            look="指数里要有头的编号 h。",
        ),
        Slip(
            "后面的键得到了奖励",
            reward_for_the_future,
            wrong="用了 i − j，没有取绝对值：后面的键偏置为正。",
            look="距离是 |i − j|。",
        ),
        Slip(
            "奖励了前面的键",
            penalty_on_the_future,
            wrong="用了 j − i 的相反数：前面的键越远，偏置越大。",
            look="偏置是 −斜率 × |i − j|。",
        ),
        Slip(
            "只用了键的位置",
            position_of_the_key_alone,
            wrong="这是 斜率 × j：在因果掩码下，每行只差一个常数，softmax 之后相同；但题目要的是距离的惩罚。",
            look="每一行减去 斜率 × i，对角线就成了 0；后面的键（j > i）再变号，成为负数。",
        ),
        Slip(
            "头放到了最后一个轴",
            heads_last,
            wrong="形状应是 (n_heads, seq_len, seq_len)。",
            look="头在前：斜率写成 slopes[:, None, None]。",
        ),
        Slip(
            "距离平方了",
            squared_distance,
            wrong="ALiBi 的惩罚与距离成正比（L 就是 linear）。",
            look="不要平方。",
        ),
        Slip(
            "把因果掩码也写了进去",
            causal_mask_built_in,
            wrong="后面的键成了 −∞；掩码是另一件事，由注意力自己处理。",
            look="后面的键也按距离给有限的惩罚。",
        ),
        Slip(
            "指数用了整除",
            exponent_rounded_down,
            wrong="用了 //：头数不超过 8 时看不出来，16 个头时两个头共用一个斜率。",
            look="−8h / n_heads 可以不是整数，用 /。",
        ),
        Slip(
            "指数用了整除，再取负",
            exponent_rounded_towards_zero,
            wrong="用了 //：头数不超过 8 时看不出来，16 个头时第一个斜率成了 1，后面的两两相同。",
            look="8h / n_heads 可以不是整数，用 /。",
        ),
        Slip(
            "8 / n_heads 用了整除",
            ratio_rounded_down,
            wrong="8 // n_heads 在头数超过 8 时是 0，斜率全成了 1。",
            look="8 / n_heads 可以小于 1，用 /。",
        ),
        Slip(
            "指数少了 8",
            eight_forgotten,
            wrong="指数成了 −h / n_heads，斜率只从 1 降到 1/2；最后一个头应降到 2 的 −8 次方，看得最远。",
            look="2 ** (−8h / n_heads)。",
        ),
        Slip(
            "后面的键没有受罚",
            penalty_on_the_past_alone,
            wrong="右上角都是 0：这里用的是 |i − j|，后面的键也要按距离罚（看不看得到由掩码决定）。",
            look="距离是 |i − j|，两边一样。",
        ),
    ),
    styles=(with_loops, with_einsum, multiplying_the_first_slope, in_float32),
    hints=(
        "分两件：每个头一个斜率，每一格一个距离 |i − j|。相乘，取负。",
        "斜率：h 从 1 到 n_heads，2 ** (−8h / n_heads)。形状变成 (n_heads, 1, 1)，才能与 (seq_len, seq_len) 相乘。",
        "slopes = 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)；-slopes[:, None, None] * np.abs(i - j)。",
    ),
    equivalent_mutants={
        "the distance is the same either way": (
            "position[:, None] - position[None, :] -> position[None, :] - position[:, None]",
        ),
    },
)
