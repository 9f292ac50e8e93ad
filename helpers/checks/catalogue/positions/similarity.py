"""Exercise `positions.similarity`: the dot product of two encodings from their distance alone."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import positions as reference

CORE, SHAPE, BASE = "点积只取决于距离", "距离可以是任意形状的数组", "base 可以换"


def cases(rng):
    return [
        Case(CORE, (np.array([0, 1, -1]), 4)),
        Case(CORE, (rng.integers(-20, 21, size=5), 8)),
        Case(CORE, (rng.integers(1, 30, size=3).astype(np.float32), 2)),
        Case(CORE, (np.array([0, 3, 7, 30]), 64)),
        Case(SHAPE, (rng.integers(-9, 10, size=(2, 3)), 6)),
        Case(SHAPE, (np.array(4), 10)),
        Case(SHAPE, (rng.integers(-9, 10, size=(2, 3, 5)), 4)),
        Case(BASE, (np.array([1, -5]), 6, float(rng.integers(20, 200)))),
        Case(BASE, (rng.integers(1, 20, size=7), 8, 10.0)),
    ]


def _angles(distances, d_model, base):
    return np.asarray(distances)[..., None] / base ** (np.arange(0, d_model, 2) / d_model)


def divided_by_the_length(distances, d_model, base=10000.0):
    return np.cos(_angles(distances, d_model, base)).mean(axis=-1)


def counted_twice(distances, d_model, base=10000.0):
    return 2 * np.cos(_angles(distances, d_model, base)).sum(axis=-1)


def sines(distances, d_model, base=10000.0):
    return np.sin(_angles(distances, d_model, base)).sum(axis=-1)


def sine_plus_cosine(distances, d_model, base=10000.0):
    angles = _angles(distances, d_model, base)
    return (np.sin(angles) + np.cos(angles)).sum(axis=-1)


def first_frequency_alone(distances, d_model, base=10000.0):
    return np.cos(np.asarray(distances)) * d_model / 2


def exponent_i_over_d(distances, d_model, base=10000.0):
    angles = np.asarray(distances)[..., None] / base ** (np.arange(d_model // 2) / d_model)
    return np.cos(angles).sum(axis=-1)


def base_ignored(distances, d_model, base=10000.0):
    return np.cos(_angles(distances, d_model, 10000.0)).sum(axis=-1)


def multiplied_by_the_power(distances, d_model, base=10000.0):
    return np.cos(np.asarray(distances)[..., None] * base ** (np.arange(0, d_model, 2) / d_model)).sum(axis=-1)


def without_the_sum(distances, d_model, base=10000.0):
    return np.cos(_angles(distances, d_model, base))


def squared_distance_between_encodings(distances, d_model, base=10000.0):
    return (2 - 2 * np.cos(_angles(distances, d_model, base))).sum(axis=-1)


def for_a_flat_list_alone(distances, d_model, base=10000.0):
    angles = np.ravel(distances)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
    return np.cos(angles).sum(axis=-1)


def with_loops(distances, d_model, base=10000.0):
    if np.ndim(distances) > 0:
        return [with_loops(one, d_model, base) for one in distances]
    return sum(math.cos(distances / base ** (2 * i / d_model)) for i in range(d_model // 2))


def with_encodings(distances, d_model, base=10000.0):
    columns = np.arange(d_model)
    frequencies = base ** (-2 * (columns // 2) / d_model)
    phase = np.pi / 2 * (columns % 2)
    return np.sin(np.asarray(distances)[..., None] * frequencies + phase) @ np.sin(phase)


def with_complex_numbers(distances, d_model, base=10000.0):
    rates = np.exp(-np.log(base) * np.arange(0, d_model, 2) / d_model)
    return np.exp(1j * np.multiply.outer(np.asarray(distances), rates)).sum(axis=-1).real


def in_float32(distances, d_model, base=10000.0):
    rates = np.float32(base) ** (-np.arange(0, d_model, 2, dtype=np.float32) / np.float32(d_model))
    return np.einsum("...f->...", np.cos(np.asarray(distances, dtype=np.float32)[..., None] * rates))


EXERCISE = Exercise(
    id="positions.similarity",
    title="两个位置有多像",
    points=1,
    reference=reference.similarity,
    returns=("similarity",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(SHAPE, 0.2), Behaviour(BASE, 0.2)),
    slips=(
        Slip(
            "除以了对的个数",
            divided_by_the_length,
            wrong="这是余弦相似度（在距离 0 处是 1）；题目问的是点积，在距离 0 处是 d_model / 2。",
            look="求和，不要求平均。",
        ),
        Slip(
            "每个余弦算了两次",
            counted_twice,
            wrong="每一对的贡献是 sin·sin + cos·cos，合起来只是一个余弦。",
            look="距离 0 处应是 d_model / 2，不是 d_model。",
        ),
        Slip(
            "用了正弦",
            sines,
            wrong="距离 0 处应最大，正弦在那里却是 0；距离换个符号，正弦也跟着变号。",
            look="sin a sin b + cos a cos b = cos(a − b)。",
        ),
        Slip(
            "加上了正弦",
            sine_plus_cosine,
            wrong="这是把距离当作一个位置，求它的编码之和；不是两个编码的点积。",
            look="只要余弦：sin a sin b + cos a cos b = cos(a − b)。",
        ),
        Slip(
            "只用了第一个频率",
            first_frequency_alone,
            wrong="每一对都按第一个频率算了；那样每隔 2π 就又完全一样。",
            look="每一对用自己的频率 1 / base ** (2i / d_model)，再相加。",
        ),
        Slip(
            "指数写成了 i/d",
            exponent_i_over_d,
            wrong="指数少了一个 2，频率降得太慢。",
            look="第 i 对的频率是 1 / base ** (2i / d_model)。",
        ),
        Slip(
            "base 写死成了 10000",
            base_ignored,
            wrong="换一个 base，结果没有变。",
            look="用参数 base。",
        ),
        Slip(
            "乘了 base 的幂",
            multiplied_by_the_power,
            wrong="角度应除以 base 的幂，现在是乘。",
            look="距离 / base ** (2i / d_model)。",
        ),
        Slip(
            "没有求和",
            without_the_sum,
            wrong="每个频率的余弦都对，但还没有加起来：点积是一个数。",
            look="沿最后一个轴求和。",
        ),
        Slip(
            "算成了距离的平方",
            squared_distance_between_encodings,
            wrong="这是两个编码之差的长度的平方；距离 0 处是 0，而点积在那里最大。",
            look="题目问的是点积。",
        ),
        Slip(
            "数组的形状丢了",
            for_a_flat_list_alone,
            wrong="一维时正确；距离是二维数组或一个数时，返回的形状应与它相同。",
            look="用 np.asarray(distances)[..., None] 在最后添一个轴，再沿最后一个轴求和。",
        ),
    ),
    properties=(
        Property(
            "没有一个值超出距离 0 处的值",
            lambda similarity: bool(np.isfinite(similarity).all() and similarity.max() <= 32 + 1e-3),
        ),
    ),
    styles=(with_loops, with_encodings, with_complex_numbers, in_float32),
    hints=(
        "写出一对的贡献：sin a · sin b + cos a · cos b，其中 a = p·f，b = q·f。它等于什么？",
        "等于 cos(a − b) = cos((p − q)·f)：只剩下距离。对所有频率求和，就是点积。",
        "np.cos(np.asarray(distances)[..., None] / base ** (np.arange(0, d_model, 2) / d_model)).sum(axis=-1)",
    ),
    tolerance=1e-3,
    equivalent_mutants={
        CHECKS_SHAPES: (
            "require_even('d_model', d_model) -> (dropped)",
            "require_even('d_model', d_model) -> 'd_model'",
        ),
        CONVERTS_INPUT: (
            "distances = np.asarray(distances, dtype=float) -> (dropped)",
            "np.asarray(distances, dtype=float) -> distances",
            "np.asarray(distances, dtype=float) -> np.asarray(distances)",
        ),
    },
)
