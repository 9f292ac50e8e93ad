"""Exercise `architecture.lesson_block`: the lesson's smallest block, from tokens to output."""

import math

import numpy as np

from helpers.checks.catalogue.architecture.softmax import softmax
from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import lesson_block as reference

CORE, OTHER, LARGE = "教材的数字", "别的大小也对", "很大的分数不溢出"


def arguments(rng, n, d_in, d_model, d_k, d_ff, scale=1.0):
    """Draw tokens, value inputs and the five matrices."""
    return (
        scale * rng.normal(size=(n, d_model)),
        rng.normal(size=(n, d_in)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_in, d_model)),
        rng.normal(size=(d_model, d_ff)) / 2,
        rng.normal(size=(d_ff, d_model)) / 2,
    )


def lesson_arguments():
    """Return the lesson's tokens and matrices as arrays."""
    return tuple(np.array(each) for each in reference.ARGUMENTS)


def far_below(rng):
    """Return arguments whose first token scores itself far below −1e4, and what follows it far above 1e4."""
    tokens = np.array([[1.0, 1.0], [-3.0, -3.0], [1.0, 2.0]])
    _, value_inputs, _, _, *others = arguments(rng, 3, 3, 2, 2, 5)
    return tokens, value_inputs, 100 * np.eye(2), -100 * np.eye(2), *others


def cases(rng):
    large = arguments(rng, 3, 2, 4, 3, 5, scale=60.0)
    return [
        Case(CORE, lesson_arguments()),
        Case(OTHER, arguments(rng, 2, 3, 5, 4, 7)),
        Case(OTHER, arguments(rng, 5, 2, 4, 3, 6)),
        Case(OTHER, tuple(a.astype(np.float32) for a in arguments(rng, 3, 4, 2, 5, 3))),
        Case(OTHER, arguments(rng, 1, 2, 3, 2, 4)),
        Case(LARGE, large),
        Case(LARGE, far_below(rng)),
    ]


def _scores(tokens, w_q, w_k):
    return (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])


def _causal(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -1e9)


def _weights(tokens, w_q, w_k):
    return softmax(_causal(_scores(tokens, w_q, w_k)))


def _rest(tokens, weights, value_inputs, w_v, w_1, w_2):
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, x + np.maximum(x @ w_1, 0) @ w_2


