"""Nodes that read their neighbours: one step of a graph network, next to attention, which is one too.

Node i reads the nodes that its row points to; information flows against the arrow, as in attention, where query i
looks at key j and value j comes to i.

Sources: Gilmer et al. 2017, *Neural Message Passing for Quantum Chemistry* (arXiv:1704.01212); Kipf and Welling 2017,
*Semi-Supervised Classification with Graph Convolutional Networks* (arXiv:1609.02907); Veličković et al. 2018, *Graph
Attention Networks* (arXiv:1710.10903).
"""

import numpy as np

from helpers.reference.attention import masked_softmax


def message_passing(adjacency, x):
    """Let every node take the mean of itself and of the nodes that its row points to.

    Parameters
    ----------
    adjacency : (..., n, n) array
        With zeros on the diagonal; entries other than 1 weigh a neighbour more or less. The node itself weighs 1.
    x : (..., n, d) array
        What each node knows.

    Returns
    -------
    output : (..., n, d) array

    Examples
    --------
    >>> message_passing([[0, 1], [0, 0]], [[2.0], [4.0]])
    array([[3.],
           [4.]])
    """
    adjacency, x = np.asarray(adjacency, dtype=float), np.asarray(x, dtype=float)
    weights = adjacency + np.eye(adjacency.shape[-1])
    return weights @ x / weights.sum(axis=-1, keepdims=True)  # (..., n, n) @ (..., n, d) / (..., n, 1)


def mean_weights(adjacency):
    """Return what `message_passing` multiplies by: `A + I` with rows that sum to 1.

    Parameters
    ----------
    adjacency : (..., n, n) array

    Returns
    -------
    weights : (..., n, n) array

    Examples
    --------
    >>> mean_weights([[0, 1], [0, 0]])
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    return message_passing(adjacency, np.eye(np.shape(adjacency)[-1]))


def gcn_weights(adjacency):
    """Return the fixed weights of a graph convolution: `D^-1/2 (A + I) D^-1/2`, with `D` the row sums of `A + I`.

    Parameters
    ----------
    adjacency : (..., n, n) array
        Symmetric, zeros on the diagonal.

    Returns
    -------
    weights : (..., n, n) array
        Symmetric; the rows need not sum to 1.

    Examples
    --------
    >>> gcn_weights([[0, 1], [1, 0]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    looped = np.asarray(adjacency, dtype=float) + np.eye(np.shape(adjacency)[-1])
    root = np.sqrt(looped.sum(axis=-1))  # (..., n)
    return looped / root[..., :, None] / root[..., None, :]  # (..., n, n) / (..., n, 1) / (..., 1, n)


def gat_weights(x, adjacency, w, a_self, a_other, slope=0.2):
    """Return the weights of one graph-attention head: softmax over itself and its neighbours of an additive score.

    Parameters
    ----------
    x : (..., n, d) array
    adjacency : (n, n) array
        Says who is a neighbour; weights of edges play no part.
    w : (d, d_out) array
    a_self, a_other : (d_out,) arrays
        Score of i for j: LeakyReLU(`a_self @ (x_i w) + a_other @ (x_j w)`).
    slope : float
        Of the LeakyReLU below 0.

    Returns
    -------
    weights : (..., n, n) array
        Rows sum to 1.

    Examples
    --------
    >>> gat_weights([[1.0], [1.0]], [[0, 1], [0, 0]], [[1.0]], [1.0], [1.0])
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    projected = np.asarray(x, dtype=float) @ np.asarray(w, dtype=float)  # (..., n, d) @ (d, d_out)
    score = (projected @ a_self)[..., :, None] + (projected @ a_other)[..., None, :]  # (..., n, 1) + (..., 1, n)
    score = np.where(score > 0, score, slope * score)
    return masked_softmax(score, looks_at(adjacency))


def looks_at(adjacency):
    """Return the mask of a graph: every node may look at its neighbours and at itself.

    Parameters
    ----------
    adjacency : (..., n, n) array

    Returns
    -------
    mask : (..., n, n) bool array
        True = row i may look at column j.

    Examples
    --------
    >>> looks_at([[0, 2], [0, 0]]).astype(int)
    array([[1, 1],
           [0, 1]])
    """
    adjacency = np.asarray(adjacency)
    return (adjacency != 0) | np.eye(adjacency.shape[-1], dtype=bool)


def smoothing(adjacency, x, n_layers):
    """Pass messages again and again: the nodes grow alike.

    Parameters
    ----------
    adjacency : (n, n) array
    x : (n, d) array
    n_layers : int

    Returns
    -------
    states : (n_layers + 1, n, d) array
        What every node knows after 0, 1, ... layers.

    Examples
    --------
    >>> smoothing([[0, 1], [0, 0]], [[0.0], [4.0]], 2)[:, 0, 0]
    array([0., 2., 3.])
    """
    states = [np.asarray(x, dtype=float)]
    for _ in range(n_layers):
        states.append(message_passing(adjacency, states[-1]))
    return np.stack(states)


def spread_of_news(adjacency, source, n_layers):
    """Follow what one node knows: the share of it in every node after 0, 1, ... layers of message passing.

    Parameters
    ----------
    adjacency : (n, n) array
    source : int
    n_layers : int

    Returns
    -------
    shares : (n_layers + 1, n) array

    Examples
    --------
    >>> spread_of_news([[0, 0], [1, 0]], source=0, n_layers=2)
    array([[1.  , 0.  ],
           [1.  , 0.5 ],
           [1.  , 0.75]])
    """
    one_hot = np.eye(len(adjacency))[:, source : source + 1]  # (n, 1)
    return smoothing(adjacency, one_hot, n_layers)[..., 0]


def node_spread(x):
    """Measure how far apart the nodes are: the root mean square distance from their mean.

    Parameters
    ----------
    x : (..., n, d) array

    Returns
    -------
    spread : (...) array
        0 when all nodes are the same.

    Examples
    --------
    >>> float(node_spread([[0.0], [4.0]]))
    2.0
    """
    x = np.asarray(x, dtype=float)
    away = x - x.mean(axis=-2, keepdims=True)
    return np.sqrt((away**2).sum(axis=-1).mean(axis=-1))


def attention_as_graph(weights, threshold):
    """Read attention weights as a graph: an edge from each query to each key that gets at least the threshold.

    Parameters
    ----------
    weights : (n, n) array
        Not negative. 0 = not looked at, which is never an edge.
    threshold : float
        Not negative.

    Returns
    -------
    edges : (n_edges, 2) int array
        Query, key; the strongest first. A token that looks at itself is a self-loop.
    strengths : (n_edges,) array

    Examples
    --------
    >>> attention_as_graph([[1.0, 0.0], [0.75, 0.25]], threshold=0.5)
    (array([[0, 0],
           [1, 0]]), array([1.  , 0.75]))
    """
    weights = np.asarray(weights)
    edges = np.argwhere((weights >= threshold) & (weights > 0))  # (n_edges, 2)
    strengths = weights[edges[:, 0], edges[:, 1]]
    strongest_first = np.argsort(-strengths, kind="stable")
    return edges[strongest_first], strengths[strongest_first]
