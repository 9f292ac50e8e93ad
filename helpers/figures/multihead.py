"""The figures of section 4.2: heads side by side, how a vector is split, what heads cost, what one of them is worth."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import ConnectionPatch, Rectangle

from helpers.figures.matrix import (
    SMALL,
    draw_matrix,
    name_cells,
    short_number,
    strongest_looks,
    token_names,
    write_numbers,
)
from helpers.style import PALETTE, Picture, readable, styled

HEAD = "头 {}"
SHARE_AXIS = "这一个头分给前一个词的权重（其余给后一个）"
ERROR_AXIS = "还原的误差"
ERROR_NAMES = {"previous": "前一个词", "next": "后一个词", "mean": "两者平均"}
TWO_HEADS = "两个头"
WHOLE_TITLE = "x：(seq_len, d_model)\n= {}"
HEADS_TITLE = "拆开：(n_heads, seq_len, d_k)\n= {}"
RESHAPE_TITLES = ("x：一行一个 token", "对：reshape，再换轴", "错：只 reshape")
COST_AXES = {"n_heads": "头数 n_heads", "seq_len": "句长 seq_len", "d_model": "宽度 d_model"}
COST_NAMES = {"multiplications": "乘法次数", "seconds": "秒"}
COPIES, DIFFERENT = "三个一样的头", "三个不同的头"
SINGULAR_TITLE = "输出的奇异值"
SINGULAR_AXES = {"xlabel": "第几个", "ylabel": "奇异值"}
PATTERN_TITLE = "要拟合的模式"
FIT_TITLE = "d_k = {}"
D_K_AXIS = "一个头的宽度 d_k"
MISPLACED_AXIS = "放错地方的权重"
FIT_CURVE_TITLE = "{n} 个位置：放错多少"
ANSWERS_TITLE = "五个问题各答对多少"
CHANGE_TITLE = "输出变了多少"
FLOW_TITLES = {"x": "x", "weights": "各头的权重", "brought": "权重 × v", "merged": "拼接", "output": "× w_o：输出"}

HEAD_COLORS = [PALETTE[name] for name in ("blue", "vermilion", "green", "orange", "purple", "sky")]
TOKEN_COLORS = [PALETTE[name] for name in ("blue", "orange", "green", "vermilion", "sky", "purple")]

ALT_ONE_AVERAGE = (
    "折线图：一个头分给前一个词的权重从 {first:g} 到 {last:g}，还原前一个词的误差从 {p0:.2f} 降到 {p1:.2f}，"
    "后一个词的误差从 {n0:.2f} 升到 {n1:.2f}，两者平均始终在 {low:.2f} 到 {high:.2f} 之间；两个头的误差是 {two:.2f}。"
)
ALT_HEADS = "{n} 个头的权重热力图。{parts}。"
ALT_HEADS_PART = "{title}：{looks}"
ALT_SPLIT = "左：{whole} 的矩阵，列按头分成 {n} 段，各有颜色。右：{n} 段成了 {n} 个 {piece} 的小矩阵。"
ALT_RESHAPE = (
    "三行彩色格子，一种颜色一个 token。上：x 的每一行是一个 token。中：reshape 再换轴，{n} 个头里每行仍是自己的 token。"
    "下：只 reshape，{wrong} / {all} 格放到了别的 token 的行里。"
)
ALT_COSTS = "三幅双对数图，纵轴是{quantity}。{parts}。"
ALT_COSTS_PART = "{axis} 从 {first} 到 {last}，{quantity}从 {low:.3g} 到 {high:.3g}"
ALT_SINGULAR = "对数纵轴的点图：{copies}的输出只有 {few} 个不为 0 的奇异值，{different}的有 {many} 个。"
ALT_BOTTLENECK = "上：{n} × {n} 的随机注意力模式，和宽度不同的头对它的拟合。下：放错地方的权重随 d_k 下降。{parts}。"
ALT_BOTTLENECK_PART = "d_k = {d_k} 时 {share:.0%}"
ALT_ABLATION = "左：一行一种关法、一列一个问题的正确率。右：输出变化的大小。{parts}。"
ALT_ABLATION_PART = "{name}：{lost}，输出变了 {change:.0%}"
ALT_LOST, ALT_NOTHING_LOST = "答错{questions}", "都答对"
ALT_FLOW = (
    "多头注意力的数据流，从左到右：x {x} 拆给 {n} 个头，各有一张权重 {weights}，各带回 {brought}；"
    "并排拼接成 {merged}，乘 w_o 得输出 {output}。{looks}。"
)


@styled
def draw_one_average(shares, previous_errors, next_errors, two_heads_error):
    """Draw how well one head restores its two neighbours, whatever it gives to either, and how well two heads do.

    Parameters
    ----------
    shares : (n_shares,) array
        The weight that goes to the previous token.
    previous_errors, next_errors : (n_shares,) arrays
    two_heads_error : float

    Returns
    -------
    Picture
    """
    errors = {"previous": np.asarray(previous_errors), "next": np.asarray(next_errors)}
    errors["mean"] = (errors["previous"] + errors["next"]) / 2
    picture = Picture(6, 3.2, _alt_one_average(shares, errors, two_heads_error))
    axes = picture.subplots()
    looks = {"previous": ("blue", "o", "-"), "next": ("vermilion", "s", "-"), "mean": ("ink", "D", "--")}
    for name, (color, marker, line) in looks.items():
        axes.plot(shares, errors[name], line, color=PALETTE[color], marker=marker, markersize=4)
    axes.axhline(two_heads_error, color=PALETTE["green"], linewidth=2)
    quarter = len(shares) // 4
    for name, place, side in (("previous", quarter, "left"), ("next", -1 - quarter, "right"), ("mean", -1, "right")):
        _label_line(axes, ERROR_NAMES[name], (shares[place], errors[name][place]), PALETTE[looks[name][0]], side)
    _label_line(axes, TWO_HEADS, (np.mean(shares), two_heads_error), PALETTE["green"], "center")
    axes.set(xlabel=SHARE_AXIS, ylabel=ERROR_AXIS, ylim=(-0.08, 1.15))
    return picture


def _label_line(axes, text, place, color, side):
    axes.annotate(text, place, xytext=(0, 7), textcoords="offset points", color=readable(color), ha=side)


@styled
def draw_heads(weights, titles, tokens, n_columns=3):
    """Draw the weights of several heads as a grid of heat maps.

    Parameters
    ----------
    weights : (n_heads, seq_len, seq_len) array
    titles : list of str
        What each head is called.
    tokens : list of str or None
    n_columns : int

    Returns
    -------
    Picture
    """
    weights = np.asarray(weights, dtype=float)
    names = token_names(tokens, weights.shape[-1])
    n_rows = -(-len(weights) // n_columns)
    parts = [
        ALT_HEADS_PART.format(title=title, looks=strongest_looks(head, names, names, at_most=3))
        for title, head in zip(titles, weights, strict=True)
    ]
    picture = Picture(7, 0.3 + 2.5 * n_rows * 3 / n_columns, ALT_HEADS.format(n=len(weights), parts="。".join(parts)))
    panels = picture.subplots(n_rows, n_columns, squeeze=False).ravel()
    for place, (axes, head, title) in enumerate(zip(panels, weights, titles, strict=False)):
        rows = names if place % n_columns == 0 else []
        draw_matrix(axes, head, rows, names, limit=1.0, numbers=n_columns < 3, stacked=True)
        axes.set_title(title)
    for axes in panels[len(weights) :]:
        axes.set_visible(False)
    return picture


@styled
def draw_split(x, heads, tokens):
    """Draw how the columns of `x` become heads: a colour per head, the pieces one below the other.

    Parameters
    ----------
    x : (seq_len, d_model) array
    heads : (n_heads, seq_len, d_k) array
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    x, heads = np.asarray(x, dtype=float), np.asarray(heads, dtype=float)
    n_heads, seq_len, d_k = heads.shape
    names = token_names(tokens, seq_len)
    alt = ALT_SPLIT.format(whole=_sizes(x), n=n_heads, piece=_sizes(heads[0]))
    picture = Picture(7, 0.8 + 0.34 * n_heads * (seq_len + 0.5), alt)
    pieces = [f"head {h}" for h in range(n_heads)]
    panels = picture.subplot_mosaic([["x", piece] for piece in pieces], width_ratios=[1.3, 1])
    limit = np.abs(x).max()
    draw_matrix(panels["x"], x, names, [], signed=True, limit=limit, numbers=False)
    panels["x"].set_title(WHOLE_TITLE.format(_sizes(x)))
    for h, piece in enumerate(pieces):
        draw_matrix(panels[piece], heads[h], names, [], signed=True, limit=limit, numbers=False)
        _frame(panels[piece], 0, d_k, seq_len, _head_color(h))
        _frame(panels["x"], h * d_k, d_k, seq_len, _head_color(h))
        panels[piece].text(d_k - 0.1, (seq_len - 1) / 2, HEAD.format(h), color=readable(_head_color(h)), va="center")
    panels[pieces[0]].set_title(HEADS_TITLE.format(_sizes(heads)))
    return picture


