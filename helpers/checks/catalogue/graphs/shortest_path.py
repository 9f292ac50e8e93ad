"""Exercise `graphs.shortest_path`: the way whose edges add up to the least; any such way is right."""

import heapq
import itertools

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import traversal as reference

CORE, DIRECTED, NO_WAY, HERE = "总长最小", "有向图只顺着箭头走", "没有路", "起点就是终点"
ONE_AXIS = "path 应是一列节点的编号，形状 (n,)；现在的形状是 {shape}。"
NOTHING, NO_EDGE, NO_NODE = -1, -2, -3

# The direct edge is long, the way with two edges shorter, the one with three the shortest; 5 lies behind the goal.
DETOUR = ((0, 4), (0, 1), (1, 4), (1, 2), (2, 4), (0, 3), (3, 5), (4, 5), (2, 3))
DETOUR_LENGTHS = (9.0, 3.0, 5.0, 1.0, 2.5, 2.0, 7.0, 4.0, 6.0)


def cases(rng):
    detour, number = drawn.renumbered(drawn.matrix(DETOUR, 6, weights=DETOUR_LENGTHS), rng)
    one_way = drawn.matrix(
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 3)], 5, directed=True, weights=[1, 2, 3, 1, 5, 4]
    )
    one_way, new = drawn.renumbered(one_way, rng)
    against = drawn.matrix(
        [(0, 1), (2, 1), (0, 3), (3, 2), (2, 0)], 4, directed=True, weights=[1.0, 1.0, 5.0, 5.0, 9.0]
    )
    islands = drawn.matrix([(0, 1), (1, 2), (3, 4)], 5, weights=[2.0, 3.0, 4.0])
    lengths = np.triu(drawn.random_undirected(rng, 9, 0.5) * rng.integers(2, 20, size=(9, 9)) / 2)
    lengths = lengths + lengths.T
    lengths[2, 7] = lengths[7, 2] = 40.0
    return [
        Case(CORE, (drawn.matrix([(0, 1), (1, 2), (0, 2)], 3, weights=[1.5, 2.0, 5.0]), 0, 2)),
        Case(CORE, (detour, int(number[0]), int(number[4]))),
        Case(CORE, (detour.astype(np.float32), int(number[5]), int(number[0]))),
        Case(CORE, (drawn.matrix([(0, 1), (1, 3), (0, 2), (2, 3)], 4), 3, 0)),
        Case(CORE, (lengths, 2, 7)),
        Case(DIRECTED, (one_way, int(new[0]), int(new[3]))),
        Case(DIRECTED, (one_way, int(new[3]), int(new[2]))),
        Case(DIRECTED, (against, 0, 2)),
        Case(NO_WAY, (islands, 0, 3)),
        Case(NO_WAY, (drawn.matrix([(0, 1), (1, 2)], 3, directed=True, weights=[2.0, 3.0]), 2, 0)),
        Case(HERE, (detour, int(number[2]), int(number[2]))),
    ]


def ends_and_lengths(parts, arguments):
    """Put in place of the path its two ends and what its edges add up to, so that any shortest path is right."""
    path, length = parts
    adjacency, _, _ = arguments
    if path.ndim > 1 and path.size:
        raise UnusableValueError("effect", ONE_AXIS.format(shape=path.shape))
    path = path.ravel()
    ends = path[[0, -1]] if path.size else np.array([NOTHING, NOTHING])
    return (
        ends.astype(float),
        np.array(_walked(path.tolist(), adjacency)),
        length.reshape(()) if length.size == 1 else length,
    )


def _walked(path, adjacency):
    if not path:
        return float(NOTHING)
    if not all(node in range(len(adjacency)) for node in path):
        return float(NO_NODE)
    edges = [float(adjacency[int(i), int(j)]) for i, j in itertools.pairwise(path)]
    return sum(edges) if all(edges) else float(NO_EDGE)


def _length(path, adjacency):
    return sum(float(adjacency[i, j]) for i, j in itertools.pairwise(path))


