"""Exercise `vectors.angle_spread`: how far the cosines of all pairs spread, beside 1/sqrt(d)."""

import math

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Property, Slip
from helpers.reference import high_dimensions as reference

CORE, LENGTHS, HIGH = "两两余弦的标准差", "长度不影响夹角", "维数高时"


def cases(rng):
    lengths = np.array([[1e-3], [1.0], [30.0], [1e3], [0.2]])
    return [
        Case(CORE, (np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]),)),
        Case(CORE, (rng.normal(size=(4, 3)),)),
        Case(CORE, (rng.normal(size=(5, 7)).astype(np.float32),)),
        Case(CORE, (rng.normal(size=(7, 2)) + 1,)),
        Case(LENGTHS, (lengths * rng.normal(size=(5, 4)),)),
        Case(LENGTHS, (np.array([[4.0, 0.0, 3.0], [0.4, 0.1, 0.3], [-40.0, 5.0, 0.0]]),)),
        Case(HIGH, (rng.normal(size=(11, 400)),)),
        Case(HIGH, (rng.uniform(0, 1, size=(5, 150)),)),
    ]


def _cosines(vectors):
    units = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return units @ units.T


def _pairs(vectors):
    return _cosines(vectors)[np.triu_indices(len(vectors), 1)]


def _predicted(vectors):
    return 1 / np.sqrt(vectors.shape[1])


def with_themselves(vectors):
    return _cosines(vectors).std(), _predicted(vectors)


def diagonal_in_the_triangle(vectors):
    return _cosines(vectors)[np.triu_indices(len(vectors))].std(), _predicted(vectors)


def zeros_of_the_other_triangle(vectors):
    return np.triu(_cosines(vectors), 1).std(), _predicted(vectors)


def not_divided_by_the_lengths(vectors):
    return (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)].std(), _predicted(vectors)


def scaled_products(vectors):
    products = vectors @ vectors.T / np.sqrt(vectors.shape[1])
    return products[np.triu_indices(len(vectors), 1)].std(), _predicted(vectors)


def of_the_angles(vectors):
    return np.arccos(np.clip(_pairs(vectors), -1, 1)).std(), _predicted(vectors)


def of_the_degrees(vectors):
    return np.degrees(np.arccos(np.clip(_pairs(vectors), -1, 1))).std(), _predicted(vectors)


def variance(vectors):
    return _pairs(vectors).var(), _predicted(vectors)


def variances(vectors):
    return _pairs(vectors).var(), 1 / vectors.shape[1]


def one_less(vectors):
    return _pairs(vectors).std(ddof=1), _predicted(vectors)


def mean_not_taken_off(vectors):
    return np.sqrt((_pairs(vectors) ** 2).mean()), _predicted(vectors)


def mean_instead(vectors):
    return _pairs(vectors).mean(), _predicted(vectors)


def mean_size(vectors):
    return np.abs(_pairs(vectors)).mean(), _predicted(vectors)


def of_the_sizes(vectors):
    return np.abs(_pairs(vectors)).std(), _predicted(vectors)


def one_over_d(vectors):
    return _pairs(vectors).std(), 1 / vectors.shape[1]


def root_of_d(vectors):
    return _pairs(vectors).std(), np.sqrt(vectors.shape[1])


def from_the_number_of_vectors(vectors):
    return _pairs(vectors).std(), 1 / np.sqrt(len(vectors))


def only_neighbours(vectors):
    return np.diag(_cosines(vectors), 1).std(), _predicted(vectors)


def only_with_the_first(vectors):
    return _cosines(vectors)[0, 1:].std(), _predicted(vectors)


def of_the_columns(vectors):
    return _pairs(vectors.T).std(), _predicted(vectors)


def of_the_entries(vectors):
    return vectors.std(), _predicted(vectors)


def exchanged(vectors):
    return _predicted(vectors), _pairs(vectors).std()


def spread_given_twice(vectors):
    spread = _pairs(vectors).std()
    return spread, spread


