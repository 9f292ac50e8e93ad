"""Exercise `variants.causal_linear_attention`: linear attention to the past, with sums that run along."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import linear_attention as reference

CORE, BATCH = "每个位置只收集自己和前面的", "前面可以有批量轴"


def _arguments(rng, batch, seq_len, d_k, d_v):
    return tuple(rng.normal(size=(*batch, seq_len, d)) for d in (d_k, d_k, d_v))


def cases(rng):
    return [
        Case(CORE, _arguments(rng, (), 3, 2, 4)),
        Case(CORE, _arguments(rng, (), 7, 3, 2)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 5, 7, 3))),
        Case(CORE, tuple(8 * a for a in _arguments(rng, (), 5, 2, 3))),
        Case(CORE, _arguments(rng, (), 1, 3, 5)),
        Case(CORE, _arguments(rng, (), 60, 5, 2)),
        Case(BATCH, _arguments(rng, (2,), 5, 3, 4)),
        Case(BATCH, _arguments(rng, (3, 2), 7, 4, 5)),
    ]


def _phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def _weighted(products, v):
    return products @ v / products.sum(axis=-1, keepdims=True)


def _products(phi_q, phi_k):
    return phi_q @ np.swapaxes(phi_k, -1, -2)


def _causal(products):
    return np.tril(products)


def the_future_too(q, k, v):
    return _weighted(_products(_phi(q), _phi(k)), v)


def without_itself(q, k, v):
    products = np.tril(_products(_phi(q), _phi(k)), -1)
    total = products.sum(axis=-1, keepdims=True)
    return products @ v / np.where(total > 0, total, 1.0)


def without_itself_nan(q, k, v):
    return _weighted(np.tril(_products(_phi(q), _phi(k)), -1), v)


def only_the_future(q, k, v):
    return _weighted(np.triu(_products(_phi(q), _phi(k))), v)


def normaliser_forgotten(q, k, v):
    return _causal(_products(_phi(q), _phi(k))) @ v


def normaliser_of_all_keys(q, k, v):
    products = _products(_phi(q), _phi(k))
    return _causal(products) @ v / products.sum(axis=-1, keepdims=True)


def values_of_all_keys(q, k, v):
    products = _products(_phi(q), _phi(k))
    return products @ v / _causal(products).sum(axis=-1, keepdims=True)


def normaliser_one_behind(q, k, v):
    products = _causal(_products(_phi(q), _phi(k)))
    before = np.tril(products, -1).sum(axis=-1, keepdims=True)
    return products @ v / np.where(before > 0, before, 1.0)


def divided_by_how_many(q, k, v):
    return _causal(_products(_phi(q), _phi(k))) @ v / np.arange(1, q.shape[-2] + 1)[:, None]


def state_replaced(q, k, v):
    return v.copy()


def state_replaced_total_running(q, k, v):
    phi_q, phi_k = _phi(q), _phi(k)
    own = (phi_q * phi_k).sum(axis=-1, keepdims=True)
    return own * v / (phi_q * phi_k.cumsum(axis=-2)).sum(axis=-1, keepdims=True)


def total_replaced(q, k, v):
    phi_q, phi_k = _phi(q), _phi(k)
    return _causal(_products(phi_q, phi_k)) @ v / (phi_q * phi_k).sum(axis=-1, keepdims=True)


def without_features(q, k, v):
    return _weighted(_causal(_products(q, k)), v)


def features_of_queries_alone(q, k, v):
    return _weighted(_causal(_products(_phi(q), k)), v)


def features_of_keys_alone(q, k, v):
    return _weighted(_causal(_products(q, _phi(k))), v)


def total_without_features(q, k, v):
    phi_q = _phi(q)
    return _causal(_products(phi_q, _phi(k))) @ v / (phi_q * k.cumsum(axis=-2)).sum(axis=-1, keepdims=True)


def relu(q, k, v):
    return _weighted(_causal(_products(np.maximum(q, 0), np.maximum(k, 0))), v)


def elu_without_one(q, k, v):
    return _weighted(_causal(_products(_phi(q) - 1, _phi(k) - 1)), v)


def exponential_features(q, k, v):
    return _weighted(_causal(_products(np.exp(q), np.exp(k))), v)


def softmax_attention(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf)
    return _weighted(np.exp(scores - scores.max(axis=-1, keepdims=True)), v)


def summed_along_the_first_axis(q, k, v):
    phi_q, phi_k = _phi(q), _phi(k)
    states = (phi_k[..., :, None] * v[..., None, :]).cumsum(axis=0)
    collected = (phi_q[..., None] * states).sum(axis=-2)
    return collected / (phi_q * phi_k.cumsum(axis=0)).sum(axis=-1, keepdims=True)


def scaled(q, k, v):
    return _weighted(_causal(_products(_phi(q / np.sqrt(q.shape[-1])), _phi(k))), v)


def keys_as_values(q, k, v):
    return _weighted(_causal(_products(_phi(q), _phi(k))), k)


def features_of_values_too(q, k, v):
    return _weighted(_causal(_products(_phi(q), _phi(k))), _phi(v))


def normalised_sum_carried(q, k, v):
    if q.ndim > 2:
        return np.array([normalised_sum_carried(*one) for one in zip(q, k, v, strict=True)])
    phi_q, phi_k = _phi(q), _phi(k)
    state, total, outputs = np.zeros((k.shape[-1], v.shape[-1])), np.zeros(k.shape[-1]), []
    for query, key, value in zip(phi_q, phi_k, v, strict=True):
        total = total + key
        state = (state + np.outer(key, value)) / (query @ total)
        outputs.append(query @ state)
    return np.array(outputs)


def keys_summed_without_the_query(q, k, v):
    phi_k = _phi(k)
    return _causal(_products(_phi(q), phi_k)) @ v / phi_k.cumsum(axis=-2).sum(axis=-1, keepdims=True)


def values_averaged(q, k, v):
    return v.cumsum(axis=-2) / np.arange(1, v.shape[-2] + 1)[:, None]


def batch_axis_forgotten(q, k, v):
    phi_q, phi_k = _phi(q), _phi(k)
    state, total, outputs = 0.0, 0.0, []
    for i in range(len(q)):
        state, total = state + np.outer(phi_k[i], v[i]), total + phi_k[i]
        outputs.append(phi_q[i] @ state / (phi_q[i] @ total))
    return np.array(outputs)


def token_by_token(q, k, v):
    if np.ndim(q) > 2:
        return [token_by_token(*one) for one in zip(q, k, v, strict=True)]
    state, total, outputs = 0.0, 0.0, []
    for query, key, value in zip(q, k, v, strict=True):
        query, key = (np.array([x + 1 if x > 0 else np.exp(x) for x in a]) for a in (query, key))
        state = state + np.outer(key, value)
        total = total + key
        outputs.append(query @ state / (query @ total))
    return outputs


def with_a_triangle(q, k, v):
    phi_q, phi_k = (np.exp(np.minimum(a, 0)) + np.maximum(a, 0) for a in (q, k))
    products = np.einsum("...id,...jd->...ij", phi_q, phi_k) * np.tri(np.shape(q)[-2])
    return products / products.sum(-1)[..., None] @ v


def with_a_column_of_ones(q, k, v):
    q, k, v = (np.asarray(a, dtype=np.float32) for a in (q, k, v))
    phi_q, phi_k = (np.where(a > 0, a + 1, np.exp(np.minimum(a, 0))) for a in (q, k))
    v = np.concatenate([v, np.ones_like(v[..., :1])], axis=-1)
    states = np.cumsum(np.einsum("...nd,...nv->...ndv", phi_k, v), axis=-3)
    collected = np.einsum("...nd,...ndv->...nv", phi_q, states)
    return collected[..., :-1] / collected[..., -1:]


EXERCISE = Exercise(
    id="variants.causal_linear_attention",
    title="因果的线性注意力",
    points=2,
    reference=reference.causal_linear_attention,
    returns=("output",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.8), Behaviour(BATCH, 0.2)),
    slips=(
        Slip(
            "看到了未来",
            the_future_too,
            wrong="每个位置都收集了全部的键和值；应只收集自己和前面的。（原地 += 之后存进列表的，是同一个数组。）",
            look="和要一边走一边加：np.cumsum(…, axis=…)，或者一个循环。",
        ),
        Slip(
            "没有看自己",
            without_itself,
            wrong="读的是加上自己之前的和；应先加，再读。",
            look="循环里先更新 state 和 total，再算这一个的输出。",
        ),
        Slip(
            "没有看自己，第一个成了 NaN",
            without_itself_nan,
            wrong="读的是加上自己之前的和：第一个位置什么都没有收集到，0 除以 0。",
            look="循环里先更新 state 和 total，再算这一个的输出。",
        ),
        Slip(
            "只看了自己和后面",
            only_the_future,
            wrong="方向反了：应收集自己和前面的。",
            look="从第一个 token 起往后加。",
        ),
        Slip(
            "忘了归一化",
            normaliser_forgotten,
            wrong="没有除以权重的总和：越往后，输出越大。",
            look="再带一个和 total = Σφ(k)，除以 φ(q)·total。",
        ),
        Slip(
            "总和里有未来的键",
            normaliser_of_all_keys,
            wrong="分子只加到自己，分母却加了所有的键（先归一化、再遮住未来，也会这样）：权重的和不到 1。",
            look="total 也要一边走一边加。",
        ),
        Slip(
            "分子里有未来的值",
            values_of_all_keys,
            wrong="分母只加到自己，分子却收集了所有的值。",
            look="state 也要一边走一边加。",
        ),
        Slip(
            "总和慢了一步",
            normaliser_one_behind,
            wrong="分子里有自己，分母里还没有。",
            look="先更新 state 和 total 两个，再相除。",
        ),
        Slip(
            "除以了已有的个数",
            divided_by_how_many,
            wrong="总和不是个数，而是这个查询与到此为止所有键的乘积之和。",
            look="除以 φ(q)·total，total = Σφ(k)。",
        ),
        Slip(
            "每一步都换掉了状态和总和",
            state_replaced,
            wrong="输出就是自己的 v：前面的都没有加进来（累加沿了特征的轴，也会这样）。",
            look="state += …，total += …，不是 =；用 cumsum 时，要累加的是时间的轴。",
        ),
        Slip(
            "状态没有累加",
            state_replaced_total_running,
            wrong="总和一边走一边加了，状态却每一步都换成了自己的。",
            look="state += np.outer(phi_k, v)。",
        ),
        Slip(
            "总和没有累加",
            total_replaced,
            wrong="状态一边走一边加了，总和却只有自己的键。",
            look="total += phi_k。",
        ),
        Slip(
            "没有用特征映射",
            without_features,
            wrong="直接用了 q 和 k：乘积可以是负的。",
            look="q 和 k 都先经过 φ(x) = elu(x) + 1。",
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
            "总和用了没有映射的键",
            total_without_features,
            wrong="分子里是 φ(k)，分母里也要是。",
            look="total 加的是 φ(k)。",
        ),
        Slip(
            "φ 用了 relu",
            relu,
            wrong="relu 把负的都变成 0，总和可能为 0。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 少了 1",
            elu_without_one,
            wrong="elu(x) 可以是负的，加 1 才恒为正。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "φ 用了指数",
            exponential_features,
            wrong="这里的 φ 在 0 以上是直线 x + 1，不是指数。",
            look="x > 0 时 x + 1，否则 exp(x)。",
        ),
        Slip(
            "仍是 softmax 注意力",
            softmax_attention,
            wrong="这是带因果掩码的 softmax 注意力；线性注意力的权重与 φ(q)·φ(k) 成正比。",
            look="先算 φ(q) 和 φ(k)，再累加。",
        ),
        Slip(
            "沿轴 0 累加了",
            summed_along_the_first_axis,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，不是时间。",
            look="从后面数：axis=-2 与 axis=-3。",
        ),
        Slip(
            "除了 √d_k",
            scaled,
            wrong="这里没有缩放：归一化已经照顾到了大小。",
            look="φ(q)·φ(k)，不除以 √d_k。",
        ),
        Slip(
            "把键当作值",
            keys_as_values,
            wrong="权重对了，但收集的是 k，不是 v。",
            look="状态里加的是 φ(k)ᵀv。",
        ),
        Slip(
            "值也用了特征映射",
            features_of_values_too,
            wrong="φ 只为了算权重；值原样收集。",
            look="v 不经过 φ。",
        ),
        Slip(
            "带着走的状态被归一化了",
            normalised_sum_carried,
            wrong="除以总和只是为了这一步的输出；状态自己不能除，否则下一步就错了。",
            look="output = φ(q) @ state / (φ(q) @ total)，state 不变。",
        ),
        Slip(
            "总和里没有查询",
            keys_summed_without_the_query,
            wrong="每个查询有自己的总和：φ(q) 与到此为止 Σφ(k) 的内积。",
            look="(phi_q * totals).sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "前面的值平均了",
            values_averaged,
            wrong="每个值占得一样多：查询和键没有用上。",
            look="权重与 φ(q)·φ(k) 成正比。",
        ),
        Slip(
            "循环走了轴 0",
            batch_axis_forgotten,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，不是时间。",
            look="用 cumsum，轴从后面数；或对批量逐个调用自己。",
        ),
    ),
    styles=(token_by_token, with_a_triangle, with_a_column_of_ones),
    hints=(
        "带着两个和往前走：状态 Σφ(k)ᵀv 和总和 Σφ(k)。每到一个 token，先加上它，再用它的查询去读。",
        "循环版：state = state + np.outer(phi_k[i], v[i])，total = total + phi_k[i]，"
        "输出 phi_q[i] @ state / (phi_q[i] @ total)。",
        "不用循环：states = (phi_k[..., :, None] * v[..., None, :]).cumsum(axis=-3)，totals = phi_k.cumsum(axis=-2)；"
        "分子 (phi_q[..., None, :] @ states)[..., 0, :]，分母 (phi_q * totals).sum(axis=-1, keepdims=True)。",
    ),
    equivalent_mutants={
        "the only row is the last row too": ("0 -> -1",),
    },
)
