"""The closing picture of the attention variants: the same small attention, five times, with what each way saves."""

import numpy as np
from matplotlib.patches import Rectangle

from helpers.figures.grouped import draw_links
from helpers.figures.matrix import SMALL, draw_matrix
from helpers.style import PALETTE, Picture, styled

TITLES = {"full": "完整", "grouped": "GQA", "sparse": "稀疏", "linear": "线性", "tiled": "FlashAttention"}
NOTES = {
    "full": "每个词看每个词\n每个头一份 k、v",
    "grouped": "少存：{heads} 个头\n共用 {groups} 份 k、v",
    "sparse": "少算：只算\n{share:.0%} 的分数",
    "linear": "少算：先乘 k 和 v\n权重变了",
    "tiled": "少搬：一块一块算\n结果一样",
}
ALT = (
    "五幅小图。完整：{n} × {n} 的权重，最大 {full:.2f}。GQA：{heads} 个查询头共用 {groups} 组键和值。"
    "稀疏：只有 {share:.0%} 的格子有权重。线性：权重处处都有，最大 {linear:.2f}。"
    "FlashAttention：与完整的权重相同，分成 {tile} × {tile} 的块。"
)


@styled
def draw_variants(full, sparse, linear, n_heads, n_kv_heads, tile):
    """Draw full attention beside its four variants.

    Parameters
    ----------
    full, sparse, linear : (seq_len, seq_len) arrays
        Weights: softmax, softmax under a sparse mask, linear attention.
    n_heads, n_kv_heads : int
    tile : int
        Rows and columns of a tile.

    Returns
    -------
    Picture
    """
    full, sparse, linear = (np.asarray(weights, dtype=float) for weights in (full, sparse, linear))
    said = {"n": len(full), "heads": n_heads, "groups": n_kv_heads, "share": np.mean(sparse > 0), "tile": tile}
    picture = Picture(7.4, 2.3, ALT.format(full=full.max(), linear=linear.max(), **said))
    panels = dict(zip(TITLES, picture.subplots(1, len(TITLES)), strict=True))
    for name, weights in {"full": full, "sparse": sparse, "linear": linear, "tiled": full}.items():
        draw_matrix(panels[name], weights, [], [], limit=full.max(), numbers=False)
    draw_links(panels["grouped"], n_heads, n_kv_heads)
    panels["grouped"].set(box_aspect=1, yticks=[])
    _frame_tiles(panels["tiled"], len(full), tile)
    for name, axes in panels.items():
        axes.set_title(TITLES[name], fontsize=10)
        axes.set_xticks([])
        axes.set_xlabel(NOTES[name].format(**said), fontsize=SMALL, linespacing=1.4)
    return picture


def _frame_tiles(axes, seq_len, tile):
    for row in range(0, seq_len, tile):
        for column in range(0, seq_len, tile):
            axes.add_patch(
                Rectangle(
                    (column - 0.5, row - 0.5), tile, tile, fill=False, edgecolor=PALETTE["vermilion"], linewidth=1.5
                )
            )
