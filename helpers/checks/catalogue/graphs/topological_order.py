"""Exercise `graphs.topological_order`: everything after what it waits for; any such order is right."""

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import dags as reference

CORE, CYCLE, WEIGHTED = "先做前提", "有环就报错", "不为 0 的都是边"
ONE_AXIS = "order 应是一列节点的编号，形状 (n,)；现在的形状是 {shape}。"
REPEATED, NO_NODE = -1, -2

# 3 waits for a short and for a long chain; 6 stands alone.
TWO_CHAINS = ((0, 3), (1, 2), (2, 4), (4, 3), (3, 5), (0, 5))


def cases(rng):
    chains, _ = drawn.renumbered(drawn.matrix(TWO_CHAINS, 7, directed=True), rng)
    backwards = drawn.matrix([(3, 2), (2, 1), (1, 0)], 4, directed=True)
    ring = drawn.matrix([(0, 1), (1, 2), (2, 3), (3, 1), (0, 4)], 5, directed=True)
    ring, _ = drawn.renumbered(ring, rng)
    itself = drawn.matrix([(0, 1), (1, 1), (1, 2)], 3, directed=True)
    lengths = drawn.random_dag(rng, 8) * rng.integers(2, 9, size=(8, 8)) / 2
    return [
        Case(CORE, (drawn.matrix([(2, 0), (0, 1)], 3, directed=True),)),
        Case(CORE, (backwards,)),
        Case(CORE, (drawn.matrix([(0, 3), (2, 1), (1, 3), (3, 4)], 5, directed=True),)),
        Case(CORE, (drawn.matrix([(4, 3), (2, 0), (3, 1), (3, 2)], 5, directed=True),)),
        Case(CORE, (chains,)),
        Case(CORE, (drawn.random_dag(rng, 9),)),
        Case(CORE, (drawn.random_dag(rng, 6, 0.8).astype(bool),)),
        Case(CYCLE, (drawn.matrix([(0, 1), (1, 0)], 2, directed=True),)),
        Case(CYCLE, (ring,)),
        Case(CYCLE, (itself,)),
        Case(WEIGHTED, (drawn.matrix([(2, 0), (0, 1)], 3, directed=True, weights=[0.5, 3.0]),)),
        Case(WEIGHTED, (lengths.astype(np.float32),)),
    ]


def unmet_in_order(parts, arguments):
    """Put in place of each node how many of those it waits for come later, so that any valid order is right."""
    (order,) = parts
    edge = np.asarray(arguments[0]) != 0
    if order.ndim != 1 and order.size:
        raise UnusableValueError("effect", ONE_AXIS.format(shape=order.shape))
    unmet, backwards = _unmet(order.ravel(), edge), _unmet(order.ravel()[::-1], edge)
    if any(unmet) and len(order) == len(edge) and not any(backwards):
        # All valid orders backwards are one mistake, whichever of them it is.
        unmet = _unmet(reference.topological_order(edge)[::-1], edge)
    return (np.array(unmet, dtype=float),)


def _unmet(order, edge):
    done, unmet = np.zeros(len(edge), dtype=bool), []
    for node in order.tolist():
        if node not in range(len(edge)):
            unmet.append(NO_NODE)
            continue
        unmet.append(REPEATED if done[int(node)] else int((edge[:, int(node)] & ~done).sum()))
        done[int(node)] = True
    return unmet


def _next_ones(edge, node):
    return np.flatnonzero(edge[node]).tolist()


def _kahn(edge, free, waits_for):
    """Run Kahn's algorithm from the given free nodes and counts; return as far as it gets."""
    order, waits_for, queue = [], waits_for.copy(), list(free)
    for node in queue:
        order.append(node)
        for j in _next_ones(edge, node):
            waits_for[j] -= 1
            if waits_for[j] == 0:
                queue.append(j)
    return order


def order_reversed(adjacency):
    return reference.topological_order(adjacency)[::-1]


def place_of_each_node(adjacency):
    return np.argsort(reference.topological_order(adjacency))


