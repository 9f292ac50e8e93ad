"""Exercise `graphs.critical_path`: the chain that takes longest; any such chain is right."""

import itertools

import numpy as np

from helpers.checks.answer import UnusableValueError
from helpers.checks.catalogue.graphs import drawn
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import dags as reference

CORE, NUMBERS, ALONE = "最费时的一条链", "编号不分先后", "没有人等的节点"
ONE_AXIS = "path 应是一列节点的编号，形状 (n,)；现在的形状是 {shape}。"
NOTHING, NO_EDGE, BACKWARDS, NO_NODE = -1, -2, -3, -4

# Four quick steps beside two slow ones, which win; the slowest step of all lies on neither.
QUICK_AND_SLOW = ((0, 1), (1, 2), (2, 3), (3, 6), (0, 4), (4, 6), (0, 5))
QUICK_AND_SLOW_SECONDS = (2.0, 1.5, 1.0, 2.5, 6.0, 7.0, 3.5)


def cases(rng):
    both = drawn.matrix(QUICK_AND_SLOW, 7, directed=True)
    seconds = np.array(QUICK_AND_SLOW_SECONDS)
    shuffled, number = drawn.renumbered(both, rng)
    shuffled_seconds = np.zeros(7)
    shuffled_seconds[number] = seconds
    late_start = drawn.matrix([(0, 2), (1, 2), (2, 3), (2, 4)], 5, directed=True)
    dag = drawn.random_dag(rng, 9)
    many = drawn.random_dag(rng, 8, 0.7) * rng.integers(2, 9, size=(8, 8))
    return [
        Case(CORE, (drawn.matrix([(0, 1), (0, 2)], 3, directed=True), np.array([2.0, 3.0, 1.0]))),
        Case(CORE, (both, seconds)),
        Case(CORE, (late_start, np.array([1.5, 4.0, 2.0, 3.0, 0.5]))),
        Case(CORE, (late_start.astype(bool), np.array([2, 1, 3, 4, 8]))),
        Case(NUMBERS, (drawn.matrix([(2, 1), (1, 0)], 3, directed=True), np.array([1.5, 2.0, 4.0]))),
        Case(NUMBERS, (shuffled, shuffled_seconds)),
        Case(NUMBERS, (dag, rng.integers(1, 20, size=9) / 2)),
        Case(NUMBERS, (many, (rng.integers(1, 20, size=8) / 2).astype(np.float32))),
        Case(ALONE, (drawn.matrix([(0, 1)], 3, directed=True), np.array([1.0, 2.0, 9.0]))),
        Case(ALONE, (drawn.matrix([(1, 2), (1, 0)], 4, directed=True), np.array([3.0, 4.0, 2.5, 0.5]))),
        Case(ALONE, (np.zeros((1, 1)), np.array([2.5]))),
    ]


def time_of_chain(parts, arguments):
    """Put in place of the path what its durations add up to, so that any longest chain is right."""
    path, length = parts
    adjacency, durations = arguments
    if path.ndim > 1 and path.size:
        raise UnusableValueError("effect", ONE_AXIS.format(shape=path.shape))
    seconds = np.array(_time(path.ravel().tolist(), adjacency, durations))
    return seconds, length.reshape(()) if length.size == 1 else length


def _time(path, adjacency, durations):
    if not path:
        return float(NOTHING)
    if not all(node in range(len(durations)) for node in path):
        return float(NO_NODE)
    if not _is_chain(path, adjacency):
        return float(BACKWARDS if _is_chain(path[::-1], adjacency) else NO_EDGE)
    return float(sum(durations[int(node)] for node in path))


def _is_chain(path, adjacency):
    return all(adjacency[int(i), int(j)] for i, j in itertools.pairwise(path))


def _following(adjacency, node):
    return np.flatnonzero(adjacency[node]).tolist()


def _best_chain(adjacency, worth):
    """Return the chain whose nodes' worth adds up to the most."""
    best = {}
    for node in reference.topological_order(adjacency)[::-1].tolist():
        onwards = max((best[j] for j in _following(adjacency, node)), default=(0.0, []))
        best[node] = (worth[node] + onwards[0], [node, *onwards[1]])
    return max(best.values())