def keys_not_turned(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_causal((tokens @ w_q) @ (tokens @ w_k) / np.sqrt(w_q.shape[1])))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def values_from_the_tokens(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    return _rest(tokens, _weights(tokens, w_q, w_k), tokens, w_v, w_1, w_2)


def without_mask(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_scores(tokens, w_q, w_k))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def ten_thousand_below(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = _scores(tokens, w_q, w_k)
    weights = softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -1e4))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def ten_thousand_subtracted(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_scores(tokens, w_q, w_k) - 1e4 * (1 - np.tri(len(tokens))))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def looking_ahead(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = _scores(tokens, w_q, w_k)
    weights = softmax(np.where(np.tri(len(tokens), dtype=bool).T, scores, -1e9))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def without_itself(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = _scores(tokens, w_q, w_k)
    weights = softmax(np.where(np.tri(len(tokens), k=-1, dtype=bool), scores, -1e9))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def mask_after_the_softmax_normalised_again(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_scores(tokens, w_q, w_k)) * np.tri(len(tokens))
    with np.errstate(invalid="ignore"):
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def mask_after_the_softmax(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_scores(tokens, w_q, w_k)) * np.tri(len(tokens))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def without_scaling(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_causal((tokens @ w_q) @ (tokens @ w_k).T))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def divided_by_sqrt_d_model(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_causal((tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(tokens.shape[1])))
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def queries_and_keys_exchanged(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_k, w_q)
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def softmax_down_the_columns(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = softmax(_causal(_scores(tokens, w_q, w_k)), axis=0)
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def overflowing(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    exps = np.exp(_scores(tokens, w_q, w_k)) * np.tri(len(tokens))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return _rest(tokens, weights, value_inputs, w_v, w_1, w_2)


def no_residual_after_attention(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = weights @ (value_inputs @ w_v)
    return weights, x + np.maximum(x @ w_1, 0) @ w_2


def no_residual_after_ffn(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, np.maximum(x @ w_1, 0) @ w_2


def no_residual_at_all(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    return weights, np.maximum(weights @ (value_inputs @ w_v) @ w_1, 0) @ w_2


def tokens_added_at_the_end(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, tokens + np.maximum(x @ w_1, 0) @ w_2


def residual_added_twice(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, tokens + x + np.maximum(x @ w_1, 0) @ w_2


def ffn_beside_attention(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    return weights, tokens + weights @ (value_inputs @ w_v) + np.maximum(tokens @ w_1, 0) @ w_2


def without_relu(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, x + x @ w_1 @ w_2


def relu_before_the_first_matrix(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, x + np.maximum(x, 0) @ w_1 @ w_2


def relu_after_the_second_matrix(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    x = tokens + weights @ (value_inputs @ w_v)
    return weights, x + np.maximum(x @ w_1 @ w_2, 0)


def without_ffn(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights = _weights(tokens, w_q, w_k)
    return weights, tokens + weights @ (value_inputs @ w_v)


def exchanged(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    weights, output = _rest(tokens, _weights(tokens, w_q, w_k), value_inputs, w_v, w_1, w_2)
    return output, weights


def in_plain_lists(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    def times(vector, matrix):
        return [sum(a * row[j] for a, row in zip(vector, matrix, strict=True)) for j in range(len(matrix[0]))]

    all_weights, output = [], []
    for i, token in enumerate(tokens):
        q = times(token, w_q)
        scores = [sum(a * b for a, b in zip(q, times(other, w_k), strict=True)) for other in tokens[: i + 1]]
        exps = [math.exp((score - max(scores)) / math.sqrt(len(q))) for score in scores]
        weights = [e / sum(exps) for e in exps] + [0.0] * (len(tokens) - i - 1)
        context = times(weights, [times(given, w_v) for given in value_inputs])
        x = [a + b for a, b in zip(token, context, strict=True)]
        digested = times([max(0.0, h) for h in times(x, w_1)], w_2)
        output.append([a + b for a, b in zip(x, digested, strict=True)])
        all_weights.append(weights)
    return all_weights, output


def with_einsum(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = np.einsum("id,de,je,fe->ij", tokens, w_q, tokens @ w_k, np.eye(w_q.shape[1])) * w_q.shape[1] ** -0.5
    scores[np.triu_indices(len(tokens), k=1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1)[:, None])
    weights /= weights.sum(axis=1)[:, None]
    x = tokens + np.einsum("ij,jc,cd->id", weights, value_inputs, w_v)
    hidden = x @ w_1
    return weights, x + (hidden * (hidden > 0)) @ w_2


def in_float32(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    x, given, w_q, w_k, w_v, w_1, w_2 = (
        np.asarray(a, dtype=np.float32) for a in (tokens, value_inputs, w_q, w_k, w_v, w_1, w_2)
    )
    scores = x @ w_q @ w_k.T @ x.T / np.float32(np.sqrt(w_k.shape[1]))
    scores = scores + np.triu(np.full(scores.shape, np.float32(-1e30)), k=1)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    x = x + weights @ (given @ w_v)
    return [weights, x + (x @ w_1).clip(min=0) @ w_2]


EXERCISE = Exercise(
    id="architecture.lesson_block",
    title="最小的 block",
    points=1,
    reference=reference.lesson_block,
    returns=("weights", "output"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(OTHER, 0.35), Behaviour(LARGE, 0.15)),
    properties=(
        Property(
            "每一行权重的和是 1",
            lambda weights, output: bool(np.allclose(weights.sum(axis=-1), 1, atol=1e-4)),
        ),
        Property(
            "没有一个 token 看到后面",
            lambda weights, output: bool(np.allclose(np.triu(weights, k=1), 0, atol=1e-6)),
        ),
    ),
    slips=(
        Slip(
            "键没有转置",
            keys_not_turned,
            wrong="k 的形状是 (n, d_k)：要先转置，每个查询才能和每个键点积。",
            look="attention(x @ w_q, x @ w_k, …)，或 q @ k.T。",
        ),
        Slip(
            "值由 tokens 算了",
            values_from_the_tokens,
            wrong="值由另外的 value_inputs 算出，它和 tokens 的宽度不必一样。",
            look="value_inputs @ w_v。",
        ),
        Slip(
            "没有加因果掩码",
            without_mask,
            wrong="前面的 token 看到了后面的：权重的右上角应全是 0。",
            look="softmax 之前，把 j > i 的分数变成 −∞。",
        ),
        finite_mask.filled(ten_thousand_below, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        finite_mask.subtracted(ten_thousand_subtracted, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        Slip(
            "掩码方向反了",
            looking_ahead,
            wrong="每个 token 只看到了自己和后面；应是自己和前面。",
            look="保留 j <= i：下三角，连同对角线。",
        ),
        Slip(
            "不许看自己",
            without_itself,
            wrong="对角线也被遮住了：条件是 j <= i，不是 j < i。",
            look="np.tri(n) 包含对角线。",
        ),
        Slip(
            "掩码用在了 softmax 之后",
            mask_after_the_softmax,
            wrong="后面的权重是 0，但剩下的加起来不到 1。",
            look="先遮住分数，再做 softmax。",
        ),
        Slip(
            "softmax 之后才遮住，再归一化",
            mask_after_the_softmax_normalised_again,
            wrong="分数不大时对；后面的分数高出很多时，前面的指数全成了 0，0 / 0 是 NaN。",
            look="softmax 之前，把 j > i 的分数变成 −∞。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k，分布太尖。",
            look="d_k 是 q 的列数；教材的例子里是 2。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="除以了 token 的长度的平方根；要除的是 q 的长度 d_k。",
            look="d_k = w_q.shape[1]。",
        ),
        Slip(
            "q 和 k 对调了",
            queries_and_keys_exchanged,
            wrong="提问用了 w_k，被问用了 w_q。",
            look="分数的第 i 行：第 i 个 token 的 q，和所有的 k。",
        ),
        Slip(
            "沿列做了 softmax",
            softmax_down_the_columns,
            wrong="每一列的和是 1；应是每一行。",
            look="softmax 沿最后一个轴：一个查询在所有的键之间分配。",
        ),
        Slip(
            "指数溢出了",
            overflowing,
            wrong="小的数字都对；分数很大时 exp 变成无穷大。",
            look="先减去每一行的最大值，再取指数。",
        ),
        Slip(
            "两处残差都没有",
            no_residual_at_all,
            wrong="注意力之后没有加回 token，FFN 之后也没有加回它的输入。",
            look="x = tokens + context；output = x + ffn(x)。",
        ),
        Slip(
            "注意力之后没有残差",
            no_residual_after_attention,
            wrong="context 取代了 token；应当加在 token 上。",
            look="x = tokens + weights @ v。",
        ),
        Slip(
            "FFN 之后没有残差",
            no_residual_after_ffn,
            wrong="权重和注意力都对；FFN 的结果应当加在它的输入上，现在取代了它。",
            look="output = x + relu(x @ w_1) @ w_2。",
        ),
        Slip(
            "最后加回的是 token",
            tokens_added_at_the_end,
            wrong="FFN 之后加回了最初的 token，注意力带来的 context 就丢了。",
            look="第二处残差加的是 FFN 的输入：x = tokens + context。",
        ),
        Slip(
            "残差加了两次",
            residual_added_twice,
            wrong="最初的 token 加了两次：它已经在 x 里了。",
            look="output = x + relu(x @ w_1) @ w_2，不再加 tokens。",
        ),
        Slip(
            "FFN 吃的是 token",
            ffn_beside_attention,
            wrong="FFN 处理的是最初的 token，没有看到注意力取来的内容。",
            look="FFN 的输入是 x = tokens + context。",
        ),
        Slip(
            "没有 ReLU",
            without_relu,
            wrong="两个矩阵之间没有截断，合起来只是一个矩阵。",
            look="np.maximum(x @ w_1, 0)。",
        ),
        Slip(
            "ReLU 放在了第一个矩阵之前",
            relu_before_the_first_matrix,
            wrong="截断的是输入；应截断 x @ w_1。",
            look="先乘 w_1，再 ReLU，再乘 w_2。",
        ),
        Slip(
            "ReLU 放在了第二个矩阵之后",
            relu_after_the_second_matrix,
            wrong="截断的是 FFN 的结果；应截断中间的隐藏层。",
            look="先乘 w_1，再 ReLU，再乘 w_2。",
        ),
        Slip(
            "没有 FFN",
            without_ffn,
            wrong="到注意力就停了：还要过 FFN，再加一次残差。",
            look="output = x + relu(x @ w_1) @ w_2。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 weights，再返回 output。",
        ),
    ),
    styles=(in_plain_lists, with_einsum, in_float32),
    hints=(
        "四处：造出 q、k、v；算分数；softmax 后加权求和；残差加 FFN。v 由 value_inputs 造出，不是由 tokens。",
        "分数除以 √d_k，把 j > i 的变成 −∞，再 softmax。x = tokens + weights @ v，然后 output = x + FFN(x)。",
        "weights = softmax(np.where(np.tri(n, dtype=bool), q @ k.T / np.sqrt(d_k), -np.inf))；"
        "x = tokens + weights @ v；返回 weights 和 x + np.maximum(x @ w_1, 0) @ w_2。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(tokens, dtype=float) -> tokens",
            "np.asarray(tokens, dtype=float) -> np.asarray(tokens)",
            "np.asarray(value_inputs, dtype=float) -> value_inputs",
            "np.asarray(value_inputs, dtype=float) -> np.asarray(value_inputs)",
            "np.asarray(w_q) -> w_q",
            "np.asarray(w_k) -> w_k",
            "np.asarray(w_v) -> w_v",
            "np.asarray(w_1) -> w_1",
            "np.asarray(w_2) -> w_2",
        ),
    },
)