def as_numbered(adjacency):
    reference.topological_order(adjacency)
    return np.arange(len(adjacency))


def as_entered(adjacency):
    reference.topological_order(adjacency)
    order = []
    for start in range(len(adjacency)):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in order:
                order.append(node)
                stack += _next_ones(adjacency, node)[::-1]
    return order


def first_prerequisite_is_enough(adjacency):
    reference.topological_order(adjacency)
    edge = adjacency != 0
    order = np.flatnonzero(edge.sum(axis=0) == 0).tolist()
    for node in order:
        order += [j for j in _next_ones(edge, node) if j not in order]
    return order


def sorted_by_how_many_they_wait_for(adjacency):
    reference.topological_order(adjacency)
    return np.argsort((adjacency != 0).sum(axis=0), kind="stable")


def sorted_by_how_many_wait_for_them(adjacency):
    reference.topological_order(adjacency)
    return np.argsort(-(adjacency != 0).sum(axis=1), kind="stable")


def put_in_every_time(adjacency):
    reference.topological_order(adjacency)
    edge = adjacency != 0
    order = np.flatnonzero(edge.sum(axis=0) == 0).tolist()
    for node in order:
        if len(order) > 1000:
            break
        order += _next_ones(edge, node)
    return order


def only_the_free_ones(adjacency):
    reference.topological_order(adjacency)
    return np.flatnonzero((adjacency != 0).sum(axis=0) == 0)


def only_from_the_first(adjacency):
    order = reference.topological_order(adjacency)
    reached = {int(order[0])}
    for node in order:
        if int(node) in reached:
            reached |= set(_next_ones(adjacency, node))
    return [node for node in order if int(node) in reached]


def lonely_nodes_left_out(adjacency):
    order = reference.topological_order(adjacency)
    edge = adjacency != 0
    return [node for node in order if edge[node].any() or edge[:, node].any()]


def cycle_cut_short(adjacency):
    edge = adjacency != 0
    waits_for = edge.sum(axis=0)
    return _kahn(edge, np.flatnonzero(waits_for == 0), waits_for)


def cycle_not_noticed(adjacency):
    edge, seen, order = adjacency != 0, set(), []

    def visit(node):
        seen.add(node)
        for j in _next_ones(edge, node):
            if j not in seen:
                visit(j)
        order.append(node)

    for node in range(len(edge)):
        if node not in seen:
            visit(node)
    return order[::-1]


def cycle_gives_nothing(adjacency):
    order = cycle_cut_short(adjacency)
    return order if len(order) == len(adjacency) else []


def cycle_gives_minus_one(adjacency):
    order = cycle_cut_short(adjacency)
    return order if len(order) == len(adjacency) else -1


def cycle_gives_none(adjacency):
    order = cycle_cut_short(adjacency)
    return order if len(order) == len(adjacency) else None


def another_error(adjacency):
    order = cycle_cut_short(adjacency)
    if len(order) < len(adjacency):
        raise RuntimeError("cycle")
    return order


def plain_exception(adjacency):
    order = cycle_cut_short(adjacency)
    if len(order) < len(adjacency):
        raise Exception("cycle")
    return order


def endless_recursion(adjacency):
    done = []

    def visit(node):
        for j in _next_ones(adjacency, node):
            if j not in done:
                visit(j)
        if node not in done:
            done.append(node)

    for node in range(len(adjacency)):
        visit(node)
    return done[::-1]


def waiting_for_oneself_overlooked(adjacency):
    return reference.topological_order(np.where(np.eye(len(adjacency), dtype=bool), 0, adjacency))


def weights_counted(adjacency):
    edge = adjacency != 0
    waits_for = np.asarray(adjacency, dtype=float).sum(axis=0)
    order = _kahn(edge, np.flatnonzero(waits_for == 0), waits_for)
    if len(order) < len(edge):
        raise ValueError("cycle")
    return order


def only_ones_are_edges(adjacency):
    return reference.topological_order(adjacency == 1)


