"""Exercise `architecture.cross_attention`: queries from the decoder, keys and values from the encoder."""

import numpy as np

from helpers.checks.catalogue.architecture.softmax import softmax
from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import Behaviour, Case, Exercise, Property, Slip
from helpers.reference import block as reference

CORE, MASK, BATCH, WIDTHS, LARGE = "没有掩码时", "掩码", "前面可以有批量轴", "两边的宽度可以不同", "很大的分数不溢出"


def _arguments(rng, batch, n_target, n_source, d_model, d_k, d_v, scale=1.0, d_source=None):
    d_source = d_source or d_model
    return (
        scale * rng.normal(size=(*batch, n_target, d_model)),
        rng.normal(size=(*batch, n_source, d_source)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_source, d_k)),
        rng.normal(size=(d_source, d_v)),
    )


def _far_below():
    """Return x, source, w_q and w_k whose first token scores what it may see far below −1e4, the rest far above 1e4."""
    x = np.array([[1.0, 1.0], [-3.0, -3.0], [1.0, 2.0]])
    return x, x, 100 * np.eye(2), -100 * np.eye(2)


def cases(rng):
    padded = np.array([[True, True, False, True, False]] * 3)
    blind = padded.copy()
    blind[1] = False
    batch = np.array([[[True, True, False]] * 4, [[True, False, True]] * 4])
    float32 = [a.astype(np.float32) for a in _arguments(rng, (), 5, 3, 4, 2, 6)]
    return [
        Case(CORE, (*_arguments(rng, (), 2, 3, 4, 5, 6), None)),
        Case(CORE, (*_arguments(rng, (), 7, 5, 3, 2, 4), None)),
        Case(CORE, (*_arguments(rng, (), 4, 4, 3, 3, 3), None)),
        Case(CORE, (*float32,)),
        Case(MASK, (*_arguments(rng, (), 3, 5, 4, 2, 3), padded)),
        Case(MASK, (*_arguments(rng, (), 3, 5, 4, 3, 2), blind)),
        Case(BATCH, (*_arguments(rng, (2,), 4, 3, 5, 2, 6), batch)),
        Case(BATCH, (*_arguments(rng, (2, 3), 3, 5, 4, 2, 3), None)),
        Case(WIDTHS, (*_arguments(rng, (), 3, 5, 2, 4, 3, d_source=7), None)),
        Case(WIDTHS, (*_arguments(rng, (), 4, 2, 6, 3, 5, d_source=3), None)),
        Case(LARGE, (*_arguments(rng, (), 3, 4, 2, 3, 5, scale=20000.0), None)),
        Case(LARGE, (*_far_below(), rng.normal(size=(2, 4)), np.tri(3, dtype=bool))),
    ]


def _scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def _masked(scores, mask, fill=-np.inf):
    return scores if mask is None else np.where(mask, scores, fill)


def everything_from_the_decoder(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_scores(x @ w_q, x @ w_k))
    return weights @ (x @ w_v), weights


def everything_from_the_encoder(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_scores(source @ w_q, source @ w_k))
    return weights @ (source @ w_v), weights


def sides_exchanged(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_scores(source @ w_q, x @ w_k))
    return weights @ (x @ w_v), weights


def values_from_the_decoder(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask))
    return weights @ (x @ w_v), weights


def keys_and_values_exchanged(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_v), mask))
    return weights @ (source @ w_k), weights


def queries_and_keys_exchanged(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_k, source @ w_q), mask))
    return weights @ (source @ w_v), weights


def causal_mask_added(x, source, w_q, w_k, w_v, mask=None):
    scores = _masked(_scores(x @ w_q, source @ w_k), mask)
    weights = softmax(np.where(np.tri(x.shape[-2], source.shape[-2], dtype=bool), scores, -np.inf))
    return weights @ (source @ w_v), weights


def without_scaling(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked((x @ w_q) @ np.swapaxes(source @ w_k, -1, -2), mask))
    return weights @ (source @ w_v), weights


def divided_by_sqrt_d_model(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked((x @ w_q) @ np.swapaxes(source @ w_k, -1, -2) / np.sqrt(x.shape[-1]), mask))
    return weights @ (source @ w_v), weights


def softmax_over_the_queries(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask), axis=-2)
    return weights @ (source @ w_v), weights


def mask_ignored(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_scores(x @ w_q, source @ w_k))
    return weights @ (source @ w_v), weights


def keys_not_turned(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked((x @ w_q) @ (source @ w_k) / np.sqrt(w_q.shape[-1]), mask))
    return weights @ (source @ w_v), weights


def all_axes_turned(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked((x @ w_q) @ (source @ w_k).T / np.sqrt(w_q.shape[-1]), mask))
    return weights @ (source @ w_v), weights


def blind_row_is_nan(x, source, w_q, w_k, w_v, mask=None):
    scores = _masked(_scores(x @ w_q, source @ w_k), mask)
    with np.errstate(invalid="ignore"):
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (source @ w_v), weights


def mask_inverted(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), None if mask is None else ~mask))
    return weights @ (source @ w_v), weights


