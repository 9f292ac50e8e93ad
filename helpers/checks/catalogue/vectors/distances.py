"""Exercise `vectors.distances`: from every vector of one set to every vector of another."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import vectors as reference

CORE, SAME, BATCH = "两两之间的欧氏距离", "相同的点距离是 0", "前面可以有批量轴"


def cases(rng):
    points, more = rng.normal(size=(7, 5)), rng.normal(size=(30, 3))
    return [
        Case(CORE, (np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[0.0, 4.0], [3.0, 2.0], [1.0, 0.0]]))),
        Case(CORE, (rng.normal(size=(2, 3)), rng.normal(size=(5, 3)))),
        Case(CORE, (rng.normal(size=(3, 3)), rng.normal(size=(3, 3)) + 1)),
        Case(CORE, (rng.normal(size=(5, 7)).astype(np.float32), rng.normal(size=(2, 7)).astype(np.float32) + 1)),
        Case(CORE, (1e4 * rng.normal(size=(3, 2)), 1e4 * rng.normal(size=(4, 2)))),
        Case(SAME, (points, points.copy())),
        Case(SAME, (more, more[::-1].copy())),
        Case(SAME, (np.zeros((2, 3)), np.zeros((1, 3)))),
        Case(BATCH, (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5)))),
        Case(BATCH, (rng.normal(size=(3, 3, 2)), rng.normal(size=(3, 3, 2)))),
        Case(BATCH, (rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 2, 5)))),
    ]


def _differences(a, b):
    return a[..., :, None, :] - b[..., None, :, :]


def _squared_lengths(a, b):
    return (a**2).sum(axis=-1)[..., :, None], (b**2).sum(axis=-1)[..., None, :]


def _products(a, b):
    return a @ np.swapaxes(b, -1, -2)


def squared(a, b):
    return (_differences(a, b) ** 2).sum(axis=-1)


def transposed(a, b):
    return np.sqrt((_differences(b, a) ** 2).sum(axis=-1))


def city_blocks(a, b):
    return np.abs(_differences(a, b)).sum(axis=-1)


def largest_difference(a, b):
    return np.abs(_differences(a, b)).max(axis=-1)


def averaged(a, b):
    return np.sqrt((_differences(a, b) ** 2).mean(axis=-1))


def differences_added(a, b):
    return np.abs(_differences(a, b).sum(axis=-1))


def similarity_instead(a, b):
    return _products(a, b) / np.sqrt(np.multiply(*_squared_lengths(a, b)))


def cosine_distance(a, b):
    return 1 - _products(a, b) / np.sqrt(np.multiply(*_squared_lengths(a, b)))


def inner_products(a, b):
    return _products(a, b)


def difference_of_the_lengths(a, b):
    of_a, of_b = _squared_lengths(a, b)
    return np.abs(np.sqrt(of_a) - np.sqrt(of_b))


def vectors_added(a, b):
    return np.sqrt(((a[..., :, None, :] + b[..., None, :, :]) ** 2).sum(axis=-1))


def product_taken_once(a, b):
    of_a, of_b = _squared_lengths(a, b)
    return np.sqrt(np.maximum(of_a + of_b - _products(a, b), 0))


def squares_only(a, b):
    return np.sqrt(np.add(*_squared_lengths(a, b)))


def nan_for_the_same_point(a, b):
    of_a, of_b = _squared_lengths(a, b)
    return np.sqrt(of_a + of_b - 2 * _products(a, b))


def pairs_in_order(a, b):
    n = min(a.shape[-2], b.shape[-2])
    return np.sqrt(((a[..., :n, :] - b[..., :n, :]) ** 2).sum(axis=-1))


def of_everything(a, b):
    return np.linalg.norm(_differences(a, b))


def without_batch_axes(a, b):
    return np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1))


def not_added_up(a, b):
    return np.abs(_differences(a, b))


def transposing_all_axes(a, b):
    of_a, of_b = _squared_lengths(a, b)
    return np.sqrt(np.maximum(of_a + of_b - 2 * a @ b.T, 0))


def nan_and_all_axes_transposed(a, b):
    return np.sqrt((a**2).sum(axis=-1)[:, None] + (b**2).sum(axis=-1) - 2 * a @ b.T)


def looping_over_the_first_axis(a, b):
    return np.array([[np.linalg.norm(one - other) for other in b] for one in a])


def axis_forgotten_when_added(a, b):
    return np.sqrt((_differences(a, b) ** 2).sum(axis=-2))


def with_loops(a, b):
    if np.ndim(a) > 2:
        return [with_loops(one, other) for one, other in zip(a, b, strict=True)]
    return [[math.dist(map(float, one), map(float, other)) for other in b] for one in a]


def with_numpys_norm(a, b):
    return np.linalg.norm(np.expand_dims(a, -2) - np.expand_dims(b, -3), axis=-1)


def with_the_products(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    of_a, of_b = np.einsum("...nd,...nd->...n", a, a), np.einsum("...md,...md->...m", b, b)
    squares = of_a[..., :, None] + of_b[..., None, :] - 2 * np.einsum("...nd,...md->...nm", a, b)
    return np.sqrt(np.clip(squares, 0, None))


def with_complex_numbers(a, b):
    differences = np.asarray(a)[..., :, np.newaxis, :] - np.asarray(b)[..., np.newaxis, :, :]
    return np.abs(np.sqrt((differences * differences).sum(axis=-1).astype(complex)))


def in_float32(a, b):
    a, b = np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32)
    total = np.zeros((*a.shape[:-1], b.shape[-2]), dtype=np.float32)
    for i in range(a.shape[-1]):
        total += (a[..., :, None, i] - b[..., None, :, i]) ** 2
    return total**0.5


EXERCISE = Exercise(
    id="vectors.distances",
    title="两两之间的距离",
    points=2,
    reference=reference.distances,
    returns=("distances",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(SAME, 0.2), Behaviour(BATCH, 0.2)),
    properties=(Property("没有一个距离是负数", lambda distances: bool((distances >= 0).all())),),
    slips=(
        Slip(
            "没有开方",
            squared,
            wrong="这是距离的平方：排名次时没有差别，但 3 倍远会变成 9 倍。",
            look="最后 np.sqrt。",
        ),
        Slip(
            "转置了",
            transposed,
            wrong="行和列对调了：第 i 行应是 a 的第 i 个向量到 b 的每一个。",
            look="结果的形状是 (n, m)：a 的在前，b 的在后。",
        ),
        Slip(
            "差的大小加了起来",
            city_blocks,
            wrong="这是 p = 1 的距离：沿着格子走。欧氏距离是平方、相加、开方。",
            look="((…) ** 2).sum(axis=-1)，再开方。",
        ),
        Slip(
            "取了最大的差",
            largest_difference,
            wrong="这是 p = ∞ 的距离，只看差得最多的一个分量。",
            look="((…) ** 2).sum(axis=-1)，再开方。",
        ),
        Slip(
            "取了平均",
            averaged,
            wrong="除以了 d；距离是平方和的平方根。",
            look="用 sum，不用 mean。",
        ),
        Slip(
            "没有平方就相加",
            differences_added,
            wrong="正的差和负的差互相抵消了。",
            look="先平方，再相加。",
        ),
        Slip(
            "算成了余弦相似度",
            similarity_instead,
            wrong="相似度是越像越大，只比方向；距离是越近越小，长度也算。",
            look="用差的长度。",
        ),
        Slip(
            "算成了余弦距离",
            cosine_distance,
            wrong="1 − 余弦 只比方向：方向相同、长短不同的两个向量，它给 0。",
            look="用差的长度。",
        ),
        Slip(
            "算成了内积",
            inner_products,
            wrong="内积是越像越大；距离是越近越小。",
            look="用差的长度。",
        ),
        Slip(
            "算成了长度的差",
            difference_of_the_lengths,
            wrong="一样长、方向不同的两个向量并不在同一处。",
            look="先相减，再求长度。",
        ),
        Slip(
            "减写成了加",
            vectors_added,
            wrong="a + b 的长度，是 a 到 −b 的距离。",
            look="a − b。",
        ),
        Slip(
            "交叉项少了 2 倍",
            product_taken_once,
            wrong="|a − b|² = |a|² + |b|² − 2⟨a, b⟩，内积要乘 2。",
            look="- 2 * a @ b.T。",
        ),
        Slip(
            "少了交叉项",
            squares_only,
            wrong="√(|a|² + |b|²) 只在 a 与 b 成直角时是距离。",
            look="|a − b|² = |a|² + |b|² − 2⟨a, b⟩。",
        ),
        Slip(
            "相同的点得了 NaN",
            nan_for_the_same_point,
            wrong="|a|² + |b|² − 2⟨a, b⟩ 会因舍入略小于 0，开方就是 NaN。",
            look="开方之前 np.maximum(…, 0)；或者直接用差来算。",
        ),
        Slip(
            "只算了同一行的",
            pairs_in_order,
            wrong="a 的第 i 个只和 b 的第 i 个比了；要的是每一对。",
            look="插入新轴：a[..., :, None, :] − b[..., None, :, :]。",
        ),
        Slip(
            "所有的距离合成了一个数",
            of_everything,
            wrong="np.linalg.norm 没有给 axis，把整个数组当成了一个向量。",
            look="axis=-1。",
        ),
        Slip(
            "没有照顾批量轴",
            without_batch_axes,
            wrong="二维时是对的；前面有批量轴时，新轴插错了地方。",
            look="从后面数：a[..., :, None, :] − b[..., None, :, :]。",
        ),
        Slip(
            "没有加起来",
            not_added_up,
            wrong="每一对还有 d 个差；距离是一个数。",
            look="平方，沿最后一个轴求和，再开方。",
        ),
        Slip(
            "用了 .T",
            transposing_all_axes,
            wrong="二维时是对的；前面有批量轴时，b.T 把所有的轴都倒过来。",
            look="np.swapaxes(b, -1, -2)。",
        ),
        Slip(
            "相同的点得了 NaN，批量轴也没有照顾",
            nan_and_all_axes_transposed,
            wrong="展开的公式会因舍入略小于 0，开方就是 NaN；前面有批量轴时 b.T 也不对。",
            look="直接用差来算：a[..., :, None, :] − b[..., None, :, :]。",
        ),
        Slip(
            "循环只走了第 0 轴",
            looping_over_the_first_axis,
            wrong="二维时是对的；前面有批量轴时，a 的第 0 轴不再是向量，norm 把整个矩阵当成了一个。",
            look="用广播：a[..., :, None, :] − b[..., None, :, :]，再沿最后一个轴。",
        ),
        Slip(
            "沿错了轴相加",
            axis_forgotten_when_added,
            wrong="加掉的是 b 的那个轴；应加掉的是 d，最后一个轴。",
            look="axis=-1。",
        ),
    ),
    styles=(with_loops, with_numpys_norm, with_the_products, with_complex_numbers, in_float32),
    hints=(
        "先得到所有的差，形状 (..., n, m, d)，再沿最后一个轴求长度。",
        "a[..., :, None, :] 的形状是 (..., n, 1, d)，b[..., None, :, :] 是 (..., 1, m, d)：相减时会广播。",
        "return np.sqrt(((a[..., :, None, :] - b[..., None, :, :]) ** 2).sum(axis=-1))",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "a, b = (np.asarray(a, dtype=float), np.asarray(b, dtype=float)) -> (dropped)",
            "np.asarray(a, dtype=float) -> a",
            "np.asarray(a, dtype=float) -> np.asarray(a)",
            "np.asarray(b, dtype=float) -> b",
            "np.asarray(b, dtype=float) -> np.asarray(b)",
        ),
        CHECKS_SHAPES: (
            "_require_shared_d(a, b) -> (dropped)",
            "_require_shared_d(a, b) -> a",
            "_require_shared_d(a, b) -> _require_shared_d(b, a)",
        ),
        "the way there is as long as the way back": (
            "a[..., :, None, :] - b[..., None, :, :] -> b[..., None, :, :] - a[..., :, None, :]",
        ),
    },
)
