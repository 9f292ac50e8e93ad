"""Exercise `graphs.message_passing`: every node takes the mean of itself and of the nodes that its row points to."""

import numpy as np

from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import message_passing as reference

CORE, DIRECTED, WEIGHTS, ALONE, BATCH = (
    "取邻居和自己的平均",
    "有向图只读自己那一行",
    "边有轻重",
    "没有邻居的节点",
    "前面可以有批量轴",
)


def cases(rng):
    chain = drawn.matrix([(0, 1), (1, 2)], 3)
    star = drawn.matrix([(0, 1), (0, 2), (0, 3), (3, 4)], 5)
    one_way = drawn.matrix([(0, 1), (0, 2), (2, 3), (3, 1), (4, 0)], 5, directed=True)
    heavy = drawn.matrix([(0, 1), (0, 2), (3, 1)], 4, directed=True, weights=[2.0, 0.5, 5.0])
    batch = np.stack([drawn.random_directed(rng, 5, 0.5), drawn.random_directed(rng, 5, 0.3), one_way])
    return [
        Case(CORE, (chain, np.array([[1.0, 0.0], [4.0, 2.0], [7.0, -2.0]]))),
        Case(CORE, (star, rng.normal(size=(5, 2)) + 1)),
        Case(CORE, (drawn.matrix([(0, 1), (1, 2), (0, 2), (2, 3)], 4), rng.normal(size=(4, 7)).astype(np.float32))),
        Case(CORE, (1 - np.eye(3), 1e6 * rng.normal(size=(3, 5)))),
        Case(DIRECTED, (one_way, rng.normal(size=(5, 3)) + 2)),
        Case(DIRECTED, (drawn.random_directed(rng, 7, 0.4), rng.normal(size=(7, 2)))),
        Case(WEIGHTS, (heavy, rng.normal(size=(4, 3)))),
        Case(WEIGHTS, (drawn.random_directed(rng, 5, 0.6) * rng.random((5, 5)), rng.normal(size=(5, 2)))),
        Case(ALONE, (drawn.matrix([(0, 1)], 3), np.array([[1.0], [3.0], [5.0]]))),
        Case(ALONE, (np.zeros((2, 2)), rng.normal(size=(2, 3)))),
        Case(BATCH, (batch, rng.normal(size=(3, 5, 2)))),
        Case(BATCH, (star, rng.normal(size=(2, 3, 5, 2)))),
        Case(BATCH, (np.stack([batch, batch.swapaxes(-1, -2)]), rng.normal(size=(2, 3, 5, 4)))),
    ]


def _looped(adjacency):
    return np.asarray(adjacency, dtype=float) + np.eye(adjacency.shape[-1])


def _mean(weights, x):
    return weights @ x / weights.sum(axis=-1, keepdims=True)


def without_itself(adjacency, x):
    degree = adjacency.sum(axis=-1, keepdims=True)
    return adjacency @ x / np.where(degree == 0, 1, degree)


def without_itself_nor_care(adjacency, x):
    return adjacency @ x / adjacency.sum(axis=-1, keepdims=True)


def not_normalised(adjacency, x):
    return _looped(adjacency) @ x


def sum_of_neighbours(adjacency, x):
    return adjacency @ x


def divided_by_the_neighbours_only(adjacency, x):
    degree = adjacency.sum(axis=-1, keepdims=True)
    return _looped(adjacency) @ x / np.where(degree == 0, 1, degree)


def divided_by_the_neighbours_only_nor_care(adjacency, x):
    return _looped(adjacency) @ x / adjacency.sum(axis=-1, keepdims=True)


def itself_added_after_the_mean(adjacency, x):
    return x + without_itself(adjacency, x)


def half_itself(adjacency, x):
    degree = adjacency.sum(axis=-1, keepdims=True)
    return np.where(degree == 0, x, (x + without_itself(adjacency, x)) / 2)


def columns_normalised(adjacency, x):
    looped = _looped(adjacency)
    return looped / looped.sum(axis=-2, keepdims=True) @ x


def columns_divided(adjacency, x):
    looped = _looped(adjacency)
    return looped @ x / looped.sum(axis=-2)[..., None]


def edges_backwards(adjacency, x):
    return _mean(np.swapaxes(_looped(adjacency), -1, -2), x)


def both_ways(adjacency, x):
    looped = _looped(adjacency)
    return _mean(np.maximum(looped, np.swapaxes(looped, -1, -2)), x)


def weights_ignored(adjacency, x):
    return _mean((_looped(adjacency) != 0).astype(float), x)


def divided_by_the_number(adjacency, x):
    looped = _looped(adjacency)
    return looped @ x / (looped != 0).sum(axis=-1, keepdims=True)


def divided_by_all_nodes(adjacency, x):
    return _looped(adjacency) @ x / adjacency.shape[-1]


def symmetric(adjacency, x):
    looped = _looped(adjacency)
    root = np.sqrt(looped.sum(axis=-1))
    return looped / root[..., :, None] / root[..., None, :] @ x


