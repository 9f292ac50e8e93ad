"""Exercise `vectors.qk_as_bilinear_form`: W_Q and W_K joined into one matrix."""

import math

import numpy as np

from helpers.checks.exercise import CHECKS_SHAPES, CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import bilinear as reference

CORE, BATCH, HEADS = "一个头", "前面可以有批量轴", "每个头各有自己的矩阵"


def _arguments(rng, batch, heads, seq_len, d_model, d_k):
    return (
        rng.normal(size=(*batch, seq_len, d_model)),
        rng.normal(size=(*heads, d_model, d_k)),
        rng.normal(size=(*heads, d_model, d_k)),
    )


def cases(rng):
    x, w_q, w_k = _arguments(rng, (), (), 4, 5, 3)
    return [
        Case(CORE, (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]]))),
        Case(CORE, _arguments(rng, (), (), 2, 3, 5)),
        Case(CORE, _arguments(rng, (), (), 7, 5, 2)),
        Case(CORE, _arguments(rng, (), (), 3, 3, 3)),
        Case(CORE, tuple(a.astype(np.float32) for a in _arguments(rng, (), (), 5, 2, 3))),
        Case(CORE, (1e2 * x, w_q, 1e-4 * w_k)),
        Case(BATCH, _arguments(rng, (2,), (), 3, 5, 7)),
        Case(BATCH, _arguments(rng, (2, 3), (), 4, 2, 5)),
        Case(HEADS, _arguments(rng, (), (2,), 5, 3, 7)),
        Case(HEADS, _arguments(rng, (3, 1), (2,), 4, 5, 2)),
    ]


def _turned(matrix):
    return np.swapaxes(matrix, -1, -2)


def _scaled(x, form, d):
    return x @ form @ _turned(x) / np.sqrt(d)


