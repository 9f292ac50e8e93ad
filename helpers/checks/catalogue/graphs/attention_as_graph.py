"""Exercise `graphs.attention_as_graph`: the edges whose weight reaches the threshold, the strongest first."""

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import message_passing as reference

CORE, AT_THRESHOLD, MASKED = "够强的边，最强的在前", "正好等于阈值", "被遮住的不是边"
TWO_COLUMNS = "edges 应有两列（查询、键），形状 (n_edges, 2)；现在的形状是 {shape}。"
AS_MANY = "每条边一个 strengths：edges 有 {n_edges} 条，strengths 的形状是 {shape}。"
NO_NODE = "edges 里有不存在的节点：编号应在 0 到 {last} 之间，是整数。"


def _softmax(scores, mask):
    weights = np.exp(scores) * mask
    return weights / weights.sum(axis=-1, keepdims=True)


def cases(rng):
    small = np.array([[0.9, 0.1, 0.0], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]])
    causal = _softmax(2 * rng.normal(size=(5, 5)), np.tri(5))
    both_ways = _softmax(2 * rng.normal(size=(7, 7)), np.ones((7, 7)))
    quarters = np.array([[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.5, 0.0], [0.25, 0.0, 0.0, 0.75], [0.0, 1.0, 0.0, 0.0]])
    padded = _softmax(rng.normal(size=(4, 4)), np.arange(4) < 3)
    padded[3] = 0.0
    return [
        Case(CORE, (small, 0.25)),
        Case(CORE, (causal, 0.3)),
        Case(CORE, (both_ways, 0.2)),
        Case(CORE, (both_ways.astype(np.float32), 0.1)),
        Case(CORE, (padded, 0.2)),
        Case(AT_THRESHOLD, (quarters, 0.5)),
        Case(AT_THRESHOLD, (quarters, 0.25)),
        Case(AT_THRESHOLD, (quarters, 1.0)),
        Case(MASKED, (quarters, 0.0)),
        Case(MASKED, (causal, 0.0)),
        Case(MASKED, (padded, 0.0)),
    ]


def as_matrix(parts, arguments):
    """Put the edges into a matrix, so that edges of equal strength may come in any order."""
    edges, strengths = parts
    n = len(arguments[0])
    if edges.size == 0:
        edges = np.zeros((0, 2))
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise UnusableValueError("effect", TWO_COLUMNS.format(shape=edges.shape))
    if strengths.shape != (len(edges),):
        raise UnusableValueError("effect", AS_MANY.format(n_edges=len(edges), shape=strengths.shape))
    if not np.isin(edges, np.arange(n)).all():
        raise UnusableValueError("effect", NO_NODE.format(last=n - 1))
    matrix = np.zeros((n, n))
    np.add.at(matrix, tuple(edges.astype(int).T), strengths)
    return matrix, strengths


def _listed(weights, kept, order=-1):
    """List the kept entries: the strongest first, by rows (0), or the weakest first (1)."""
    edges = np.argwhere(kept)
    strengths = weights[edges[:, 0], edges[:, 1]]
    ranked = np.argsort(order * strengths, kind="stable")
    return edges[ranked], strengths[ranked]


def rows_and_columns_exchanged(weights, threshold):
    edges, strengths = reference.attention_as_graph(weights, threshold)
    return edges[:, ::-1], strengths


def above_only(weights, threshold):
    return _listed(weights, weights > threshold)


def masked_too(weights, threshold):
    return _listed(weights, weights >= threshold)


def self_loops_lost(weights, threshold):
    return _listed(weights, (weights >= threshold) & (weights > 0) & ~np.eye(len(weights), dtype=bool))


def weak_ones(weights, threshold):
    return _listed(weights, (weights <= threshold) & (weights > 0))


def not_sorted(weights, threshold):
    return _listed(weights, (weights >= threshold) & (weights > 0), 0)


def sorted_within_each_row(weights, threshold):
    edges, strengths = reference.attention_as_graph(weights, threshold)
    by_row = np.argsort(edges[:, 0], kind="stable")
    return edges[by_row], strengths[by_row]


def weakest_first(weights, threshold):
    return _listed(weights, (weights >= threshold) & (weights > 0), 1)


