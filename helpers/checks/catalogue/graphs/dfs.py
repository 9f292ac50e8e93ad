"""Exercise `graphs.dfs`: one trail to its end before the next; any order of the neighbours is right."""

from collections import deque

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import traversal as reference

CORE, DIRECTED, UNREACHABLE, WEIGHTED = (
    "走到底再回头",
    "有向图只顺着箭头走",
    "到不了的节点不访问",
    "权重不是 1 的也是边",
)
ONE_AXIS = "order 应是一列节点的编号，形状 (n,)；现在的形状是 {shape}。"
IMPOSSIBLE = -1

# 0 - 1 - 2 - 0 a triangle, from which two trails leave; the second meets the first again.
TWO_TRAILS = ((0, 1), (0, 2), (1, 2), (1, 3), (3, 4), (2, 5), (5, 6), (6, 3))


def cases(rng):
    trails, number = drawn.renumbered(drawn.matrix(TWO_TRAILS, 7), rng)
    tree = drawn.matrix([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)], 7)
    one_way = drawn.matrix([(0, 1), (1, 2), (2, 3), (3, 1), (0, 3), (3, 4), (4, 5)], 6, directed=True)
    one_way, new = drawn.renumbered(one_way, rng)
    islands, again = drawn.renumbered(drawn.matrix([(0, 1), (1, 2), (2, 0), (2, 3), (4, 5)], 7), rng)
    lengths = drawn.random_undirected(rng, 8, 0.4) * rng.integers(2, 7, size=(8, 8)) / 2
    return [
        Case(CORE, (drawn.matrix([(0, 1), (0, 2), (1, 3), (2, 4)], 5), 0)),
        Case(CORE, (drawn.matrix([(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)], 4), 0)),
        Case(CORE, (drawn.matrix([(0, 1), (0, 2), (0, 3), (1, 3)], 4), 0)),
        Case(CORE, (tree, 0)),
        Case(CORE, (trails, int(number[0]))),
        Case(CORE, (trails.astype(bool), int(number[4]))),
        Case(CORE, (drawn.complete_but_last(6), 3)),
        Case(DIRECTED, (drawn.matrix([(2, 1), (1, 0), (2, 0), (0, 3)], 4, directed=True), 2)),
        Case(DIRECTED, (one_way, int(new[0]))),
        Case(DIRECTED, (one_way.astype(np.float32), int(new[3]))),
        Case(UNREACHABLE, (islands, int(again[0]))),
        Case(UNREACHABLE, (islands, int(again[6]))),
        Case(WEIGHTED, (drawn.matrix([(0, 1), (0, 2), (1, 3)], 4, weights=[0.5, 3.0, 2.0]), 0)),
        Case(WEIGHTED, (lengths, 2)),
    ]


def our_order_where_possible(parts, arguments):
    """Put our own nodes in the place of those that a depth-first walk may visit there, and leave the others."""
    (order,) = parts
    adjacency, start = arguments
    if order.ndim != 1 and order.size:
        raise UnusableValueError("effect", ONE_AXIS.format(shape=order.shape))
    n_right = _n_possible(order.ravel().tolist(), np.asarray(adjacency) != 0, start)
    ours = reference.dfs(adjacency, start)
    replaced = order.ravel().copy()
    replaced[:n_right] = ours[:n_right]
    if n_right < len(order) <= len(ours) and np.array_equal(replaced, ours[: len(order)]):
        replaced[n_right] = IMPOSSIBLE
    return (replaced,)


def _n_possible(order, edge, start):
    """Count the nodes at the head of an order that a depth-first walk could have visited so."""
    trail, seen = [], set()
    for place, node in enumerate(order):
        while trail and not any(edge[trail[-1], j] and j not in seen for j in range(len(edge))):
            trail.pop()
        if node in seen or node not in range(len(edge)):
            return place
        if node != start if place == 0 else not trail or not edge[trail[-1], int(node)]:
            return place
        seen.add(int(node))
        trail.append(int(node))
    return len(order)


def breadth_first(adjacency, start):
    return reference.bfs(adjacency, start)[0]


def breadth_first_from_the_largest(adjacency, start):
    order = [start]
    for node in order:
        order += [j for j in reversed(drawn.neighbours(adjacency, node)) if j not in order]
    return order


def marked_when_put_in(adjacency, start):
    order, stack, visited = [], [start], {start}
    while stack:
        node = stack.pop()
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if j not in visited:
                visited.add(j)
                stack.append(j)
    return order


