"""The explorers of the graph section: weights become a graph, news travels by layers, BFS and DFS step by step."""

import ipywidgets
import numpy as np

from helpers.figures.graph_views import LayersView, ThresholdView, WalkView
from helpers.reference import example_graphs, graphs, layouts, message_passing, traversal
from helpers.reference.attention import causal_mask, sliding_window_mask
from helpers.widgets.explorer import Explorer

THRESHOLD = "阈值"
CAUSAL = "加因果掩码"
MASK = "谁看谁"
TOKEN = "问哪个词"
N_LAYERS = "层数"
METHOD = "走法"
START = "起点"
STEP = "第几步"

TOKENS = list("我昨夜在灯下读书")
MASKS = {
    "全部可看": lambda n: np.ones((n, n), dtype=bool),
    "因果": causal_mask,
    "滑动窗口（看 2 个）": lambda n: sliding_window_mask(n, 2),
    "滑动窗口（看 3 个）": lambda n: sliding_window_mask(n, 3),
    "两边各看 1 个": lambda n: np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1,
    "两边各 1 个，加一个全局词": lambda n: _with_global(MASKS["两边各看 1 个"](n)),
}
METHODS = {"BFS：先近后远": "bfs", "DFS：一条路走到底": "dfs"}

THRESHOLD_SENTENCE = (
    "阈值 {threshold:.2f}：{n} 条边（其中指向自己的 {loops} 条），占词与词之间全部箭头的 {density:.0%}；"
    "不看方向，图分成 {groups} 块。最强的一条：{strongest}。"
)
NO_EDGE = "没有"
STRONGEST = "「{query}」看「{key}」，{strength:.2f}"
LAYERS_SENTENCE = "{layers} 层之内，「{token}」知道 {known} 个词（含自己）。{rest}整张图要 {deepest} 层才不再有新消息。"
LATER = "还有 {later} 个词要更多层。"
NEVER = "{never} 个词叠多少层也传不到。"
WALK_SENTENCE = "取出「{node}」；{added}。已经走过：{order}。"
ADDED = {"bfs": "新发现的「{names}」排到队尾", "dfs": "它还没走到的邻居「{names}」压到栈顶"}
NOTHING_ADDED = "它没有新的邻居可加"


def threshold_explorer():
    """Turn a head's weights into a graph: only the weights that reach the threshold stay.

    Returns
    -------
    Explorer
        Controls `threshold`, `causal`.
    """
    controls = {
        "threshold": ipywidgets.FloatSlider(value=0.3, min=0.0, max=1.0, step=0.05, description=THRESHOLD),
        "causal": ipywidgets.Checkbox(value=False, description=CAUSAL, indent=False),
    }
    tokens = list(example_graphs.SENTENCE)
    view = ThresholdView(tokens, layouts.circle_layout(len(tokens)))

    def update(threshold, causal):
        weights = example_graphs.sentence_attention(causal)
        edges, strengths = message_passing.attention_as_graph(weights, threshold)
        adjacency = graphs.adjacency(edges, len(tokens), directed=True)
        groups = graphs.components(adjacency)
        view.show(weights, edges, strengths, groups, threshold)
        return THRESHOLD_SENTENCE.format(
            threshold=threshold,
            n=len(edges),
            loops=int(np.diag(adjacency).sum()),
            density=graphs.density(adjacency),
            groups=groups.max() + 1,
            strongest=_strongest(edges, strengths, tokens),
        )

    return Explorer(view.picture, _wide(controls), update)


def _strongest(edges, strengths, tokens):
    if not len(edges):
        return NO_EDGE
    query, key = edges[0]
    return STRONGEST.format(query=tokens[query], key=tokens[key], strength=strengths[0])


def layers_explorer():
    """See how far information goes: within how many layers each token knows of which others.

    Returns
    -------
    Explorer
        Controls `mask`, `token`, `n_layers`.
    """
    last = len(TOKENS) - 1
    controls = {
        "mask": ipywidgets.Dropdown(options=list(MASKS), value="滑动窗口（看 2 个）", description=MASK),
        "token": ipywidgets.SelectionSlider(
            options=list(zip(TOKENS, range(last + 1), strict=True)), value=last, description=TOKEN
        ),
        "n_layers": ipywidgets.IntSlider(value=2, min=0, max=last, description=N_LAYERS),
    }
    view = LayersView(TOKENS, layouts.line_layout(len(TOKENS)))

    def update(mask, token, n_layers):
        allowed = MASKS[mask](len(TOKENS))
        hops = traversal.hops(allowed)
        view.show(allowed, hops, token, n_layers)
        return layers_in_words(hops, token, n_layers)

    return Explorer(view.picture, _wide(controls), update)


def layers_in_words(hops, token, n_layers):
    """Say how many tokens one token knows within some layers, how many later, and how many never.

    Parameters
    ----------
    hops : (n, n) int array
    token, n_layers : int

    Returns
    -------
    sentence : str

    Examples
    --------
    >>> layers_in_words(np.array([[0, -1], [1, 0]]), token=0, n_layers=1)
    '1 层之内，「我」知道 1 个词（含自己）。1 个词叠多少层也传不到。整张图要 1 层才不再有新消息。'
    """
    row = hops[token]
    later, never = int((row > n_layers).sum()), int((row < 0).sum())
    parts = [LATER.format(later=later)] if later else []
    parts += [NEVER.format(never=never)] if never else []
    return LAYERS_SENTENCE.format(
        layers=n_layers,
        token=TOKENS[token],
        known=len(row) - later - never,
        rest="".join(parts),
        deepest=hops.max(),
    )


def walk_stepper():
    """Step through a walk over the roads, breadth first or depth first, and watch the queue or the stack.

    Returns
    -------
    Explorer
        Controls `method`, `start`, `step`.
    """
    places, roads = list(example_graphs.PLACES), list(example_graphs.ROADS)
    controls = {
        "method": ipywidgets.Dropdown(options=list(METHODS), description=METHOD),
        "start": ipywidgets.Dropdown(options=list(zip(places, range(len(places)), strict=True)), description=START),
        "step": ipywidgets.IntSlider(value=2, min=1, max=len(places), description=STEP),
    }
    adjacency = graphs.adjacency(roads, len(places))
    view = WalkView(places, roads, layouts.circle_layout(len(places)), len(roads) - 1)

    def update(method, start, step):
        state = traversal.traversal_steps(adjacency, start, METHODS[method])[step - 1]
        view.show(METHODS[method], state)
        added = "、".join(places[node] for node in state.added)
        return WALK_SENTENCE.format(
            node=places[state.node],
            added=ADDED[METHODS[method]].format(names=added) if added else NOTHING_ADDED,
            order="、".join(places[node] for node in state.order),
        )

    return Explorer(view.picture, _wide(controls), update)


def _with_global(mask):
    """Let everybody look at the first token, and the first token look at everybody."""
    mask = mask.copy()
    mask[0], mask[:, 0] = True, True
    return mask


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        if "description_width" in control.style.trait_names():
            control.style.description_width = "6em"
        control.layout.width = "24em"
    return controls