def only_strengths_sorted(weights, threshold):
    edges, strengths = _listed(weights, (weights >= threshold) & (weights > 0), 0)
    return edges, np.sort(strengths)[::-1]


def only_edges_sorted(weights, threshold):
    kept = (weights >= threshold) & (weights > 0)
    return reference.attention_as_graph(weights, threshold)[0], weights[kept]


def strongest_of_each_row(weights, threshold):
    largest = weights == weights.max(axis=1, keepdims=True)
    return _listed(weights, largest & (weights >= threshold) & (weights > 0))


def each_pair_once(weights, threshold):
    return _listed(weights, np.triu((weights >= threshold) & (weights > 0)))


def both_ways(weights, threshold):
    kept = (weights >= threshold) & (weights > 0)
    return _listed(np.maximum(weights, weights.T), kept | kept.T)


def past_only(weights, threshold):
    return _listed(weights, np.tri(len(weights), dtype=bool) & (weights >= threshold) & (weights > 0))


def share_of_the_largest_in_the_row(weights, threshold):
    largest = weights.max(axis=1, keepdims=True)
    return _listed(weights, (weights >= threshold * largest) & (weights > 0))


def softmax_once_more(weights, threshold):
    again = np.exp(weights) / np.exp(weights).sum(axis=1, keepdims=True)
    return _listed(again, again >= threshold)


def strengths_all_one(weights, threshold):
    edges, strengths = reference.attention_as_graph(weights, threshold)
    return edges, np.ones_like(strengths)


def all_edges(weights, threshold):
    return _listed(weights, weights > 0)


def not_one_row_for_each_edge(weights, threshold):
    kept = (weights >= threshold) & (weights > 0)
    return np.where(kept, weights, 0)[None], kept


def with_a_sorted_list(weights, threshold):
    found = []
    for i in range(len(weights)):
        for j in range(len(weights)):
            if weights[i][j] >= threshold and weights[i][j] > 0:
                found.append((float(weights[i][j]), i, j))
    found.sort(reverse=True)
    return [(i, j) for _, i, j in found], [strength for strength, _, _ in found]


def with_nonzero(weights, threshold):
    query, key = np.nonzero(np.where(weights < threshold, 0, weights))
    strengths = weights[query, key]
    order = np.lexsort((query, -strengths))
    return np.column_stack([query, key])[order], strengths[order]


def by_flat_positions(weights, threshold):
    flat = np.asarray(weights, dtype=np.float32).ravel()
    order = np.argsort(flat)[::-1]
    order = order[(weights.ravel()[order] >= threshold) & (flat[order] > 0)]
    return np.stack(np.divmod(order, len(weights)), axis=-1).astype(np.float32), flat[order]


def by_taking_the_largest(weights, threshold):
    left, edges, strengths = np.array(weights, dtype=float), [], []
    while left.max() > 0 and left.max() >= threshold:
        place = np.unravel_index(left.argmax(), left.shape)
        edges.append(place)
        strengths.append(left[place])
        left[place] = 0
    return edges, strengths


