"""Exercise `architecture.layer_norm`: give every token mean 0 and variance 1, then scale and shift."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import block as reference

CORE, GAIN, EPS, BATCH = "没有增益和偏移时", "增益和偏移", "分量几乎相同的 token", "前面的轴可多可少"


def _x(rng, *shape):
    return 3 * rng.normal(size=shape) + 2


def cases(rng):
    return [
        Case(CORE, (np.array([[1.0, 3.0], [2.0, 8.0]]), 1.0, 0.0)),
        Case(CORE, (_x(rng, 3, 5), 1.0, 0.0)),
        Case(CORE, (_x(rng, 5, 7).astype(np.float32), 1.0, 0.0)),
        Case(CORE, (_x(rng, 3, 3),)),
        Case(GAIN, (_x(rng, 3, 5), rng.uniform(0.5, 3, size=5), rng.normal(size=5))),
        Case(GAIN, (_x(rng, 4, 2), rng.uniform(0.5, 3, size=2), rng.normal(size=2))),
        Case(EPS, (np.array([[2.0, 2.0, 2.0], [1.0, 1.006, 0.997]]), 1.0, 0.0)),
        Case(EPS, (0.002 * rng.normal(size=(3, 7)), 1.0, 0.0)),
        Case(EPS, (0.03 * rng.normal(size=(5, 4)), 1.0, 0.0, 1e-3)),
        Case(BATCH, (_x(rng, 4), 1.0, 0.0)),
        Case(BATCH, (_x(rng, 2, 5, 3), rng.uniform(0.5, 3, size=3), rng.normal(size=3))),
        Case(BATCH, (_x(rng, 3, 2, 3, 5), 1.0, 0.0)),
    ]


def _centred(x):
    return x - x.mean(axis=-1, keepdims=True)


def unbiased_variance(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(x.var(axis=-1, ddof=1, keepdims=True) + eps) + shift


def eps_outside_the_root(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / (np.sqrt(x.var(axis=-1, keepdims=True)) + eps) + shift


def without_eps(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True)) + shift


def eps_always_the_same(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) + shift


def over_the_tokens(x, gain=1.0, shift=0.0, eps=1e-5):
    axis = max(x.ndim - 2, 0)
    centred = x - x.mean(axis=axis, keepdims=True)
    return gain * centred / np.sqrt(x.var(axis=axis, keepdims=True) + eps) + shift


def over_everything(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * (x - x.mean()) / np.sqrt(x.var() + eps) + shift


def over_each_text(x, gain=1.0, shift=0.0, eps=1e-5):
    axes = (-2, -1) if x.ndim > 2 else -1
    return gain * (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + eps) + shift


def divided_by_the_variance(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / (x.var(axis=-1, keepdims=True) + eps) + shift


def mean_not_subtracted(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + shift


def root_mean_square(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) + shift


def not_divided(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) + shift


def length_one(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt((_centred(x) ** 2).sum(axis=-1, keepdims=True) + eps) + shift


def gain_and_shift_forgotten(x, gain=1.0, shift=0.0, eps=1e-5):
    return _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def gain_forgotten(x, gain=1.0, shift=0.0, eps=1e-5):
    return _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + shift


def shift_forgotten(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def gain_on_the_shift_too(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * (_centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) + shift)


def gain_before_the_mean(x, gain=1.0, shift=0.0, eps=1e-5):
    x = gain * x + shift
    return _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def larger_of_variance_and_eps(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(np.maximum(x.var(axis=-1, keepdims=True), eps)) + shift


def larger_of_std_and_eps(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.maximum(x.std(axis=-1, keepdims=True), eps) + shift


def without_keepdims(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + eps) + shift


def axis_one(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + eps) + shift


def shift_subtracted(x, gain=1.0, shift=0.0, eps=1e-5):
    return gain * _centred(x) / np.sqrt(x.var(axis=-1, keepdims=True) + eps) - shift


def with_var(x, gain=1.0, shift=0.0, eps=1e-5):
    mean, variance = np.mean(x, -1), np.var(x, -1)
    return (x - mean[..., None]) * (variance[..., None] + eps) ** -0.5 * gain + shift


def row_by_row(x, gain=1.0, shift=0.0, eps=1e-5):
    rows = []
    for row in np.asarray(x, dtype=float).reshape(-1, x.shape[-1]):
        mean = sum(row) / len(row)
        variance = sum((a - mean) ** 2 for a in row) / len(row)
        rows.append([(a - mean) / (variance + eps) ** 0.5 for a in row])
    return np.array(rows).reshape(x.shape) * gain + shift


def with_a_matrix(x, gain=1.0, shift=0.0, eps=1e-5):
    d_model = x.shape[-1]
    centred = x @ (np.eye(d_model) - 1 / d_model)
    return gain * centred / np.sqrt(np.einsum("...d,...d->...", centred, centred)[..., None] / d_model + eps) + shift


def in_float32(x, gain=1.0, shift=0.0, eps=1e-5):
    x = np.asarray(x, dtype=np.float32)
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(eps))
    return scaled * np.float32(gain) + np.float32(shift)


EXERCISE = Exercise(
    id="architecture.layer_norm",
    title="层归一化",
    points=2,
    reference=reference.layer_norm,
    returns=("normalised",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(GAIN, 0.2), Behaviour(EPS, 0.15), Behaviour(BATCH, 0.15)),
    properties=(Property("没有 NaN", lambda normalised: bool(np.isfinite(normalised).all())),),
    slips=(
        Slip(
            "方差除以了 d_model − 1",
            unbiased_variance,
            wrong="用了无偏方差；层归一化的方差除以 d_model。",
            look="x.var(axis=-1) 默认就除以 d_model，不要写 ddof=1。",
        ),
        Slip(
            "eps 加在了根号外",
            eps_outside_the_root,
            wrong="分量差别大时看不出；分量几乎相同时，结果太大。",
            look="np.sqrt(variance + eps)：eps 在根号里。",
        ),
        Slip(
            "没有 eps",
            without_eps,
            wrong="分量全相同时是 0 除以 0。",
            look="np.sqrt(variance + eps)。",
        ),
        Slip(
            "eps 写死了",
            eps_always_the_same,
            wrong="eps 是参数，现在总是 1e-5。",
            look="用参数 eps。",
        ),
        Slip(
            "沿 token 归一化了",
            over_the_tokens,
            wrong="每一列在所有 token 之间归一化：一个 token 的结果于是取决于别的 token。",
            look="沿最后一个轴（axis=-1），每个 token 只看自己的分量。",
        ),
        Slip(
            "对整个数组归一化了",
            over_everything,
            wrong="所有 token 共用一个平均和方差。",
            look="沿最后一个轴（axis=-1），并用 keepdims=True。",
        ),
        Slip(
            "每段文字合在一起归一化了",
            over_each_text,
            wrong="没有批量轴时对；有批量轴时，一段文字的所有 token 共用了一个平均。",
            look="只沿最后一个轴。",
        ),
        Slip(
            "除以了方差",
            divided_by_the_variance,
            wrong="要除以标准差，也就是方差的平方根。",
            look="np.sqrt(variance + eps)。",
        ),
        Slip(
            "没有减去平均",
            mean_not_subtracted,
            wrong="只除了标准差；每个 token 的平均应变成 0。",
            look="先减去 x.mean(axis=-1, keepdims=True)。",
        ),
        Slip(
            "做成了 RMSNorm",
            root_mean_square,
            wrong="这里除以了均方根，没有减平均：这是另一种归一化（RMSNorm）。",
            look="先减去平均，再除以标准差。",
        ),
        Slip(
            "没有除以标准差",
            not_divided,
            wrong="平均是 0 了，方差还不是 1。",
            look="再除以 np.sqrt(variance + eps)。",
        ),
        Slip(
            "长度变成了 1",
            length_one,
            wrong="除以了向量的长度；这样方差是 1/d_model，不是 1。",
            look="方差是平方的平均，不是平方的和。",
        ),
        Slip(
            "没有用增益和偏移",
            gain_and_shift_forgotten,
            wrong="归一化对了，gain 和 shift 没有用上。",
            look="最后：gain * 结果 + shift。",
        ),
        Slip(
            "没有用增益",
            gain_forgotten,
            wrong="gain 没有用上。",
            look="最后：gain * 结果 + shift。",
        ),
        Slip(
            "没有用偏移",
            shift_forgotten,
            wrong="shift 没有用上。",
            look="最后：gain * 结果 + shift。",
        ),
        Slip(
            "偏移也乘了增益",
            gain_on_the_shift_too,
            wrong="shift 也被 gain 放大了。",
            look="先乘 gain，再加 shift。",
        ),
        Slip(
            "增益用在了归一化之前",
            gain_before_the_mean,
            wrong="先缩放、再归一化，缩放就被抵消了一部分。",
            look="gain 和 shift 在归一化之后。",
        ),
        Slip(
            "方差和 eps 取了较大的",
            larger_of_variance_and_eps,
            wrong="方差比 eps 大时，eps 就没有用上；约定是总加上 eps。",
            look="np.sqrt(variance + eps)，不用 np.maximum。",
        ),
        Slip(
            "标准差和 eps 取了较大的",
            larger_of_std_and_eps,
            wrong="标准差比 eps 大时，eps 就没有用上；约定是方差加上 eps，再开平方。",
            look="np.sqrt(variance + eps)，不用 np.maximum。",
        ),
        Slip(
            "少了 keepdims=True",
            without_keepdims,
            wrong="平均和方差丢了最后一个轴，减的时候沿错了方向对齐；行数与列数相同时不报错，却是错的。",
            look="x.mean(axis=-1, keepdims=True)，方差同样。",
        ),
        Slip(
            "axis 写成了 1",
            axis_one,
            wrong="两个轴时，1 正好是最后一个轴；只有一个 token（一个轴）或有批量轴时就不是了。",
            look="axis=-1 总是最后一个轴。",
        ),
        Slip(
            "偏移减掉了",
            shift_subtracted,
            wrong="shift 应加上，现在减掉了。",
            look="最后：gain * 结果 + shift。",
        ),
    ),
    styles=(with_var, row_by_row, with_a_matrix, in_float32),
    hints=(
        "每个 token 只看自己：减去自己各分量的平均，再除以自己的标准差。",
        "平均和方差都沿 axis=-1，用 keepdims=True 保住那个轴。方差除以 d_model，eps 加在根号里。",
        "centred = x - x.mean(axis=-1, keepdims=True)；variance = (centred**2).mean(axis=-1, keepdims=True)；"
        "返回 gain * centred / np.sqrt(variance + eps) + shift。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x = np.asarray(x, dtype=float) -> (dropped)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
    },
)
