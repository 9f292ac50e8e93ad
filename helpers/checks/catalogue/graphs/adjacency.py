"""Exercise `graphs.adjacency`: a list of edges as a matrix."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import graphs as reference

UNDIRECTED, DIRECTED, WEIGHTS, LOOPS = "无向图", "有向图", "带权的边", "自环和没有边的节点"


def _pairs(rng, n_nodes, n_edges):
    """Draw different pairs of different nodes, each pair in one direction only, most of them downwards."""
    upper = np.argwhere(np.triu(np.ones((n_nodes, n_nodes)), k=1))
    pairs = rng.permutation(upper)[:n_edges]
    downwards = rng.random(n_edges) < 0.7
    downwards[:2] = True, False
    return np.where(downwards[:, None], pairs[:, ::-1], pairs)


def cases(rng):
    n_edges = 7
    weights = rng.integers(2, 9, size=n_edges) / 2
    return [
        Case(UNDIRECTED, (np.array([[0, 1], [2, 1]]), 3)),
        Case(UNDIRECTED, (_pairs(rng, 5, 6), 5)),
        Case(UNDIRECTED, (_pairs(rng, 7, 8), 7, False)),
        Case(DIRECTED, (np.array([[0, 1], [2, 1]]), 3, True)),
        Case(DIRECTED, (_pairs(rng, 5, 6), 5, True)),
        Case(DIRECTED, (np.array([[0, 1], [1, 0], [3, 1]]), 4, True)),
        Case(WEIGHTS, (_pairs(rng, 5, n_edges), 5, False, weights)),
        Case(WEIGHTS, (_pairs(rng, 6, n_edges), 6, True, weights.astype(np.float32))),
        Case(LOOPS, (np.array([[0, 1], [2, 2]]), 4)),
        Case(LOOPS, (np.array([[2, 0], [1, 1]]), 5, True)),
        Case(LOOPS, (np.array([[2, 2], [1, 0]]), 3, False, np.array([3.0, 2.0]))),
        Case(LOOPS, (np.zeros((0, 2), dtype=int), 2)),
    ]


def _written(edges, n_nodes, weights=None):
    matrix = np.zeros((n_nodes, n_nodes))
    for number, (i, j) in enumerate(edges):
        matrix[i, j] = 1 if weights is None else weights[number]
    return matrix


def one_way_only(edges, n_nodes, directed=False, weights=None):
    return _written(edges, n_nodes, weights)


def always_both_ways(edges, n_nodes, directed=False, weights=None):
    matrix = _written(edges, n_nodes, weights)
    return np.maximum(matrix, matrix.T)


def rows_and_columns_exchanged(edges, n_nodes, directed=False, weights=None):
    return reference.adjacency(edges, n_nodes, directed, weights).T


def directed_and_undirected_exchanged(edges, n_nodes, directed=False, weights=None):
    return reference.adjacency(edges, n_nodes, not directed, weights)


def weights_ignored(edges, n_nodes, directed=False, weights=None):
    return reference.adjacency(edges, n_nodes, directed)


def weight_one_way_only(edges, n_nodes, directed=False, weights=None):
    matrix = _written(edges, n_nodes, weights)
    if not directed:
        back = _written(edges, n_nodes).T
        matrix = np.where(matrix, matrix, back)
    return matrix


def added_twice(edges, n_nodes, directed=False, weights=None):
    matrix = _written(edges, n_nodes, weights)
    return matrix if directed else matrix + matrix.T


def self_loops_lost(edges, n_nodes, directed=False, weights=None):
    matrix = reference.adjacency(edges, n_nodes, directed, weights)
    np.fill_diagonal(matrix, 0)
    return matrix


def everyone_has_a_self_loop(edges, n_nodes, directed=False, weights=None):
    matrix = reference.adjacency(edges, n_nodes, directed, weights)
    np.fill_diagonal(matrix, 1)
    return matrix


def nodes_counted_from_the_edges(edges, n_nodes, directed=False, weights=None):
    n_seen = int(np.max(edges)) + 1 if len(edges) else 0
    return reference.adjacency(edges, n_seen, directed, weights)


def counted_from_one(edges, n_nodes, directed=False, weights=None):
    start, end = np.array(edges).reshape(-1, 2).T - 1
    matrix = np.zeros((n_nodes, n_nodes))
    matrix[start, end] = 1 if weights is None else weights
    if not directed:
        matrix[end, start] = matrix[start, end]
    return matrix


def upper_triangle(edges, n_nodes, directed=False, weights=None):
    return np.triu(always_both_ways(edges, n_nodes, directed, weights))


def infinity_for_no_edge(edges, n_nodes, directed=False, weights=None):
    matrix = reference.adjacency(edges, n_nodes, directed, weights)
    return np.where(matrix == 0, np.inf, matrix)


def incidence(edges, n_nodes, directed=False, weights=None):
    matrix = np.zeros((n_nodes, len(edges)))
    for number, (i, j) in enumerate(edges):
        matrix[i, number] = -1 if directed else 1
        matrix[j, number] = 1
    return matrix


def laplacian(edges, n_nodes, directed=False, weights=None):
    matrix = reference.adjacency(edges, n_nodes, directed, weights)
    return np.diag(matrix.sum(axis=1)) - matrix


def rows_normalised(edges, n_nodes, directed=False, weights=None):
    matrix = reference.adjacency(edges, n_nodes, directed, weights)
    return matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)


def one_row_many_times(edges, n_nodes, directed=False, weights=None):
    matrix = [[0.0] * n_nodes] * n_nodes
    for number, (i, j) in enumerate(edges):
        matrix[i][j] = 1 if weights is None else weights[number]
        if not directed:
            matrix[j][i] = matrix[i][j]
    return matrix


def whole_numbers(edges, n_nodes, directed=False, weights=None):
    return reference.adjacency(edges, n_nodes, directed, weights).astype(int)


def with_lists(edges, n_nodes, directed=False, weights=None):
    matrix = [[0] * n_nodes for _ in range(n_nodes)]
    for number in range(len(edges)):
        i, j = int(edges[number][0]), int(edges[number][1])
        matrix[i][j] = 1 if weights is None else float(weights[number])
        if not directed:
            matrix[j][i] = matrix[i][j]
    return matrix


def with_one_hot_rows(edges, n_nodes, directed=False, weights=None):
    one_hot = np.eye(n_nodes)
    weights = np.ones(len(edges)) if weights is None else np.asarray(weights)
    matrix = one_hot[edges[:, 0]].T @ (weights[:, None] * one_hot[edges[:, 1]])
    return matrix if directed else np.maximum(matrix, matrix.T)


def with_a_dictionary(edges, n_nodes, directed=False, weights=None):
    weights = [1] * len(edges) if weights is None else weights
    weight_of = {(int(i), int(j)): w for (i, j), w in zip(edges, weights, strict=True)}
    if not directed:
        weight_of |= {(j, i): w for (i, j), w in weight_of.items()}
    return np.array([[weight_of.get((i, j), 0) for j in range(n_nodes)] for i in range(n_nodes)], dtype=np.float32)


def by_flat_positions(edges, n_nodes, directed=False, weights=None):
    flat = np.zeros(n_nodes * n_nodes)
    both = [edges] if directed else [edges, edges[:, ::-1]]
    for pairs in both:
        np.put(flat, pairs @ [n_nodes, 1], 1 if weights is None else weights)
    return np.asmatrix(flat.reshape(n_nodes, n_nodes))


EXERCISE = Exercise(
    id="graphs.adjacency",
    title="邻接矩阵",
    points=2,
    reference=reference.adjacency,
    returns=("adjacency",),
    cases=cases,
    behaviours=(Behaviour(UNDIRECTED, 0.4), Behaviour(DIRECTED, 0.25), Behaviour(WEIGHTS, 0.2), Behaviour(LOOPS, 0.15)),
    slips=(
        Slip(
            "无向边只写了一个方向",
            one_way_only,
            wrong="无向边两个方向都能走；现在只填了 [i, j]。",
            look="directed 为 False 时，[j, i] 也要填。",
        ),
        Slip(
            "有向边写了两个方向",
            always_both_ways,
            wrong="无向图对了；但有向边 i → j 只填 [i, j]，不能反着走。",
            look="只在 directed 为 False 时填 [j, i]。",
        ),
        Slip(
            "行和列对调了",
            rows_and_columns_exchanged,
            wrong="有向边 i → j 写到了 [j, i]：行应是起点，列应是终点。",
            look="adjacency[起点, 终点]。无向图看不出这个错误，有向图才看得出。",
        ),
        Slip(
            "有向和无向对调了",
            directed_and_undirected_exchanged,
            wrong="directed=True 时两个方向都填了，False 时只填了一个。",
            look="检查 if directed 的两个分支。",
        ),
        Slip(
            "没有用权重",
            weights_ignored,
            wrong="边的位置都对；给了 weights 时，格子里应写权重，而不是 1。",
            look="weights 不是 None 时，写 weights[第几条边]。",
        ),
        Slip(
            "权重只写了一个方向",
            weight_one_way_only,
            wrong="无向边来回一样长：[j, i] 也应写权重，现在写的是 1。",
            look="matrix[j, i] = matrix[i, j]。",
        ),
        Slip(
            "无向的自环加了两次",
            added_twice,
            wrong="别处都对；自环的 [i, i] 和 [j, j] 是同一格，相加就成了两倍。",
            look="用赋值而不用相加，或用 np.maximum(matrix, matrix.T)。",
        ),
        Slip(
            "自环丢了",
            self_loops_lost,
            wrong="列表里写明的自环 (i, i) 也是边，应填在对角线上。",
            look="不要清空对角线。",
        ),
        Slip(
            "人人都加了自环",
            everyone_has_a_self_loop,
            wrong="对角线全成了 1；只有列表里写明的自环才是边。",
            look="从全零的矩阵开始，不从单位矩阵开始。",
        ),
        Slip(
            "没有边的节点丢了",
            nodes_counted_from_the_edges,
            wrong="矩阵的大小按边里最大的编号定了；没有边的节点也要占一行一列。",
            look="大小是 (n_nodes, n_nodes)。",
        ),
        Slip(
            "编号减了 1",
            counted_from_one,
            wrong="这里节点从 0 编号，编号就是下标。",
            look="直接用 i、j 作下标。",
        ),
        Slip(
            "只留了上三角",
            upper_triangle,
            wrong="方向都按小编号 → 大编号写了；无向图还缺了另一半。",
            look="按列表里的 (起点, 终点) 写，不要排序。",
        ),
        Slip(
            "没有边写成了无穷大",
            infinity_for_no_edge,
            wrong="这里约定：没有边是 0。",
            look="从 np.zeros 开始。",
        ),
        Slip(
            "写成了关联矩阵",
            incidence,
            wrong="每条边占了一列；邻接矩阵的行和列都是节点。",
            look="一条边只是一格：行是起点，列是终点。",
        ),
        Slip(
            "写成了拉普拉斯矩阵",
            laplacian,
            wrong="这是度数减去邻接矩阵。",
            look="只要邻接矩阵本身。",
        ),
        Slip(
            "每行除以了和",
            rows_normalised,
            wrong="归一化是后面消息传递的事；这里写的是边本身。",
            look="去掉除法。",
        ),
        Slip(
            "各行其实是同一行",
            one_row_many_times,
            wrong="[[0] * n] * n 里的 n 行是同一个列表：改一行，就改了所有的行。",
            look="用 np.zeros((n_nodes, n_nodes))，或 [[0] * n for _ in range(n)]。",
        ),
        Slip(
            "权重成了整数",
            whole_numbers,
            wrong="整数的矩阵放不下小数：权重的小数部分丢了。",
            look="np.zeros((n_nodes, n_nodes)) 就好，不要写 dtype=int。",
        ),
    ),
    styles=(with_lists, with_one_hot_rows, with_a_dictionary, by_flat_positions),
    hints=(
        "从 (n_nodes, n_nodes) 的全零矩阵开始，一条边填一格：行是起点，列是终点。",
        "无向边还要填 [j, i]。给了 weights 时，第几条边就写第几个权重。用赋值，不要用相加：自环只有一格。",
        "for e, (i, j) in enumerate(edges): matrix[i, j] = 1 if weights is None else weights[e]；"
        "不是 directed 时，再写 matrix[j, i] = matrix[i, j]。",
    ),
)
