"""The figures of the chapter as a whole: its map, and figures 4.1 and 4.4 as its scripts print them."""

import numpy as np
from matplotlib.patches import FancyBboxPatch

from helpers.figures.attention import draw_mask
from helpers.figures.matrix import (
    ROOM_OF_A_MATRIX,
    SMALL,
    draw_matrix,
    name_axes,
    strongest_looks,
    token_names,
    write_names,
)
from helpers.style import PALETTE, Picture, readable, styled

# Where it stands, its name, what it does, the question that leads on.
CHAPTER_MAP = (
    ("起点", "序列建模", "一串词，后面的要用到前面的", "怎样把前面的内容带到后面？"),
    ("旧办法", "RNN", "一个状态，一步一步往前递", "n 步要等 n 次，隔得远的信号淡去"),
    ("4.1", "自注意力", "任意两个位置一步相连，谁重要由内容决定", "一个头一次只有一种平均"),
    ("4.2", "多头注意力", "几个窄的头，各看各的关系", "打乱词序，输出只跟着换位"),
    ("4.3", "位置编码", "把位置写进向量或分数", "只会混合，不会加工，也叠不深"),
    ("4.4", "Transformer block", "注意力 + FFN，外加残差和归一化", "训练时看得见答案，学不会接着写"),
    ("4.4", "decoder-only", "因果掩码：处处只看前面，猜下一个词", "把它做大，用海量文字来练"),
    ("后续章节", "LLM", "大规模预训练的生成式模型", ""),
)
MAP_COLORS = {"4.1": "blue", "4.2": "green", "4.3": "purple", "4.4": "vermilion"}
WEIGHTS_TITLE = "谁看谁：权重"
DISTRIBUTION_TITLE, DISTRIBUTION_AXES = "权重的分布", {"xlabel": "权重", "ylabel": "个数"}
EQUAL_WEIGHT = "平均：1/{n}"
SPREAD_TITLE = "相当于在看几个词"
CAUSAL_TITLES = ("① 分数 q kᵀ / √d_k", "② 双向：每个词看全句", "③ 因果掩码（圆点可看）", "④ 因果：只看自己和前面")

ALT_MAP = "章节逻辑导图，自上而下 {n} 个方框：{steps}。每个箭头旁写着引出下一步的问题。"
ALT_MAP_STEP = "{name}（{place}）：{what}"
ALT_SELF_ATTENTION = (
    "左：{n} 个词的自注意力权重热力图，{looks}。"
    "右上：全部权重的直方图，最大 {largest:.2f}，{low:.0%} 低于平均的 1/{n}。"
    "右下：每个词相当于在看几个词，从 {least:.1f} 到 {most:.1f}。"
)
ALT_CAUSAL = (
    "四幅 {n} × {n} 的图。① 原始分数，从 {lowest:.1f} 到 {highest:.1f}。"
    "② 双向注意力的权重，{later:.0%} 落在后面的词上。③ 因果掩码，{allowed} / {cells} 格可以看。"
    "④ 因果注意力的权重，后面的词都是 0；第一个词只能看自己。"
)


@styled
def draw_chapter_map():
    """Draw how the chapter's ideas lead to each other: a box for each, an arrow with the question that leads on.

    Returns
    -------
    Picture
    """
    steps = "；".join(ALT_MAP_STEP.format(name=name, place=place, what=what) for place, name, what, _ in CHAPTER_MAP)
    picture = Picture(7, 6.6, ALT_MAP.format(n=len(CHAPTER_MAP), steps=steps))
    axes = picture.subplots()
    axes.set(xlim=(0, 7), ylim=(len(CHAPTER_MAP) - 0.35, -0.35))
    axes.set_axis_off()
    for row, (place, name, what, question) in enumerate(CHAPTER_MAP):
        _draw_box(axes, row, place, name, what)
        if question:
            axes.annotate("", (1.9, row + 0.7), (1.9, row + 0.28), arrowprops={"arrowstyle": "-|>", "color": "black"})
            axes.text(2.05, row + 0.49, question, va="center", fontsize=SMALL, color=PALETTE["ink"])
    return picture