def _frame(axes, first_column, n_columns, n_rows, color):
    corner = (first_column - 0.5 + 0.06, -0.5 + 0.06)
    frame = Rectangle(corner, n_columns - 0.12, n_rows - 0.12, fill=False, edgecolor=color, linewidth=2.5)
    frame.set(clip_on=False, zorder=3)
    axes.add_patch(frame)


def _head_color(h):
    return HEAD_COLORS[h % len(HEAD_COLORS)]


def _sizes(array):
    return f"({', '.join(map(str, array.shape))})"


@styled
def draw_reshape(whole, right, wrong, tokens):
    """Draw where every token's numbers end up, split the right way and by reshape alone; a colour per token.

    Parameters
    ----------
    whole : (seq_len, d_model) int array
        The number of the token that each entry belongs to.
    right, wrong : (n_heads, seq_len, d_k) int arrays
        The same numbers after each way of splitting.
    tokens : list of str
        Of one character each, six at most.

    Returns
    -------
    Picture
    """
    seq_len, n_heads = len(whole), len(right)
    n_wrong = int((np.asarray(wrong) != np.arange(seq_len)[:, None]).sum())
    picture = Picture(7, 0.9 + 0.85 * seq_len, ALT_RESHAPE.format(n=n_heads, wrong=n_wrong, all=np.size(wrong)))
    panels = picture.subplots(3, 1)
    for axes, array, title in zip(panels, (np.asarray(whole)[None], right, wrong), RESHAPE_TITLES, strict=True):
        canvas = side_by_side(array)
        draw_tokens(axes, canvas, tokens)
        for (row, column), token in np.ndenumerate(canvas):
            if np.isfinite(token):
                axes.text(column, row, tokens[int(token)], ha="center", va="center", color="black", fontsize=SMALL)
        axes.set_title(title, loc="left")
    for axes in panels[1:]:
        write_head_numbers(axes, n_heads, np.shape(right)[-1])
    return picture


