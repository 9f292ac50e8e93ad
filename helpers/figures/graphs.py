"""Draw graphs: `draw_nodes` and `draw_edges` are what every graph of the chapter is made of; `draw_*` make pictures."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from helpers.figures.matrix import SMALL, draw_matrix, short_number
from helpers.style import PALETTE, Picture, styled

GROUP_COLORS = [PALETTE[name] for name in ("sky", "orange", "green", "purple", "vermilion", "blue")]
PLAIN = "#DDE6EE"  # a node that is not the point: light, so that its name is read
MARKED = PALETTE["orange"]
PADDING = 9  # points around a name
SELF_LOOP = 0.16  # how far outside of its node a self-loop stands, in the layout's units
ROOM = 0.26  # around a layout from -1 to 1

GRAPH_TITLE, MATRIX_TITLE = "图", "邻接矩阵"
FROM_AXIS, TO_AXIS = "从这里出发", "指向这里"
VISITED = "{name}\n{number}"
LENGTH_TITLE = "{title}：{edges} 条边，长 {length:g}"
TIME_AXIS = "秒"

ALT_GRAPH = "左：{n} 个点、{m} 条{kind}的图。右：它的邻接矩阵，{nonzero} 格不为 0。{groups}"
ALT_KIND = {True: "有向边", False: "无向边"}
ALT_GROUPS = "颜色分出 {n} 个连通分量。"
ALT_TRAVERSALS = "同一张图的几种走法，点上的数是第几个走到，粗线是走过的边。{parts}。"
ALT_TRAVERSALS_PART = "{title}：{order}"
ALT_PATHS = "同一张带长度的图，粗线是选中的路。{parts}。"
ALT_PATHS_PART = "{title}：{path}，长 {length:g}"
ALT_SCHEDULE = "上：依赖图，箭头从先做的指向后做的，关键路径是 {path}。下：时间条，全部做完要 {total:g} 秒。{parts}。"
ALT_SCHEDULE_PART = "{name} 从 {start:g} 到 {finish:g}"


def draw_nodes(axes, positions, names, colors=None, height=1.0):
    """Draw a graph's nodes as discs with their names in them; returns the discs and the texts.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    positions : (n, 2) array
        Inside [-1, 1], y upwards.
    names : list of str
    colors : list of color, optional
        One a node; a light colour if not given.
    height : float
        How far the panel reaches up and down.

    Returns
    -------
    discs : matplotlib.collections.PathCollection
    texts : list of matplotlib.text.Text
    """
    positions = np.asarray(positions, dtype=float)
    colors = [PLAIN] * len(names) if colors is None else colors
    size = node_size(names) ** 2  # points²
    discs = axes.scatter(*positions.T, s=size, c=colors, edgecolors=PALETTE["ink"], linewidths=1, zorder=3)
    texts = [
        axes.text(*place, fold(name), ha="center", va="center", fontsize=SMALL, linespacing=1.05, zorder=4)
        for place, name in zip(positions, names, strict=True)
    ]
    axes.set(xlim=(-1 - ROOM, 1 + ROOM), ylim=(-height - ROOM, height + ROOM), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    return discs, texts


def fold(name):
    r"""Break a long Chinese name in two lines.

    Examples
    --------
    >>> fold("天气"), fold("查天气"), fold("查询天气")
    ('天气', '查天气', '查询\n天气')
    """
    if name.isascii() or len(name) <= 3 or "\n" in name:
        return name
    half = (len(name) + 1) // 2
    return f"{name[:half]}\n{name[half:]}"


def node_size(names):
    """Return the diameter of a disc that holds every one of the names, in points.

    Examples
    --------
    >>> node_size(["甲", "乙丙"]) < node_size(["甲乙丙"])
    True
    """
    return float(
        max(np.hypot(_text_width(fold(name)), SMALL * len(fold(name).splitlines())) for name in names) + PADDING
    )


def _text_width(text):
    """Width in points: a Chinese character is as wide as high, a Latin one half of that."""
    return max(sum(SMALL * (0.55 if character.isascii() else 1) for character in row) for row in text.splitlines())


def draw_edges(axes, positions, edges, names, *, directed=True, colors=None, widths=None, bend=None):
    """Draw edges between nodes that `draw_nodes` draws: arrows or lines; a self-loop is a ring outside of its node.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    positions : (n, 2) array
    edges : (n_edges, 2) int array
        From, to.
    names : list of str
        The nodes' names: they say how large the nodes are.
    directed : bool
    colors : list of color, optional
    widths : (n_edges,) array, optional
        In points.
    bend : float, optional
        How far edges bow, as a share of their length, to the right of their way if positive; if not given, those that
        have one coming the other way bow a little.

    Returns
    -------
    artists : list of matplotlib artists
        One an edge.
    """
    positions, edges = np.asarray(positions, dtype=float), np.asarray(edges, dtype=int).reshape(-1, 2)
    colors = [PALETTE["muted"]] * len(edges) if colors is None else colors
    widths = np.full(len(edges), 1.3) if widths is None else widths
    pairs = {(int(source), int(target)) for source, target in edges}
    radius = node_size(names) / 2
    artists = []
    for (source, target), color, width in zip(edges.tolist(), colors, widths, strict=True):
        if source == target:
            artists.append(_draw_self_loop(axes, positions[source], radius, color, width))
            continue
        bow = bend if bend is not None else 0.16 * (directed and (target, source) in pairs)
        edge = FancyArrowPatch(
            positions[source],
            positions[target],
            arrowstyle="-|>" if directed else "-",
            connectionstyle=f"arc3,rad={bow}",
            mutation_scale=7 + 2 * min(width, 3),
            shrinkA=radius,
            shrinkB=radius + 1,
            color=color,
            linewidth=width,
            zorder=2,
        )
        artists.append(axes.add_patch(edge))
    return artists


def _draw_self_loop(axes, place, radius, color, width):
    """Draw a ring that stands out of its node, away from the middle of the layout."""
    length = np.linalg.norm(place)
    outwards = place / length if length > 0.05 and abs(place[1]) > 0.05 else np.array([0.0, 1.0])
    x, y = place + SELF_LOOP * outwards
    (ring,) = axes.plot(
        x, y, "o", markersize=radius, fillstyle="none", color=color, markeredgewidth=width, zorder=2, clip_on=False
    )
    return ring


def label_edges(axes, positions, edges, labels, place=0.5, lift=0.0):
    """Write a label on the middle of each straight edge, on white; returns the texts."""
    positions = np.asarray(positions, dtype=float)
    texts = []
    for (source, target), label in zip(np.asarray(edges, dtype=int), labels, strict=True):
        x, y = (1 - place) * positions[source] + place * positions[target]
        text = axes.text(x, y + lift, label, ha="center", va="center", fontsize=SMALL, zorder=2.5)
        text.set_bbox({"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"})
        texts.append(text)
    return texts


def group_colors(labels):
    """Return a colour for each label 0, 1, 2 ... of a node."""
    return [GROUP_COLORS[label % len(GROUP_COLORS)] for label in np.asarray(labels, dtype=int)]


@styled
def draw_graph_and_matrix(adjacency, edges, positions, names, directed=False, groups=None):
    """Draw a graph beside its adjacency matrix.

    Parameters
    ----------
    adjacency : (n, n) array
        Entry [i, j] != 0: an edge from i to j.
    edges : (n_edges, 2) int array
        Each edge once.
    positions : (n, 2) array
    names : list of str
    directed : bool
    groups : (n,) int array, optional
        Which connected component each node is in; a colour each.

    Returns
    -------
    Picture
    """
    adjacency = np.asarray(adjacency, dtype=float)
    picture = Picture(7.2, 3.5, _alt_graph(adjacency, edges, directed, groups))
    graph, matrix = picture.subplots(1, 2, width_ratios=[1.15, 1])
    draw_edges(graph, positions, edges, names, directed=directed)
    draw_nodes(graph, positions, names, None if groups is None else group_colors(groups))
    if not np.isin(adjacency, (0, 1)).all():
        label_edges(graph, positions, edges, [f"{adjacency[i, j]:g}" for i, j in np.asarray(edges)])
    graph.set_title(GRAPH_TITLE)
    draw_adjacency(matrix, adjacency, names)
    matrix.set_title(MATRIX_TITLE)
    return picture


def draw_adjacency(axes, adjacency, names, limit=None):
    """Draw an adjacency matrix with the names on both sides and its numbers in the cells; returns the image."""
    numbers = len(names) <= 8
    image = draw_matrix(axes, adjacency, names, names, limit=limit, numbers=numbers, decimals=1, stacked=True)
    axes.set_xticks(range(len(names)), [name if name.isascii() else "\n".join(name) for name in names])
    axes.set_ylabel(FROM_AXIS, fontsize=SMALL)
    axes.set_xlabel(TO_AXIS, fontsize=SMALL)
    axes.xaxis.set_label_position("top")
    return image


def _alt_graph(adjacency, edges, directed, groups):
    return ALT_GRAPH.format(
        n=len(adjacency),
        m=len(edges),
        kind=ALT_KIND[directed],
        nonzero=int(np.count_nonzero(adjacency)),
        groups="" if groups is None else ALT_GROUPS.format(n=len(set(np.asarray(groups).tolist()))),
    )


@styled
def draw_traversals(edges, positions, names, traversals, directed=False):
    """Draw how several ways of walking visit the same graph: the order as numbers, the edges they went as thick lines.

    Parameters
    ----------
    edges : (n_edges, 2) int array
    positions : (n, 2) array
    names : list of str
    traversals : dict of str to (order, tree) pairs
        By title: the nodes in the order of the visit, and the (parent, child) edges; two at most.
    directed : bool

    Returns
    -------
    Picture
    """
    parts = [
        ALT_TRAVERSALS_PART.format(title=title, order="、".join(names[node] for node in order))
        for title, (order, _) in traversals.items()
    ]
    picture = Picture(7.2, 3.5, ALT_TRAVERSALS.format(parts="；".join(parts)))
    panels = picture.subplots(1, len(traversals), squeeze=False)[0]
    for axes, (title, (order, tree)) in zip(panels, traversals.items(), strict=True):
        numbers = {int(node): number for number, node in enumerate(order, start=1)}
        shown = [VISITED.format(name=name, number=numbers.get(node, "–")) for node, name in enumerate(names)]
        draw_edges(axes, positions, edges, shown, directed=directed)
        draw_edges(axes, positions, tree, shown, colors=[PALETTE["blue"]] * len(tree), widths=[2.6] * len(tree))
        colors = [GROUP_COLORS[0] if node in numbers else PLAIN for node in range(len(names))]
        draw_nodes(axes, positions, shown, colors)
        axes.set_title(title)
    return picture


@styled
def draw_paths(edges, lengths, positions, names, paths):
    """Draw a weighted graph once for each path, the path thick.

    Parameters
    ----------
    edges : (n_edges, 2) int array
        Undirected, each once.
    lengths : (n_edges,) array
    positions : (n, 2) array
    names : list of str
    paths : dict of str to (nodes, length) pairs
        By title; two at most.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_PATHS_PART.format(title=title, path="→".join(names[node] for node in path), length=length)
        for title, (path, length) in paths.items()
    ]
    picture = Picture(7.2, 3.3, ALT_PATHS.format(parts="；".join(parts)))
    panels = picture.subplots(1, len(paths), squeeze=False)[0]
    for axes, (title, (path, length)) in zip(panels, paths.items(), strict=True):
        steps = list(zip(path[:-1], path[1:], strict=True))
        draw_edges(axes, positions, edges, names, directed=False)
        draw_edges(axes, positions, steps, names, colors=[PALETTE["vermilion"]] * len(steps), widths=[2.8] * len(steps))
        label_edges(axes, positions, edges, [f"{number:g}" for number in lengths])
        on_path = {int(node) for node in path}
        draw_nodes(axes, positions, names, [MARKED if node in on_path else PLAIN for node in range(len(names))])
        axes.set_title(LENGTH_TITLE.format(title=title, edges=len(steps), length=length))
    return picture