def with_a_queue(adjacency):
    n = len(adjacency)
    waits_for = [sum(1 for i in range(n) if adjacency[i][j] != 0) for j in range(n)]
    queue = [j for j in range(n) if waits_for[j] == 0]
    order = []
    while queue:
        i = queue.pop(0)
        order.append(i)
        for j in range(n):
            if adjacency[i][j] != 0:
                waits_for[j] -= 1
                if waits_for[j] == 0:
                    queue.append(j)
    if len(order) != n:
        raise ValueError("有环")
    return order


def by_leaving_last(adjacency):
    color, order = ["new"] * len(adjacency), []

    def visit(node):
        if color[node] == "open":
            raise ValueError(f"环经过 {node}")
        if color[node] == "new":
            color[node] = "open"
            for j in np.flatnonzero(adjacency[node])[::-1]:
                visit(j)
            color[node] = "left"
            order.insert(0, node)

    for node in range(len(adjacency)):
        visit(node)
    return tuple(order)


def by_taking_away_from_the_end(adjacency):
    left, order = list(range(len(adjacency))), []
    while left:
        last = [i for i in left if not any(adjacency[i, j] for j in left)]
        if not last:
            raise ValueError
        order.append(last[-1])
        left.remove(last[-1])
    return np.array(order[::-1], dtype=np.float32)


def by_depth(adjacency):
    edge = (np.asarray(adjacency) != 0).astype(int)
    if np.linalg.matrix_power(edge, len(edge)).any():
        raise ValueError("cycle")
    depth, walks = np.zeros(len(edge)), np.eye(len(edge), dtype=int)
    for step in range(len(edge)):
        depth[walks.any(axis=0)] = step
        walks = walks @ edge
    return np.argsort(depth)


