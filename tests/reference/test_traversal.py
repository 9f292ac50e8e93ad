"""Walks through graphs: against networkx."""

import networkx as nx
import numpy as np
import pytest

from helpers.reference import traversal as ref
from helpers.reference.attention import causal_mask, reach, sliding_window_mask
from tests.reference.test_graphs import random_graph

SEEDS = range(6)


def in_networkx(matrix):
    return nx.from_numpy_array(matrix, create_using=nx.DiGraph)


@pytest.mark.parametrize("seed", SEEDS)
def test_breadth_first_distances_are_those_of_networkx_and_never_fall_along_the_order(seed):
    matrix = random_graph(seed)
    order, distance = ref.bfs(matrix, 0)
    theirs = nx.single_source_shortest_path_length(in_networkx(matrix), 0)
    assert distance.tolist() == [theirs.get(node, -1) for node in range(9)]
    assert sorted(order.tolist()) == sorted(theirs)
    assert (np.diff(distance[order]) >= 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_depth_first_order_is_that_of_networkx(seed):
    matrix = random_graph(seed, share=0.3)
    assert ref.dfs(matrix, 2).tolist() == list(nx.dfs_preorder_nodes(in_networkx(matrix), 2))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("method", "order"), [("bfs", lambda *given: ref.bfs(*given)[0]), ("dfs", ref.dfs)])
def test_the_steps_of_a_walk_end_in_its_order_and_say_what_waits(method, order, seed):
    matrix = random_graph(seed, share=0.3)
    steps = ref.traversal_steps(matrix, 1, method)
    assert steps[-1].order == tuple(order(matrix, 1))
    assert [step.order[-1] for step in steps] == [step.node for step in steps]
    assert [child for _, child in steps[-1].tree] == list(steps[-1].order[1:])
    assert all(matrix[edge] for edge in steps[-1].tree)
    assert set(steps[-1].waiting) <= set(steps[-1].order)
    for step, following in zip(steps[:-1], steps[1:], strict=True):
        ends = step.waiting[:1] if method == "bfs" else step.waiting[::-1]
        assert following.node == next(node for node in ends if node not in step.order)


def test_a_walk_of_another_kind_is_refused_by_name():
    with pytest.raises(ValueError, match="'random'"):
        ref.traversal_steps(np.eye(2), 0, "random")


@pytest.mark.parametrize("seed", SEEDS)
def test_shortest_ways_are_as_long_as_those_of_networkx(seed):
    matrix = random_graph(seed, share=0.3)
    theirs = nx.single_source_dijkstra_path_length(in_networkx(matrix), 0)
    for goal in range(9):
        path, length = ref.shortest_path(matrix, 0, goal)
        assert length == theirs.get(goal, -1)
        if length == -1:
            assert path.size == 0
        else:
            assert (path[0], path[-1]) == (0, goal)
            assert sum(matrix[i, j] for i, j in zip(path[:-1], path[1:], strict=True)) == length
            assert matrix[path[:-1], path[1:]].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_hops_are_the_shortest_path_lengths_of_networkx(seed):
    matrix = random_graph(seed)
    theirs = dict(nx.all_pairs_shortest_path_length(in_networkx(matrix)))
    np.testing.assert_array_equal(ref.hops(matrix), [[theirs[i].get(j, -1) for j in range(9)] for i in range(9)])


@pytest.mark.parametrize("n_layers", [0, 1, 2, 5])
@pytest.mark.parametrize("mask", [causal_mask(6), sliding_window_mask(6, 2)])
def test_a_mask_with_itself_reaches_in_l_layers_what_is_at_most_l_hops_away(mask, n_layers):
    hops = ref.hops(mask)
    np.testing.assert_array_equal((hops >= 0) & (hops <= n_layers), reach(mask, n_layers))
