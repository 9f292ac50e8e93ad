"""Exercise `multihead.attention`: split, attend in every head, merge, mix."""

import numpy as np

from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import multihead as reference

CORE, MASK, BLIND, BATCH, MASK_BATCH, LARGE = (
    "没有掩码时",
    "所有的头共用一张掩码",
    "什么都不许看的一行为 0",
    "前面可以有批量轴",
    "一批句子各有自己的掩码",
    "很大的分数不溢出",
)


def _arguments(rng, batch, seq_len, n_heads, d_k, scale=1.0):
    d_model = n_heads * d_k
    x = scale * rng.normal(size=(*batch, seq_len, d_model))
    return (x, *(rng.normal(size=(4, d_model, d_model)) / np.sqrt(d_model) * 2), n_heads)


def _far_below():
    """Return x, w_q and w_k whose first token scores itself far below −1e4, and what follows it far above 1e4."""
    x = np.array([[1.0, 1.0], [-3.0, -3.0], [1.0, 2.0]])
    return np.concatenate([x, 2 * x], axis=1), 100 * np.eye(4), -100 * np.eye(4)  # a head each


def cases(rng):
    blind = np.tri(5, dtype=bool)
    blind[2] = False
    lengths = np.array([[[True, True, False]], [[True, True, True]]])  # (2, 1, 3)
    padding = np.repeat(lengths, 3, axis=1)  # (2, 1, 3) -> (2, 3, 3)
    float32 = [a.astype(np.float32) for a in _arguments(rng, (), 5, 2, 3)[:-1]]
    return [
        Case(CORE, (*_arguments(rng, (), 2, 2, 2), None)),
        Case(CORE, (*_arguments(rng, (), 5, 3, 2), None)),
        Case(CORE, (*float32, 2, None)),
        Case(CORE, (*_arguments(rng, (), 3, 1, 4), None)),
        Case(MASK, (*_arguments(rng, (), 3, 2, 5), np.tri(3, dtype=bool))),
        Case(MASK, (*_arguments(rng, (), 7, 5, 2), np.tri(7, k=1, dtype=bool) & ~np.tri(7, k=-4, dtype=bool))),
        Case(BLIND, (*_arguments(rng, (), 5, 3, 3), blind)),
        Case(BATCH, (*_arguments(rng, (2,), 3, 3, 2), None)),
        Case(BATCH, (*_arguments(rng, (2, 3), 5, 2, 3), np.tri(5, dtype=bool))),
        Case(MASK_BATCH, (*_arguments(rng, (2,), 3, 2, 3), padding)),
        Case(MASK_BATCH, (*_arguments(rng, (2,), 3, 3, 2), padding[::-1])),
        Case(LARGE, (*_arguments(rng, (), 3, 2, 2, scale=200.0), None)),
        Case(LARGE, (*_far_below(), *rng.normal(size=(2, 4, 4)), 2, np.tri(3, dtype=bool))),
    ]


def _softmax(scores, axis=-1):
    exps = np.exp(scores - np.maximum(np.max(scores, axis=axis, keepdims=True), -1e300))
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total > 0, total, 1)


def _split(x, n_heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -2, -3)


def _merge(heads):
    pieces = np.swapaxes(heads, -2, -3)
    return pieces.reshape(*pieces.shape[:-2], -1)


def _parts(x, w_q, w_k, w_v, n_heads):
    return tuple(_split(x @ w, n_heads) for w in (w_q, w_k, w_v))


def _scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def _shared(scores, mask, fill=-np.inf):
    return scores if mask is None else np.where(mask[..., None, :, :], scores, fill)


def _finished(weights, v, w_o):
    return _merge(weights @ v) @ w_o, weights


def split_without_transpose(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = ((x @ w).reshape(*x.shape[:-2], n_heads, x.shape[-2], -1) for w in (w_q, w_k, w_v))
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)


