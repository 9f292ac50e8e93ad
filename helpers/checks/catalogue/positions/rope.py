"""Exercise `positions.rope`: turn queries and keys by their positions, leave values alone."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import rotary as reference

CORE, BASE, BATCH = "q 和 k 按位置转，v 不动", "base 可以换", "前面可以有批量轴"


def _arguments(rng, batch, n_queries, n_keys, d_k, d_v):
    shapes = ((*batch, n_queries, d_k), (*batch, n_keys, d_k), (*batch, n_keys, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def cases(rng):
    q, k, v = _arguments(rng, (), 3, 5, 4, 2)
    return [
        Case(CORE, (np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[7.0], [8.0]]))),
        Case(CORE, _arguments(rng, (), 3, 3, 4, 4)),
        Case(CORE, _arguments(rng, (), 5, 7, 6, 2)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 5, 8, 4))),
        Case(CORE, (1e3 * q, 1e-3 * k, v)),
        Case(BASE, (*_arguments(rng, (), 3, 5, 4, 2), float(rng.integers(20, 200)))),
        Case(BATCH, _arguments(rng, (2,), 3, 5, 4, 6)),
        Case(BATCH, _arguments(rng, (2, 3), 5, 7, 8, 4)),
    ]


def _angles(x, base):
    return np.arange(x.shape[-2])[:, None] / base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])


def _turned(x, angles):
    pairs = x[..., 0::2], x[..., 1::2]
    first = pairs[0] * np.cos(angles) - pairs[1] * np.sin(angles)
    second = pairs[0] * np.sin(angles) + pairs[1] * np.cos(angles)
    return np.stack([first, second], axis=-1).reshape(x.shape)


def keys_alone(q, k, v, base=10000.0):
    return q, _turned(k, _angles(k, base)), v


def queries_alone(q, k, v, base=10000.0):
    return _turned(q, _angles(q, base)), k, v


def values_too(q, k, v, base=10000.0):
    turned = _turned(q, _angles(q, base)), _turned(k, _angles(k, base))
    if v.shape[-1] % 2:
        return *turned, v
    return *turned, _turned(v, _angles(v, base))


def opposite_angle(q, k, v, base=10000.0):
    return _turned(q, -_angles(q, base)), _turned(k, -_angles(k, base)), v


def keys_turned_back(q, k, v, base=10000.0):
    return _turned(q, _angles(q, base)), _turned(k, -_angles(k, base)), v


def same_angle_at_all_positions(q, k, v, base=10000.0):
    return _turned(q, 0 * _angles(q, base) + _angles(q, base)[1:2]), _turned(k, _angles(k, base)[1:2]), v


def same_angle_for_all_pairs(q, k, v, base=10000.0):
    return _turned(q, np.arange(q.shape[-2])[:, None]), _turned(k, np.arange(k.shape[-2])[:, None]), v


def positions_from_one(q, k, v, base=10000.0):
    step = 1 / base ** (np.arange(0, q.shape[-1], 2) / q.shape[-1])
    return _turned(q, _angles(q, base) + step), _turned(k, _angles(k, base) + step), v


def _half_split(x, angles):
    first, second = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


def half_split_pairs(q, k, v, base=10000.0):
    return _half_split(q, _angles(q, base)), _half_split(k, _angles(k, base)), v


def neighbours_angles_on_half_split_pairs(q, k, v, base=10000.0):
    def turned(x):
        angles = np.repeat(_angles(x, base), 2, axis=-1)
        first, second = np.split(x, 2, axis=-1)
        return x * np.cos(angles) + np.concatenate([-second, first], axis=-1) * np.sin(angles)

    return turned(q), turned(k), v


def results_in_two_halves(q, k, v, base=10000.0):
    def halves(x):
        turned = _turned(x, _angles(x, base))
        return np.concatenate([turned[..., 0::2], turned[..., 1::2]], axis=-1)

    return halves(q), halves(k), v


def exponent_i_over_d(q, k, v, base=10000.0):
    def angles(x):
        return np.arange(x.shape[-2])[:, None] / base ** (np.arange(x.shape[-1] // 2) / x.shape[-1])

    return _turned(q, angles(q)), _turned(k, angles(k)), v


def base_ignored(q, k, v, base=10000.0):
    return _turned(q, _angles(q, 10000.0)), _turned(k, _angles(k, 10000.0)), v


def multiplied_by_the_power(q, k, v, base=10000.0):
    def angles(x):
        return np.arange(x.shape[-2])[:, None] * base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])

    return _turned(q, angles(q)), _turned(k, angles(k)), v


def encoding_added(q, k, v, base=10000.0):
    def added(x):
        angles = _angles(x, base)
        return x + np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(x.shape[-2:])

    return added(q), added(k), v


def no_minus_sign(q, k, v, base=10000.0):
    def mixed(x):
        angles = _angles(x, base)
        cos, sin = np.cos(angles), np.sin(angles)
        first, second = x[..., 0::2], x[..., 1::2]
        return np.stack([first * cos + second * sin, first * sin + second * cos], axis=-1).reshape(x.shape)

    return mixed(q), mixed(k), v


def first_component_already_changed(q, k, v, base=10000.0):
    def turned(x):
        x, cos, sin = x.copy(), np.cos(_angles(x, base)), np.sin(_angles(x, base))
        x[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        x[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
        return x

    return turned(q), turned(k), v


def positions_along_the_batch(q, k, v, base=10000.0):
    def turned(x):
        step = 1 / base ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
        positions = np.arange(len(x)).reshape(-1, *[1] * (x.ndim - 1))
        return _turned(x, positions * step)

    return turned(q), turned(k), v


def with_loops(q, k, v, base=10000.0):
    if np.ndim(q) > 2:
        return tuple(zip(*(with_loops(*one, base) for one in zip(q, k, v, strict=True)), strict=True))
    results = []
    for x in (q, k):
        rows = [list(map(float, row)) for row in x]
        for p, row in enumerate(rows):
            for even in range(0, len(row), 2):
                angle = p * base ** (-even / len(row))
                a, b = row[even : even + 2]
                row[even], row[even + 1] = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
        results.append(rows)
    return [*results, v]


def with_complex_numbers(q, k, v, base=10000.0):
    results = []
    for x in (q, k):
        x = np.ascontiguousarray(x, dtype=float)
        rates = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
        turns = np.exp(1j * np.outer(np.arange(x.shape[-2]), rates))
        results.append((x.view(complex) * turns).view(float))
    return results[0], results[1], np.asarray(v)


def with_matrices(q, k, v, base=10000.0):
    turned = []
    for x in (q, k):
        rates = base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
        angles = np.multiply.outer(np.arange(x.shape[-2]), rates)
        matrices = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
        pairs = np.reshape(x, (*x.shape[:-1], -1, 2))
        turned.append(np.einsum("abnf,...nfb->...nfa", matrices, pairs).reshape(x.shape))
    return (*turned, v.copy())


def in_float32(q, k, v, base=10000.0):
    results = []
    for x in (q, k):
        x = np.asarray(x, dtype=np.float32)
        rates = np.repeat(np.float32(base) ** (-np.arange(0, x.shape[-1], 2, dtype=np.float32) / x.shape[-1]), 2)
        angles = np.arange(x.shape[-2], dtype=np.float32)[:, None] * rates.astype(np.float32)
        crossed = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
        results.append(x * np.cos(angles) + crossed * np.sin(angles))
    return results[0], results[1], np.asarray(v, dtype=np.float32)


EXERCISE = Exercise(
    id="positions.rope",
    title="旋转位置编码",
    points=3,
    reference=reference.rope,
    returns=("q", "k", "v"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BASE, 0.2), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "只转了 k",
            keys_alone,
            wrong="q 没有转。只转一边，分数就取决于 k 的绝对位置，而不是两者的距离。",
            look="q 和 k 各按自己的位置转。",
        ),
        Slip(
            "只转了 q",
            queries_alone,
            wrong="k 没有转。只转一边，分数就取决于 q 的绝对位置，而不是两者的距离。",
            look="q 和 k 各按自己的位置转。",
        ),
        Slip(
            "连 v 也转了",
            values_too,
            wrong="q 和 k 对了，但 v 也被转了：被传递的内容会因位置而走样。",
            look="位置只用来打分；v 原样返回。",
        ),
        Slip(
            "转反了方向",
            opposite_angle,
            wrong="q 和 k 都转反了。分数仍只看距离，但前后颠倒了：约定是逆时针转，角度为正。",
            look="(a, b) 变成 (a cos − b sin, a sin + b cos)。",
        ),
        Slip(
            "q 和 k 转的方向相反",
            keys_turned_back,
            wrong="一正一反，分数取决于位置之和，而不是之差。",
            look="两者用同一个函数转，方向相同。",
        ),
        Slip(
            "所有位置转了同样的角度",
            same_angle_at_all_positions,
            wrong="每个位置都转了一样多，谁先谁后就没有分别：位置 0 应当一点不转。",
            look="角度乘上位置 0, 1, 2……：np.arange(x.shape[-2])[:, None]。",
        ),
        Slip(
            "每一对转了同样的角度",
            same_angle_for_all_pairs,
            wrong="所有的对都以同一个频率转，隔 2π 步就分不开了。",
            look="第 i 对每步转 base ** (−2i / d_k) 弧度。",
        ),
        Slip(
            "位置从 1 数起",
            positions_from_one,
            wrong="位置 0 也转了。分数不变（只看距离），但与约定差了一步。",
            look="位置是 np.arange(n)，从 0 开始。",
        ),
        Slip(
            "角度按相邻配对，分量按前后两半配对",
            neighbours_angles_on_half_split_pairs,
            wrong="两种约定混在了一起：角度是每两列重复一次，换位的却是前后两半，于是谁也不是旋转。",
            look="(−b, a) 也要按相邻两列换：x[..., 0::2] 和 x[..., 1::2]。",
        ),
        Slip(
            "按前后两半配对",
            half_split_pairs,
            wrong="把第 i 个分量和第 i + d_k / 2 个配成了一对：这是 Llama 的约定，本题要的是相邻的两个配对。",
            look="一对是第 2i 和 2i + 1 个分量：x[..., 0::2] 和 x[..., 1::2]。",
        ),
        Slip(
            "结果分成了前后两半",
            results_in_two_halves,
            wrong="转得对，但拼回去时没有交错：前一半是各对的第一个分量，后一半是第二个。",
            look="写回 turned[..., 0::2] 和 turned[..., 1::2]。",
        ),
        Slip(
            "指数写成了 i/d",
            exponent_i_over_d,
            wrong="第一对对了，后面的都转得太快：指数少了一个 2。",
            look="第 i 对每步转 base ** (−2i / d_k) 弧度。",
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
            look="p / base ** (2i / d_k)。",
        ),
        Slip(
            "加上了编码，没有转",
            encoding_added,
            wrong="这是把正弦编码加到 q 和 k 上；RoPE 是转，向量的长度不变。",
            look="(a, b) 变成 (a cos − b sin, a sin + b cos)。",
        ),
        Slip(
            "少了一个负号",
            no_minus_sign,
            wrong="两个正弦同号，就不再是旋转：向量的长度会变。",
            look="第一个分量是 a cos − b sin。",
        ),
        Slip(
            "第二个分量用了改过的第一个",
            first_component_already_changed,
            wrong="先改了 a，再用新的 a 去算 b：b 就错了。",
            look="先把 a 和 b 都取出来（或写进新的数组），再一起算。",
        ),
        Slip(
            "位置数到批量轴上去了",
            positions_along_the_batch,
            wrong="没有批量轴时正确；有批量轴时，len(x) 是批量的大小，不是序列长度。",
            look="位置沿倒数第二个轴：np.arange(x.shape[-2])[:, None]。",
        ),
    ),
    properties=(
        Property("三样东西的形状都对", lambda q, k, v: q.shape[-1] == k.shape[-1] and k.shape[-2] == v.shape[-2]),
    ),
    styles=(with_loops, with_complex_numbers, with_matrices, in_float32),
    hints=(
        "写一个小函数转一个数组，对 q 和 k 各用一次；v 原样返回。角度一行一个位置，一列一对。",
        "角度是 np.arange(n)[:, None] * base ** (-np.arange(0, d_k, 2) / d_k)。"
        "一对 (a, b) = (x[..., 0::2], x[..., 1::2])。",
        "新的第 0, 2, 4… 个分量是 a cos − b sin，第 1, 3, 5… 个是 a sin + b cos；"
        "写进 np.empty(x.shape) 的 0::2 和 1::2。",
    ),
    tolerance=1e-3,
    equivalent_mutants={
        CONVERTS_INPUT: (
            "q, k = (np.asarray(q, dtype=float), np.asarray(k, dtype=float)) -> (dropped)",
            "np.asarray(q, dtype=float) -> q",
            "np.asarray(q, dtype=float) -> np.asarray(q)",
            "np.asarray(k, dtype=float) -> k",
            "np.asarray(k, dtype=float) -> np.asarray(k)",
            "np.array(v, dtype=float) -> v",
            "np.array(v, dtype=float) -> np.array(v)",
        ),
    },
)
