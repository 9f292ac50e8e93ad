"""The figures of the graph section show the graphs and matrices that they are given, and say so in words."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from helpers.figures import graph_messages as message_figures
from helpers.figures import graphs as figures
from helpers.reference import attention, dags, example_graphs, graphs, layouts, message_passing, traversal
from helpers.style import PALETTE

FRIENDS, PLACES, TOOLS = (
    list(names) for names in (example_graphs.FRIENDS, example_graphs.PLACES, example_graphs.TOOL_CALLS)
)
WORDS = list("床前明月光")


def arrows(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def ends(axes, positions):
    """Return the pairs of nodes that the arrows on a panel join."""
    nodes = [tuple(place) for place in np.asarray(positions, dtype=float).tolist()]
    return [tuple(nodes.index(tuple(np.asarray(end).tolist())) for end in arrow._posA_posB) for arrow in arrows(axes)]


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("directed", [False, True])
def test_a_graph_stands_beside_its_matrix_with_as_many_lines_as_edges(fits, directed):
    edges, circle = example_graphs.FRIEND_EDGES, layouts.circle_layout(7)
    adjacency = graphs.adjacency(edges, 7, directed)
    picture = fits(
        figures.draw_graph_and_matrix(adjacency, edges, circle, FRIENDS, directed, graphs.components(adjacency))
    )
    assert ends(picture.axes[0], circle) == list(edges)
    assert (arrows(picture.axes[0])[0].get_arrowstyle().__class__.__name__ == "CurveFilledB") == directed
    assert heat_maps(picture)[0].tolist() == adjacency.tolist()
    assert f"{6 if directed else 12} 格不为 0" in picture.alt
    assert "2 个连通分量" in picture.alt


def test_lengths_are_written_on_the_edges(fits):
    adjacency = graphs.adjacency(example_graphs.ROADS, 6, weights=example_graphs.ROAD_MINUTES)
    picture = fits(figures.draw_graph_and_matrix(adjacency, example_graphs.ROADS, layouts.circle_layout(6), PLACES))
    assert texts(picture.axes[0])[6:] == [str(minutes) for minutes in example_graphs.ROAD_MINUTES]


def test_a_self_loop_is_a_ring_and_two_ways_between_nodes_do_not_lie_on_each_other():
    picture = figures.Picture(3, 3, "图")
    axes = picture.subplots()
    straight, there, loop, back = figures.draw_edges(
        axes, layouts.circle_layout(3), [(0, 1), (1, 2), (2, 2), (2, 1)], WORDS[:3]
    )
    assert loop in axes.lines
    assert [edge.get_connectionstyle().rad for edge in (straight, there, back)] == [0, 0.16, 0.16]


def test_a_walk_numbers_the_nodes_and_thickens_its_tree(fits):
    circle = layouts.circle_layout(7)
    last = traversal.traversal_steps(graphs.adjacency(example_graphs.FRIEND_EDGES, 7), 3, "bfs")[-1]
    picture = fits(
        figures.draw_traversals(example_graphs.FRIEND_EDGES, circle, FRIENDS, {"BFS": (last.order, last.tree)})
    )
    (axes,) = picture.axes
    numbers = dict(text.split("\n") for text in texts(axes))
    assert [numbers[FRIENDS[node]] for node in last.order] == list("12345")
    assert numbers["果果"] == "–"
    thick = [pair for pair, arrow in zip(ends(axes, circle), arrows(axes), strict=True) if arrow.get_linewidth() > 2]
    assert thick == list(last.tree)


def test_paths_are_thick_and_their_lengths_are_in_the_titles(fits):
    circle, lengths = layouts.circle_layout(6), example_graphs.ROAD_MINUTES
    path, length = traversal.shortest_path(graphs.adjacency(example_graphs.ROADS, 6, weights=lengths), 0, 5)
    paths = {"直走": ([0, 5], 30.0), "最短": (path, length)}
    picture = fits(figures.draw_paths(example_graphs.ROADS, lengths, circle, PLACES, paths))
    assert [axes.get_title() for axes in picture.axes] == [
        "直走：1 条边，长 30",
        f"最短：{len(path) - 1} 条边，长 {length:g}",
    ]
    for axes, (nodes, _) in zip(picture.axes, paths.values(), strict=True):
        thick = [
            pair for pair, arrow in zip(ends(axes, circle), arrows(axes), strict=True) if arrow.get_linewidth() > 2
        ]
        assert thick == list(zip(nodes[:-1], nodes[1:], strict=True))


def test_the_schedule_draws_every_bar_where_it_runs_and_colours_the_critical_path(fits):
    calls = graphs.adjacency(example_graphs.TOOL_EDGES, 7, directed=True)
    start, finish = dags.schedule(calls, example_graphs.TOOL_SECONDS)
    chain, total = dags.critical_path(calls, example_graphs.TOOL_SECONDS)
    picture = fits(
        figures.draw_schedule(example_graphs.TOOL_EDGES, layouts.wave_layout(calls), TOOLS, start, finish, chain)
    )
    bars = picture.axes[1].containers[0]
    assert [bar.get_x() for bar in bars] == start.tolist()
    assert [bar.get_x() + bar.get_width() for bar in bars] == finish.tolist()
    marked = [place for place, bar in enumerate(bars) if to_hex(bar.get_facecolor()).upper() == PALETTE["orange"]]
    assert marked == sorted(chain.tolist())
    assert f"全部做完要 {total:g} 秒" in picture.alt


def test_news_and_smoothing_show_their_numbers(fits):
    friends = graphs.adjacency(example_graphs.FRIEND_EDGES, 7)
    shares = message_passing.spread_of_news(friends, 0, 4)
    picture = fits(message_figures.draw_news(shares, FRIENDS, 0))
    assert heat_maps(picture)[0].tolist() == shares.tolist()
    assert "1 层后收到的有 3 个点，最多的份额 0.33" in picture.alt
    spreads = {"链": np.linspace(2, 0.5, 5), "环": np.linspace(2, 0, 5)}
    picture = fits(message_figures.draw_smoothing(spreads))
    assert [line.get_ydata().tolist() for line in picture.axes[0].lines] == [v.tolist() for v in spreads.values()]
    assert "环：从 2.00 到 0.000" in picture.alt


def test_weightings_of_one_graph_stand_beside_each_other(fits):
    ring = graphs.ring_graph(5)
    weightings = {"平均": message_passing.mean_weights(ring), "GCN": message_passing.gcn_weights(graphs.path_graph(5))}
    picture = fits(message_figures.draw_weightings(weightings, FRIENDS[:5]))
    assert [heat_map.tolist() for heat_map in heat_maps(picture)] == [w.tolist() for w in weightings.values()]


def test_the_attention_graph_draws_the_strong_edges_as_thick_as_they_are_strong(fits):
    weights, tokens = example_graphs.sentence_attention(), list(example_graphs.SENTENCE)
    edges, strengths = message_passing.attention_as_graph(weights, 0.2)
    circle = layouts.circle_layout(len(tokens))
    picture = fits(message_figures.draw_attention_graph(weights, edges, strengths, circle, tokens, 0.2))
    matrix, graph = picture.axes
    assert np.asarray(matrix.images[0].get_array()).tolist() == weights.tolist()
    assert ends(graph, circle) == [tuple(edge) for edge in edges.tolist()]
    widths = [arrow.get_linewidth() for arrow in arrows(graph)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2 * widths[-1]
    ahead = [to_hex(arrow.get_edgecolor()).upper() == PALETTE["vermilion"] for arrow in arrows(graph)]
    assert ahead == [bool(key > query) for query, key in edges]
    assert f"权重不小于 0.2 的边，{len(edges)} 条" in picture.alt


def test_masks_are_arcs_above_the_sentence_for_looks_back_and_below_it_for_looks_ahead(fits):
    n = len(WORDS)
    masks = {"全部": np.ones((n, n), dtype=bool), "因果": attention.causal_mask(n), "对角": np.eye(n, dtype=bool)}
    picture = fits(message_figures.draw_masks_as_graphs(masks, layouts.line_layout(n), WORDS))
    assert [len(arrows(axes)) for axes in picture.axes[:3]] == [20, 10, 0]
    every = picture.axes[0]
    middle = every.transData.transform((0, 0))[1]
    for arrow in arrows(every):
        (x, _), (to_x, _) = arrow._posA_posB
        bow = arrow.get_transform().transform_path(arrow.get_path()).vertices[1, 1]
        assert (bow > middle) == (to_x < x)
    assert "全部：10 条往回、10 条往后；因果：10 条往回、0 条往后" in picture.alt


def test_hops_are_written_in_the_cells_and_never_is_a_dash(fits):
    mask = attention.sliding_window_mask(5, 2)
    picture = fits(
        message_figures.draw_hops({"窗口": traversal.hops(mask), "全部": traversal.hops(np.ones((5, 5)))}, WORDS)
    )
    assert texts(picture.axes[0])[:10] == ["0", "–", "–", "–", "–", "1", "0", "–", "–", "–"]
    assert heat_maps(picture)[0][4].tolist() == [5, 4, 3, 2, 1]
    assert "窗口：最远 4 层，10 格永远不知道" in picture.alt


def test_a_knowledge_graph_names_every_relation(fits):
    triples = example_graphs.KNOWLEDGE_TRIPLES
    names = list(example_graphs.entities(triples))
    positions = layouts.wave_layout(example_graphs.knowledge_adjacency(triples))
    picture = fits(message_figures.draw_knowledge(triples, names, positions))
    (axes,) = picture.axes
    assert ends(axes, positions) == [(names.index(head), names.index(tail)) for head, _, tail in triples]
    assert texts(axes)[len(names) :] == [relation for _, relation, _ in triples]


def test_the_flow_shows_mask_weights_messages_and_hops(fits, rng):
    mask, x = attention.sliding_window_mask(5, 2), rng.standard_normal((5, 4))
    output, weights = attention.self_attention(x, *rng.standard_normal((2, 4, 3)), np.eye(4), mask)
    picture = fits(
        message_figures.draw_graph_flow(mask, layouts.line_layout(5), WORDS, weights, x, output, traversal.hops(mask))
    )
    shown = [heat_map.tolist() for heat_map in heat_maps(picture)]
    for array in (mask.astype(float), weights, x, output):
        assert array.tolist() in shown
    assert "最远 4 步" in picture.alt
