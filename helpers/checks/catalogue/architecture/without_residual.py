"""Exercise `architecture.without_residual`: drop the residual connections, and measure what is left of each token."""

import numpy as np

from helpers.checks.catalogue.architecture.lesson_block import arguments, far_below, lesson_arguments
from helpers.checks.catalogue.architecture.softmax import softmax
from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import lesson_block as reference

CORE, OTHER, ZERO = "教材的数字", "别的大小也对", "零向量的余弦记为 0"


def _with_a_zero_output(rng):
    tokens, value_inputs, w_q, w_k, w_v, w_1, w_2 = arguments(rng, 3, 2, 4, 3, 5)
    value_inputs[0] = 0  # the first token sees itself alone: nothing comes out; of the others, enough for any small eps
    return tokens, value_inputs, w_q / 10, w_k, w_v, w_1, w_2


def cases(rng):
    return [
        Case(CORE, lesson_arguments()),
        Case(OTHER, arguments(rng, 2, 3, 5, 4, 7)),
        Case(OTHER, arguments(rng, 5, 2, 4, 3, 6)),
        Case(OTHER, tuple(a.astype(np.float32) for a in arguments(rng, 3, 4, 2, 5, 7))),
        Case(OTHER, arguments(rng, 3, 2, 4, 3, 5, scale=60.0)),
        Case(OTHER, far_below(rng)),
        Case(ZERO, _with_a_zero_output(rng)),
    ]


def _context(tokens, value_inputs, w_q, w_k, w_v):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    return softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -1e9)) @ (value_inputs @ w_v)


def _ffn(x, w_1, w_2):
    return np.maximum(x @ w_1, 0) @ w_2


def _cosine(a, b, axis=-1):
    lengths = np.linalg.norm(a, axis=axis) * np.linalg.norm(b, axis=axis)
    return (a * b).sum(axis=axis) / np.where(lengths > 0, lengths, 1)


def with_both(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    x = tokens + _context(tokens, value_inputs, w_q, w_k, w_v)
    output = x + _ffn(x, w_1, w_2)
    return output, _cosine(output, tokens)


def _without(tokens, weights, value_inputs, w_v, w_1, w_2):
    output = _ffn(weights @ (value_inputs @ w_v), w_1, w_2)
    return output, _cosine(output, tokens)


def ten_thousand_below(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    weights = softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -1e4))
    return _without(tokens, weights, value_inputs, w_v, w_1, w_2)


