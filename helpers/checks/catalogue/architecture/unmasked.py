"""Exercise `architecture.unmasked`: take the causal mask away, and see whose weights change."""

import numpy as np

from helpers.checks.catalogue.architecture.lesson_block import arguments, far_below, lesson_arguments
from helpers.checks.catalogue.architecture.softmax import softmax
from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import lesson_block as reference

CORE, OTHER, SAME, ANYWHERE = "教材的数字", "别的句子", "变得很少也算变，不看的后文不算变", "变在哪一格都算"


def _tokens_and_projections(arrays):
    tokens, _, w_q, w_k, *_ = arrays
    return tokens, w_q, w_k


def _hardly_ahead():
    """Return a token that looks hardly ahead, one that ignores the first, one that ignores what follows, a last one."""
    tokens = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    w_q = np.array([[14.0, 0.0], [-80.0, 60.0]])
    return tokens, w_q, np.eye(2)


def _anywhere():
    """Return tokens whose rows change in one place each: not on the diagonal, not in the first or the last column."""
    nothing = -60.0
    scores = np.array(
        [
            [nothing, nothing, nothing, 0.0, nothing],
            [0.0, nothing, 1.0, nothing, nothing],
            [nothing, 0.0, 1.0, nothing, 0.5],
            [0.0, 1.0, 0.5, 0.2, nothing],
            [1.0, 0.0, 0.5, 0.0, 1.0],
        ]
    )
    return np.eye(5), np.sqrt(5) * scores, np.eye(5)


def _second_ignored():
    """Return tokens of which nobody looks at the second: its column does not change, though the first row does."""
    nothing = -60.0
    scores = np.array([[0.0, nothing, 0.0], [0.0, nothing, nothing], [0.0, nothing, nothing]])
    return np.eye(3), np.sqrt(3) * scores, np.eye(3)


def _far_below():
    """Return tokens that look at the first alone, masked or not, with scores far below −1e4."""
    return np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]]), 100 * np.eye(2), -100 * np.eye(2)


def cases(rng):
    float32 = [a.astype(np.float32) for a in arguments(rng, 5, 2, 4, 3, 6, scale=0.4)]
    return [
        Case(CORE, _tokens_and_projections(lesson_arguments())),
        Case(OTHER, _tokens_and_projections(arguments(rng, 2, 3, 5, 4, 7, scale=0.4))),
        Case(OTHER, _tokens_and_projections(arguments(rng, 7, 3, 5, 2, 3, scale=0.4))),
        Case(OTHER, _tokens_and_projections(float32)),
        Case(OTHER, _tokens_and_projections(arguments(rng, 1, 2, 3, 2, 4))),
        Case(OTHER, _tokens_and_projections(far_below(rng))),
        Case(SAME, _hardly_ahead()),
        Case(SAME, _far_below()),
        Case(ANYWHERE, _anywhere()),
        Case(ANYWHERE, _second_ignored()),
    ]


def _both(tokens, w_q, w_k):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    causal = np.where(np.tri(len(tokens), dtype=bool), scores, -np.inf)
    return softmax(scores), softmax(causal)


def _rows(after, before):
    return ~np.isclose(after, before).all(axis=1)


def still_masked(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return before, _rows(after, before)


def ten_thousand_below(tokens, w_q, w_k):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    after, before = softmax(scores), softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -1e4))
    return after, _rows(after, before)


def ten_thousand_subtracted(tokens, w_q, w_k):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    after, before = softmax(scores), softmax(scores - 1e4 * (1 - np.tri(len(tokens))))
    return after, _rows(after, before)