def _best_first(adjacency, start, goal, priority, stop_when_seen=False):
    """Search for the goal in the order of a priority: from (length so far, edge) to a number."""
    queue, parent, done = [(0.0, start, None, 0.0)], {}, set()
    while queue:
        _, node, before, length = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        parent[node] = before
        for j in np.flatnonzero(adjacency[node]).tolist():
            edge = float(adjacency[node, j])
            if stop_when_seen and j == goal and goal not in done:
                parent[goal] = node
                return _trail(parent, goal), length + edge
            heapq.heappush(queue, (priority(length, edge), j, node, length + edge))
    if goal not in parent:
        return [], -1.0
    path = _trail(parent, goal)
    return path, _length(path, adjacency)


def _trail(parent, goal):
    path = [goal]
    while parent[path[-1]] is not None:
        path.append(parent[path[-1]])
    return path[::-1]


def fewest_edges(adjacency, start, goal):
    path, _ = reference.shortest_path(adjacency != 0, start, goal)
    return path, _length(path, adjacency) if len(path) else -1.0


def edges_counted(adjacency, start, goal):
    return reference.shortest_path(adjacency != 0, start, goal)


def length_counts_edges(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path, len(path) - 1.0


def stopped_when_seen(adjacency, start, goal):
    if start == goal:
        return [start], 0.0
    return _best_first(adjacency, start, goal, lambda length, edge: length + edge, stop_when_seen=True)


def by_single_edges(adjacency, start, goal):
    return _best_first(adjacency, start, goal, lambda length, edge: edge)


def nearest_neighbour(adjacency, start, goal):
    path, length = [start], 0.0
    while path[-1] != goal:
        onwards = [j for j in np.flatnonzero(adjacency[path[-1]]).tolist() if j not in path]
        if not onwards:
            return [], -1.0
        best = min(onwards, key=lambda j: adjacency[path[-1], j])
        length += float(adjacency[path[-1], best])
        path.append(best)
    return path, length


def depth_first(adjacency, start, goal):
    stack, seen = [[start]], set()
    while stack:
        path = stack.pop()
        if path[-1] == goal:
            return path, float(_length(path, adjacency))
        if path[-1] not in seen:
            seen.add(path[-1])
            stack += [[*path, j] for j in np.flatnonzero(adjacency[path[-1]])[::-1].tolist() if j not in seen]
    return [], -1.0


def nodes_as_they_were_settled(adjacency, start, goal):
    distance, _ = reference.distances(adjacency, start)
    if distance[goal] == -1:
        return [], -1.0
    settled = [i for i in np.argsort(distance, kind="stable").tolist() if distance[i] >= 0]
    return settled[: settled.index(goal) + 1], float(distance[goal])


def path_reversed(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path[::-1], length


def start_missing(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path[1:], length


def goal_missing(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path[:-1], length


def edges_backwards(adjacency, start, goal):
    return reference.shortest_path(adjacency.T, start, goal)


def both_ways(adjacency, start, goal):
    return reference.shortest_path(np.maximum(adjacency, adjacency.T), start, goal)


def no_edge_is_free(adjacency, start, goal):
    return ([start, goal] if start != goal else [start]), 0.0


def lengths_of_all_nodes(adjacency, start, goal):
    path, _ = reference.shortest_path(adjacency, start, goal)
    return path, reference.distances(adjacency, start)[0]


def longest_edge(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    edges = [float(adjacency[i, j]) for i, j in itertools.pairwise(path)]
    return path, max(edges, default=length)


def infinite_without_a_way(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path, length if len(path) else np.inf


def zero_without_a_way(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path, max(length, 0.0)


def goal_alone_without_a_way(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path if len(path) else [goal], length


def ends_without_a_way(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return path if len(path) else [start, goal], length


def start_and_goal_twice(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return ([start, goal] if start == goal else path), length


def nothing_when_there(adjacency, start, goal):
    path, length = reference.shortest_path(adjacency, start, goal)
    return ([] if start == goal else path), length


def results_exchanged(adjacency, start, goal):
    return reference.shortest_path(adjacency, start, goal)[::-1]


def without_a_queue(adjacency, start, goal):
    n = len(adjacency)
    distance, parent, done = [float("inf")] * n, [None] * n, [False] * n
    distance[start] = 0.0
    for _ in range(n):
        node = min((i for i in range(n) if not done[i]), key=lambda i: distance[i])
        done[node] = True
        for j in range(n):
            if adjacency[node][j] != 0 and distance[node] + adjacency[node][j] < distance[j]:
                distance[j], parent[j] = distance[node] + adjacency[node][j], node
    if distance[goal] == float("inf"):
        return [], -1
    path = [goal]
    while path[0] != start:
        path.insert(0, parent[path[0]])
    return path, distance[goal]


def by_relaxing_all_edges(adjacency, start, goal):
    length = np.where(np.asarray(adjacency) == 0, np.inf, adjacency).astype(np.float32)
    distance = np.full(len(length), np.inf, dtype=np.float32)
    distance[start] = 0
    for _ in range(len(length)):
        distance = np.minimum(distance, (distance[:, None] + length).min(axis=0))
    if np.isinf(distance[goal]):
        return np.array([]), -1
    path = [goal]
    while path[-1] != start:
        path.append(int(np.argmin(np.abs(distance + length[:, path[-1]] - distance[path[-1]]))))
    return np.array(path[::-1]), distance[goal]


def with_paths_in_the_queue(adjacency, start, goal):
    queue, done = [(0, (start,))], set()
    while queue:
        length, path = heapq.heappop(queue)
        if path[-1] == goal:
            return path, length
        if path[-1] not in done:
            done.add(path[-1])
            for j, edge in enumerate(adjacency[path[-1]]):
                if edge:
                    heapq.heappush(queue, (length + edge, (*path, j)))
    return (), -1


def all_pairs(adjacency, start, goal):
    n = len(adjacency)
    best = {(i, j): (float(adjacency[i, j]), [i, j]) for i in range(n) for j in range(n) if adjacency[i, j]}
    best |= {(i, i): (0.0, [i]) for i in range(n)}
    for m, i, j in itertools.product(range(n), repeat=3):
        if (i, m) in best and (m, j) in best:
            length = best[i, m][0] + best[m, j][0]
            if (i, j) not in best or length < best[i, j][0]:
                best[i, j] = length, best[i, m][1] + best[m, j][1][1:]
    length, path = best.get((start, goal), (-1, []))
    return path, length


EXERCISE = Exercise(
    id="graphs.shortest_path",
    title="最短路",
    points=2,
    reference=reference.shortest_path,
    returns=("path", "length"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(DIRECTED, 0.15), Behaviour(NO_WAY, 0.15), Behaviour(HERE, 0.1)),
    effect=ends_and_lengths,
    compared=("path 的两端（−1 = 空）", "沿 path 各边的和（−1 = 空，−2 = 有一步没有边）", "length"),
    slips=(
        Slip(
            "找的是边最少的路",
            fewest_edges,
            wrong="这条路经过的边最少；但要的是总长最小，绕一绕有时更短。",
            look="每次取出总长最小的节点（Dijkstra），不是最早放进来的。",
        ),
        Slip(
            "数了边的条数",
            edges_counted,
            wrong="每条边都当成了 1；格子里的数就是边的长度。",
            look="length + adjacency[node, 邻居]。",
        ),
        Slip(
            "length 是边的条数",
            length_counts_edges,
            wrong="path 对了；length 应是各条边的长度之和。",
            look="把 adjacency[path[k], path[k + 1]] 加起来。",
        ),
        Slip(
            "看到终点就停了",
            stopped_when_seen,
            wrong="第一次看到终点时，走的不一定是最短的路。",
            look="终点从队列里作为最近的节点取出来时，才能停。",
        ),
        Slip(
            "只比较单条边的长度",
            by_single_edges,
            wrong="取了最短的一条边，而不是从起点算起总长最小的节点。",
            look="队列按“到 node 的总长 + 这条边”排。",
        ),
        Slip(
            "总走眼前最短的边",
            nearest_neighbour,
            wrong="每一步都走最短的边，总长未必最小，还可能走进死路。",
            look="要同时记着几条没走完的路，每次延长总长最小的那条。",
        ),
        Slip(
            "走的是深度优先",
            depth_first,
            wrong="找到一条路就停了；它不一定最短。",
            look="每次延长总长最小的那条路（Dijkstra）。",
        ),
        Slip(
            "path 是取出节点的次序",
            nodes_as_they_were_settled,
            wrong="length 对了；path 里还有取出过、却不在这条路上的节点。",
            look="记下每个节点从哪里来（parent），再从 goal 沿 parent 往回走。",
        ),
        Slip(
            "path 反了",
            path_reversed,
            wrong="路对了；应从 start 写到 goal。",
            look="从终点往回找到起点之后，反转：path[::-1]。",
        ),
        Slip(
            "path 里没有起点",
            start_missing,
            wrong="path 两端都要：从 start 到 goal。",
            look="往回找到起点时，把起点也放进去。",
        ),
        Slip(
            "path 里没有终点",
            goal_missing,
            wrong="path 两端都要：从 start 到 goal。",
            look="往回找的时候，从 goal 自己开始。",
        ),
        Slip(
            "逆着箭头走了",
            edges_backwards,
            wrong="从 node 出发的边在第 node 行；现在看的是列。",
            look="邻居是 np.flatnonzero(adjacency[node])。",
        ),
        Slip(
            "箭头两头都走了",
            both_ways,
            wrong="有向图只能顺着箭头走。",
            look="只看第 node 行，不看第 node 列。",
        ),
        Slip(
            "没有边当成了长度为 0",
            no_edge_is_free,
            wrong="矩阵里的 0 是没有边，不是不要钱的边。",
            look="只看不为 0 的格子。",
        ),
        Slip(
            "length 给了所有节点的",
            lengths_of_all_nodes,
            wrong="length 只要到 goal 的一个数。",
            look="distance[goal]。",
        ),
        Slip(
            "length 是最长的一条边",
            longest_edge,
            wrong="path 对了；length 应是各条边之和。",
            look="把每条边的长度加起来。",
        ),
        Slip(
            "没有路时写了无穷大",
            infinite_without_a_way,
            wrong="这里约定：没有路时 path 为空，length 为 −1。",
            look="找不到时返回 [], -1。",
        ),
        Slip(
            "没有路时写了 0",
            zero_without_a_way,
            wrong="0 是不用走；没有路时 length 为 −1。",
            look="找不到时返回 [], -1。",
        ),
        Slip(
            "没有路时 path 里还有终点",
            goal_alone_without_a_way,
            wrong="没有路时 path 应是空的。",
            look="先看到得了没有，再往回找。",
        ),
        Slip(
            "没有路时 path 里还有两端",
            ends_without_a_way,
            wrong="没有路时 path 应是空的。",
            look="先看到得了没有，再往回找。",
        ),
        Slip(
            "原地不动也写了两遍",
            start_and_goal_twice,
            wrong="起点就是终点时，path 里只有它一个。",
            look="从 [goal] 往回找，已是 start 就停。",
        ),
        Slip(
            "原地不动时 path 空了",
            nothing_when_there,
            wrong="起点就是终点时，path 是 [start]，length 是 0；空的是没有路。",
            look="从 [goal] 往回找，已是 start 就停。",
        ),
        Slip(
            "两个返回值对调了",
            results_exchanged,
            wrong="先返回 path，再返回 length。",
            look="return path, length。",
        ),
    ),
    styles=(without_a_queue, by_relaxing_all_edges, with_paths_in_the_queue, all_pairs),
    hints=(
        "同时记着到各个节点的总长，每次取总长最小的节点，看从它出发能不能更短地到它的邻居。",
        "用 heapq 排队：放进 (总长, 节点, 从哪里来)，取出来的总是总长最小的。第一次取出一个节点时，它的总长就定了。",
        "取出 (length, node, before)：node 已定就跳过，否则记下 parent[node] = before，"
        "并放进每个邻居 (length + adjacency[node, j], j, node)。最后从 goal 沿 parent 往回走到 start，再反转。",
    ),
    equivalent_mutants={
        "a list is read like an array": (
            "np.array(path[::-1]) -> path[::-1]",
            "np.array([], dtype=int) -> []",
            "np.array([], dtype=int) -> np.array([])",
        ),
        "only makes plain numbers of NumPy's": (
            "float(distance[goal]) -> distance[goal]",
            "int(parent[path[-1]]) -> parent[path[-1]]",
        ),
    },
)
