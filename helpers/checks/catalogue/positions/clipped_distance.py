"""Exercise `positions.clipped_distance`: Shaw's row numbers for relative positions."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import relative as reference

CORE, WIDE, ZERO = "距离、截断、编号", "max_distance 大到什么也截不掉", "max_distance 是 0"


def cases(rng):
    return [
        Case(CORE, (3, 1)),
        Case(CORE, (4, 2)),
        Case(CORE, (int(rng.integers(7, 12)), 3)),
        Case(WIDE, (3, int(rng.integers(5, 9)))),
        Case(WIDE, (1, 2)),
        Case(ZERO, (3, 0)),
    ]


def _distance(seq_len):
    return np.arange(seq_len)[None, :] - np.arange(seq_len)[:, None]


def not_numbered_from_zero(seq_len, max_distance):
    return np.clip(_distance(seq_len), -max_distance, max_distance)


def query_minus_key(seq_len, max_distance):
    return np.clip(-_distance(seq_len), -max_distance, max_distance) + max_distance


def not_clipped(seq_len, max_distance):
    return _distance(seq_len) + max_distance


def clipped_above_alone(seq_len, max_distance):
    return np.minimum(_distance(seq_len), max_distance) + max_distance


def clipped_below_alone(seq_len, max_distance):
    return np.maximum(_distance(seq_len), -max_distance) + max_distance


def without_a_direction(seq_len, max_distance):
    return np.minimum(np.abs(_distance(seq_len)), max_distance)


def clipped_after_numbering(seq_len, max_distance):
    return np.clip(_distance(seq_len) + max_distance, 0, max_distance)


def numbered_from_one(seq_len, max_distance):
    return np.clip(_distance(seq_len), -max_distance, max_distance) + max_distance + 1


def far_ones_dropped(seq_len, max_distance):
    distance = _distance(seq_len)
    return np.where(np.abs(distance) <= max_distance, distance, 0) + max_distance


def query_minus_key_not_numbered(seq_len, max_distance):
    return np.clip(-_distance(seq_len), -max_distance, max_distance)


def numbered_by_clipping(seq_len, max_distance):
    return np.clip(_distance(seq_len), 0, 2 * max_distance)


def numbered_before_clipping(seq_len, max_distance):
    return np.clip(_distance(seq_len) + max_distance, -max_distance, max_distance)


def without_a_direction_but_numbered(seq_len, max_distance):
    return np.minimum(np.abs(_distance(seq_len)), max_distance) + max_distance


def numbered_from_the_smallest(seq_len, max_distance):
    clipped = np.clip(_distance(seq_len), -max_distance, max_distance)
    return clipped - clipped.min()


def with_loops(seq_len, max_distance):
    return [
        [max(-max_distance, min(max_distance, j - i)) + max_distance for j in range(seq_len)] for i in range(seq_len)
    ]


def with_indices(seq_len, max_distance):
    i, j = np.indices((seq_len, seq_len))
    return np.clip(j - i + max_distance, 0, 2 * max_distance)


def with_where(seq_len, max_distance):
    distance = np.subtract.outer(np.arange(seq_len), np.arange(seq_len)).T
    near = np.where(distance > max_distance, max_distance, distance)
    return np.where(near < -max_distance, 0, near + max_distance)


def in_float32(seq_len, max_distance):
    position = np.arange(seq_len, dtype=np.float32)
    return np.minimum(np.maximum(position - position[:, None], -max_distance), max_distance) + np.float32(max_distance)


EXERCISE = Exercise(
    id="positions.clipped_distance",
    title="截断的相对距离",
    points=1,
    reference=reference.clipped_distance,
    returns=("index",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(WIDE, 0.2), Behaviour(ZERO, 0.1)),
    slips=(
        Slip(
            "编号没有从 0 开始",
            not_numbered_from_zero,
            wrong="现在从 −max_distance 数起；要当作表的行号，最小的编号应是 0。",
            look="截断之后加上 max_distance。",
        ),
        Slip(
            "方向反了",
            query_minus_key,
            wrong="算的是 i − j；约定是键的位置减查询的位置：右边的键编号大。",
            look="第 i 行第 j 列是 j − i。",
        ),
        Slip(
            "没有截断",
            not_clipped,
            wrong="远处的编号超出了表的 2·max_distance + 1 行。",
            look="加 max_distance 之前，用 np.clip 把距离夹在 ±max_distance 之间。",
        ),
        Slip(
            "只截断了右边",
            clipped_above_alone,
            wrong="左边太远的键，编号成了负数。",
            look="两边都要截断。",
        ),
        Slip(
            "只截断了左边",
            clipped_below_alone,
            wrong="右边太远的键，编号超出了表的行数。",
            look="两边都要截断。",
        ),
        Slip(
            "不分左右",
            without_a_direction,
            wrong="取了绝对值，前一个词和后一个词就没有分别了。",
            look="保留正负号：j − i 从 −max_distance 到 +max_distance，共 2·max_distance + 1 种。",
        ),
        Slip(
            "编号的上限截错了",
            clipped_after_numbering,
            wrong="先加了 max_distance，再截到 max_distance：右边的键都成了同一个编号。",
            look="加过之后，范围是 0 到 2·max_distance。",
        ),
        Slip(
            "编号从 1 开始",
            numbered_from_one,
            wrong="每个编号都大了 1；自己应是 max_distance。",
            look="截断之后只加 max_distance。",
        ),
        Slip(
            "太远的都当成了自己",
            far_ones_dropped,
            wrong="超出范围的距离被换成了 0，也就是自己的位置。",
            look="截断是换成边上的值，不是换成 0：用 np.clip。",
        ),
        Slip(
            "方向反了，编号也没有从 0 开始",
            query_minus_key_not_numbered,
            wrong="算的是 i − j，而且从 −max_distance 数起。",
            look="第 i 行第 j 列是 j − i；截断之后加上 max_distance。",
        ),
        Slip(
            "只夹到了 0 以上，没有先加 max_distance",
            numbered_by_clipping,
            wrong="左边的键都成了 0：负的距离要先整个移到 0 以上，不是夹掉。",
            look="先夹在 ±max_distance 之间，再加 max_distance。",
        ),
        Slip(
            "先加了 max_distance，再夹在 ±max_distance 之间",
            numbered_before_clipping,
            wrong="加过之后，范围应是 0 到 2·max_distance；现在右边的键都成了同一个编号，左边太远的又成了负数。",
            look="先夹，再加。",
        ),
        Slip(
            "不分左右，又加了 max_distance",
            without_a_direction_but_numbered,
            wrong="取了绝对值，前一个词和后一个词就没有分别了。",
            look="保留正负号：j − i 从 −max_distance 到 +max_distance，再加 max_distance。",
        ),
        Slip(
            "从最小的一个数起",
            numbered_from_the_smallest,
            wrong="句子短时，最小的距离到不了 −max_distance：同一个距离在长短句子里的编号就不同了。",
            look="总是加 max_distance，自己的编号总是 max_distance。",
        ),
    ),
    styles=(with_loops, with_indices, with_where, in_float32),
    hints=(
        "先做出每一格的 j − i：一个行向量减一个列向量。",
        "再用 np.clip 夹在 −max_distance 和 max_distance 之间。",
        "最后加 max_distance，编号便从 0 到 2·max_distance。",
    ),
    equivalent_mutants={
        "clipping takes the larger of the value and the lower end, whichever is named first": (
            "np.clip(distance, -max_distance, max_distance) -> np.clip(-max_distance, distance, max_distance)",
        ),
    },
)
