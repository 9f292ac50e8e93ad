"""The figures of the graph section about attention: messages over edges, weights as a graph, masks as graphs, hops."""

import numpy as np
from matplotlib.colors import ListedColormap

from helpers.figures.families import name_columns
from helpers.figures.graphs import draw_edges, draw_nodes, label_edges
from helpers.figures.matrix import SMALL, draw_matrix, name_axes, name_cells, strongest_looks
from helpers.style import PALETTE, Picture, styled

WIDEST_EDGE = 5.0  # points, of a weight of 1
BACK, AHEAD = PALETTE["blue"], PALETTE["vermilion"]
BOW = 0.42  # how far an arc over a sentence bows
SLIGHT_BOW = 0.03  # on a circle: tells a look from its answer, and goes past the nodes between
# Never, 0, 1, 2, 3 hops, and more: light enough that a name on them is read.
HOP_MAP = ListedColormap(["#F4F4F4", *(PALETTE[name] for name in ("orange", "sky", "green", "purple")), "#B9C4CC"])

LAYER_AXIS, LAYERS_DONE = "层数", "{} 层之后"
SHARE_AXIS = "消息占的份额"
SPREAD_AXIS = "各点离平均有多远"
HEAT_MAP_TITLE = "注意力权重"
ATTENTION_GRAPH_TITLE = "权重 ≥ {threshold:g} 的边：{n} 条"
NEVER = "–"
FLOW_TITLES = {
    "graph": "① 谁看谁：图",
    "mask": "② 邻接矩阵 = 掩码",
    "weights": "③ 边上的权重",
    "x": "④ 各点的 x",
    "output": "⑤ 收到消息之后",
    "hops": "⑥ 几层之后知道",
}

ALT_NEWS = "消息从「{source}」出发，每层每个点与邻居取平均。{parts}。"
ALT_NEWS_PART = "{layer} 层后收到的有 {n} 个点，最多的份额 {most:.2f}"
ALT_SMOOTHING = "折线图：反复取平均，各点离平均的距离随层数下降。{parts}。"
ALT_SMOOTHING_PART = "{name}：从 {first:.2f} 到 {last:.3f}"
ALT_WEIGHTINGS = "{n} 张热力图，同一张图上的几种权重。{parts}。"
ALT_WEIGHTINGS_PART = "{title}：{looks}"
ALT_ATTENTION_GRAPH = "左：注意力权重热力图，{looks}。右：权重不小于 {threshold:g} 的边，{n} 条：{edges}。"
ALT_MASKS = "几种掩码画成图，弧线从查询指向它看的键，在字上方的往回看，在下方的往后看。{parts}。"
ALT_MASKS_PART = "{title}：{back} 条往回、{ahead} 条往后"
ALT_HOPS = "几张图里，行要几层才知道列。{parts}。"
ALT_HOPS_PART = "{title}：最远 {most} 层，{never} 格永远不知道"
ALT_KNOWLEDGE = "知识图谱：{n} 个实体，{m} 条有名字的有向边：{triples}。"
ALT_FLOW = (
    "从图到 Transformer：谁看谁的图，写成邻接矩阵就是掩码；softmax 给每条边一个权重，{looks}；"
    "按权重收邻居的消息，x 变成输出；叠几层，走几步，最远 {most} 步。"
)


@styled
def draw_news(shares, names, source):
    """Draw how much of one node's message is in every node after each number of layers.

    Parameters
    ----------
    shares : (n_layers + 1, n) array
    names : list of str
    source : int
        The node whose message it is.

    Returns
    -------
    Picture
    """
    shares = np.asarray(shares, dtype=float)
    parts = [
        ALT_NEWS_PART.format(layer=layer, n=int(np.count_nonzero(row)), most=row.max())
        for layer, row in enumerate(shares)
    ]
    alt = ALT_NEWS.format(source=names[source], parts="；".join(parts))
    picture = Picture(6.4, 0.9 + 0.42 * len(shares), alt)
    axes = picture.subplots()
    image = draw_matrix(axes, shares, [LAYERS_DONE.format(layer) for layer in range(len(shares))], names, limit=1.0)
    axes.set_aspect("auto")
    picture.colorbar(image, ax=axes, label=SHARE_AXIS, ticks=[0, 0.5, 1])
    return picture


