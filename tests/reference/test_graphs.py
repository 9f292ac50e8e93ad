"""Matrices of graphs and what is read off them: against networkx."""

import networkx as nx
import numpy as np
import pytest

from helpers.reference import graphs as ref


def random_graph(seed, n_nodes=9, share=0.15):
    """Draw directed edges with whole lengths, none from a node to itself."""
    rng = np.random.default_rng(seed)
    edge = (rng.random((n_nodes, n_nodes)) < share) & ~np.eye(n_nodes, dtype=bool)
    return edge * rng.integers(1, 9, size=edge.shape).astype(float)


@pytest.mark.parametrize("directed", [False, True])
def test_a_matrix_is_that_of_networkx(directed):
    edges, weights = [(0, 3), (3, 1), (2, 2), (4, 1)], [2.0, 0.5, 3.0, 7.0]
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(6))
    graph.add_weighted_edges_from([(*edge, weight) for edge, weight in zip(edges, weights, strict=True)])
    np.testing.assert_array_equal(ref.adjacency(edges, 6, directed, weights), nx.to_numpy_array(graph))


def test_an_edge_to_a_node_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"node 3, but the 3 nodes are 0 to 2"):
        ref.adjacency([[0, 3]], n_nodes=3)
    with pytest.raises(ValueError, match="node -1"):
        ref.adjacency([[-1, 0]], n_nodes=3)


def test_listing_the_edges_undoes_the_matrix():
    edges = [[0, 3], [1, 1], [2, 0], [3, 1]]
    assert ref.edges_of(ref.adjacency(edges, 5, directed=True)).tolist() == edges
    pairs = ref.edges_of(ref.adjacency(edges, 5), directed=False).tolist()
    assert pairs == [[0, 2], [0, 3], [1, 1], [1, 3]]


@pytest.mark.parametrize("seed", range(5))
def test_degrees_density_and_components_are_those_of_networkx(seed):
    matrix = random_graph(seed)
    graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    out, into = ref.degrees(matrix)
    assert out.tolist() == [graph.out_degree(i) for i in range(9)]
    assert into.tolist() == [graph.in_degree(i) for i in range(9)]
    assert ref.density(matrix) == pytest.approx(nx.density(graph))
    labels = ref.components(matrix)
    theirs = sorted(sorted(group) for group in nx.weakly_connected_components(graph))
    assert [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)] == theirs


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ref.complete, nx.complete_graph), (ref.path_graph, nx.path_graph), (ref.ring_graph, nx.cycle_graph)],
)
def test_the_graphs_with_names_are_those_of_networkx(ours, theirs):
    np.testing.assert_array_equal(ours(5), nx.to_numpy_array(theirs(5)))