def blind_row_looks_everywhere(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask, fill=-1e9))
    return weights @ (source @ w_v), weights


def ten_thousand_below(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask, fill=-1e4))
    return weights @ (source @ w_v), weights


def ten_thousand_below_blind_row_zero(x, source, w_q, w_k, w_v, mask=None):
    output, weights = ten_thousand_below(x, source, w_q, w_k, w_v, mask)
    seen = 1.0 if mask is None else mask.any(axis=-1, keepdims=True)
    return output * seen, weights * seen


def ten_thousand_subtracted(x, source, w_q, w_k, w_v, mask=None):
    scores = _scores(x @ w_q, source @ w_k)
    weights = softmax(scores if mask is None else scores - 1e4 * ~mask)
    return weights @ (source @ w_v), weights


def blind_row_looks_as_if_unmasked(x, source, w_q, w_k, w_v, mask=None):
    scores = _scores(x @ w_q, source @ w_k)
    weights = softmax(scores if mask is None else scores - 1e9 * ~mask)
    return weights @ (source @ w_v), weights


def overflowing(x, source, w_q, w_k, w_v, mask=None):
    exps = np.exp(_masked(_scores(x @ w_q, source @ w_k), mask))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1)
    return weights @ (source @ w_v), weights


def values_not_projected(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask))
    return weights @ source, weights


def weights_transposed(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask))
    return weights @ (source @ w_v), np.swapaxes(weights, -1, -2)


def residual_added(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask))
    output = weights @ (source @ w_v)
    return (x + output if x.shape == output.shape else output), weights


def exchanged(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_masked(_scores(x @ w_q, source @ w_k), mask))
    return weights, weights @ (source @ w_v)


def everything_projected_on_both_sides(x, source, w_q, w_k, w_v, mask=None):
    queries, _, _ = x @ w_q, x @ w_k, x @ w_v
    _, keys, values = source @ w_q, source @ w_k, source @ w_v
    weights = softmax(_masked(_scores(queries, keys), mask))
    return weights @ values, weights


def mask_after_the_softmax(x, source, w_q, w_k, w_v, mask=None):
    weights = softmax(_scores(x @ w_q, source @ w_k))
    weights = weights if mask is None else weights * mask
    return weights @ (source @ w_v), weights


def divided_by_d_k(x, source, w_q, w_k, w_v, mask=None):
    scores = (x @ w_q) @ np.swapaxes(source @ w_k, -1, -2) / w_q.shape[-1]
    weights = softmax(_masked(scores, mask))
    return weights @ (source @ w_v), weights


def with_einsum(x, source, w_q, w_k, w_v, mask=None):
    scores = np.einsum("...id,dk,ek,...je->...ij", x, w_q, w_k, source) * w_q.shape[-1] ** -0.5
    seen = np.broadcast_to(True if mask is None else mask, scores.shape)
    exps = np.where(seen, np.exp(scores - scores.max(-1, keepdims=True, where=seen, initial=-1e300)), 0)
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), 1e-300)
    return np.einsum("...ij,...jd,dv->...iv", weights, source, w_v), weights


def query_by_query(x, source, w_q, w_k, w_v, mask=None):
    if x.ndim > 2:
        masks = [mask] * len(x) if mask is None or mask.ndim == 2 else mask
        pairs = [query_by_query(a, b, w_q, w_k, w_v, m) for a, b, m in zip(x, source, masks, strict=True)]
        return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    keys, values = source @ w_k, source @ w_v
    weights = np.zeros((len(x), len(source)))
    for i, token in enumerate(x):
        seen = np.arange(len(source)) if mask is None else np.flatnonzero(mask[i])
        if len(seen):
            scores = keys[seen] @ (token @ w_q) / np.sqrt(keys.shape[1])
            exps = np.exp(scores - max(scores))
            weights[i, seen] = exps / sum(exps)
    return weights @ values, weights


def in_float32(x, source, w_q, w_k, w_v, mask=None):
    x, source, w_q, w_k, w_v = (np.asarray(a, dtype=np.float32) for a in (x, source, w_q, w_k, w_v))
    scores = (x @ w_q) @ (source @ w_k).swapaxes(-1, -2) / np.float32(np.sqrt(w_k.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, np.float32(-np.inf))
    exps = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0))
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30))
    return [weights @ (source @ w_v), weights]


