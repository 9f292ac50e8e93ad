"""Where to draw the nodes of a graph: on a circle, in a line, or in layers from left to right."""

import numpy as np

from helpers.reference.dags import waves


def circle_layout(n_nodes):
    """Spread nodes over a circle, clockwise from the top.

    Parameters
    ----------
    n_nodes : int

    Returns
    -------
    positions : (n_nodes, 2) array
        x, y between -1 and 1.

    Examples
    --------
    >>> (circle_layout(4).round(3) + 0.0).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]
    """
    angle = 2 * np.pi * np.arange(n_nodes) / n_nodes
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1)


def line_layout(n_nodes):
    """Put nodes in a line, as tokens are read.

    Parameters
    ----------
    n_nodes : int

    Returns
    -------
    positions : (n_nodes, 2) array
        x from -1 to 1, y = 0.

    Examples
    --------
    >>> line_layout(3).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return layer_layout(np.arange(n_nodes))


def layer_layout(layer):
    """Put nodes in columns, from left to right, the nodes of a column spread from top to bottom.

    Parameters
    ----------
    layer : (n,) int array
        The column of each node; negative numbers (unreachable) go to the far right.

    Returns
    -------
    positions : (n, 2) array
        x, y between -1 and 1.

    Examples
    --------
    >>> layer_layout([0, 1, 1, -1]).tolist()
    [[-1.0, 0.0], [0.0, 0.5], [0.0, -0.5], [1.0, 0.0]]
    """
    layer = np.asarray(layer)
    column = np.where(layer < 0, layer.max(initial=0) + 1, layer)
    positions = np.zeros((len(column), 2))
    positions[:, 0] = 2 * column / max(column.max(initial=0), 1) - 1
    for each in np.unique(column):
        members = np.flatnonzero(column == each)
        positions[members, 1] = 1 - (2 * np.arange(len(members)) + 1) / len(members)
    return positions


def wave_layout(adjacency):
    """Put the nodes of a graph without cycles in columns: each to the right of all that it waits for.

    Parameters
    ----------
    adjacency : (n, n) array

    Returns
    -------
    positions : (n, 2) array
        x, y between -1 and 1.

    Examples
    --------
    >>> wave_layout([[0, 1, 1], [0, 0, 1], [0, 0, 0]])[:, 0].tolist()
    [-1.0, 0.0, 1.0]
    """
    return layer_layout(waves(adjacency))
