"""Exercise `positions.wavelengths`: after how many positions each pair of columns repeats."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import positions as reference

CORE, BASE, ODD = "每一对的波长", "base 可以换", "d_model 是奇数"


def cases(rng):
    return [
        Case(CORE, (4,)),
        Case(CORE, (2,)),
        Case(CORE, (int(2 * rng.integers(5, 30)),)),
        Case(BASE, (6, float(rng.integers(20, 200)))),
        Case(BASE, (8, 1e6)),
        Case(ODD, (5,)),
        Case(ODD, (7, 100.0)),
    ]


def without_two_pi(d_model, base=10000.0):
    return base ** (np.arange(0, d_model, 2) / d_model)


def frequencies(d_model, base=10000.0):
    return base ** (-np.arange(0, d_model, 2) / d_model)


def two_pi_times_the_frequency(d_model, base=10000.0):
    return 2 * np.pi * base ** (-np.arange(0, d_model, 2) / d_model)


def exponent_i_over_d(d_model, base=10000.0):
    return 2 * np.pi * base ** (np.arange((d_model + 1) // 2) / d_model)


def half_a_turn(d_model, base=10000.0):
    return np.pi * base ** (np.arange(0, d_model, 2) / d_model)


def reaching_the_base(d_model, base=10000.0):
    i = np.arange((d_model + 1) // 2)
    return 2 * np.pi * base ** (i / max(len(i) - 1, 1))


def base_ignored(d_model, base=10000.0):
    return 2 * np.pi * 10000.0 ** (np.arange(0, d_model, 2) / d_model)


def one_for_every_column(d_model, base=10000.0):
    return np.repeat(2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model), 2)[:d_model]


def last_one_dropped(d_model, base=10000.0):
    return 2 * np.pi * base ** (2 * np.arange(d_model // 2) / d_model)


def growing_from_column_to_column(d_model, base=10000.0):
    return 2 * np.pi * base ** (np.arange(d_model) / d_model)


def counting_too_far(d_model, base=10000.0):
    return 2 * np.pi * base ** (2 * np.arange(d_model) / d_model)


def counting_from_one(d_model, base=10000.0):
    return 2 * np.pi * base ** (2 * np.arange(1, (d_model + 1) // 2 + 1) / d_model)


def two_twice(d_model, base=10000.0):
    return 2 * np.pi * base ** (2 * np.arange(0, d_model, 2) / d_model)


def exponent_rounded_down(d_model, base=10000.0):
    return 2 * np.pi * base ** (np.arange(0, d_model, 2) // d_model)


def with_a_list(d_model, base=10000.0):
    return [2 * math.pi * math.pow(base, 2 * i / d_model) for i in range(math.ceil(d_model / 2))]


def growing_by_a_factor(d_model, base=10000.0):
    factor = base ** (2 / d_model)
    lengths = [math.tau]
    while len(lengths) < (d_model + 1) // 2:
        lengths.append(lengths[-1] * factor)
    return np.array(lengths)


def from_the_frequencies(d_model, base=10000.0):
    radians_per_position = np.exp(-np.log(base) * np.arange(0, d_model, 2) / d_model)
    return 2 * np.pi / radians_per_position


def in_float32(d_model, base=10000.0):
    return np.float32(2 * np.pi) * np.float32(base) ** (np.arange(0, d_model, 2, dtype=np.float32) / d_model)


EXERCISE = Exercise(
    id="positions.wavelengths",
    title="每一对列的波长",
    points=1,
    reference=reference.wavelengths,
    returns=("wavelengths",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BASE, 0.2), Behaviour(ODD, 0.2)),
    slips=(
        Slip(
            "少了 2π",
            without_two_pi,
            wrong="这是转过 1 弧度要走多少个位置；波长是转过一整圈，也就是 2π 弧度。",
            look="再乘 2π：第一对的波长应是 2π ≈ 6.28。",
        ),
        Slip(
            "返回了频率",
            frequencies,
            wrong="这是每走一个位置转多少弧度；题目问的是走多少个位置才转满一圈。",
            look="波长 = 2π ÷ 频率。",
        ),
        Slip(
            "2π 乘了频率",
            two_pi_times_the_frequency,
            wrong="波长越来越短了；越往右的列转得越慢，波长应越来越长。",
            look="波长是 2π 除以频率，不是乘。",
        ),
        Slip(
            "指数写成了 i/d",
            exponent_i_over_d,
            wrong="指数少了一个 2，波长增长得太慢。",
            look="第 i 对的指数是 2i / d_model，即 np.arange(0, d_model, 2) / d_model。",
        ),
        Slip(
            "只算了半圈",
            half_a_turn,
            wrong="乘的是 π：走了半个波长，指针正好反向，还没有回到原处。",
            look="一整圈是 2π。",
        ),
        Slip(
            "让最后一个正好到 2π·base",
            reaching_the_base,
            wrong="2π·base 是取不到的上限：最后一对的指数是 (d_model − 2) / d_model，小于 1。",
            look="指数的分母是 d_model，不是频率的个数减 1。",
        ),
        Slip(
            "base 写死成了 10000",
            base_ignored,
            wrong="换一个 base，结果没有变。",
            look="用参数 base。",
        ),
        Slip(
            "每一列一个",
            one_for_every_column,
            wrong="正弦和余弦成对，一对一个波长；现在每个波长出现了两次。",
            look="i 从 0 到频率的个数减 1。",
        ),
        Slip(
            "d_model 是奇数时少了最后一个",
            last_one_dropped,
            wrong="奇数时，最后一列正弦虽没有余弦作伴，也有自己的波长。",
            look="频率的个数是 d_model 的一半，向上取整：np.arange(0, d_model, 2) 正好这么多。",
        ),
        Slip(
            "每一列一个，而且一列比一列长",
            growing_from_column_to_column,
            wrong="正弦和余弦两列一对，共用一个波长：波长应有 d_model 的一半那么多，现在是 d_model 个。",
            look="指数是 np.arange(0, d_model, 2) / d_model：0、2、4……，一对一个。",
        ),
        Slip(
            "i 数到了 d_model",
            counting_too_far,
            wrong="i 数的是对，不是列：只有 d_model 的一半那么多；现在后一半的波长超过了 2π·base。",
            look="i 从 0 到 (d_model − 1) // 2；或写 np.arange(0, d_model, 2) / d_model。",
        ),
        Slip(
            "i 从 1 数起",
            counting_from_one,
            wrong="第一对的指数应是 0，波长正好 2π；现在每一对都用了下一对的波长。",
            look="i 从 0 数起。",
        ),
        Slip(
            "指数里的 2 乘了两次",
            two_twice,
            wrong="np.arange(0, d_model, 2) 已经是 2i，又乘了一次 2。",
            look="np.arange(0, d_model, 2) / d_model。",
        ),
        Slip(
            "指数用了整除",
            exponent_rounded_down,
            wrong="2i // d_model 总是 0：所有的波长都成了 2π。",
            look="用 /，不用 //。",
        ),
    ),
    styles=(with_a_list, growing_by_a_factor, from_the_frequencies, in_float32),
    hints=(
        "正弦转过 2π 弧度就重复。每走一个位置转多少弧度？",
        "第 i 对每步转 1 / base ** (2i / d_model) 弧度，所以走满 2π 弧度要 2π · base ** (2i / d_model) 步。",
        "2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)",
    ),
)
