"""The explorers of the graph section draw what is computed."""

import numpy as np
import pytest

from helpers.reference import example_graphs, graphs, message_passing, traversal
from helpers.reference.attention import sliding_window_mask
from helpers.widgets import graphs as widgets


@pytest.mark.parametrize(("threshold", "causal"), [(0.0, False), (0.0, True), (0.3, False), (0.45, True)])
def test_the_threshold_keeps_exactly_the_edges_that_reach_it(threshold, causal):
    explorer = widgets.threshold_explorer()
    explorer.controls["causal"].value = causal
    explorer.controls["threshold"].value = threshold
    weights = example_graphs.sentence_attention(causal)
    edges, _ = message_passing.attention_as_graph(weights, threshold)
    matrix, graph = explorer.picture.axes
    shown = matrix.images[0].get_array()
    assert np.argwhere(~np.ma.getmaskarray(shown)).tolist() == sorted(edges.tolist())
    drawn = [artist for artist in (*graph.patches, *graph.lines) if artist.get_visible()]
    assert len([artist for artist in drawn if artist is not graph.patch]) == len(edges)
    groups = graphs.components(graphs.adjacency(edges, len(weights), directed=True)).max() + 1
    assert f"{len(edges)} 条边" in explorer.caption.value
    assert f"分成 {groups} 块" in explorer.caption.value
    assert len(set(map(tuple, graph.collections[0].get_facecolors()))) == groups


def test_the_layers_explorer_shows_what_is_known_within_the_layers_and_says_what_never_will_be():
    explorer = widgets.layers_explorer()
    explorer.controls["mask"].value = "滑动窗口（看 2 个）"
    explorer.controls["token"].value = 3
    explorer.controls["n_layers"].value = 1
    hops = traversal.hops(sliding_window_mask(len(widgets.TOKENS), 2))
    shown = np.asarray(explorer.picture.axes[0].images[0].get_array())
    assert (shown > 0).tolist() == ((hops >= 0) & (hops <= 1)).tolist()
    arcs = [patch for patch in explorer.picture.axes[1].patches if patch.get_visible()]
    assert len(arcs) == len(widgets.TOKENS) - 1  # each looks at the one before
    assert "「在」知道 2 个词" in explorer.caption.value
    assert "还有 2 个词要更多层" in explorer.caption.value
    assert "4 个词叠多少层也传不到" in explorer.caption.value
    assert explorer.alt.endswith("夜、在。")


@pytest.mark.parametrize("method", list(widgets.METHODS))
def test_the_stepper_marks_the_tree_and_lists_who_waits_next_first(method):
    explorer = widgets.walk_stepper()
    explorer.controls["method"].value = method
    explorer.controls["step"].value = 3
    roads, places = example_graphs.ROADS, example_graphs.PLACES
    step = traversal.traversal_steps(graphs.adjacency(roads, len(places)), 0, widgets.METHODS[method])[2]
    graph, waiting = explorer.picture.axes
    trail = [patch for patch in graph.patches if patch.get_visible() and patch.get_linewidth() > 2]
    assert len(trail) == len(step.tree) == 2
    next_first = step.waiting if widgets.METHODS[method] == "bfs" else step.waiting[::-1]
    assert [text.get_text() for text in waiting.texts if text.get_text()] == [places[node] for node in next_first]
    assert "、".join(places[node] for node in step.order) in explorer.caption.value


def test_no_walk_over_the_roads_lets_more_wait_than_there_is_room_for():
    room = len(widgets.walk_stepper().picture.axes[1].texts)
    adjacency = graphs.adjacency(example_graphs.ROADS, len(example_graphs.PLACES))
    for start in range(len(adjacency)):
        for method in traversal.METHODS:
            assert max(len(step.waiting) for step in traversal.traversal_steps(adjacency, start, method)) <= room
