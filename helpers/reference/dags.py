"""Graphs without cycles: an order in which everything comes after what it needs, and the chain that takes longest.

`adjacency[i, j]` is not 0 if i comes first and j waits for it.

Sources: Kahn 1962, *Topological sorting of large networks*; Kelley and Walker 1959, *Critical-path planning and
scheduling*.
"""

import numpy as np


def topological_order(adjacency):
    """Put the nodes in an order in which every edge points forwards, by Kahn's algorithm.

    Parameters
    ----------
    adjacency : (n, n) array

    Returns
    -------
    order : (n,) int array
        Whenever several nodes are free, the smallest number comes first.

    Raises
    ------
    ValueError
        If there is a cycle (a self-loop is one): then no order is possible.

    Examples
    --------
    >>> topological_order([[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    array([2, 1, 0])
    """
    edge = np.asarray(adjacency) != 0
    waits_for = edge.sum(axis=0)  # (n, n) -> (n,): how many edges point at each node
    order = []
    for _ in range(len(edge)):
        if np.all(waits_for != 0):
            raise ValueError(f"no order is possible: {' -> '.join(map(str, find_cycle(edge)))} is a cycle")
        node = int(np.argmin(waits_for != 0))
        order.append(node)
        waits_for = waits_for - edge[node]
        waits_for[node] = -1  # done
    return np.array(order, dtype=int)


def find_cycle(adjacency):
    """Return the nodes of one cycle, the first again at the end, or nothing if there is none.

    Parameters
    ----------
    adjacency : (n, n) array

    Returns
    -------
    cycle : tuple of int

    Examples
    --------
    >>> find_cycle([[0, 1, 0], [0, 0, 1], [0, 1, 0]]), find_cycle([[0, 1], [0, 0]])
    ((1, 2, 1), ())
    """
    edge = np.asarray(adjacency) != 0
    left = np.ones(len(edge), dtype=bool)
    for _ in range(len(edge)):
        left &= edge @ left  # keep what leads to something that is left: in the end only cycles and ways into them
    if not left.any():
        return ()
    trail = [int(np.argmax(left))]
    while trail[-1] not in trail[:-1]:
        trail.append(int(np.argmax(edge[trail[-1]] & left)))
    return tuple(trail[trail.index(trail[-1]) :])


def waves(adjacency):
    """Say in which wave each node can run when a whole wave runs at once.

    Parameters
    ----------
    adjacency : (n, n) array
        Without cycles.

    Returns
    -------
    wave : (n,) int array
        0 for nodes that wait for nothing, else one more than the latest that they wait for.

    Examples
    --------
    >>> waves([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    array([0, 1, 2])
    """
    _, finish = schedule(adjacency, np.ones(len(adjacency)))
    return finish.astype(int) - 1


def schedule(adjacency, durations):
    """Start every node as soon as all that it waits for has finished, however many run at once.

    Parameters
    ----------
    adjacency : (n, n) array
        Without cycles.
    durations : (n,) array
        How long each node takes.

    Returns
    -------
    start, finish : (n,) arrays

    Raises
    ------
    ValueError
        If there is a cycle.

    Examples
    --------
    >>> schedule([[0, 1, 1], [0, 0, 1], [0, 0, 0]], [2.0, 3.0, 1.0])
    (array([0., 2., 5.]), array([2., 5., 6.]))
    """
    edge = np.asarray(adjacency) != 0
    start, finish = np.zeros(len(edge)), np.zeros(len(edge))
    for node in topological_order(edge):
        start[node] = finish[edge[:, node]].max(initial=0.0)
        finish[node] = start[node] + durations[node]
    return start, finish


def critical_path(adjacency, durations):
    """Find the chain of nodes that takes longest: nothing can be done before it is.

    Parameters
    ----------
    adjacency : (n, n) array
        Without cycles.
    durations : (n,) array
        How long each node takes, above 0.

    Returns
    -------
    path : (n_path,) int array
        In the order of running; every node waits for the one before it.
    length : float
        The sum of its durations: how long everything takes if nothing waits without need.

    Raises
    ------
    ValueError
        If there is a cycle.

    Examples
    --------
    >>> critical_path([[0, 1, 1], [0, 0, 0], [0, 0, 0]], [2.0, 3.0, 1.0])
    (array([0, 1]), 5.0)
    """
    edge = np.asarray(adjacency) != 0
    start, finish = schedule(edge, durations)
    path = [int(finish.argmax())]
    while start[path[-1]] > 0:
        waited_for = np.where(edge[:, path[-1]], finish, 0)
        path.append(int(waited_for.argmax()))
    return np.array(path[::-1]), float(finish.max())
