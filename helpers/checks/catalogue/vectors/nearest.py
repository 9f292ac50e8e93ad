"""Exercise `vectors.nearest`: which points are nearest, by distance, cosine or inner product; ties in any order."""

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, Behaviour, Case, Exercise, Slip
from helpers.reference import vectors as reference

CORE, SEVERAL, COSINE, INNER, BATCH = (
    "最近的一个",
    "最近的几个，由近到远",
    "按余弦",
    "按内积",
    "前面可以有批量轴",
)


def cases(rng):
    points = np.array([[1.0, 1.0], [6.0, 0.0], [0.0, 2.0], [-3.0, -1.0]])
    spread = _of_many_lengths(rng, 9, 4)
    twins = np.concatenate([spread[:3], spread[1:2], spread[3:5]])
    return [
        Case(CORE, (np.array([[2.0, 1.0], [5.0, 2.0]]), points)),
        Case(CORE, (rng.normal(size=(5, 3)), rng.normal(size=(7, 3)))),
        Case(CORE, (rng.normal(size=(3, 2)).astype(np.float32), rng.normal(size=(5, 2)).astype(np.float32), 1)),
        Case(CORE, (1e4 * spread[[3, 0, 5]] + 1, 1e4 * spread, 1, "euclidean")),
        Case(SEVERAL, (np.array([[2.0, 1.0], [5.0, 2.0]]), points, 3)),
        Case(SEVERAL, (rng.normal(size=(4, 3)), rng.normal(size=(9, 3)), 4)),
        Case(SEVERAL, (spread[1:3], twins, 4, "euclidean")),
        Case(SEVERAL, (rng.normal(size=(1, 3)), rng.normal(size=(1000, 3)), 400)),
        Case(COSINE, (np.array([[1.0, 3.0], [2.0, -1.0]]), points, 2, "cosine")),
        Case(COSINE, (_of_many_lengths(rng, 5, 4), spread, 3, "cosine")),
        Case(COSINE, (_of_many_lengths(rng, 3, 2), _of_many_lengths(rng, 7, 2), 7, "cosine")),
        Case(INNER, (np.array([[1.0, 3.0], [2.0, -1.0]]), points, 2, "inner")),
        Case(INNER, (_of_many_lengths(rng, 5, 4), spread, 3, "inner")),
        Case(INNER, (_of_many_lengths(rng, 3, 2), _of_many_lengths(rng, 7, 2), 7, "inner")),
        Case(BATCH, (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5)), 2)),
        Case(BATCH, (rng.normal(size=(2, 3, 4, 2)), rng.normal(size=(2, 3, 5, 2)), 3, "cosine")),
    ]


def _of_many_lengths(rng, n, d):
    return rng.permutation(np.geomspace(0.3, 4.0, n))[:, None] * rng.normal(size=(n, d))


def what_was_chosen(parts, arguments):
    """Return how near the chosen points are, and how many different points each query chose.

    Whatever is no array of point numbers stays as it is, with 0 chosen.
    """
    return _chosen(parts[0], *arguments)


def _chosen(numbers, queries, points, n_nearest=1, measure="euclidean"):
    values = _measured(queries.astype(float), points.astype(float), measure)  # (..., n_queries, n_points)
    asked = (*values.shape[:-1], n_nearest)
    valid = numbers.shape == asked and (numbers == np.floor(numbers)).all()
    if not valid or (numbers < 0).any() or (numbers >= values.shape[-1]).any():
        return numbers, np.array(0.0)
    chosen = np.sort(numbers, axis=-1)
    n_different = (1 + (np.diff(chosen, axis=-1) > 0).sum(axis=-1)).min()
    return np.take_along_axis(values, numbers.astype(int), axis=-1), np.array(float(n_different))


def _measured(queries, points, measure):
    products = queries @ np.swapaxes(points, -1, -2)
    if measure == "inner":
        return products
    if measure == "cosine":
        lengths = np.linalg.norm(queries, axis=-1)[..., :, None] * np.linalg.norm(points, axis=-1)[..., None, :]
        return products / lengths
    return np.linalg.norm(queries[..., :, None, :] - points[..., None, :, :], axis=-1)


def _nearness(queries, points, measure):
    return (-1 if measure == "euclidean" else 1) * _measured(queries, points, measure)


def _first(nearness, n_nearest):
    return np.argsort(-nearness, axis=-1, kind="stable")[..., :n_nearest]


def farthest(queries, points, n_nearest=1, measure="euclidean"):
    return _first(-_nearness(queries, points, measure), n_nearest)


def similarity_taken_for_a_distance(queries, points, n_nearest=1, measure="euclidean"):
    return _first(-_measured(queries, points, measure), n_nearest)


