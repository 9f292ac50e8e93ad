"""Exercise `vectors.cosine`: compare directions, and say so where there is none."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Property, Slip
from helpers.reference import vectors as reference

CORE, ROWS, ZERO = "两个向量", "每一行各算各的，前面的轴可以广播", "零向量时抛出 ValueError，很短的照算"
NO_DIRECTION = "a zero vector has no direction"


def cases(rng):
    one_zero = rng.normal(size=(3, 2))
    one_zero[1] = 0
    return [
        Case(CORE, (np.array([3.0, 4.0]), np.array([4.0, 3.0]))),
        Case(CORE, (np.array([2.0, 0.0]), np.array([0.0, 5.0]))),
        Case(CORE, (np.array([2.0, 0.0]), np.array([3.0, 4.0]))),
        Case(CORE, (np.array([1.0, -2.0, 2.0]), np.array([-2.0, 4.0, -4.0]))),
        Case(CORE, (rng.normal(size=5), 3 * rng.normal(size=5) + 1)),
        Case(CORE, (rng.normal(size=7).astype(np.float32), rng.normal(size=7).astype(np.float32))),
        Case(CORE, (1e5 * rng.normal(size=3), 1e-3 * rng.normal(size=3))),
        Case(ROWS, (rng.normal(size=(2, 3)), 2 * rng.normal(size=(2, 3)))),
        Case(ROWS, (rng.normal(size=(3, 3)), 2 * rng.normal(size=(3, 3)))),
        Case(ROWS, (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5)))),
        Case(ROWS, (rng.normal(size=(3, 5)), 4 * rng.normal(size=5))),
        Case(ROWS, (rng.normal(size=(3, 1, 2)), rng.normal(size=(5, 2)))),
        Case(ZERO, (np.array([1.0, 2.0]), np.zeros(2))),
        Case(ZERO, (np.zeros(3), rng.normal(size=3))),
        Case(ZERO, (np.zeros(2), np.zeros(2))),
        Case(ZERO, (one_zero, rng.normal(size=(3, 2)))),
        Case(ZERO, (1e-3 * (rng.normal(size=3) + 2), 1e-3 * rng.normal(size=3))),
    ]


def _length(x):
    return np.sqrt((x**2).sum(axis=-1))


def _checked(a, b):
    if (_length(a) == 0).any() or (_length(b) == 0).any():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1)


def not_divided(a, b):
    return _checked(a, b)


def divided_by_one_length(a, b):
    return _checked(a, b) / _length(a)


def divided_by_the_other_length(a, b):
    return _checked(a, b) / _length(b)


def divided_by_the_squares(a, b):
    return _checked(a, b) / (_length(a) * _length(b)) ** 2


def divided_by_the_sum(a, b):
    return _checked(a, b) / (_length(a) + _length(b))


def divided_by_sqrt_d(a, b):
    return _checked(a, b) / np.sqrt(a.shape[-1])


def divided_by_the_sizes(a, b):
    return _checked(a, b) / (np.abs(a).sum(axis=-1) * np.abs(b).sum(axis=-1))


def angle_in_radians(a, b):
    return np.arccos(np.clip(_checked(a, b) / (_length(a) * _length(b)), -1, 1))


def angle_in_degrees(a, b):
    return np.degrees(np.arccos(np.clip(_checked(a, b) / (_length(a) * _length(b)), -1, 1)))


def distance_instead(a, b):
    return 1 - _checked(a, b) / (_length(a) * _length(b))


def without_sign(a, b):
    return np.abs(_checked(a, b)) / (_length(a) * _length(b))


def correlation(a, b):
    _checked(a, b)
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def lengths_of_everything(a, b):
    return _checked(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


def all_in_one_number(a, b):
    _checked(a, b)
    return (a * b).sum() / (np.linalg.norm(a) * np.linalg.norm(b))


def with_dot(a, b):
    _checked(a, b)
    return np.dot(a, b) / (_length(a) * _length(b))


def all_pairs(a, b):
    _checked(a, b)
    products = a @ np.swapaxes(b, -1, -2) if min(a.ndim, b.ndim) > 1 else (a * b).sum(axis=-1)
    lengths = _length(a)[..., :, None] * _length(b)[..., None, :] if products.ndim > 1 else _length(a) * _length(b)
    return products / lengths


def zero_gives_nan(a, b):
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def zero_gives_zero(a, b):
    lengths = _length(a) * _length(b)
    return (a * b).sum(axis=-1) / np.where(lengths > 0, lengths, 1.0)


def zero_gives_none(a, b):
    lengths = _length(a) * _length(b)
    return (a * b).sum(axis=-1) / lengths if lengths.all() else None


def small_number_added(a, b):
    return (a * b).sum(axis=-1) / (_length(a) * _length(b) + 1e-8)


def asserted(a, b):
    assert _length(a).all() and _length(b).all()  # noqa: PT018
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def division_error(a, b):
    if not (_length(a).all() and _length(b).all()):
        raise ZeroDivisionError("division by zero")
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def only_when_all_are_zero(a, b):
    if not _length(a).any() or not _length(b).any():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def only_when_both_are_zero(a, b):
    if not _length(a).all() and not _length(b).all():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def only_the_second_checked(a, b):
    if not _length(b).all():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def only_the_first_checked(a, b):
    if not _length(a).all():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def right_angle_refused(a, b):
    products = (a * b).sum(axis=-1)
    if (products == 0).any():
        raise ValueError(NO_DIRECTION)
    return products / (_length(a) * _length(b))


def one_pair_only(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def one_pair_only_but_checked(a, b):
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    if lengths == 0:
        raise ValueError(NO_DIRECTION)
    return a @ b / lengths


def if_on_an_array(a, b):
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    if lengths == 0:
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / lengths


def one_zero_for_all(a, b):
    lengths = _length(a) * _length(b)
    return 0.0 if (lengths == 0).any() else (a * b).sum(axis=-1) / lengths


def one_nan_for_all(a, b):
    lengths = _length(a) * _length(b)
    return np.nan if (lengths == 0).any() else (a * b).sum(axis=-1) / lengths


def zero_pair_gives_zero(a, b):
    if np.linalg.norm(a) == 0 or np.linalg.norm(b) == 0:
        return 0.0
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def plain_exception(a, b):
    if not (_length(a).all() and _length(b).all()):
        raise Exception(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def zero_entry_refused(a, b):
    if (a == 0).any() or (b == 0).any():
        raise ValueError(NO_DIRECTION)
    return (a * b).sum(axis=-1) / (_length(a) * _length(b))


def with_loops(a, b):
    if np.ndim(a) == np.ndim(b) == 1:
        length_a, length_b = math.hypot(*a), math.hypot(*b)
        if not length_a or not length_b:
            raise ValueError("no direction")
        return sum(float(x) * float(y) for x, y in zip(a, b, strict=True)) / length_a / length_b
    a, b = np.broadcast_arrays(a, b)
    return [with_loops(one, other) for one, other in zip(a, b, strict=True)]


def of_unit_vectors(a, b):
    lengths = [np.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b)]
    if any(np.min(length) == 0 for length in lengths):
        raise ValueError("zero vector")
    return np.einsum("...d,...d->...", a / lengths[0], b / lengths[1])


def law_of_cosines(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if not a.any(axis=-1).all() or not b.any(axis=-1).all():
        raise ValueError("zero vector")
    a, b = a / np.linalg.norm(a, axis=-1)[..., None], b / np.linalg.norm(b, axis=-1)[..., None]
    return 1 - np.square(a - b).sum(-1) / 2


def through_python_numbers(a, b):
    a, b = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    squares = (a * a).sum(-1) * (b * b).sum(-1)
    if np.any(squares == 0):
        raise ValueError("zero vector")
    return (a * b).sum(-1) / squares**0.5


def in_float32(a, b):
    a, b = np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32)
    lengths = np.sqrt(np.square(a).sum(-1)) * np.sqrt(np.square(b).sum(-1))
    if (lengths < 1e-12).any():
        raise ValueError("zero vector")
    return (a * b).sum(-1) / lengths


EXERCISE = Exercise(
    id="vectors.cosine",
    title="余弦：只比方向",
    points=2,
    reference=reference.cosine,
    returns=("cosine",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(ROWS, 0.25), Behaviour(ZERO, 0.25)),
    slips=(
        Slip(
            "没有除以长度",
            not_divided,
            wrong="这是内积：向量变长，它也变大。余弦只比方向。",
            look="除以两个长度的乘积。",
        ),
        Slip(
            "只除以了 a 的长度",
            divided_by_one_length,
            wrong="b 的长度还留在结果里。",
            look="两个长度都要除。",
        ),
        Slip(
            "只除以了 b 的长度",
            divided_by_the_other_length,
            wrong="a 的长度还留在结果里。",
            look="两个长度都要除。",
        ),
        Slip(
            "除以了长度的平方",
            divided_by_the_squares,
            wrong="除得太多：忘了开方。",
            look="长度是平方和的平方根。",
        ),
        Slip(
            "除以了长度的和",
            divided_by_the_sum,
            wrong="两个长度应相乘，不是相加：a 变成 2 倍，内积也是 2 倍，要除回去的正好是 2 倍。",
            look="norm(a) * norm(b)。",
        ),
        Slip(
            "除以了 √d",
            divided_by_sqrt_d,
            wrong="那是注意力的缩放，长度还留在里面。",
            look="除以 norm(a) * norm(b)。",
        ),
        Slip(
            "长度用了 p = 1",
            divided_by_the_sizes,
            wrong="绝对值的和不是这里的长度；向量和自己的余弦应是 1。",
            look="长度取 p = 2。",
        ),
        Slip(
            "给的是弧度",
            angle_in_radians,
            wrong="多做了一步 arccos：这是夹角，不是它的余弦。",
            look="去掉 arccos。",
        ),
        Slip(
            "给的是角度",
            angle_in_degrees,
            wrong="多做了一步 arccos：这是夹角（度），不是它的余弦。",
            look="去掉 arccos 和换算。",
        ),
        Slip(
            "给的是 1 − 余弦",
            distance_instead,
            wrong="这是“余弦距离”：越像越小。余弦相似度是越像越大。",
            look="不要用 1 去减。",
        ),
        Slip(
            "取了绝对值",
            without_sign,
            wrong="方向相反应是 −1；取了绝对值就和同向分不开了。",
            look="去掉 abs。",
        ),
        Slip(
            "先减去了平均",
            correlation,
            wrong="这是相关系数：减去平均之后，方向已经变了。",
            look="直接用 a 和 b。",
        ),
        Slip(
            "长度用了整个数组的",
            lengths_of_everything,
            wrong="一对向量时是对的；有很多行时，每一行要除以自己的长度。",
            look="np.linalg.norm(…, axis=-1)。",
        ),
        Slip(
            "很多行只得了一个数",
            all_in_one_number,
            wrong="整个数组被当成了一个长向量。",
            look="求和与长度都沿 axis=-1。",
        ),
        Slip(
            "用了 np.dot",
            with_dot,
            wrong="有很多行时，np.dot 是矩阵乘法，不是逐行的内积。",
            look="(a * b).sum(axis=-1)。",
        ),
        Slip(
            "算成了所有的行两两之间",
            all_pairs,
            wrong="要的是第 i 行和第 i 行。",
            look="(a * b).sum(axis=-1)，再除以逐行的长度。",
        ),
        Slip(
            "零向量得了 NaN",
            zero_gives_nan,
            wrong="0 / 0 悄悄变成 NaN，一路传下去才被发现。零向量没有方向，应当当场说出来。",
            look="先看长度：有一个是 0，就 raise ValueError。",
        ),
        Slip(
            "零向量得了 0",
            zero_gives_zero,
            wrong="0 的意思是“成直角”；零向量没有方向，和谁也不成角。这里约定报错。",
            look="先看长度：有一个是 0，就 raise ValueError。",
        ),
        Slip(
            "零向量返回了 None",
            zero_gives_none,
            wrong="None 要到后面使用时才出错，而且看不出原因。",
            look="raise ValueError，并说出原因。",
        ),
        Slip(
            "分母加了一个小数",
            small_number_added,
            wrong="加上 1e-8 之后，零向量得 0，问题被盖住了；很短的向量也不准了。",
            look="不加；长度是 0 时 raise ValueError。",
        ),
        Slip(
            "用了 assert",
            asserted,
            wrong="assert 抛出的是 AssertionError，而且 python -O 会把它去掉；输入不合要求，用 ValueError。",
            look="if …: raise ValueError(…)。",
        ),
        Slip(
            "抛出的是 ZeroDivisionError",
            division_error,
            wrong="调用者不知道你内部做了除法；他要知道的是输入哪里不对。",
            look="在相除之前检查，raise ValueError。",
        ),
        Slip(
            "全都是零时才报错",
            only_when_all_are_zero,
            wrong="很多行里只要有一行是零，就已经有一个余弦算不出来。",
            look="有任何一行的长度是 0：(lengths == 0).any()。",
        ),
        Slip(
            "两个都是零时才报错",
            only_when_both_are_zero,
            wrong="一个零向量就够了。",
            look="用 or，不用 and。",
        ),
        Slip(
            "只检查了 b",
            only_the_second_checked,
            wrong="a 也可能是零向量。",
            look="两个长度都要检查。",
        ),
        Slip(
            "只检查了 a",
            only_the_first_checked,
            wrong="b 也可能是零向量。",
            look="两个长度都要检查。",
        ),
        Slip(
            "内积为 0 时报了错",
            right_angle_refused,
            wrong="成直角的两个向量，内积也是 0；它们的余弦就是 0，没有错。",
            look="检查的应是长度，不是内积。",
        ),
        Slip(
            "只照顾了一对向量",
            one_pair_only,
            wrong="一对向量时是对的；有很多行时 a @ b 是矩阵乘法，norm 也把所有的行合成了一个长度。零向量还会得 NaN。",
            look="(a * b).sum(axis=-1)；np.linalg.norm(…, axis=-1)；长度为 0 时 raise ValueError。",
        ),
        Slip(
            "只照顾了一对向量（零向量已处理）",
            one_pair_only_but_checked,
            wrong="一对向量时是对的；有很多行时 a @ b 是矩阵乘法，norm 也把所有的行合成了一个长度。",
            look="(a * b).sum(axis=-1)；np.linalg.norm(…, axis=-1)。",
        ),
        Slip(
            "if 用在了整个数组上",
            if_on_an_array,
            wrong="一对向量时是对的；有很多行时 lengths 是数组，if lengths == 0 不知道看哪一个，自己就报了错。",
            look="if np.any(lengths == 0)。",
        ),
        Slip(
            "有零向量时返回了一个 0",
            one_zero_for_all,
            wrong="0 的意思是“成直角”；零向量没有方向，这里约定报错。",
            look="raise ValueError。",
        ),
        Slip(
            "有零向量时返回了一个 NaN",
            one_nan_for_all,
            wrong="NaN 会一路传下去才被发现；零向量应当场说出来。",
            look="raise ValueError。",
        ),
        Slip(
            "整个为零时返回了 0",
            zero_pair_gives_zero,
            wrong="0 的意思是“成直角”；零向量没有方向。很多行里只有一行为零时，这一行还成了 NaN。",
            look="看每一行的长度；有一个是 0，就 raise ValueError。",
        ),
        Slip(
            "抛出的是 Exception",
            plain_exception,
            wrong="报错是对的；Exception 太宽，调用者分不出是哪一种错。约定用 ValueError。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "分量里有 0 就报了错",
            zero_entry_refused,
            wrong="有一个分量是 0 的向量仍有方向；只有所有的分量都是 0，才是零向量。",
            look="检查长度，不检查分量。",
        ),
    ),
    styles=(with_loops, of_unit_vectors, law_of_cosines, through_python_numbers, in_float32),
    hints=(
        "先算内积，再把两个向量的长度都除掉。长度是 0 时，没有方向可比。",
        "lengths = norm(a) * norm(b)；其中有 0 时 raise ValueError，否则内积除以 lengths。",
        "if np.any(lengths == 0): raise ValueError('a zero vector has no direction')；"
        "return (a * b).sum(axis=-1) / lengths，长度用 np.linalg.norm(…, axis=-1)。",
    ),
    properties=(Property("没有一个余弦超出 −1 到 1", lambda cosine: bool((np.abs(cosine) <= 1 + 1e-6).all())),),
    equivalent_mutants={"the inner product does not care for the order": ("inner(a, b) -> inner(b, a)",)},
)