@styled
def draw_smoothing(spreads):
    """Draw how the nodes become alike when they are averaged again and again.

    Parameters
    ----------
    spreads : dict of str to (n_layers + 1,) array
        How far the nodes are from their mean, by the name of the graph; four at most.

    Returns
    -------
    Picture
    """
    parts = [ALT_SMOOTHING_PART.format(name=name, first=values[0], last=values[-1]) for name, values in spreads.items()]
    picture = Picture(6, 2.8, ALT_SMOOTHING.format(parts="；".join(parts)))
    axes = picture.subplots()
    for (name, values), marker in zip(spreads.items(), "osD^", strict=False):
        axes.plot(range(len(values)), values, marker=marker, markersize=4, label=name)
    axes.set(xlabel=LAYER_AXIS, ylabel=SPREAD_AXIS, ylim=(0, None))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend()
    return picture


@styled
def draw_weightings(weightings, names):
    """Draw several ways to weigh the edges of the same graph as heat maps beside each other.

    Parameters
    ----------
    weightings : dict of str to (n, n) array
        By title; three at most.
    names : list of str

    Returns
    -------
    Picture
    """
    parts = [
        ALT_WEIGHTINGS_PART.format(title=title, looks=strongest_looks(weights, names, names))
        for title, weights in weightings.items()
    ]
    alt = ALT_WEIGHTINGS.format(n=len(weightings), parts="。".join(parts))
    picture = Picture(7.4, 0.75 + 6.2 / len(weightings), alt)
    picture.get_layout_engine().set(h_pad=0.1)  # titles move up after the layout is made
    panels = picture.subplots(1, len(weightings), squeeze=False)[0]
    for axes, (title, weights) in zip(panels, weightings.items(), strict=True):
        draw_matrix(axes, weights, names, names, limit=1.0, stacked=True)
        axes.set_title(title)
    return picture


def strength_widths(strengths):
    """Return how thick edges of these weights are, in points."""
    return 0.6 + WIDEST_EDGE * np.asarray(strengths, dtype=float)


def direction_colors(edges):
    """Return a colour for each edge of a sentence: one for those that look back or at themselves, one for ahead."""
    return [AHEAD if key > query else BACK for query, key in np.asarray(edges, dtype=int).reshape(-1, 2).tolist()]


@styled
def draw_attention_graph(weights, edges, strengths, positions, tokens, threshold):
    """Draw attention weights as a heat map and as the graph of those that reach a threshold.

    Parameters
    ----------
    weights : (n, n) array
    edges : (n_edges, 2) int array
        Query, key.
    strengths : (n_edges,) array
    positions : (n, 2) array
    tokens : list of str
    threshold : float

    Returns
    -------
    Picture
    """
    edges = np.asarray(edges, dtype=int).reshape(-1, 2)
    named = "、".join(
        f"{tokens[query]}→{tokens[key]}（{strength:.2f}）"
        for (query, key), strength in zip(edges, strengths, strict=True)
    )
    alt = ALT_ATTENTION_GRAPH.format(
        looks=strongest_looks(weights, tokens, tokens), threshold=threshold, n=len(edges), edges=named
    )
    picture = Picture(7.4, 3.7, alt)
    matrix, graph = picture.subplots(1, 2)
    draw_matrix(matrix, weights, tokens, tokens, limit=1.0, stacked=True)
    name_axes(matrix)
    matrix.set_title(HEAT_MAP_TITLE)
    draw_edges(
        graph,
        positions,
        edges,
        tokens,
        colors=direction_colors(edges),
        widths=strength_widths(strengths),
        bend=SLIGHT_BOW,
    )
    draw_nodes(graph, positions, tokens)
    graph.set_title(ATTENTION_GRAPH_TITLE.format(threshold=threshold, n=len(edges)))
    return picture


