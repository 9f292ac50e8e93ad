"""The figures of section 4.4 about the three families: who may look at whom, and what each is asked to predict."""

import numpy as np
from matplotlib.colors import ListedColormap

from helpers.figures.matrix import SMALL, name_axes, name_cells, token_names
from helpers.style import PALETTE, Picture, styled

ALLOWED, FORBIDDEN = "可以看", "不可以看"
MASK_COLORS = ListedColormap(["#E4E4E4", PALETTE["blue"]])
INPUT, TARGET = "输入", "目标"
NO_LOSS = "·"
LOSS_NOTE = "{n} 个预测"
ALT_MASKS = "{n} 张掩码，蓝色的格子可以看，灰色的不可以。{parts}。"
ALT_MASKS_PART = "{title}：{allowed} / {all} 格可以看"
ALT_TARGETS = "三个训练目标，上行是输入，下行是目标；有颜色的位置算损失。{parts}。"
ALT_TARGETS_PART = "{name}：{n} 个预测，在位置 {places}"


@styled
def draw_families(masks, row_tokens, column_tokens):
    """Draw masks beside each other: what may be looked at is dark, what may not is light.

    Parameters
    ----------
    masks : dict of str to (n_queries, n_keys) bool array
        By title; four at most.
    row_tokens, column_tokens : lists of (list of str)
        The queries' and the keys' tokens of each mask.

    Returns
    -------
    Picture
    """
    picture = Picture(7.4, 3.0 if len(masks) < 4 else 5.4, _alt_masks(masks))
    rows, columns = (1, len(masks)) if len(masks) < 4 else (2, -(-len(masks) // 2))
    panels = picture.subplots(rows, columns, squeeze=False).ravel()
    for axes, (title, mask), queries, keys in zip(panels, masks.items(), row_tokens, column_tokens, strict=False):
        draw_mask(axes, mask, queries, keys)
        axes.set_title(title)
    for axes in panels[len(masks) :]:
        axes.set_visible(False)
    return picture


def draw_mask(axes, mask, queries, keys):
    """Draw one mask with the tokens on both sides and a thin line between the cells; returns the image."""
    mask = np.asarray(mask, dtype=float)
    image = axes.imshow(mask, cmap=MASK_COLORS, vmin=0, vmax=1, interpolation="nearest")
    name_cells(axes, token_names(queries, mask.shape[0]), [])
    name_columns(axes, token_names(keys, mask.shape[1]))
    for edge in np.arange(0.5, mask.shape[1] - 1):
        axes.axvline(edge, color="white", linewidth=1)
    for edge in np.arange(0.5, mask.shape[0] - 1):
        axes.axhline(edge, color="white", linewidth=1)
    name_axes(axes)
    return image


def name_columns(axes, names):
    """Write names above narrow columns: Chinese runs downwards, a character a line; Latin is turned on its side."""
    axes.set_xticks(range(len(names)), upright(names))
    for label in axes.get_xticklabels():
        label.set_rotation(90 if label.get_text().isascii() else 0)


def upright(names):
    """Let Chinese run downwards, a character a line, and leave Latin names as they are."""
    return [name if name.isascii() else "\n".join(name) for name in names]


def _alt_masks(masks):
    parts = [
        ALT_MASKS_PART.format(title=title.replace("\n", ""), allowed=int(np.sum(mask)), all=np.size(mask))
        for title, mask in masks.items()
    ]
    return ALT_MASKS.format(n=len(masks), parts="；".join(parts))


@styled
def draw_targets(objectives):
    """Draw, for each training objective, what goes in at every position and what must come out, if anything.

    Parameters
    ----------
    objectives : dict of str to (inputs, targets) pairs
        Lists of str of one length; a target of None carries no loss.

    Returns
    -------
    Picture
    """
    longest = max(len(inputs) for inputs, _ in objectives.values())
    picture = Picture(7.2, 1.25 * len(objectives) + 0.1, _alt_targets(objectives))
    panels = picture.subplots(len(objectives), 1, squeeze=False).ravel()
    for axes, (name, (inputs, targets)) in zip(panels, objectives.items(), strict=True):
        carries = np.array([target is not None for target in targets])
        cells = np.stack([np.zeros(len(inputs)), carries])
        axes.imshow(cells, cmap=ListedColormap(["#F0F0F0", PALETTE["orange"]]), vmin=0, vmax=1, aspect="auto")
        for place, (shown, target) in enumerate(zip(inputs, targets, strict=True)):
            axes.text(place, 0, shown, ha="center", va="center", fontsize=10)
            axes.text(place, 1, NO_LOSS if target is None else target, ha="center", va="center", fontsize=10)
        axes.set(xlim=(-0.5, longest - 0.5), xticks=[])
        axes.set_yticks([0, 1], [INPUT, TARGET])
        axes.tick_params(length=0, labelsize=SMALL)
        axes.spines[:].set_visible(False)
        axes.set_title(f"{name}　{LOSS_NOTE.format(n=carries.sum())}", loc="left", fontsize=10)
    return picture


def _alt_targets(objectives):
    parts = []
    for name, (_, targets) in objectives.items():
        places = [str(place) for place, target in enumerate(targets) if target is not None]
        parts.append(ALT_TARGETS_PART.format(name=name, n=len(places), places="、".join(places)))
    return ALT_TARGETS.format(parts="；".join(parts))
