"""The figures that look into a trained model: all its heads, their scores, what each is worth, the logit lens."""

import numpy as np
from matplotlib.patches import Rectangle

from helpers.figures.matrix import SMALL, draw_matrix, name_cells
from helpers.figures.poems import BITS_PER_CHARACTER_AXIS, draw_bit_bars
from helpers.style import PALETTE, SEQUENTIAL, Picture, ink_on, styled

LAYER, HEAD = "层 {}", "头 {}"
EMBEDDED, AFTER = "嵌入", "层 {} 之后"
TRUTH = "原诗"
PROBABILITY = "概率"
CHANCE = "平均着看：{:.2f}"
COST_TITLE = "关掉一个头，多花几个比特（每字）"
COST_AXIS, SCORE_AXIS = "多花的比特", "得分：{}"
MOST_POINTED, DEAREST, OTHERS = "得分最高的头", "代价最大的头", "其余的头"
LENS_BITS_TITLE, LENS_BITS_AXIS = "读到第几层，还差多少", "比特 / 字"
REMOVED_NOW, TRAINED_WITHOUT = "训练好了再拿掉", "从头就没有"
AS_TRAINED = "从头就没有，偷看着算"

ALT_ALL_HEADS = "{n_layers} 层 × {n_heads} 个头的注意力热力图，读的是「{text}」。{parts}。"
ALT_A_HEAD = "层 {layer} 头 {head} 最多的权重在「{query}」看「{key}」（{weight:.2f}）"
ALT_SCORES = "{n} 张热力图，行是层，列是头。{parts}。"
ALT_SCORE = "{name}：最高的是层 {layer} 头 {head}，{value:.2f}，平均着看是 {chance:.2f}"
ALT_COSTS = (
    "左：每个头关掉之后每字多花的比特，最多的是层 {layer} 头 {head}，{dearest:.3f}。"
    "右：每个头的「{name}」得分与它的代价，得分最高的是层 {best_layer} 头 {best_head}，它的代价是 {cost:.3f}。"
)
ALT_LENS = "逐层的猜测：一列一个位置，一行一层，最下面是原诗的字。猜对的个数从上到下是 {right}，共 {n} 个。"
ALT_WITHOUT = "横的条形图，单位是每字的比特。{levels}。{parts}。"
ALT_OPENED = "上：{n_maps} 张热力图，{maps}。左下：每层之后读出的比特，从 {first:.1f} 降到 {last:.1f}。右下：{bits}。"


