"""The figures of section 4.3 on order and on the sinusoidal encoding: figure 4.2, clock hands, spectrum, similarity."""

import numpy as np

from helpers.figures.matrix import SMALL, draw_matrix
from helpers.style import DIVERGING, PALETTE, Picture, styled

COLORS = [PALETTE[name] for name in ("blue", "vermilion", "green", "purple", "orange", "sky")]
STYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1, 3, 1))]

POSITION_AXIS, COLUMN_AXIS, PAIR_AXIS = "位置 p", "列", "第 i 对"
DISTANCE_AXIS = "距离 p − q"
SIMILARITY_AXIS = "PE(p)·PE(q)"
OUTPUT_OF = "「{}」的输出"
EFFECT_TITLE = "打乱次序，输出除了换位还变了多少"
EFFECT_AXIS = "相对变化"
ENCODING_TITLE = "位置编码"
COLUMNS_TITLE = "单独几列"
COLUMN_NAME = "第 {} 列"
WAVELENGTH_TITLE, WAVELENGTH_AXIS = "波长", "波长（位置数，对数）"
SHORTEST, LONGEST = "2π", "2π·base"
SIMILARITY_TITLE = "相似度只看距离"
HAND_TITLE = "第 {i} 对\n波长 {length:.4g}"
HAND_ROW = "p = {}"
BITS_TITLE = "二进制"
WAVES_TITLE = "位置编码的正弦列"
BIT_NAME = "{} 位"
AMPLITUDE_AXIS, FREQUENCY_AXIS = "振幅", "频率（弧度 / 位置，对数）"
SPECTRUM_TITLE = "每一列的频谱：只有一个峰"
OWN_FREQUENCY = "该列自己的频率"
SHIFT_TITLE = "$R_{{{k}}}$：往后移 {k} 个位置"
MOVED_TITLE = "$R_{{{k}}}$ PE(p) 与 PE(p + {k})"
BEFORE, TURNED, THERE = "PE(p)", "$R_{{{k}}}$ PE(p)", "PE(p + {k})"

ALT_BAGS = (
    "两幅热力图，一行一个词的输出。「{first}」和「{second}」用到同样的词，逐词对照，输出最多相差 {difference:.4f}："
    "行只是换了次序。"
)
ALT_EFFECTS = "条形图，打乱次序后输出的相对变化：{parts}。"
ALT_ENCODING = (
    "四幅图。左上：{n} 个位置、{d} 列的位置编码热力图，左边的列变化快，右边的列变化慢。右上：第 {columns} 列的曲线。"
    "左下：波长从 {shortest:.1f} 到 {longest:.0f} 个位置。"
    "右下：相似度在距离 0 处是 {peak:.1f}，距离 {far} 处是 {last:.1f}。"
)
ALT_HANDS = (
    "一行一个位置，一列一对，共 {n} 行 {f} 列的钟面。最左的针每步转 1 弧度，最右的针每步只转 {slowest:.2g} 弧度。"
)
ALT_BINARY = (
    "左：位置 0 到 {last} 的二进制，最左一位每步都变，第 {b} 位每 {period} 步才变一次。右：同样位置的正弦列，"
    "最左一列最快，最右一列最慢。"
)
ALT_SPECTRUM = "{n} 列的频谱，各有一个峰：{parts}。虚线是各列自己的频率。"
ALT_SPECTRUM_PART = "第 {column} 列的峰在 {peak:.3g}，理论 {own:.3g}"
ALT_SHIFT = (
    "左：{d} × {d} 的平移矩阵，k = {k}，只有对角线上 2 × 2 的小块不是 0。"
    "右：一个位置的编码乘上它，与后面第 {k} 个位置的编码最多相差 {error:.4f}。"
)
ALT_SIMILARITY = "两幅曲线图，相似度除以距离 0 处的值，随距离变化。{parts}。"
ALT_SIMILARITY_PART = "{name} 在距离 {far} 处是 {value:.2f}"


