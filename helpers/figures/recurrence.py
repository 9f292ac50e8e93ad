"""A recurrent network beside attention, in three figures: how far gradients reach, what it costs, how long it takes."""

import numpy as np

from helpers.style import PALETTE, Picture, styled

NAMES = {"rnn": "RNN", "attention": "自注意力"}
LOOKS = {
    "rnn": {"color": PALETTE["vermilion"], "marker": "s", "markersize": 4},
    "attention": {"color": PALETTE["blue"], "marker": "o", "markersize": 4},
}
GRADIENT_TITLE = "最后一个输出对 t 步之前的输入有多敏感"
STEPS_BACK_AXIS = "往回数的步数 t"
GRADIENT_AXIS = "梯度的范数"
LENGTH_AXIS = "序列长度 n"
STEPS_TITLE = "必须一步等一步的步数"
STEPS_AXIS = "顺序步数"
OPERATIONS_TITLE = "一层的乘法次数（d = {}）"
OPERATIONS_AXIS = "乘法次数"
OPERATION_NAMES = {"rnn": "RNN：n·d²", "attention": "自注意力：n²·d"}
CROSSING = "n = d = {}\n相等"
TIMES_TITLE = "实测用时"
TIMES_AXIS = "秒"

ALT_GRADIENT = (
    "纵轴取对数的折线图：RNN 的梯度范数从 {rnn_first:.2g} 变到 {steps} 步之前的 {rnn_last:.2g}，"
    "自注意力从 {attention_first:.2g} 到 {attention_last:.2g}。"
)
ALT_COST = (
    "左：n = {n} 时 RNN 有 {rnn_steps} 步必须先后进行，自注意力有 {attention_steps} 步。右：双对数图，"
    "n·d² 与 n²·d 在 n = d = {d} 处相交。"
)
ALT_TIMES = "双对数图：n = {n} 时 RNN 用 {rnn:.2g} 秒，自注意力用 {attention:.2g} 秒。"


@styled
def draw_gradient_reach(rnn_norms, attention_norms):
    """Draw how strongly the last output feels the input t steps back, in both, on a logarithmic scale.

    Parameters
    ----------
    rnn_norms, attention_norms : (seq_len,) arrays
        Entry `t` is for the input `t` steps back.

    Returns
    -------
    Picture
    """
    norms = {"rnn": np.asarray(rnn_norms, dtype=float), "attention": np.asarray(attention_norms, dtype=float)}
    ends = {f"{name}_{end}": norms[name][place] for name in norms for end, place in (("first", 0), ("last", -1))}
    picture = Picture(6, 3.2, ALT_GRADIENT.format(steps=len(norms["rnn"]) - 1, **ends))
    axes = picture.subplots()
    for name, values in norms.items():
        axes.semilogy(range(len(values)), values, label=NAMES[name], markevery=max(1, len(values) // 12), **LOOKS[name])
    axes.set(title=GRADIENT_TITLE, xlabel=STEPS_BACK_AXIS, ylabel=GRADIENT_AXIS)
    axes.legend()
    return picture


@styled
def draw_cost(seq_lens, operations, steps, d_model):
    """Draw what a layer costs over the length: steps that wait for each other, and multiplications.

    Parameters
    ----------
    seq_lens : (n_lengths,) array
    operations, steps : dict of str to (n_lengths,) array
        Keys `rnn` and `attention`.
    d_model : int
        Where the two numbers of operations cross.

    Returns
    -------
    Picture
    """
    last = {f"{name}_steps": steps[name][-1] for name in NAMES}
    picture = Picture(7, 3.2, ALT_COST.format(n=seq_lens[-1], d=d_model, **last))
    left, right = picture.subplots(1, 2)
    _draw_pair(left, seq_lens, steps, NAMES)
    left.set(title=STEPS_TITLE, ylabel=STEPS_AXIS)
    _draw_pair(right, seq_lens, operations, OPERATION_NAMES)
    right.set(title=OPERATIONS_TITLE.format(d_model), ylabel=OPERATIONS_AXIS)
    right.axvline(d_model, linestyle=":", color=PALETTE["muted"])
    right.annotate(
        CROSSING.format(d_model),
        (d_model, 0.03),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=9,
        color=PALETTE["ink"],
    )
    return picture


@styled
def draw_times(seq_lens, seconds):
    """Draw measured times over the length.

    Parameters
    ----------
    seq_lens : (n_lengths,) array
    seconds : dict of str to (n_lengths,) array
        Keys `rnn` and `attention`.

    Returns
    -------
    Picture
    """
    picture = Picture(5, 3.2, ALT_TIMES.format(n=seq_lens[-1], **{name: seconds[name][-1] for name in NAMES}))
    axes = picture.subplots()
    _draw_pair(axes, seq_lens, seconds, NAMES)
    axes.set(title=TIMES_TITLE, ylabel=TIMES_AXIS)
    return picture


def _draw_pair(axes, seq_lens, values, names):
    """Draw both lines over the length, both axes logarithmic."""
    for name, label in names.items():
        axes.loglog(seq_lens, values[name], label=label, **LOOKS[name])
    axes.set_xlabel(LENGTH_AXIS)
    axes.legend()