def _draw_box(axes, row, place, name, what):
    """Draw one box of the map: section, name, and beside it what the idea does."""
    color = PALETTE[MAP_COLORS.get(place, "muted")]
    box = FancyBboxPatch((0.95, row - 0.24), 1.9, 0.48, boxstyle="round,pad=0.03", facecolor="white", edgecolor=color)
    box.set_linewidth(2)
    axes.add_patch(box)
    axes.text(1.9, row, name, ha="center", va="center", fontsize=11)
    axes.text(0.8, row, place, ha="right", va="center", fontsize=10, color=readable(color))
    axes.text(3.05, row, what, va="center", fontsize=10)


@styled
def draw_self_attention(weights, tokens):
    """Draw figure 4.1: who looks at whom, how the weights are spread, and how many words each one looks at in effect.

    Parameters
    ----------
    weights : (seq_len, seq_len) array
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    names = token_names(tokens, len(weights))
    spread = _effective_number(weights)
    picture = Picture(7, 4.2, _alt_self_attention(weights, spread, names))
    panels = picture.subplot_mosaic([["map", "weights"], ["map", "spread"]], width_ratios=[1.6, 1])
    draw_matrix(panels["map"], weights, names, names, limit=1.0)
    name_axes(panels["map"])
    panels["map"].set_title(WEIGHTS_TITLE)
    _draw_distribution(panels["weights"], weights)
    _draw_spread(panels["spread"], spread, names)
    return picture


def _draw_distribution(axes, weights):
    """Draw the histogram of all weights, and where a weight would be that looks at all words alike."""
    n = weights.shape[-1]
    axes.hist(weights.ravel(), bins=np.linspace(0, 1, 21), color=PALETTE["blue"])
    axes.axvline(1 / n, color=PALETTE["vermilion"], linestyle="--", label=EQUAL_WEIGHT.format(n=n))
    axes.set(title=DISTRIBUTION_TITLE, xlim=(0, 1), xticks=[0, 0.5, 1], **DISTRIBUTION_AXES)
    axes.legend()


def _draw_spread(axes, spread, names):
    """Draw a bar per word: in effect it looks at so many."""
    axes.barh(range(len(names)), spread, color=PALETTE["green"], height=0.65)
    axes.axvline(len(names), color=PALETTE["vermilion"], linestyle="--")
    for row, value in enumerate(spread):  # in a column of their own, where no line crosses them
        axes.text(1.06 * len(names), row, f"{value:.1f}", va="center", fontsize=SMALL)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelsize=SMALL)
    axes.invert_yaxis()
    axes.set(title=SPREAD_TITLE, xlim=(0, 1.25 * len(names)), xticks=[0, len(names)])


def _effective_number(weights):
    """Return how many words a row looks at in effect, (n, m) -> (n,): e to the power of its entropy."""
    logs = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp(-(weights * logs).sum(axis=-1))


@styled
def draw_causal_mask(scores, two_way, mask, causal, tokens):
    """Draw figure 4.4: raw scores, the weights when all may be looked at, the causal mask, and the weights under it.

    Parameters
    ----------
    scores, two_way, causal : (seq_len, seq_len) arrays
    mask : (seq_len, seq_len) bool array
        True = this query may look at this key.
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    scores, two_way, causal = (np.asarray(array, dtype=float) for array in (scores, two_way, causal))
    names = token_names(tokens, len(scores))
    picture = Picture(7, 6.6, _alt_causal(scores, two_way, np.asarray(mask, dtype=bool)))
    panels = picture.subplots(2, 2).ravel()
    draw_matrix(panels[0], scores, names, names, signed=True, decimals=1)
    draw_matrix(panels[1], two_way, names, names, limit=1.0)
    draw_mask(panels[2], mask, names)
    write_names(panels[2], names, ROOM_OF_A_MATRIX)  # as wide as the other three, so that all four stand in line
    draw_matrix(panels[3], causal, names, names, limit=1.0)
    for axes, title in zip(panels, CAUSAL_TITLES, strict=True):
        name_axes(axes)
        axes.set_title(title)
    return picture


def _alt_self_attention(weights, spread, names):
    return ALT_SELF_ATTENTION.format(
        n=len(names),
        looks=strongest_looks(weights, names, names),
        largest=weights.max(),
        low=(weights < 1 / len(names)).mean(),
        least=spread.min(),
        most=spread.max(),
    )


def _alt_causal(scores, two_way, mask):
    return ALT_CAUSAL.format(
        n=len(scores),
        lowest=scores.min(),
        highest=scores.max(),
        later=two_way[~mask].sum() / len(scores),
        allowed=int(mask.sum()),
        cells=mask.size,
    )