def side_by_side(heads):
    """Lay heads `(n_heads, seq_len, d_k)` beside each other with an empty column between, `(seq_len, n_columns)`.

    Examples
    --------
    >>> side_by_side([[[1], [2]], [[3], [4]]])
    array([[ 1., nan,  3.],
           [ 2., nan,  4.]])
    """
    heads = np.asarray(heads, dtype=float)
    padded = np.pad(heads, [(0, 0), (0, 0), (0, 1)], constant_values=np.nan)  # (h, n, d_k) -> (h, n, d_k + 1)
    return np.concatenate(list(padded), axis=-1)[:, :-1]


def draw_tokens(axes, canvas, tokens):
    """Draw cells `(seq_len, n_columns)` in the colours of the tokens whose numbers stand in them; NaN stays empty."""
    colors = ListedColormap([_paler(color) for color in TOKEN_COLORS])
    image = axes.imshow(canvas, cmap=colors, vmin=-0.5, vmax=len(TOKEN_COLORS) - 0.5, interpolation="nearest")
    name_cells(axes, tokens, [])
    return image


def _paler(color):
    """Mix a colour with white, so that black text can be read on it."""
    channels = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return tuple(0.6 * channels + 0.4)


def write_head_numbers(axes, n_heads, d_k):
    """Write the heads' numbers below heads that lie beside each other."""
    axes.set_xticks(*heads_side_by_side(n_heads, d_k))
    axes.tick_params(axis="x", labelbottom=True, labeltop=False)


def heads_side_by_side(n_heads, d_k):
    """Return the middles of heads that lie beside each other, and their names, shorter where there is less room.

    Examples
    --------
    >>> heads_side_by_side(2, 3)
    ([1.0, 5.0], ['头 0', '头 1'])
    """
    centers = [h * (d_k + 1) + (d_k - 1) / 2 for h in range(n_heads)]
    return centers, [HEAD.format(h) if d_k > 1 else str(h) for h in range(n_heads)]