def everything_in_turn(adjacency, durations):
    return reference.topological_order(adjacency), float(sum(durations))


def all_durations_added(adjacency, durations):
    path, _ = reference.critical_path(adjacency, durations)
    return path, float(sum(durations))


def most_nodes(adjacency, durations):
    _, path = _best_chain(adjacency, np.ones(len(durations)))
    return path, float(sum(durations[node] for node in path))


def nodes_counted(adjacency, durations):
    path, _ = reference.critical_path(adjacency, durations)
    return path, float(len(path))


def edges_counted(adjacency, durations):
    path, _ = reference.critical_path(adjacency, durations)
    return path, len(path) - 1.0


def last_forgotten(adjacency, durations):
    path, length = reference.critical_path(adjacency, durations)
    return path, length - float(durations[path[-1]])


def first_forgotten(adjacency, durations):
    path, length = reference.critical_path(adjacency, durations)
    return path, length - float(durations[path[0]])


def path_reversed(adjacency, durations):
    path, length = reference.critical_path(adjacency, durations)
    return path[::-1], length


def path_without_its_first(adjacency, durations):
    path, length = reference.critical_path(adjacency, durations)
    return path[1:], length


def path_without_its_last(adjacency, durations):
    path, length = reference.critical_path(adjacency, durations)
    return path[:-1], length


def slowest_next(adjacency, durations):
    waits = np.asarray(adjacency != 0).any(axis=0)
    path = [int(np.where(waits, -np.inf, durations).argmax())]
    while _following(adjacency, path[-1]):
        path.append(max(_following(adjacency, path[-1]), key=lambda j: durations[j]))
    return path, float(sum(durations[node] for node in path))


def slowest_alone(adjacency, durations):
    return [int(np.argmax(durations))], float(np.max(durations))


def first_prerequisite_is_enough(adjacency, durations):
    edge = np.asarray(adjacency) != 0
    start, finish = np.zeros(len(edge)), np.zeros(len(edge))
    for node in reference.topological_order(edge):
        if edge[:, node].any():
            start[node] = finish[edge[:, node]].min()
        finish[node] = start[node] + durations[node]
    path = [int(finish.argmax())]
    while edge[:, path[-1]].any():
        path.append(int(np.where(edge[:, path[-1]], finish, np.inf).argmin()))
    return path[::-1], float(finish.max())


def shortest_chain(adjacency, durations):
    edge = np.asarray(adjacency) != 0
    best = {}
    for node in reference.topological_order(edge)[::-1].tolist():
        onwards = min((best[j] for j in _following(edge, node)), default=(0.0, []))
        best[node] = (float(durations[node]) + onwards[0], [node, *onwards[1]])
    length, path = min(best[node] for node in np.flatnonzero(~edge.any(axis=0)).tolist())
    return path, length


def only_from_node_zero(adjacency, durations):
    best = {}
    for node in reference.topological_order(adjacency)[::-1].tolist():
        onwards = max((best[j] for j in _following(adjacency, node)), default=(0.0, []))
        best[node] = (float(durations[node]) + onwards[0], [node, *onwards[1]])
    length, path = best[0]
    return path, length


def only_to_the_last_node(adjacency, durations):
    start, finish = reference.schedule(adjacency, durations)
    path = [len(finish) - 1]
    while start[path[-1]] > 0:
        path.append(int(np.where(adjacency[:, path[-1]], finish, 0).argmax()))
    return path[::-1], float(finish[-1])


def in_order_of_numbers(adjacency, durations):
    edge = np.asarray(adjacency) != 0
    start, finish = np.zeros(len(edge)), np.zeros(len(edge))
    for node in range(len(edge)):
        start[node] = finish[edge[:, node]].max(initial=0.0)
        finish[node] = start[node] + durations[node]
    path = [int(finish.argmax())]
    while start[path[-1]] > 0 and len(path) < 100:
        path.append(int(np.where(edge[:, path[-1]], finish, 0).argmax()))
    return path[::-1], float(finish.max())