def distance_taken_for_a_similarity(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_measured(queries, points, measure), n_nearest)


def always_by_distance(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, "euclidean"), n_nearest)


def always_by_cosine(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, "cosine"), n_nearest)


def always_by_inner_product(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, "inner"), n_nearest)


def cosine_without_the_points_lengths(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, "inner" if measure == "cosine" else measure), n_nearest)


def inner_product_divided_by_lengths(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, "cosine" if measure == "inner" else measure), n_nearest)


def cosine_without_sign(queries, points, n_nearest=1, measure="euclidean"):
    nearness = _nearness(queries, points, measure)
    return _first(np.abs(nearness) if measure == "cosine" else nearness, n_nearest)


def products_without_sign(queries, points, n_nearest=1, measure="euclidean"):
    nearness = _nearness(queries, points, measure)
    return _first(nearness if measure == "euclidean" else np.abs(nearness), n_nearest)


def distance_in_blocks(queries, points, n_nearest=1, measure="euclidean"):
    if measure != "euclidean":
        return _first(_nearness(queries, points, measure), n_nearest)
    return _first(-np.abs(queries[..., :, None, :] - points[..., None, :, :]).sum(axis=-1), n_nearest)


def values_instead(queries, points, n_nearest=1, measure="euclidean"):
    values = _measured(queries, points, measure)
    return np.take_along_axis(values, _first(_nearness(queries, points, measure), n_nearest), axis=-1)


def points_instead(queries, points, n_nearest=1, measure="euclidean"):
    numbers = _first(_nearness(queries, points, measure), n_nearest)
    return np.take_along_axis(points[..., None, :, :], numbers[..., None], axis=-2)


def farthest_of_them_first(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, measure), n_nearest)[..., ::-1]


def not_in_order(queries, points, n_nearest=1, measure="euclidean"):
    return np.sort(_first(_nearness(queries, points, measure), n_nearest), axis=-1)


def counted_from_one(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, measure), n_nearest) + 1


def first_one_left_out(queries, points, n_nearest=1, measure="euclidean"):
    return np.argsort(-_nearness(queries, points, measure), axis=-1, kind="stable")[..., 1 : n_nearest + 1]


def last_axis_missing(queries, points, n_nearest=1, measure="euclidean"):
    numbers = _first(_nearness(queries, points, measure), n_nearest)
    return numbers[..., 0] if n_nearest == 1 else numbers


def only_one(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, measure), 1)


def all_of_them(queries, points, n_nearest=1, measure="euclidean"):
    return _first(_nearness(queries, points, measure), points.shape[-2])


def nearest_query_of_each_point(queries, points, n_nearest=1, measure="euclidean"):
    return _first(np.swapaxes(_nearness(queries, points, measure), -1, -2), n_nearest)


def ranks_instead(queries, points, n_nearest=1, measure="euclidean"):
    order = np.argsort(-_nearness(queries, points, measure), axis=-1, kind="stable")
    return np.argsort(order, axis=-1, kind="stable")[..., :n_nearest]


def same_one_repeated(queries, points, n_nearest=1, measure="euclidean"):
    return np.repeat(_first(_nearness(queries, points, measure), 1), n_nearest, axis=-1)


def without_batch_axes(queries, points, n_nearest=1, measure="euclidean"):
    if queries.ndim > 2:
        raise ValueError("operands could not be broadcast together")
    return _first(_nearness(queries, points, measure), n_nearest)


def partition_alone(queries, points, n_nearest=1, measure="euclidean"):
    nearness = _nearness(queries, points, measure)
    return np.argpartition(-nearness, n_nearest - 1, axis=-1)[..., :n_nearest]


def cosine_reversed(queries, points, n_nearest=1, measure="euclidean"):
    nearness = _nearness(queries, points, measure)
    return _first(-nearness if measure == "cosine" else nearness, n_nearest)


def inner_product_reversed(queries, points, n_nearest=1, measure="euclidean"):
    nearness = _nearness(queries, points, measure)
    return _first(-nearness if measure == "inner" else nearness, n_nearest)


def with_loops(queries, points, n_nearest=1, measure="euclidean"):
    if np.ndim(queries) > 2:
        return [with_loops(q, p, n_nearest, measure) for q, p in zip(queries, points, strict=True)]

    def far(query, point):
        inner = sum(float(a) * float(b) for a, b in zip(query, point, strict=True))
        if measure == "inner":
            return -inner
        if measure == "cosine":
            return -inner / sum(float(b) ** 2 for b in point) ** 0.5
        return sum((float(a) - float(b)) ** 2 for a, b in zip(query, point, strict=True))

    return [sorted(range(len(points)), key=lambda i: far(query, points[i]))[:n_nearest] for query in queries]