def merged_without_transpose(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    weights = _softmax(_shared(_scores(q, k), mask))
    return (weights @ v).reshape(*x.shape[:-1], -1) @ w_o, weights


def both_without_transpose(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = ((x @ w).reshape(*x.shape[:-2], n_heads, x.shape[-2], -1) for w in (w_q, w_k, w_v))
    weights = _softmax(_shared(_scores(q, k), mask))
    return (weights @ v).reshape(*x.shape[:-1], -1) @ w_o, weights


def columns_dealt_in_turn(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = (np.moveaxis((x @ w).reshape(*x.shape[:-1], -1, n_heads), -1, -3) for w in (w_q, w_k, w_v))
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)


def without_scaling(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(q @ np.swapaxes(k, -1, -2), mask)), v, w_o)


def divided_by_sqrt_d_model(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(q @ np.swapaxes(k, -1, -2) / np.sqrt(x.shape[-1]), mask)), v, w_o)


def divided_by_d_k(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(q @ np.swapaxes(k, -1, -2) / q.shape[-1], mask)), v, w_o)


def one_softmax_over_all_heads(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask), axis=(-3, -1)), v, w_o)


def softmax_over_the_heads(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask), axis=-3), v, w_o)


def w_o_forgotten(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    weights = _softmax(_shared(_scores(q, k), mask))
    return _merge(weights @ v), weights


def w_o_transposed(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o.T)


def heads_averaged(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    output, weights = _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)
    return output / n_heads, weights


def heads_averaged_before_mixing(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    weights = _softmax(_shared(_scores(q, k), mask))
    mean = (weights @ v).mean(axis=-3)
    return np.concatenate([mean] * n_heads, axis=-1) @ w_o, weights


def one_head_for_all(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    weights = _softmax(_shared(_scores(q[..., :1, :, :], k[..., :1, :, :]), mask))
    return _finished(np.repeat(weights, n_heads, axis=-3), v, w_o)


def without_splitting(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, 1)
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)


def mask_for_one_head(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = _scores(q, k)
    if mask is not None:
        scores[..., 0, :, :] = np.where(mask, scores[..., 0, :, :], -np.inf)
    return _finished(_softmax(scores), v, w_o)


def mask_without_axis_for_heads(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = _scores(q, k)
    return _finished(_softmax(scores if mask is None else np.where(mask, scores, -np.inf)), v, w_o)


def mask_ignored(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_scores(q, k)), v, w_o)


def mask_inverted(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), None if mask is None else ~mask)), v, w_o)


def mask_after_the_softmax(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_shared(_softmax(_scores(q, k)), mask, fill=0.0), v, w_o)


def blind_row_looks_everywhere(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask, fill=-1e9)), v, w_o)


def ten_thousand_below(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask, fill=-1e4)), v, w_o)


def ten_thousand_below_blind_row_zero(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    weights = _softmax(_shared(_scores(q, k), mask, fill=-1e4))
    return _finished(weights if mask is None else weights * mask.any(axis=-1)[..., None, :, None], v, w_o)


def ten_thousand_subtracted(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = _scores(q, k)
    if mask is not None:
        scores = scores - 1e4 * ~mask[..., None, :, :]
    return _finished(_softmax(scores), v, w_o)


def blind_row_looks_as_if_unmasked(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = _scores(q, k)
    if mask is not None:
        scores = scores - 1e9 * ~mask[..., None, :, :]
    return _finished(_softmax(scores), v, w_o)


def softmax_over_the_queries(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask), axis=-2), v, w_o)


def queries_and_keys_exchanged(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_k, w_q, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)


def blind_row_is_nan(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = _shared(_scores(q, k), mask)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return _finished(exps / exps.sum(axis=-1, keepdims=True), v, w_o)


def weights_averaged_over_the_heads(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    output, weights = _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)
    return output, weights.mean(axis=-3)


def weights_and_output_exchanged(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    output, weights = _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)
    return weights, output


def residual_added(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    output, weights = _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)
    return x + output, weights


def mask_transposed(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    turned = None if mask is None else np.swapaxes(mask, -1, -2)
    return _finished(_softmax(_shared(_scores(q, k), turned)), v, w_o)


def divided_by_sqrt_n_heads(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(q @ np.swapaxes(k, -1, -2) / np.sqrt(n_heads), mask)), v, w_o)


def always_causal(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    scores = np.where(np.tri(x.shape[-2], dtype=bool), _shared(_scores(q, k), mask), -np.inf)
    return _finished(_softmax(scores), v, w_o)


def causal_in_place_of_the_mask(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), np.tri(x.shape[-2], dtype=bool))), v, w_o)