@styled
def draw_costs(costs, quantity="multiplications"):
    """Draw what attention costs over the number of heads, the length and the width, a panel each.

    Parameters
    ----------
    costs : dict of str to (values, costs) pairs
        Keys `n_heads`, `seq_len`, `d_model`.
    quantity : {"multiplications", "seconds"}

    Returns
    -------
    Picture
    """
    name = COST_NAMES[quantity]
    picture = Picture(7, 2.8, _alt_costs(costs, name))
    panels = picture.subplots(1, 3, sharey=True)
    for axes, (variable, (values, cost)) in zip(panels, costs.items(), strict=True):
        axes.loglog(values, cost, marker="o", markersize=4, color=PALETTE["blue"])
        axes.set_xscale("log", base=2)
        axes.set_xticks(values[:: -(-len(values) // 5)])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set_xlabel(COST_AXES[variable])
    lowest, highest = (extreme(extreme(cost) for _, cost in costs.values()) for extreme in (min, max))
    panels[0].set_ylim(lowest / 2, highest * 2)
    panels[0].set_ylabel(name)
    return picture


@styled
def draw_singular_values(copies, different):
    """Draw the singular values of the output of copied heads beside those of different heads.

    Parameters
    ----------
    copies, different : (n_values,) arrays
        From the largest to the smallest.

    Returns
    -------
    Picture
    """
    pairs = {COPIES: np.asarray(copies, dtype=float), DIFFERENT: np.asarray(different, dtype=float)}
    few, many = (int((values > 1e-9 * values[0]).sum()) for values in pairs.values())
    picture = Picture(5, 3, ALT_SINGULAR.format(copies=COPIES, different=DIFFERENT, few=few, many=many))
    axes = picture.subplots()
    for (name, values), color, marker in zip(pairs.items(), ("vermilion", "blue"), "so", strict=True):
        shown = np.maximum(values, 1e-17)
        axes.semilogy(range(1, len(values) + 1), shown, marker, color=PALETTE[color], label=name, markersize=6)
    axes.set(title=SINGULAR_TITLE, **SINGULAR_AXES)
    axes.legend(loc="center right" if many > len(copies) / 2 else "best")
    return picture


@styled
def draw_bottleneck(pattern, fits, d_ks, shares):
    """Draw a random attention pattern, what heads of several sizes make of it, and how much weight they misplace.

    Parameters
    ----------
    pattern : (seq_len, seq_len) array
    fits : dict of int to (seq_len, seq_len) array
        By d_k; three of them are room enough.
    d_ks : (n_sizes,) int array
    shares : (n_sizes,) array
        Misplaced weight, from 0 to 1.

    Returns
    -------
    Picture
    """
    n = len(pattern)
    parts = [ALT_BOTTLENECK_PART.format(d_k=d_k, share=share) for d_k, share in zip(d_ks, shares, strict=True)]
    picture = Picture(7, 4.6, ALT_BOTTLENECK.format(n=n, parts="；".join(parts)))
    upper = ["pattern", *map(str, fits)]
    panels = picture.subplot_mosaic([upper, ["curve"] * len(upper)], height_ratios=[1, 1.15])
    for name, weights in zip(upper, (pattern, *fits.values()), strict=True):
        draw_matrix(panels[name], weights, [], [], limit=1.0, numbers=False)
        panels[name].set_title(PATTERN_TITLE if name == "pattern" else FIT_TITLE.format(name))
    axes = panels["curve"]
    axes.plot(d_ks, shares, marker="o", markersize=5, color=PALETTE["vermilion"])
    for d_k, share in zip(d_ks, shares, strict=True):
        axes.annotate(f"{share:.0%}", (d_k, share), xytext=(4, 4), textcoords="offset points", fontsize=SMALL)
    axes.set(title=FIT_CURVE_TITLE.format(n=n), xlabel=D_K_AXIS, ylabel=MISPLACED_AXIS, xticks=d_ks)
    axes.set_ylim(0, max(shares) * 1.2)
    return picture


@styled
def draw_ablation(right, changes, row_names, questions):
    """Draw which questions can no longer be answered when heads are off, and how far the output moves.

    Parameters
    ----------
    right : (n_rows, n_questions) array
        Shares of right answers, a row for each choice of heads that are off.
    changes : (n_rows,) array
        Changes of the output, as parts of its length.
    row_names, questions : lists of str

    Returns
    -------
    Picture
    """
    right, changes = np.asarray(right, dtype=float), np.asarray(changes, dtype=float)
    picture = Picture(7, 1.1 + 0.36 * len(right), _alt_ablation(right, changes, row_names, questions))
    left, bars = picture.subplots(1, 2, width_ratios=[1.5, 1], sharey=True)
    image = left.imshow(right, cmap="cividis", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    name_cells(left, row_names, questions)
    write_numbers(image)
    left.set_title(ANSWERS_TITLE)
    drawn = bars.barh(range(len(changes)), changes, color=PALETTE["blue"], height=0.6)
    bars.bar_label(drawn, [short_number(change) for change in changes], fontsize=SMALL, padding=2)
    bars.tick_params(axis="y", length=0, labelleft=False)
    bars.set(xlim=(0, max(changes.max() * 1.25, 0.1)), title=CHANGE_TITLE)
    return picture


@styled
def draw_multihead_flow(x, weights, brought, merged, output, tokens):
    """Draw multi-head attention's whole way, with the arrays themselves at every step; a colour per head.

    Parameters
    ----------
    x : (seq_len, d_model) array
    weights : (n_heads, seq_len, seq_len) array
    brought : (n_heads, seq_len, d_v) array
    merged : (seq_len, n_heads * d_v) array
    output : (seq_len, d_model) array
    tokens : list of str or None

    Returns
    -------
    Picture
    """
    x, weights, brought, merged, output = (np.asarray(a, dtype=float) for a in (x, weights, brought, merged, output))
    names = token_names(tokens, len(x))
    picture = Picture(7, 0.4 + 1.45 * len(weights), _alt_flow(x, weights, brought, merged, output, names))
    panels = picture.subplot_mosaic(
        [["x", f"weights {h}", f"brought {h}", "merged", "output"] for h in range(len(weights))],
        width_ratios=[x.shape[1], len(x), brought.shape[-1], merged.shape[1], output.shape[1]],
    )
    picture.get_layout_engine().set(w_pad=0.12)  # room for the arrows
    for name, array in (("x", x), ("merged", merged), ("output", output)):
        draw_matrix(panels[name], array, names if name != "merged" else [], [], signed=True, numbers=False)
    for h in range(len(weights)):
        draw_matrix(panels[f"weights {h}"], weights[h], [], [], limit=1.0, numbers=False)
        draw_matrix(panels[f"brought {h}"], brought[h], [], [], signed=True, limit=np.abs(brought).max(), numbers=False)
        _frame(panels[f"weights {h}"], 0, len(x), len(x), _head_color(h))
        _frame(panels[f"brought {h}"], 0, brought.shape[-1], len(x), _head_color(h))
        _frame(panels["merged"], h * brought.shape[-1], brought.shape[-1], len(x), _head_color(h))
    for name, title in FLOW_TITLES.items():
        panels.get(name, panels.get(f"{name} 0")).set_title(title)
    _draw_flow_arrows(picture, panels, len(weights))
    return picture


def _draw_flow_arrows(picture, panels, n_heads):
    """Join the panels of the flow: `x` to every head, every head to the merged array, that to the output."""
    joined = [("merged", "output", PALETTE["muted"])]
    for h in range(n_heads):
        joined += [("x", f"weights {h}", _head_color(h)), (f"weights {h}", f"brought {h}", _head_color(h))]
        joined += [(f"brought {h}", "merged", _head_color(h))]
    for start, end, color in joined:
        leave, arrive = (1.03, 0.5), (-0.04, 0.5)
        if end == "output":
            arrive = (-0.35, 0.5)  # before the row names
        arrow = ConnectionPatch(
            leave, arrive, "axes fraction", axesA=panels[start], axesB=panels[end],
            arrowstyle="-|>", mutation_scale=10, color=color, shrinkA=2, shrinkB=2,
        )  # fmt: skip
        arrow.set_in_layout(False)
        picture.add_artist(arrow)


def _alt_one_average(shares, errors, two):
    return ALT_ONE_AVERAGE.format(
        first=shares[0],
        last=shares[-1],
        p0=errors["previous"][0],
        p1=errors["previous"][-1],
        n0=errors["next"][0],
        n1=errors["next"][-1],
        low=errors["mean"].min(),
        high=errors["mean"].max(),
        two=two,
    )


def _alt_costs(costs, name):
    parts = [
        ALT_COSTS_PART.format(
            axis=COST_AXES[variable], first=values[0], last=values[-1], quantity=name, low=cost[0], high=cost[-1]
        )
        for variable, (values, cost) in costs.items()
    ]
    return ALT_COSTS.format(quantity=name, parts="；".join(parts))


def _alt_ablation(right, changes, row_names, questions):
    parts = []
    for row, change, name in zip(right, changes, row_names, strict=True):
        lost = "、".join(f"「{question}」" for question, share in zip(questions, row, strict=True) if share < 1)
        said = ALT_LOST.format(questions=lost) if lost else ALT_NOTHING_LOST
        parts.append(ALT_ABLATION_PART.format(name=name, lost=said, change=change))
    return ALT_ABLATION.format(parts="；".join(parts))


def _alt_flow(x, weights, brought, merged, output, names):
    looks = [f"{HEAD.format(h)}：{strongest_looks(head, names, names, at_most=2)}" for h, head in enumerate(weights)]
    return ALT_FLOW.format(
        x=x.shape,
        n=len(weights),
        weights=weights[0].shape,
        brought=brought[0].shape,
        merged=merged.shape,
        output=output.shape,
        looks="。".join(looks),
    )