@styled
def draw_schedule(edges, positions, names, starts, finishes, critical):
    """Draw what waits for what, and below when each thing runs if it starts as soon as it may.

    Parameters
    ----------
    edges : (n_edges, 2) int array
        i -> j: j waits for i.
    positions : (n, 2) array
    names : list of str
    starts, finishes : (n,) arrays
        In seconds.
    critical : list of int
        The nodes of the longest chain, in order.

    Returns
    -------
    Picture
    """
    critical = [int(node) for node in critical]
    picture = Picture(7.2, 5.4, _alt_schedule(names, starts, finishes, critical))
    graph, bars = picture.subplots(2, 1, height_ratios=[1.25, 1])
    chain = set(zip(critical[:-1], critical[1:], strict=True))
    is_on_chain = [tuple(edge) in chain for edge in np.asarray(edges).tolist()]
    draw_edges(
        graph,
        positions,
        edges,
        names,
        colors=[PALETTE["vermilion" if on else "muted"] for on in is_on_chain],
        widths=[2.8 if on else 1.3 for on in is_on_chain],
    )
    colors = [MARKED if node in critical else PLAIN for node in range(len(names))]
    draw_nodes(graph, positions, names, colors)
    lengths = np.subtract(finishes, starts)
    bars.barh(range(len(names)), lengths, left=starts, color=colors, edgecolor=PALETTE["ink"], linewidth=0.8)
    for node, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        bars.text(start + length / 2, node, short_number(length, 1), ha="center", va="center", fontsize=SMALL)
    bars.set_yticks(range(len(names)), names, fontsize=SMALL)
    bars.set(ylim=(len(names) - 0.4, -0.6), xlim=(0, max(finishes) * 1.02))
    bars.set_xlabel(TIME_AXIS)
    return picture


def _alt_schedule(names, starts, finishes, critical):
    parts = [
        ALT_SCHEDULE_PART.format(name=name, start=start, finish=finish)
        for name, start, finish in zip(names, starts, finishes, strict=True)
    ]
    path = "→".join(names[node] for node in critical)
    return ALT_SCHEDULE.format(path=path, total=max(finishes), parts="；".join(parts))