def not_scaled(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, x @ form @ _turned(x)


def divided_by_d_k(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, x @ form @ _turned(x) / w_q.shape[-1]


def divided_by_sqrt_d_model(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, _scaled(x, form, x.shape[-1])


def scaling_in_the_form(x, w_q, w_k):
    form = w_q @ _turned(w_k) / np.sqrt(w_q.shape[-1])
    return form, x @ form @ _turned(x)


def scaled_twice(x, w_q, w_k):
    form = w_q @ _turned(w_k) / np.sqrt(w_q.shape[-1])
    return form, _scaled(x, form, w_q.shape[-1])


def sides_exchanged(x, w_q, w_k):
    form = w_k @ _turned(w_q)
    return form, _scaled(x, form, w_q.shape[-1])


def form_turned(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return _turned(form), _scaled(x, form, w_q.shape[-1])


def scores_turned(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, _turned(_scaled(x, form, w_q.shape[-1]))


def form_of_size_d_k(x, w_q, w_k):
    q, k = x @ w_q, x @ w_k
    return _turned(w_q) @ w_k, q @ _turned(k) / np.sqrt(w_q.shape[-1])


def made_symmetric(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    form = (form + _turned(form)) / 2
    return form, _scaled(x, form, w_q.shape[-1])


def w_q_twice(x, w_q, w_k):
    form = w_q @ _turned(w_q)
    return form, _scaled(x, form, w_q.shape[-1])


def w_k_twice(x, w_q, w_k):
    form = w_k @ _turned(w_k)
    return form, _scaled(x, form, w_q.shape[-1])


def without_a_form(x, w_q, w_k):
    return w_q @ _turned(w_k), x @ _turned(x) / np.sqrt(w_q.shape[-1])


def only_the_own_score(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, (x @ form * x).sum(axis=-1) / np.sqrt(w_q.shape[-1])


def with_softmax(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    scores = _scaled(x, form, w_q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return form, exps / exps.sum(axis=-1, keepdims=True)


def queries_and_keys(x, w_q, w_k):
    return x @ w_q, x @ w_k


def products_of_entries(x, w_q, w_k):
    return w_q * w_k, (x @ w_q) @ _turned(x @ w_k) / np.sqrt(w_q.shape[-1])


def exchanged(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return _scaled(x, form, w_q.shape[-1]), form


def transposing_all_axes(x, w_q, w_k):
    form = w_q @ w_k.T
    return form, x @ form @ x.T / np.sqrt(w_q.shape[-1])


def x_transposed_whole(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, x @ form @ x.T / np.sqrt(w_q.shape[-1])


def matrices_transposed_whole(x, w_q, w_k):
    form = w_q @ w_k.T
    return form, _scaled(x, form, w_q.shape[-1])


def d_k_from_axis_one(x, w_q, w_k):
    form = w_q @ _turned(w_k)
    return form, _scaled(x, form, w_q.shape[1])


def form_of_size_d_k_used(x, w_q, w_k):
    form = _turned(w_q) @ w_k
    return form, _scaled(x, form, w_q.shape[-1])


def with_loops(x, w_q, w_k):
    if np.ndim(x) > 2 or np.ndim(w_q) > 2:
        lead = np.broadcast_shapes(np.shape(x)[:-2], np.shape(w_q)[:-2])
        forms = np.array(
            [with_loops(np.zeros((1, len(q))), q, k)[0] for q, k in zip(_flat(w_q), _flat(w_k), strict=True)]
        )
        xs, qs, ks = (_flat(np.broadcast_to(a, (*lead, *np.shape(a)[-2:]))) for a in (x, w_q, w_k))
        scores = np.array([with_loops(*one)[1] for one in zip(xs, qs, ks, strict=True)])
        d, n = np.shape(x)[-1], np.shape(x)[-2]
        return forms.reshape(*np.shape(w_q)[:-2], d, d), scores.reshape(*lead, n, n)
    d, d_k = np.shape(w_q)
    form = [[sum(w_q[i][c] * w_k[j][c] for c in range(d_k)) for j in range(d)] for i in range(d)]
    scores = [[sum(a[i] * form[i][j] * b[j] for i in range(d) for j in range(d)) for b in x] for a in x]
    return form, [[score / math.sqrt(d_k) for score in row] for row in scores]


def _flat(matrices):
    return np.reshape(matrices, (-1, *np.shape(matrices)[-2:]))


def with_einsum(x, w_q, w_k):
    form = np.einsum("...ic,...jc->...ij", w_q, w_k)
    return form, np.einsum("...ni,...ij,...mj->...nm", x, form, x) * w_q.shape[-1] ** -0.5


def through_queries_and_keys(x, w_q, w_k):
    q, k = np.matmul(x, w_q), np.matmul(x, w_k)
    return np.matmul(w_q, np.moveaxis(w_k, -1, -2)), np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(q.shape[-1])


def in_float32(x, w_q, w_k):
    x, w_q, w_k = (np.asarray(a, dtype=np.float32) for a in (x, w_q, w_k))
    form = (w_q[..., :, None, :] * w_k[..., None, :, :]).sum(-1)
    asked = form @ x.swapaxes(-1, -2)
    return [form, (x @ asked) / np.float32(math.sqrt(w_q.shape[-1]))]


EXERCISE = Exercise(
    id="vectors.qk_as_bilinear_form",
    title="QK 是一个双线性形式",
    points=2,
    reference=reference.qk_as_bilinear_form,
    returns=("form", "scores"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.6), Behaviour(BATCH, 0.2), Behaviour(HEADS, 0.2)),
    slips=(
        Slip(
            "没有缩放",
            not_scaled,
            wrong="form 对了；scores 没有除以 √d_k。",
            look="x @ form @ xᵀ，再除以 np.sqrt(d_k)。",
        ),
        Slip(
            "除以了 d_k",
            divided_by_d_k,
            wrong="除得太多：要除的是 √d_k。",
            look="np.sqrt(w_q.shape[-1])。",
        ),
        Slip(
            "除以了 √d_model",
            divided_by_sqrt_d_model,
            wrong="form 有 d_model 行，但缩放仍用 d_k：查询和键的长度。",
            look="d_k = w_q.shape[-1]。",
        ),
        Slip(
            "缩放放进了 form",
            scaling_in_the_form,
            wrong="scores 对了；但 form 约定是 w_q @ w_kᵀ 本身，不含 1/√d_k。",
            look="算出 scores 时才除以 √d_k。",
        ),
        Slip(
            "缩放了两次",
            scaled_twice,
            wrong="form 里除了一次，scores 又除了一次。",
            look="只在 scores 里除。",
        ),
        Slip(
            "左右对调了",
            sides_exchanged,
            wrong="w_k 在左、w_q 在右：成了“被问的向提问的提问”，form 和 scores 都转置了。",
            look="form = w_q @ w_kᵀ：左边是提问的。",
        ),
        Slip(
            "form 转置了",
            form_turned,
            wrong="scores 对了；form 的行应对应提问的 token。",
            look="form = w_q @ w_kᵀ。",
        ),
        Slip(
            "scores 转置了",
            scores_turned,
            wrong="form 对了；scores 的第 i 行应是 token i 问所有的 token。",
            look="x @ form @ xᵀ。",
        ),
        Slip(
            "form 成了 d_k × d_k",
            form_of_size_d_k,
            wrong="w_qᵀ @ w_k 夹在中间的轴错了：form 接在两个 token 之间，应是 d_model × d_model。",
            look="w_q @ w_kᵀ：公用的 d_k 在中间消掉。",
        ),
        Slip(
            "form 变成了对称的",
            made_symmetric,
            wrong="和转置取了平均，于是“i 问 j”和“j 问 i”一样了；两组投影正是为了让它们不同。",
            look="form = w_q @ w_kᵀ，不要再动它。",
        ),
        Slip(
            "两边都用了 w_q",
            w_q_twice,
            wrong="w_q @ w_qᵀ 是对称的：键没有用上自己的投影。",
            look="右边是 w_k 的转置。",
        ),
        Slip(
            "两边都用了 w_k",
            w_k_twice,
            wrong="w_k @ w_kᵀ 是对称的：查询没有用上自己的投影。",
            look="左边是 w_q。",
        ),
        Slip(
            "scores 没有用 form",
            without_a_form,
            wrong="x xᵀ 直接比较 token，form 没有夹进去。",
            look="x @ form @ xᵀ。",
        ),
        Slip(
            "只算了自己和自己",
            only_the_own_score,
            wrong="只有对角线：每个 token 只和自己比了。",
            look="x @ form @ xᵀ 是一张 n × n 的表。",
        ),
        Slip(
            "多做了 softmax",
            with_softmax,
            wrong="要的是分数，还不是权重。",
            look="去掉 softmax。",
        ),
        Slip(
            "给的是查询和键",
            queries_and_keys,
            wrong="x @ w_q、x @ w_k 是查询和键；要的是把两个矩阵合成的 form，和由它得到的分数。",
            look="form = w_q @ w_kᵀ。",
        ),
        Slip(
            "逐项相乘了",
            products_of_entries,
            wrong="* 是逐项相乘；合成两个映射要用矩阵乘法。",
            look="w_q @ w_kᵀ。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 form，再返回 scores。",
        ),
        Slip(
            "用了 .T",
            transposing_all_axes,
            wrong="二维时是对的；多出前面的轴时，.T 把所有的轴都倒过来。",
            look="np.swapaxes(…, -1, -2)。",
        ),
        Slip(
            "x 用了 .T",
            x_transposed_whole,
            wrong="x 有批量轴时，.T 把批量轴也倒了过来。",
            look="np.swapaxes(x, -1, -2)。",
        ),
        Slip(
            "w_k 用了 .T",
            matrices_transposed_whole,
            wrong="每个头各有矩阵时，.T 把头的轴也倒了过来。",
            look="np.swapaxes(w_k, -1, -2)。",
        ),
        Slip(
            "d_k 取自第 1 轴",
            d_k_from_axis_one,
            wrong="一个头时是对的；有头的轴时，w_q.shape[1] 是 d_model。",
            look="d_k = w_q.shape[-1]。",
        ),
        Slip(
            "用 d_k × d_k 的 form 算了分数",
            form_of_size_d_k_used,
            wrong="w_qᵀ @ w_k 是 d_k × d_k，接不上 x；碰巧 d_model = d_k 时也是错的。",
            look="form = w_q @ w_kᵀ：公用的 d_k 在中间消掉。",
        ),
    ),
    styles=(with_loops, with_einsum, through_queries_and_keys, in_float32),
    hints=(
        "q @ kᵀ = (x @ w_q) @ (x @ w_k)ᵀ。把括号打开，中间的两个矩阵可以先乘好。",
        "(x @ w_k)ᵀ = w_kᵀ @ xᵀ，所以 q @ kᵀ = x @ (w_q @ w_kᵀ) @ xᵀ。转置只换最后两个轴。",
        "form = w_q @ np.swapaxes(w_k, -1, -2)；scores = x @ form @ np.swapaxes(x, -1, -2) / np.sqrt(w_q.shape[-1])。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x, w_q, w_k = (np.asarray(each, dtype=float) for each in (x, w_q, w_k)) -> (dropped)",
            "np.asarray(each, dtype=float) -> each",
            "np.asarray(each, dtype=float) -> np.asarray(each)",
        ),
        CHECKS_SHAPES: (
            "_require_fitting(x, w_q, w_k) -> (dropped)",
            "_require_fitting(x, w_q, w_k) -> x",
            "_require_fitting(x, w_q, w_k) -> _require_fitting(x, w_k, w_q)",
        ),
        "exchanging two axes is the same in either order": (
            "np.swapaxes(w_k, -1, -2) -> np.swapaxes(w_k, -2, -1)",
            "np.swapaxes(x, -1, -2) -> np.swapaxes(x, -2, -1)",
        ),
    },
)