def marked_when_put_in_from_the_largest(adjacency, start):
    order, stack, visited = [], [start], {start}
    while stack:
        node = stack.pop()
        order.append(node)
        for j in reversed(drawn.neighbours(adjacency, node)):
            if j not in visited:
                visited.add(j)
                stack.append(j)
    return order


def noted_when_put_in(adjacency, start):
    order, stack = [start], [start]
    while stack:
        node = stack.pop()
        for j in drawn.neighbours(adjacency, node):
            if j not in order:
                order.append(j)
                stack.append(j)
    return order


def neighbours_chosen_beforehand(adjacency, start):
    order = []

    def visit(node):
        order.append(node)
        for j in [j for j in drawn.neighbours(adjacency, node) if j not in order]:
            if len(order) < 1000:
                visit(j)

    visit(start)
    return order


def not_checked_when_taken_out(adjacency, start):
    order, stack = [], [start]
    while stack and len(order) < 1000:
        node = stack.pop()
        order.append(node)
        stack += [j for j in drawn.neighbours(adjacency, node) if j not in order]
    return order


def marked_after_the_call(adjacency, start):
    order = []

    def visit(node):
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if j not in finished and len(order) < 60 and j not in trail:
                trail.append(j)
                visit(j)
                trail.pop()
        finished.add(node) if not trail else None

    finished, trail = set(), [start]
    visit(start)
    return order


def as_they_are_left(adjacency, start):
    order, seen = [], {start}

    def visit(node):
        for j in drawn.neighbours(adjacency, node):
            if j not in seen:
                seen.add(j)
                visit(j)
        order.append(node)

    visit(start)
    return order


def noted_on_the_way_back(adjacency, start):
    order, seen = [], {start}

    def visit(node):
        order.append(node)
        for j in drawn.neighbours(adjacency, node):
            if j not in seen:
                seen.add(j)
                visit(j)
                order.append(node)

    visit(start)
    return order


def never_turning_back(adjacency, start):
    order = [start]
    while True:
        onwards = [j for j in drawn.neighbours(adjacency, order[-1]) if j not in order]
        if not onwards:
            return order
        order.append(onwards[0])


def edges_backwards(adjacency, start):
    return reference.dfs(adjacency.T, start)


def both_ways(adjacency, start):
    return reference.dfs((adjacency != 0) | (adjacency.T != 0), start)


def start_left_out(adjacency, start):
    return reference.dfs(adjacency, start)[1:]


def in_order_of_numbers(adjacency, start):
    return np.sort(reference.dfs(adjacency, start))


def all_nodes_visited(adjacency, start):
    order = reference.dfs(adjacency, start)
    return np.concatenate([order, np.setdiff1d(np.arange(len(adjacency)), order)])


def only_ones_are_edges(adjacency, start):
    return reference.dfs(adjacency == 1, start)


def last_first(adjacency, start):
    return reference.dfs(adjacency, start)[::-1]


def from_node_zero(adjacency, start):
    return reference.dfs(adjacency, 0)


def by_recursion(adjacency, start):
    order = []

    def visit(node):
        order.append(node)
        for j, edge in enumerate(adjacency[node]):
            if edge and j not in order:
                visit(j)

    visit(start)
    return order


def with_a_stack_from_the_largest(adjacency, start):
    visited = {}
    stack = deque([start])
    while stack:
        node = int(stack.pop())
        if node in visited:
            continue
        visited[node] = True
        stack.extend(np.argwhere(adjacency[node])[:, 0])
    return tuple(visited)


