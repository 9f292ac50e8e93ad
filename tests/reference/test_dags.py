"""Orders and longest chains of graphs without cycles: against networkx."""

import networkx as nx
import numpy as np
import pytest

from helpers.reference import dags as ref
from helpers.reference.attention import causal_mask

SEEDS = range(6)


def random_dag(seed, n_nodes=8):
    """Draw a graph without cycles whose numbers say nothing about its order."""
    rng = np.random.default_rng(seed)
    number = rng.permutation(n_nodes)
    matrix = np.zeros((n_nodes, n_nodes))
    matrix[np.ix_(number, number)] = np.triu(rng.random((n_nodes, n_nodes)) < 0.35, k=1)
    return matrix, rng.integers(1, 20, size=n_nodes) / 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_is_the_first_by_number_that_networkx_finds(seed):
    matrix, _ = random_dag(seed)
    graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    assert ref.topological_order(matrix).tolist() == list(nx.lexicographical_topological_sort(graph))


@pytest.mark.parametrize("edges", [[(0, 1), (1, 0)], [(0, 1), (1, 2), (2, 3), (3, 1)], [(2, 2)]])
def test_a_cycle_is_found_and_named_in_the_error(edges):
    matrix = np.zeros((5, 5))
    matrix[tuple(np.array(edges).T)] = 1
    cycle = ref.find_cycle(matrix)
    assert cycle[0] == cycle[-1]
    assert all(matrix[i, j] for i, j in zip(cycle[:-1], cycle[1:], strict=True))
    with pytest.raises(ValueError, match=" -> ".join(map(str, cycle)) + " is a cycle"):
        ref.topological_order(matrix)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_cycle_is_found_where_there_is_none(seed):
    assert ref.find_cycle(random_dag(seed)[0]) == ()


def test_information_under_a_causal_mask_has_one_order_only_that_of_reading():
    flow = causal_mask(5).T & ~np.eye(5, dtype=bool)
    assert ref.topological_order(flow).tolist() == [0, 1, 2, 3, 4]
    assert len(list(nx.all_topological_sorts(nx.from_numpy_array(flow, create_using=nx.DiGraph)))) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_waves_are_the_generations_of_networkx(seed):
    matrix, _ = random_dag(seed)
    wave = ref.waves(matrix)
    generations = nx.topological_generations(nx.from_numpy_array(matrix, create_using=nx.DiGraph))
    for number, generation in enumerate(generations):
        assert np.flatnonzero(wave == number).tolist() == sorted(generation)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_critical_path_is_as_long_as_the_longest_path_of_networkx(seed):
    matrix, durations = random_dag(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(-1, 8))
    # A duration is the length of every edge into its node; node -1 comes before all.
    edges = [(-1, j) for j in range(8)] + np.argwhere(matrix).tolist()
    graph.add_weighted_edges_from([(i, j, durations[j]) for i, j in edges])
    path, length = ref.critical_path(matrix, durations)
    assert length == nx.dag_longest_path_length(graph)
    assert durations[path].sum() == length
    assert matrix[path[:-1], path[1:]].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_starts_before_what_it_waits_for_and_nothing_waits_without_need(seed):
    matrix, durations = random_dag(seed)
    start, finish = ref.schedule(matrix, durations)
    np.testing.assert_array_equal(finish - start, durations)
    for j in range(8):
        assert start[j] == max(finish[matrix[:, j] > 0], default=0.0)
