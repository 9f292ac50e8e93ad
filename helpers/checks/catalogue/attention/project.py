"""Exercise `attention.project`: every token gets its query, its key and its value."""

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import attention as reference

CORE, BATCH = "三组投影", "前面可以有批量轴"


def _arguments(rng, batch, seq_len, d_model, d_k, d_v):
    shapes = ((*batch, seq_len, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def cases(rng):
    return [
        Case(CORE, _arguments(rng, (), 2, 3, 3, 3)),
        Case(CORE, _arguments(rng, (), 5, 3, 2, 7)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), 3, 7, 5, 2))),
        Case(BATCH, _arguments(rng, (2,), 3, 5, 7, 2)),
        Case(BATCH, _arguments(rng, (2, 3), 5, 7, 2, 3)),
    ]


def with_transposed_matrices(x, w_q, w_k, w_v):
    return x @ w_q.T, x @ w_k.T, x @ w_v.T


def matrices_on_the_left(x, w_q, w_k, w_v):
    return w_q @ x, w_k @ x, w_v @ x


def key_and_value_from_the_same_matrix(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_k, x @ w_k


def query_and_key_from_the_same_matrix(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_q, x @ w_v


def query_and_key_exchanged(x, w_q, w_k, w_v):
    return x @ w_k, x @ w_q, x @ w_v


def value_not_projected(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_k, x


def value_from_w_q(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_k, x @ w_q


def one_sentence_only(x, w_q, w_k, w_v):
    return tuple(np.einsum("nd,de->ne", x, w) for w in (w_q, w_k, w_v))


def transposed_results(x, w_q, w_k, w_v):
    return tuple(np.swapaxes(x @ w, -1, -2) for w in (w_q, w_k, w_v))


def key_and_value_exchanged(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_v, x @ w_k


def everything_from_w_q(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_q, x @ w_q


def in_one_array(x, w_q, w_k, w_v):
    return np.array([x @ w_q, x @ w_k, x @ w_v])


def scaled_already(x, w_q, w_k, w_v):
    return x @ w_q / np.sqrt(w_q.shape[1]), x @ w_k, x @ w_v


def with_loops(x, w_q, w_k, w_v):
    if np.ndim(x) > 2:
        return tuple(zip(*(with_loops(one, w_q, w_k, w_v) for one in x), strict=True))
    return tuple([[sum(token * column) for column in w.T] for token in x] for w in (w_q, w_k, w_v))


def with_einsum(x, w_q, w_k, w_v):
    return [np.einsum("...nd,de->...ne", x, w) for w in (w_q, w_k, w_v)]


def with_one_wide_matrix(x, w_q, w_k, w_v):
    d_k = w_q.shape[1]
    return tuple(np.split(x @ np.concatenate([w_q, w_k, w_v], axis=1), [d_k, 2 * d_k], axis=-1))


def in_float32(x, w_q, w_k, w_v):
    return tuple(np.tensordot(np.float32(x), np.float32(w), axes=1) for w in (w_q, w_k, w_v))


EXERCISE = Exercise(
    id="attention.project",
    title="投影：查询、键、值",
    points=1,
    reference=reference.project,
    returns=("q", "k", "v"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.7), Behaviour(BATCH, 0.3)),
    slips=(
        Slip(
            "矩阵乘在了左边",
            matrices_on_the_left,
            wrong="x 一行一个 token：矩阵要乘在右边，每一行各自变换。",
            look="x @ w_q。",
        ),
        Slip(
            "权重矩阵转置了",
            with_transposed_matrices,
            wrong="用了 w.T。方阵时不报错，但每个投影都用错了方向。",
            look="w_q 的形状是 (d_model, d_k)：x 的最后一个轴正好对上它的第一个轴，不需要转置。",
        ),
        Slip(
            "把键当作值",
            key_and_value_from_the_same_matrix,
            wrong="v 用了 w_k：值和键成了同一个东西，“靠什么被找到”和“被找到后交出什么”就分不开了。",
            look="第三个投影用的是 w_v 吗？",
        ),
        Slip(
            "查询和键用了同一个矩阵",
            query_and_key_from_the_same_matrix,
            wrong="k 用了 w_q：分数矩阵又变回对称的了。",
            look="第二个投影用的是 w_k 吗？",
        ),
        Slip(
            "查询和键对调了",
            query_and_key_exchanged,
            wrong="q 用了 w_k，k 用了 w_q：谁看谁的方向反了。",
            look="返回的顺序是 q、k、v，依次用 w_q、w_k、w_v。",
        ),
        Slip(
            "值没有投影",
            value_not_projected,
            wrong="v 直接用了 x，没有乘 w_v。",
            look="三组都要投影：x @ w_v。",
        ),
        Slip(
            "值用了 w_q",
            value_from_w_q,
            wrong="v 用了查询的矩阵。",
            look="第三个投影用 w_v。",
        ),
        Slip(
            "只能处理一个句子",
            one_sentence_only,
            wrong="没有批量轴时正确；有批量轴时就不对了。",
            look="直接写 x @ w_q：前面的轴会保留。",
        ),
        Slip(
            "结果转置了",
            transposed_results,
            wrong="行和列对调了：约定是每一行一个 token。",
            look="q 的形状应是 (seq_len, d_k)：x 在左，权重在右。",
        ),
        Slip(
            "键和值对调了",
            key_and_value_exchanged,
            wrong="k 用了 w_v，v 用了 w_k：拿内容去配对，又把配对用的标签交了出去。",
            look="返回的顺序是 q、k、v，依次用 w_q、w_k、w_v。",
        ),
        Slip(
            "三个都用了 w_q",
            everything_from_w_q,
            wrong="q、k、v 是同一个数组：三组投影少了两组。",
            look="依次用 w_q、w_k、w_v。",
        ),
        Slip(
            "三个结果装进了一个数组",
            in_one_array,
            wrong="q、k 和 v 的宽度可以不同（d_k 和 d_v），那时装不进同一个数组。",
            look="返回三个数组：return q, k, v。",
        ),
        Slip(
            "查询已经缩放了",
            scaled_already,
            wrong="q 除以了 √d_k；投影只做乘法，缩放是算分数时的事。",
            look="q = x @ w_q，不再除。",
        ),
    ),
    styles=(with_loops, with_einsum, with_one_wide_matrix, in_float32),
    hints=(
        "三个投影是三次矩阵乘法，互不相干。",
        "x 的形状是 (seq_len, d_model)，w_q 是 (d_model, d_k)：x 在左边，乘出来就是 (seq_len, d_k)。",
        "依次返回 x @ w_q、x @ w_k 和用 w_v 得到的第三个。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x, w_q, w_k, w_v = (np.asarray(a, dtype=float) for a in (x, w_q, w_k, w_v)) -> (dropped)",
            "np.asarray(a, dtype=float) -> a",
            "np.asarray(a, dtype=float) -> np.asarray(a)",
        ),
        CHECKS_SHAPES: (
            "_require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v) -> (dropped)",
            "_require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v) -> x",
            "_require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v) -> _require_shared_d_model(x, w_k=w_k, w_v=w_v)",
            "_require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v) -> _require_shared_d_model(x, w_q=w_q, w_v=w_v)",
            "_require_shared_d_model(x, w_q=w_q, w_k=w_k, w_v=w_v) -> _require_shared_d_model(x, w_q=w_q, w_k=w_k)",
        ),
    },
)
