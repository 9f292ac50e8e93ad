"""Exercise `architecture.cached_step`: one new token, attending to all the keys and values kept so far."""

import numpy as np

from helpers.checks.catalogue.architecture.softmax import softmax
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import generation as reference

CORE, EMPTY, BATCH, LARGE, KEPT = (
    "缓存里已有几个 token",
    "第一个 token，缓存是空的",
    "前面可以有批量轴",
    "很大的分数不溢出",
    "不改动传进来的数组",
)


def _arguments(rng, batch, t, d_model, d_k, d_v, scale=1.0):
    return (
        scale * rng.normal(size=(*batch, d_model)),
        rng.normal(size=(t + 3, d_model)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_model, d_v)),
        rng.normal(size=(*batch, t, d_k)),
        rng.normal(size=(*batch, t, d_v)),
    )


def cases(rng):
    return [
        Case(CORE, _arguments(rng, (), 2, 4, 3, 5)),
        Case(CORE, _arguments(rng, (), 5, 3, 2, 4)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 4, 2, 5))),
        Case(CORE, _arguments(rng, (), 1, 3, 3, 3)),
        Case(EMPTY, _arguments(rng, (), 0, 4, 3, 5)),
        Case(EMPTY, _arguments(rng, (), 0, 3, 2, 4)),
        Case(BATCH, _arguments(rng, (2,), 3, 4, 5, 6)),
        Case(BATCH, _arguments(rng, (3, 2), 5, 3, 2, 4)),
        Case(LARGE, _arguments(rng, (), 4, 3, 2, 5, scale=5000.0)),
        Case(KEPT, _arguments(rng, (), 3, 2, 4, 5)),
    ]


def _attend(q, k, v):
    weights = softmax(np.einsum("...k,...jk->...j", q, k) / np.sqrt(q.shape[-1]))
    return np.einsum("...j,...jv->...v", weights, v)


def _append(cache, row):
    return np.concatenate([cache, row[..., None, :]], axis=-2)


def divided_by_sqrt_d_model(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q * np.sqrt(w_q.shape[-1] / w_q.shape[-2]), k, v), k, v