def softmax_over_all(adjacency, x):
    weights = np.exp(_looped(adjacency))
    return _mean(weights, x)


def softmax_over_the_edges(adjacency, x):
    looped = _looped(adjacency)
    return _mean(np.where(looped != 0, np.exp(looped), 0), x)


def itself_added_once_more(adjacency, x):
    return x + _mean(_looped(adjacency), x)


def divided_by_the_whole_sum(adjacency, x):
    looped = _looped(adjacency)
    return looped @ x / looped.sum()


def itself_twice(adjacency, x):
    return _mean(_looped(adjacency) + np.eye(adjacency.shape[-1]), x)


def mean_of_all(adjacency, x):
    return np.broadcast_to(x.mean(axis=-2, keepdims=True), np.broadcast_shapes(x.shape, (*adjacency.shape[:-1], 1)))


def weights_returned(adjacency, x):
    looped = _looped(adjacency)
    return looped / looped.sum(axis=-1, keepdims=True)


def twice(adjacency, x):
    looped = _looped(adjacency)
    return _mean(looped, _mean(looped, x))


def largest_of_all(adjacency, x):
    seen = _looped(adjacency)[..., None] != 0
    return np.where(seen, x[..., None, :, :], -np.inf).max(axis=-2)


def without_batch_axis(adjacency, x):
    looped = adjacency + np.eye(len(adjacency))
    return looped @ x / looped.sum(axis=1, keepdims=True)


def with_loops(adjacency, x):
    if np.ndim(x) > 2:
        adjacencies = adjacency if np.ndim(adjacency) > 2 else [adjacency] * len(x)
        return [with_loops(one, each) for one, each in zip(adjacencies, x, strict=True)]
    output = []
    for i in range(len(x)):
        total, weight = [float(number) for number in x[i]], 1.0
        for j in range(len(x)):
            if adjacency[i][j] != 0:
                total = [t + float(adjacency[i][j] * number) for t, number in zip(total, x[j], strict=True)]
                weight += float(adjacency[i][j])
        output.append([t / weight for t in total])
    return output


def with_einsum(adjacency, x):
    n = adjacency.shape[-1]
    weights = np.where(np.eye(n, dtype=bool), 1.0, adjacency)
    weights = weights / np.einsum("...ij->...i", weights)[..., None]
    return np.einsum("...ij,...jd->...id", weights, x)


def without_a_matrix_for_itself(adjacency, x):
    return (x + adjacency @ x) / (1 + np.sum(adjacency, axis=-1))[..., None]


def with_an_inverse_in_float32(adjacency, x):
    looped = (adjacency + np.identity(np.shape(adjacency)[-1])).astype(np.float32)
    degree = looped.sum(-1)
    inverse = np.zeros_like(looped)
    index = np.arange(looped.shape[-1])
    inverse[..., index, index] = 1 / degree
    return np.matmul(np.matmul(inverse, looped), x.astype(np.float32))


def with_average(adjacency, x):
    x = np.broadcast_to(x, np.broadcast_shapes(x.shape, (*adjacency.shape[:-1], 1)))
    looped = np.broadcast_to(adjacency + np.eye(adjacency.shape[-1]), (*x.shape[:-1], x.shape[-2]))
    output = np.zeros(x.shape)
    for place in np.ndindex(x.shape[:-1]):
        output[place] = np.average(x[place[:-1]], axis=0, weights=looped[place])
    return output


