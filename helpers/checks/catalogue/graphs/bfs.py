"""Exercise `graphs.bfs`: near nodes before far ones; within one distance any order is right."""

from collections import deque

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import traversal as reference

CORE, DIRECTED, UNREACHABLE, WEIGHTED = "近的先访问", "有向图只顺着箭头走", "到不了的节点", "权重不是 1 的也是边"
ONE_AXIS = "order 应是一列节点的编号，形状 (n,)；现在的形状是 {shape}。"
REPEATED, NO_NODE = -2, -3


def cases(rng):
    diamond, number = drawn.renumbered(drawn.matrix(drawn.DIAMOND_WITH_TAIL, 7), rng)
    triangle = drawn.matrix([(0, 1), (0, 2), (1, 2)], 3)
    one_way = drawn.matrix([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 2)], 5, directed=True)
    one_way, new = drawn.renumbered(one_way, rng)
    islands, again = drawn.renumbered(drawn.matrix([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)], 7), rng)
    dead_end = drawn.matrix([(1, 2), (2, 3), (1, 3), (0, 1)], 4, directed=True)
    lengths = drawn.random_undirected(rng, 8, 0.4) * rng.integers(2, 7, size=(8, 8)) / 2
    return [
        Case(CORE, (triangle, 0)),
        Case(CORE, (diamond, int(number[0]))),
        Case(CORE, (diamond.astype(bool), int(number[5]))),
        Case(CORE, (drawn.complete_but_last(6), 3)),
        Case(DIRECTED, (one_way, int(new[0]))),
        Case(DIRECTED, (one_way.astype(np.float32), int(new[3]))),
        Case(UNREACHABLE, (dead_end, 1)),
        Case(UNREACHABLE, (islands, int(again[0]))),
        Case(UNREACHABLE, (islands, int(again[6]))),
        Case(UNREACHABLE, (drawn.random_directed(rng, 9, 0.15), 4)),
        Case(WEIGHTED, (drawn.matrix([(0, 1), (0, 2), (1, 3)], 4, weights=[0.5, 3.0, 2.0]), 0)),
        Case(WEIGHTED, (lengths, 2)),
    ]


def distances_in_order(parts, arguments):
    """Put in place of each node of the order its true distance, so that the order within one distance is free."""
    order, distance = parts
    adjacency, start = arguments
    if order.size == 0:
        order = np.zeros(0)
    if order.ndim != 1:
        raise UnusableValueError("effect", ONE_AXIS.format(shape=order.shape))
    true_distance = reference.bfs(adjacency, start)[1]
    return np.array(_looked_up(order, true_distance), dtype=float), distance


def _looked_up(order, true_distance):
    seen, found = set(), []
    for node in order:
        if node in seen:
            found.append(REPEATED)
        else:
            found.append(true_distance[int(node)] if node in range(len(true_distance)) else NO_NODE)
        seen.add(node)
    return found


def marked_when_taken_out(adjacency, start):
    distance = np.full(len(adjacency), -1)
    distance[start] = 0
    order, visited, queue = [], set(), deque([start])
    while queue and len(order) < 1000:
        node = queue.popleft()
        visited.add(node)
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if j not in visited:
                distance[j] = distance[node] + 1
                queue.append(j)
    return order, distance


def distance_overwritten(adjacency, start):
    distance = np.full(len(adjacency), -1)
    distance[start] = 0
    order, queue = [], deque([start])
    while queue:
        node = queue.popleft()
        if node in order:
            continue
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if j not in order:
                distance[j] = distance[node] + 1
                queue.append(j)
    return order, distance


def visited_twice(adjacency, start):
    order, _ = marked_when_taken_out(adjacency, start)
    return order, reference.bfs(adjacency, start)[1]


def with_a_stack(adjacency, start):
    distance = np.full(len(adjacency), -1)
    distance[start] = 0
    order, stack = [], [start]
    while stack:
        node = stack.pop()
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if distance[j] == -1:
                distance[j] = distance[node] + 1
                stack.append(j)
    return order, distance


def with_a_stack_from_the_largest(adjacency, start):
    distance = np.full(len(adjacency), -1)
    distance[start] = 0
    order, stack = [], [start]
    while stack:
        node = stack.pop()
        order.append(node)
        for j in reversed(drawn.neighbours(adjacency, node)):
            if distance[j] == -1:
                distance[j] = distance[node] + 1
                stack.append(j)
    return order, distance


def start_not_marked(adjacency, start):
    distance = np.full(len(adjacency), -1)
    order, queue = [], [(start, 0)]
    while queue:
        node, steps = queue.pop(0)
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if distance[j] == -1:
                distance[j] = steps + 1
                queue.append((j, steps + 1))
    distance[start] = 0
    return order, distance