def with_partition(queries, points, n_nearest=1, measure="euclidean"):
    queries, points = np.asarray(queries, dtype=float), np.asarray(points, dtype=float)
    if measure == "cosine":
        queries = queries / np.linalg.norm(queries, axis=-1, keepdims=True)
        points = points / np.linalg.norm(points, axis=-1, keepdims=True)
    cost = -np.einsum("...nd,...md->...nm", queries, points)
    if measure == "euclidean":
        cost = cost + np.square(points).sum(-1)[..., None, :] / 2
    chosen = np.argpartition(cost, n_nearest - 1, axis=-1)[..., :n_nearest]
    order = np.argsort(np.take_along_axis(cost, chosen, axis=-1), axis=-1)
    return np.take_along_axis(chosen, order, axis=-1)


def last_of_the_sorted(queries, points, n_nearest=1, measure="euclidean"):
    q, p = np.asarray(queries)[..., :, None, :], np.asarray(points)[..., None, :, :]
    likeness = {
        "euclidean": lambda: 1 / (1 + np.sqrt(((q - p) ** 2).sum(-1))),
        "cosine": lambda: (q * p).sum(-1) / np.sqrt((q**2).sum(-1) * (p**2).sum(-1)),
        "inner": lambda: (q * p).sum(-1),
    }[measure]()
    return np.argsort(likeness, axis=-1)[..., ::-1][..., :n_nearest].astype(float)


def one_after_another(queries, points, n_nearest=1, measure="euclidean"):
    inner = np.matmul(queries, np.swapaxes(points, -1, -2)).astype(float)
    cost = -inner
    if measure == "cosine":
        cost = -inner / np.linalg.norm(points, axis=-1)[..., None, :]
    elif measure == "euclidean":
        cost = np.linalg.norm(np.expand_dims(queries, -2) - np.expand_dims(points, -3), axis=-1)
    numbers = []
    for _ in range(n_nearest):
        numbers.append(cost.argmin(axis=-1))
        np.put_along_axis(cost, numbers[-1][..., None], np.inf, axis=-1)
    return np.stack(numbers, axis=-1)