def values_from_w_k(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_k, n_heads)
    return _finished(_softmax(_shared(_scores(q, k), mask)), v, w_o)


def one_sentence_only(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    seq_len, d_model = x.shape
    q, k, v = ((x @ w).reshape(seq_len, n_heads, -1).transpose(1, 0, 2) for w in (w_q, w_k, w_v))
    weights = _softmax(_shared(_scores(q, k), mask))
    return (weights @ v).transpose(1, 0, 2).reshape(seq_len, d_model) @ w_o, weights


def batch_always_there(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    batch, seq_len, d_model = x.shape
    q, k, v = ((x @ w).reshape(batch, seq_len, n_heads, -1).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v))
    weights = _softmax(_shared(_scores(q, k), mask))
    return (weights @ v).transpose(0, 2, 1, 3).reshape(batch, seq_len, d_model) @ w_o, weights


def overflowing(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    exps = np.exp(_shared(_scores(q, k), mask))
    total = exps.sum(axis=-1, keepdims=True)
    return _finished(exps / np.where(total > 0, total, 1), v, w_o)


def overflowing_and_blind_row_is_nan(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    q, k, v = _parts(x, w_q, w_k, w_v, n_heads)
    exps = np.exp(_shared(_scores(q, k), mask))
    return _finished(exps / exps.sum(axis=-1, keepdims=True), v, w_o)


def head_by_head(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d_k = w_q.shape[1] // n_heads
    outputs, weights = [], []
    for h in range(n_heads):
        columns = slice(h * d_k, (h + 1) * d_k)
        q, k, v = x @ w_q[:, columns], x @ w_k[:, columns], x @ w_v[:, columns]
        scores = q @ np.swapaxes(k, -1, -2) / d_k**0.5
        scores = scores if mask is None else np.where(mask, scores, -np.inf)
        exps = np.exp(scores - np.nan_to_num(scores.max(axis=-1, keepdims=True), neginf=0.0))
        total = exps.sum(axis=-1, keepdims=True)
        weights.append(exps / np.where(total > 0, total, 1.0))
        outputs.append(weights[-1] @ v)
    return np.concatenate(outputs, axis=-1) @ w_o, np.stack(weights, axis=-3)


def adding_what_each_head_writes(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    d_model = w_q.shape[0]
    d_k = d_model // n_heads
    blocks = [w.reshape(d_model, n_heads, d_k) for w in (w_q, w_k, w_v)]
    q, k, v = (np.einsum("...nd,dhe->...hne", x, block) for block in blocks)
    scores = np.einsum("...hie,...hje->...hij", q, k) * d_k**-0.5
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed = np.broadcast_to(np.expand_dims(mask, -3), scores.shape)
    exps = np.where(allowed, np.exp(scores - np.max(scores, axis=-1, keepdims=True, where=allowed, initial=-1e300)), 0)
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), 1e-300)
    return np.einsum("...hij,...hje,hed->...id", weights, v, w_o.reshape(n_heads, d_k, d_model)), weights


def one_sentence_at_a_time(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    if x.ndim > 2:
        masks = [mask] * len(x) if mask is None or mask.ndim == 2 else mask
        pairs = [one_sentence_at_a_time(a, w_q, w_k, w_v, w_o, n_heads, m) for a, m in zip(x, masks, strict=True)]
        return [np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])]
    seq_len, d_model = x.shape
    q, k, v = ((x @ w).reshape(seq_len, n_heads, -1).transpose(1, 0, 2) for w in (w_q, w_k, w_v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(d_model // n_heads)
    seen = np.ones((seq_len, seq_len), dtype=bool) if mask is None else mask
    exps = np.exp(np.where(seen, scores, -1e30) - np.where(seen, scores, -1e30).max(-1, keepdims=True)) * seen
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), 1e-300)
    return (weights @ v).transpose(1, 0, 2).reshape(seq_len, d_model) @ w_o, weights


def in_float32(x, w_q, w_k, w_v, w_o, n_heads, mask=None):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float32) for a in (x, w_q, w_k, w_v, w_o))
    q, k, v = (np.stack(np.split(x @ w, n_heads, axis=-1), axis=-3) for w in (w_q, w_k, w_v))
    scores = (q / np.float32(np.sqrt(q.shape[-1]))) @ np.swapaxes(k, -1, -2)
    if mask is not None:
        scores = np.where(mask[..., np.newaxis, :, :], scores, np.float32(-np.inf))
    exps = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0))
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30))
    heads = weights @ v
    return np.concatenate([heads[..., h, :, :] for h in range(n_heads)], axis=-1) @ w_o, weights


