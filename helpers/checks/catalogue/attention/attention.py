"""Exercise `attention.attention`: scores, mask, softmax, weighted sum."""

import math

import numpy as np

from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import attention as reference

CORE, MASK, BLIND, BATCH, LARGE = (
    "没有掩码时",
    "掩码在 softmax 之前起作用",
    "什么都不许看的一行为 0",
    "前面可以有批量轴",
    "很大的分数不溢出",
)


def _arguments(rng, batch, n_queries, n_keys, d_k, d_v):
    shapes = ((*batch, n_queries, d_k), (*batch, n_keys, d_k), (*batch, n_keys, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def _mask(rng, n_queries, n_keys):
    """Return a random mask in which every query may look at something, and not at everything."""
    mask = rng.random((n_queries, n_keys)) < 0.5
    mask[np.arange(n_queries), rng.integers(0, n_keys - 1, n_queries)] = True
    mask[:, -1] = False
    return mask


def _large_where_forbidden():
    """Return queries and keys whose first key, forbidden, scores far above 1e4, and the others far below −1e4."""
    return np.array([[1e3, 0.0], [0.0, 1e3]]), np.array([[50.0, 50.0], [-20.0, -40.0], [-50.0, -30.0]])


def cases(rng):
    blind = _mask(rng, 3, 5)
    blind[1] = False
    q, k, v = _arguments(rng, (), 2, 3, 2, 5)
    return [
        Case(CORE, (*_arguments(rng, (), 2, 3, 4, 3), None)),
        Case(CORE, (*_arguments(rng, (), 3, 5, 7, 2), None)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 2, 5, 64, 3)) + (None,)),
        Case(MASK, (*_arguments(rng, (), 2, 3, 2, 5), np.array([[True, False, False], [True, True, False]]))),
        Case(MASK, (*_arguments(rng, (), 5, 5, 3, 2), np.tri(5, dtype=bool))),
        Case(MASK, (*_arguments(rng, (), 3, 7, 5, 2), _mask(rng, 3, 7))),
        Case(BLIND, (*_arguments(rng, (), 3, 5, 2, 7), blind)),
        Case(BLIND, (*_arguments(rng, (), 2, 5, 3, 2), np.zeros((2, 5), dtype=bool))),
        Case(BATCH, (*_arguments(rng, (2,), 3, 5, 7, 2), None)),
        Case(BATCH, (*_arguments(rng, (2, 3), 5, 2, 3, 7), _mask(rng, 5, 2))),
        Case(LARGE, (1e3 * np.round(q, 1), 10 * np.round(k, 1), v, None)),
        Case(LARGE, (*_large_where_forbidden(), v, np.array([[False, True, True], [False, False, True]]))),
    ]


def _softmax(scores, axis=-1):
    exps = np.exp(scores - np.maximum(np.max(scores, axis=axis, keepdims=True), -1e300))
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total > 0, total, 1)


def _scores(q, k):
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def _masked(scores, mask, fill=-np.inf):
    return scores if mask is None else np.where(mask, scores, fill)


def _with_values(weights, v):
    return weights @ v, weights


def keys_not_turned(q, k, v, mask=None):
    return _with_values(_softmax(_masked(q @ k / np.sqrt(q.shape[-1]), mask)), v)


def without_scaling(q, k, v, mask=None):
    return _with_values(_softmax(_masked(q @ np.swapaxes(k, -1, -2), mask)), v)


def divided_by_d_k(q, k, v, mask=None):
    return _with_values(_softmax(_masked(q @ np.swapaxes(k, -1, -2) / q.shape[-1], mask)), v)


def divided_by_sqrt_n_keys(q, k, v, mask=None):
    return _with_values(_softmax(_masked(q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-2]), mask)), v)


def softmax_over_the_queries(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask), axis=-2), v)


def mask_after_the_softmax(q, k, v, mask=None):
    weights = _softmax(_scores(q, k))
    return _with_values(weights if mask is None else weights * mask, v)


def masked_scores_set_to_zero(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask, fill=0.0)), v)


def mask_inverted(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), None if mask is None else ~mask)), v)


def additive_with_the_wrong_sign(q, k, v, mask=None):
    scores = _scores(q, k)
    return _with_values(_softmax(scores if mask is None else scores + np.where(mask, 0.0, 1e9)), v)


