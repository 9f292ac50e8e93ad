"""Exercise `positions.is_permutation_equivariant`: judge whether a function knows the order of its tokens."""

import itertools

import numpy as np

from helpers.checks.catalogue.positions import layers
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import positions as reference

CORE, ALL, INVARIANT, EVERY, ROUNDING, FAINT = (
    "分得清知道顺序与不知道顺序的函数",
    "对给出的每一个排列都成立",
    "输出要跟着排列走，不是停在原地",
    "每个数都要对上，多了少了都不行",
    "舍入误差不算数",
    "很弱的位置信息也看得出",
)


def _turning(rng, seq_len):
    """Return permutations that are not their own inverses: turns by one and by two places, and a turn of three."""
    start = np.arange(seq_len)
    three = rng.permutation(seq_len)[:3]
    swapped = start.copy()
    swapped[three] = np.roll(three, 1)
    return np.array([np.roll(start, 1), swapped])


def _x(rng, seq_len, d_model):
    return rng.normal(size=(seq_len, d_model))


def cases(rng):
    backwards = np.arange(5)[::-1]
    other = np.array([1, 2, 0, 3, 4])
    rising = np.sort(_x(rng, 5, 2), axis=0)
    return [
        Case(CORE, (layers.doubled, _x(rng, 3, 2), np.array([[1, 0, 2]]))),
        Case(CORE, (layers.doubled, _x(rng, 3, 2), np.array([[2, 0, 1]]))),
        Case(CORE, (layers.running_sum, _x(rng, 3, 2), np.array([[2, 0, 1]]))),
        Case(CORE, (layers.plain_attention, _x(rng, 5, 3), _turning(rng, 5))),
        Case(CORE, (layers.causal_attention, _x(rng, 5, 3), _turning(rng, 5))),
        Case(CORE, (layers.feed_forward, _x(rng, 7, 5).astype(np.float32), _turning(rng, 7))),
        Case(CORE, (layers.attention_with_positions, _x(rng, 7, 2), _turning(rng, 7))),
        Case(CORE, (layers.plain_attention, 5 * _x(rng, 5, 7), _turning(rng, 5))),
        Case(CORE, (layers.next_token, _x(rng, 5, 2), np.array([other]))),
        Case(ALL, (layers.reversed_order, _x(rng, 5, 2), np.array([backwards, other]))),
        Case(ALL, (layers.reversed_order, _x(rng, 5, 3), np.array([other, backwards]))),
        Case(ALL, (layers.reversed_order, _x(rng, 5, 3), np.array([backwards, other, backwards]))),
        Case(INVARIANT, (layers.mean_for_everyone, _x(rng, 3, 2), _turning(rng, 3))),
        Case(INVARIANT, (layers.sorted_columns, _x(rng, 5, 2), _turning(rng, 5))),
        Case(EVERY, (layers.largest_so_far, rising, np.array([backwards]))),  # what changes grows
        Case(EVERY, (layers.largest_so_far, rising[::-1], np.array([backwards]))),  # what changes shrinks
        Case(EVERY, (layers.position_in_the_last_column, _x(rng, 5, 3), _turning(rng, 5))),
        Case(ROUNDING, (layers.sum_one_by_one, np.array([[0.1], [0.2], [0.3]]), np.array([[2, 1, 0]]))),
        Case(FAINT, (layers.faint_position, rng.integers(-3, 4, size=(5, 3)) / 10, np.array([other]))),
    ]


def output_stays(function, x, permutations):
    return all(np.allclose(function(x[p]), function(x)) for p in permutations)


def input_not_permuted(function, x, permutations):
    return all(np.allclose(function(x), function(x)[p]) for p in permutations)


def permuted_back_the_wrong_way(function, x, permutations):
    return all(np.allclose(function(x[p]), function(x)[np.argsort(p)]) for p in permutations)


def first_permutation_alone(function, x, permutations):
    p = permutations[0]
    return np.allclose(function(x[p]), function(x)[p])


def last_permutation_alone(function, x, permutations):
    p = permutations[-1]
    return np.allclose(function(x[p]), function(x)[p])


def any_permutation(function, x, permutations):
    return any(np.allclose(function(x[p]), function(x)[p]) for p in permutations)


def exactly_equal(function, x, permutations):
    return all(np.array_equal(function(x[p]), function(x)[p]) for p in permutations)


def too_tolerant(function, x, permutations):
    return all(np.allclose(function(x[p]), function(x)[p], atol=0.1) for p in permutations)


def sums_alone(function, x, permutations):
    return all(np.allclose(np.sum(function(x[p]), axis=0), np.sum(function(x), axis=0)) for p in permutations)


def rows_in_any_order(function, x, permutations):
    def ordered(rows):
        return sorted(np.round(rows, 6).tolist())

    return all(np.allclose(ordered(function(x[p])), ordered(function(x))) for p in permutations)


def without_abs(function, x, permutations):
    return all(np.max(function(x[p]) - function(x)[p]) < 1e-6 for p in permutations)


def without_abs_the_other_way(function, x, permutations):
    return all(np.max(function(x)[p] - function(x[p])) < 1e-6 for p in permutations)


def any_number(function, x, permutations):
    return all(np.isclose(function(x[p]), function(x)[p]).any() for p in permutations)


def with_a_loop(function, x, permutations):
    before = function(x)
    for p in permutations:
        after = function(x[p])
        for place, source in enumerate(p):
            if np.abs(after[place] - before[source]).max() > 1e-6 * (1 + np.abs(before).max()):
                return False
    return True


