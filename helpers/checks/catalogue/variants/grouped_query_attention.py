"""Exercise `variants.grouped_query_attention`: several query heads share one head of keys and values."""

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import grouped as reference

CORE, ENDS, MASK, BATCH = (
    "几个查询头共用一个键值头",
    "两端：一个不共用，全部共用",
    "掩码对每个头都起作用",
    "前面可以有批量轴",
)


def _arguments(rng, batch, n_heads, n_kv_heads, n_queries, n_keys, d_k, d_v):
    return (
        rng.normal(size=(*batch, n_heads, n_queries, d_k)),
        rng.normal(size=(*batch, n_kv_heads, n_keys, d_k)),
        rng.normal(size=(*batch, n_kv_heads, n_keys, d_v)),
    )


def _mask(rng, *shape):
    """Return a random mask in which every query may look at something, and not at everything."""
    mask = rng.random(shape) < 0.5
    mask[..., 0], mask[..., -1] = True, False
    return mask


def cases(rng):
    blind = _mask(rng, 3, 5)
    blind[1] = False
    return [
        Case(CORE, (*_arguments(rng, (), 4, 2, 2, 3, 2, 1), None)),
        Case(CORE, (*_arguments(rng, (), 6, 2, 3, 5, 4, 2), None)),
        Case(CORE, _arguments(rng, (), 6, 3, 5, 2, 3, 7)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 8, 2, 2, 5, 7, 3)) + (None,)),
        Case(ENDS, (*_arguments(rng, (), 3, 3, 2, 5, 4, 2), None)),
        Case(ENDS, (*_arguments(rng, (), 5, 1, 2, 3, 2, 4), None)),
        Case(MASK, (*_arguments(rng, (), 4, 2, 5, 5, 3, 2), np.tri(5, dtype=bool))),
        Case(MASK, (*_arguments(rng, (), 6, 2, 3, 7, 5, 2), _mask(rng, 3, 7))),
        Case(MASK, (*_arguments(rng, (), 6, 3, 3, 5, 2, 4), blind)),
        Case(BATCH, (*_arguments(rng, (2,), 6, 2, 3, 5, 7, 4), None)),
        Case(BATCH, (*_arguments(rng, (3,), 4, 2, 2, 5, 3, 1), _mask(rng, 3, 2, 5))),
        Case(BATCH, (*_arguments(rng, (2, 3), 6, 3, 5, 2, 4, 7), _mask(rng, 5, 2))),
    ]


def _softmax(scores):
    largest = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1.0)


