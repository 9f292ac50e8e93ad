"""The pictures of the graph section that a control redraws: make a view once, then call its `show` with new arrays.

A view keeps its figure and its artists; `show` only gives them new data, which is several times faster.
"""

from dataclasses import dataclass, field

import numpy as np

from helpers.figures.families import name_columns
from helpers.figures.graph_messages import (
    BOW,
    HEAT_MAP_TITLE,
    HOP_MAP,
    NEVER,
    SLIGHT_BOW,
    direction_colors,
    hop_levels,
    strength_widths,
)
from helpers.figures.graphs import MARKED, PLAIN, draw_edges, draw_nodes, group_colors
from helpers.figures.live import LivePicture
from helpers.figures.matrix import SMALL, draw_matrix, name_axes, name_cells, strongest_looks
from helpers.style import PALETTE, styled

DROPPED = "#E8E8E8"  # a cell below the threshold
GRAPH_TITLE = "图：{n} 条边，{groups} 块"
HOPS_TITLE = "几层之后，行知道列（{layers} 层之内）"
ARCS_TITLE = "「{token}」在 {layers} 层之内知道谁"
WAITING_TITLES = {"bfs": "队列", "dfs": "栈"}
WAITING_NOTE = "上面的先走"
WALK_TITLE = "第 {step} 步：走到「{node}」"
VISITED_COLOR, WAITING_COLOR = PALETTE["sky"], PALETTE["purple"]

ALT_THRESHOLD = (
    "左：注意力权重热力图，小于 {threshold:.2f} 的格子是灰的，{looks}。右：剩下的 {n} 条边连成的图，分成 {groups} 块。"
)
ALT_LAYERS = "左：{layers} 层之内行知道列的矩阵，{known} / {cells} 格知道。右：「{token}」知道的词：{names}。"
ALT_WALK = "{method} 的第 {step} 步，走到「{node}」。已经走过：{order}。{waiting_title}里等着：{waiting}。"
ALT_NOBODY = "没有"


@dataclass(frozen=True)
class ThresholdView:
    """Attention weights as a heat map, and as the graph of those that reach a threshold."""

    tokens: list
    positions: np.ndarray
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.7))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the heat map, and an arrow for every pair."""
        n, tokens = len(self.tokens), list(self.tokens)
        left, right = self.picture.subplots(1, 2)
        image = draw_matrix(left, np.zeros((n, n)), tokens, tokens, limit=1.0, numbers=False, stacked=True)
        image.set_cmap(image.get_cmap().with_extremes(bad=DROPPED))
        name_axes(left)
        left.set_title(HEAT_MAP_TITLE)
        pairs = [(i, j) for i in range(n) for j in range(n)]
        edges = draw_edges(right, self.positions, pairs, tokens, colors=direction_colors(pairs), bend=SLIGHT_BOW)
        discs, names = draw_nodes(right, self.positions, tokens)
        title = right.set_title(GRAPH_TITLE)
        self.artists.update(image=image, edges=dict(zip(pairs, edges, strict=True)), discs=discs, title=title)
        self.picture.move(image, *edges, discs, *names, title)

    @styled
    def show(self, weights, edges, strengths, groups, threshold):
        """Show weights `(n, n)`, the edges `(n_edges, 2)` that are left with their strengths, and each node's group."""
        weights = np.asarray(weights, dtype=float)
        kept = np.zeros(weights.shape, dtype=bool)
        for artist in self.artists["edges"].values():
            artist.set_visible(False)
        for (query, key), width in zip(np.asarray(edges).tolist(), strength_widths(strengths), strict=True):
            kept[query, key] = True
            artist = self.artists["edges"][query, key]
            artist.set_visible(True)
            getattr(artist, "set_markeredgewidth", artist.set_linewidth)(width)  # a ring or an arrow
        self.artists["image"].set_data(np.ma.array(weights, mask=~kept))
        self.artists["discs"].set_facecolor(group_colors(groups))
        n_groups = len(set(np.asarray(groups).tolist()))
        self.artists["title"].set_text(GRAPH_TITLE.format(n=len(edges), groups=n_groups))
        self.picture.alt = ALT_THRESHOLD.format(
            threshold=threshold,
            looks=strongest_looks(weights, self.tokens, self.tokens),
            n=len(edges),
            groups=n_groups,
        )