def mask_added_to_the_scores(q, k, v, mask=None):
    scores = _scores(q, k)
    return _with_values(_softmax(scores if mask is None else scores + mask), v)


def mask_ignored(q, k, v, mask=None):
    return _with_values(_softmax(_scores(q, k)), v)


def keys_as_values(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask)), k)


def blind_row_looks_everywhere(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask, fill=-1e9)), v)


def large_negative_added(q, k, v, mask=None):
    scores = _scores(q, k)
    return _with_values(_softmax(scores if mask is None else scores + np.where(mask, 0.0, -1e9)), v)


def ten_thousand_below(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask, fill=-1e4)), v)


def ten_thousand_below_blind_row_zero(q, k, v, mask=None):
    weights = _softmax(_masked(_scores(q, k), mask, fill=-1e4))
    return _with_values(weights if mask is None else weights * mask.any(axis=-1, keepdims=True), v)


def ten_thousand_subtracted(q, k, v, mask=None):
    scores = _scores(q, k)
    return _with_values(_softmax(scores if mask is None else scores - 1e4 * ~mask), v)


def blind_row_is_nan(q, k, v, mask=None):
    scores = _masked(_scores(q, k), mask)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return _with_values(exps / exps.sum(axis=-1, keepdims=True), v)


def exponential_overflows(q, k, v, mask=None):
    exps = np.exp(_masked(_scores(q, k), mask))
    total = exps.sum(axis=-1, keepdims=True)
    return _with_values(exps / np.where(total == 0, 1, total), v)


def softmax_by_the_formula(q, k, v, mask=None):
    exps = np.exp(_masked(_scores(q, k), mask))
    return _with_values(exps / exps.sum(axis=-1, keepdims=True), v)


def truth_of_the_mask(q, k, v, mask=None):
    return _with_values(_softmax(_masked(_scores(q, k), mask if mask else None)), v)


def infinity_times_zero(q, k, v, mask=None):
    scores = _scores(q, k) + (0 if mask is None else (1 - mask) * -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return _with_values(exps / exps.sum(axis=-1, keepdims=True), v)


def shifted_by_the_largest_of_all_keys(q, k, v, mask=None):
    scores = _scores(q, k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True)) * (1 if mask is None else mask)
    total = exps.sum(axis=-1, keepdims=True)
    return _with_values(exps / np.where(total > 0, total, 1), v)


def transposing_all_axes(q, k, v, mask=None):
    return _with_values(_softmax(_masked(q @ k.T / np.sqrt(q.shape[-1]), mask)), v)


def weights_and_output_exchanged(q, k, v, mask=None):
    weights = _softmax(_masked(_scores(q, k), mask))
    return weights, weights @ v


def scores_instead_of_weights(q, k, v, mask=None):
    scores = _masked(_scores(q, k), mask)
    return _softmax(scores) @ v, scores


def with_loops(q, k, v, mask=None):
    if np.ndim(q) > 2:
        return tuple(zip(*(with_loops(*one, mask) for one in zip(q, k, v, strict=True)), strict=True))
    outputs, weights = [], []
    for i, query in enumerate(q):
        seen = [j for j in range(len(k)) if mask is None or mask[i][j]]
        scores = {j: sum(a * b for a, b in zip(query, k[j], strict=True)) / math.sqrt(len(query)) for j in seen}
        exps = {j: math.exp(scores[j] - max(scores.values())) for j in seen}
        row = [exps[j] / sum(exps.values()) if j in exps else 0.0 for j in range(len(k))]
        weights.append(row)
        outputs.append([sum(w * value[c] for w, value in zip(row, v, strict=True)) for c in range(len(v[0]))])
    return outputs, weights


def with_einsum(q, k, v, mask=None):
    scores = np.einsum("...id,...jd->...ij", q, k) / math.sqrt(q.shape[-1])
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    largest = np.max(scores, axis=-1, keepdims=True, where=allowed, initial=-1e300)
    exps = np.where(allowed, np.exp(np.minimum(scores - largest, 0)), 0)
    weights = exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)
    return np.einsum("...ij,...jd->...id", weights, v), weights