def prediction_given_twice(vectors):
    return _predicted(vectors), _predicted(vectors)


def diagonal_set_to_zero(vectors):
    return (_cosines(vectors) * (1 - np.eye(len(vectors)))).std(), _predicted(vectors)


def correlations(vectors):
    return np.corrcoef(vectors)[np.triu_indices(len(vectors), 1)].std(), _predicted(vectors)


def with_loops(vectors):
    cosines = []
    for i, a in enumerate(vectors):
        for b in vectors[:i]:
            cosines.append(float(a @ b) / (math.hypot(*a) * math.hypot(*b)))
    mean = sum(cosines) / len(cosines)
    return math.sqrt(sum((c - mean) ** 2 for c in cosines) / len(cosines)), len(vectors[0]) ** -0.5


def every_pair_twice(vectors):
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    cosines = (vectors @ vectors.T) / np.outer(lengths, lengths)
    return np.std(cosines[~np.eye(len(vectors), dtype=bool)]), np.array(1 / math.sqrt(vectors.shape[-1]))


def from_distances(vectors):
    units = np.asarray(vectors, dtype=float) / np.linalg.norm(vectors, axis=1)[:, None]
    i, j = np.tril_indices(len(units), -1)
    cosines = 1 - np.square(units[i] - units[j]).sum(axis=1) / 2
    return [np.sqrt(np.mean(cosines**2) - np.mean(cosines) ** 2), np.float64(vectors.shape[1]) ** -0.5]


def in_float32(vectors):
    units = np.float32(vectors) / np.linalg.norm(np.float32(vectors), axis=-1, keepdims=True)
    upper = np.triu(np.ones((len(units), len(units)), dtype=bool), 1)
    return np.array([(units @ units.T)[upper].std(), 1 / np.sqrt(np.float32(vectors.shape[1]))])


