"""Exercise `positions.relative_bucket`: T5's buckets for distances."""

import math

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import relative as reference

CORE, BACKWARD, SIZES, FAR = (
    "两个方向",
    "只看过去（bidirectional=False）",
    "桶的个数和最远距离可以换",
    "很远的都进最后一个桶",
)


def _clear(relative_position, n_side, max_distance):
    """Keep the distances whose bucket does not hang on the last digit of a logarithm."""
    n_exact = n_side // 2
    distance = np.maximum(np.abs(relative_position), 1)
    place = np.log(distance / n_exact) / np.log(max_distance / n_exact) * (n_side - n_exact)
    is_clear = (np.abs(place - np.round(place)) > 1e-6) | (distance <= n_exact) | (distance >= max_distance)
    return relative_position[is_clear]


def cases(rng):
    both = np.array([-127, -100, -70, -50, -40, -30, -20, -13, -11, -10, -9, -8, -7, -2, -1, 0, 1, 7, 8, 9, 11, 40, 90])
    one_way = np.array([3, 1, 0, -1, -7, -8, -15, -16, -17, -20, -30, -60, -100, -127])
    random = rng.integers(-60, 61, size=30)
    return [
        Case(CORE, (np.array([0, -1, 1, -8, 8]),)),
        Case(CORE, (_clear(both, 16, 128),)),
        Case(CORE, (_clear(rng.integers(-120, 121, size=40), 16, 128), True)),
        Case(BACKWARD, (_clear(one_way, 32, 128), False)),
        Case(BACKWARD, (_clear(rng.integers(-120, 5, size=30), 32, 128), False)),
        Case(SIZES, (_clear(random, 10, 50), True, 20, 50)),
        Case(SIZES, (_clear(random, 12, 40), False, 12, 40)),
        Case(SIZES, (_clear(random, 7, 64)[:20].reshape(4, 5), True, 14, 64)),
        Case(FAR, (np.array([-128, 128, -300, 5000, -1000000]), True)),
        Case(FAR, (np.array([[-128, -129], [-5000, 300]]), False)),
    ]


def _bucket(relative_position, n_side, max_distance, whole=np.floor, cap=True, n_exact=None):
    """Return T5's bucket of a distance that counts from 0 up."""
    n_exact = n_side // 2 if n_exact is None else n_exact
    ratio = np.log(np.maximum(relative_position, 1) / n_exact) / np.log(max_distance / n_exact)
    far = n_exact + whole(ratio * (n_side - n_exact))
    return np.where(relative_position < n_exact, relative_position, np.minimum(far, n_side - 1) if cap else far)


def _with_direction(relative_position, bidirectional, n_buckets, max_distance, **how):
    if bidirectional:
        side = n_buckets // 2
        return side * (relative_position > 0) + _bucket(np.abs(relative_position), side, max_distance, **how)
    return _bucket(np.maximum(-relative_position, 0), n_buckets, max_distance, **how)


