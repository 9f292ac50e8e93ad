"""Exercise `vectors.project`: the part of one vector that lies along another."""

import math

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import vectors as reference

CORE, ROWS, ZERO = "两个向量", "每一行各算各的，前面的轴可以广播", "onto 为零时抛出 ValueError，很短的、x 为零的照算"


def cases(rng):
    one_zero = rng.normal(size=(3, 2))
    one_zero[1] = 0
    return [
        Case(CORE, (np.array([2.0, 3.0]), np.array([4.0, 0.0]))),
        Case(CORE, (np.array([-1.0, 1.0, 2.0]), np.array([2.0, -2.0, 1.0]))),
        Case(CORE, (rng.normal(size=5) + 2, 3 * rng.normal(size=5))),
        Case(CORE, (rng.normal(size=7).astype(np.float32), 2 * rng.normal(size=7).astype(np.float32))),
        Case(CORE, (1e5 * rng.uniform(0.5, 2, size=3), -0.1 * rng.uniform(0.5, 2, size=3))),
        Case(ROWS, (rng.normal(size=(2, 3)), 2 * rng.normal(size=(2, 3)))),
        Case(ROWS, (rng.normal(size=(3, 3)), 2 * rng.normal(size=(3, 3)))),
        Case(ROWS, (rng.normal(size=(5, 3)), 2 * rng.normal(size=3))),
        Case(ROWS, (rng.normal(size=5), 2 * rng.normal(size=(2, 5)))),
        Case(ROWS, (rng.normal(size=(2, 3, 5)), 2 * rng.normal(size=(2, 3, 5)))),
        Case(ZERO, (np.array([1.0, 2.0]), np.zeros(2))),
        Case(ZERO, (np.array([0.0, 0.0]), np.array([1.0, 3.0]))),
        Case(ZERO, (rng.normal(size=(3, 2)), one_zero)),
        Case(ZERO, (rng.normal(size=3) + 2, 1e-3 * rng.normal(size=3))),
    ]


def _inner(a, b):
    return (a * b).sum(axis=-1, keepdims=True)


def _checked(onto):
    if not _inner(onto, onto).all():
        raise ValueError("onto must not be zero")
    return onto


def onto_the_wrong_one(x, onto):
    return _inner(x, _checked(onto)) / _inner(x, x) * x


def not_divided(x, onto):
    return _inner(x, _checked(onto)) * onto


def divided_by_the_length_only(x, onto):
    return _inner(x, _checked(onto)) / np.sqrt(_inner(onto, onto)) * onto


def divided_by_both_lengths(x, onto):
    _checked(onto)
    return _inner(x, onto) / np.sqrt(_inner(x, x) * _inner(onto, onto)) * onto


def divided_by_the_square_of_x(x, onto):
    return _inner(x, _checked(onto)) / _inner(x, x) * onto


def share_times_x(x, onto):
    return _inner(x, _checked(onto)) / _inner(onto, onto) * x


def share_alone(x, onto):
    return (_inner(x, _checked(onto)) / _inner(onto, onto))[..., 0]


def length_alone(x, onto):
    return (_inner(x, _checked(onto)) / np.sqrt(_inner(onto, onto)))[..., 0]


def residual_instead(x, onto):
    return x - _inner(x, _checked(onto)) / _inner(onto, onto) * onto


def reflected(x, onto):
    return 2 * _inner(x, _checked(onto)) / _inner(onto, onto) * onto - x


def without_sign(x, onto):
    return np.abs(_inner(x, _checked(onto))) / _inner(onto, onto) * onto


def never_backwards(x, onto):
    return np.maximum(_inner(x, _checked(onto)), 0) / _inner(onto, onto) * onto


def direction_alone(x, onto):
    unit = _checked(onto) / np.sqrt(_inner(onto, onto))
    return unit + 0 * x


def entry_by_entry(x, onto):
    _checked(onto)
    return x * onto / _inner(onto, onto) * onto


def lengths_of_everything(x, onto):
    return _inner(x, _checked(onto)) / (onto**2).sum() * onto


def all_in_one(x, onto):
    _checked(onto)
    return (x * onto).sum() / (onto**2).sum() * onto


def axis_not_kept(x, onto):
    _checked(onto)
    return (x * onto).sum(axis=-1) / (onto**2).sum(axis=-1) * onto


def with_dot(x, onto):
    _checked(onto)
    return np.dot(x, onto) / np.dot(onto, onto) * onto


def zero_gives_nan(x, onto):
    return _inner(x, onto) / _inner(onto, onto) * onto


def zero_gives_zero(x, onto):
    squared = _inner(onto, onto)
    return _inner(x, onto) / np.where(squared > 0, squared, 1.0) * onto


def small_number_added(x, onto):
    return _inner(x, onto) / (_inner(onto, onto) + 1e-8) * onto


def only_when_all_are_zero(x, onto):
    if not onto.any():
        raise ValueError("onto must not be zero")
    return _inner(x, onto) / _inner(onto, onto) * onto


