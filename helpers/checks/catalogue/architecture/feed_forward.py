"""Exercise `architecture.feed_forward`: two matrices with a ReLU between them, token by token."""

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import block as reference

CORE, BIAS, BATCH = "没有偏置时", "有偏置时", "前面可以有批量轴"


def _arguments(rng, batch, seq_len, d_model, d_ff):
    return (
        rng.normal(size=(*batch, seq_len, d_model)),
        rng.normal(size=(d_model, d_ff)),
        rng.normal(size=(d_ff, d_model)),
        rng.normal(size=d_ff),
        rng.normal(size=d_model),
    )


def cases(rng):
    hand = (np.array([[1.0, 2.0]]), np.array([[1.0, -1.0], [1.0, -1.0]]), np.array([[10.0, 1.0], [100.0, 2.0]]))
    return [
        Case(CORE, hand),
        Case(CORE, _arguments(rng, (), 5, 3, 7)[:3]),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 2, 5)[:3])),
        Case(CORE, tuple(4 * a for a in _arguments(rng, (), 4, 4, 4)[:3])),
        Case(BIAS, _arguments(rng, (), 5, 3, 7)),
        Case(BIAS, _arguments(rng, (), 2, 5, 3)),
        Case(BIAS, _arguments(rng, (), 3, 4, 4)),
        Case(BATCH, _arguments(rng, (2,), 5, 3, 7)),
        Case(BATCH, _arguments(rng, (3, 2), 4, 3, 5)),
    ]


def _relu(x):
    return np.maximum(x, 0)


