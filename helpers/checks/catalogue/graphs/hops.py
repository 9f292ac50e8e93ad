"""Exercise `graphs.hops`: after how many layers each token can know of each other."""

from collections import deque

import numpy as np

from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import traversal as reference

CORE, ITSELF, NEVER, WEIGHTS = "最少几层", "自己是 0 层", "永远看不到的是 −1", "不为 0 的都是边"


def _window(seq_len, window):
    steps_back = np.arange(seq_len)[:, None] - np.arange(seq_len)[None, :]
    return (steps_back >= 0) & (steps_back < window)


def _ring_one_way(n):
    return np.roll(np.eye(n), 1, axis=-1)


def cases(rng):
    shortcut = drawn.matrix([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 3), (2, 0)], 5, directed=True)
    shortcut, _ = drawn.renumbered(shortcut, rng)
    lengths = np.array(drawn.matrix([(0, 1), (1, 2), (0, 2), (3, 0)], 4, directed=True, weights=[0.5, 2.0, 7.0, 3.0]))
    return [
        Case(CORE, (_ring_one_way(3),)),
        Case(CORE, (_ring_one_way(7),)),
        Case(CORE, (shortcut,)),
        Case(CORE, (shortcut.T.astype(bool),)),
        Case(ITSELF, (_ring_one_way(5) + np.eye(5),)),
        Case(ITSELF, (np.eye(1),)),
        Case(ITSELF, (np.zeros((1, 1)),)),
        Case(NEVER, (drawn.matrix([(0, 1)], 3, directed=True),)),
        Case(NEVER, (_window(7, 3),)),
        Case(NEVER, (np.tri(5, dtype=bool),)),
        Case(NEVER, (drawn.random_directed(rng, 8, 0.15),)),
        Case(WEIGHTS, (lengths,)),
        Case(WEIGHTS, ((1 - np.eye(4)) * rng.random((4, 4)).astype(np.float32) / 10,)),
    ]


def rows_and_columns_exchanged(adjacency):
    return reference.hops(adjacency.T)


def both_ways(adjacency):
    return reference.hops((adjacency != 0) | (adjacency.T != 0))


def one_layer_only(adjacency):
    return np.where(np.eye(len(adjacency), dtype=bool), 0, np.where(adjacency != 0, 1, -1))


def two_layers_only(adjacency):
    known = reference.hops(adjacency)
    return np.where(known > 2, -1, known)


def one_too_few(adjacency):
    known = reference.hops(adjacency)
    return np.where((known == len(adjacency) - 1) & (known > 0), -1, known)


def itself_by_a_round_trip(adjacency):
    known = reference.hops(adjacency)
    back = np.where(known >= 0, known, np.inf) + np.where(adjacency.T != 0, 1, np.inf)
    round_trip = back.min(axis=1)
    known = known.copy()
    np.fill_diagonal(known, np.where(np.isinf(round_trip), -1, round_trip))
    return known


def self_loop_is_one(adjacency):
    known = reference.hops(adjacency)
    return np.where(np.eye(len(known), dtype=bool) & (np.asarray(adjacency) != 0), 1, known)


def itself_is_one(adjacency):
    known = reference.hops(adjacency)
    np.fill_diagonal(known, 1)
    return known


def itself_is_never(adjacency):
    known = reference.hops(adjacency)
    np.fill_diagonal(known, -1)
    return known


def counted_from_one(adjacency):
    known = reference.hops(adjacency)
    return np.where(known >= 0, known + 1, -1)


def nodes_between(adjacency):
    known = reference.hops(adjacency)
    return np.where(known > 0, known - 1, known)


def never_is_zero(adjacency):
    return np.maximum(reference.hops(adjacency), 0)


def never_is_infinite(adjacency):
    known = reference.hops(adjacency)
    return np.where(known < 0, np.inf, known)


def never_is_the_number_of_nodes(adjacency):
    known = reference.hops(adjacency)
    return np.where(known < 0, len(known), known)


def only_whether(adjacency):
    return reference.hops(adjacency) >= 0


def overwritten_by_longer_ones(adjacency):
    step, known = np.asarray(adjacency) != 0, np.eye(len(adjacency), dtype=bool)
    latest = known - 1
    for n_layers in range(1, len(step)):
        known = step @ known
        latest[known & ~np.eye(len(step), dtype=bool)] = n_layers
    return latest