def position_forgotten(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def always_the_first_position(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[0]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def position_one_too_far(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2] + 1]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def position_of_the_one_before(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2] - 1]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def batch_taken_for_the_length(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[len(k_cache)]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def position_for_the_query_alone(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend((x + positions[k_cache.shape[-2]]) @ w_q, k, v), k, v


def without_itself(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k[..., :-1, :], v[..., :-1, :]), k, v


def cache_not_extended(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k_cache, v_cache


def only_the_new_one(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    return x @ w_v, _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)


def put_in_front(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k = np.concatenate([(x @ w_k)[..., None, :], k_cache], axis=-2)
    v = np.concatenate([(x @ w_v)[..., None, :], v_cache], axis=-2)
    return _attend(x @ w_q, k, v), k, v


def last_one_overwritten(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache[..., :-1, :], x @ w_k), _append(v_cache[..., :-1, :], x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def without_scaling(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q * np.sqrt(w_q.shape[-1]), k, v), k, v


def overflowing(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    exps = np.exp(np.einsum("...k,...jk->...j", x @ w_q, k) / np.sqrt(w_q.shape[-1]))
    return np.einsum("...j,...jv->...v", exps / exps.sum(axis=-1, keepdims=True), v), k, v


def raw_token_cached(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    placed = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(placed @ w_q, _append(k_cache, placed @ w_k), _append(v_cache, placed @ w_v)), k, v


def caches_exchanged(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), v, k


def without_batch_axis(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[len(k_cache)]
    k_cache = np.concatenate([k_cache, [x @ w_k]])
    v_cache = np.concatenate([v_cache, [x @ w_v]])
    return softmax(k_cache @ (x @ w_q) / np.sqrt(w_q.shape[-1])) @ v_cache, k_cache, v_cache


def query_axis_kept(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v)[..., None, :], k, v


def always_the_last_position(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[-1]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def value_without_position(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    placed = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, placed @ w_k), _append(v_cache, x @ w_v)
    return _attend(placed @ w_q, k, v), k, v


def keys_in_front(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = np.concatenate([(x @ w_k)[..., None, :], k_cache], axis=-2), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k, v


def caches_before_the_output(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return k, v, _attend(x @ w_q, k, v)


def new_rows_alone_returned(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x = x + positions[k_cache.shape[-2]]
    k, v = _append(k_cache, x @ w_k), _append(v_cache, x @ w_v)
    return _attend(x @ w_q, k, v), k[..., -1:, :], v[..., -1:, :]


def with_matrices(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    placed = (x + positions[k_cache.shape[-2]])[..., None, :]
    keys = np.append(k_cache, placed @ w_k, axis=-2)
    values = np.append(v_cache, placed @ w_v, axis=-2)
    scores = placed @ w_q @ np.swapaxes(keys, -1, -2) * w_q.shape[1] ** -0.5
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return (shares @ values / shares.sum(-1, keepdims=True))[..., 0, :], keys, values


def one_text_at_a_time(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    if x.ndim > 1:
        triples = [
            one_text_at_a_time(a, positions, w_q, w_k, w_v, k, v) for a, k, v in zip(x, k_cache, v_cache, strict=True)
        ]
        return tuple(np.array(part) for part in zip(*triples, strict=True))
    x = x + positions[len(k_cache)]
    keys, values = np.vstack([k_cache, x @ w_k]), np.vstack([v_cache, x @ w_v])
    scores = keys @ (x @ w_q) / np.sqrt(len(keys[0]))
    shares = np.array([np.exp(score - max(scores)) for score in scores])
    return sum(s * v for s, v in zip(shares, values, strict=True)) / sum(shares), keys, values


def in_float32(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x, positions, w_q, w_k, w_v, k_cache, v_cache = (
        np.asarray(a, dtype=np.float32) for a in (x, positions, w_q, w_k, w_v, k_cache, v_cache)
    )
    t = k_cache.shape[-2]
    x = x + positions[t]
    keys = np.zeros((*k_cache.shape[:-2], t + 1, k_cache.shape[-1]), dtype=np.float32)
    values = np.zeros((*v_cache.shape[:-2], t + 1, v_cache.shape[-1]), dtype=np.float32)
    keys[..., :t, :], keys[..., t, :] = k_cache, x @ w_k
    values[..., :t, :], values[..., t, :] = v_cache, x @ w_v
    scores = (keys * (x @ w_q)[..., None, :]).sum(-1) / np.float32(np.sqrt(w_q.shape[-1]))
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares = shares / shares.sum(-1, keepdims=True)
    return [(shares[..., None] * values).sum(-2), keys, values]


EXERCISE = Exercise(
    id="architecture.cached_step",
    title="带缓存的一步",
    points=2,
    reference=reference.cached_step,
    returns=("output", "k_cache", "v_cache"),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.5),
        Behaviour(EMPTY, 0.1),
        Behaviour(BATCH, 0.2),
        Behaviour(LARGE, 0.1),
        Behaviour(KEPT, 0.1),
    ),
    untouched=KEPT,
    slips=(
        Slip(
            "忘了位置",
            position_forgotten,
            wrong="新的 token 没有加上位置：它不知道自己排第几。",
            look="x + positions[t]，t 是缓存里已有的个数。",
        ),
        Slip(
            "总当作第一个位置",
            always_the_first_position,
            wrong="每一步只送来一个 token，但它的位置不是 0，而是缓存的长度。",
            look="positions[k_cache.shape[-2]]。",
        ),
        Slip(
            "位置多了一",
            position_one_too_far,
            wrong="位置从 0 数起：缓存里有 t 个时，新的 token 在位置 t。",
            look="positions[k_cache.shape[-2]]，不加 1。",
        ),
        Slip(
            "用了前一个的位置",
            position_of_the_one_before,
            wrong="缓存里最后一个 token 的位置是 t − 1；新的是 t。",
            look="positions[k_cache.shape[-2]]。",
        ),
        Slip(
            "把批量当作了长度",
            batch_taken_for_the_length,
            wrong="没有批量轴时对；有批量轴时，len(k_cache) 是批量的大小。",
            look="长度在倒数第二个轴：k_cache.shape[-2]。",
        ),
        Slip(
            "只有查询加了位置",
            position_for_the_query_alone,
            wrong="键和值也由加了位置的 x 造出。",
            look="先 x = x + positions[t]，再投影三次。",
        ),
        Slip(
            "没有看自己",
            without_itself,
            wrong="新的 token 也要看自己：先接进缓存，再做注意力。",
            look="用接长了的缓存做注意力。",
        ),
        Slip(
            "返回的缓存没有接长",
            cache_not_extended,
            wrong="输出是对的；但下一步会忘了这个 token。",
            look="返回接上了新键、新值的缓存。",
        ),
        Slip(
            "没有看缓存",
            only_the_new_one,
            wrong="新的 token 只看了自己，前文都没有用上。",
            look="q 要和缓存里所有的键比较。",
        ),
        Slip(
            "新的放在了前面",
            put_in_front,
            wrong="注意力的结果一样，但缓存的次序乱了：新的应接在末尾。",
            look="np.concatenate([k_cache, k], axis=-2)。",
        ),
        Slip(
            "盖掉了最后一个",
            last_one_overwritten,
            wrong="新的键和值换掉了缓存里的最后一个，没有接长。",
            look="np.concatenate([k_cache, k], axis=-2)。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="要除的是 √d_k：查询和键的宽度，不是 x 的。",
            look="np.sqrt(w_q.shape[-1])。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="直接用 attention(q, k, v)，缩放在里面。",
        ),
        Slip(
            "指数溢出了",
            overflowing,
            wrong="分数很大时 exp 变成无穷大。",
            look="先减去最大值；前面给出的 attention 已经这样做了。",
        ),
        Slip(
            "存进去的没有位置",
            raw_token_cached,
            wrong="输出是对的；但存进缓存的键和值没有加位置，后面的 token 会看错。",
            look="先 x = x + positions[t]，再投影、再存。",
        ),
        Slip(
            "批量轴没有保留",
            without_batch_axis,
            wrong="一段文字时正确；有批量轴时，缓存的第一个轴是批量，新的一行就接不上了。",
            look="添一个轴，沿倒数第二个轴接：np.concatenate([k_cache, (x @ w_k)[..., None, :]], axis=-2)。",
        ),
        Slip(
            "两份缓存对调了",
            caches_exchanged,
            wrong="值的缓存放在了键的前面。",
            look="返回 output, k_cache, v_cache。",
        ),
        Slip(
            "查询的轴没有去掉",
            query_axis_kept,
            wrong="只有一个查询，输出应是 (..., d_v)，没有长 1 的轴。",
            look="output[..., 0, :]。",
        ),
        Slip(
            "总当作最后一个位置",
            always_the_last_position,
            wrong="用了 positions[-1]：表比缓存长，最后一行不是新的 token 的位置。",
            look="positions[k_cache.shape[-2]]。",
        ),
        Slip(
            "值没有加位置",
            value_without_position,
            wrong="q 和 k 加了位置，v 没有：三者都由加了位置的 x 造出。",
            look="先 x = x + positions[t]，再投影三次。",
        ),
        Slip(
            "只有键放在了前面",
            keys_in_front,
            wrong="新的键在最前，新的值在最后：键和值错开了一位，每个键取回的是别人的值。",
            look="两份缓存都接在末尾：np.concatenate([缓存, 新的], axis=-2)。",
        ),
        Slip(
            "缓存放在了输出前面",
            caches_before_the_output,
            wrong="三个结果都对，顺序反了。",
            look="返回 output, k_cache, v_cache。",
        ),
        Slip(
            "只返回了新的键和值",
            new_rows_alone_returned,
            wrong="输出是对的；但返回的只有新的一行，下一步就忘了前文。",
            look="返回接长了的整个缓存。",
        ),
    ),
    styles=(with_matrices, one_text_at_a_time, in_float32),
    hints=(
        "四步：加上位置，造出新的 q、k、v，把 k 和 v 接在缓存末尾，让 q 看整个缓存。不用掩码：缓存里的都在过去。",
        "位置是缓存的长度 k_cache.shape[-2]。x[..., None, :] 给新的 token 一个长 1 的时间轴，正好接得上缓存。",
        "x = (x + positions[k_cache.shape[-2]])[..., None, :]；k_cache = np.concatenate([k_cache, x @ w_k], axis=-2)，"
        "v_cache 同样；output = attention(x @ w_q, k_cache, v_cache)[0][..., 0, :]。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
        "the first of one query is its last too": ("0 -> -1",),
    },
)
