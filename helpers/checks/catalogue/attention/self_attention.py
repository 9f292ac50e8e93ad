"""Exercise `attention.self_attention`: a sequence looks at itself."""

import numpy as np

from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, MASK, BATCH, LARGE = "没有掩码时", "掩码传下去了", "前面可以有批量轴", "很大的分数不溢出"


def _arguments(rng, batch, seq_len, d_model, d_k, d_v):
    shapes = ((*batch, seq_len, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def _far_below():
    """Return tokens, w_q and w_k that give scores far below −1e4, the lowest where a causal mask hides them."""
    return np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]]), 100 * np.eye(2), -100 * np.eye(2)


def cases(rng):
    blind = np.tri(5, dtype=bool)
    blind[3] = False
    x, w_q, w_k, w_v = _arguments(rng, (), 3, 5, 7, 2)
    return [
        Case(CORE, (*_arguments(rng, (), 2, 3, 3, 3), None)),
        Case(CORE, (*_arguments(rng, (), 5, 7, 2, 3), None)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 2, 5, 7)) + (None,)),
        Case(MASK, (*_arguments(rng, (), 3, 5, 2, 7), np.tri(3, dtype=bool))),
        Case(MASK, (*_arguments(rng, (), 5, 3, 7, 2), blind)),
        Case(BATCH, (*_arguments(rng, (2,), 3, 5, 7, 2), np.tri(3, dtype=bool))),
        Case(BATCH, (*_arguments(rng, (2, 3), 5, 3, 2, 7), None)),
        Case(LARGE, (100 * np.round(x), 10 * np.round(w_q), 10 * np.round(w_k), w_v, None)),
        Case(LARGE, (*_far_below(), rng.normal(size=(2, 4)), np.tri(3, dtype=bool))),
    ]


def _attention(q, k, v, mask, scale):
    scores = q @ np.swapaxes(k, -1, -2) / scale
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    weights = exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)
    return weights @ v, weights


def without_scaling(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_k, x @ w_v, mask, 1.0)


def divided_by_sqrt_d_model(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_k, x @ w_v, mask, np.sqrt(x.shape[-1]))


def mask_not_passed_on(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_k, x @ w_v, None, np.sqrt(w_q.shape[-1]))


def values_not_projected(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_k, x, mask, np.sqrt(w_q.shape[-1]))


def keys_as_values(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_k, x @ w_k, mask, np.sqrt(w_q.shape[-1]))


def keys_from_w_q(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q, x @ w_q, x @ w_v, mask, np.sqrt(w_q.shape[-1]))


def query_and_key_exchanged(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_k, x @ w_q, x @ w_v, mask, np.sqrt(w_q.shape[-1]))


def without_projections(x, w_q, w_k, w_v, mask=None):
    return _attention(x, x, x, mask, np.sqrt(x.shape[-1]))


def with_transposed_matrices(x, w_q, w_k, w_v, mask=None):
    return _attention(x @ w_q.T, x @ w_k.T, x @ w_v.T, mask, np.sqrt(w_q.shape[-1]))


def transposing_all_axes(x, w_q, w_k, w_v, mask=None):
    q, k = x @ w_q, x @ w_k
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    exps = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    weights = exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)
    return weights @ (x @ w_v), weights


def exponential_overflows(x, w_q, w_k, w_v, mask=None):
    q, k = x @ w_q, x @ w_k
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores if mask is None else np.where(mask, scores, -np.inf))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    return weights @ (x @ w_v), weights


def _hidden_by(x, w_q, w_k, w_v, mask, hidden):
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
    scores = scores if mask is None else hidden(scores)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w_v), weights


def ten_thousand_below_blind_row_zero(x, w_q, w_k, w_v, mask=None):
    output, weights = ten_thousand_below(x, w_q, w_k, w_v, mask)
    seen = 1.0 if mask is None else mask.any(axis=-1, keepdims=True)
    return output * seen, weights * seen


def ten_thousand_below(x, w_q, w_k, w_v, mask=None):
    return _hidden_by(x, w_q, w_k, w_v, mask, lambda scores: np.where(mask, scores, -1e4))


def blind_row_looks_everywhere(x, w_q, w_k, w_v, mask=None):
    return _hidden_by(x, w_q, w_k, w_v, mask, lambda scores: np.where(mask, scores, -1e9))


def residual_added(x, w_q, w_k, w_v, mask=None):
    output, weights = _attention(x @ w_q, x @ w_k, x @ w_v, mask, np.sqrt(w_q.shape[-1]))
    return x + output, weights


def one_query_at_a_time(x, w_q, w_k, w_v, mask=None):
    if np.ndim(x) > 2:
        return tuple(zip(*(one_query_at_a_time(one, w_q, w_k, w_v, mask) for one in x), strict=True))
    outputs, weights = [], []
    for i, token in enumerate(x):
        seen = np.ones(len(x), dtype=bool) if mask is None else mask[i]
        scores = np.array([(token @ w_q) @ (other @ w_k) for other in x]) / w_q.shape[1] ** 0.5
        row = np.where(seen, np.exp(scores - np.max(scores, where=seen, initial=-1e300)), 0.0)
        row = row / row.sum() if row.sum() else row
        weights.append(row)
        outputs.append(sum(w * (other @ w_v) for w, other in zip(row, x, strict=True)))
    return np.array(outputs), np.array(weights)


