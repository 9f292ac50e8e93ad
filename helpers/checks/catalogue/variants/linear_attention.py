"""Exercise `variants.linear_attention`: the same output, queries and keys multiplied first, or keys and values."""

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import linear_attention as reference

WEIGHTS, STATE, BATCH = "先乘查询和键", "先乘键和值", "前面可以有批量轴"


def _arguments(rng, batch, n_queries, n_keys, d_k, d_v):
    shapes = ((*batch, n_queries, d_k), (*batch, n_keys, d_k), (*batch, n_keys, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def _single(arguments):
    return tuple(a.astype(np.float32) for a in arguments)


def cases(rng):
    q, k, v = _arguments(rng, (), 3, 5, 2, 4)
    return [
        Case(WEIGHTS, (*_arguments(rng, (), 2, 3, 2, 4), "weights")),
        Case(WEIGHTS, (*_arguments(rng, (), 5, 3, 7, 2), "weights")),
        Case(WEIGHTS, (*_single(_arguments(rng, (), 3, 7, 5, 2)), "weights")),
        Case(WEIGHTS, (8 * q, 8 * k, v, "weights")),
        Case(STATE, (*_arguments(rng, (), 2, 3, 2, 4), "state")),
        Case(STATE, _arguments(rng, (), 3, 5, 7, 2)),
        Case(STATE, (*_single(_arguments(rng, (), 2, 5, 3, 7)), "state")),
        Case(STATE, (8 * q, 8 * k, v, "state")),
        Case(BATCH, (*_arguments(rng, (2,), 3, 5, 7, 4), "weights")),
        Case(BATCH, (*_arguments(rng, (2,), 3, 5, 7, 4), "state")),
        Case(BATCH, (*_arguments(rng, (2, 3), 5, 7, 2, 4), "state")),
        Case(BATCH, (*_arguments(rng, (3, 2), 5, 7, 2, 4), "weights")),
    ]


def _phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def _attend(phi_q, phi_k, v, through):
    if through == "weights":
        weights = phi_q @ np.swapaxes(phi_k, -1, -2)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        return weights @ v, weights
    state = np.swapaxes(phi_k, -1, -2) @ v
    total = (phi_q * phi_k.sum(axis=-2, keepdims=True)).sum(axis=-1, keepdims=True)
    return phi_q @ state / total, state


def normaliser_forgotten(q, k, v, through="state"):
    if through == "weights":
        weights = _phi(q) @ np.swapaxes(_phi(k), -1, -2)
        return weights @ v, weights
    state = np.swapaxes(_phi(k), -1, -2) @ v
    return _phi(q) @ state, state


def state_way_not_normalised(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return (output, middle) if through == "weights" else (_phi(q) @ middle, middle)


def keys_not_turned(q, k, v, through="state"):
    if through == "weights":
        weights = _phi(q) @ _phi(k)
        return weights / weights.sum(axis=-1, keepdims=True) @ v, weights
    state = _phi(k) @ v
    return _phi(q) @ state, state


def softmax_after_the_features(q, k, v, through="state"):
    if through == "state":
        return _attend(_phi(q), _phi(k), v, through)
    products = _phi(q) @ np.swapaxes(_phi(k), -1, -2)
    exps = np.exp(products - products.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def softmax_attention(q, k, v, through="state"):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights if through == "weights" else np.swapaxes(k, -1, -2) @ v


def without_features(q, k, v, through="state"):
    return _attend(q, k, v, through)


def features_of_queries_alone(q, k, v, through="state"):
    return _attend(_phi(q), k, v, through)


def features_of_keys_alone(q, k, v, through="state"):
    return _attend(q, _phi(k), v, through)


def elu_without_one(q, k, v, through="state"):
    return _attend(_phi(q) - 1, _phi(k) - 1, v, through)


def relu(q, k, v, through="state"):
    return _attend(np.maximum(q, 0), np.maximum(k, 0), v, through)


def relu_plus_one(q, k, v, through="state"):
    return _attend(np.maximum(q, 0) + 1, np.maximum(k, 0) + 1, v, through)


def one_missing_above_zero(q, k, v, through="state"):
    return _attend(*(np.where(a > 0, a, np.exp(np.minimum(a, 0))) for a in (q, k)), v, through)


def one_added_twice(q, k, v, through="state"):
    return _attend(*(np.where(a > 0, a + 1, np.exp(np.minimum(a, 0)) + 1) for a in (q, k)), v, through)


def exponential_features(q, k, v, through="state"):
    return _attend(np.exp(q), np.exp(k), v, through)


def softmax_features(q, k, v, through="state"):
    exps = [np.exp(a - a.max(axis=-1, keepdims=True)) for a in (q, k)]
    return _attend(*(a / a.sum(axis=-1, keepdims=True) for a in exps), v, through)


def features_of_values_too(q, k, v, through="state"):
    return _attend(_phi(q), _phi(k), _phi(v), through)


def scaled_before_the_features(q, k, v, through="state"):
    return _attend(_phi(q / np.sqrt(q.shape[-1])), _phi(k), v, through)


def features_of_the_products(q, k, v, through="state"):
    if through == "state":
        return _attend(_phi(q), _phi(k), v, through)
    products = _phi(q @ np.swapaxes(k, -1, -2))
    weights = products / products.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def summed_over_the_queries(q, k, v, through="state"):
    if through == "state":
        return _attend(_phi(q), _phi(k), v, through)
    products = _phi(q) @ np.swapaxes(_phi(k), -1, -2)
    weights = products / products.sum(axis=-2, keepdims=True)
    return weights @ v, weights


def divided_by_the_number_of_keys(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return (output, middle) if through == "weights" else (_phi(q) @ middle / k.shape[-2], middle)


def keys_summed_without_the_query(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    total = _phi(k).sum(axis=(-1, -2), keepdims=True)
    return (output, middle) if through == "weights" else (_phi(q) @ middle / total, middle)


def state_divided_by_the_keys(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    state = middle / _phi(k).sum(axis=-2)[..., None] if through == "state" else middle
    return (output, middle) if through == "weights" else (_phi(q) @ state, state)


def normaliser_of_raw_keys(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    total = (_phi(q) * k.sum(axis=-2, keepdims=True)).sum(axis=-1, keepdims=True)
    return (output, middle) if through == "weights" else (_phi(q) @ middle / total, middle)


def state_transposed(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return output, middle if through == "weights" else np.swapaxes(middle, -1, -2)


def always_weights(q, k, v, through="state"):
    return _attend(_phi(q), _phi(k), v, "weights")


def always_the_state(q, k, v, through="state"):
    return _attend(_phi(q), _phi(k), v, "state")


def ways_exchanged(q, k, v, through="state"):
    return _attend(_phi(q), _phi(k), v, "state" if through == "weights" else "weights")


def weights_before_the_division(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return output, _phi(q) @ np.swapaxes(_phi(k), -1, -2) if through == "weights" else middle


def total_returned(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return output, middle if through == "weights" else _phi(k).sum(axis=-2)


def transposing_all_axes(q, k, v, through="state"):
    phi_q, phi_k = _phi(q), _phi(k)
    total = (phi_q @ phi_k.T).sum(axis=-1, keepdims=True)
    if through == "weights":
        return phi_q @ phi_k.T / total @ v, phi_q @ phi_k.T / total
    return phi_q @ (phi_k.T @ v) / total, phi_k.T @ v


def parts_exchanged(q, k, v, through="state"):
    return _attend(_phi(q), _phi(k), v, through)[::-1]


def divided_by_the_sum_of_all(q, k, v, through="state"):
    phi_q, phi_k = _phi(q), _phi(k)
    products = phi_q @ np.swapaxes(phi_k, -1, -2)
    if through == "weights":
        return products / products.sum() @ v, products / products.sum()
    state = np.swapaxes(phi_k, -1, -2) @ v
    return phi_q @ state / products.sum(), state


def scaled_instead_of_normalised(q, k, v, through="state"):
    phi_q, phi_k, root = _phi(q), _phi(k), np.sqrt(q.shape[-1])
    if through == "weights":
        weights = phi_q @ np.swapaxes(phi_k, -1, -2) / root
        return weights @ v, weights
    state = np.swapaxes(phi_k, -1, -2) @ v
    return phi_q @ state / root, state


def condition_turned_round(q, k, v, through="state"):
    return _attend(*(np.where(a < 0, a + 1, np.exp(np.maximum(a, 0))) for a in (q, k)), v, through)


def mean_of_the_keys(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return (output, middle) if through == "weights" else (output * k.shape[-2], middle)


def state_divided_by_how_many(q, k, v, through="state"):
    output, middle = _attend(_phi(q), _phi(k), v, through)
    return output, middle if through == "weights" else middle / k.shape[-2]


def masking_the_future(q, k, v, through="state"):
    products = np.tril(_phi(q) @ np.swapaxes(_phi(k), -1, -2))
    weights = products / products.sum(axis=-1, keepdims=True)
    return weights @ v, weights if through == "weights" else np.swapaxes(_phi(k), -1, -2) @ v


def with_einsum(q, k, v, through="state"):
    phi_q, phi_k = (np.exp(np.minimum(a, 0)) + np.maximum(a, 0) for a in (q, k))
    total = np.einsum("...id,...jd->...i", phi_q, phi_k)[..., None]
    if through == "weights":
        weights = np.einsum("...id,...jd->...ij", phi_q, phi_k) / total
        return np.einsum("...ij,...jv->...iv", weights, v), weights
    state = np.einsum("...jd,...jv->...dv", phi_k, v)
    return np.einsum("...id,...dv->...iv", phi_q, state) / total, state


def with_loops(q, k, v, through="state"):
    if np.ndim(q) > 2:
        pairs = [with_loops(*one, through) for one in zip(q, k, v, strict=True)]
        return [output for output, _ in pairs], [middle for _, middle in pairs]
    phi_q, phi_k = ([[x + 1 if x > 0 else np.exp(x) for x in row] for row in a.tolist()] for a in (q, k))
    products = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in phi_k] for x in phi_q]
    weights = [[product / sum(row) for product in row] for row in products]
    output = [[sum(w * value[c] for w, value in zip(row, v, strict=True)) for c in range(len(v[0]))] for row in weights]
    if through == "weights":
        return output, weights
    state = [
        [sum(key[d] * value[c] for key, value in zip(phi_k, v, strict=True)) for c in range(len(v[0]))]
        for d in range(len(k[0]))
    ]
    return output, state


def in_float32(q, k, v, through="state"):
    q, k, v = (np.asarray(a, dtype=np.float32) for a in (q, k, v))
    for a in (q, k):
        below = a <= 0
        a[~below] += 1
        a[below] = np.exp(a[below])
    if through == "weights":
        weights = q @ np.moveaxis(k, -1, -2)
        weights /= np.expand_dims(weights.sum(-1), -1)
        return [weights @ v, weights]
    with_ones = np.concatenate([v, np.ones_like(v[..., :1])], axis=-1)
    state = np.moveaxis(k, -1, -2) @ with_ones
    collected = q @ state
    return [collected[..., :-1] / collected[..., -1:], state[..., :-1]]


EXERCISE = Exercise(
    id="variants.linear_attention",
    title="线性注意力：两种次序",
    points=2,
    reference=reference.linear_attention,
    returns=("output", "middle"),
    cases=cases,
    behaviours=(Behaviour(WEIGHTS, 0.4), Behaviour(STATE, 0.4), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "φ(k) 没有转置",
            keys_not_turned,
            wrong="φ(k) 是 (n_keys, d)：乘 φ(q)、乘 v 之前都要先转置。",
            look="np.swapaxes(feature_map(k), -1, -2)。",
        ),
        Slip(
            "忘了归一化",
            normaliser_forgotten,
            wrong="没有除以权重的总和：键越多，输出越大。",
            look="每个查询除以 φ(q)·Σφ(k)。",
        ),
        Slip(
            "先乘键和值时忘了归一化",
            state_way_not_normalised,
            wrong="先乘查询和键的一种对了；另一种没有除以总和，所以两种的输出不一样。",
            look="总和是 phi_q @ phi_k.sum(axis=-2)[..., None]。",
        ),
        Slip(
            "乘完又做了 softmax",
            softmax_after_the_features,
            wrong="φ 已经代替了指数：乘积本身就是没有归一化的权重。",
            look="products / products.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "仍是 softmax 注意力",
            softmax_attention,
            wrong="线性注意力里没有 softmax，也没有 √d_k：权重与 φ(q)·φ(k) 成正比。",
            look="先算 phi_q = φ(q)，phi_k = φ(k)。",
        ),
        Slip(
            "没有用特征映射",
            without_features,
            wrong="直接用了 q 和 k：乘积可以是负的，总和可以接近 0。",
            look="先算 phi_q = φ(q)，phi_k = φ(k)，φ(x) = elu(x) + 1。",
        ),
        Slip(
            "只有查询用了特征映射",
            features_of_queries_alone,
            wrong="k 没有经过 φ，权重可以是负的。",
            look="q 和 k 都要经过 φ。",
        ),
        Slip(
            "只有键用了特征映射",
            features_of_keys_alone,
            wrong="q 没有经过 φ，权重可以是负的。",
            look="q 和 k 都要经过 φ。",
        ),
        Slip(
            "φ 少了 1",
            elu_without_one,
            wrong="elu(x) 可以是负的，加 1 才恒为正。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 用了 relu",
            relu,
            wrong="relu 把负的都变成 0：查询和所有的键都可能配不上，总和为 0。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 在 0 以下没有用指数",
            relu_plus_one,
            wrong="负的分量都变成了 1；应是 exp(x)，越负越接近 0。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 在 0 以上忘了加 1",
            one_missing_above_zero,
            wrong="在 0 处断开了：从左边来是 1，从右边来是 0。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 在 0 以下多加了 1",
            one_added_twice,
            wrong="elu(x) = exp(x) − 1，加 1 以后是 exp(x)，不用再加。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 用了指数",
            exponential_features,
            wrong="这里的 φ 在 0 以上是直线 x + 1，不是指数。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 用了 softmax",
            softmax_features,
            wrong="φ 对每个分量单独起作用，分量之间不归一化。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "值也用了特征映射",
            features_of_values_too,
            wrong="φ 只为了算权重；值原样收集。",
            look="v 不经过 φ。",
        ),
        Slip(
            "除了 √d_k",
            scaled_before_the_features,
            wrong="这里没有缩放：归一化已经照顾到了大小。",
            look="φ(q)·φ(k)，不除以 √d_k。",
        ),
        Slip(
            "先相乘，再用特征映射",
            features_of_the_products,
            wrong="φ 在乘积之外时，次序就换不了：两种的输出不一样。",
            look="先对 q 和 k 分别用 φ，再相乘。",
        ),
        Slip(
            "对查询求了和",
            summed_over_the_queries,
            wrong="现在每一列的和是 1；应是每一行：对键求和。",
            look="products.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "除以了键的个数",
            divided_by_the_number_of_keys,
            wrong="总和不是键的个数，而是这个查询与所有键的乘积之和。",
            look="总和是 phi_q @ phi_k.sum(axis=-2)[..., None]。",
        ),
        Slip(
            "总和里没有查询",
            keys_summed_without_the_query,
            wrong="每个查询有自己的总和：φ(q) 与 Σφ(k) 的内积。",
            look="总和是 phi_q @ phi_k.sum(axis=-2)[..., None]。",
        ),
        Slip(
            "先归一化了状态",
            state_divided_by_the_keys,
            wrong="状态的每一行除以自己的和，不等于最后除以每个查询的总和。",
            look="状态不归一化；phi_q @ state 之后再除。",
        ),
        Slip(
            "总和用了没有映射的键",
            normaliser_of_raw_keys,
            wrong="分子里是 φ(k)，分母里也要是。",
            look="总和是 phi_q @ phi_k.sum(axis=-2)[..., None]。",
        ),
        Slip(
            "状态转置了",
            state_transposed,
            wrong="输出是对的；状态的形状应是 (d_k, d_v)。",
            look="np.swapaxes(phi_k, -1, -2) @ v。",
        ),
        Slip(
            "总是先乘查询和键",
            always_weights,
            wrong='输出是对的；但 through="state" 时，中间的应是状态 (d_k, d_v)。',
            look="这时先算 np.swapaxes(phi_k, -1, -2) @ v。",
        ),
        Slip(
            "总是先乘键和值",
            always_the_state,
            wrong='输出是对的；但 through="weights" 时，中间的应是权重 (n_queries, n_keys)。',
            look="这时先算 phi_q @ np.swapaxes(phi_k, -1, -2)，再让每一行的和为 1。",
        ),
        Slip(
            "两种次序对调了",
            ways_exchanged,
            wrong='"weights" 是先乘查询和键，"state" 是先乘键和值。',
            look="对调 if 的两边。",
        ),
        Slip(
            "返回的权重没有归一化",
            weights_before_the_division,
            wrong="输出是对的；返回的权重每一行的和应是 1。",
            look="返回除以总和之后的。",
        ),
        Slip(
            "返回了键的和而不是状态",
            total_returned,
            wrong="输出是对的；状态是 Σφ(k)ᵀv，形状 (d_k, d_v)，不是分母里的 Σφ(k)。",
            look="返回 np.swapaxes(phi_k, -1, -2) @ v。",
        ),
        Slip(
            "除以了全部的和",
            divided_by_the_sum_of_all,
            wrong="每个查询要除以自己那一行的和，不是整个矩阵的和。",
            look="products.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "用 √d_k 代替了归一化",
            scaled_instead_of_normalised,
            wrong="除以 √d_k 之后，权重加起来不是 1：键越多，输出越大。",
            look="每个查询除以 φ(q)·Σφ(k)。",
        ),
        Slip(
            "φ 的条件反了",
            condition_turned_round,
            wrong="0 以下用了直线，0 以上用了指数：正好反了，还可以是负的。",
            look="np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))。",
        ),
        Slip(
            "总和用了键的平均",
            mean_of_the_keys,
            wrong="输出大了 n_keys 倍：分母里是 φ(k) 的和，不是平均。",
            look="phi_k.sum(axis=-2)。",
        ),
        Slip(
            "状态除以了键的个数",
            state_divided_by_how_many,
            wrong="输出是对的；状态是 φ(k)ᵀv 的和，不是平均。",
            look="np.swapaxes(phi_k, -1, -2) @ v，不再除。",
        ),
        Slip(
            "遮住了未来",
            masking_the_future,
            wrong="这一题没有掩码：每个查询看所有的键（因果的是下一题）。",
            look="去掉 np.tril。",
        ),
        Slip(
            "没有照顾批量轴",
            transposing_all_axes,
            wrong="二维时正确；有批量轴时，k.T 会把批量轴也倒过来。",
            look="只交换最后两个轴：np.swapaxes(phi_k, -1, -2)。",
        ),
        Slip(
            "两个结果对调了",
            parts_exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 output。",
        ),
    ),
    styles=(with_einsum, with_loops, in_float32),
    hints=(
        "q 和 k 都先经过 feature_map（x > 0 时 x + 1，否则 exp(x)）。权重与它们的乘积成正比，再让每行的和为 1。",
        "先乘键和值：state = φ(k)ᵀ v，形状 (d_k, d_v)；分子 φ(q) @ state，分母是每个查询的 φ(q)·Σφ(k)，不必算出权重。",
        "products = phi_q @ np.swapaxes(phi_k, -1, -2)，weights = products / products.sum(axis=-1, keepdims=True)；"
        "state = np.swapaxes(phi_k, -1, -2) @ v，output = phi_q @ state / (phi_q @ phi_k.sum(axis=-2)[..., None])。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(v, dtype=float) -> v",
            "np.asarray(v, dtype=float) -> np.asarray(v)",
        ),
        "two axes are exchanged, whichever is named first": (
            "np.swapaxes(k, -1, -2) -> np.swapaxes(k, -2, -1)",
            "np.swapaxes(k, -1, -2) -> np.swapaxes(k, -2, -1) #2",
        ),
        CHECKS_SHAPES: ("_require_way(through) -> (dropped)", "_require_way(through) -> through"),
    },
)