def matrix_entries_added(adjacency, durations):
    best = {}
    for node in reference.topological_order(adjacency)[::-1].tolist():
        steps = ((float(adjacency[node, j]) + best[j][0], [node, *best[j][1]]) for j in _following(adjacency, node))
        best[node] = max(steps, default=(0.0, [node]))
    length, path = max(best.values())
    return path, length


def finish_of_all(adjacency, durations):
    path, _ = reference.critical_path(adjacency, durations)
    return path, reference.schedule(adjacency, durations)[1]


def results_exchanged(adjacency, durations):
    return reference.critical_path(adjacency, durations)[::-1]


def with_memory(adjacency, durations):
    n, known = len(durations), {}

    def chain_from(node):
        if node not in known:
            onwards = [chain_from(j) for j in range(n) if adjacency[node][j] != 0]
            length, path = max(onwards, default=(0, ()))
            known[node] = (durations[node] + length, (node, *path))
        return known[node]

    length, path = max(chain_from(node) for node in range(n))
    return path, length


def by_relaxing(adjacency, durations):
    edge = np.asarray(adjacency) != 0
    durations = np.asarray(durations, dtype=np.float32)
    finish = durations.copy()
    for _ in range(len(edge)):
        latest = np.where(edge, finish[:, None], np.float32(0)).max(axis=0)
        finish = latest + durations
    path = [int(np.argmax(finish))]
    while edge[:, path[0]].any():
        before = np.where(edge[:, path[0]], finish, -1)
        path.insert(0, int(np.argmax(before)))
    return np.array(path), finish.max()


def by_trying_all_chains(adjacency, durations):
    best, chains = ([], -1.0), [[node] for node in range(len(durations))]
    while chains:
        chain = chains.pop()
        seconds = sum(float(durations[node]) for node in chain)
        if seconds > best[1]:
            best = (chain, seconds)
        chains += [[*chain, j] for j in range(len(durations)) if adjacency[chain[-1], j]]
    return best


def with_parents(adjacency, durations):
    n = len(durations)
    waits_for = [int(np.count_nonzero(adjacency[:, j])) for j in range(n)]
    start, parent = [0] * n, [None] * n
    queue = [j for j in range(n) if waits_for[j] == 0]
    for i in queue:
        for j in np.nonzero(adjacency[i])[0]:
            if start[i] + durations[i] >= start[j]:
                start[j], parent[j] = start[i] + durations[i], i
            waits_for[j] -= 1
            if waits_for[j] == 0:
                queue.append(j)
    node = max(range(n), key=lambda j: start[j] + durations[j])
    length, path = start[node] + durations[node], []
    while node is not None:
        path.append(node)
        node = parent[node]
    return path[::-1], length