def ten_thousand_subtracted(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    weights = softmax(scores - 1e4 * (1 - np.tri(len(tokens))))
    return _without(tokens, weights, value_inputs, w_v, w_1, w_2)


def first_one_kept(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(tokens + _context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, _cosine(output, tokens)


def second_one_kept(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    context = _context(tokens, value_inputs, w_q, w_k, w_v)
    output = context + _ffn(context, w_1, w_2)
    return output, _cosine(output, tokens)


def mask_dropped_too(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    output = _ffn(softmax(scores) @ (value_inputs @ w_v), w_1, w_2)
    return output, _cosine(output, tokens)


def ffn_dropped_too(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _context(tokens, value_inputs, w_q, w_k, w_v)
    return output, _cosine(output, tokens)


def not_divided_by_the_lengths(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, (output * tokens).sum(axis=1)


def divided_by_one_length(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    lengths = np.linalg.norm(output, axis=1)
    return output, (output * tokens).sum(axis=1) / np.where(lengths > 0, lengths, 1)


def divided_by_squares(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    squares = (output**2).sum(axis=1) * (tokens**2).sum(axis=1)
    return output, (output * tokens).sum(axis=1) / np.where(squares > 0, squares, 1)


def one_cosine_for_all(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, _cosine(output.ravel(), tokens.ravel())


def column_by_column(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, _cosine(output, tokens, axis=0)


def every_pair(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, _cosine(output[:, None], tokens[None])


def distance_of_directions(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    return output, 1 - _cosine(output, tokens)


def compared_with_the_context(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    context = _context(tokens, value_inputs, w_q, w_k, w_v)
    output = _ffn(context, w_1, w_2)
    return output, _cosine(output, context)


def compared_with_the_full_block(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    context = _context(tokens, value_inputs, w_q, w_k, w_v)
    output, x = _ffn(context, w_1, w_2), tokens + context
    return output, _cosine(output, x + _ffn(x, w_1, w_2))


def without_relu(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _context(tokens, value_inputs, w_q, w_k, w_v) @ w_1 @ w_2
    return output, _cosine(output, tokens)


def nan_for_zero(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    output = _ffn(_context(tokens, value_inputs, w_q, w_k, w_v), w_1, w_2)
    lengths = np.linalg.norm(output, axis=1) * np.linalg.norm(tokens, axis=1)
    return output, (output * tokens).sum(axis=1) / lengths


def token_by_token(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    values, keys = value_inputs @ w_v, tokens @ w_k
    output, similarity = [], []
    for i, token in enumerate(tokens):
        scores = keys[: i + 1] @ (token @ w_q) / len(keys[0]) ** 0.5
        exps = np.exp(scores - scores.max())
        context = exps @ values[: i + 1] / exps.sum()
        row = np.maximum(context @ w_1, 0) @ w_2
        length = (row @ row) ** 0.5 * (token @ token) ** 0.5
        output.append(row)
        similarity.append(row @ token / length if length > 0 else 0.0)
    return output, similarity


def with_unit_vectors(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    scores = np.einsum("id,dk,jk->ij", tokens, w_q, tokens @ w_k) / np.sqrt(w_k.shape[-1])
    scores[~np.tri(len(tokens), dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    output = (weights @ value_inputs @ w_v @ w_1).clip(0, None) @ w_2
    units = [a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-12) for a in (output, tokens)]
    return output, np.einsum("id,id->i", *units)


def in_float32(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    x, given, w_q, w_k, w_v, w_1, w_2 = (
        np.asarray(a, dtype=np.float32) for a in (tokens, value_inputs, w_q, w_k, w_v, w_1, w_2)
    )
    scores = x @ w_q @ (x @ w_k).T / np.float32(np.sqrt(w_k.shape[1]))
    scores = scores + np.triu(np.full(scores.shape, np.float32(-1e30)), k=1)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    context = weights / weights.sum(-1, keepdims=True) @ (given @ w_v)
    output = np.where(context @ w_1 > 0, context @ w_1, 0) @ w_2
    lengths = np.sqrt((output**2).sum(1) * (x**2).sum(1))
    return [output, np.divide((output * x).sum(1), lengths, out=np.zeros_like(lengths), where=lengths > 0)]


EXERCISE = Exercise(
    id="architecture.without_residual",
    title="去掉残差连接",
    points=1,
    reference=reference.without_residual,
    returns=("output", "similarity"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(OTHER, 0.4), Behaviour(ZERO, 0.1)),
    properties=(
        Property(
            "余弦都在 −1 与 1 之间",
            lambda output, similarity: bool((np.abs(similarity) <= 1 + 1e-6).all()),
        ),
    ),
    slips=(
        Slip(
            "两处残差都还在",
            with_both,
            wrong="这是完整的 block；两处“加回输入”都要去掉。",
            look="注意力的结果直接进 FFN，FFN 的结果直接是输出。",
        ),
        Slip(
            "第一处残差还在",
            first_one_kept,
            wrong="FFN 的输入里还有 token 本身。",
            look="FFN 的输入只是 context = weights @ v。",
        ),
        Slip(
            "第二处残差还在",
            second_one_kept,
            wrong="输出里还加着 FFN 的输入。",
            look="输出只是 relu(context @ w_1) @ w_2。",
        ),
        Slip(
            "掩码也去掉了",
            mask_dropped_too,
            wrong="这里只去残差，因果掩码要留着。一次只改一处，才看得出是谁的作用。",
            look="j > i 的分数仍是 −∞。",
        ),
        finite_mask.filled(ten_thousand_below, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        finite_mask.subtracted(ten_thousand_subtracted, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        Slip(
            "FFN 也去掉了",
            ffn_dropped_too,
            wrong="只剩下注意力；FFN 要留着，去掉的只是两次加法。",
            look="输出是 relu(context @ w_1) @ w_2。",
        ),
        Slip(
            "余弦没有除以长度",
            not_divided_by_the_lengths,
            wrong="输出对了；第二个结果只是点积，长的向量占了便宜。",
            look="点积除以两个向量的长度。",
        ),
        Slip(
            "余弦只除了一个长度",
            divided_by_one_length,
            wrong="只除了输出的长度，没有除 token 的长度。",
            look="点积 / (|output| × |token|)。",
        ),
        Slip(
            "余弦除的是长度的平方",
            divided_by_squares,
            wrong="分母忘了开方。",
            look="np.linalg.norm(…, axis=-1) 已经开过方。",
        ),
        Slip(
            "所有 token 合成了一个余弦",
            one_cosine_for_all,
            wrong="要的是每个 token 一个余弦，形状 (n,)。",
            look="沿最后一个轴求和：axis=-1。",
        ),
        Slip(
            "余弦按列算了",
            column_by_column,
            wrong="每一列算了一个余弦；一个 token 是一行。",
            look="沿最后一个轴求和：axis=-1。",
        ),
        Slip(
            "每一对都算了",
            every_pair,
            wrong="每个输出与每个 token 都比了；只要第 i 行输出与第 i 个 token。",
            look="逐元素相乘后沿最后一个轴求和。",
        ),
        Slip(
            "返回了 1 减余弦",
            distance_of_directions,
            wrong="这是“差多远”；要返回余弦本身，同方向时为 1。",
            look="不要用 1 去减。",
        ),
        Slip(
            "和 context 比了",
            compared_with_the_context,
            wrong="比较的对象应是原来的 token，不是注意力的结果。",
            look="cosine(output, tokens)。",
        ),
        Slip(
            "和完整的 block 比了",
            compared_with_the_full_block,
            wrong="比较的对象应是输入的 token，不是有残差时的输出。",
            look="cosine(output, tokens)。",
        ),
        Slip(
            "没有 ReLU",
            without_relu,
            wrong="两个矩阵连着乘，等于一个矩阵；中间要有 ReLU。",
            look="relu(context @ w_1) @ w_2。",
        ),
        Slip(
            "零向量得了 NaN",
            nan_for_zero,
            wrong="输出整行为 0 时，0 除以 0。约定：这时余弦记为 0。",
            look="长度为 0 时换成 1 再除。",
        ),
    ),
    styles=(token_by_token, with_unit_vectors, in_float32),
    hints=(
        "先去掉两次加法：context 直接进 FFN，FFN 的结果直接输出。再量第 i 行输出和第 i 个 token 的夹角。",
        "余弦 = 点积 / (长度 × 长度)，每个 token 一个。长度为 0 时余弦记为 0。",
        "output = np.maximum(context @ w_1, 0) @ w_2；lengths = 两个 np.linalg.norm(…, axis=-1) 的乘积；"
        "similarity = (output * tokens).sum(axis=-1) / np.where(lengths > 0, lengths, 1)。",
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
        "the cosine does not mind which of the two comes first": ("cosine(output, x) -> cosine(x, output)",),
    },
)