def with_a_bias(q, k, v, mask=None):
    bias = 0.0 if mask is None else np.where(mask, 0.0, -1e30)
    scores = q @ np.moveaxis(k, -1, -2) * q.shape[-1] ** -0.5 + bias
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights * (scores > -1e29)
    total = weights.sum(axis=-1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)
    return [np.matmul(weights, v), weights]


def in_float32(q, k, v, mask=None):
    q, k, v = (np.asarray(a, dtype=np.float32) for a in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / np.float32(np.sqrt(q.shape[-1]))
    if mask is not None:
        scores[..., ~mask] = -np.inf
    exps = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0))
    weights = exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30))
    return weights @ v, weights


EXERCISE = Exercise(
    id="attention.attention",
    title="缩放点积注意力",
    points=3,
    reference=reference.attention,
    returns=("output", "weights"),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.3),
        Behaviour(MASK, 0.3),
        Behaviour(BLIND, 0.15),
        Behaviour(BATCH, 0.15),
        Behaviour(LARGE, 0.1),
    ),
    properties=(
        Property(
            "每一行的和是 1（或整行为 0）",
            lambda output, weights: bool(
                (np.isclose(weights.sum(-1), 1, atol=1e-4) | np.isclose(weights.sum(-1), 0, atol=1e-6)).all()
            ),
        ),
    ),
    slips=(
        Slip(
            "键没有转置",
            keys_not_turned,
            wrong="k 的形状是 (n_keys, d_k)：要先转置，每个查询才能和每个键点积。",
            look="s = scores(q, k)，或 q @ np.swapaxes(k, -1, -2) / √d_k。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分布太尖：点积没有除以 √d_k，d_k 越大越明显。",
            look="k 转置后在右：q @ np.swapaxes(k, -1, -2)，再除以 np.sqrt(d_k)。",
        ),
        Slip(
            "除以了 d_k",
            divided_by_d_k,
            wrong="分布过于平均：除以 d_k 之后，分数几乎都是 0，所有的键看起来都一样。",
            look="要除的是 √d_k。",
        ),
        Slip(
            "除以了 √n_keys",
            divided_by_sqrt_n_keys,
            wrong="除数用了键的个数，不是 d_k。",
            look="d_k 是 q.shape[-1]。",
        ),
        Slip(
            "沿查询的轴做了 softmax",
            softmax_over_the_queries,
            wrong="现在每一列的和是 1：查询在互相竞争，而应当竞争的是键。",
            look="softmax 沿最后一个轴（键）做。",
        ),
        Slip(
            "掩码用在了 softmax 之后",
            mask_after_the_softmax,
            wrong="被遮住的权重是 0，但剩下的加起来不到 1：分母里还有看不见的键。",
            look="先把不许看的分数变成 −∞，再做 softmax。",
        ),
        Slip(
            "被遮住的分数设成了 0",
            masked_scores_set_to_zero,
            wrong="分数 0 不等于不看：exp(0) = 1，被遮住的键照样得到权重。",
            look="哪个分数的指数才是 0？",
        ),
        Slip(
            "掩码真假反了",
            mask_inverted,
            wrong="遮住的正好是可以看的键：约定是 True = 可以看。",
            look="np.where(mask, s, -np.inf)：mask 为 True 时保留分数。（scores 是你写的函数，分数另起名字，例如 s。）",
        ),
        Slip(
            "加性掩码的符号反了",
            additive_with_the_wrong_sign,
            wrong="给不许看的键加上了很大的正数，结果它们得到了全部权重。",
            look="把不许看的分数换成 -np.inf；有限的大负数也不够，整行都被遮住时它会失效。",
        ),
        Slip(
            "把布尔掩码加到了分数上",
            mask_added_to_the_scores,
            wrong="True 被当作 1 加到分数上：可以看的键只是略占便宜，不许看的键仍有权重。",
            look="掩码是用来选择的，不是用来相加的：np.where(mask, s, -np.inf)，s 是分数。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样。",
            look="mask 不是 None 时，在 softmax 之前把不许看的分数换成 −∞。",
        ),
        Slip(
            "把键当作值",
            keys_as_values,
            wrong="权重对了，但加权求和用的是 k，不是 v。",
            look="键只用来算权重；收集的是值：weights @ v。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="用 −1e9 遮住时，整行被遮住的查询会把权重平均分给所有不许看的键。",
            look="整行都不许看时，权重应全为 0：用 −∞，并处理总和为 0 的行。",
        ),
        Slip(
            "加了 −1e9，什么都不许看的一行仍有权重",
            large_negative_added,
            wrong="整行都加上同一个大负数，softmax 的结果不变，等于没有遮。",
            look="用 -np.inf 代替 −1e9，并让总和为 0 的一行得到 0。",
        ),
        finite_mask.filled(ten_thousand_below, look="np.where(mask, s, -np.inf)，s 是分数。"),
        finite_mask.filled_with_blind_row_zero(
            ten_thousand_below_blind_row_zero, look="np.where(mask, s, -np.inf)，s 是分数。"
        ),
        finite_mask.subtracted(ten_thousand_subtracted, look="np.where(mask, s, -np.inf)，s 是分数。"),
        Slip(
            "什么都不许看的一行变成了 NaN",
            blind_row_is_nan,
            wrong="整行都是 −∞ 时，−∞ − (−∞) 得 NaN，并会传染给后面的一切。",
            look="最大值不是有限数时减 0；总和为 0 时除以 1。前面的 softmax 练习已经做到了，可以直接调用。",
        ),
        Slip(
            "没有先减去最大值",
            exponential_overflows,
            wrong="分数很大时 exp 溢出成无穷大，权重变成 NaN。",
            look="softmax 里先减去每一行的最大值。前面的 softmax 练习可以直接调用。",
        ),
        Slip(
            "softmax 直接照公式写",
            softmax_by_the_formula,
            wrong="分数很大时 exp 溢出；整行被遮住时 0 除以 0：两处都得 NaN。",
            look="调用前面写好的 softmax，它已经照顾到这两处。",
        ),
        Slip(
            "把 mask 当作真假来判断",
            truth_of_the_mask,
            wrong="多个元素的数组没有单一的真假，if mask 会报错。",
            look="写 if mask is not None。",
        ),
        Slip(
            "用 −∞ 乘了掩码",
            infinity_times_zero,
            wrong="0 乘以 −∞ 是 NaN，可以看的位置也坏了。",
            look="用选择代替相乘：np.where(mask, s, -np.inf)。",
        ),
        Slip(
            "减去的最大值里有不许看的键",
            shifted_by_the_largest_of_all_keys,
            wrong="不许看的键分数最大时，可以看的键减去它之后全部下溢成 0，权重就没有了。",
            look="先遮住，再取最大值：最大值只在可以看的键里找。",
        ),
        Slip(
            "没有照顾批量轴",
            transposing_all_axes,
            wrong="二维时正确；前面有批量轴时就不对了（例如 k.T 会把批量轴也倒过来，einsum 里少了“...”会报错）。",
            look="只交换最后两个轴：np.swapaxes(k, -1, -2)；@ 会保留前面的轴。",
        ),
        Slip(
            "输出和权重对调了",
            weights_and_output_exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 output，再返回 weights。",
        ),
        Slip(
            "返回了分数而不是权重",
            scores_instead_of_weights,
            wrong="输出是对的，但第二个结果是 softmax 之前的分数。",
            look="返回 softmax 之后的权重。",
        ),
    ),
    styles=(with_loops, with_einsum, with_a_bias, in_float32),
    hints=(
        "四步：算分数，遮住不许看的，沿键的轴做 softmax，用权重对值加权求和。前面写的 scores 和 softmax 可以直接用。",
        "mask 为 True 的分数保留，其余换成 -np.inf；mask 可能是 None。这一步在 softmax 之前。",
        "s = scores(q, k)；有 mask 时 s = np.where(mask, s, -np.inf)；weights = softmax(s)；输出是 weights @ v。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "v = np.asarray(v, dtype=float) -> (dropped)",
            "np.asarray(v, dtype=float) -> v",
            "np.asarray(v, dtype=float) -> np.asarray(v)",
            "np.asarray(k) -> k",
        ),
        CHECKS_SHAPES: (
            "_require_same_number(np.asarray(k), v) -> (dropped)",
            "_require_same_number(np.asarray(k), v) -> np.asarray(k)",
            "_require_same_number(np.asarray(k), v) -> _require_same_number(v, np.asarray(k))",
        ),
    },
)