def rows_that_stay(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, ~_rows(after, before)


def columns_that_change(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, ~np.isclose(after, before).all(axis=0)


def every_entry(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, ~np.isclose(after, before)


def rows_all_different(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, (~np.isclose(after, before)).all(axis=1)


def without_tolerance(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, (after != before).any(axis=1)


def the_whole_table(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, np.full(len(tokens), not np.allclose(after, before))


def all_but_the_last(tokens, w_q, w_k):
    after, _ = _both(tokens, w_q, w_k)
    return after, np.arange(len(tokens)) < len(tokens) - 1


def all_rows(tokens, w_q, w_k):
    after, _ = _both(tokens, w_q, w_k)
    return after, np.ones(len(tokens), dtype=bool)


def only_large_changes(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, (np.abs(after - before) > 0.1).any(axis=1)


def without_scaling(tokens, w_q, w_k):
    after, before = _both(tokens * np.sqrt(np.sqrt(w_q.shape[1])), w_q, w_k)
    return after, _rows(after, before)


def softmax_down_the_columns(tokens, w_q, w_k):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    causal = np.where(np.tri(len(tokens), dtype=bool), scores, -np.inf)
    after, before = softmax(scores, axis=0), softmax(causal, axis=0)
    return after, _rows(after, before)


def mask_turned_round(tokens, w_q, w_k):
    scores = (tokens @ w_q) @ (tokens @ w_k).T / np.sqrt(w_q.shape[1])
    after = softmax(np.where(np.tri(len(tokens), dtype=bool).T, scores, -np.inf))
    return after, _rows(after, softmax(np.where(np.tri(len(tokens), dtype=bool), scores, -np.inf)))


def exchanged(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return _rows(after, before), after


def diagonal_alone(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, ~np.isclose(np.diag(after), np.diag(before))


def next_token_alone(tokens, w_q, w_k):
    after, _ = _both(tokens, w_q, w_k)
    return after, np.append(np.diag(after, k=1) > 1e-8, False)


def largest_weight_alone(tokens, w_q, w_k):
    after, before = _both(tokens, w_q, w_k)
    return after, ~np.isclose(after.max(axis=1), before.max(axis=1))


def from_what_lies_ahead(tokens, w_q, w_k):
    scores = tokens @ w_q @ w_k.T @ tokens.T * w_q.shape[1] ** -0.5
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    weights = exps / exps.sum(-1, keepdims=True)
    return weights, np.triu(weights, k=1).sum(axis=-1) > 1e-8


def row_by_row(tokens, w_q, w_k):
    weights, changed = [], []
    for i, token in enumerate(tokens):
        scores = np.array([(token @ w_q) @ (other @ w_k) for other in tokens]) / np.sqrt(w_q.shape[1])
        exps = np.exp(scores - scores.max())
        weights.append(exps / exps.sum())
        seen = exps[: i + 1].sum()
        changed.append(bool(exps[i + 1 :].sum() > 1e-7 * exps.sum()) or seen == 0)
    return weights, changed


def in_float32(tokens, w_q, w_k):
    q, k = (tokens @ w_q).astype(np.float32), (tokens @ w_k).astype(np.float32)
    scores = q @ k.T / np.float32(np.sqrt(q.shape[-1]))
    rows = []
    for hidden in (0.0, 1e9):
        shifted = scores - hidden * np.triu(np.ones(scores.shape, dtype=np.float32), k=1)
        exps = np.exp(shifted - shifted.max(axis=-1, keepdims=True))
        rows.append(exps / exps.sum(axis=-1, keepdims=True))
    return rows[0], np.abs(rows[0] - rows[1]).max(axis=1) > 1e-5


EXERCISE = Exercise(
    id="architecture.unmasked",
    title="始终允许看",
    points=1,
    reference=reference.unmasked,
    returns=("weights", "changed"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(OTHER, 0.2), Behaviour(SAME, 0.15), Behaviour(ANYWHERE, 0.15)),
    properties=(
        Property(
            "每一行权重的和是 1",
            lambda weights, changed: bool(np.allclose(weights.sum(axis=-1), 1, atol=1e-4)),
        ),
    ),
    slips=(
        Slip(
            "返回的还是有掩码的权重",
            still_masked,
            wrong="哪几行会变说对了，返回的却是变之前的权重。",
            look="weights 是不加掩码的那一份；有掩码的只用来比较。",
        ),
        Slip(
            "说成了没有变的行",
            rows_that_stay,
            wrong="真假反了：changed 为 True 的应是变了的行。",
            look="在比较的结果前面加 ~。",
        ),
        Slip(
            "看的是列",
            columns_that_change,
            wrong="一行是一个提问的 token；现在说的是哪几列变了。",
            look="沿最后一个轴（axis=-1）合并。",
        ),
        Slip(
            "给出了每一格",
            every_entry,
            wrong="每一格变没变是对的；要的是每一行一个回答，形状 (n,)。",
            look="一行里有一格变了，这一行就变了。",
        ),
        Slip(
            "整行都变了才算",
            rows_all_different,
            wrong="一行里只要有一格变了，这一行就算变了。",
            look="用 any，不用 all；或先 all 再取反。",
        ),
        Slip(
            "没有放过舍入误差",
            without_tolerance,
            wrong="用了 !=：后文的权重小到舍入误差之内，也说成变了。",
            look="~np.isclose(…).all(axis=-1)。",
        ),
        Slip(
            "整张表一起比了",
            the_whole_table,
            wrong="np.allclose 对整张表只给一个答案；要一行一个。",
            look="~np.isclose(…).all(axis=-1)。",
        ),
        Slip(
            "认定除最后一行外都变",
            all_but_the_last,
            wrong="教材的数字上是这样；但后文得不到权重的行，去掉掩码也不变。要比较，不要认定。",
            look="算出两份权重，逐行比较。",
        ),
        Slip(
            "认定每一行都变",
            all_rows,
            wrong="最后一行本来就看得到全部，去掉掩码对它没有影响。",
            look="算出两份权重，逐行比较。",
        ),
        Slip(
            "只认大的变化",
            only_large_changes,
            wrong="有的行只变了一点点，也是变了。",
            look="用 np.isclose 比较，只放过舍入误差。",
        ),
        finite_mask.filled(ten_thousand_below, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        finite_mask.subtracted(ten_thousand_subtracted, look="用给出的 attention(q, k, v, mask)，它用的是 −∞。"),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="q @ k.T / np.sqrt(d_k)。",
        ),
        Slip(
            "沿列做了 softmax",
            softmax_down_the_columns,
            wrong="每一列的和是 1；应是每一行。",
            look="softmax 沿最后一个轴。",
        ),
        Slip(
            "掩码只是换了方向",
            mask_turned_round,
            wrong="现在每个 token 只看自己和后面；要的是全都可以看。",
            look="不加掩码，直接 softmax。",
        ),
        Slip(
            "两个结果对调了",
            exchanged,
            wrong="两个结果都对，顺序反了。",
            look="先返回 weights，再返回 changed。",
        ),
        Slip(
            "只比较了对角线",
            diagonal_alone,
            wrong="只看了每个 token 给自己的权重；本来就不看自己的 token，别处变了也看不出来。",
            look="整行比较：~np.isclose(weights, before).all(axis=-1)。",
        ),
        Slip(
            "只看了下一个 token",
            next_token_alone,
            wrong="只看了 token i 有没有看 i + 1；看得更远的也算变。",
            look="整行比较：~np.isclose(weights, before).all(axis=-1)。",
        ),
        Slip(
            "只比较了每行最大的权重",
            largest_weight_alone,
            wrong="最大的一格可以换了地方，却还是同一个数。",
            look="整行比较：~np.isclose(weights, before).all(axis=-1)。",
        ),
    ),
    styles=(from_what_lies_ahead, row_by_row, in_float32),
    hints=(
        "算两份权重：一份不加掩码，一份加因果掩码。哪几行不一样？",
        "分数只算一次；np.where(np.tri(n, dtype=bool), scores, -np.inf) 是有掩码的那一份。比较时放过舍入误差。",
        "changed = ~np.isclose(weights, before).all(axis=-1)，其中 before 是有掩码的权重；返回 weights 和 changed。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(tokens, dtype=float) -> tokens",
            "np.asarray(tokens, dtype=float) -> np.asarray(tokens)",
            "np.asarray(w_q) -> w_q",
            "np.asarray(w_k) -> w_k",
        ),
        "which of two nearly equal numbers is the measure does not matter": (
            "np.isclose(weights, before) -> np.isclose(before, weights)",
        ),
        "a matrix has two axes: 1 is the last": ("-1 -> 1",),
    },
)