EXERCISE = Exercise(
    id="vectors.angle_spread",
    title="高维里的夹角",
    points=2,
    reference=reference.angle_spread,
    returns=("spread", "predicted"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(LENGTHS, 0.2), Behaviour(HIGH, 0.2)),
    properties=(Property("两个结果都不是负数", lambda spread, predicted: bool(spread >= 0 and predicted >= 0)),),
    slips=(
        Slip(
            "把自己和自己也算进去了",
            with_themselves,
            wrong="对角线上的余弦全是 1，把标准差撑大了。",
            look="只取不同的两个：np.triu_indices(n, k=1)。",
        ),
        Slip(
            "上三角里带着对角线",
            diagonal_in_the_triangle,
            wrong="np.triu_indices(n) 默认含对角线，自己和自己的 1 混了进来。",
            look="np.triu_indices(n, k=1)。",
        ),
        Slip(
            "下三角的 0 也算进去了",
            zeros_of_the_other_triangle,
            wrong="np.triu 把另一半填成 0，这些 0 不是余弦。",
            look="用 np.triu_indices(n, k=1) 把要的取出来。",
        ),
        Slip(
            "没有除以长度",
            not_divided_by_the_lengths,
            wrong="这是内积的标准差，取决于向量有多长；夹角与长度无关。",
            look="先把每一行除以它的长度。",
        ),
        Slip(
            "除的是 √d",
            scaled_products,
            wrong="除以 √d 是注意力的缩放；余弦要除以两个长度。",
            look="先把每一行除以它的长度。",
        ),
        Slip(
            "算的是弧度的标准差",
            of_the_angles,
            wrong="多做了一步 arccos；约定比较余弦。",
            look="去掉 arccos。",
        ),
        Slip(
            "算的是角度的标准差",
            of_the_degrees,
            wrong="多做了一步 arccos；约定比较余弦。",
            look="去掉 arccos 和换算。",
        ),
        Slip(
            "给的是方差",
            variance,
            wrong="方差是标准差的平方。",
            look="用 std，不用 var。",
        ),
        Slip(
            "两个都是方差",
            variances,
            wrong="方差约是 1/d；要的是标准差，约 1/√d。",
            look="两个都开平方。",
        ),
        Slip(
            "除以了个数减一",
            one_less,
            wrong="ddof=1 除以的是“有几对”减 1；约定除以有几对。",
            look="np.std 默认就是。",
        ),
        Slip(
            "没有减去平均",
            mean_not_taken_off,
            wrong="这是均方根；余弦的平均不为 0 时，它比标准差大。",
            look="用 .std()。",
        ),
        Slip(
            "给的是平均",
            mean_instead,
            wrong="随机方向的余弦，平均约是 0；要的是散得有多开。",
            look="用 .std()。",
        ),
        Slip(
            "给的是绝对值的平均",
            mean_size,
            wrong="平均的 |余弦| 也随 d 变小，但不是标准差。",
            look="用 .std()。",
        ),
        Slip(
            "先取了绝对值",
            of_the_sizes,
            wrong="取了绝对值，正负两边叠在一起，散布变小了。",
            look="去掉 abs。",
        ),
        Slip(
            "预言写成了 1/d",
            one_over_d,
            wrong="1/d 是方差；标准差是 1/√d。",
            look="1 / np.sqrt(d)。",
        ),
        Slip(
            "预言写成了 √d",
            root_of_d,
            wrong="√d 是内积的标准差；余弦还除以了两个约 √d 的长度。",
            look="1 / np.sqrt(d)。",
        ),
        Slip(
            "预言用了向量的个数",
            from_the_number_of_vectors,
            wrong="取决于维数 d，不取决于有几个向量。",
            look="d = vectors.shape[-1]。",
        ),
        Slip(
            "只算了相邻的",
            only_neighbours,
            wrong="每一对都要算，不只是相邻的两行。",
            look="np.triu_indices(n, k=1)。",
        ),
        Slip(
            "只和第一个比了",
            only_with_the_first,
            wrong="每一对都要算，不只是和第一行。",
            look="np.triu_indices(n, k=1)。",
        ),
        Slip(
            "比的是列",
            of_the_columns,
            wrong="向量是行，这里却比了列。",
            look="units @ units.T。",
        ),
        Slip(
            "算的是分量的标准差",
            of_the_entries,
            wrong="这是数组里所有数的标准差，没有比较任何一对向量。",
            look="先求两两的余弦。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回量出来的，再返回 1/√d。",
        ),
        Slip(
            "量出来的给了两次",
            spread_given_twice,
            wrong="第二个应是 1/√d，与这些向量的值无关。",
            look="1 / np.sqrt(vectors.shape[-1])。",
        ),
        Slip(
            "预言给了两次",
            prediction_given_twice,
            wrong="第一个应从给出的向量里量出来。",
            look="两两余弦的 .std()。",
        ),
        Slip(
            "对角线填成了 0",
            diagonal_set_to_zero,
            wrong="填进去的 0 也被当成余弦，参加了标准差。",
            look="用 np.triu_indices(n, k=1) 把要的取出来。",
        ),
        Slip(
            "先减去了各自的平均",
            correlations,
            wrong="np.corrcoef 先减去每个向量自己的平均，方向已经变了。",
            look="每一行除以自己的长度，不减平均。",
        ),
    ),
    styles=(with_loops, every_pair_twice, from_distances, in_float32),
    hints=(
        "先求两两的余弦：每一行除以自己的长度，再 units @ units.T。对角线是自己和自己，不要。",
        "cosines = (units @ units.T)[np.triu_indices(n, k=1)]：每一对一次。再求标准差。",
        "return cosines.std(), 1 / np.sqrt(vectors.shape[-1])",
    ),
    equivalent_mutants={
        "a NumPy number is as good as Python's": (
            "float(_pair_cosines(vectors).std()) -> _pair_cosines(vectors).std()",
        ),
        "the last axis of a matrix is axis 1": ("-1 -> 1",),
    },
)
