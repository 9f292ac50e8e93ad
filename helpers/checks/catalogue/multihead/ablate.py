"""Exercise `multihead.ablate`: the output with some heads switched off."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import multihead as reference

CORE, SEVERAL, BATCH = "关掉一个头", "关掉几个，或一个也不关", "前面可以有批量轴"


def _arguments(rng, batch, n_heads, seq_len, d_v, d_model):
    return rng.normal(size=(*batch, n_heads, seq_len, d_v)), rng.normal(size=(n_heads * d_v, d_model))


def cases(rng):
    heads, w_o = _arguments(rng, (), 3, 5, 7, 2)
    return [
        Case(CORE, (np.array([[[2.0, 1.0]], [[3.0, 5.0]]]), np.arange(1.0, 13.0).reshape(4, 3), [1])),
        Case(CORE, (*_arguments(rng, (), 3, 2, 2, 5), [0])),
        Case(CORE, (heads.astype(np.float32), w_o.astype(np.float32), [1])),
        Case(CORE, (*_arguments(rng, (), 5, 7, 3, 2), [3])),
        Case(SEVERAL, (*_arguments(rng, (), 3, 5, 2, 7), [0, 2])),
        Case(SEVERAL, (*_arguments(rng, (), 2, 3, 5, 7), [])),
        Case(SEVERAL, (*_arguments(rng, (), 5, 2, 3, 7), [4, 1, 2])),
        Case(BATCH, (*_arguments(rng, (3,), 2, 5, 3, 7), [1])),
        Case(BATCH, (*_arguments(rng, (2, 5), 3, 7, 2, 3), [0, 2])),
    ]


def _mixed(heads, w_o):
    pieces = np.swapaxes(heads, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], -1) @ w_o


def _without(heads, off):
    kept = heads.copy()
    kept[..., off, :, :] = 0
    return kept


def others_enlarged(heads, w_o, off):
    n_heads = heads.shape[-3]
    return _mixed(_without(heads, off), w_o) * n_heads / max(n_heads - len(off), 1)


def heads_deleted(heads, w_o, off):
    return _mixed(np.delete(heads, off, axis=-3), w_o)


def the_others_off(heads, w_o, off):
    return _mixed(heads - _without(heads, off), w_o)


def first_of_them_only(heads, w_o, off):
    return _mixed(_without(heads, off[:1]), w_o)


def tokens_off(heads, w_o, off):
    kept = heads.copy()
    kept[..., off, :] = 0
    return _mixed(kept, w_o)


def first_axis_off(heads, w_o, off):
    kept = heads.copy()
    kept[off] = 0
    return _mixed(kept, w_o)


def single_rows_of_w_o_off(heads, w_o, off):
    rows = w_o.copy()
    rows[off] = 0
    return _mixed(heads, rows)


def nothing_off(heads, w_o, off):
    return _mixed(heads, w_o)


def w_o_forgotten(heads, w_o, off):
    pieces = np.swapaxes(_without(heads, off), -2, -3)
    return pieces.reshape(*pieces.shape[:-2], -1)


def mean_in_their_place(heads, w_o, off):
    kept = heads.copy()
    kept[..., off, :, :] = heads.mean(axis=-2, keepdims=True)[..., off, :, :]
    return _mixed(kept, w_o)


def merged_without_transpose(heads, w_o, off):
    kept = _without(heads, off)
    return kept.reshape(*kept.shape[:-3], kept.shape[-2], -1) @ w_o


def columns_of_w_o_off(heads, w_o, off):
    kept, d_v = w_o.copy(), heads.shape[-1]
    for h in off:
        kept[:, h * d_v : (h + 1) * d_v] = 0
    return _mixed(heads, kept)


def last_of_them_only(heads, w_o, off):
    return _mixed(_without(heads, off[-1:]), w_o)


def columns_of_every_head_off(heads, w_o, off):
    kept = heads.copy()
    kept[..., off] = 0
    return _mixed(kept, w_o)


def one_head_after_the_other(heads, w_o, off):
    n_heads, d_v = np.shape(heads)[-3], np.shape(heads)[-1]
    output = np.zeros((*np.shape(heads)[:-3], np.shape(heads)[-2], np.shape(w_o)[-1]))
    for h in range(n_heads):
        if h not in off:
            output += heads[..., h, :, :] @ w_o[h * d_v : (h + 1) * d_v]
    return output


def without_their_rows_of_w_o(heads, w_o, off):
    n_heads, _, d_v = heads.shape[-3:]
    keep = np.repeat([h not in off for h in range(n_heads)], d_v)
    merged = np.concatenate([heads[..., h, :, :] for h in range(n_heads)], axis=-1)
    return merged @ (w_o * keep[:, None])


def with_einsum(heads, w_o, off):
    n_heads, _, d_v = heads.shape[-3:]
    on = np.array([float(h not in set(off)) for h in range(n_heads)])
    return np.einsum("h,...hnd,hde->...ne", on, heads, w_o.reshape(n_heads, d_v, -1))


def in_float32(heads, w_o, off):
    kept = np.array(heads, dtype=np.float32)
    for h in off:
        kept[..., h, :, :] = 0
    pieces = np.moveaxis(kept, -3, -2)
    return pieces.reshape(pieces.shape[:-2] + (-1,)) @ np.float32(w_o)


EXERCISE = Exercise(
    id="multihead.ablate",
    title="关掉几个头",
    points=2,
    reference=reference.ablate,
    returns=("output",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(SEVERAL, 0.3), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "把留下的头放大了",
            others_enlarged,
            wrong="留下的头被放大，去补关掉的份额；这里只问：少了它，别的不变，输出是什么。",
            look="关掉的头当作 0，别的原样。",
        ),
        Slip(
            "把头删掉了",
            heads_deleted,
            wrong="删掉之后，合并的列少了，对不上 w_o 的行。",
            look="不要删，把那些头的输出设成 0。",
        ),
        Slip(
            "关掉了别的头",
            the_others_off,
            wrong="留下的正是要关的头。",
            look="off 里的头设成 0，别的保留。",
        ),
        Slip(
            "只关掉了第一个",
            first_of_them_only,
            wrong="off 里可以有几个头，现在只关了第一个。",
            look="kept[..., off, :, :] = 0 可以一次关掉一列表的头。",
        ),
        Slip(
            "关掉的是 token",
            tokens_off,
            wrong="设成 0 的是几个 token 的行，不是几个头。",
            look="头是倒数第三个轴：kept[..., off, :, :]。",
        ),
        Slip(
            "关掉的是第一个轴",
            first_axis_off,
            wrong="没有批量轴时正好是头；有批量轴时关掉的就成了句子。",
            look="头是倒数第三个轴：kept[..., off, :, :]。",
        ),
        Slip(
            "关掉的是 w_o 的几行",
            single_rows_of_w_o_off,
            wrong="头 h 占 w_o 的 d_v 行，不是一行。",
            look="头 h 占第 h × d_v 到 (h + 1) × d_v − 1 行。",
        ),
        Slip(
            "什么也没有关",
            nothing_off,
            wrong="off 是什么，结果都一样。",
            look="合并之前，把 off 里的头设成 0。",
        ),
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="合并了，但没有乘 w_o。",
            look="最后一步：merged @ w_o。",
        ),
        Slip(
            "用平均值代替了关掉的头",
            mean_in_their_place,
            wrong="关掉的头换成了它在各个位置上的平均；这也是一种做法，但这里约定设成 0。",
            look="设成 0。",
        ),
        Slip(
            "合并时没有换轴",
            merged_without_transpose,
            wrong="合并只改了形状：一个 token 的一行里接上了别的 token。",
            look="用 merge_heads。",
        ),
        Slip(
            "关掉的是 w_o 的几列",
            columns_of_w_o_off,
            wrong="w_o 的一列通往输出的一个分量，每个头都往里写；现在关掉的是几个分量，不是几个头。",
            look="合并之后头 h 占第 h × d_v 列起的一段，它乘的是 w_o 的那几行：w_o[h * d_v : (h + 1) * d_v]。",
        ),
        Slip(
            "只关掉了最后一个",
            last_of_them_only,
            wrong="off 里可以有几个头；每关一个都从原来的 heads 重新复制，前面关掉的又回来了。",
            look="只在循环之前复制一次；或 kept[..., off, :, :] = 0 一次关掉。",
        ),
        Slip(
            "关掉的是每个头里的列",
            columns_of_every_head_off,
            wrong="设成 0 的是最后一个轴，也就是每个头各自的第几列。",
            look="头是倒数第三个轴：kept[..., off, :, :]。",
        ),
    ),
    styles=(one_head_after_the_other, without_their_rows_of_w_o, with_einsum, in_float32),
    hints=(
        "先复制 heads，把 off 里的头设成 0，再合并、乘 w_o。",
        "头是倒数第三个轴：kept[..., h, :, :] 是头 h。下标可以是一个列表。",
        "kept = heads.copy()；kept[..., list(off), :, :] = 0；返回 merge_heads(kept) @ w_o。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(w_o, dtype=float) -> w_o",
            "np.asarray(w_o, dtype=float) -> np.asarray(w_o)",
            "np.array(heads, dtype=float) -> np.array(heads)",
        ),
        "only changes its input": ("np.array(heads, dtype=float) -> heads",),
        "off is a list already": ("list(off) -> off",),
    },
)