EXERCISE = Exercise(
    id="architecture.cross_attention",
    title="交叉注意力",
    points=1,
    reference=reference.cross_attention,
    returns=("output", "weights"),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.5),
        Behaviour(MASK, 0.2),
        Behaviour(BATCH, 0.1),
        Behaviour(WIDTHS, 0.1),
        Behaviour(LARGE, 0.1),
    ),
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
            "k 和 v 取自解码器",
            everything_from_the_decoder,
            wrong="这是解码器的自注意力：源句一点也没有用上。",
            look="k 和 v 由 source 造出。",
        ),
        Slip(
            "q 也取自编码器",
            everything_from_the_encoder,
            wrong="这是编码器的自注意力：提问的应是解码器的 token。",
            look="q = x @ w_q。",
        ),
        Slip(
            "两边对调了",
            sides_exchanged,
            wrong="源句在向目标句提问；方向反了。",
            look="q 取自 x，k 和 v 取自 source。",
        ),
        Slip(
            "v 取自解码器",
            values_from_the_decoder,
            wrong="权重对了，取回来的却是解码器自己的内容。",
            look="v = source @ w_v。",
        ),
        Slip(
            "k 和 v 的矩阵对调了",
            keys_and_values_exchanged,
            wrong="用 w_v 造了键，用 w_k 造了值。",
            look="k = source @ w_k；v = source @ w_v。",
        ),
        Slip(
            "q 和 k 的矩阵对调了",
            queries_and_keys_exchanged,
            wrong="用 w_k 造了查询，用 w_q 造了键。",
            look="q = x @ w_q；k = source @ w_k。",
        ),
        Slip(
            "加了因果掩码",
            causal_mask_added,
            wrong="源句全部已知，没有“未来”：交叉注意力不用因果掩码。",
            look="只用传进来的 mask。",
        ),
        Slip(
            "键没有转置",
            keys_not_turned,
            wrong="键的形状是 (n_source, d_k)：要先转置，每个查询才能和每个键点积。",
            look="直接用 attention(q, k, v, mask)。",
        ),
        Slip(
            "没有照顾批量轴",
            all_axes_turned,
            wrong="二维时正确；有批量轴时，.T 把批量轴也倒了过来。",
            look="直接用 attention(q, k, v, mask)，或 np.swapaxes(k, -1, -2)。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="直接用 attention(q, k, v, mask)，缩放在里面。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="要除以 √d_k，d_k 是 w_q 的列数。",
            look="直接用 attention(q, k, v, mask)，缩放在里面。",
        ),
        Slip(
            "沿查询做了 softmax",
            softmax_over_the_queries,
            wrong="每一列的和是 1；应是每一行：一个目标 token 在源句的 token 之间分配。",
            look="softmax 沿最后一个轴。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样：目标句会去看源句的填充。",
            look="把 mask 传给 attention。",
        ),
        Slip(
            "掩码真假反了",
            mask_inverted,
            wrong="遮住的正好是可以看的：True = 可以看。",
            look="mask 为 True 时保留分数。",
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
            look="用给出的 attention(q, k, v, mask)，它让这样的一行为 0。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="整行被遮住的查询，把权重平均分给了不许看的键。",
            look="前面给出的 attention 已经处理了这种行。",
        ),
        Slip(
            "指数溢出了",
            overflowing,
            wrong="分数很大时 exp 变成无穷大。",
            look="先减去每一行的最大值；前面给出的 attention 已经这样做了。",
        ),
        Slip(
            "值没有投影",
            values_not_projected,
            wrong="加权的是 source 本身；要先乘 w_v。",
            look="v = source @ w_v。",
        ),
        Slip(
            "权重转置了",
            weights_transposed,
            wrong="行应是目标句的 token，列是源句的。",
            look="形状是 (n_target, n_source)。",
        ),
        Slip(
            "多加了残差",
            residual_added,
            wrong="形状碰巧一样时，输出里多了一个 x；残差属于 block。",
            look="只返回注意力的结果。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 output，再返回 weights。",
        ),
        Slip(
            "什么都不许看的一行像没有掩码一样",
            blind_row_looks_as_if_unmasked,
            wrong="给一整行都减去同样大的数，softmax 的结果不变：这一行照样看了所有的键，应是 0。",
            look="前面给出的 attention 已经处理了这种行。",
        ),
        Slip(
            "两边都用了三个矩阵",
            everything_projected_on_both_sides,
            wrong="x 也乘了 w_k 和 w_v，source 也乘了 w_q：两边一样宽时看不出来，宽度不同时，矩阵对不上。",
            look="x 只乘 w_q；source 只乘 w_k 和 w_v。",
        ),
        Slip(
            "掩码用在了 softmax 之后",
            mask_after_the_softmax,
            wrong="被遮住的权重是 0，但剩下的加起来不到 1。",
            look="把 mask 传给 attention：不许看的分数先变成 −∞，再做 softmax。",
        ),
        Slip(
            "除以了 d_k",
            divided_by_d_k,
            wrong="分布太平：要除的是 √d_k。",
            look="直接用 attention(q, k, v, mask)，缩放在里面。",
        ),
    ),
    styles=(with_einsum, query_by_query, in_float32),
    hints=(
        "谁提问，谁被问？提问的是正在写的一方（解码器），被问的是已经读完的一方（编码器）。",
        "q 由 x 造出，k 和 v 由 source 造出，其余和自注意力完全一样。",
        "return attention(x @ w_q, source @ w_k, source @ w_v, mask)",
    ),
    equivalent_mutants={
        "exchanges two arguments that are the same": (
            "project(x, w_q, w_q, w_q) -> project(x, w_q, w_q, w_q)",
            "project(x, w_q, w_q, w_q) -> project(x, w_q, w_q, w_q) #2",
            "project(source, w_k, w_k, w_v) -> project(source, w_k, w_k, w_v)",
        ),
    },
)