def _attention(q, k, v, mask=None, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    weights = _softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return weights @ v, weights


def _for_all_heads(mask):
    return None if mask is None else mask[..., None, :, :]


def _repeated(q, k, v):
    group_size = q.shape[-3] // k.shape[-3]
    return np.repeat(k, group_size, axis=-3), np.repeat(v, group_size, axis=-3)


def _tiled(q, heads):
    return np.concatenate([heads] * (q.shape[-3] // heads.shape[-3]), axis=-3)


def heads_in_the_wrong_order(q, k, v, mask=None):
    return _attention(q, _tiled(q, k), _tiled(q, v), _for_all_heads(mask))


def keys_and_values_of_different_groups(q, k, v, mask=None):
    return _attention(q, _repeated(q, k, v)[0], _tiled(q, v), _for_all_heads(mask))


def values_of_the_right_group_keys_not(q, k, v, mask=None):
    return _attention(q, _tiled(q, k), _repeated(q, k, v)[1], _for_all_heads(mask))


def all_ask_the_first(q, k, v, mask=None):
    return _attention(q, k[..., :1, :, :], v[..., :1, :, :], _for_all_heads(mask))


def group_number_as_size(q, k, v, mask=None):
    n_kv_heads = k.shape[-3]
    chosen = np.minimum(np.arange(q.shape[-3]) // n_kv_heads, n_kv_heads - 1)
    return _attention(q, k[..., chosen, :, :], v[..., chosen, :, :], _for_all_heads(mask))


def repeated_n_kv_times(q, k, v, mask=None):
    k, v = (np.repeat(a, a.shape[-3], axis=-3) for a in (k, v))
    return _attention(q, k, v, _for_all_heads(mask))


def not_repeated(q, k, v, mask=None):
    return _attention(q, k, v, _for_all_heads(mask))


def queries_averaged(q, k, v, mask=None):
    shape = (*q.shape[:-3], k.shape[-3], -1, *q.shape[-2:])
    return _attention(q.reshape(shape).mean(axis=-3), k, v, _for_all_heads(mask))


def outputs_of_a_group_averaged(q, k, v, mask=None):
    output, weights = _attention(q, *_repeated(q, k, v), _for_all_heads(mask))
    grouped = output.reshape(*output.shape[:-3], k.shape[-3], -1, *output.shape[-2:])
    return np.repeat(grouped.mean(axis=-3), q.shape[-3] // k.shape[-3], axis=-3), weights


def keys_averaged(q, k, v, mask=None):
    return _attention(q, k.mean(axis=-3, keepdims=True), v.mean(axis=-3, keepdims=True), _for_all_heads(mask))


def along_the_wrong_axis(q, k, v, mask=None):
    group_size = q.shape[0] // k.shape[0]
    return _attention(q, np.repeat(k, group_size, axis=0), np.repeat(v, group_size, axis=0), _for_all_heads(mask))


def groups_left_apart(q, k, v, mask=None):
    apart = q.reshape(*q.shape[:-3], k.shape[-3], -1, *q.shape[-2:])
    mask = None if mask is None else mask[..., None, None, :, :]
    return _attention(apart, k[..., None, :, :], v[..., None, :, :], mask)


def regrouped_by_stride(q, k, v, mask=None):
    apart = np.swapaxes(q.reshape(*q.shape[:-3], k.shape[-3], -1, *q.shape[-2:]), -3, -4)
    mask = None if mask is None else mask[..., None, None, :, :]
    output, weights = _attention(apart, k[..., None, :, :, :], v[..., None, :, :, :], mask)
    shape = q.shape[:-2]
    return output.reshape(*shape, *output.shape[-2:]), weights.reshape(*shape, *weights.shape[-2:])


def without_scaling(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v), _for_all_heads(mask), scale=1.0)


def divided_by_all_heads(q, k, v, mask=None):
    scale = np.sqrt(q.shape[-1] * q.shape[-3])
    return _attention(q, *_repeated(q, k, v), _for_all_heads(mask), scale=scale)


def mask_ignored(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v))


def mask_inverted(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v), None if mask is None else ~_for_all_heads(mask))


def mask_after_the_softmax(q, k, v, mask=None):
    k, v = _repeated(q, k, v)
    _, weights = _attention(q, k, v)
    weights = weights if mask is None else weights * _for_all_heads(mask)
    return weights @ v, weights


def blind_row_looks_everywhere(q, k, v, mask=None):
    k, v = _repeated(q, k, v)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    weights = _softmax(scores if mask is None else np.where(_for_all_heads(mask), scores, -1e9))
    return weights @ v, weights


def mask_without_an_axis_for_heads(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v), mask)


def weights_and_output_exchanged(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v), _for_all_heads(mask))[::-1]


def heads_merged(q, k, v, mask=None):
    output, weights = _attention(q, *_repeated(q, k, v), _for_all_heads(mask))
    side_by_side = np.swapaxes(output, -2, -3)
    return side_by_side.reshape(*side_by_side.shape[:-2], -1), weights