EXERCISE = Exercise(
    id="graphs.attention_as_graph",
    title="把注意力读成图",
    points=2,
    reference=reference.attention_as_graph,
    returns=("edges", "strengths"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(AT_THRESHOLD, 0.2), Behaviour(MASKED, 0.2)),
    effect=as_matrix,
    compared=("edges 写成的矩阵", "strengths"),
    slips=(
        Slip(
            "行和列对调了",
            rows_and_columns_exchanged,
            wrong="边从键指向了查询；这里 i → j 是查询 i 看键 j：行在前，列在后。",
            look="np.argwhere 给出的就是 (行, 列)，不要对调。",
        ),
        Slip(
            "正好等于阈值的丢了",
            above_only,
            wrong="“不小于 threshold”包括正好等于。",
            look="写 >=。",
        ),
        Slip(
            "被遮住的也成了边",
            masked_too,
            wrong="阈值为 0 时，权重为 0 的也选上了；没有看就没有边。",
            look="再加一个条件：weights > 0。",
        ),
        Slip(
            "自环丢了",
            self_loops_lost,
            wrong="token 看自己也是看：自环要留着。",
            look="不要去掉对角线。",
        ),
        Slip(
            "留下了弱的",
            weak_ones,
            wrong="方向反了：留下的是不到阈值的。",
            look="weights >= threshold。",
        ),
        Slip(
            "没有按强弱排",
            not_sorted,
            wrong="边都对了；要最强的在前。",
            look="np.argsort(-strengths)。",
        ),
        Slip(
            "只在每行里排了序",
            sorted_within_each_row,
            wrong="每个查询的边排好了；要所有的边一起排，最强的在前。",
            look="对全部 strengths 用一次 np.argsort。",
        ),
        Slip(
            "最弱的在前",
            weakest_first,
            wrong="边都对了；次序反了，要最强的在前。",
            look="np.argsort(-strengths)，或排完再 [::-1]。",
        ),
        Slip(
            "只排了 strengths",
            only_strengths_sorted,
            wrong="strengths 排了序，edges 没有跟着动：强弱和边对不上了。",
            look="order = np.argsort(-strengths)，两个都用 [order]。",
        ),
        Slip(
            "只排了 edges",
            only_edges_sorted,
            wrong="edges 排了序，strengths 没有跟着动：强弱和边对不上了。",
            look="order = np.argsort(-strengths)，两个都用 [order]。",
        ),
        Slip(
            "每行只留了最强的一条",
            strongest_of_each_row,
            wrong="一个查询可以看好几个键：够强的都要。",
            look="比较的是阈值，不是每行的最大值。",
        ),
        Slip(
            "每对只留了一条",
            each_pair_once,
            wrong="只看了上三角；注意力有方向，i 看 j 和 j 看 i 是两条边。",
            look="看整个矩阵。",
        ),
        Slip(
            "两个方向都连上了",
            both_ways,
            wrong="注意力有方向：i 看 j，不等于 j 看 i。",
            look="不要把矩阵变成对称的。",
        ),
        Slip(
            "只留了过去",
            past_only,
            wrong="这里没有说用因果掩码：权重不为 0 的未来也是边。",
            look="去掉下三角的条件。",
        ),
        Slip(
            "阈值乘了每行的最大值",
            share_of_the_largest_in_the_row,
            wrong="阈值是权重本身，不是占最大权重的几成。",
            look="weights >= threshold。",
        ),
        Slip(
            "又做了一次 softmax",
            softmax_once_more,
            wrong="weights 已是 softmax 的结果。",
            look="直接比较 weights。",
        ),
        Slip(
            "strengths 全是 1",
            strengths_all_one,
            wrong="边对了；strengths 应是权重本身。",
            look="weights[edges[:, 0], edges[:, 1]]。",
        ),
        Slip(
            "没有用阈值",
            all_edges,
            wrong="不为 0 的全留下了。",
            look="weights >= threshold。",
        ),
        Slip(
            "edges 不是一行一条边",
            not_one_row_for_each_edge,
            wrong="edges 应是一行一条边（查询、键），形状 (n_edges, 2)，和 strengths 一一对应。",
            look="先返回 edges，再返回 strengths；np.argwhere(…) 给出的正好是一行一条边。",
        ),
    ),
    styles=(with_a_sorted_list, with_nonzero, by_flat_positions, by_taking_the_largest),
    hints=(
        "先用比较得到一个布尔矩阵：哪些格子是边？再把它们的位置列出来。",
        "np.argwhere(布尔矩阵) 一行给出一个 (查询, 键)。条件有两个：至少 threshold，而且大于 0。",
        "edges = np.argwhere((weights >= threshold) & (weights > 0))；strengths = weights[edges[:, 0], edges[:, 1]]；"
        "order = np.argsort(-strengths)；返回 edges[order], strengths[order]。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "weights = np.asarray(weights) -> (dropped)",
            "np.asarray(weights) -> weights",
        ),
        "edges of equal strength may come in any order": (
            "np.argsort(-strengths, kind='stable') -> np.argsort(-strengths)",
        ),
        "the order of the two sides of `&` does not matter": (
            "(weights >= threshold) & (weights > 0) -> (weights > 0) & (weights >= threshold)",
        ),
    },
)