def zero_x_refused(x, onto):
    _checked(onto), _checked(x)
    return _inner(x, onto) / _inner(onto, onto) * onto


def one_pair_only(x, onto):
    return (x @ onto) / (onto @ onto) * onto


def zero_alone_gives_zeros(x, onto):
    if not onto.any():
        return np.zeros_like(onto)
    return _inner(x, onto) / _inner(onto, onto) * onto


def division_error(x, onto):
    if not _inner(onto, onto).all():
        raise ZeroDivisionError("division by zero")
    return _inner(x, onto) / _inner(onto, onto) * onto


def zero_entry_refused(x, onto):
    if (onto == 0).any():
        raise ValueError("onto must not be zero")
    return _inner(x, onto) / _inner(onto, onto) * onto


def with_loops(x, onto):
    if np.ndim(x) == np.ndim(onto) == 1:
        squared = sum(float(o) ** 2 for o in onto)
        if squared == 0:
            raise ValueError("zero")
        share = sum(float(a) * float(o) for a, o in zip(x, onto, strict=True)) / squared
        return [share * float(o) for o in onto]
    x, onto = np.broadcast_arrays(x, onto)
    return [with_loops(one, other) for one, other in zip(x, onto, strict=True)]


def through_a_unit_vector(x, onto):
    length = np.linalg.norm(onto, axis=-1, keepdims=True)
    if (length == 0).any():
        raise ValueError("zero")
    unit = onto / length
    return np.einsum("...d,...d->...", x, unit)[..., None] * unit


def with_a_matrix(x, onto):
    onto = np.asarray(onto, dtype=float)
    squared = np.square(onto).sum(-1)[..., None, None]
    if np.min(squared) <= 0:
        raise ValueError("zero")
    matrix = onto[..., :, None] * onto[..., None, :] / squared
    return (np.asarray(x)[..., None, :] @ matrix)[..., 0, :]


def by_least_squares(x, onto):
    x, onto = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(onto, dtype=float))
    shadows = np.empty(x.shape)
    for index in np.ndindex(x.shape[:-1]):
        if not onto[index].any():
            raise ValueError("zero")
        share, *_ = np.linalg.lstsq(onto[index][:, None], x[index], rcond=None)
        shadows[index] = share * onto[index]
    return shadows


def in_float32(x, onto):
    x, onto = np.asarray(x, np.float32), np.asarray(onto, np.float32)
    length = np.sqrt(np.square(onto).sum(axis=-1))
    if math.isclose(float(length.min()), 0.0, abs_tol=1e-9):
        raise ValueError("zero")
    unit = onto / length[..., np.newaxis]
    return np.multiply(x, unit).sum(axis=-1)[..., np.newaxis] * unit