@styled
def draw_word_bags(outputs, sentences):
    """Draw the outputs of two sentences of the same words side by side: the same rows in another order.

    Parameters
    ----------
    outputs : pair of (seq_len, d_model) arrays
    sentences : pair of list of str
        The second holds the words of the first in another order.

    Returns
    -------
    Picture
    """
    pair = [np.asarray(output, dtype=float) for output in outputs]
    matched = pair[1][[list(sentences[1]).index(word) for word in sentences[0]]]
    alt = ALT_BAGS.format(
        first="".join(sentences[0]), second="".join(sentences[1]), difference=np.abs(pair[0] - matched).max()
    )
    picture = Picture(6.4, 2.6, alt)
    limit = max(np.abs(output).max() for output in pair)
    for axes, output, sentence in zip(picture.subplots(1, 2), pair, sentences, strict=True):
        draw_matrix(axes, output, list(sentence), [], signed=True, limit=limit)
        axes.set_title(OUTPUT_OF.format("".join(sentence)))
        axes.tick_params(labelsize=11)
    return picture


@styled
def draw_order_effects(names, effects):
    """Draw how much more than a permutation each kind of layer does when its tokens are permuted.

    Parameters
    ----------
    names : list of str
    effects : (n,) array
        `|f(x[p]) - f(x)[p]| / |f(x)|` of each.

    Returns
    -------
    Picture
    """
    parts = "；".join(f"{name} {effect:.2f}" for name, effect in zip(names, effects, strict=True))
    picture = Picture(6.4, 0.9 + 0.42 * len(names), ALT_EFFECTS.format(parts=parts))
    axes = picture.subplots()
    bars = axes.barh(range(len(names)), effects, color=PALETTE["blue"], height=0.6)
    axes.bar_label(bars, [f"{effect:.2f}" for effect in effects], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(title=EFFECT_TITLE, xlabel=EFFECT_AXIS, xlim=(0, 1.15 * max(effects) or 1))
    return picture


@styled
def draw_positional_encoding(encoding, wavelengths, similarity, columns=(0, 8, 16, 32)):
    """Draw figure 4.2: the encoding, single columns of it, the wavelengths, and the similarity over the distance.

    Parameters
    ----------
    encoding : (seq_len, d_model) array
    wavelengths : (d_model / 2,) array
    similarity : (n,) array
        Entry k is the similarity at distance k.
    columns : iterable of int
        Which columns are drawn alone.

    Returns
    -------
    Picture
    """
    picture = Picture(7, 5.6, _alt_encoding(encoding, wavelengths, similarity, columns))
    (heat_map, single), (lengths, alike) = picture.subplots(2, 2)
    image = draw_encoding(heat_map, encoding)
    picture.colorbar(image, ax=heat_map, ticks=[-1, 0, 1])
    _columns_panel(single, encoding, columns)
    draw_wavelengths(lengths, wavelengths)
    alike.plot(similarity, color=PALETTE["blue"])
    alike.set(title=SIMILARITY_TITLE, xlabel=DISTANCE_AXIS, ylabel=SIMILARITY_AXIS)
    return picture


def draw_encoding(axes, encoding):
    """Draw an encoding `(seq_len, d_model)` as a heat map that fills its panel; returns the image."""
    image = axes.imshow(
        encoding, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto", interpolation="nearest", origin="upper"
    )
    axes.set(title=ENCODING_TITLE, xlabel=COLUMN_AXIS, ylabel=POSITION_AXIS)
    return image


def draw_wavelengths(axes, wavelengths):
    """Draw the wavelength of each pair on a logarithmic axis."""
    axes.semilogy(wavelengths, "o", markersize=3, color=PALETTE["green"])
    axes.set(title=WAVELENGTH_TITLE, xlabel=PAIR_AXIS, ylabel=WAVELENGTH_AXIS)


def _columns_panel(axes, encoding, columns):
    for color, style, column in zip(COLORS, STYLES, columns, strict=False):
        axes.plot(encoding[:, column], color=color, linestyle=style, label=COLUMN_NAME.format(column))
    axes.set(title=COLUMNS_TITLE, xlabel=POSITION_AXIS, ylim=(-1.1, 1.9), yticks=[-1, 0, 1])
    axes.legend(ncols=2, loc="upper center", fontsize=SMALL)


@styled
def draw_clock_hands(phases, positions, wavelengths):
    """Draw each position as a row of clocks, one for each pair of columns: fast hands left, slow ones right.

    Parameters
    ----------
    phases : (n_positions, n_pairs) array
        In radians; the hand's end stands at (cosine, sine) turned so that 0 points up, as on a clock.
    positions : list of int
    wavelengths : (n_pairs,) array

    Returns
    -------
    Picture
    """
    phases = np.asarray(phases, dtype=float)
    n, n_pairs = phases.shape
    alt = ALT_HANDS.format(n=n, f=n_pairs, slowest=2 * np.pi / wavelengths[-1])
    picture = Picture(min(7.0, 1.05 * n_pairs + 0.6), 0.95 * n + 0.5, alt)
    for axes, angle, place in zip(picture.subplots(n, n_pairs).flat, phases.flat, np.ndindex(n, n_pairs), strict=True):
        draw_clock(axes)
        axes.plot([0, np.sin(angle)], [0, np.cos(angle)], color=PALETTE["vermilion"], linewidth=2)
        if place[0] == 0:
            axes.set_title(HAND_TITLE.format(i=place[1], length=wavelengths[place[1]]), fontsize=SMALL)
        if place[1] == 0:
            axes.set_ylabel(HAND_ROW.format(positions[place[0]]), rotation=0, ha="right", va="center")
    return picture


def draw_clock(axes):
    """Draw an empty clock face."""
    turn = np.linspace(0, 2 * np.pi, 61)
    axes.plot(np.sin(turn), np.cos(turn), color=PALETTE["muted"], linewidth=1)
    axes.plot([0], [0], ".", color=PALETTE["ink"], markersize=3)
    axes.set(xlim=(-1.12, 1.12), ylim=(-1.12, 1.12), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


@styled
def draw_binary_counting(digits, waves):
    """Draw positions in binary beside their sines: in both, the left column changes fastest.

    Parameters
    ----------
    digits : (seq_len, n_digits) int array
        The lowest digit first.
    waves : (seq_len, n_columns) array
        Sine columns of the encoding.

    Returns
    -------
    Picture
    """
    digits = np.asarray(digits)
    n, n_digits = digits.shape
    alt = ALT_BINARY.format(last=n - 1, b=n_digits, period=2 ** (n_digits - 1))
    picture = Picture(6.4, 4.2, alt)
    left, right = picture.subplots(1, 2, sharey=True)
    left.imshow(digits, cmap="Greys", vmin=0, vmax=3, aspect="auto", interpolation="nearest")
    for (row, column), digit in np.ndenumerate(digits):
        left.text(column, row, str(digit), ha="center", va="center", fontsize=SMALL, color=PALETTE["ink"])
    left.set_xticks(range(n_digits), [BIT_NAME.format(2**b) for b in range(n_digits)])
    left.set(title=BITS_TITLE, ylabel=POSITION_AXIS, yticks=range(0, n, 2))
    image = right.imshow(waves, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    right.set_xticks(range(waves.shape[1]), [str(2 * i) for i in range(waves.shape[1])])
    right.set(title=WAVES_TITLE, xlabel=COLUMN_AXIS)
    picture.colorbar(image, ax=right, ticks=[-1, 0, 1])
    return picture


@styled
def draw_spectrum(frequencies, amplitudes, columns, own_frequencies):
    """Draw the spectra of some columns: one peak each, at the column's own frequency.

    Parameters
    ----------
    frequencies : (m,) array
        In radians per position; 0 is left out of the picture.
    amplitudes : (n_columns, m) array
    columns : list of int
    own_frequencies : (n_columns,) array

    Returns
    -------
    Picture
    """
    amplitudes = np.asarray(amplitudes, dtype=float)
    peaks = frequencies[amplitudes.argmax(axis=-1)]
    parts = [
        ALT_SPECTRUM_PART.format(column=column, peak=peak, own=own)
        for column, peak, own in zip(columns, peaks, own_frequencies, strict=True)
    ]
    picture = Picture(6.6, 3.2, ALT_SPECTRUM.format(n=len(columns), parts="；".join(parts)))
    axes = picture.subplots()
    for color, row, column, own in zip(COLORS, amplitudes, columns, own_frequencies, strict=False):
        axes.axvline(own, color=color, linestyle=":", linewidth=1)
        axes.plot(frequencies[1:], row[1:], color=color, marker="o", markersize=2.5, label=COLUMN_NAME.format(column))
    axes.plot([], [], ":", color=PALETTE["muted"], label=OWN_FREQUENCY)
    axes.set(title=SPECTRUM_TITLE, xlabel=FREQUENCY_AXIS, ylabel=AMPLITUDE_AXIS, xscale="log", ylim=(0, 1.15))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return picture


@styled
def draw_shift(matrix, before, after, k):
    """Draw the matrix that moves an encoding k positions on, and what it does to one encoding.

    Parameters
    ----------
    matrix : (d_model, d_model) array
    before, after : (d_model,) arrays
        The encodings of a position and of the one k further on.
    k : int

    Returns
    -------
    Picture
    """
    turned = matrix @ before
    d_model = len(matrix)
    picture = Picture(7, 3.6, ALT_SHIFT.format(d=d_model, k=k, error=np.abs(turned - after).max()))
    left, right = picture.subplots(1, 2)
    names = [str(column) for column in range(d_model)]
    draw_matrix(left, matrix, names, names, signed=True, limit=1.0, decimals=1)
    left.set_title(SHIFT_TITLE.format(k=k))
    columns = np.arange(d_model)
    right.plot(columns, before, "s", color=PALETTE["muted"], label=BEFORE)
    right.plot(columns, turned, "o", color=PALETTE["blue"], markersize=9, fillstyle="none", label=TURNED.format(k=k))
    right.plot(columns, after, "x", color=PALETTE["vermilion"], label=THERE.format(k=k))
    right.set(title=MOVED_TITLE.format(k=k), xlabel=COLUMN_AXIS, xticks=columns, ylim=(-1.2, 2.1), yticks=[-1, 0, 1])
    right.legend(loc="upper center", ncols=3, columnspacing=1, handletextpad=0.3, fontsize=SMALL)
    return picture


@styled
def draw_similarity(distances, groups):
    """Draw how alike two positions are over their distance, in one panel for each thing that is changed.

    Parameters
    ----------
    distances : (n,) array
    groups : dict of str to dict of str to (n,) array
        Title of a panel -> name of a curve -> similarity, divided by its value at distance 0.

    Returns
    -------
    Picture
    """
    parts = [
        ALT_SIMILARITY_PART.format(name=name, far=distances[-1], value=curve[-1])
        for curves in groups.values()
        for name, curve in curves.items()
    ]
    picture = Picture(7, 3.2, ALT_SIMILARITY.format(parts="；".join(parts)))
    for axes, (title, curves) in zip(
        picture.subplots(1, len(groups), sharey=True, squeeze=False)[0], groups.items(), strict=True
    ):
        for color, style, (name, curve) in zip(COLORS, STYLES, curves.items(), strict=False):
            axes.plot(distances, curve, color=color, linestyle=style, label=name)
        axes.set(title=title, xlabel=DISTANCE_AXIS, ylim=(-0.6, 1.05))
        axes.legend(fontsize=SMALL, loc="lower left")
    picture.axes[0].set_ylabel(f"{SIMILARITY_AXIS} ÷ PE(p)·PE(p)")
    return picture


def _alt_encoding(encoding, wavelengths, similarity, columns):
    return ALT_ENCODING.format(
        n=len(encoding),
        d=encoding.shape[1],
        columns="、".join(map(str, columns)),
        shortest=wavelengths[0],
        longest=wavelengths[-1],
        peak=similarity[0],
        far=len(similarity) - 1,
        last=similarity[-1],
    )
