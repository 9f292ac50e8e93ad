"""The figures on online softmax and FlashAttention: a running maximum and sum, tiles, and the numbers that move."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from helpers.figures.matrix import KEY_AXIS, QUERY_AXIS, SMALL
from helpers.style import PALETTE, Picture, styled

SCORE_AXIS, TOTAL_AXIS = "分数", "指数的和"
RUNNING_MAX = "到此为止的最大值"
RESCALED = "换了更大的最大值：旧的和先缩小"
BLOCK_AXIS = "键，每 {} 个一块"
TILE_COLORS = ListedColormap(["#E4E4E4", PALETTE["sky"]])
TILES_TITLE = "每块 {rows} × {columns}\n要算 {n} / {all} 块"
BLOCK_SIZE_AXIS = "每块几个键"
MOVED_AXIS = "搬运的数（百万个）"
FORMULA, PLAIN, COUNTED = "分块：公式", "不分块", "分块：数出来的"

ALT_ONLINE = "上：{n} 个分数的条形图，每块之后的最大值依次是 {largest}。下：每块之后指数的和，依次是 {total}。"
ALT_TILES = "因果掩码盖在不同大小的块上，蓝色的块要算，灰色的块整块跳过。{parts}。"
ALT_TILES_PART = "块 {rows} × {columns}：要算 {n} / {all} 块"
ALT_TRAFFIC = (
    "折线图，横轴是每块几个键，纵轴是搬运的数（百万个）。分块：每块 {first_size} 个时 {first:.1f}，"
    "每块 {last_size} 个时 {last:.1f}；不分块始终是 {plain:.1f}。数出来的 {n} 个点都在公式的线上。"
)


@styled
def draw_online_softmax(scores, block_size, largest, total):
    """Draw scores as bars with the running maximum over them, and below the running sum, after every block.

    Parameters
    ----------
    scores : (n,) array
    block_size : int
    largest, total : (n_blocks,) arrays
        The maximum so far and the sum of exponentials so far.

    Returns
    -------
    Picture
    """
    scores = np.asarray(scores, dtype=float)
    listed = ["、".join(f"{value:.2f}" for value in values) for values in (largest, total)]
    picture = Picture(7.2, 4.0, ALT_ONLINE.format(n=len(scores), largest=listed[0], total=listed[1]))
    upper, lower = picture.subplots(2, 1, sharex=True, height_ratios=[1.5, 1])
    upper.bar(range(len(scores)), scores, color=PALETTE["sky"], width=0.7)
    edges = np.minimum(np.arange(len(largest) + 1) * block_size, len(scores)) - 0.5
    upper.hlines(largest, edges[:-1], edges[1:], color=PALETTE["vermilion"], linewidth=2.5, label=RUNNING_MAX)
    middles = (edges[:-1] + edges[1:]) / 2
    grown = np.r_[False, np.diff(largest) > 0]
    colors = [PALETTE["orange"] if new else PALETTE["blue"] for new in grown]
    bars = lower.bar(middles, total, color=colors, width=0.7 * np.diff(edges))
    lower.bar_label(bars, [f"{value:.2f}" for value in total], fontsize=SMALL, padding=2)
    for axes in (upper, lower):
        for edge in edges[1:-1]:
            axes.axvline(edge, color=PALETTE["muted"], linewidth=0.8, linestyle=":")
    handle = Rectangle((0, 0), 1, 1, color=PALETTE["orange"])
    upper.set_ylabel(SCORE_AXIS)
    lower.set(ylabel=TOTAL_AXIS, xlabel=BLOCK_AXIS.format(block_size), xticks=range(len(scores)))
    lower.set(xlim=(edges[0] - 0.2, edges[-1] + 0.2), ylim=(0, 1.25 * np.max(total)))
    lines = upper.get_legend_handles_labels()[0]
    picture.legend([*lines, handle], [RUNNING_MAX, RESCALED], loc="outside upper center", ncols=2, fontsize=SMALL)
    return picture


@styled
def draw_tiles(mask, tiles):
    """Draw which tiles of the scores must be computed under a mask, for several sizes of a tile.

    Parameters
    ----------
    mask : (n_queries, n_keys) bool array
    tiles : dict of (int, int) to (n_row_tiles, n_column_tiles) bool array
        By the number of queries and keys of a tile: whether it has an allowed pair.

    Returns
    -------
    Picture
    """
    n_queries, n_keys = np.shape(mask)
    picture = Picture(7.2, 2.9, _alt_tiles(tiles))
    panels = picture.subplots(1, len(tiles), squeeze=False)[0]
    for axes, ((rows, columns), needed) in zip(panels, tiles.items(), strict=True):
        cells = np.repeat(np.repeat(needed, rows, axis=0), columns, axis=1)[:n_queries, :n_keys]
        axes.imshow(cells.astype(float), cmap=TILE_COLORS, vmin=0, vmax=1, interpolation="nearest")
        for start in range(0, n_queries, rows):
            for left in range(0, n_keys, columns):
                size = min(columns, n_keys - left), min(rows, n_queries - start)
                axes.add_patch(
                    Rectangle((left - 0.5, start - 0.5), *size, fill=False, edgecolor="white", linewidth=1.5)
                )
        rows_allowed, keys_allowed = np.nonzero(mask)
        axes.plot(keys_allowed, rows_allowed, ".", color=PALETTE["ink"], markersize=3)
        title = TILES_TITLE.format(rows=rows, columns=columns, n=int(needed.sum()), all=needed.size)
        axes.set_title(title, fontsize=10, linespacing=1.4)
        axes.set(xticks=[], yticks=[])
        axes.set_xlabel(KEY_AXIS, fontsize=SMALL)
        axes.spines[:].set_visible(False)
    panels[0].set_ylabel(QUERY_AXIS, fontsize=SMALL)
    return picture


def _alt_tiles(tiles):
    parts = [
        ALT_TILES_PART.format(rows=rows, columns=columns, n=int(needed.sum()), all=needed.size)
        for (rows, columns), needed in tiles.items()
    ]
    return ALT_TILES.format(parts="；".join(parts))


@styled
def draw_traffic(block_sizes, tiled, plain, counted):
    """Draw the numbers that move against the size of a block: formula as a line, instrumented counts as points.

    Parameters
    ----------
    block_sizes : (n,) array of int
    tiled : (n,) array of int
        By the formula.
    plain : int
        Without tiles.
    counted : dict of int to int
        By block size, what instrumented loads and stores added up to.

    Returns
    -------
    Picture
    """
    tiled, millions = np.asarray(tiled, dtype=float), 1e6
    alt = ALT_TRAFFIC.format(
        first_size=block_sizes[0],
        first=tiled[0] / millions,
        last_size=block_sizes[-1],
        last=tiled[-1] / millions,
        plain=plain / millions,
        n=len(counted),
    )
    picture = Picture(6.8, 3.4, alt)
    axes = picture.subplots()
    axes.loglog(block_sizes, tiled / millions, color=PALETTE["blue"], label=FORMULA)
    axes.axhline(plain / millions, color=PALETTE["vermilion"], linestyle="--", label=PLAIN)
    points = np.array(list(counted.values())) / millions
    axes.plot(list(counted), points, "o", color=PALETTE["ink"], markersize=7, fillstyle="none", label=COUNTED)
    axes.set_xscale("log", base=2)
    axes.set_xticks(block_sizes, block_sizes)
    axes.minorticks_off()
    axes.set(xlabel=BLOCK_SIZE_AXIS, ylabel=MOVED_AXIS)
    axes.legend()
    return picture
