"""Exercise `architecture.block`: attention and FFN, each with its residual connection and its norm, pre or post."""

import numpy as np

from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Slip
from helpers.reference import block as reference

CORE, POST, MASK, BATCH = "pre-norm", "post-norm", "掩码", "前面可以有批量轴"


def _arguments(rng, batch, seq_len, d_model, d_k, d_ff):
    return (
        0.5 + rng.normal(size=(*batch, seq_len, d_model)),
        rng.normal(size=(d_model, d_k)) / np.sqrt(d_model),
        rng.normal(size=(d_model, d_k)) / np.sqrt(d_model),
        rng.normal(size=(d_model, d_model)),
        rng.normal(size=(d_model, d_ff)),
        rng.normal(size=(d_ff, d_model)),
    )


def _far_below(rng):
    """Return arguments that give scores far below −1e4, the lowest where a causal mask hides them."""
    x = np.array([[1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [2.0, 3.0, 0.0]])
    return x, 100 * np.eye(3)[:, :2], -100 * np.eye(3)[:, :2], *_arguments(rng, (), 3, 3, 2, 4)[3:]


def cases(rng):
    blind = np.tri(5, dtype=bool)
    blind[2] = False
    float32 = [a.astype(np.float32) for a in _arguments(rng, (), 3, 5, 2, 7)]
    return [
        Case(CORE, (*_arguments(rng, (), 2, 3, 5, 4), None, "pre")),
        Case(CORE, (*_arguments(rng, (), 5, 4, 3, 7), None, "pre")),
        Case(CORE, (*float32, None)),
        Case(POST, (*_arguments(rng, (), 2, 3, 5, 4), None, "post")),
        Case(POST, (*_arguments(rng, (), 5, 4, 3, 7), None, "post")),
        Case(MASK, (*_arguments(rng, (), 3, 4, 2, 5), np.tri(3, dtype=bool), "pre")),
        Case(MASK, (*_arguments(rng, (), 5, 4, 2, 3), blind, "post")),
        Case(MASK, (*_arguments(rng, (), 5, 3, 2, 4), blind, "pre")),
        Case(MASK, (*_far_below(rng), np.tri(3, dtype=bool), "post")),
        Case(BATCH, (*_arguments(rng, (2,), 5, 3, 4, 7), np.tri(5, dtype=bool), "pre")),
        Case(BATCH, (*_arguments(rng, (3, 2), 4, 5, 2, 3), None, "post")),
    ]


def _norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def _attend(x, w_q, w_k, w_v, mask):
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    exps = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1) @ (x @ w_v)


def _feed(x, w_1, w_2):
    return np.maximum(x @ w_1, 0) @ w_2


