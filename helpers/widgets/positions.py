"""The explorers of section 4.3: the encoding, its clock hands, and RoPE; each function returns an `Explorer`."""

import ipywidgets
import numpy as np

from helpers.figures.position_views import ClockView, EncodingView, RopeView
from helpers.reference.positions import (
    frequencies,
    phases,
    position_from_phases,
    similarity,
    sinusoidal,
    wavelengths,
)
from helpers.reference.rotary import rotate
from helpers.widgets.explorer import Explorer

D_MODEL = "列数 d_model"
BASE = "base"
BASE_NAME = "底数 base"
SEQ_LEN = "位置个数"
POSITION = "位置 p"
QUERY_POSITION, KEY_POSITION = "q 的位置", "k 的位置"
PAIR = "看第几对"

CLOCK_D_MODEL, CLOCK_BASE = 12, 100.0
ROPE_D_K, ROPE_BASE, FURTHEST = 8, 100.0, 60

ENCODING_SENTENCE = (
    "波长从 {shortest:.2f} 到 {longest:.0f} 个位置，{slow} / {pairs} 对在这段长度里还没有转满一圈；"
    "相邻两个位置的相似度是自己的 {near:.3f} 倍。"
)
CLOCK_SENTENCE = (
    "位置 {position}：最快的针转了 {fast:.2f} 圈，最慢的针转了 {slow:.2f} 圈。"
    "从 {n} 根针的角度倒推，读出的位置是 {read:.0f}。"
)
ROPE_SENTENCE = (
    "q 在位置 {q_position}，k 在位置 {k_position}，距离 {distance}：分数 {score:.3f}。"
    "两个位置一起移动 10 步，分数是 {moved:.3f}。"
)


def encoding_explorer():
    """Explore the sinusoidal encoding: number of columns, base and length.

    Returns
    -------
    Explorer
        Controls `d_model`, `base`, `seq_len`.
    """
    controls = {
        "d_model": ipywidgets.SelectionSlider(options=[4, 8, 16, 32, 64, 128], value=64, description=D_MODEL),
        "base": ipywidgets.SelectionSlider(
            options=[10, 100, 1000, 10000, 100000, 1000000], value=10000, description=BASE_NAME
        ),
        "seq_len": ipywidgets.IntSlider(value=100, min=20, max=300, step=20, description=SEQ_LEN),
    }
    view = EncodingView()

    def update(d_model, base, seq_len):
        alike = similarity(np.arange(seq_len), d_model, float(base))
        view.show(sinusoidal(seq_len, d_model, float(base)), alike, base)
        lengths = wavelengths(d_model, float(base))
        return ENCODING_SENTENCE.format(
            shortest=lengths[0],
            longest=lengths[-1],
            slow=int((lengths > seq_len).sum()),
            pairs=len(lengths),
            near=alike[1] / alike[0],
        )

    return Explorer(view.picture, _wide(controls), update)


def clock_explorer():
    """Explore how a position turns the clock hands, one for each pair of columns.

    Returns
    -------
    Explorer
        Control `position`.
    """
    lengths = wavelengths(CLOCK_D_MODEL, CLOCK_BASE)
    last = int(lengths[-1]) - 1  # the slowest hand must not have gone round, or the position cannot be read off
    controls = {"position": ipywidgets.IntSlider(value=10, min=0, max=last, description=POSITION)}
    encodings = sinusoidal(last + 1, CLOCK_D_MODEL, CLOCK_BASE)
    hands = phases(last + 1, CLOCK_D_MODEL, CLOCK_BASE)
    view = ClockView(lengths)

    def update(position):
        view.show(position, encodings[position])
        return CLOCK_SENTENCE.format(
            position=position,
            fast=position / lengths[0],
            slow=position / lengths[-1],
            n=len(lengths),
            read=position_from_phases(hands[position], CLOCK_D_MODEL, CLOCK_BASE),
        )

    return Explorer(view.picture, _wide(controls), update)


def rope_explorer():
    """Explore RoPE: the positions of one query and one key, whose score follows their distance alone.

    Returns
    -------
    Explorer
        Controls `q_position`, `k_position`, `pair`.
    """
    controls = {
        "q_position": ipywidgets.IntSlider(value=12, min=0, max=FURTHEST, description=QUERY_POSITION),
        "k_position": ipywidgets.IntSlider(value=7, min=0, max=FURTHEST, description=KEY_POSITION),
        "pair": ipywidgets.IntSlider(value=1, min=0, max=ROPE_D_K // 2 - 1, description=PAIR),
    }
    rng = np.random.default_rng(2)
    q = rng.standard_normal(ROPE_D_K)
    k = q + 0.3 * rng.standard_normal(ROPE_D_K)
    distances = np.arange(-FURTHEST, FURTHEST + 1)
    view = RopeView(distances, np.array([rotary_score(q, k, distance, 0) for distance in distances]))
    rates = frequencies(ROPE_D_K, ROPE_BASE)

    def update(q_position, k_position, pair):
        positions = q_position, k_position
        score = rotary_score(q, k, *positions)
        arrows = [_turned(x, p)[2 * pair : 2 * pair + 2] for x, p in zip((q, k), positions, strict=True)]
        view.show(pair, positions, [p * rates[pair] for p in positions], arrows, score)
        return ROPE_SENTENCE.format(
            q_position=q_position,
            k_position=k_position,
            distance=q_position - k_position,
            score=score,
            moved=rotary_score(q, k, q_position + 10, k_position + 10),
        )

    return Explorer(view.picture, _wide(controls), update)


def rotary_score(q, k, q_position, k_position):
    """Return the score of one query and one key, `(d_k,)` each, turned by their positions.

    Examples
    --------
    >>> q = np.array([1.0, 0.0])
    >>> bool(np.isclose(rotary_score(q, q, 9, 5), rotary_score(q, q, 4, 0)))
    True
    """
    return float(_turned(q, q_position) @ _turned(k, k_position) / np.sqrt(len(q)))


def _turned(x, position):
    return rotate(x[None], [position], ROPE_BASE)[0]


def _wide(controls):
    """Give every description the room it needs, and every control the same width."""
    for control in controls.values():
        control.style.description_width = "7em"
        control.layout.width = "21em"
    return controls