EXERCISE = Exercise(
    id="vectors.nearest",
    title="最近的邻居",
    points=2,
    reference=reference.nearest,
    returns=("nearest",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.4),
        Behaviour(SEVERAL, 0.2),
        Behaviour(COSINE, 0.15),
        Behaviour(INNER, 0.15),
        Behaviour(BATCH, 0.1),
    ),
    effect=what_was_chosen,
    compared=("选中的点的远近", "不同的点的个数"),
    slips=(
        Slip(
            "取了最远的",
            farthest,
            wrong="三种量法都反了：得到的是最远、最不像的。",
            look="距离越小越近，余弦和内积越大越近；np.argsort 从小到大。",
        ),
        Slip(
            "把相似度当成了距离",
            similarity_taken_for_a_distance,
            wrong="距离取最小是对的；余弦和内积却是越大越近，取最小得到的是最不像的。",
            look="按余弦、内积时，先加负号再 argsort。",
        ),
        Slip(
            "把距离当成了相似度",
            distance_taken_for_a_similarity,
            wrong="余弦和内积取最大是对的；距离却是越小越近。",
            look="按欧氏距离时，从小到大。",
        ),
        Slip(
            "总是按距离",
            always_by_distance,
            wrong="measure 没有用上，总是欧氏距离。",
            look='measure 是 "cosine" 和 "inner" 时，各有各的算法。',
        ),
        Slip(
            "总是按余弦",
            always_by_cosine,
            wrong="measure 没有用上，总是余弦。",
            look='measure 是 "euclidean" 时，用差的长度。',
        ),
        Slip(
            "总是按内积",
            always_by_inner_product,
            wrong="measure 没有用上，总是内积：长的点因此占便宜。",
            look='measure 是 "euclidean" 时，用差的长度。',
        ),
        Slip(
            "余弦没有除以点的长度",
            cosine_without_the_points_lengths,
            wrong="按余弦时，只除以查询的长度（或都没有除），名次和内积一样：长的点占了便宜。",
            look="点的长度也要除。",
        ),
        Slip(
            "内积除以了长度",
            inner_product_divided_by_lengths,
            wrong="按内积时不要除以长度，除了就是余弦。",
            look='measure 是 "inner" 时，直接用内积。',
        ),
        Slip(
            "余弦取了绝对值",
            cosine_without_sign,
            wrong="方向相反（−1）的点被当成了最像的。",
            look="去掉 abs：−1 是最不像。",
        ),
        Slip(
            "余弦和内积取了绝对值",
            products_without_sign,
            wrong="方向相反的点被当成了最像的。",
            look="去掉 abs。",
        ),
        Slip(
            "距离用了 p = 1",
            distance_in_blocks,
            wrong="把差的大小加起来，有时换了名次；这里约定欧氏距离。",
            look="差的平方相加（开不开方不影响名次）。",
        ),
        Slip(
            "给的是远近，不是编号",
            values_instead,
            wrong="返回了距离或相似度的值；要的是第几个点。",
            look="用 argsort，不用 sort。",
        ),
        Slip(
            "给的是点，不是编号",
            points_instead,
            wrong="返回了那些点本身；要的是它们在 points 里的编号。",
            look="返回 argsort 的结果。",
        ),
        Slip(
            "由远到近了",
            farthest_of_them_first,
            wrong="选中的几个是对的，顺序反了：最近的在前。",
            look="去掉 [::-1]；或对负的相似度 argsort。",
        ),
        Slip(
            "没有由近到远排",
            not_in_order,
            wrong="选中的几个是对的，但按编号排了；np.argpartition 也不保证顺序。",
            look="用 np.argsort，再取前 n_nearest 个。",
        ),
        Slip(
            "编号从 1 数起",
            counted_from_one,
            wrong="编号都大了 1：NumPy 从 0 数起。",
            look="不要加 1。",
        ),
        Slip(
            "漏掉了第一个",
            first_one_left_out,
            wrong="最近的那个没有算；只有在点集里找自己的邻居时才要跳过自己。",
            look="[..., :n_nearest]。",
        ),
        Slip(
            "少了最后一个轴",
            last_axis_missing,
            wrong="n_nearest = 1 时也应有最后一个轴，形状 (..., n_queries, 1)。",
            look="用 argsort(...)[..., :n_nearest]，不用 argmin。",
        ),
        Slip(
            "只给了一个",
            only_one,
            wrong="n_nearest 没有用上。",
            look="[..., :n_nearest]。",
        ),
        Slip(
            "全部都给了",
            all_of_them,
            wrong="排好了所有的点；只要前 n_nearest 个。",
            look="[..., :n_nearest]。",
        ),
        Slip(
            "方向反了",
            nearest_query_of_each_point,
            wrong="为每个点找了最近的查询；要的是为每个查询找点。",
            look="行是查询，列是点，沿最后一个轴排。",
        ),
        Slip(
            "给的是名次",
            ranks_instead,
            wrong="argsort 做了两次，得到每个点的名次；要的是第几名是哪个点。",
            look="只做一次 argsort。",
        ),
        Slip(
            "同一个点重复了",
            same_one_repeated,
            wrong="最近的点被重复了 n_nearest 次。",
            look="各不相同的 n_nearest 个点。",
        ),
        Slip(
            "没有照顾批量轴",
            without_batch_axes,
            wrong="二维时是对的；前面有批量轴时报错。",
            look="新轴从后面数：queries[..., :, None, :]，points[..., None, :, :]。",
        ),
        Slip(
            "用了 np.argpartition 就停下了",
            partition_alone,
            wrong="选中的几个是对的；np.argpartition 只分出前几个，不管它们之间的顺序。",
            look="用 np.argsort，或对选中的几个再排一次。",
        ),
        Slip(
            "余弦反了",
            cosine_reversed,
            wrong="按余弦时取了最不像的；距离和内积是对的。",
            look="余弦越大越近：先加负号，再 argsort。",
        ),
        Slip(
            "内积反了",
            inner_product_reversed,
            wrong="按内积时取了最小的；距离和余弦是对的。",
            look="内积越大越近：先加负号，再 argsort。",
        ),
    ),
    styles=(with_loops, with_partition, last_of_the_sorted, one_after_another),
    hints=(
        "先算出每个查询和每个点有多近，形状 (..., n_queries, n_points)，再沿最后一个轴排名次。",
        "欧氏距离从小到大；余弦和内积从大到小，即先加负号。np.argsort 给出的就是编号。",
        "cost = distances(queries, points)，或 -余弦、-内积；return np.argsort(cost, axis=-1)[..., :n_nearest]。",
    ),
    equivalent_mutants={
        CHECKS_SHAPES: (
            "_require_enough(closeness.shape[-1], n_nearest) -> (dropped)",
            "_require_enough(closeness.shape[-1], n_nearest) -> closeness.shape[-1]",
            "-1 -> 1",
        ),
        "argsort goes along the last axis anyway": (
            "np.argsort(-closeness, axis=-1, kind='stable') -> np.argsort(-closeness, kind='stable')",
        ),
        "any order among points equally near is right": (
            "np.argsort(-closeness, axis=-1, kind='stable') -> np.argsort(-closeness, axis=-1)",
        ),
    },
)
