"""Exercise `positions.shift_matrix`: one matrix moves every encoding k positions on."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import positions as reference

CORE, BACK, BASE = "往后移 k 个位置", "往前移，或不动", "base 可以换"


def cases(rng):
    return [
        Case(CORE, (1, 2)),
        Case(CORE, (3, 4)),
        Case(CORE, (int(rng.integers(5, 30)), 6)),
        Case(CORE, (2, 8)),
        Case(BACK, (-2, 4)),
        Case(BACK, (0, 6)),
        Case(BASE, (5, 4, float(rng.integers(20, 200)))),
        Case(BASE, (-7, 10, 10.0)),
    ]


def _angles(k, d_model, base):
    return k / base ** (np.arange(0, d_model, 2) / d_model)


def _blocks(angles):
    """Place a rotation by each angle on the diagonal."""
    d_model = 2 * len(angles)
    matrix = np.zeros((d_model, d_model))
    for i, angle in enumerate(angles):
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix


def opposite_angle(k, d_model, base=10000.0):
    return _blocks(-_angles(k, d_model, base))


def one_angle_for_all_pairs(k, d_model, base=10000.0):
    return _blocks(np.full(d_model // 2, float(k)))


def always_one_step(k, d_model, base=10000.0):
    return _blocks(_angles(1, d_model, base))


def no_minus_sign(k, d_model, base=10000.0):
    return np.abs(_blocks(np.zeros(d_model // 2))) * np.cos(np.repeat(_angles(k, d_model, base), 2)) + _off_diagonal(
        _angles(k, d_model, base)
    )


def _off_diagonal(angles):
    """Put the sine of each angle on both places beside the diagonal."""
    d_model = 2 * len(angles)
    matrix = np.zeros((d_model, d_model))
    for i, angle in enumerate(angles):
        matrix[2 * i, 2 * i + 1] = matrix[2 * i + 1, 2 * i] = np.sin(angle)
    return matrix


def pairs_half_apart(k, d_model, base=10000.0):
    angles = _angles(k, d_model, base)
    cos, sin = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[cos, sin], [-sin, cos]])


def exponent_i_over_d(k, d_model, base=10000.0):
    return _blocks(k / base ** (np.arange(d_model // 2) / d_model))


def base_ignored(k, d_model, base=10000.0):
    return _blocks(_angles(k, d_model, 10000.0))


def multiplied_by_the_power(k, d_model, base=10000.0):
    return _blocks(k * base ** (np.arange(0, d_model, 2) / d_model))


def sine_and_cosine_exchanged(k, d_model, base=10000.0):
    return _blocks(np.pi / 2 - _angles(k, d_model, base))


def cosines_alone(k, d_model, base=10000.0):
    return np.diag(np.repeat(np.cos(_angles(k, d_model, base)), 2))


def without_the_sign_of_k(k, d_model, base=10000.0):
    return _blocks(_angles(abs(k), d_model, base))


def standing_still_for_negative_k(k, d_model, base=10000.0):
    return _blocks(_angles(max(k, 0), d_model, base))


def two_twice(k, d_model, base=10000.0):
    return _blocks(k / base ** (2 * np.arange(0, d_model, 2) / d_model))


def with_loops(k, d_model, base=10000.0):
    matrix = [[0.0] * d_model for _ in range(d_model)]
    for even in range(0, d_model, 2):
        angle = k * base ** (-even / d_model)
        matrix[even][even] = matrix[even + 1][even + 1] = math.cos(angle)
        matrix[even][even + 1], matrix[even + 1][even] = math.sin(angle), -math.sin(angle)
    return matrix


def with_kron(k, d_model, base=10000.0):
    angles = k / base ** (np.arange(0, d_model, 2) / d_model)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    return np.kron(np.diag(np.cos(angles)), np.eye(2)) + np.kron(np.diag(np.sin(angles)), turn)


def by_solving_for_it(k, d_model, base=10000.0):
    position = np.arange(3 * d_model)
    columns = np.arange(d_model)
    frequencies = base ** (-2 * (columns // 2) / d_model)
    phase = np.pi / 2 * (columns % 2)
    before = np.sin(position[:, None] * frequencies + phase)
    after = np.sin((position[:, None] + k) * frequencies + phase)
    blocks = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        blocks[i : i + 2, i : i + 2] = np.linalg.lstsq(before[:, i : i + 2], after[:, i : i + 2], rcond=None)[0].T
    return blocks


def in_float32(k, d_model, base=10000.0):
    angles = np.float32(k) / np.float32(base) ** (np.arange(0, d_model, 2, dtype=np.float32) / np.float32(d_model))
    matrix = np.diag(np.repeat(np.cos(angles), 2))
    upper = np.zeros(d_model - 1, dtype=np.float32)
    upper[::2] = np.sin(angles)
    return matrix + np.diag(upper, 1) - np.diag(upper, -1)


EXERCISE = Exercise(
    id="positions.shift_matrix",
    title="平移 k 个位置的矩阵",
    points=2,
    reference=reference.shift_matrix,
    returns=("matrix",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BACK, 0.2), Behaviour(BASE, 0.2)),
    properties=(
        Property(
            "矩阵是一个旋转：乘上自己的转置得单位矩阵",
            lambda matrix: bool(np.allclose(matrix @ matrix.T, np.eye(len(matrix)), atol=1e-4)),
        ),
    ),
    slips=(
        Slip(
            "转反了方向",
            opposite_angle,
            wrong="每个 2 × 2 小块都转置了：它把编码移到 p − k，而不是 p + k。",
            look="sin(a + b) = sin a cos b + cos a sin b：正弦那一行是 [cos, sin]，余弦那一行是 [−sin, cos]。",
        ),
        Slip(
            "每一对都转了同样的角度",
            one_angle_for_all_pairs,
            wrong="第一对对了，后面的都转得太快：每一对有自己的频率。",
            look="第 i 对转 k / base ** (2i / d_model) 弧度。",
        ),
        Slip(
            "没有用到 k",
            always_one_step,
            wrong="不管 k 是多少，都只移了一个位置。",
            look="角度是 k 乘频率。",
        ),
        Slip(
            "少了一个负号",
            no_minus_sign,
            wrong="两个正弦同号，就不再是旋转：向量的长度会变。",
            look="cos(a + b) = cos a cos b − sin a sin b：余弦那一行的正弦前面是负号。",
        ),
        Slip(
            "按前后两半配对",
            pairs_half_apart,
            wrong="这个矩阵属于“前一半正弦、后一半余弦”的编码；这里正弦和余弦是交错的。",
            look="第 2i 行和第 2i + 1 行是一对，四个数挤在对角线上的一个 2 × 2 小块里。",
        ),
        Slip(
            "指数写成了 i/d",
            exponent_i_over_d,
            wrong="从第二对起，转得太快：指数少了一个 2。",
            look="第 i 对的频率是 1 / base ** (2i / d_model)，要与编码用的一样。",
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
            wrong="角度应除以 base 的幂，现在是乘：后面的对转得越来越快。",
            look="k / base ** (2i / d_model)。",
        ),
        Slip(
            "正弦和余弦对调了",
            sine_and_cosine_exchanged,
            wrong="k = 0 时应是单位矩阵，对角线上应是 cos 0 = 1。",
            look="对角线上是余弦，旁边是正弦。",
        ),
        Slip(
            "只有对角线",
            cosines_alone,
            wrong="只乘上余弦，正弦和余弦之间就没有交换；指针会缩短，而不会转。",
            look="sin(a + b) 里也要用到 cos a：对角线旁边放正弦。",
        ),
        Slip(
            "k 取了绝对值",
            without_the_sign_of_k,
            wrong="k 为负时应往前移，现在往后移了。",
            look="角度就用 k 乘频率，不取绝对值：k 为负，角度为负，转向另一边。",
        ),
        Slip(
            "k 为负时没有动",
            standing_still_for_negative_k,
            wrong="k 为负时给出了单位矩阵（例如 range(k) 是空的，一步也没有走）。",
            look="不用一步一步乘：角度就是 k 乘频率，k 可以为负。",
        ),
        Slip(
            "指数里的 2 乘了两次",
            two_twice,
            wrong="np.arange(0, d_model, 2) 已经是 2i，又乘了一次 2：从第二对起，转得太慢。",
            look="k / base ** (np.arange(0, d_model, 2) / d_model)。",
        ),
    ),
    styles=(with_loops, with_kron, by_solving_for_it, in_float32),
    hints=(
        "先想一对：(sin pf, cos pf) 怎样变成 (sin (p+k)f, cos (p+k)f)？用和角公式展开。",
        "sin(pf + kf) = sin pf · cos kf + cos pf · sin kf；cos(pf + kf) = cos pf · cos kf − sin pf · sin kf。"
        "这是一个 2 × 2 的矩阵。",
        "第 i 对的小块是 [[cos a, sin a], [−sin a, cos a]]，a = k / base ** (2i / d_model)，放在第 2i、2i+1 行和列。",
    ),
    equivalent_mutants={
        CHECKS_SHAPES: (
            "require_even('d_model', d_model) -> (dropped)",
            "require_even('d_model', d_model) -> 'd_model'",
        ),
    },
)