def always_pre(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    x = x + _attend(_norm(x), w_q, w_k, w_v, mask)
    return x + _feed(_norm(x), w_1, w_2)


def always_post(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    x = _norm(x + _attend(x, w_q, w_k, w_v, mask))
    return _norm(x + _feed(x, w_1, w_2))


def pre_and_post_exchanged(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return always_post(x, w_q, w_k, w_v, w_1, w_2, mask)
    return always_pre(x, w_q, w_k, w_v, w_1, w_2, mask)


def normed_input_added_back(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "post":
        return always_post(x, w_q, w_k, w_v, w_1, w_2, mask)
    x = _norm(x)
    x = x + _attend(x, w_q, w_k, w_v, mask)
    x = _norm(x)
    return x + _feed(x, w_1, w_2)


def norm_before_the_sum(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return always_pre(x, w_q, w_k, w_v, w_1, w_2, mask)
    x = x + _norm(_attend(x, w_q, w_k, w_v, mask))
    return x + _norm(_feed(x, w_1, w_2))


def only_one_norm(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        x = x + _attend(_norm(x), w_q, w_k, w_v, mask)
        return x + _feed(x, w_1, w_2)
    x = x + _attend(x, w_q, w_k, w_v, mask)
    return _norm(x + _feed(x, w_1, w_2))


def without_norm(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    x = x + _attend(x, w_q, w_k, w_v, mask)
    return x + _feed(x, w_1, w_2)


def without_residual(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return _feed(_norm(_attend(_norm(x), w_q, w_k, w_v, mask)), w_1, w_2)
    return _norm(_feed(_norm(_attend(x, w_q, w_k, w_v, mask)), w_1, w_2))


def no_residual_after_attention(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        x = _attend(_norm(x), w_q, w_k, w_v, mask)
        return x + _feed(_norm(x), w_1, w_2)
    x = _norm(_attend(x, w_q, w_k, w_v, mask))
    return _norm(x + _feed(x, w_1, w_2))


def no_residual_after_ffn(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return _feed(_norm(x + _attend(_norm(x), w_q, w_k, w_v, mask)), w_1, w_2)
    return _norm(_feed(_norm(x + _attend(x, w_q, w_k, w_v, mask)), w_1, w_2))


def input_added_at_the_end(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return x + _feed(_norm(x + _attend(_norm(x), w_q, w_k, w_v, mask)), w_1, w_2)
    return _norm(x + _feed(_norm(x + _attend(x, w_q, w_k, w_v, mask)), w_1, w_2))


def residual_added_twice(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        attended = x + _attend(_norm(x), w_q, w_k, w_v, mask)
        return x + attended + _feed(_norm(attended), w_1, w_2)
    attended = _norm(x + _attend(x, w_q, w_k, w_v, mask))
    return _norm(x + attended + _feed(attended, w_1, w_2))


def side_by_side(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return x + _attend(_norm(x), w_q, w_k, w_v, mask) + _feed(_norm(x), w_1, w_2)
    return _norm(x + _attend(x, w_q, w_k, w_v, mask) + _feed(x, w_1, w_2))


def ffn_first(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        x = x + _feed(_norm(x), w_1, w_2)
        return x + _attend(_norm(x), w_q, w_k, w_v, mask)
    x = _norm(x + _feed(x, w_1, w_2))
    return _norm(x + _attend(x, w_q, w_k, w_v, mask))


def mask_ignored(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return always_pre(x, w_q, w_k, w_v, w_1, w_2)
    return always_post(x, w_q, w_k, w_v, w_1, w_2)


def _attend_with(x, w_q, w_k, w_v, mask, hidden):
    """Attend with masked scores made by `hidden`, and a softmax that knows no row without keys."""
    scores = (x @ w_q) @ np.swapaxes(x @ w_k, -1, -2) / np.sqrt(w_q.shape[-1])
    scores = scores if mask is None else hidden(scores, mask)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ (x @ w_v)


def _with_attend(attend, x, w_1, w_2, norm):
    if norm == "pre":
        x = x + attend(_norm(x))
        return x + _feed(_norm(x), w_1, w_2)
    x = _norm(x + attend(x))
    return _norm(x + _feed(x, w_1, w_2))


def blind_row_looks_everywhere(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def attend(x):
        return _attend_with(x, w_q, w_k, w_v, mask, lambda scores, mask: np.where(mask, scores, -1e9))

    return _with_attend(attend, x, w_1, w_2, norm)


def ten_thousand_below(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def attend(x):
        return _attend_with(x, w_q, w_k, w_v, mask, lambda scores, mask: np.where(mask, scores, -1e4))

    return _with_attend(attend, x, w_1, w_2, norm)


def blind_row_is_nan(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def attend(x):
        with np.errstate(invalid="ignore"):
            return _attend_with(x, w_q, w_k, w_v, mask, lambda scores, mask: np.where(mask, scores, -np.inf))

    return _with_attend(attend, x, w_1, w_2, norm)


def without_relu(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        x = x + _attend(_norm(x), w_q, w_k, w_v, mask)
        return x + _norm(x) @ w_1 @ w_2
    x = _norm(x + _attend(x, w_q, w_k, w_v, mask))
    return _norm(x + x @ w_1 @ w_2)


def blind_row_looks_as_if_unmasked(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def attend(x):
        return _attend_with(x, w_q, w_k, w_v, mask, lambda scores, mask: scores - 1e9 * ~mask)

    return _with_attend(attend, x, w_1, w_2, norm)


def without_ffn(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return x + _attend(_norm(x), w_q, w_k, w_v, mask)
    return _norm(x + _attend(x, w_q, w_k, w_v, mask))


def extra_norm_at_the_end(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if norm == "pre":
        return _norm(always_pre(x, w_q, w_k, w_v, w_1, w_2, mask))
    return always_post(x, w_q, w_k, w_v, w_1, w_2, mask)


def norm_over_the_tokens(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def over_tokens(x):
        return (x - x.mean(axis=-2, keepdims=True)) / np.sqrt(x.var(axis=-2, keepdims=True) + 1e-5)

    if norm == "pre":
        x = x + _attend(over_tokens(x), w_q, w_k, w_v, mask)
        return x + _feed(over_tokens(x), w_1, w_2)
    x = over_tokens(x + _attend(x, w_q, w_k, w_v, mask))
    return over_tokens(x + _feed(x, w_1, w_2))


def with_a_loop_over_sublayers(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    def normed(a):
        centred = a - a.mean(-1)[..., None]
        return centred / ((centred**2).mean(-1)[..., None] + 1e-5) ** 0.5

    def attend(a):
        scores = np.einsum("...ik,...jk->...ij", a @ w_q, a @ w_k) / w_q.shape[1] ** 0.5
        seen = np.broadcast_to(True if mask is None else mask, scores.shape)
        exps = np.where(seen, np.exp(scores - scores.max(-1, keepdims=True)), 0)
        return exps / np.maximum(exps.sum(-1, keepdims=True), 1e-300) @ a @ w_v

    def digest(a):
        hidden = a @ w_1
        return hidden * (hidden > 0) @ w_2

    for sublayer in (attend, digest):
        x = x + sublayer(normed(x)) if norm == "pre" else normed(x + sublayer(x))
    return x


def one_text_at_a_time(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    if x.ndim > 2:
        return np.stack([one_text_at_a_time(text, w_q, w_k, w_v, w_1, w_2, mask, norm) for text in x])
    n = len(x)

    def normed(a):
        return np.array([(row - np.mean(row)) / np.sqrt(np.var(row) + 1e-5) for row in a])

    def attended(a):
        rows = np.zeros((n, x.shape[1]))
        for i in range(n):
            keys = [j for j in range(n) if mask is None or mask[i, j]]
            if keys:
                scores = np.array([(a[i] @ w_q) @ (a[j] @ w_k) for j in keys]) / np.sqrt(w_k.shape[1])
                exps = np.exp(scores - scores.max())
                rows[i] = exps @ (a[keys] @ w_v) / exps.sum()
        return rows

    if norm == "pre":
        middle = x + attended(normed(x))
        return middle + np.maximum(0, normed(middle) @ w_1) @ w_2
    middle = normed(x + attended(x))
    return normed(middle + np.maximum(0, middle @ w_1) @ w_2)


def in_float32(x, w_q, w_k, w_v, w_1, w_2, mask=None, norm="pre"):
    x, w_q, w_k, w_v, w_1, w_2 = (np.asarray(a, dtype=np.float32) for a in (x, w_q, w_k, w_v, w_1, w_2))
    small = np.float32(1e-5)

    def normed(a):
        return (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + small)

    pre = norm != "post"
    given = normed(x) if pre else x
    scores = (given @ w_q) @ np.swapaxes(given @ w_k, -1, -2) / np.float32(w_q.shape[-1] ** 0.5)
    seen = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    exps = np.exp(scores - scores.max(-1, keepdims=True)) * seen
    x = x + exps / np.maximum(exps.sum(-1, keepdims=True), np.float32(1e-30)) @ (given @ w_v)
    if pre:
        return x + (normed(x) @ w_1).clip(min=0) @ w_2
    x = normed(x)
    return normed(x + (x @ w_1).clip(min=0) @ w_2)


EXERCISE = Exercise(
    id="architecture.block",
    title="完整的 block",
    points=2,
    reference=reference.block,
    returns=("output",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.35), Behaviour(POST, 0.35), Behaviour(MASK, 0.2), Behaviour(BATCH, 0.1)),
    slips=(
        Slip(
            "总是 pre-norm",
            always_pre,
            wrong="norm 为 post 时也先归一化了。",
            look="post-norm：先相加，再归一化：layer_norm(x + f(x))。",
        ),
        Slip(
            "总是 post-norm",
            always_post,
            wrong="要的是 pre-norm，得到的是 post-norm。",
            look="pre-norm：x + f(layer_norm(x))，残差这条路上没有归一化。",
        ),
        Slip(
            "pre 和 post 对调了",
            pre_and_post_exchanged,
            wrong="两种写法都在，名字反了。",
            look="pre：归一化在子层之前；post：在相加之后。",
        ),
        Slip(
            "加回的是归一化后的输入",
            normed_input_added_back,
            wrong="post-norm 对；pre-norm 时，残差加回的应是没有归一化的 x。",
            look="x = x + f(layer_norm(x))：归一化的结果只进子层。",
        ),
        Slip(
            "post-norm 归一化的是子层的结果",
            norm_before_the_sum,
            wrong="pre-norm 对；post-norm 要把和归一化，不只是子层的结果。",
            look="layer_norm(x + f(x))，不是 x + layer_norm(f(x))。",
        ),
        Slip(
            "只归一化了一次",
            only_one_norm,
            wrong="注意力和 FFN 各有自己的归一化，一个 block 有两次。",
            look="两个子层用同样的写法。",
        ),
        Slip(
            "没有归一化",
            without_norm,
            wrong="残差都对，没有用 layer_norm。",
            look="pre：x + f(layer_norm(x))；post：layer_norm(x + f(x))。",
        ),
        Slip(
            "没有残差",
            without_residual,
            wrong="两个子层都取代了它们的输入。",
            look="每个子层的结果都要加在它的输入上。",
        ),
        Slip(
            "注意力之后没有残差",
            no_residual_after_attention,
            wrong="注意力的结果取代了 x。",
            look="x = x + attention(…)。",
        ),
        Slip(
            "FFN 之后没有残差",
            no_residual_after_ffn,
            wrong="FFN 的结果取代了它的输入。",
            look="x + feed_forward(…)。",
        ),
        Slip(
            "FFN 之后加回了最初的输入",
            input_added_at_the_end,
            wrong="加回的是 block 的输入，注意力带来的就丢了。",
            look="第二处残差加的是注意力之后的 x。",
        ),
        Slip(
            "残差加了两次",
            residual_added_twice,
            wrong="最初的 x 加了两次：它已经在注意力之后的 x 里了。",
            look="每个子层只加它自己的输入。",
        ),
        Slip(
            "注意力和 FFN 并排",
            side_by_side,
            wrong="FFN 的输入是最初的 x，没有看到注意力的结果（有的模型这样做，这里不是）。",
            look="先算完注意力这一步，再把新的 x 交给 FFN。",
        ),
        Slip(
            "FFN 在前",
            ffn_first,
            wrong="次序反了：先交流（注意力），再消化（FFN）。",
            look="先注意力，后 FFN。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样。",
            look="调用 attention 时把 mask 也传进去。",
        ),
        Slip(
            "没有 FFN",
            without_ffn,
            wrong="只做了注意力这一半。",
            look="再用同样的写法加上 feed_forward。",
        ),
        Slip(
            "末尾多归一化了一次",
            extra_norm_at_the_end,
            wrong="pre-norm 的 block 末尾没有归一化；最后一次归一化属于整个模型。",
            look="直接返回 x + feed_forward(layer_norm(x))。",
        ),
        Slip(
            "沿 token 归一化了",
            norm_over_the_tokens,
            wrong="归一化沿了 token 的轴：一个 token 于是看到了别的 token，连因果掩码也挡不住。",
            look="layer_norm 沿最后一个轴。",
        ),
        finite_mask.filled(ten_thousand_below, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        Slip(
            "没有 ReLU",
            without_relu,
            wrong="两个矩阵连着乘，等于一个矩阵；FFN 中间要有 ReLU。",
            look="用你的 feed_forward。",
        ),
        Slip(
            "什么都不许看的一行变成了 NaN",
            blind_row_is_nan,
            wrong="整行都是 −∞ 时，−∞ − (−∞) 得 NaN。",
            look="用给出的 attention(q, k, v, mask)，它让这样的一行为 0。",
        ),
        Slip(
            "什么都不许看的一行变成了平均",
            blind_row_looks_everywhere,
            wrong="整行被遮住的查询，把权重平均分给了不许看的键；它应当什么也没带回来。",
            look="给你的 attention 已经处理了这种行。",
        ),
        Slip(
            "什么都不许看的一行像没有掩码一样",
            blind_row_looks_as_if_unmasked,
            wrong="给一整行都减去同样大的数，softmax 的结果不变：这一行照样看了所有的键。",
            look="给你的 attention 已经处理了这种行。",
        ),
    ),
    styles=(with_a_loop_over_sublayers, one_text_at_a_time, in_float32),
    hints=(
        "两个子层：先注意力，后 FFN。每个都有一次归一化、一次残差；pre 和 post 只差归一化放在哪里。",
        "pre：x = x + f(layer_norm(x))；post：x = layer_norm(x + f(x))。"
        "f 先是注意力（q、k、v 都由 f 的输入造出），后是 feed_forward。",
        "pre：h = layer_norm(x)；x = x + attention(h @ w_q, h @ w_k, h @ w_v, mask)[0]，"
        "返回 x + feed_forward(layer_norm(x), w_1, w_2)；"
        "post：x = layer_norm(x + attention(x @ w_q, x @ w_k, x @ w_v, mask)[0])，"
        "返回 layer_norm(x + feed_forward(x, w_1, w_2))。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "x = np.asarray(x, dtype=float) -> (dropped)",
            "np.asarray(x, dtype=float) -> x",
            "np.asarray(x, dtype=float) -> np.asarray(x)",
        ),
        "only decides what an error about another norm says, which the exercise does not ask for": (
            'ValueError(f\'norm must be "pre" or "post", got {norm!r}\') -> '
            'f\'norm must be "pre" or "post", got {norm!r}\'',
        ),
    },
)