def with_a_trail(adjacency, start):
    edge = np.array(adjacency, dtype=bool)
    new = np.ones(len(edge), dtype=bool)
    new[start] = False
    trail, order = [start], [start]
    while trail:
        onwards = np.flatnonzero(edge[trail[-1]] & new)
        if onwards.size == 0:
            trail.pop()
            continue
        middle = onwards[len(onwards) // 2]  # any of them will do
        new[middle] = False
        trail.append(middle)
        order.append(middle)
    return np.array(order, dtype=np.float32)


def by_joining_lists(adjacency, start, seen=None):
    seen = set() if seen is None else seen
    seen.add(start)
    order = [start]
    for j in range(len(adjacency)):
        if adjacency[start][j] != 0 and j not in seen:
            order = order + by_joining_lists(adjacency, j, seen)
    return order


EXERCISE = Exercise(
    id="graphs.dfs",
    title="深度优先",
    points=2,
    reference=reference.dfs,
    returns=("order",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.5),
        Behaviour(DIRECTED, 0.2),
        Behaviour(UNREACHABLE, 0.2),
        Behaviour(WEIGHTED, 0.1),
    ),
    effect=our_order_where_possible,
    compared=("order",),
    slips=(
        Slip(
            "写成了广度优先",
            breadth_first,
            wrong="先进先出，一层一层往外走了；深度优先要沿一条路走到底，再回头。",
            look="用栈（从末尾取），或用递归。",
        ),
        Slip(
            "写成了广度优先（邻居从大到小）",
            breadth_first_from_the_largest,
            wrong="先进先出，一层一层往外走了；深度优先要沿一条路走到底，再回头。",
            look="用栈（从末尾取），或用递归。",
        ),
        Slip(
            "标记得太早：入栈时就标记",
            marked_when_put_in,
            wrong="入栈时就标记的邻居，后来更深的节点也想去，却去不了：次序不再是深度优先。",
            look="出栈时才标记；出栈时遇到已访问的就跳过。",
        ),
        Slip(
            "标记得太早：入栈时就标记（邻居从大到小入栈）",
            marked_when_put_in_from_the_largest,
            wrong="入栈时就标记的邻居，后来更深的节点也想去，却去不了：次序不再是深度优先。",
            look="出栈时才标记；出栈时遇到已访问的就跳过。",
        ),
        Slip(
            "入栈时就记下了",
            noted_when_put_in,
            wrong="入栈时就接到了 order 后面：邻居全排在一起，不再是深度优先。",
            look="出栈时才 order.append(node)。",
        ),
        Slip(
            "先挑好了没去过的邻居",
            neighbours_chosen_beforehand,
            wrong="挑的时候没去过，轮到它时，前一个邻居也许已带你去过了：有的节点访问了几次。",
            look="进入每一个邻居之前再查一次。",
        ),
        Slip(
            "标记得太晚：出栈时没有检查",
            not_checked_when_taken_out,
            wrong="一个节点可能被几个邻居放进栈里；出栈时不检查，它就被访问了几次。",
            look="出栈之后先问：它已在 order 里吗？在就跳过。",
        ),
        Slip(
            "标记得太晚：递归回来才标记",
            marked_after_the_call,
            wrong="进入节点时没有标记，别的路又走了进去：有的节点出现了几次。",
            look="一进入节点就标记，再看它的邻居。",
        ),
        Slip(
            "离开时才记下",
            as_they_are_left,
            wrong="先记了最深的，起点在最后：这是离开的次序。",
            look="进入节点时就 append，再去看邻居。",
        ),
        Slip(
            "回头时又记了一遍",
            noted_on_the_way_back,
            wrong="每个节点只记一次；现在走回来时又记了。",
            look="只在第一次进入时 append。",
        ),
        Slip(
            "没有回头",
            never_turning_back,
            wrong="走到尽头就停了；还有岔路没有走。",
            look="走不动时退回上一个节点，看它还有没有没去过的邻居：栈或递归会替你记住。",
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
            "按编号排了序",
            in_order_of_numbers,
            wrong="order 应是访问的次序，不是编号的次序。",
            look="访问一个，就接到 order 后面一个。",
        ),
        Slip(
            "到不了的也访问了",
            all_nodes_visited,
            wrong="order 里有从起点到不了的节点。",
            look="栈空了就停，不要再从别的节点开始。",
        ),
        Slip(
            "只认权重为 1 的边",
            only_ones_are_edges,
            wrong="不为 0 的都是边，不论权重多少。",
            look="写 adjacency[i, j] != 0，而不是 == 1。",
        ),
        Slip(
            "次序反了",
            last_first,
            wrong="起点应在最前面。",
            look="order.append(node)，不要插到前面。",
        ),
        Slip(
            "总从节点 0 出发",
            from_node_zero,
            wrong="起点是参数 start。",
            look="stack = [start]。",
        ),
    ),
    styles=(by_recursion, with_a_stack_from_the_largest, with_a_trail, by_joining_lists),
    hints=(
        "用栈：从末尾取出一个节点，访问它，再把它的邻居放到末尾。或用递归：访问一个节点，再依次访问还没去过的邻居。",
        "用栈时，一个节点可能被放进去几次：出栈时先看它在不在 order 里，在就跳过。"
        "用递归时，不要写 visited=[] 这样的默认参数：它只建一次，下一次调用时里面还有上一次的节点。",
        "order, stack = [], [start]；while stack: node = stack.pop()；若 node 不在 order 里，order.append(node)，"
        "再 stack.extend(np.flatnonzero(adjacency[node]))。",
    ),
    equivalent_mutants={
        "a list is read like an array": ("np.array(order) -> order",),
        "neighbours may be visited in any order": ("-1 -> 1",),
    },
)
