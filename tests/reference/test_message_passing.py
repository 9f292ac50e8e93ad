"""Message passing said in loops, the sources' formulas on their own terms, and attention beside them."""

import networkx as nx
import numpy as np
import pytest

from helpers.reference import attention, graphs
from helpers.reference import message_passing as ref
from tests.reference.test_graphs import random_graph


def undirected(seed, n_nodes=7):
    matrix = random_graph(seed, n_nodes, 0.3) > 0
    return (matrix | matrix.T).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_every_node_takes_the_weighted_mean_of_itself_and_what_it_points_to(seed):
    matrix, x = random_graph(seed, 7, 0.3), np.random.default_rng(seed).normal(size=(7, 3))
    for i, row in enumerate(ref.message_passing(matrix, x)):
        weights = [matrix[i, j] if i != j else 1.0 for j in range(7)]
        np.testing.assert_allclose(row, np.average(x, axis=0, weights=weights))


def test_message_passing_is_attention_with_equal_scores_under_the_graphs_mask():
    matrix, x = (random_graph(1, 7, 0.3) > 0).astype(float), np.random.default_rng(1).normal(size=(7, 3))
    output, weights = attention.attention(np.zeros((7, 2)), np.zeros((7, 2)), x, ref.looks_at(matrix))
    np.testing.assert_allclose(ref.message_passing(matrix, x), output)
    np.testing.assert_allclose(ref.mean_weights(matrix), weights)


@pytest.mark.parametrize("seed", range(4))
def test_gcn_weights_are_one_less_the_normalised_laplacian_of_networkx_with_self_loops(seed):
    matrix = undirected(seed)
    graph = nx.from_numpy_array(matrix + np.eye(7))
    nodes = np.diag(1 / np.sqrt((matrix + np.eye(7)).sum(axis=1)))
    np.testing.assert_allclose(ref.gcn_weights(matrix), nodes @ nx.to_numpy_array(graph) @ nodes)


def test_gat_weights_are_the_papers_formula_said_in_loops():
    rng = np.random.default_rng(3)
    x, w, a_self, a_other = (rng.normal(size=shape) for shape in [(5, 3), (3, 2), 2, 2])
    matrix = random_graph(3, 5, 0.4)
    weights = ref.gat_weights(x, matrix, w, a_self, a_other)
    for i in range(5):
        seen = [j for j in range(5) if j == i or matrix[i, j]]
        raw = [np.concatenate([a_self, a_other]) @ np.concatenate([x[i] @ w, x[j] @ w]) for j in seen]
        exponents = np.exp([score if score > 0 else 0.2 * score for score in raw])
        np.testing.assert_allclose(weights[i, seen], exponents / exponents.sum())
        assert weights[i].sum() == pytest.approx(1.0)


def test_news_arrives_after_as_many_layers_as_it_has_hops_to_go_and_never_elsewhere():
    matrix = graphs.adjacency([[1, 0], [2, 1], [3, 2]], 5, directed=True)
    shares = ref.spread_of_news(matrix, source=0, n_layers=3)
    assert (shares > 0).astype(int).tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]


def test_many_layers_make_the_nodes_of_a_component_alike():
    x = np.random.default_rng(2).normal(size=(5, 3))
    states = ref.smoothing(graphs.ring_graph(5), x, 60)
    spread = ref.node_spread(states)
    assert spread[0] == pytest.approx(np.sqrt(x.var(axis=0).sum()))
    assert (np.diff(spread) < 1e-12).all()
    assert spread[-1] < 1e-6 * spread[0]
    np.testing.assert_allclose(states[-1], np.tile(x.mean(axis=0), (5, 1)), atol=1e-5)


def test_attention_becomes_the_edges_that_reach_the_threshold_the_strongest_first():
    weights = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]])
    edges, strengths = ref.attention_as_graph(weights, 0.5)
    assert edges.tolist() == [[0, 0], [1, 1], [2, 0]]
    assert strengths.tolist() == [1.0, 0.75, 0.5]
    everything, _ = ref.attention_as_graph(weights, 0.0)
    assert len(everything) == 6  # the three masked ones are no edges
    nothing, none = ref.attention_as_graph(weights, 1.5)
    assert (nothing.shape, none.shape) == ((0, 2), (0,))
