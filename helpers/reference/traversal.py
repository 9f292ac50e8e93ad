"""Walk through a graph: breadth first, depth first, along the shortest path; every step can be looked at.

`adjacency[i, j]` is not 0 if an edge leads from i to j; where lengths matter, it is the edge's length, above 0. What
cannot be reached has distance -1.

Source: Cormen et al. 2022, *Introduction to Algorithms*, 4th edition, chapters 20 and 22.
"""

import heapq
from collections import deque
from dataclasses import dataclass

import numpy as np

METHODS = ("bfs", "dfs")


@dataclass(frozen=True)
class TraversalStep:
    """The state of a walk right after a node was visited and its new neighbours were set down.

    `order` are the nodes visited so far, `node` the last of them; `waiting` those that are to be visited: a queue
    (its front first) or a stack (its top last); `added` those set down just now; `tree` the edges (parent, child)
    that led to the visited nodes.
    """

    node: int
    order: tuple[int, ...]
    waiting: tuple[int, ...]
    added: tuple[int, ...]
    tree: tuple[tuple[int, int], ...]


def bfs(adjacency, start):
    """Visit nodes breadth first: the near ones before the far ones, by a queue.

    Parameters
    ----------
    adjacency : (n, n) array
    start : int

    Returns
    -------
    order : (n_reached,) int array
        Every node that can be reached, once; neighbours by rising number.
    distance : (n,) int array
        The fewest edges from `start`; -1 for a node that cannot be reached.

    Examples
    --------
    >>> bfs([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], start=0)
    (array([0, 1, 2, 3]), array([0, 1, 1, 2]))
    """
    distance = np.full(len(adjacency), -1)
    distance[start] = 0
    order = [start]
    for node in order:  # the list grows while it is read: it is the queue
        for neighbour in np.flatnonzero(adjacency[node]):
            if distance[neighbour] == -1:
                distance[neighbour] = distance[node] + 1
                order.append(neighbour)
    return np.array(order), distance


def dfs(adjacency, start):
    """Visit nodes depth first: follow one trail to its end before trying the next, by a stack.

    Parameters
    ----------
    adjacency : (n, n) array
    start : int

    Returns
    -------
    order : (n_reached,) int array
        Every node that can be reached, once, as it is entered; neighbours by rising number.

    Examples
    --------
    >>> dfs([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], start=0)
    array([0, 1, 3, 2])
    """
    order, stack = [], [start]
    while stack:
        node = stack.pop()
        if node not in order:
            order.append(node)
            stack.extend(np.flatnonzero(adjacency[node])[::-1])  # the smallest number on top
    return np.array(order)


def traversal_steps(adjacency, start, method):
    """Return every step of a walk, breadth first or depth first.

    Parameters
    ----------
    adjacency : (n, n) array
    start : int
    method : {"bfs", "dfs"}

    Returns
    -------
    steps : tuple of TraversalStep
        One for each visited node.

    Raises
    ------
    ValueError
        If the method is neither.

    Examples
    --------
    >>> steps = traversal_steps([[0, 1, 1], [0, 0, 0], [0, 0, 0]], 0, "bfs")
    >>> [(step.node, step.waiting) for step in steps]
    [(0, (1, 2)), (1, (2,)), (2, ())]
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    waiting, order, tree, steps = deque([(None, start)]), [], [], []
    while waiting:
        parent, node = waiting.popleft() if method == "bfs" else waiting.pop()
        if node in order:
            continue  # it was set down twice: only a stack keeps such nodes
        order.append(node)
        tree += [] if parent is None else [(parent, node)]
        known = {*order, *(child for _, child in waiting)} if method == "bfs" else set(order)
        added = tuple(int(j) for j in np.flatnonzero(adjacency[node]) if j not in known)
        waiting.extend((node, child) for child in (added if method == "bfs" else added[::-1]))
        children = tuple(child for _, child in waiting)
        steps.append(TraversalStep(node, tuple(order), children, added, tuple(tree)))
    return tuple(steps)


def distances(adjacency, start):
    """Measure the shortest way from one node to all others, by Dijkstra's algorithm.

    Parameters
    ----------
    adjacency : (n, n) array
        Entries are lengths, above 0; 0 = no edge.
    start : int

    Returns
    -------
    distance : (n,) array
        -1 for a node that cannot be reached.
    parent : (n,) int array
        The node before on a shortest way; -1 for `start` and for nodes that cannot be reached.

    Examples
    --------
    >>> distances([[0, 1, 5], [0, 0, 2], [0, 0, 0]], start=0)
    (array([0., 1., 3.]), array([-1,  0,  1]))
    """
    distance, parent = np.full(len(adjacency), -1.0), np.full(len(adjacency), -1)
    queue = [(0.0, start, -1)]
    while queue:
        length, node, before = heapq.heappop(queue)
        if distance[node] != -1:
            continue  # a shorter way came first
        distance[node], parent[node] = length, before
        for neighbour in np.flatnonzero(adjacency[node]):
            heapq.heappush(queue, (length + float(adjacency[node][neighbour]), int(neighbour), node))
    return distance, parent


def shortest_path(adjacency, start, goal):
    """Find a way from one node to another whose edges add up to the least.

    Parameters
    ----------
    adjacency : (n, n) array
        Entries are lengths, above 0; 0 = no edge.
    start, goal : int

    Returns
    -------
    path : (n_path,) int array
        From `start` to `goal`, both included; empty if there is no way.
    length : float
        -1 if there is no way.

    Examples
    --------
    >>> shortest_path([[0, 1, 5], [0, 0, 2], [0, 0, 0]], start=0, goal=2)
    (array([0, 1, 2]), 3.0)
    """
    distance, parent = distances(adjacency, start)
    if distance[goal] == -1:
        return np.array([], dtype=int), -1.0
    path = [goal]
    while path[-1] != start:
        path.append(int(parent[path[-1]]))
    return np.array(path[::-1]), float(distance[goal])


def hops(adjacency):
    """Count the fewest layers after which each node can know of each other, itself included from the beginning.

    Attention with residual connections: a token keeps what it knows, and each layer adds what its row looks at.

    Parameters
    ----------
    adjacency : (n, n) array
        Or a mask: row i may look at column j.

    Returns
    -------
    hops : (n, n) int array
        0 on the diagonal, 1 for edges; -1 if no number of layers is enough.

    Examples
    --------
    >>> hops([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    array([[ 0,  1,  2],
           [-1,  0,  1],
           [-1, -1,  0]])
    """
    step = np.asarray(adjacency) != 0
    known = np.eye(len(step), dtype=bool)
    fewest = known - 1
    for n_layers in range(1, len(step)):
        known = known | (step @ known)  # (n, n) @ (n, n) -> (n, n), "or" of "and"
        fewest[known & (fewest == -1)] = n_layers
    return fewest