EXERCISE = Exercise(
    id="graphs.topological_order",
    title="拓扑序",
    points=2,
    reference=reference.topological_order,
    returns=("order",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(CYCLE, 0.3), Behaviour(WEIGHTED, 0.1)),
    effect=unmet_in_order,
    compared=("order 里各节点还没做完的前提数（−1 = 重复出现）",),
    slips=(
        Slip(
            "次序反了",
            order_reversed,
            wrong="箭头 i → j 是 i 在前、j 在后；现在正好相反。",
            look="用递归时，离开的次序要反转；用计数时，数的是指向每个节点的边（按列求和）。",
        ),
        Slip(
            "给了每个节点的名次",
            place_of_each_node,
            wrong="order 应是先做谁、再做谁；现在第 i 个数是节点 i 排在第几。",
            look="order 里放的是节点的编号。",
        ),
        Slip(
            "照编号排了",
            as_numbered,
            wrong="编号的次序不是做事的次序。",
            look="每次只取前提都已做完的节点。",
        ),
        Slip(
            "进入时就记下",
            as_entered,
            wrong="深度优先进入的次序不够：从一条路先到的节点，可能还在等另一条路。",
            look="离开节点时才记下，最后反转。",
        ),
        Slip(
            "有一个前提做完就放进来了",
            first_prerequisite_is_enough,
            wrong="一个节点要等所有前提都做完，不是第一个。",
            look="每个节点记着还差几个前提，减到 0 才放进队列。",
        ),
        Slip(
            "按前提的个数排了",
            sorted_by_how_many_they_wait_for,
            wrong="前提少的不一定在前：唯一的前提也可能很晚才做完。",
            look="做完一个，就把等它的节点的计数减 1，减到 0 才轮到。",
        ),
        Slip(
            "按后续的个数排了",
            sorted_by_how_many_wait_for_them,
            wrong="有很多节点等着的，自己也可能要等别人。",
            look="每次只取前提都已做完的节点。",
        ),
        Slip(
            "同一个节点放进来几次",
            put_in_every_time,
            wrong="每做完一个前提就放了一次，节点重复了。",
            look="计数减到 0 时放一次。",
        ),
        Slip(
            "只有一开始就没有前提的",
            only_the_free_ones,
            wrong="做完它们之后，等着的节点也该轮到了。",
            look="做完一个，就把等它的节点的计数减 1，减到 0 的接着做。",
        ),
        Slip(
            "只从一个起点出发",
            only_from_the_first,
            wrong="没有前提的节点可能有好几个；从一个出发到不了所有的。",
            look="从所有没有前提的节点开始。",
        ),
        Slip(
            "没有边的节点丢了",
            lonely_nodes_left_out,
            wrong="没有边的节点谁也不等，也要排进来。",
            look="order 的长度应等于节点的个数。",
        ),
        Slip(
            "有环时只返回了一部分",
            cycle_cut_short,
            wrong="环上的节点互相等，谁也轮不到；这时返回了残缺的次序，没有报错。",
            look="排进来的少于 n 个，就 raise ValueError。",
        ),
        Slip(
            "没有发现环",
            cycle_not_noticed,
            wrong="有环时没有正确的次序，却照样返回了一个。",
            look="递归时分三种：没来过、正在走、已离开；走进“正在走”的节点就是环。或用计数：最后有没有排满 n 个。",
        ),
        Slip(
            "有环时返回了空的",
            cycle_gives_nothing,
            wrong="有环应报错，不应返回空列表：空列表会被当成没有事要做。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "有环时返回了 −1",
            cycle_gives_minus_one,
            wrong="有环应报错，不应返回 −1。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "有环时返回了 None",
            cycle_gives_none,
            wrong="有环应报错，不应返回 None。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "报错了，但不是 ValueError",
            another_error,
            wrong="环发现了；题目约定的异常是 ValueError。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "报错了，但只是 Exception",
            plain_exception,
            wrong="环发现了；题目约定的异常是 ValueError。",
            look="raise ValueError(…)。",
        ),
        Slip(
            "有环时绕个不停",
            endless_recursion,
            wrong="沿着环递归下去，直到 Python 喊停。",
            look="记着哪些节点正在走；走进其中一个，就 raise ValueError。",
        ),
        Slip(
            "自己等自己没有当成环",
            waiting_for_oneself_overlooked,
            wrong="自环也是环：它永远等不到自己。",
            look="不要清空对角线。",
        ),
        Slip(
            "计数时用了权重",
            weights_counted,
            wrong="权重为 1 时正确；前提的个数要数边，不是把权重加起来。",
            look="先写 edge = adjacency != 0，再按列求和。",
        ),
        Slip(
            "只认权重为 1 的边",
            only_ones_are_edges,
            wrong="不为 0 的都是边，不论权重多少。",
            look="写 adjacency[i, j] != 0，而不是 == 1。",
        ),
    ),
    styles=(with_a_queue, by_leaving_last, by_taking_away_from_the_end, by_depth),
    hints=(
        "谁的前提都做完了，就轮到谁。开始时，轮到的是没有边指向它的节点。",
        "waits_for = (adjacency != 0).sum(axis=0) 是每个节点还差几个前提。做完一个，等它的都减 1，减到 0 就排进队列。",
        "queue = list(np.flatnonzero(waits_for == 0))；for node in queue: 对它指向的每个 j，waits_for[j] -= 1，"
        "为 0 就 queue.append(j)。最后 len(queue) < n 就 raise ValueError，否则返回 queue。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: ("np.asarray(adjacency) -> adjacency",),
        "a list is read like an array": (
            "np.array(order, dtype=int) -> order",
            "np.array(order, dtype=int) -> np.array(order)",
        ),
        "only makes a plain number of NumPy's": ("int(np.argmin(waits_for != 0)) -> np.argmin(waits_for != 0)",),
        "only marks as done what nothing can point at any more": ("-1 -> 1", "-1 -> -2", "1 -> 2"),
        "only decides what the error says, which the exercise leaves open": (
            "' -> '.join(map(str, find_cycle(edge))) -> map(str, find_cycle(edge))",
            "find_cycle(edge) -> edge",
        ),
    },
)