@dataclass(frozen=True)
class LayersView:
    """How far information has gone after some layers: for all tokens as a matrix, for one as a coloured graph."""

    tokens: list
    positions: np.ndarray
    picture: LivePicture = field(default_factory=lambda: LivePicture(7.4, 3.2))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the matrix with its numbers, and an arc for every pair."""
        n, tokens = len(self.tokens), list(self.tokens)
        left, right = self.picture.subplots(1, 2, width_ratios=[1, 1.7])
        empty = np.zeros((n, n))
        image = left.imshow(empty, cmap=HOP_MAP, vmin=0, vmax=len(HOP_MAP.colors) - 1, interpolation="nearest")
        name_cells(left, tokens, [])
        name_columns(left, tokens)
        numbers = {
            (i, j): left.text(j, i, "", ha="center", va="center", fontsize=SMALL) for i in range(n) for j in range(n)
        }
        pairs = [pair for pair in numbers if pair[0] != pair[1]]
        edges = draw_edges(right, self.positions, pairs, tokens, colors=direction_colors(pairs), bend=BOW)
        discs, names = draw_nodes(right, self.positions, tokens)
        titles = left.set_title(HOPS_TITLE, fontsize=10), right.set_title(ARCS_TITLE, fontsize=10)
        self.artists.update(image=image, numbers=numbers, discs=discs, titles=titles)
        self.artists["edges"] = dict(zip(pairs, edges, strict=True))
        self.picture.move(image, *numbers.values(), *edges, discs, *names, *titles)

    @styled
    def show(self, mask, hops, token, n_layers):
        """Show a mask `(n, n)`, its hops `(n, n)`, and what is known within `n_layers` layers, above all by `token`."""
        hops = np.asarray(hops, dtype=int)
        known = (hops >= 0) & (hops <= n_layers)
        levels = np.where(known, hop_levels(hops), 0)
        self.artists["image"].set_data(levels)
        for pair, text in self.artists["numbers"].items():
            text.set_text(str(hops[pair]) if known[pair] else NEVER)
        for pair, artist in self.artists["edges"].items():
            artist.set_visible(bool(mask[pair]))
        self.artists["discs"].set_facecolor([HOP_MAP(int(level)) for level in levels[token]])
        left, right = self.artists["titles"]
        left.set_text(HOPS_TITLE.format(layers=n_layers))
        right.set_text(ARCS_TITLE.format(token=self.tokens[token], layers=n_layers))
        self.picture.alt = ALT_LAYERS.format(
            layers=n_layers,
            known=int(known.sum()),
            cells=known.size,
            token=self.tokens[token],
            names="、".join(name for name, is_known in zip(self.tokens, known[token], strict=True) if is_known),
        )


@dataclass(frozen=True)
class WalkView:
    """One step of a walk through a graph: what was visited, by which edges, and what waits in the queue or stack."""

    names: list
    edges: list
    positions: np.ndarray
    most_waiting: int
    picture: LivePicture = field(default_factory=lambda: LivePicture(6.6, 3.6))
    artists: dict = field(default_factory=dict)

    @styled
    def __post_init__(self):
        """Make the graph, a thick arrow for both directions of every edge, and the places to wait in."""
        graph, waiting = self.picture.subplots(1, 2, width_ratios=[2.6, 1])
        draw_edges(graph, self.positions, self.edges, self.names, directed=False)
        ways = [way for i, j in self.edges for way in ((int(i), int(j)), (int(j), int(i)))]
        look = {"colors": [PALETTE["blue"]] * len(ways), "widths": [2.8] * len(ways), "bend": 0.0}
        trail = draw_edges(graph, self.positions, ways, self.names, **look)
        discs, names = draw_nodes(graph, self.positions, self.names)
        waiting.set(xlim=(-1, 1), ylim=(self.most_waiting - 0.5, -0.5), xticks=[], yticks=[])
        waiting.spines[:].set_visible(False)
        waiting.set_xlabel(WAITING_NOTE, fontsize=SMALL)
        boxes = waiting.barh(range(self.most_waiting), 1.6, left=-0.8, height=0.8, edgecolor=PALETTE["ink"])
        texts = [waiting.text(0, row, "", ha="center", va="center", fontsize=SMALL) for row in range(len(boxes))]
        titles = graph.set_title(WALK_TITLE), waiting.set_title(WAITING_TITLES["bfs"])
        self.artists.update(discs=discs, boxes=boxes, texts=texts, titles=titles)
        self.artists["trail"] = dict(zip(ways, trail, strict=True))
        self.picture.move(*trail, discs, *names, *boxes, *texts, *titles)

    @styled
    def show(self, method, step):
        """Show a step: its `node`, the `order` so far, those `waiting` (a stack's top last), `added`, the `tree`."""
        next_first = step.waiting if method == "bfs" else step.waiting[::-1]
        colors = [PLAIN] * len(self.names)
        for node in step.waiting:
            colors[node] = WAITING_COLOR
        for node in step.order:
            colors[node] = VISITED_COLOR
        colors[step.node] = MARKED
        self.artists["discs"].set_facecolor(colors)
        for way, artist in self.artists["trail"].items():
            artist.set_visible(way in step.tree)
        self._show_waiting(next_first)
        walk, title = self.artists["titles"]
        walk.set_text(WALK_TITLE.format(step=len(step.order), node=self.names[step.node]))
        title.set_text(WAITING_TITLES[method])
        self.picture.alt = ALT_WALK.format(
            method=method.upper(),
            step=len(step.order),
            node=self.names[step.node],
            order="、".join(self.names[node] for node in step.order),
            waiting_title=WAITING_TITLES[method],
            waiting="、".join(self.names[node] for node in next_first) or ALT_NOBODY,
        )

    def _show_waiting(self, nodes):
        for place, (box, text) in enumerate(zip(self.artists["boxes"], self.artists["texts"], strict=True)):
            is_taken = place < len(nodes)
            box.set_facecolor(WAITING_COLOR if is_taken else "white")
            box.set_alpha(1.0 if is_taken else 0.25)
            text.set_text(self.names[nodes[place]] if is_taken else "")