@styled
def draw_masks_as_graphs(masks, positions, tokens):
    """Draw masks as arcs over a sentence: from each query back, or ahead, to the keys that it may look at.

    Parameters
    ----------
    masks : dict of str to (n, n) bool array
        By title; four at most.
    positions : (n, 2) array
        On a line.
    tokens : list of str

    Returns
    -------
    Picture
    """
    parts = [
        ALT_MASKS_PART.format(title=title, back=int(np.tril(mask, -1).sum()), ahead=int(np.triu(mask, 1).sum()))
        for title, mask in masks.items()
    ]
    rows = -(-len(masks) // 2)
    picture = Picture(7.4, 1.9 * rows, ALT_MASKS.format(parts="；".join(parts)))
    panels = picture.subplots(rows, 2, squeeze=False).ravel()
    for axes, (title, mask) in zip(panels, masks.items(), strict=False):
        draw_arcs(axes, mask, positions, tokens)
        axes.set_title(title)
    for axes in panels[len(masks) :]:
        axes.set_visible(False)
    return picture


def draw_arcs(axes, mask, positions, tokens):
    """Draw one mask as arcs over a sentence; looking at oneself is the rule and not drawn."""
    edges = [(i, j) for i, j in np.argwhere(mask).tolist() if i != j]
    draw_edges(axes, positions, edges, tokens, colors=direction_colors(edges), bend=BOW)
    draw_nodes(axes, positions, tokens)


@styled
def draw_hops(hops, names):
    """Draw how many layers each row needs to know of each column, a matrix per graph.

    Parameters
    ----------
    hops : dict of str to (n, n) int array
        By title; -1: never; three at most.
    names : list of str

    Returns
    -------
    Picture
    """
    parts = [
        ALT_HOPS_PART.format(title=title, most=int(np.max(steps)), never=int(np.sum(np.asarray(steps) < 0)))
        for title, steps in hops.items()
    ]
    picture = Picture(7.4, 0.75 + 6.2 / len(hops), ALT_HOPS.format(parts="；".join(parts)))
    picture.get_layout_engine().set(h_pad=0.1)  # titles move up after the layout is made
    panels = picture.subplots(1, len(hops), squeeze=False)[0]
    for axes, (title, steps) in zip(panels, hops.items(), strict=True):
        draw_hop_matrix(axes, steps, names)
        axes.set_title(title)
    return picture


def draw_hop_matrix(axes, steps, names):
    """Draw one matrix of hops with its numbers, a dash for what is never known; returns the image."""
    steps = np.asarray(steps, dtype=int)
    image = axes.imshow(hop_levels(steps), cmap=HOP_MAP, vmin=0, vmax=len(HOP_MAP.colors) - 1, interpolation="nearest")
    for (row, column), step in np.ndenumerate(steps):
        label = NEVER if step < 0 else str(step)
        axes.text(column, row, label, ha="center", va="center", fontsize=SMALL)
    name_cells(axes, names, [])
    name_columns(axes, names)
    return image


def hop_levels(steps):
    """Return where each number of hops stands on `HOP_MAP`: never, 0, 1, 2, 3, and the rest alike.

    Examples
    --------
    >>> hop_levels([-1, 0, 1, 9]).tolist()
    [0, 1, 2, 5]
    """
    return np.minimum(np.asarray(steps, dtype=int), len(HOP_MAP.colors) - 2) + 1


@styled
def draw_knowledge(triples, entities, positions):
    """Draw a knowledge graph: an arrow from head to tail for each triple, with the relation's name on it.

    Parameters
    ----------
    triples : list of (str, str, str)
        Head, relation, tail.
    entities : list of str
    positions : (n, 2) array

    Returns
    -------
    Picture
    """
    places = {name: place for place, name in enumerate(entities)}
    edges = [(places[head], places[tail]) for head, _, tail in triples]
    sentences = "；".join(f"{head} —{relation}→ {tail}" for head, relation, tail in triples)
    picture = Picture(7.2, 4.2, ALT_KNOWLEDGE.format(n=len(entities), m=len(triples), triples=sentences))
    axes = picture.subplots()
    draw_edges(axes, positions, edges, entities, bend=0.0)
    draw_nodes(axes, positions, entities)
    label_edges(axes, positions, edges, [relation for _, relation, _ in triples], place=0.42)
    return picture


@styled
def draw_graph_flow(mask, positions, tokens, weights, x, output, hops):
    """Draw the way from a graph to a Transformer: graph, mask, weights, messages, layers.

    Parameters
    ----------
    mask : (n, n) bool array
    positions : (n, 2) array
        On a line.
    tokens : list of str
    weights : (n, n) array
    x, output : (n, d) arrays
    hops : (n, n) int array
        Over the same graph.

    Returns
    -------
    Picture
    """
    alt = ALT_FLOW.format(looks=strongest_looks(weights, tokens, tokens), most=int(np.max(hops)))
    picture = Picture(7.4, 5.2, alt)
    picture.get_layout_engine().set(w_pad=0.12)
    places = [["graph", "mask", "weights"], ["x", "output", "hops"]]
    panels = picture.subplot_mosaic(places, width_ratios=[1.4, 1, 1])
    draw_arcs(panels["graph"], mask, positions, tokens)
    draw_matrix(panels["mask"], mask, tokens, tokens, stacked=True)
    draw_matrix(panels["weights"], weights, tokens, tokens, limit=1.0, stacked=True)
    limit = max(np.abs(x).max(), np.abs(output).max())
    for name, array in (("x", x), ("output", output)):
        draw_matrix(panels[name], array, tokens, [], signed=True, limit=limit, decimals=1)
    draw_hop_matrix(panels["hops"], hops, tokens)
    for name, axes in panels.items():
        axes.set_title(FLOW_TITLES[name])
    return picture
