"""The lesson's small graphs are what the lesson says of them, and the layouts put nodes where they belong."""

import networkx as nx
import numpy as np
import pytest

from helpers.reference import example_graphs as examples
from helpers.reference import layouts
from helpers.reference.dags import critical_path, waves
from helpers.reference.graphs import adjacency, components
from helpers.reference.traversal import bfs, shortest_path


def test_the_friends_are_two_circles():
    friends = adjacency(examples.FRIEND_EDGES, len(examples.FRIENDS))
    assert components(friends).tolist() == [0, 0, 0, 0, 0, 1, 1]


def test_the_direct_road_has_the_fewest_edges_and_is_not_the_shortest_way():
    roads = adjacency(examples.ROADS, len(examples.PLACES), weights=examples.ROAD_MINUTES)
    assert bfs(roads, 0)[1][5] == 1
    assert roads[0, 5] == 30
    path, minutes = shortest_path(roads, 0, 5)
    assert (path.tolist(), minutes) == ([0, 1, 3, 4, 5], 18.0)


def test_the_tool_calls_have_no_cycle_and_one_critical_path_shorter_than_all_in_turn():
    calls = adjacency(examples.TOOL_EDGES, len(examples.TOOL_CALLS), directed=True)
    assert nx.is_directed_acyclic_graph(nx.from_numpy_array(calls, create_using=nx.DiGraph))
    path, seconds = critical_path(calls, examples.TOOL_SECONDS)
    assert (path.tolist(), seconds) == ([0, 1, 4, 6], 17.0)
    assert sum(examples.TOOL_SECONDS) == 25.0


def test_a_question_of_two_steps_follows_two_relations():
    assert examples.follow(examples.KNOWLEDGE_TRIPLES, "GPT", "基于", "发表于") == ("2017",)
    assert examples.follow(examples.KNOWLEDGE_TRIPLES, "BERT", "遮住") == ()
    names = examples.entities(examples.KNOWLEDGE_TRIPLES)
    of_one = [
        examples.knowledge_adjacency(examples.KNOWLEDGE_TRIPLES, r)
        for r in examples.relations(examples.KNOWLEDGE_TRIPLES)
    ]
    everything = examples.knowledge_adjacency(examples.KNOWLEDGE_TRIPLES)
    np.testing.assert_array_equal(sum(of_one), everything)
    assert everything[names.index("BERT"), names.index("Transformer")] == 1


@pytest.mark.parametrize("causal", [False, True])
def test_she_looks_most_at_the_girl(causal):
    weights = examples.sentence_attention(causal)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0)
    assert examples.SENTENCE[weights[examples.SENTENCE.index("她")].argmax()] == "小红"
    assert (np.triu(weights, k=1).max() == 0) == causal


def test_every_call_is_drawn_to_the_right_of_what_it_waits_for():
    calls = adjacency(examples.TOOL_EDGES, len(examples.TOOL_CALLS), directed=True)
    x = layouts.wave_layout(calls)[:, 0]
    assert all(x[i] < x[j] for i, j in examples.TOOL_EDGES)
    assert (waves(calls) >= 0).all()


@pytest.mark.parametrize(
    "positions",
    [
        layouts.circle_layout(7),
        layouts.line_layout(5),
        layouts.line_layout(1),
        layouts.layer_layout([0, 1, 1, 2, -1, -1]),
        layouts.layer_layout([0]),
    ],
)
def test_no_two_nodes_are_drawn_in_one_place_or_outside_the_picture(positions):
    assert len({tuple(place) for place in positions.round(9)}) == len(positions)
    assert np.abs(positions).max() <= 1 + 1e-12