def last_layer_of_all(adjacency):
    known = reference.hops(adjacency)
    return np.where(known > 0, known.max(), known)


def doubling(adjacency):
    step = (np.asarray(adjacency) != 0) | np.eye(len(adjacency), dtype=bool)
    fewest = np.where(np.eye(len(step), dtype=bool), 0, -1)
    for n_layers in range(1, len(step)):
        fewest[step & (fewest == -1)] = n_layers
        step = step @ step
    return fewest


def lengths_added_up(adjacency):
    return np.array([reference.distances(adjacency, i)[0] for i in range(len(adjacency))])


def number_of_ways(adjacency):
    step = (np.asarray(adjacency) != 0).astype(int)
    return np.linalg.matrix_power(step + np.eye(len(step), dtype=int), max(len(step) - 1, 1))


def only_ones_are_edges(adjacency):
    return reference.hops(adjacency == 1)


def weights_multiplied(adjacency):
    weights = np.asarray(adjacency, dtype=float)
    fewest, power = np.where(np.eye(len(weights), dtype=bool), 0, -1), weights
    for n_layers in range(1, len(weights)):
        fewest[(power > 0.5) & (fewest == -1)] = n_layers
        power = power @ weights
    return fewest


def with_a_walk_from_each(adjacency):
    n, rows = len(adjacency), []
    for start in range(n):
        steps, queue = {start: 0}, deque([start])
        while queue:
            i = queue.popleft()
            for j in range(n):
                if adjacency[i][j] != 0 and j not in steps:
                    steps[j] = steps[i] + 1
                    queue.append(j)
        rows.append([steps.get(j, -1) for j in range(n)])
    return rows


def with_floyd_and_warshall(adjacency):
    fewest = np.where(np.asarray(adjacency) != 0, 1.0, np.inf).astype(np.float32)
    np.fill_diagonal(fewest, 0)
    for middle in range(len(fewest)):
        fewest = np.minimum(fewest, fewest[:, [middle]] + fewest[[middle]])
    return np.where(np.isinf(fewest), -1, fewest)


def with_matrix_powers(adjacency):
    n = len(adjacency)
    step = (np.asarray(adjacency) != 0).astype(float) + np.eye(n)
    known = np.stack([np.linalg.matrix_power(step, k) > 0 for k in range(n)])
    return np.where(known.any(axis=0), known.argmax(axis=0), -1)


def with_frontiers(adjacency):
    edge = np.array(adjacency, dtype=bool)
    fewest = np.full(edge.shape, -1)
    frontier, n_layers = np.eye(len(edge), dtype=bool), 0
    while frontier.any():
        fewest[frontier] = n_layers
        frontier = (frontier @ edge) & (fewest < 0)
        n_layers += 1
    return fewest