EXERCISE = Exercise(
    id="multihead.attention",
    title="多头注意力",
    points=4,
    reference=reference.multihead_attention,
    returns=("output", "weights"),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.35),
        Behaviour(MASK, 0.2),
        Behaviour(BLIND, 0.1),
        Behaviour(BATCH, 0.15),
        Behaviour(MASK_BATCH, 0.1),
        Behaviour(LARGE, 0.1),
    ),
    properties=(
        Property(
            "每个头的每一行的和是 1（或整行为 0）",
            lambda output, weights: bool(
                (np.isclose(weights.sum(-1), 1, atol=1e-4) | np.isclose(weights.sum(-1), 0, atol=1e-6)).all()
            ),
        ),
    ),
    slips=(
        Slip(
            "拆头时没有换轴",
            split_without_transpose,
            wrong="拆头只改了形状：头 0 拿到的全是前几个 token 的片段，第 i 行不再是第 i 个 token。",
            look="用 split_heads：先 reshape 成 (..., seq_len, n_heads, d_k)，再换轴。",
        ),
        Slip(
            "合并时没有换轴",
            merged_without_transpose,
            wrong="每个头都对，合并只改了形状：一个 token 的一行里接上了别的 token。",
            look="用 merge_heads：先换轴，再 reshape。",
        ),
        Slip(
            "拆头和合并都没有换轴",
            both_without_transpose,
            wrong="两次都只改了形状：每个头只看得到几个 token 的片段，合并时又照样放了回去。",
            look="用 split_heads 和 merge_heads，两头都要换轴。",
        ),
        Slip(
            "列是轮流发给各头的",
            columns_dealt_in_turn,
            wrong="第 h 个头拿到了第 h、h + n_heads…… 列；约定是每个头拿连续的 d_k 列。",
            look="reshape 时 n_heads 在前，d_k 在后。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="拆头之后直接用 attention，缩放在里面。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="分布太平：每个头的点积只有 d_k 项，却除以了 √d_model。",
            look="除以 √d_k，而 d_k = d_model / n_heads。先拆头，再做 attention。",
        ),
        Slip(
            "除以了 d_k",
            divided_by_d_k,
            wrong="分布太平：要除的是 √d_k。",
            look="拆头之后直接用 attention，缩放在里面。",
        ),
        Slip(
            "所有的头共用了一个 softmax",
            one_softmax_over_all_heads,
            wrong="一个查询在所有头里的权重加起来才是 1：头与头在互相争抢。",
            look="每个头各做各的 softmax，只沿最后一个轴（键）。",
        ),
        Slip(
            "沿头的轴做了 softmax",
            softmax_over_the_heads,
            wrong="现在是各个头争一个键；应是各个键争一个查询。",
            look="softmax 沿最后一个轴（键）做。",
        ),
        Slip(
            "忘了 w_o",
            w_o_forgotten,
            wrong="合并之后没有乘 w_o：各个头带回来的东西只是并排放着，没有混合。",
            look="最后一步：merged @ w_o。",
        ),
        Slip(
            "w_o 转置了",
            w_o_transposed,
            wrong="用了 w_o.T。",
            look="w_o 的行对应合并后的列：merged @ w_o 已经对得上。",
        ),
        Slip(
            "各个头的结果取了平均",
            heads_averaged,
            wrong="每个头写出的内容应当相加（拼接后乘 w_o 就是相加），不是平均：现在小了 n_heads 倍。",
            look="merge_heads 之后乘 w_o，不要再除以 n_heads。",
        ),
        Slip(
            "先平均、没有拼接",
            heads_averaged_before_mixing,
            wrong="拼接之前先把各个头平均了：不同的头带来的不同内容混在一起，w_o 再也分不开。",
            look="把 n_heads 段并排放好（merge_heads），再乘 w_o。",
        ),
        Slip(
            "所有的头用了同一组权重",
            one_head_for_all,
            wrong="每个头的权重都和头 0 一样。",
            look="q、k、v 都要拆头，让每个头用自己的 q 和 k。",
        ),
        Slip(
            "没有拆头",
            without_splitting,
            wrong="这是一个大头：权重应有 n_heads 张，现在只有一张。",
            look="投影之后，对 q、k、v 各用一次 split_heads。",
        ),
        Slip(
            "掩码只给了头 0",
            mask_for_one_head,
            wrong="头 0 遮住了，别的头照样看得到：只要一个头偷看，输出就泄露了。",
            look="所有的头共用一张掩码，让它沿头的轴广播。",
        ),
        Slip(
            "掩码少了头的轴",
            mask_without_axis_for_heads,
            wrong="一张掩码时正好；一批掩码 (batch, n, n) 遇上 (batch, n_heads, n, n) 时，batch 对到了头上。",
            look="给掩码加一个长 1 的头轴：mask[..., None, :, :]。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样。",
            look="调用 attention 时把 mask 也传进去。",
        ),
        Slip(
            "掩码真假反了",
            mask_inverted,
            wrong="遮住的正好是可以看的键：约定是 True = 可以看。",
            look="mask 为 True 时保留分数。",
        ),
        Slip(
            "掩码用在了 softmax 之后",
            mask_after_the_softmax,
            wrong="被遮住的权重是 0，但剩下的加起来不到 1。",
            look="先把不许看的分数变成 −∞，再做 softmax。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="整行被遮住的查询，把权重平均分给了不许看的键。",
            look="用 −∞ 遮住，并处理总和为 0 的行；前面给出的 attention 已经做到了。",
        ),
        finite_mask.filled(ten_thousand_below, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        finite_mask.filled_with_blind_row_zero(
            ten_thousand_below_blind_row_zero, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"
        ),
        finite_mask.subtracted(ten_thousand_subtracted, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        Slip(
            "什么都不许看的一行变成了 NaN",
            blind_row_is_nan,
            wrong="整行都是 −∞ 时，−∞ − (−∞) 得 NaN。",
            look="前面给出的 attention 已经处理了这种行，可以直接调用。",
        ),
        Slip(
            "返回了各头权重的平均",
            weights_averaged_over_the_heads,
            wrong="输出是对的，但第二个结果把各个头平均了（有的库默认这样做），看不出各头在做什么。",
            look="原样返回 (..., n_heads, seq_len, seq_len) 的权重。",
        ),
        Slip(
            "输出和权重对调了",
            weights_and_output_exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 output，再返回 weights。",
        ),
        Slip(
            "多加了残差",
            residual_added,
            wrong="输出里多了一个 x；残差连接属于 4.4 节的 block。",
            look="只返回 merged @ w_o。",
        ),
        Slip(
            "什么都不许看的一行像没有掩码一样",
            blind_row_looks_as_if_unmasked,
            wrong="给一整行都减去同样大的数，softmax 的结果不变：这一行照样看了所有的键，应是 0。",
            look="不许看的分数换成 −∞，不要减一个大数；整行都是 −∞ 时，权重记为 0。",
        ),
        Slip(
            "沿查询做了 softmax",
            softmax_over_the_queries,
            wrong="每一列的和是 1；应是每个查询（一行）在所有的键之间分配。",
            look="softmax 沿最后一个轴：axis=-1。",
        ),
        Slip(
            "q 和 k 对调了",
            queries_and_keys_exchanged,
            wrong="提问用了 w_k，被问用了 w_q：分数矩阵转置了。",
            look="q = x @ w_q，k = x @ w_k；分数是 q @ kᵀ。",
        ),
        Slip(
            "掩码转置了",
            mask_transposed,
            wrong="掩码的行和列对调了：行是查询，列是键，mask[i, j] 说的是 i 可不可以看 j。",
            look="不要转置，只加一个头的轴：mask[..., None, :, :]。",
        ),
        Slip(
            "除以了 √n_heads",
            divided_by_sqrt_n_heads,
            wrong="除数用了头的个数；点积的大小取决于每个点积加了多少项，而那是 d_k。",
            look="除以 √d_k，d_k = d_model / n_heads。拆头之后直接用 attention，缩放在里面。",
        ),
        Slip(
            "总加了因果掩码",
            always_causal,
            wrong="没有给掩码时，也只能看自己和前面了：能看什么，由 mask 说了算。",
            look="mask 是 None 就什么都不遮；只用传进来的 mask。",
        ),
        Slip(
            "用因果掩码代替了传进来的掩码",
            causal_in_place_of_the_mask,
            wrong="不管传进来什么掩码，用的都是因果掩码。",
            look="mask 是 None 就什么都不遮；只用传进来的 mask。",
        ),
        Slip(
            "v 用了 w_k",
            values_from_w_k,
            wrong="键和值用了同一个矩阵：权重是对的，取回来的却是键。",
            look="v = split_heads(x @ w_v, n_heads)。",
        ),
        Slip(
            "只能处理一个句子",
            one_sentence_only,
            wrong="没有批量轴时正确；有批量轴时，形状就拆不出来了。",
            look="用前面写好的 split_heads 和 merge_heads：它们保留前面的轴。",
        ),
        Slip(
            "只能处理一批句子",
            batch_always_there,
            wrong="认定了 x 有三个轴；一个句子只有两个，几批句子有四个。",
            look="用前面写好的 split_heads 和 merge_heads：前面有几个轴都行。",
        ),
        Slip(
            "指数溢出了",
            overflowing,
            wrong="分数很大时 exp 变成无穷大。",
            look="先减去每一行的最大值；前面给出的 attention 已经这样做了。",
        ),
        Slip(
            "指数溢出了，什么都不许看的一行成了 NaN",
            overflowing_and_blind_row_is_nan,
            wrong="分数很大时 exp 变成无穷大；整行都遮住时，是 0 除以 0。",
            look="先减去每一行的最大值，并处理总和为 0 的行；前面给出的 attention 两样都做到了。",
        ),
    ),
    styles=(head_by_head, adding_what_each_head_writes, one_sentence_at_a_time, in_float32),
    hints=(
        "四步：投影，拆头，每个头各做一次注意力，合并后乘 w_o。工具前面都有：split_heads、attention、merge_heads。",
        "拆好的 (..., n_heads, seq_len, d_k) 可以直接传给 attention：头的轴就像批量轴。掩码要能沿头的轴广播。",
        "q, k, v = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))；mask 不是 None 时用 mask[..., None, :, :]；"
        "heads, weights = attention(q, k, v, mask)；返回 merge_heads(heads) @ w_o 和 weights。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(mask) -> mask",
            "np.asarray(w_o, dtype=float) -> w_o",
            "np.asarray(w_o, dtype=float) -> np.asarray(w_o)",
        ),
        CHECKS_SHAPES: (
            "_require_rows(w_o, merged.shape[-1]) -> (dropped)",
            "_require_rows(w_o, merged.shape[-1]) -> w_o",
        ),
    },
)