def from_node_zero(adjacency, start):
    return reference.bfs(adjacency, 0)


def place_in_the_order(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    distance[order] = np.arange(len(order))
    return order, distance


def depth_first(adjacency, start):
    distance, order = np.full(len(adjacency), -1), []

    def visit(node, depth):
        distance[node] = depth
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if distance[j] == -1:
                visit(j, depth + 1)

    visit(start, 0)
    return order, distance


def edges_backwards(adjacency, start):
    return reference.bfs(adjacency.T, start)


def both_ways(adjacency, start):
    return reference.bfs((adjacency != 0) | (adjacency.T != 0), start)


def start_left_out(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order[1:], distance


def starting_at_one(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order, np.where(distance >= 0, distance + 1, -1)


def unreachable_is_zero(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order, np.maximum(distance, 0)


def unreachable_is_infinite(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order, np.where(distance < 0, np.inf, distance)


def only_reached_distances(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order, distance[order]


def all_nodes_visited(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return np.concatenate([order, np.flatnonzero(distance < 0)]), distance


def lengths_added_up(adjacency, start):
    distance = np.full(len(adjacency), -1.0)
    distance[start] = 0
    order = [start]
    for node in order:
        for j in drawn.neighbours(adjacency, node):
            if distance[j] == -1:
                distance[j] = distance[node] + adjacency[node, j]
                order.append(j)
    return order, distance


def only_ones_are_edges(adjacency, start):
    return reference.bfs(adjacency == 1, start)


def in_order_of_numbers(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return np.sort(order), distance


def results_exchanged(adjacency, start):
    return reference.bfs(adjacency, start)[::-1]


def neighbours_only(adjacency, start):
    distance = np.where(np.asarray(adjacency[start]) != 0, 1, -1)
    distance[start] = 0
    return [start, *(j for j in drawn.neighbours(adjacency, start) if j != start)], distance


def far_ones_first(adjacency, start):
    order, distance = reference.bfs(adjacency, start)
    return order[::-1], distance


def with_a_deque(adjacency, start):
    n = len(adjacency)
    distance = {start: 0}
    queue, order = deque([start]), []
    while queue:
        i = queue.popleft()
        order.append(i)
        for j in range(n - 1, -1, -1):  # from the largest number: within one distance any order is right
            if adjacency[i][j] and j not in distance:
                distance[j] = distance[i] + 1
                queue.append(j)
    return order, [distance.get(j, -1) for j in range(n)]


def layer_by_layer(adjacency, start):
    edge = np.asarray(adjacency) != 0
    distance = np.full(len(edge), -1.0, dtype=np.float32)
    layer, order, step = [start], [], 0
    while layer:
        distance[layer] = step
        order += layer
        layer = sorted({int(j) for i in layer for j in np.nonzero(edge[i])[0] if distance[j] == -1})
        step += 1
    return np.array(order), distance


def with_matrix_products(adjacency, start):
    edge = np.asarray(adjacency) != 0
    distance = np.full(len(edge), -1)
    frontier, step = np.eye(len(edge), dtype=bool)[start], 0
    while frontier.any():
        distance[frontier] = step
        frontier, step = (frontier @ edge) & (distance == -1), step + 1
    reached = np.flatnonzero(distance >= 0)
    return reached[np.argsort(distance[reached])], distance


def checked_when_taken_out(adjacency, start):
    queue, order = [(start, 0)], []
    distance = [-1] * len(adjacency)
    while queue:
        node, steps = queue.pop(0)
        if distance[node] != -1:
            continue
        distance[node] = steps
        order.append(node)
        queue += [(j, steps + 1) for j in range(len(adjacency)) if adjacency[node, j] != 0]
    return tuple(order), tuple(distance)


EXERCISE = Exercise(
    id="graphs.bfs",
    title="广度优先",
    points=2,
    reference=reference.bfs,
    returns=("order", "distance"),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.5),
        Behaviour(DIRECTED, 0.2),
        Behaviour(UNREACHABLE, 0.2),
        Behaviour(WEIGHTED, 0.1),
    ),
    effect=distances_in_order,
    compared=("order 里各节点的距离（−2 = 重复出现）", "distance"),
    slips=(
        Slip(
            "标记得太晚：出队时才标记",
            marked_when_taken_out,
            wrong="一个节点在出队之前可能被好几个邻居放进队列：它被访问了几次，距离也被后来的改大了。",
            look="放进队列的同时就标记（例如写下距离）；已有距离的邻居不再放。",
        ),
        Slip(
            "距离被后来的改写了",
            distance_overwritten,
            wrong="访问的次序对了；但还在队列里的节点又被别的邻居写了一次更大的距离。",
            look="只给还没有距离的邻居写距离：第一次写的就是最短的。",
        ),
        Slip(
            "有的节点访问了两次",
            visited_twice,
            wrong="距离对了；order 里有重复的节点：它被放进了队列两次。",
            look="放进队列时就标记，或出队时跳过已访问的。",
        ),
        Slip(
            "用了栈：后进先出",
            with_a_stack,
            wrong="从末尾取，最后放进去的先访问：这样会一头走远，距离也不再最短。",
            look="队列先进先出：queue.pop(0)，或 collections.deque 的 popleft()。",
        ),
        Slip(
            "用了栈：后进先出（邻居从大到小）",
            with_a_stack_from_the_largest,
            wrong="从末尾取，最后放进去的先访问：这样会一头走远，距离也不再最短。",
            look="队列先进先出：queue.pop(0)，或 collections.deque 的 popleft()。",
        ),
        Slip(
            "起点没有标记",
            start_not_marked,
            wrong="邻居又把起点放进了队列：起点被访问了两次。",
            look="一开始就给起点写下距离 0。",
        ),
        Slip(
            "总从节点 0 出发",
            from_node_zero,
            wrong="起点是参数 start。",
            look="order = [start]，distance[start] = 0。",
        ),
        Slip(
            "distance 是第几个访问的",
            place_in_the_order,
            wrong="distance 不是访问的次序，而是离起点几条边：一层里的几个节点一样远。",
            look="distance[邻居] = distance[node] + 1。",
        ),
        Slip(
            "写成了深度优先",
            depth_first,
            wrong="递归会一头走到底，再回头；广度优先要一层一层往外。",
            look="用队列：先访问所有距离 1 的，再访问距离 2 的。",
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
            "order 里没有起点",
            start_left_out,
            wrong="起点自己最先被访问。",
            look="order 从 start 开始。",
        ),
        Slip(
            "起点的距离写成了 1",
            starting_at_one,
            wrong="每个距离都多了 1：数的是节点，不是边。",
            look="起点到自己不用走：距离是 0。",
        ),
        Slip(
            "到不了的写成了 0",
            unreachable_is_zero,
            wrong="0 是起点的距离；到不了的节点应是 −1。",
            look="distance 从全是 −1 的数组开始。",
        ),
        Slip(
            "到不了的写成了无穷大",
            unreachable_is_infinite,
            wrong="这里约定：到不了的节点距离为 −1。",
            look="distance 从全是 −1 的数组开始。",
        ),
        Slip(
            "distance 只有到得了的节点",
            only_reached_distances,
            wrong="distance 应按编号给出所有节点的距离，形状 (n,)。",
            look="distance[节点] = …，大小是节点的个数。",
        ),
        Slip(
            "到不了的也访问了",
            all_nodes_visited,
            wrong="order 里有从起点到不了的节点。",
            look="队列空了就停，不要再从别的节点开始。",
        ),
        Slip(
            "把权重加了起来",
            lengths_added_up,
            wrong="广度优先数的是走了几条边，每条边算 1。",
            look="distance[邻居] = distance[node] + 1。",
        ),
        Slip(
            "只认权重为 1 的边",
            only_ones_are_edges,
            wrong="不为 0 的都是边，不论权重多少。",
            look="写 adjacency[i, j] != 0，而不是 == 1。",
        ),
        Slip(
            "按编号排了序",
            in_order_of_numbers,
            wrong="距离对了；order 应是访问的次序：近的在前。",
            look="出队一个，就接到 order 后面一个。",
        ),
        Slip(
            "两个返回值对调了",
            results_exchanged,
            wrong="先返回 order，再返回 distance。",
            look="return order, distance。",
        ),
        Slip(
            "只看了起点的邻居",
            neighbours_only,
            wrong="只走了一层。",
            look="邻居的邻居也要放进队列，直到队列空了。",
        ),
        Slip(
            "远的在前",
            far_ones_first,
            wrong="次序正好反了：应从起点开始。",
            look="order.append(node)，不要插到前面。",
        ),
    ),
    styles=(with_a_deque, layer_by_layer, with_matrix_products, checked_when_taken_out),
    hints=(
        "用一个先进先出的队列：取出一个节点，把它还没见过的邻居排到队尾。",
        "用 distance 兼作标记：−1 表示还没见过。放进队列的同时写下距离 distance[node] + 1，这样谁也不会排两次。",
        "order = [start]；for node in order: 对 np.flatnonzero(adjacency[node]) 里 distance 为 −1 的邻居，"
        "写距离，再 order.append(邻居)。列表一边读一边长，它就是队列。",
    ),
    equivalent_mutants={"a list is read like an array": ("np.array(order) -> order",)},
)