@styled
def draw_all_heads(weights, tokens):
    """Draw what every head of every layer looks at, small, all on one scale.

    Parameters
    ----------
    weights : (n_layers, n_heads, seq_len, seq_len) array
    tokens : (seq_len,) list of str
        Of one character each; at most fourteen can be read.

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    n_layers, n_heads = weights.shape[:2]
    picture = Picture(7.4, 0.6 + 1.72 * n_layers, _alt_all_heads(weights, tokens))
    picture.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    panels = picture.subplots(n_layers, n_heads, squeeze=False)
    for (layer, head), axes in np.ndenumerate(panels):
        rows, columns = tokens if head == 0 else [], tokens if layer == 0 else []
        draw_matrix(axes, weights[layer, head], rows, columns, limit=1.0, numbers=False)
        axes.tick_params(pad=1)
        axes.set_xticks(range(len(tokens)), columns or [""] * len(tokens), rotation=0)
        if layer == 0:
            axes.set_title(HEAD.format(head))
        if head == 0:
            axes.set_ylabel(LAYER.format(layer), fontsize=11)
    return picture


def _alt_all_heads(weights, tokens):
    parts = []
    for layer, head in np.ndindex(weights.shape[:2]):
        looks = weights[layer, head, 1:]  # the first token has nobody but itself to look at
        query, key = np.unravel_index(looks.argmax(), looks.shape)
        where = {"query": tokens[1 + query], "key": tokens[key], "weight": looks.max()}
        parts.append(ALT_A_HEAD.format(layer=layer, head=head, **where))
    n_layers, n_heads = weights.shape[:2]
    return ALT_ALL_HEADS.format(n_layers=n_layers, n_heads=n_heads, text="".join(tokens), parts="；".join(parts))


@styled
def draw_head_scores(scores, chances):
    """Draw the scores of all heads, one table for each kind of score; the best head is framed.

    Parameters
    ----------
    scores : dict of str to (n_layers, n_heads) array
        By the score's name, at most five; from 0 to 1.
    chances : dict of str to float
        What a head that looks evenly at itself and everything before it would get.

    Returns
    -------
    Picture
    """
    scores = {name: np.asarray(values, dtype=float) for name, values in scores.items()}
    picture = Picture(7.4, 2.3, _alt_scores(scores, chances))
    panels = picture.subplots(1, len(scores), squeeze=False).ravel()
    for place, (axes, (name, values)) in enumerate(zip(panels, scores.items(), strict=True)):
        n_layers, n_heads = values.shape
        rows = [LAYER.format(layer) for layer in range(n_layers)] if place == 0 else []
        draw_matrix(axes, values, rows, [str(head) for head in range(n_heads)], limit=1.0)
        _frame(axes, *best_head(values))
        axes.set_title(name, fontsize=10)
        axes.set_xlabel(CHANCE.format(chances[name]), fontsize=SMALL)
    return picture


def _alt_scores(scores, chances):
    parts = []
    for name, values in scores.items():
        layer, head = best_head(values)
        parts.append(ALT_SCORE.format(name=name, layer=layer, head=head, value=values.max(), chance=chances[name]))
    return ALT_SCORES.format(n=len(scores), parts="；".join(parts))


def best_head(scores):
    """Return layer and head of the highest score, the first of equal ones.

    Examples
    --------
    >>> best_head([[0.1, 0.3], [0.2, 0.3]])
    (0, 1)
    """
    layer, head = np.unravel_index(np.argmax(scores), np.shape(scores))
    return int(layer), int(head)


def _frame(axes, row, column):
    frame = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=PALETTE["vermilion"], linewidth=2.5)
    frame.set(zorder=3, clip_on=False)
    return axes.add_patch(frame)


@styled
def draw_switched_off(costs, scores, score_name):
    """Draw what switching off each head costs, as a table and beside a score of what the head looks at.

    Parameters
    ----------
    costs : (n_layers, n_heads) array
        More bits a character than with all heads on.
    scores : (n_layers, n_heads) array
    score_name : str

    Returns
    -------
    Picture
    """
    costs, scores = np.asarray(costs, dtype=float), np.asarray(scores, dtype=float)
    (layer, head), best = best_head(costs), best_head(scores)
    alt = ALT_COSTS.format(
        layer=layer,
        head=head,
        dearest=costs.max(),
        name=score_name,
        best_layer=best[0],
        best_head=best[1],
        cost=costs[best],
    )
    picture = Picture(7.2, 3.3, alt)
    table, points = picture.subplots(1, 2, width_ratios=[1, 1.25])
    n_layers, n_heads = costs.shape
    names = [[LAYER.format(layer) for layer in range(n_layers)], [HEAD.format(head) for head in range(n_heads)]]
    draw_matrix(table, costs, *names, signed=True, decimals=2)
    table.set_title(COST_TITLE, fontsize=10)
    points.scatter(scores, costs, s=28, facecolors="none", edgecolors=PALETTE["blue"], label=OTHERS)
    marked = {MOST_POINTED: (best, "vermilion", "s"), DEAREST: ((layer, head), "orange", "^")}
    for name, (where, color, marker) in marked.items():
        label = f"{name}：{LAYER.format(where[0])} {HEAD.format(where[1])}"
        points.scatter(scores[where], costs[where], s=70, color=PALETTE[color], marker=marker, label=label, zorder=3)
    points.axhline(0, color=PALETTE["muted"], linewidth=0.8)
    points.set(xlabel=SCORE_AXIS.format(score_name), ylabel=COST_AXIS)
    picture.legend(*points.get_legend_handles_labels(), loc="outside lower right", ncols=3, fontsize=SMALL)
    return picture


@styled
def draw_logit_lens(characters, probabilities, tokens, truths):
    """Draw which character each layer would write at each position; a right guess is framed.

    Parameters
    ----------
    characters : (n_layers + 1, seq_len) list of str
        The best guess, one character each; the first row is that of the embeddings.
    probabilities : (n_layers + 1, seq_len) array
        Of the best guess.
    tokens : (seq_len,) list of str
        What has just been read.
    truths : (seq_len,) list of str
        What comes next in truth.

    Returns
    -------
    Picture
    """
    probabilities = np.asarray(probabilities, dtype=float)
    n_rows, seq_len = probabilities.shape
    right = [sum(guess == truth for guess, truth in zip(row, truths, strict=True)) for row in characters]
    alt = ALT_LENS.format(right="、".join(map(str, right)), n=seq_len)
    picture = Picture(7.4, 0.9 + 0.3 * (n_rows + 1), alt)
    axes = picture.subplots()
    shown = np.ma.masked_invalid(np.vstack([probabilities, np.full(seq_len, np.nan)]))
    colors = {"cmap": SEQUENTIAL, "vmin": 0.0, "vmax": 1.0}
    image = axes.imshow(shown, interpolation="nearest", aspect="auto", **colors)
    names = [EMBEDDED, *(AFTER.format(layer) for layer in range(n_rows - 1)), TRUTH]
    name_cells(axes, names, list(tokens))
    axes.set_xticks(range(seq_len), list(tokens), rotation=0)
    for (row, column), probability in np.ndenumerate(probabilities):
        _write(axes, row, column, characters[row][column], ink_on(image.to_rgba(probability)))
        if characters[row][column] == truths[column]:
            _frame(axes, row, column)
    for column, truth in enumerate(truths):
        _write(axes, n_rows, column, truth, PALETTE["ink"])
    bar = picture.colorbar(image, ax=axes, pad=0.01, aspect=12)
    bar.set_label(PROBABILITY, fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    return picture


def _write(axes, row, column, character, color):
    axes.text(column, row, character, ha="center", va="center", fontsize=SMALL + 1, color=color)


@styled
def draw_without(names, removed_now, trained_without, levels, as_trained=None):
    """Draw the bits of models from which something is taken: after training, or before it.

    Parameters
    ----------
    names : list of str
        What is taken away.
    removed_now, trained_without : (len(names),) arrays
        Bits a character.
    levels : dict of str to float
        What they are compared with, at most three.
    as_trained : (len(names),) array, optional
        Bits of the second kind, judged as they were trained; drawn where they differ.

    Returns
    -------
    Picture
    """
    groups = {REMOVED_NOW: ("sky", removed_now), TRAINED_WITHOUT: ("orange", trained_without)}
    if as_trained is not None:
        differs = [np.nan if np.isclose(a, b) else a for a, b in zip(as_trained, trained_without, strict=True)]
        groups[AS_TRAINED] = ("purple", differs)
    picture = Picture(7.2, 1.2 + 0.75 * len(names), _alt_without(names, groups, levels))
    axes = picture.subplots()
    places, height = np.arange(len(names)), 0.8 / len(groups)
    for number, (label, (color, values)) in enumerate(groups.items()):
        values = np.asarray(values, dtype=float)
        middles = places + (number - (len(groups) - 1) / 2) * height
        axes.barh(middles, values, 0.92 * height, color=PALETTE[color], label=label)
        for middle, value in zip(middles, values, strict=True):
            if np.isfinite(value):
                text = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": SMALL}
                over_lines = {"facecolor": "white", "edgecolor": "none", "pad": 1}
                axes.annotate(f"{value:.2f}", (value, middle), bbox=over_lines, **text)
    for (name, level), line, color in zip(levels.items(), ("-", "--", ":"), ("ink", "vermilion", "blue"), strict=False):
        axes.axvline(level, color=PALETTE[color], linestyle=line, linewidth=1.2, label=f"{name}：{level:.2f}")
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    largest = max(np.nanmax(values) for _, values in groups.values())
    axes.set(xlabel=BITS_PER_CHARACTER_AXIS, xlim=(0, 1.15 * largest))
    picture.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=3, fontsize=SMALL)
    return picture


def _alt_without(names, groups, levels):
    parts = []
    for place, name in enumerate(names):
        found = [(label, values[place]) for label, (_, values) in groups.items() if np.isfinite(values[place])]
        parts.append(f"{name}：" + "，".join(f"{label} {value:.2f}" for label, value in found))
    return ALT_WITHOUT.format(
        levels="，".join(f"{name} {level:.2f}" for name, level in levels.items()), parts="；".join(parts)
    )


@styled
def draw_opened(maps, tokens, lens_bits, bits):
    """Draw the section on one page: the heads that were found, what each layer knows, and who needs how many bits.

    Parameters
    ----------
    maps : dict of str to (seq_len, seq_len) array
        Weights of the heads that were found, by what they do; at most four.
    tokens : (seq_len,) list of str
    lens_bits : (n_layers + 1,) array
        Bits a character, read after the embedding and after each layer.
    bits : dict of str to float
        Bits a character of models that are compared.

    Returns
    -------
    Picture
    """
    alt = ALT_OPENED.format(
        n_maps=len(maps),
        maps="、".join(maps),
        first=lens_bits[0],
        last=lens_bits[-1],
        bits="，".join(f"{name} {value:.2f}" for name, value in bits.items()),
    )
    picture = Picture(7.4, 4.7, alt)
    upper, lower = picture.subfigures(2, 1, height_ratios=[1.25, 1])
    for place, (axes, (name, weights)) in enumerate(
        zip(upper.subplots(1, len(maps), squeeze=False).ravel(), maps.items(), strict=True)
    ):
        draw_matrix(axes, weights, tokens if place == 0 else [], [], limit=1.0, numbers=False)
        axes.set_xticks([])
        axes.set_title(name, fontsize=10)
    curve, bars = lower.subplots(1, 2)
    steps = [EMBEDDED, *(LAYER.format(layer) for layer in range(len(lens_bits) - 1))]
    curve.plot(steps, lens_bits, color=PALETTE["blue"], marker="o")
    curve.set(title=LENS_BITS_TITLE, ylabel=LENS_BITS_AXIS, ylim=(0, 1.1 * max(lens_bits)))
    draw_bit_bars(bars, bits)
    return picture