EXERCISE = Exercise(
    id="graphs.message_passing",
    title="消息传递",
    points=2,
    reference=reference.message_passing,
    returns=("output",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.4),
        Behaviour(DIRECTED, 0.2),
        Behaviour(WEIGHTS, 0.15),
        Behaviour(ALONE, 0.1),
        Behaviour(BATCH, 0.15),
    ),
    slips=(
        Slip(
            "自环丢了",
            without_itself,
            wrong="只平均了邻居，节点忘了自己原来知道的。",
            look="先加上单位矩阵：adjacency + np.eye(n)，再归一化。",
        ),
        Slip(
            "自环丢了，没有邻居的除以了 0",
            without_itself_nor_care,
            wrong="只平均了邻居：节点忘了自己；没有邻居的节点，还会 0 除以 0。",
            look="先加上单位矩阵：这样每一行的和至少是 1。",
        ),
        Slip(
            "没有归一化",
            not_normalised,
            wrong="加起来了，但没有除以权重的和：邻居越多，数越大，层数一多就会爆。",
            look="每一行除以这一行的和。",
        ),
        Slip(
            "只把邻居加了起来",
            sum_of_neighbours,
            wrong="既没有自己，也没有归一化。",
            look="weights = adjacency + np.eye(n)，再除以每行的和。",
        ),
        Slip(
            "除以的和里没有自己",
            divided_by_the_neighbours_only,
            wrong="上面加了自己，下面除以的却只是邻居的权重之和。",
            look="除以 adjacency + np.eye(n) 的行和。",
        ),
        Slip(
            "除以的和里没有自己，没有邻居的除以了 0",
            divided_by_the_neighbours_only_nor_care,
            wrong="上面加了自己，下面除以的却只是邻居的权重之和；没有邻居时就是 0。",
            look="除以 adjacency + np.eye(n) 的行和。",
        ),
        Slip(
            "平均之后才加自己",
            itself_added_after_the_mean,
            wrong="自己加在了平均之外：这是残差连接，和的权重成了 2。",
            look="自己也是平均里的一员：先加单位矩阵，再归一化。",
        ),
        Slip(
            "自己占了一半",
            half_itself,
            wrong="自己和邻居的平均各占了一半；这里自己的权重是 1，和一个邻居一样。",
            look="先加单位矩阵，再一起归一化。",
        ),
        Slip(
            "按列归一化了",
            columns_normalised,
            wrong="每一列的和成了 1；一个节点读到的权重在它的那一行。",
            look="sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "除以了列的和",
            columns_divided,
            wrong="分子按行，分母却用了列的和；无向图看不出，有向图才看得出。",
            look="sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "行和列对调了",
            edges_backwards,
            wrong="节点 i 读的是第 i 行指向的节点；现在读的是指向 i 的节点。",
            look="不要转置。",
        ),
        Slip(
            "箭头两头都读了",
            both_ways,
            wrong="有向图里，i 指向 j 时 i 读 j，j 不读 i。",
            look="不要把 adjacency 变成对称的。",
        ),
        Slip(
            "没有用权重",
            weights_ignored,
            wrong="边有轻重时，应按权重平均。",
            look="直接用 adjacency 里的数。",
        ),
        Slip(
            "除以了个数",
            divided_by_the_number,
            wrong="按权重相加之后，应除以权重之和，而不是邻居的个数。",
            look="weights.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "除以了节点的总数",
            divided_by_all_nodes,
            wrong="除以的应是这一行权重的和，不是 n。",
            look="weights.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "用了 GCN 的对称归一化",
            symmetric,
            wrong="这是 D 的负二分之一次方乘在两边，各行的和不是 1；这里要的是平均。",
            look="只除以自己那一行的和。",
        ),
        Slip(
            "对整行做了 softmax",
            softmax_over_all,
            wrong="没有边的格子是 0，e 的 0 次方是 1：不是邻居的也读到了。",
            look="直接除以行和；0 还是 0。",
        ),
        Slip(
            "对边做了 softmax",
            softmax_over_the_edges,
            wrong="权重都是 1 时看不出；边有轻重时，应按权重本身平均，不取指数。",
            look="除以行和。",
        ),
        Slip(
            "又加了残差",
            itself_added_once_more,
            wrong="平均里已有自己；又加了一次 x。",
            look="去掉 x +。",
        ),
        Slip(
            "除以了整个矩阵的和",
            divided_by_the_whole_sum,
            wrong="各行应各除以自己的和。",
            look="sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "自己算了两次",
            itself_twice,
            wrong="自己的权重成了 2。",
            look="单位矩阵只加一次。",
        ),
        Slip(
            "读了所有的节点",
            mean_of_all,
            wrong="没有边的也平均了进来：没有用 adjacency。",
            look="weights = adjacency + np.eye(n)。",
        ),
        Slip(
            "返回了权重",
            weights_returned,
            wrong="这是每个节点怎样读，还没有读。",
            look="权重 @ x。",
        ),
        Slip(
            "传了两步",
            twice,
            wrong="邻居的邻居也到了：多乘了一次。",
            look="只乘一次。",
        ),
        Slip(
            "取了最大的",
            largest_of_all,
            wrong="逐个分量取了最大值；这里要平均。",
            look="weights @ x / 行和。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一张图时正确；有批量轴时，大小和轴都要从后面数。",
            look="n = adjacency.shape[-1]；sum(axis=-1, keepdims=True)。",
        ),
    ),
    styles=(
        with_loops,
        with_einsum,
        without_a_matrix_for_itself,
        with_an_inverse_in_float32,
        with_average,
    ),
    hints=(
        "节点 i 的新值，是它自己和第 i 行指向的节点的加权平均；自己的权重是 1。",
        "adjacency + np.eye(n) 是所有的权重。乘上 x 得到加权的和，再除以每一行权重的和。",
        "weights = adjacency + np.eye(adjacency.shape[-1])；return weights @ x / weights.sum(axis=-1, keepdims=True)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "adjacency, x = (np.asarray(adjacency, dtype=float), np.asarray(x, dtype=float)) -> (dropped)",
            "np.asarray(adjacency, dtype=float) -> adjacency",
            "np.asarray(adjacency, dtype=float) -> np.asarray(adjacency)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
        "an adjacency matrix is square, so that its last two axes are equally long": ("-1 -> -2", "1 -> 2"),
    },
)