def with_einsum(x, w_q, w_k, w_v, mask=None):
    scores = np.einsum("...id,de,fe,...jf->...ij", x, w_q, w_k, x) / np.sqrt(w_q.shape[-1])
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    exps = np.exp(np.where(allowed, scores, -1e30) - np.where(allowed, scores, -1e30).max(-1, keepdims=True)) * allowed
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), 1e-300)
    return np.einsum("...ij,...jd,de->...ie", weights, x, w_v), weights


def mixing_before_projecting(x, w_q, w_k, w_v, mask=None):
    form = w_q @ w_k.T / np.sqrt(w_q.shape[-1])
    scores = x @ form @ np.swapaxes(x, -1, -2)
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    exps = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0.0))
    total = exps.sum(-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1)
    return (weights @ x) @ w_v, weights


def in_float32(x, w_q, w_k, w_v, mask=None):
    x, w_q, w_k, w_v = (np.asarray(a, dtype=np.float32) for a in (x, w_q, w_k, w_v))
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.float32(w_q.shape[1]) ** np.float32(0.5)
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    exps = np.exp(scores - scores.max(-1, keepdims=True)) * allowed
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30))
    return [weights @ (x @ w_v), weights]


EXERCISE = Exercise(
    id="attention.self_attention",
    title="自注意力",
    points=1,
    reference=reference.self_attention,
    returns=("output", "weights"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.4), Behaviour(MASK, 0.3), Behaviour(BATCH, 0.2), Behaviour(LARGE, 0.1)),
    slips=(
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="用上一题的 attention，缩放已经在里面。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="缩放用了 x 的宽度 d_model；点积是在投影之后、d_k 维里做的。",
            look="d_k 是 w_q 的列数，也就是 q.shape[-1]。",
        ),
        Slip(
            "掩码没有传下去",
            mask_not_passed_on,
            wrong="给不给掩码，结果都一样。",
            look="调用 attention 时把 mask 也传进去。",
        ),
        Slip(
            "值没有投影",
            values_not_projected,
            wrong="权重对了，但收集的是 x 本身，没有乘 w_v。",
            look="值是 x @ w_v。",
        ),
        Slip(
            "把键当作值",
            keys_as_values,
            wrong="权重对了，但收集的是键 x @ w_k，不是值 x @ w_v。",
            look="第三个投影用 w_v。",
        ),
        Slip(
            "键用了 w_q",
            keys_from_w_q,
            wrong="查询和键用了同一个矩阵：关系又变回对称的。",
            look="键是 x @ w_k。",
        ),
        Slip(
            "查询和键对调了",
            query_and_key_exchanged,
            wrong="谁看谁的方向反了。",
            look="查询用 w_q，键用 w_k。",
        ),
        Slip(
            "没有投影",
            without_projections,
            wrong="直接用 x 作查询、键和值：三个矩阵没有用到。",
            look="先用 project 得到 q、k、v。",
        ),
        Slip(
            "没有照顾批量轴",
            transposing_all_axes,
            wrong="二维时正确；有批量轴时就不对了（例如 k.T 会把批量轴也倒过来）。",
            look="调用上一题的 attention，或用 np.swapaxes(k, -1, -2)。",
        ),
        Slip(
            "没有先减去最大值",
            exponential_overflows,
            wrong="分数很大时 exp 溢出成无穷大，权重变成 NaN。",
            look="调用上一题的 attention 和前面的 softmax。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="用 −1e9 遮住时，整行被遮住的查询会把权重平均分给所有不许看的键。",
            look="调用上一题的 attention：这样的一行权重全为 0。",
        ),
        finite_mask.filled(ten_thousand_below, look="调用上一题的 attention，在那里用 −∞ 遮住。"),
        finite_mask.filled_with_blind_row_zero(
            ten_thousand_below_blind_row_zero, look="调用上一题的 attention，在那里用 −∞ 遮住。"
        ),
        Slip(
            "权重矩阵转置了",
            with_transposed_matrices,
            wrong="用了 w.T。",
            look="w_q 的形状是 (d_model, d_k)：x @ w_q 已经对得上。",
        ),
        Slip(
            "多加了残差连接",
            residual_added,
            wrong="输出里多了一个 x；残差连接属于 4.4 节的 Transformer 块，不属于自注意力本身。",
            look="只返回 attention 的输出。",
        ),
    ),
    styles=(one_query_at_a_time, with_einsum, mixing_before_projecting, in_float32),
    hints=(
        "两步：先投影，再做注意力。两个函数前面都写过了。",
        "q、k、v 都来自同一个 x；掩码在 attention 里起作用。",
        "q, k, v = project(x, w_q, w_k, w_v)；然后返回 attention(q, k, v, mask) 的结果。",
    ),
)