EXERCISE = Exercise(
    id="graphs.hops",
    title="几层之后知道",
    points=2,
    reference=reference.hops,
    returns=("hops",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(ITSELF, 0.15), Behaviour(NEVER, 0.25), Behaviour(WEIGHTS, 0.1)),
    slips=(
        Slip(
            "行和列对调了",
            rows_and_columns_exchanged,
            wrong="行应是看的一方 i，列是被看的 j；现在反了。",
            look="和掩码用同一个方向。",
        ),
        Slip(
            "箭头两头都走了",
            both_ways,
            wrong="i 看 j，不等于 j 看 i：要顺着箭头走。",
            look="不要把矩阵变成对称的。",
        ),
        Slip(
            "只算了一层",
            one_layer_only,
            wrong="两层以上才能知道的，也要算出来。",
            look="每多一层，就把已知道的再乘一次矩阵：用 @，逐个元素相乘接不起两步。",
        ),
        Slip(
            "只算了两层",
            two_layers_only,
            wrong="最远的要 n − 1 层。",
            look="循环 n − 1 次，或直到不再变化。",
        ),
        Slip(
            "少算了一层",
            one_too_few,
            wrong="最远的两个节点相隔 n − 1 层；现在写成了永远看不到。",
            look="range(1, n)：1 到 n − 1 层。",
        ),
        Slip(
            "自己要绕一圈回来",
            itself_by_a_round_trip,
            wrong="残差连接让每个 token 一直带着自己：对角线是 0 层。",
            look="从单位矩阵开始：0 层时，各自只知道自己。",
        ),
        Slip(
            "自环写成了 1",
            self_loop_is_one,
            wrong="能看自己，也不用等一层才知道自己：对角线是 0。",
            look="从单位矩阵开始，只改还是 −1 的格子。",
        ),
        Slip(
            "自己写成了 1",
            itself_is_one,
            wrong="不用任何层，就知道自己：对角线是 0。",
            look="从单位矩阵开始：0 层时，各自只知道自己。",
        ),
        Slip(
            "自己写成了 −1",
            itself_is_never,
            wrong="不用任何层，就知道自己：对角线是 0。",
            look="从单位矩阵开始：0 层时，各自只知道自己。",
        ),
        Slip(
            "多数了一层",
            counted_from_one,
            wrong="每个数都多了 1：直接看到的是 1 层，自己是 0 层。",
            look="0 层时，各自只知道自己。",
        ),
        Slip(
            "数了中间的节点",
            nodes_between,
            wrong="直接看到的是 1 层；现在数的是中间隔了几个。",
            look="数走了几条边。",
        ),
        Slip(
            "永远看不到的写成了 0",
            never_is_zero,
            wrong="0 是自己；永远看不到的是 −1。",
            look="从全是 −1 的矩阵开始。",
        ),
        Slip(
            "永远看不到的写成了无穷大",
            never_is_infinite,
            wrong="这里约定：永远看不到的是 −1。",
            look="最后把无穷大换成 −1。",
        ),
        Slip(
            "永远看不到的写成了 n",
            never_is_the_number_of_nodes,
            wrong="这里约定：永远看不到的是 −1。",
            look="从全是 −1 的矩阵开始。",
        ),
        Slip(
            "只说了能不能",
            only_whether,
            wrong="要的是最少几层，不是能不能看到。",
            look="第一次看到时，写下是第几层。",
        ),
        Slip(
            "后来的改写了先前的",
            overwritten_by_longer_ones,
            wrong="第一次看到的层数才是最少的；后来绕远路又看到时，不能改。",
            look="只写还是 −1 的格子。",
        ),
        Slip(
            "都写成了最多的层数",
            last_layer_of_all,
            wrong="每一对各有各的层数。",
            look="第一次看到时，写下是第几层。",
        ),
        Slip(
            "每层都自乘",
            doubling,
            wrong="step @ step 每次使步数加倍：一下子走了 2 步、4 步、8 步。",
            look="每层只乘一次原来的矩阵。",
        ),
        Slip(
            "把权重加了起来",
            lengths_added_up,
            wrong="数的是层，每条边算 1 层，不论权重。",
            look="先写 step = adjacency != 0。",
        ),
        Slip(
            "返回了走法的条数",
            number_of_ways,
            wrong="矩阵的幂数的是有几种走法。",
            look="第一次大于 0 时，写下是第几层。",
        ),
        Slip(
            "只认权重为 1 的边",
            only_ones_are_edges,
            wrong="不为 0 的都是边，不论权重多少。",
            look="写 adjacency != 0，而不是 == 1。",
        ),
        Slip(
            "权重乘没了",
            weights_multiplied,
            wrong="小的权重越乘越小，被当成了没有；能不能看到与权重大小无关。",
            look="先写 step = adjacency != 0，再乘。",
        ),
    ),
    styles=(with_a_walk_from_each, with_floyd_and_warshall, with_matrix_powers, with_frontiers),
    hints=(
        "0 层时，各自只知道自己（单位矩阵）。多一层，就多知道自己看的那些节点所知道的。",
        "用布尔矩阵：step = adjacency != 0，known = known | (step @ known)。哪些格子是这一层才变成 True 的？",
        "hops 从全是 −1 开始，对角线为 0。for n_layers in range(1, n)：更新 known，"
        "再写 hops[known & (hops == -1)] = n_layers。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: ("np.asarray(adjacency) -> adjacency",),
        "what is reached in one step and in k is the same from either side": ("step @ known -> known @ step",),
        "the order of the two sides does not matter": (
            "known | step @ known -> step @ known | known",
            "known & (fewest == -1) -> (fewest == -1) & known",
        ),
    },
)
