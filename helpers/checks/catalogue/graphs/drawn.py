"""Graphs that the exercises of this extension are tried on: fixed shapes under random numbers, and random ones."""

import numpy as np

# Two ways of equal length from 0 to 3, a triangle, and a tail: what is marked too late is visited twice.
DIAMOND_WITH_TAIL = ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6))


def matrix(edges, n_nodes, directed=False, weights=1.0):
    """Return the adjacency matrix of a few edges."""
    filled = np.zeros((n_nodes, n_nodes))
    start, end = np.array(edges).T
    filled[start, end] = weights
    if not directed:
        filled[end, start] = weights
    return filled


def renumbered(adjacency, rng):
    """Give the nodes new numbers; return the new matrix and the new number of each old node."""
    number = rng.permutation(len(adjacency))
    renamed = np.zeros_like(adjacency)
    renamed[np.ix_(number, number)] = adjacency
    return renamed, number


def random_dag(rng, n_nodes, share=0.4):
    """Draw a graph without cycles whose numbers say nothing about its order."""
    earlier_to_later = np.triu(rng.random((n_nodes, n_nodes)) < share, k=1).astype(float)
    earlier_to_later += np.eye(n_nodes, k=1) * (rng.random(n_nodes) < 0.5)
    return renumbered((earlier_to_later > 0).astype(float), rng)[0]


def random_directed(rng, n_nodes, share=0.3):
    """Draw directed edges, at random, with none from a node to itself."""
    return ((rng.random((n_nodes, n_nodes)) < share) & ~np.eye(n_nodes, dtype=bool)).astype(float)


def random_undirected(rng, n_nodes, share=0.3):
    """Draw undirected edges, at random, with none from a node to itself."""
    upper = np.triu(rng.random((n_nodes, n_nodes)) < share, k=1)
    return (upper | upper.T).astype(float)


def complete_but_last(n_nodes):
    """Join all nodes to each other, except the last, which hangs on node 0 alone."""
    adjacency = 1 - np.eye(n_nodes)
    adjacency[-1, 1:] = adjacency[1:, -1] = 0
    return adjacency


def neighbours(adjacency, node):
    """List the nodes that an edge leads to, smallest first, as slips that walk through a graph need them."""
    return [int(j) for j in np.flatnonzero(adjacency[node])]
