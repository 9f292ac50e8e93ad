"""Exercise `positions.sinusoidal`: every position as sines and cosines."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import positions as reference

CORE, BASE, ODD = "d_model 是偶数", "base 可以换", "d_model 是奇数"


def cases(rng):
    return [
        Case(CORE, (2, 4)),
        Case(CORE, (3, 8)),
        Case(CORE, (int(rng.integers(20, 40)), 6)),
        Case(CORE, (5, 2)),
        Case(BASE, (3, 4, float(rng.integers(20, 200)))),
        Case(BASE, (7, 16, 1e8)),
        Case(ODD, (3, 5)),
        Case(ODD, (2, 1)),
        Case(ODD, (5, 7, float(rng.integers(20, 200)))),
    ]


def _encoding(angles, d_model):
    """Interleave sines and cosines of angles `(n, ceil(d_model / 2))`."""
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return pairs.reshape(len(angles), -1)[:, :d_model]


def _angles(seq_len, d_model, base):
    return np.arange(seq_len)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)


def in_two_halves(seq_len, d_model, base=10000.0):
    angles = _angles(seq_len, d_model, base)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)[:, :d_model]


def exponent_i_over_d(seq_len, d_model, base=10000.0):
    i = np.arange((d_model + 1) // 2)
    return _encoding(np.arange(seq_len)[:, None] / base ** (i / d_model), d_model)


def exponent_from_the_column(seq_len, d_model, base=10000.0):
    column = np.arange(d_model)
    angles = np.arange(seq_len)[:, None] / base ** (column / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


def exponent_twice_the_column(seq_len, d_model, base=10000.0):
    column = np.arange(d_model)
    angles = np.arange(seq_len)[:, None] / base ** (2 * column / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))


def exponent_twice_the_even_column(seq_len, d_model, base=10000.0):
    angles = np.arange(seq_len)[:, None] / base ** (2 * np.arange(0, d_model, 2) / d_model)
    return _encoding(angles, d_model)


def size_rounded_up(seq_len, d_model, base=10000.0):
    return _encoding(_angles(seq_len, d_model + d_model % 2, base), d_model)


def positions_from_one(seq_len, d_model, base=10000.0):
    return _encoding(_angles(seq_len + 1, d_model, base)[1:], d_model)


def base_ignored(seq_len, d_model, base=10000.0):
    return _encoding(_angles(seq_len, d_model, 10000.0), d_model)


def base_left_out(seq_len, d_model, base=10000.0):
    return _encoding(np.arange(seq_len)[:, None] * np.ones((d_model + 1) // 2), d_model)


def cosine_first(seq_len, d_model, base=10000.0):
    angles = _angles(seq_len, d_model, base)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(seq_len, -1)[:, :d_model]


def sines_alone(seq_len, d_model, base=10000.0):
    angles = _angles(seq_len, d_model, base)
    return np.repeat(np.sin(angles), 2, axis=-1)[:, :d_model]


def multiplied_by_the_power(seq_len, d_model, base=10000.0):
    angles = np.arange(seq_len)[:, None] * base ** (np.arange(0, d_model, 2) / d_model)
    return _encoding(angles, d_model)


def transposed(seq_len, d_model, base=10000.0):
    return _encoding(_angles(seq_len, d_model, base), d_model).T


def odd_size_breaks(seq_len, d_model, base=10000.0):
    angles = _angles(seq_len, d_model, base)
    encoding = np.zeros((seq_len, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


def one_column_too_many(seq_len, d_model, base=10000.0):
    return _encoding(_angles(seq_len, d_model, base), d_model + d_model % 2)


def with_loops(seq_len, d_model, base=10000.0):
    rows = []
    for p in range(seq_len):
        angles = [p / base ** ((c - c % 2) / d_model) for c in range(d_model)]
        rows.append([math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(angles)])
    return rows


def with_where(seq_len, d_model, base=10000.0):
    position, column = np.indices((seq_len, d_model))
    angles = position * np.exp(-np.log(base) * 2 * (column // 2) / d_model)
    return np.where(column % 2, np.cos(angles), np.sin(angles))


def with_complex_numbers(seq_len, d_model, base=10000.0):
    turns = np.exp(1j * np.outer(range(seq_len), base ** (-np.arange(0, d_model, 2) / d_model)))
    return np.stack([turns.imag, turns.real], axis=-1).reshape(seq_len, -1)[:, :d_model]


def with_shifted_sines(seq_len, d_model, base=10000.0):
    column = np.arange(d_model)
    angles = np.arange(seq_len)[:, None] * np.power(base, -2 * np.floor(column / 2) / d_model)
    return np.sin(angles + np.pi / 2 * (column % 2))


def in_float32(seq_len, d_model, base=10000.0):
    exponents = np.arange(0, d_model, 2, dtype=np.float32) / np.float32(d_model)
    angles = np.arange(seq_len, dtype=np.float32)[:, None] / np.float32(base) ** exponents
    encoding = np.zeros((seq_len, d_model), dtype=np.float32)
    encoding[:, ::2], encoding[:, 1::2] = np.sin(angles), np.cos(angles[:, : d_model // 2])
    return encoding


EXERCISE = Exercise(
    id="positions.sinusoidal",
    title="正弦位置编码",
    points=2,
    reference=reference.sinusoidal,
    returns=("encoding",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BASE, 0.2), Behaviour(ODD, 0.2)),
    slips=(
        Slip(
            "正弦和余弦分成了前后两半",
            in_two_halves,
            wrong="数值都对，次序不对：前一半全是正弦，后一半全是余弦。",
            look="正弦、余弦要交错：正弦写入 encoding[:, 0::2]，余弦写入 encoding[:, 1::2]。",
        ),
        Slip(
            "指数写成了 i/d",
            exponent_i_over_d,
            wrong="第 i 对的指数少了一个 2，频率降得太慢，最慢的那一对没有慢到该有的程度。",
            look="第 i 对（第 2i、2i+1 列）的指数是 2i / d_model。",
        ),
        Slip(
            "余弦那一列用了自己的列号",
            exponent_from_the_column,
            wrong="正弦列对了；余弦列的指数用了 2i + 1，于是同一对里两列的频率不一样，不再是同一根针的两个坐标。",
            look="第 2i 列和第 2i+1 列用同一个角度，指数都是 2i / d_model。",
        ),
        Slip(
            "把列号当成了 i",
            exponent_twice_the_column,
            wrong="公式里的 i 是第几对，不是第几列；现在每一列的频率都不一样，而且降得太快。",
            look="列号除以 2、取整，才是 i。",
        ),
        Slip(
            "位置从 1 数起",
            positions_from_one,
            wrong="第 0 行应是 0, 1, 0, 1……（角度都是 0），现在放的是位置 1。",
            look="位置是 np.arange(seq_len)，从 0 开始。",
        ),
        Slip(
            "base 写死成了 10000",
            base_ignored,
            wrong="base 取默认值时正确；换一个 base，结果却没有变。",
            look="公式里的 10000 换成参数 base。",
        ),
        Slip(
            "没有用到 base",
            base_left_out,
            wrong="所有的列都以同一个频率转：没有除以 base 的幂，位置 0 和 44（约 7 圈）就几乎分不开了。",
            look="角度是 p / base ** (2i / d_model)，越往右的列转得越慢。",
        ),
        Slip(
            "余弦放在了前面",
            cosine_first,
            wrong="偶数列是余弦、奇数列是正弦，正好反了。",
            look="第 0 列是正弦：位置 0 的一行以 0 开头。",
        ),
        Slip(
            "只有正弦",
            sines_alone,
            wrong="奇数列也放了正弦。只有正弦，指针朝上偏左还是偏右就分不清了。",
            look="奇数列用同一个角度的余弦。",
        ),
        Slip(
            "乘了 base 的幂",
            multiplied_by_the_power,
            wrong="角度应除以 base 的幂，现在是乘：越往右的列转得越快，跳过了中间的一切。",
            look="p / base ** (2i / d_model)，或者乘以 base ** (−2i / d_model)。",
        ),
        Slip(
            "行和列对调了",
            transposed,
            wrong="现在一列一个位置。",
            look="一行一个位置：形状是 (seq_len, d_model)。",
        ),
        Slip(
            "d_model 是奇数时出错",
            odd_size_breaks,
            wrong="偶数时正确；奇数时正弦列比余弦列多一列，两边形状对不上。",
            look="余弦只取前 d_model // 2 列角度。",
        ),
        Slip(
            "d_model 是奇数时多出一列",
            one_column_too_many,
            wrong="奇数时多了一列余弦：最后一个频率只放得下正弦。",
            look="最后取前 d_model 列。",
        ),
        Slip(
            "偶数列号又乘了 2",
            exponent_twice_the_even_column,
            wrong="0、2、4…… 已经是 2i；再乘 2 就成了 4i，频率降得太快。",
            look="循环写成 range(0, d_model, 2) 时，循环变量就是 2i：指数是它除以 d_model。",
        ),
        Slip(
            "d_model 是奇数时先加了 1",
            size_rounded_up,
            wrong="偶数时正确；奇数时指数的分母成了 d_model + 1。",
            look="分母总是 d_model；只有最后一列余弦不要。",
        ),
    ),
    styles=(with_loops, with_where, with_complex_numbers, with_shifted_sines, in_float32),
    hints=(
        "先做出角度：一行一个位置，一列一个频率，形状 (seq_len, 频率的个数)。频率的个数是 d_model 的一半，向上取整。",
        "第 i 个频率是 1 / base ** (2i / d_model)，2i 就是 np.arange(0, d_model, 2)。正弦写进偶数列，余弦写进奇数列。",
        "angles = np.arange(seq_len)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)；"
        "encoding[:, 0::2] = np.sin(angles)；encoding[:, 1::2] = np.cos(angles)[:, : d_model // 2]。",
    ),
    tolerance=1e-3,  # in float32 an angle of 40 radians is known to about 4e-6
)