def with_permutation_matrices(function, x, permutations):
    identity = np.eye(len(x))
    differences = [function(identity[p] @ x) - identity[p] @ function(x) for p in permutations]
    return np.max(np.abs(differences)) < 1e-5 * max(1, np.max(np.abs(function(x))))


def undoing_the_permutation(function, x, permutations):
    undone = (function(x[p])[np.argsort(p)] for p in permutations)
    return sum(not np.allclose(rows, function(x), rtol=1e-5) for rows in undone) == 0


def as_a_number(function, x, permutations):
    pairs = itertools.product([function(np.array(x))], permutations)
    return np.float32(min(float(np.allclose(function(np.take(x, p, axis=0)), np.take(y, p, axis=0))) for y, p in pairs))


EXERCISE = Exercise(
    id="positions.is_permutation_equivariant",
    title="一个函数知不知道顺序",
    points=2,
    reference=reference.is_permutation_equivariant,
    returns=("equivariant",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.4),
        Behaviour(ALL, 0.2),
        Behaviour(INVARIANT, 0.1),
        Behaviour(EVERY, 0.1),
        Behaviour(ROUNDING, 0.1),
        Behaviour(FAINT, 0.1),
    ),
    slips=(
        Slip(
            "要求输出原地不动",
            output_stays,
            wrong="这里比较的是 f(x[p]) 与 f(x)：那叫“不变”。连 2x 这样逐个处理的函数也会被判成知道顺序。",
            look="输入的行换了次序，输出的行也该换成同样的次序：右边要写成 f(x)[p]。",
        ),
        Slip(
            "输入没有打乱",
            input_not_permuted,
            wrong="两边用的是同一个 f(x)，函数从来没有见过打乱的输入。",
            look="左边要把打乱的输入交给函数：f(x[p])。",
        ),
        Slip(
            "排列用反了方向",
            permuted_back_the_wrong_way,
            wrong="右边用的是 p 的逆排列。两个位置对换时看不出差别，三个位置轮换时就错了。",
            look="两边用同一个 p：f(x[p]) 与 f(x)[p]。",
        ),
        Slip(
            "只试了第一个排列",
            first_permutation_alone,
            wrong="碰巧有的排列不露馅：把次序倒过来的函数，在“全部倒过来”这个排列下也成立。",
            look="permutations 的每一行都要试，全部成立才算。",
        ),
        Slip(
            "只试了最后一个排列",
            last_permutation_alone,
            wrong="循环里只留下了最后一次的结果，前面不成立的排列被盖掉了。",
            look="有一个排列不成立，就应返回 False。",
        ),
        Slip(
            "有一个排列成立就算",
            any_permutation,
            wrong="用了 any：只要有一个排列成立，就返回 True。",
            look="要对每一个排列都成立：用 all。",
        ),
        Slip(
            "要求一位不差",
            exactly_equal,
            wrong="换了次序再相加，最后一位小数会变，这是舍入，不是函数知道顺序。",
            look="用 np.allclose 比较，不要用 ==。",
        ),
        Slip(
            "容许的误差太大",
            too_tolerant,
            wrong="误差放得太宽（或先舍入到一位小数再比），每个位置只差 0.01 的位置信息就漏过去了。",
            look="np.allclose 的默认误差就够用。",
        ),
        Slip(
            "只比较了总和",
            sums_alone,
            wrong="各行的总和相同，不等于每一行都到了该到的地方。",
            look="逐个元素比较 f(x[p]) 与 f(x)[p]，不要先求和。",
        ),
        Slip(
            "只看有没有同样的行",
            rows_in_any_order,
            wrong="两边的行排序之后再比，行到了哪个位置就无从得知了。",
            look="不要排序：右边是 f(x)[p]，一行对一行。",
        ),
        Slip(
            "差没有取绝对值",
            without_abs,
            wrong="只看 f(x[p]) − f(x)[p] 有没有大于误差；差是很大的负数时，也当成了相等。",
            look="先取绝对值，或直接用 np.allclose。",
        ),
        Slip(
            "反过来减，差也没有取绝对值",
            without_abs_the_other_way,
            wrong="只看 f(x)[p] − f(x[p]) 有没有大于误差；差是很大的负数时，也当成了相等。",
            look="先取绝对值，或直接用 np.allclose。",
        ),
        Slip(
            "有一个数相等就算",
            any_number,
            wrong="np.isclose(…).any() 只要有一个数对上就成立；应是每个数都对上。",
            look="用 .all()，或 np.allclose。",
        ),
    ),
    styles=(with_a_loop, with_permutation_matrices, undoing_the_permutation, as_a_number),
    hints=(
        "先算一次 f(x)。然后对每个排列 p，把打乱的输入 x[p] 交给函数，看结果与什么相等。",
        "不知道顺序的函数，输入的行怎么换，输出的行就怎么换：f(x[p]) 应等于 f(x)[p]。比较时容许舍入误差。",
        "return all(np.allclose(function(x[p]), function(x)[p]) for p in permutations)",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x = np.asarray(x, dtype=float) -> (dropped)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
            "np.asarray(function(x)) -> function(x)",
            "np.asarray(permutations) -> permutations",
        ),
        "both sides are large enough for it not to matter which one the tolerance is relative to": (
            "np.allclose(function(x[order]), output[order]) -> np.allclose(output[order], function(x[order]))",
        ),
    },
)