def queries_averaged_and_repeated(q, k, v, mask=None):
    grouped = q.reshape(*q.shape[:-3], k.shape[-3], -1, *q.shape[-2:]).mean(axis=-3)
    q = np.repeat(grouped, q.shape[-3] // k.shape[-3], axis=-3)
    return _attention(q, *_repeated(q, k, v), _for_all_heads(mask))


def truth_of_the_mask(q, k, v, mask=None):
    return _attention(q, *_repeated(q, k, v), _for_all_heads(mask) if mask else None)


def blind_row_is_nan(q, k, v, mask=None):
    k, v = _repeated(q, k, v)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = scores if mask is None else np.where(_for_all_heads(mask), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def head_by_head(q, k, v, mask=None):
    if np.ndim(q) > 3:
        masks = mask if mask is not None and np.ndim(mask) > 2 else [mask] * len(q)
        pairs = [head_by_head(*one) for one in zip(q, k, v, masks, strict=True)]
        return [output for output, _ in pairs], [weights for _, weights in pairs]
    group_size = len(q) // len(k)
    outputs, all_weights = [], []
    for h, queries in enumerate(q):
        keys, values = k[h // group_size], v[h // group_size]
        scores = np.array([[a @ b for b in keys] for a in queries]) / len(queries[0]) ** 0.5
        exps = np.exp(scores - scores.max(axis=1)[:, None]) if mask is None else np.exp(scores) * mask
        shares = np.array([row / row.sum() if row.any() else row for row in exps])
        outputs.append(shares @ values)
        all_weights.append(shares)
    return outputs, all_weights


def with_a_group_axis(q, k, v, mask=None):
    *batch, n_heads, n_queries, d_k = q.shape
    n_kv_heads = k.shape[-3]
    grouped = q.reshape(*batch, n_kv_heads, n_heads // n_kv_heads, n_queries, d_k)
    scores = np.einsum("...ghnd,...gmd->...ghnm", grouped, k) / np.sqrt(d_k)
    if mask is not None:
        scores = np.where(np.asarray(mask)[..., np.newaxis, np.newaxis, :, :], scores, -1e300)
    weights = np.exp(scores - scores.max(-1, keepdims=True)) * (scores > -1e299)
    weights = weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300)
    output = np.einsum("...ghnm,...gmd->...ghnd", weights, v)
    return (
        output.reshape(*batch, n_heads, n_queries, -1),
        weights.reshape(*batch, n_heads, n_queries, k.shape[-2]),
    )


def with_an_index(q, k, v, mask=None):
    chosen = [h * k.shape[-3] // q.shape[-3] for h in range(q.shape[-3])]
    keys, values = np.take(k, chosen, axis=-3), np.take(v, chosen, axis=-3)
    scores = np.matmul(q, keys.swapaxes(-1, -2)) * q.shape[-1] ** -0.5
    allowed = np.ones(scores.shape) if mask is None else np.broadcast_to(mask[..., None, :, :], scores.shape)
    weights = np.exp(scores) * allowed
    total = weights.sum(axis=-1)[..., None]
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return weights @ values, weights


def in_float32(q, k, v, mask=None):
    q, k, v = (np.asarray(a, dtype=np.float32) for a in (q, k, v))
    group_size = q.shape[-3] // k.shape[-3]
    spread = k[..., :, None, :, :] + np.zeros((group_size, 1, 1), dtype=np.float32)
    k = spread.reshape(*q.shape[:-2], *k.shape[-2:])
    v = np.repeat(v, group_size, -3)
    scores = q @ np.swapaxes(k, -1, -2) / np.float32(np.sqrt(q.shape[-1]))
    exps = np.exp(scores if mask is None else np.where(np.expand_dims(mask, -3), scores, -np.float32(np.inf)))
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30))
    return weights @ v, weights


EXERCISE = Exercise(
    id="variants.grouped_query_attention",
    title="分组查询注意力",
    points=3,
    reference=reference.grouped_query_attention,
    returns=("output", "weights"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.45), Behaviour(ENDS, 0.15), Behaviour(MASK, 0.25), Behaviour(BATCH, 0.15)),
    properties=(
        Property(
            "每一行权重的和是 1（或整行为 0）",
            lambda output, weights: bool(
                (np.isclose(weights.sum(-1), 1, atol=1e-4) | np.isclose(weights.sum(-1), 0, atol=1e-6)).all()
            ),
        ),
    ),
    slips=(
        Slip(
            "键值头重复的次序反了",
            heads_in_the_wrong_order,
            wrong="键值头排成了 a、b、a、b（像 np.tile）；一组是相邻的查询头，应排成 a、a、b、b。",
            look="np.repeat(k, group_size, axis=-3)，v 同样。",
        ),
        Slip(
            "键对了，值来自别的组",
            keys_and_values_of_different_groups,
            wrong="权重是对的，但 v 的头排成了 a、b、a、b，和 k 不一致。",
            look="k 和 v 用同一种重复：np.repeat(…, group_size, axis=-3)。",
        ),
        Slip(
            "值对了，键来自别的组",
            values_of_the_right_group_keys_not,
            wrong="v 的头排得对，但 k 的头排成了 a、b、a、b。",
            look="k 和 v 用同一种重复：np.repeat(…, group_size, axis=-3)。",
        ),
        Slip(
            "所有查询头都问第一个键值头",
            all_ask_the_first,
            wrong="这是多查询注意力（MQA）；分组时，每一组有自己的键值头。",
            look="查询头 h 问第 h // group_size 个键值头。",
        ),
        Slip(
            "把组数当作了组的大小",
            group_number_as_size,
            wrong="h // n_kv_heads 不是组的编号：n_kv_heads 是有几组，一组有 n_heads // n_kv_heads 个查询头。",
            look="group_size = n_heads // n_kv_heads；查询头 h 问第 h // group_size 个。",
        ),
        Slip(
            "重复了 n_kv_heads 次",
            repeated_n_kv_times,
            wrong="每个键值头该重复的次数是一组里查询头的个数，不是键值头的个数。",
            look="group_size = n_heads // n_kv_heads。",
        ),
        Slip(
            "没有重复键值头",
            not_repeated,
            wrong="k、v 的头比 q 少，直接相乘配不上。",
            look="先把 k、v 的每个头重复 group_size 次。",
        ),
        Slip(
            "把一组的查询平均了",
            queries_averaged,
            wrong="一组共用的是键和值；查询各有各的，每个查询头都有自己的权重和输出。",
            look="不要动 q；把 k、v 重复到 n_heads 个头。",
        ),
        Slip(
            "把一组的输出平均了",
            outputs_of_a_group_averaged,
            wrong="权重是对的；但每个查询头的输出应各自保留。",
            look="去掉求平均的一步。",
        ),
        Slip(
            "把键值头平均成了一个",
            keys_averaged,
            wrong="所有的组都用了同一份平均的键和值；每一组应有自己的。",
            look="查询头 h 问第 h // group_size 个键值头。",
        ),
        Slip(
            "头的轴写成了 0",
            along_the_wrong_axis,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，不是头。",
            look="头是倒数第三个轴：axis=-3，k.shape[-3]。",
        ),
        Slip(
            "组的轴没有并回去",
            groups_left_apart,
            wrong="数值是对的，但多了一个轴：组和组里的头分开了。",
            look="最后 reshape 回 (..., n_heads, n_queries, …)。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="直接用 attention(q, k, v, mask)，缩放在里面。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_all_heads,
            wrong="每个头自己比较，除数是一个头的大小 d_k 的平方根，不是所有头合起来的。",
            look="d_k 是 q.shape[-1]。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样。",
            look="把 mask 交给 attention；它没有头的轴，先加一个：mask[..., None, :, :]。",
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
            wrong="剩下的权重加起来不到 1：分母里还有看不见的键。",
            look="先遮住分数，再做 softmax。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="用 −1e9 遮住时，整行被遮住的查询会把权重平均分出去。",
            look="用 attention(q, k, v, mask)，它让这样的一行为 0。",
        ),
        Slip(
            "掩码没有加上头的轴",
            mask_without_an_axis_for_heads,
            wrong="没有批量轴时对；掩码自己有批量轴时，它的批量会被当成头。",
            look="mask[..., None, :, :]：给头留一个长 1 的轴。",
        ),
        Slip(
            "输出和权重对调了",
            weights_and_output_exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 output，再返回 weights。",
        ),
        Slip(
            "把头合并了",
            heads_merged,
            wrong="数值是对的，但这里每个头的输出要分开返回：(..., n_heads, n_queries, d_v)。",
            look="去掉合并的一步。",
        ),
        Slip(
            "把一组的查询平均了再重复",
            queries_averaged_and_repeated,
            wrong="一组共用的是键和值；查询各有各的，一组里的头输出不应都一样。",
            look="不要动 q；把 k、v 重复到 n_heads 个头。",
        ),
        Slip(
            "把 mask 当作真假来判断",
            truth_of_the_mask,
            wrong="多个元素的数组没有单一的真假，if mask 会报错。",
            look="写 if mask is not None。",
        ),
        Slip(
            "什么都不许看的一行变成了 NaN",
            blind_row_is_nan,
            wrong="整行都是 −∞ 时，−∞ − (−∞) 得 NaN。",
            look="用前面给出的 attention，它让这样的一行为 0。",
        ),
    ),
    styles=(head_by_head, with_a_group_axis, with_an_index, in_float32),
    hints=(
        "先想一想：6 个查询头、2 个键值头时，查询头 0 到 5 各问哪一个？再让 k 和 v 的头和 q 一样多。",
        "一组有 group_size = n_heads // n_kv_heads 个查询头，头在倒数第三个轴。"
        "np.repeat 让每个头连着出现 group_size 次。",
        "k = np.repeat(k, group_size, axis=-3)，v 同样；mask 不是 None 时换成 mask[..., None, :, :]；"
        "最后 return attention(q, k, v, mask)。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "k, v = (np.asarray(k, dtype=float), np.asarray(v, dtype=float)) -> (dropped)",
            "np.asarray(k, dtype=float) -> k",
            "np.asarray(k, dtype=float) -> np.asarray(k)",
            "np.asarray(v, dtype=float) -> v",
            "np.asarray(v, dtype=float) -> np.asarray(v)",
            "np.asarray(mask) -> mask",
        ),
        CHECKS_SHAPES: (
            "_require_groups(n_heads, n_kv_heads) -> (dropped)",
            "_require_groups(n_heads, n_kv_heads) -> n_heads",
        ),
    },
)