def query_minus_key(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(-relative_position, bidirectional, n_buckets, max_distance)


def not_halved(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    if not bidirectional:
        return _with_direction(relative_position, False, n_buckets, max_distance)
    first = n_buckets // 2 * (relative_position > 0)
    return first + _bucket(np.abs(relative_position), n_buckets, max_distance)


def no_direction(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    if not bidirectional:
        return _with_direction(relative_position, False, n_buckets, max_distance)
    return _bucket(np.abs(relative_position), n_buckets // 2, max_distance)


def always_bidirectional(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(relative_position, True, n_buckets, max_distance)


def future_as_distance(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    if not bidirectional:
        return _bucket(np.abs(relative_position), n_buckets, max_distance)
    return _with_direction(relative_position, True, n_buckets, max_distance)


def itself_among_the_later_ones(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    if not bidirectional:
        return _with_direction(relative_position, False, n_buckets, max_distance)
    side = n_buckets // 2
    return side * (relative_position >= 0) + _bucket(np.abs(relative_position), side, max_distance)


def rounded(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(relative_position, bidirectional, n_buckets, max_distance, whole=np.round)


def rounded_up(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(relative_position, bidirectional, n_buckets, max_distance, whole=np.ceil)


def not_capped(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(relative_position, bidirectional, n_buckets, max_distance, cap=False)


def capped_one_too_late(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    side = n_buckets // 2 if bidirectional else n_buckets
    first = side * (relative_position > 0) if bidirectional else 0
    distance = np.abs(relative_position) if bidirectional else np.maximum(-relative_position, 0)
    return first + np.minimum(_bucket(distance, side, max_distance, cap=False), side)


def one_exact_bucket_too_few(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    side = n_buckets // 2 if bidirectional else n_buckets
    return _with_direction(relative_position, bidirectional, n_buckets, max_distance, n_exact=side // 2 - 1)


def every_distance_exact(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    side = n_buckets // 2 if bidirectional else n_buckets
    first = side * (relative_position > 0) if bidirectional else 0
    distance = np.abs(relative_position) if bidirectional else np.maximum(-relative_position, 0)
    return first + np.minimum(distance, side - 1)


def evenly_wide(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    side = n_buckets // 2 if bidirectional else n_buckets
    first = side * (relative_position > 0) if bidirectional else 0
    distance = np.abs(relative_position) if bidirectional else np.maximum(-relative_position, 0)
    n_exact = side // 2
    far = n_exact + (distance - n_exact) * (side - n_exact) // (max_distance - n_exact)
    return first + np.where(distance < n_exact, distance, np.minimum(far, side - 1))


def max_distance_ignored(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    return _with_direction(relative_position, bidirectional, n_buckets, 128)


def with_loops(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    if np.ndim(relative_position) > 0:
        return [with_loops(one, bidirectional, n_buckets, max_distance) for one in relative_position]
    first, side, distance = 0, n_buckets, max(-int(relative_position), 0)
    if bidirectional:
        side = n_buckets // 2
        first, distance = (side if relative_position > 0 else 0), abs(int(relative_position))
    exact = side // 2
    if distance < exact:
        return first + distance
    steps = math.log(distance / exact, max_distance / exact) * (side - exact)
    return first + min(exact + int(steps + 1e-12), side - 1)


def with_thresholds(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    side = n_buckets // 2 if bidirectional else n_buckets
    exact = side // 2
    distance = np.abs(relative_position) if bidirectional else np.maximum(-np.asarray(relative_position), 0)
    borders = exact * (max_distance / exact) ** (np.arange(1, side - exact) / (side - exact))
    bucket = np.minimum(distance, exact) + np.searchsorted(borders, distance, side="right")
    return bucket + side * ((np.asarray(relative_position) > 0) & bidirectional)


def with_masks(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    relative_position = np.asarray(relative_position)
    bucket = np.zeros(relative_position.shape, dtype=int)
    side = n_buckets // 2 if bidirectional else n_buckets
    for sign, first in ((-1, 0), (1, side)) if bidirectional else ((-1, 0),):
        distance = sign * relative_position
        near, far = (distance > 0) & (distance < side // 2), distance >= side // 2
        bucket[near] = first + distance[near]
        logs = np.log2(distance[far] / (side // 2)) / np.log2(max_distance / (side // 2))
        bucket[far] = first + np.clip(side // 2 + (logs * (side - side // 2)).astype(int), 0, side - 1)
    return bucket


def in_float32(relative_position, bidirectional=True, n_buckets=32, max_distance=128):
    relative_position = np.asarray(relative_position, dtype=np.float32)
    side = n_buckets // 2 if bidirectional else n_buckets
    distance = np.abs(relative_position) if bidirectional else np.clip(-relative_position, 0, None)
    exact = np.float32(side // 2)
    scale = (side - exact) / np.log(np.float32(max_distance) / exact)
    far = np.minimum(exact + np.trunc(np.log(np.maximum(distance, exact) / exact) * scale), np.float32(side - 1))
    return np.where(distance < exact, distance, far) + (side * (relative_position > 0) if bidirectional else 0)


EXERCISE = Exercise(
    id="positions.relative_bucket",
    title="T5 的距离分桶",
    points=2,
    reference=reference.relative_bucket,
    returns=("bucket",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(BACKWARD, 0.2), Behaviour(SIZES, 0.2), Behaviour(FAR, 0.1)),
    slips=(
        Slip(
            "方向反了",
            query_minus_key,
            wrong="相对位置是键减查询：负数是前面的键，用前一半桶；现在正好反了。",
            look="relative_position > 0（后面的键）才加上一半桶的个数。",
        ),
        Slip(
            "两个方向时没有把桶对半分",
            not_halved,
            wrong="每个方向都用了全部的桶，编号会超出 n_buckets。",
            look="bidirectional 时，先 n_buckets = n_buckets // 2，后面的规则都用这个数。",
        ),
        Slip(
            "两个方向时不分前后",
            no_direction,
            wrong="前面第 3 个和后面第 3 个进了同一个桶。",
            look="后面的键，编号加上一半桶的个数。",
        ),
        Slip(
            "没有用到 bidirectional",
            always_bidirectional,
            wrong="bidirectional=False 时，应当所有的桶都留给过去。",
            look="False 时不对半分；距离是 np.maximum(-relative_position, 0)。",
        ),
        Slip(
            "只看过去时，未来的键也算了距离",
            future_as_distance,
            wrong="bidirectional=False 时，后面的键反正被因果掩码遮住，都放进 0 号桶。",
            look="用 np.maximum(-relative_position, 0)，不用绝对值。",
        ),
        Slip(
            "自己被算成了后面的键",
            itself_among_the_later_ones,
            wrong="距离 0 应在 0 号桶；写成 >= 0，它就跑到后一半去了。",
            look="relative_position > 0，不含 0。",
        ),
        Slip(
            "四舍五入了",
            rounded,
            wrong="对数那一段应向下取整；四舍五入使一部分距离早了半步进入下一个桶。",
            look="用 np.floor（或转成整数）。",
        ),
        Slip(
            "向上取整了",
            rounded_up,
            wrong="对数那一段差了一个桶：刚过精确的一段，就跳到了下一个桶。",
            look="用 np.floor（或转成整数）。",
        ),
        Slip(
            "没有封顶",
            not_capped,
            wrong="距离达到 max_distance 之后，编号还在往上长，超出了桶的个数。",
            look="用 np.minimum 封顶在这一边的桶数减 1。",
        ),
        Slip(
            "封顶高了一个",
            capped_one_too_late,
            wrong="最大的编号应是这一边的桶数减 1，现在多出了一个桶。",
            look="桶从 0 数起，所以最后一个是 n_buckets − 1（两个方向时，是一半减 1）。",
        ),
        Slip(
            "精确的桶少了一个",
            one_exact_bucket_too_few,
            wrong="一边的桶有一半是精确的，一个距离一个桶；现在少了一个，从那里往后全都错开了。",
            look="n_exact = n_buckets // 2（对半分之后的 n_buckets）。",
        ),
        Slip(
            "每个距离都占一个桶",
            every_distance_exact,
            wrong="桶很快用完：十几个位置之外就分不出远近了。",
            look="后一半桶按对数分配，越远的桶越宽，一直管到 max_distance。",
        ),
        Slip(
            "远处的桶一样宽",
            evenly_wide,
            wrong="远处是按等宽分的；T5 按对数分，近的细、远的粗。",
            look="log(distance / n_exact) / log(max_distance / n_exact) 乘以剩下的桶数，再向下取整。",
        ),
        Slip(
            "max_distance 写死成了 128",
            max_distance_ignored,
            wrong="换一个 max_distance，结果没有变。",
            look="用参数 max_distance。",
        ),
    ),
    styles=(with_loops, with_thresholds, with_masks, in_float32),
    hints=(
        "三步：先定方向（要不要对半分、加多少），再取距离，最后分近的和远的。",
        "n_exact = n_buckets // 2。距离小于它，桶号就是距离；否则是 n_exact 加上对数那一段，向下取整，"
        "封顶在 n_buckets − 1。",
        "对数那一段：np.floor(np.log(distance / n_exact) / np.log(max_distance / n_exact) * (n_buckets - n_exact))。"
        "距离 0 不能取对数，先用 np.maximum(distance, 1)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "relative_position = np.asarray(relative_position) -> (dropped)",
            "np.asarray(relative_position) -> relative_position",
        ),
        "the larger or smaller of two numbers is the same in either order": (
            "np.maximum(-relative_position, 0) -> np.maximum(0, -relative_position)",
            "np.minimum(far, n_buckets - 1) -> np.minimum(n_buckets - 1, far)",
            "np.maximum(distance, 1) -> np.maximum(1, distance)",
        ),
        "only keeps the logarithm of 0 from warning: short distances do not use it": (
            "np.maximum(distance, 1) -> distance",
            "1 -> 2",
            "1 -> 0",
        ),
        "turning a number above 0 into an integer rounds it down as well": (
            "np.floor(ratio * (n_buckets - n_exact)) -> ratio * (n_buckets - n_exact)",
        ),
        "at n_exact the logarithm is 0, so that both rules give the same bucket": (
            "distance < n_exact -> distance <= n_exact",
        ),
    },
)