EXERCISE = Exercise(
    id="vectors.project",
    title="投影：沿着另一个向量的那一部分",
    points=2,
    reference=reference.project,
    returns=("projection",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(ROWS, 0.25), Behaviour(ZERO, 0.15)),
    slips=(
        Slip(
            "投到了另一个上面",
            onto_the_wrong_one,
            wrong="这是 onto 在 x 上的投影；要的是 x 在 onto 上的影子，它和 onto 在同一条线上。",
            look="最后乘的、除以的，都是 onto。",
        ),
        Slip(
            "没有除以长度的平方",
            not_divided,
            wrong="onto 变成 2 倍，结果变成了 4 倍；影子只取决于那条线，不取决于 onto 有多长。",
            look="份额是 ⟨x, onto⟩ / ⟨onto, onto⟩。",
        ),
        Slip(
            "只除了一次长度",
            divided_by_the_length_only,
            wrong="onto 的长度出现了两次（内积里一次，最后乘的又一次），只除掉了一次。",
            look="除以 ⟨onto, onto⟩，即长度的平方。",
        ),
        Slip(
            "除以了两个长度的乘积",
            divided_by_both_lengths,
            wrong="乘在 onto 上的成了余弦；x 变长时，影子也应变长。",
            look="除以 ⟨onto, onto⟩；x 的长度不要除。",
        ),
        Slip(
            "除以了 x 的长度的平方",
            divided_by_the_square_of_x,
            wrong="要除掉的是 onto 的长度，不是 x 的。",
            look="⟨x, onto⟩ / ⟨onto, onto⟩。",
        ),
        Slip(
            "份额乘到了 x 上",
            share_times_x,
            wrong="份额算对了，但影子应沿着 onto，不是沿着 x。",
            look="份额 × onto。",
        ),
        Slip(
            "只给了份额",
            share_alone,
            wrong="份额对了，它是一个数；投影是一个向量。",
            look="再乘上 onto。",
        ),
        Slip(
            "只给了影子的长度",
            length_alone,
            wrong="影子有多长是对的；投影是一个向量，还要有方向。",
            look="份额 ⟨x, onto⟩ / ⟨onto, onto⟩ 乘上 onto。",
        ),
        Slip(
            "给的是剩下的部分",
            residual_instead,
            wrong="这是 x 减去投影之后剩下的，和 onto 成直角。",
            look="返回投影本身，不要从 x 里减。",
        ),
        Slip(
            "给的是镜像",
            reflected,
            wrong="走过了头：到影子是一倍，到镜像是两倍。",
            look="投影是 份额 × onto。",
        ),
        Slip(
            "份额取了绝对值",
            without_sign,
            wrong="夹角大于 90° 时，影子落在 onto 的反方向上，份额是负数。",
            look="去掉 abs。",
        ),
        Slip(
            "负的份额变成了 0",
            never_backwards,
            wrong="夹角大于 90° 时，影子落在反方向上，不是没有。",
            look="去掉 max(…, 0)。",
        ),
        Slip(
            "只给了方向",
            direction_alone,
            wrong="这是长度为 1 的 onto，和 x 无关。",
            look="再乘上 x 在这个方向上的长度。",
        ),
        Slip(
            "内积没有加起来",
            entry_by_entry,
            wrong="每个分量各有一个份额；份额应是一个数。",
            look="(x * onto).sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "长度用了整个数组的",
            lengths_of_everything,
            wrong="有很多行时，每一行要除以自己的 ⟨onto, onto⟩。",
            look="(onto * onto).sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "所有的行共用了一个份额",
            all_in_one,
            wrong="整个数组被当成了一个长向量。",
            look="沿最后一个轴求和：axis=-1, keepdims=True。",
        ),
        Slip(
            "求和之后没有留住轴",
            axis_not_kept,
            wrong="份额的形状是 (n,)，乘 (n, d) 时被当成了一行：n 与 d 碰巧相等时乘错，不等时报错。",
            look="求和时写 keepdims=True，或乘之前写 share[..., None]。",
        ),
        Slip(
            "用了 np.dot",
            with_dot,
            wrong="两个一维向量时是对的；有很多行时，np.dot 是矩阵乘法。",
            look="(x * onto).sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "零向量得了 NaN",
            zero_gives_nan,
            wrong="onto 是零向量时没有线可投，0 / 0 却悄悄变成了 NaN。",
            look="先检查：有一个 onto 为零，就 raise ValueError。",
        ),
        Slip(
            "零向量得了零",
            zero_gives_zero,
            wrong="onto 是零向量时没有线可投；这里约定报错，不悄悄给 0。",
            look="先检查：有一个 onto 为零，就 raise ValueError。",
        ),
        Slip(
            "分母加了一个小数",
            small_number_added,
            wrong="加上 1e-8 之后，零向量不再报错，很短的 onto 也不准了。",
            look="不加；onto 为零时 raise ValueError。",
        ),
        Slip(
            "全都是零时才报错",
            only_when_all_are_zero,
            wrong="很多行里只要有一行是零，那一行就没有线可投。",
            look="看每一行：(squared == 0).any()。",
        ),
        Slip(
            "x 为零时也报了错",
            zero_x_refused,
            wrong="零向量的影子就是零向量，没有错；只有 onto 不能为零。",
            look="只检查 onto。",
        ),
        Slip(
            "只照顾了一对向量",
            one_pair_only,
            wrong="一对向量时是对的；有很多行时 x @ onto 是矩阵乘法。onto 为零时还会得 NaN。",
            look="(x * onto).sum(axis=-1, keepdims=True)；长度为 0 时 raise ValueError。",
        ),
        Slip(
            "整个为零时返回了零",
            zero_alone_gives_zeros,
            wrong="onto 是零向量时没有线可投；很多行里只有一行为零时，这一行还成了 NaN。",
            look="看每一行；有一个 onto 为零，就 raise ValueError。",
        ),
        Slip(
            "抛出的是 ZeroDivisionError",
            division_error,
            wrong="调用者不知道你内部做了除法；他要知道的是 onto 不能为零。",
            look="在相除之前检查，raise ValueError。",
        ),
        Slip(
            "分量里有 0 就报了错",
            zero_entry_refused,
            wrong="onto 的一个分量是 0，并不是零向量。",
            look="检查长度，不检查分量。",
        ),
    ),
    styles=(with_loops, through_a_unit_vector, with_a_matrix, by_least_squares, in_float32),
    hints=(
        "影子在 onto 那条线上，所以它是 onto 的若干倍。剩下的 x − 影子 要和 onto 成直角：由此定出倍数。",
        "⟨x − c·onto, onto⟩ = 0，所以 c = ⟨x, onto⟩ / ⟨onto, onto⟩。onto 为零时 raise ValueError。",
        "share = (x * onto).sum(axis=-1, keepdims=True) / (onto * onto).sum(axis=-1, keepdims=True)；"
        "return share * onto。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x, onto = (np.asarray(x, dtype=float), np.asarray(onto, dtype=float)) -> (dropped)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
            "np.asarray(onto, dtype=float) -> onto",
            "np.asarray(onto, dtype=float) -> np.asarray(onto)",
        ),
        "the inner product does not care for the order": (
            "inner(onto, onto) -> inner(onto, onto)",
            "inner(x, onto) -> inner(onto, x)",
        ),
    },
)