def without_relu(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return (x @ w_1 + b_1) @ w_2 + b_2


def relu_before_the_first_matrix(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return (_relu(x) @ w_1 + b_1) @ w_2 + b_2


def relu_after_the_second_matrix(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu((x @ w_1 + b_1) @ w_2 + b_2)


def relu_twice(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu(_relu(x @ w_1 + b_1) @ w_2 + b_2)


def relu_before_the_bias(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return (_relu(x @ w_1) + b_1) @ w_2 + b_2


def absolute_value(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return np.abs(x @ w_1 + b_1) @ w_2 + b_2


def negative_kept(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return np.minimum(x @ w_1 + b_1, 0) @ w_2 + b_2


def biases_forgotten(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu(x @ w_1) @ w_2


def first_bias_forgotten(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu(x @ w_1) @ w_2 + b_2


def second_bias_forgotten(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu(x @ w_1 + b_1) @ w_2


def residual_added(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return x + _relu(x @ w_1 + b_1) @ w_2 + b_2


def matrices_exchanged(x, w_1, w_2, b_1=0.0, b_2=0.0):
    return _relu(x @ w_2.T + b_1) @ w_1.T + b_2


def gelu_instead(x, w_1, w_2, b_1=0.0, b_2=0.0):
    h = x @ w_1 + b_1
    return 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3))) @ w_2 + b_2


def mixing_the_tokens(x, w_1, w_2, b_1=0.0, b_2=0.0):
    h = _relu(x @ w_1 + b_1)
    return h.mean(axis=-2, keepdims=True) @ w_2 + b_2 + np.zeros_like(x)


def token_by_token(x, w_1, w_2, b_1=0.0, b_2=0.0):
    rows = [[max(0.0, h) for h in token @ w_1 + b_1] @ w_2 + b_2 for token in x.reshape(-1, x.shape[-1])]
    return np.reshape(rows, x.shape)


def neuron_by_neuron(x, w_1, w_2, b_1=0.0, b_2=0.0):
    output = np.zeros(x.shape) + b_2
    for j in range(w_1.shape[1]):
        drive = x @ w_1[:, j] + np.broadcast_to(b_1, w_1.shape[1])[j]
        output += np.where(drive > 0, drive, 0.0)[..., None] * w_2[j]
    return output


def with_einsum(x, w_1, w_2, b_1=0.0, b_2=0.0):
    hidden = np.einsum("...nd,df->...nf", x, w_1) + b_1
    hidden[hidden < 0] = 0
    return np.einsum("...nf,fd->...nd", hidden, w_2) + b_2


def in_float32(x, w_1, w_2, b_1=0.0, b_2=0.0):
    x, w_1, w_2, b_1, b_2 = (np.asarray(a, dtype=np.float32) for a in (x, w_1, w_2, b_1, b_2))
    return (x @ w_1 + b_1).clip(min=0) @ w_2 + b_2


EXERCISE = Exercise(
    id="architecture.feed_forward",
    title="前馈网络",
    points=1,
    reference=reference.feed_forward,
    returns=("output",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BIAS, 0.25), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "没有 ReLU",
            without_relu,
            wrong="两个矩阵之间没有截断，合起来只是一个矩阵。",
            look="np.maximum(x @ w_1 + b_1, 0)。",
        ),
        Slip(
            "ReLU 放在了第一个矩阵之前",
            relu_before_the_first_matrix,
            wrong="截断的是输入；应截断 x @ w_1 + b_1。",
            look="先乘 w_1，再 ReLU，再乘 w_2。",
        ),
        Slip(
            "ReLU 放在了第二个矩阵之后",
            relu_after_the_second_matrix,
            wrong="截断的是输出：输出里于是没有负数。",
            look="先乘 w_1，再 ReLU，再乘 w_2。",
        ),
        Slip(
            "ReLU 做了两次",
            relu_twice,
            wrong="中间的截断对了，输出又被截断了一次。",
            look="ReLU 只在两个矩阵之间。",
        ),
        Slip(
            "ReLU 放在了偏置之前",
            relu_before_the_bias,
            wrong="没有偏置时对；有偏置时要先加 b_1，再截断。",
            look="relu(x @ w_1 + b_1)。",
        ),
        Slip(
            "取了绝对值",
            absolute_value,
            wrong="负数变成了正数；ReLU 把负数变成 0。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "留下的是负数",
            negative_kept,
            wrong="正数变成了 0，负数留了下来：方向反了。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "偏置没有用上",
            biases_forgotten,
            wrong="两个偏置都没有加。",
            look="relu(x @ w_1 + b_1) @ w_2 + b_2。",
        ),
        Slip(
            "忘了 b_1",
            first_bias_forgotten,
            wrong="第一个偏置没有加。",
            look="relu(x @ w_1 + b_1)。",
        ),
        Slip(
            "忘了 b_2",
            second_bias_forgotten,
            wrong="第二个偏置没有加。",
            look="最后加 b_2。",
        ),
        Slip(
            "多加了残差",
            residual_added,
            wrong="输出里多了一个 x；残差连接属于 block，不属于 FFN。",
            look="只返回 relu(x @ w_1 + b_1) @ w_2 + b_2。",
        ),
        Slip(
            "两个矩阵对调了",
            matrices_exchanged,
            wrong="先用了 w_2 的转置，再用 w_1 的转置。",
            look="w_1 是 (d_model, d_ff)，x @ w_1 已经对得上。",
        ),
        Slip(
            "用了 GELU",
            gelu_instead,
            wrong="GELU 也很常见（GPT-2 用它），但这里约定用 ReLU。",
            look="np.maximum(…, 0)。",
        ),
        Slip(
            "把 token 混在了一起",
            mixing_the_tokens,
            wrong="每个 token 得到了同样的结果；FFN 让每个 token 单独通过。",
            look="不要沿 token 的轴求和或平均。",
        ),
    ),
    styles=(token_by_token, neuron_by_neuron, with_einsum, in_float32),
    hints=(
        "放宽、截断、收回：先乘 w_1，负数变 0，再乘 w_2。每个 token 各走各的。",
        "矩阵乘法 x @ w_1 已经对每个 token 分别做了；ReLU 是 np.maximum(…, 0)，在加上 b_1 之后。",
        "np.maximum(x @ w_1 + b_1, 0) @ w_2 + b_2",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x, w_1, w_2 = (np.asarray(a, dtype=float) for a in (x, w_1, w_2)) -> (dropped)",
            "np.asarray(a, dtype=float) -> a",
            "np.asarray(a, dtype=float) -> np.asarray(a)",
        ),
        CHECKS_SHAPES: (
            "_require_rows(x, 'w_1', w_1) -> (dropped)",
            "_require_rows(x, 'w_1', w_1) -> x",
            "_require_rows(hidden, 'w_2', w_2) -> (dropped)",
            "_require_rows(hidden, 'w_2', w_2) -> hidden",
        ),
    },
)