EXERCISE = Exercise(
    id="graphs.critical_path",
    title="关键路径",
    points=2,
    reference=reference.critical_path,
    returns=("path", "length"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(NUMBERS, 0.3), Behaviour(ALONE, 0.2)),
    effect=time_of_chain,
    compared=("path 上时间的和（−1 = 空，−2 = 有一步没有边，−3 = 反了）", "length"),
    slips=(
        Slip(
            "排成了一队",
            everything_in_turn,
            wrong="一个接一个地做，用时当然是总和；不互相等的可以同时做。",
            look="只有一条链上的才要一个接一个；找最费时的那条链。",
        ),
        Slip(
            "把所有的时间加了起来",
            all_durations_added,
            wrong="path 对了；length 只是这条链上的时间之和。",
            look="sum(durations[path])。",
        ),
        Slip(
            "找的是节点最多的链",
            most_nodes,
            wrong="步数最多的不一定最费时：几个快的可能不如两个慢的。",
            look="比较的是时间之和。",
        ),
        Slip(
            "length 是节点的个数",
            nodes_counted,
            wrong="path 对了；length 应是时间之和。",
            look="sum(durations[path])。",
        ),
        Slip(
            "length 是边的条数",
            edges_counted,
            wrong="path 对了；length 应是时间之和。",
            look="sum(durations[path])。",
        ),
        Slip(
            "最后一个的时间没有算",
            last_forgotten,
            wrong="length 是最后一个开始的时刻；还要等它做完。",
            look="finish = start + durations，取 finish 的最大值。",
        ),
        Slip(
            "第一个的时间没有算",
            first_forgotten,
            wrong="第一个也要花时间。",
            look="finish[node] = start[node] + durations[node]，没有前提的 start 为 0。",
        ),
        Slip(
            "path 反了",
            path_reversed,
            wrong="链找对了；应从最先做的写起。",
            look="从最后一个往回找之后，反转：path[::-1]。",
        ),
        Slip(
            "path 少了第一个",
            path_without_its_first,
            wrong="没有前提的那个也在链上。",
            look="往回找，直到没有前提为止；它自己也要放进去。",
        ),
        Slip(
            "path 少了最后一个",
            path_without_its_last,
            wrong="最晚做完的那个也在链上。",
            look="path 从 finish 最大的节点自己开始往回找。",
        ),
        Slip(
            "总走最慢的下一个",
            slowest_next,
            wrong="只看下一个慢不慢，看不到再后面的。",
            look="先按拓扑序算出每个节点最早何时做完，再从最晚的往回找。",
        ),
        Slip(
            "只取了最慢的一个",
            slowest_alone,
            wrong="最慢的一个也许还要等别人，别人也许还要等它。",
            look="把一条链上的时间加起来。",
        ),
        Slip(
            "有一个前提做完就开始了",
            first_prerequisite_is_enough,
            wrong="要等所有前提都做完：取它们 finish 的最大值，不是最小值。",
            look="start[node] = finish[前提].max()。",
        ),
        Slip(
            "找的是最快的链",
            shortest_chain,
            wrong="最快的链做完时，慢的还没做完。",
            look="取最大，不取最小。",
        ),
        Slip(
            "只从节点 0 开始",
            only_from_node_zero,
            wrong="没有前提的节点可能有好几个，也不一定是 0。",
            look="对所有的节点取最大。",
        ),
        Slip(
            "只看编号最大的节点",
            only_to_the_last_node,
            wrong="最晚做完的不一定是编号最大的。",
            look="从 finish.argmax() 往回找。",
        ),
        Slip(
            "照编号的次序算",
            in_order_of_numbers,
            wrong="编号小的也可能要等编号大的；那时它的 finish 还没有算出来。",
            look="按拓扑序一个一个算。",
        ),
        Slip(
            "把矩阵里的数加了起来",
            matrix_entries_added,
            wrong="时间在节点上（durations），不在边上；这里的边只说谁等谁。",
            look="finish[node] = start[node] + durations[node]。",
        ),
        Slip(
            "length 给了所有节点的",
            finish_of_all,
            wrong="length 只要一个数：最晚做完的时刻。",
            look="finish.max()。",
        ),
        Slip(
            "两个返回值对调了",
            results_exchanged,
            wrong="先返回 path，再返回 length。",
            look="return path, length。",
        ),
    ),
    styles=(with_memory, by_relaxing, by_trying_all_chains, with_parents),
    hints=(
        "先问每个节点最早何时能做完：它的前提里最晚做完的一个，再加上它自己的时间。",
        "按拓扑序算 finish；最后取 finish 最大的节点，再一步步往回，找前提里最晚做完的那个，直到没有前提。",
        "edge = adjacency != 0；for node in 拓扑序: "
        "finish[node] = finish[edge[:, node]].max(initial=0) + durations[node]；"
        "path = [finish.argmax()]，还有前提时 path.append(np.where(edge[:, path[-1]], finish, 0).argmax())，最后反转。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: ("np.asarray(adjacency) -> adjacency",),
        "a list is read like an array": ("np.array(path[::-1]) -> path[::-1]",),
        "only makes plain numbers of NumPy's": (
            "int(finish.argmax()) -> finish.argmax()",
            "float(finish.max()) -> finish.max()",
            "int(waited_for.argmax()) -> waited_for.argmax()",
        ),
        "durations are above 0, so that anything waited for finishes later": ("0 -> -1 #3",),
    },
)
