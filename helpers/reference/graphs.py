"""Graphs as matrices: from a list of edges to the adjacency matrix, and what can be read off it.

One convention for all graphs here, the same as for attention's masks: `adjacency[i, j]` is not 0 if an edge leads from
node i (row) to node j (column); an entry other than 1 is the edge's weight.

Source: Cormen et al. 2022, *Introduction to Algorithms*, 4th edition, chapter 20 and appendix B.4.
"""

import numpy as np


def adjacency(edges, n_nodes, directed=False, weights=None):
    """Write a list of edges as a matrix: row = where an edge starts, column = where it points.

    Parameters
    ----------
    edges : (n_edges, 2) int array
        Each edge once: from node, to node. An edge from a node to itself is a self-loop.
    n_nodes : int
        Nodes without edges count too.
    directed : bool
        An undirected edge can be walked both ways: it fills both entries.
    weights : (n_edges,) array, optional
        1 for every edge by default.

    Returns
    -------
    adjacency : (n_nodes, n_nodes) array
        0 = no edge.

    Raises
    ------
    ValueError
        If an edge names a node that does not exist.

    Examples
    --------
    >>> adjacency([[0, 1], [1, 2]], n_nodes=3)
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    start, end = _checked(edges, n_nodes)
    matrix = np.zeros((n_nodes, n_nodes))
    matrix[start, end] = 1 if weights is None else weights
    if not directed:
        matrix[end, start] = matrix[start, end]
    return matrix


def edges_of(adjacency, directed=True):
    """List the edges of a matrix, row by row: `adjacency` backwards.

    Parameters
    ----------
    adjacency : (n, n) array
    directed : bool
        If not, every pair of neighbours is listed once, the smaller number first.

    Returns
    -------
    edges : (n_edges, 2) int array

    Examples
    --------
    >>> edges_of([[0, 1], [1, 0]]).tolist(), edges_of([[0, 1], [1, 0]], directed=False).tolist()
    ([[0, 1], [1, 0]], [[0, 1]])
    """
    matrix = np.asarray(adjacency)
    return np.argwhere(matrix if directed else np.triu(matrix))


def degrees(adjacency):
    """Count the edges that start at each node, and those that end there.

    Parameters
    ----------
    adjacency : (n, n) array

    Returns
    -------
    out, into : (n,) int arrays
        Row by row and column by column; equal when no edge has a direction.

    Examples
    --------
    >>> degrees([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    (array([2, 1, 0]), array([0, 1, 2]))
    """
    edge = np.asarray(adjacency) != 0
    return edge.sum(axis=-1), edge.sum(axis=-2)


def density(adjacency):
    """Return the share of all possible arrows between two different nodes that are there.

    Parameters
    ----------
    adjacency : (n, n) array
        With at least two nodes.

    Returns
    -------
    density : float
        1 for a complete graph.

    Examples
    --------
    >>> density(complete(5)), density(path_graph(4))
    (1.0, 0.5)
    """
    edge = np.asarray(adjacency) != 0
    n = len(edge)
    return float(edge[~np.eye(n, dtype=bool)].sum() / (n * (n - 1)))


def components(adjacency):
    """Say which nodes hang together, whichever way the edges point.

    Parameters
    ----------
    adjacency : (n, n) array

    Returns
    -------
    labels : (n,) int array
        Nodes of one component have the same label: 0, 1, ... in the order of the smallest node.

    Examples
    --------
    >>> components(adjacency([[0, 2], [1, 3]], n_nodes=5))
    array([0, 1, 0, 1, 2])
    """
    matrix = np.asarray(adjacency)
    connected = (matrix != 0) | (matrix.T != 0) | np.eye(len(matrix), dtype=bool)
    for _ in range(len(matrix)):
        connected = connected @ connected  # twice as many steps each time, more than enough
    return np.unique(connected.argmax(axis=-1), return_inverse=True)[1]  # named after the smallest node it reaches


def complete(n_nodes):
    """Join every node to every other.

    Parameters
    ----------
    n_nodes : int

    Returns
    -------
    adjacency : (n_nodes, n_nodes) array

    Examples
    --------
    >>> complete(3)
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """
    return 1 - np.eye(n_nodes)


def path_graph(n_nodes):
    """Join every node to the next one only, without directions: tokens as a recurrence sees them.

    Parameters
    ----------
    n_nodes : int

    Returns
    -------
    adjacency : (n_nodes, n_nodes) array

    Examples
    --------
    >>> path_graph(3)
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    return np.eye(n_nodes, k=1) + np.eye(n_nodes, k=-1)


def ring_graph(n_nodes):
    """Join every node to the next one and the last to the first, without directions.

    Parameters
    ----------
    n_nodes : int
        At least 3.

    Returns
    -------
    adjacency : (n_nodes, n_nodes) array

    Examples
    --------
    >>> degrees(ring_graph(4))[0]
    array([2, 2, 2, 2])
    """
    ring = np.roll(np.eye(n_nodes), 1, axis=-1)
    return np.maximum(ring, ring.T)


def _checked(edges, n_nodes):
    """Return where the edges start and where they end."""
    edges = np.asarray(edges, dtype=int).reshape(-1, 2)
    unknown = edges[(edges < 0) | (edges >= n_nodes)]
    if unknown.size:
        raise ValueError(f"edges name node {unknown[0]}, but the {n_nodes} nodes are 0 to {n_nodes - 1}")
    return edges[:, 0], edges[:, 1]
