"""Exercise `tinygpt.sample_top_k`: draw from the k most likely tokens, the chance given as a number."""

import numpy as np

from helpers.checks.catalogue.tinygpt.given import softmax
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import next_token as reference

CORE, TEMPERATURE, ENDS, BATCH = (
    "从最可能的 k 个里抽",
    "温度改变各自的份额",
    "只留一个，全都留下，从几千个里留下许多",
    "前面可以有批量轴，各有各的 u",
)
CLEAR = 0.02  # no u lies so near to an edge that float32 could tell it from ours


def _logits(rng, *shape):
    """Return logits whose order, by chance, is never the order of the ids, and whose steps can be told apart."""
    steps = np.sort(rng.uniform(0.3, 0.9, size=shape).cumsum(axis=-1), axis=-1)
    return rng.permuted(steps, axis=-1) + rng.normal()


def _edges(logits, k, temperature):
    best = -np.sort(-logits, axis=-1)[..., :k] / temperature
    exps = np.exp(best - best.max(axis=-1, keepdims=True))
    return (exps / exps.sum(axis=-1, keepdims=True)).cumsum(axis=-1)


def _clear(u, edges):
    """Move a u that lies near an edge to the middle of the nearest stretch."""
    edges = np.concatenate([[0.0], edges])
    if np.abs(edges[1:-1] - u).min(initial=1.0) > CLEAR:
        return u
    place = np.searchsorted(edges, u, side="right") - 1
    return (edges[place] + edges[place + 1]) / 2


def _case(behaviour, logits, k, temperature, u):
    edges = _edges(logits, k, temperature)
    clear = [_clear(one, row) for one, row in zip(np.ravel(u), edges.reshape(-1, edges.shape[-1]), strict=True)]
    u = np.reshape(clear, np.shape(u)) if np.ndim(u) else float(clear[0])
    return Case(behaviour, (logits, k, temperature, u))


def cases(rng):
    seven, nine = _logits(rng, 7), _logits(rng, 9)
    many = rng.permuted(np.linspace(0.0, 30.0, 5000))  # so many that np.argpartition leaves the best ones unsorted
    return [
        _case(CORE, _logits(rng, 5), 2, 1.0, 0.95),
        _case(CORE, seven, 3, 1.0, 0.1),
        _case(CORE, seven, 3, 1.0, 0.6),
        _case(CORE, seven, 3, 1.0, 0.97),
        _case(CORE, nine, 4, 1.0, 0.9),
        _case(CORE, nine, 4, 1.0, 0.5),
        _case(CORE, _logits(rng, 8).astype(np.float32), 5, 1.0, 0.75),
        _case(TEMPERATURE, seven, 4, 3.0, 0.55),
        _case(TEMPERATURE, nine, 4, 0.4, 0.82),
        _case(TEMPERATURE, nine, 5, 5.0, 0.82),
        _case(TEMPERATURE, seven + 1800, 5, 2.0, 0.7),
        _case(ENDS, seven, 1, 1.0, 0.9),
        _case(ENDS, nine, 9, 4.0, 0.97),
        _case(ENDS, seven, 20, 4.0, 0.9),
        _case(ENDS, seven, 3, 1.0, 0.0),
        *(_case(ENDS, many, 1000, 1.0, u) for u in (0.35, 0.6, 0.85)),
        _case(BATCH, _logits(rng, 6, 7), 4, 0.6, rng.random(6)),
        _case(BATCH, _logits(rng, 3, 2, 5), 3, 1.5, rng.random((3, 2))),
        _case(BATCH, _logits(rng, 2, 8), 5, 2.0, rng.uniform(0.75, 1.0, size=2)),
    ]


def _walk(probabilities, u):
    """Return the first place at which the running sum is above u; the last one if none is."""
    ends = probabilities.cumsum(axis=-1)
    ends[..., -1] = np.inf
    return (np.asarray(u)[..., None] < ends).argmax(axis=-1)


def _pick(ids, place):
    return np.take_along_axis(ids, place[..., None], axis=-1)[..., 0]


def _descending(logits):
    return np.argsort(-logits, axis=-1)


def _drawn(logits, k, temperature, u):
    ids = _descending(logits)[..., :k]
    return ids, softmax(np.take_along_axis(logits, ids, axis=-1) / temperature)


def greedy(logits, k, temperature, u):
    return logits.argmax(axis=-1)


def k_ignored(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, logits.shape[-1], temperature, u)
    return _pick(ids, _walk(probabilities, u))


def k_ignored_by_id(logits, k, temperature, u):
    return _walk(softmax(logits / temperature), u)


def not_normalised(logits, k, temperature, u):
    probabilities = softmax(logits / temperature)
    ids = _descending(logits)[..., :k]
    return _pick(ids, _walk(np.take_along_axis(probabilities, ids, axis=-1), u))


def not_normalised_falls_to_the_first(logits, k, temperature, u):
    probabilities = softmax(logits / temperature)
    ids = _descending(logits)[..., :k]
    ends = np.take_along_axis(probabilities, ids, axis=-1).cumsum(axis=-1)
    return _pick(ids, (np.asarray(u)[..., None] < ends).argmax(axis=-1))


def place_instead_of_id(logits, k, temperature, u):
    _, probabilities = _drawn(logits, k, temperature, u)
    return _walk(probabilities, u)


def least_likely(logits, k, temperature, u):
    ids = np.argsort(logits, axis=-1)[..., :k]
    return _pick(ids, _walk(softmax(np.take_along_axis(logits, ids, axis=-1) / temperature), u))


def smallest_first(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids[..., ::-1], _walk(probabilities[..., ::-1], u))


def in_order_of_ids(logits, k, temperature, u):
    ids = np.sort(_descending(logits)[..., :k], axis=-1)
    return _pick(ids, _walk(softmax(np.take_along_axis(logits, ids, axis=-1) / temperature), u))


def order_reversed_only_for_ids(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids[..., ::-1], _walk(probabilities, u))


def uniform(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids, _walk(np.full_like(probabilities, 1 / probabilities.shape[-1]), u))


def one_too_many(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k + 1, temperature, u)
    return _pick(ids, _walk(probabilities, u))


def one_too_few(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, max(k - 1, 1), temperature, u)
    return _pick(ids, _walk(probabilities, u))


def temperature_ignored(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, 1.0, u)
    return _pick(ids, _walk(probabilities, u))


def multiplied_by_temperature(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, 1 / temperature, u)
    return _pick(ids, _walk(probabilities, u))


def probabilities_divided_by_temperature(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, 1.0, u)
    return _pick(ids, _walk(probabilities / temperature, u))


def not_sorted(logits, k, temperature, u):
    ids = np.argpartition(-logits, min(k, logits.shape[-1]) - 1, axis=-1)[..., :k]
    return _pick(ids, _walk(softmax(np.take_along_axis(logits, ids, axis=-1) / temperature), u))


def softmax_twice(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids, _walk(softmax(probabilities), u))


def overflowing(logits, k, temperature, u):
    ids = _descending(logits)[..., :k]
    exps = np.exp(np.take_along_axis(logits, ids, axis=-1) / temperature)
    return _pick(ids, (np.asarray(u)[..., None] < (exps / exps.sum(axis=-1, keepdims=True)).cumsum(axis=-1)).argmax(-1))


def k_at_most_the_batch(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, min(k, len(logits)), temperature, u)
    return _pick(ids, _walk(probabilities, u))


def axis_for_the_place_missing(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return np.take_along_axis(ids, _walk(probabilities, u), axis=-1)


def last_axis_kept(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return np.take_along_axis(ids, _walk(probabilities, u)[..., None], axis=-1)


def place_before(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids, np.maximum(_walk(probabilities, u) - 1, 0))


def place_behind(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids, np.minimum(_walk(probabilities, u) + 1, probabilities.shape[-1] - 1))


def logits_instead_of_id(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return np.take_along_axis(logits, _pick(ids, _walk(probabilities, u))[..., None], axis=-1)[..., 0]


def k_too_large(logits, k, temperature, u):
    ids = _descending(logits)
    kept = np.stack([np.take_along_axis(logits, ids[..., i : i + 1], axis=-1)[..., 0] for i in range(k)], axis=-1)
    return _pick(ids, _walk(softmax(kept / temperature), u))


def one_u_for_all(logits, k, temperature, u):
    ids, probabilities = _drawn(logits, k, temperature, u)
    return _pick(ids, _walk(probabilities, np.full(np.shape(u), np.ravel(u)[0])))


def smallest_masked_in_the_whole_batch(logits, k, temperature, u):
    threshold = np.sort(logits, axis=None)[::-1][min(k, logits.size) - 1]
    kept = np.where(logits >= threshold, logits, -1e9)
    ids = _descending(kept)
    return _pick(ids, _walk(softmax(np.take_along_axis(kept, ids, axis=-1) / temperature), u))


def one_by_one(logits, k, temperature, u):
    if np.ndim(logits) > 1:
        return [one_by_one(row, k, temperature, chance) for row, chance in zip(logits, u, strict=True)]
    best = sorted(range(len(logits)), key=lambda token_id: -logits[token_id])[:k]
    exps = [np.exp((logits[token_id] - logits[best[0]]) / temperature) for token_id in best]
    walked = 0.0
    for token_id, share in zip(best, exps, strict=True):
        walked += share / sum(exps)
        if walked > u:
            return token_id
    return best[-1]


def with_a_threshold(logits, k, temperature, u):
    logits = np.asarray(logits, dtype=float)
    k = min(k, logits.shape[-1])
    threshold = np.partition(logits, -k, axis=-1)[..., -k, None]
    exps = np.where(logits >= threshold, np.exp((logits - logits.max(-1, keepdims=True)) / temperature), 0.0)
    order = np.argsort(exps, axis=-1)[..., ::-1]
    ends = np.cumsum(np.take_along_axis(exps, order, -1), axis=-1) / exps.sum(-1, keepdims=True)
    place = (ends <= np.expand_dims(u, -1)).sum(-1).clip(max=k - 1)
    return np.take_along_axis(order, np.expand_dims(place, -1), -1).squeeze(-1)


def with_searchsorted(logits, k, temperature, u):
    rows, chances = np.reshape(logits, (-1, np.shape(logits)[-1])), np.reshape(u, -1)
    drawn = []
    for row, chance in zip(rows.astype(np.float32), chances, strict=True):
        ids = np.flip(np.argsort(row, kind="stable"))[:k]
        logs = row[ids] / temperature
        weights = np.exp(logs - np.logaddexp.reduce(logs))
        drawn.append(float(ids[min(np.searchsorted(np.cumsum(weights), chance, side="right"), len(ids) - 1)]))
    return np.array(drawn).reshape(np.shape(u))


EXERCISE = Exercise(
    id="tinygpt.sample_top_k",
    title="在前 k 名里抽一个",
    points=3,
    reference=reference.sample_top_k,
    returns=("token_id",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(TEMPERATURE, 0.2), Behaviour(ENDS, 0.15), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "总是取最可能的",
            greedy,
            wrong="这是贪心：k 和 u 都没有用上。（u 和每个概率单独比，没有累加，也会这样。）",
            look="把 k 个概率从大到小首尾相接，看 u 落在谁的一段上。",
        ),
        Slip(
            "没有只留 k 个",
            k_ignored,
            wrong="从整个词表里抽了；应只从最可能的 k 个里抽。",
            look="排好序之后只留前 k 个，再归一化。",
        ),
        Slip(
            "没有只留 k 个，也没有排序",
            k_ignored_by_id,
            wrong="从整个词表里、按编号的顺序取了。",
            look="从大到小排序，只留前 k 个，再归一化。",
        ),
        Slip(
            "留下的 k 个没有归一化",
            not_normalised,
            wrong="k 个概率的和不到 1：u 很大时，总是落到第 k 个上。",
            look="留下 k 个之后再做 softmax，或除以它们的和。",
        ),
        Slip(
            "没有归一化，落空时取了第一个",
            not_normalised_falls_to_the_first,
            wrong="k 个概率的和不到 1：u 很大时落空了，argmax 就给了 0。",
            look="留下 k 个之后再做 softmax，或除以它们的和。",
        ),
        Slip(
            "返回了名次",
            place_instead_of_id,
            wrong="这是排好序以后的第几个，不是 token 的编号。",
            look="从排好序的编号里取：ids[place]。",
        ),
        Slip(
            "留下了最不可能的 k 个",
            least_likely,
            wrong="np.argsort 从小到大排；前 k 个是最小的。",
            look="np.argsort(-logits)。",
        ),
        Slip(
            "从小的开始走",
            smallest_first,
            wrong="k 个是对的；约定从最大的一段开始。",
            look="从大到小累加。",
        ),
        Slip(
            "按编号的顺序走",
            in_order_of_ids,
            wrong="k 个是对的；约定从最大的一段开始，不按编号。",
            look="从大到小累加，编号跟着一起排。",
        ),
        Slip(
            "概率排了序，编号却反着",
            order_reversed_only_for_ids,
            wrong="概率和编号的顺序不一样：抽中一个，返回了另一个。",
            look="用同一个 ids 取 logits，也用它取编号。",
        ),
        Slip(
            "k 个一样可能",
            uniform,
            wrong="k 个各占 1/k；应按它们的概率分。",
            look="对留下的 k 个 logits 做 softmax。",
        ),
        Slip(
            "多留了一个",
            one_too_many,
            wrong="留下了 k + 1 个。",
            look="ids[..., :k]。",
        ),
        Slip(
            "少留了一个",
            one_too_few,
            wrong="留下了 k − 1 个。",
            look="ids[..., :k]。",
        ),
        Slip(
            "留下的没有排序",
            not_sorted,
            wrong="k 个是对的；np.argpartition 只保证它们排在前面，不保证从大到小。",
            look="再把这 k 个排一次，或直接用 np.argsort(-logits)。",
        ),
        Slip(
            "softmax 了两次",
            softmax_twice,
            wrong="概率又当作 logits 用了一次：各段几乎一样长了。",
            look="只有一次 softmax，温度在它里面。",
        ),
        Slip(
            "名次少了一个轴",
            axis_for_the_place_missing,
            wrong="np.take_along_axis 要两个数组的轴一样多；argmax 去掉了最后一个轴。",
            look="np.take_along_axis(ids, place[..., None], axis=-1)[..., 0]。",
        ),
        Slip(
            "最后一个轴还在",
            last_axis_kept,
            wrong="编号是对的，但多出一个长度为 1 的轴。",
            look="np.take_along_axis(…) 之后再取 [..., 0]。",
        ),
        Slip(
            "取了前一段",
            place_before,
            wrong="取了最后一个累加不超过 u 的，这一段已经走完了；应取累加第一次超过 u 的。",
            look="(u < ends).argmax(axis=-1)，不再减 1。",
        ),
        Slip(
            "取了后一段",
            place_behind,
            wrong="应取 u 所落的那一段：累加第一次超过 u 的。",
            look="(u < ends).argmax(axis=-1)，不再加 1。",
        ),
        Slip(
            "返回了 logit",
            logits_instead_of_id,
            wrong="抽中的是对的，但返回的是它的 logit；应返回它的编号。",
            look="返回 ids[place]。",
        ),
        Slip(
            "没有用温度",
            temperature_ignored,
            wrong="温度为 1 时对；其他温度没有起作用。",
            look="softmax 之前，logits 除以 temperature。",
        ),
        Slip(
            "乘了温度",
            multiplied_by_temperature,
            wrong="方向反了：高温时各段应更接近。",
            look="logits 除以 temperature。",
        ),
        Slip(
            "概率除以了温度",
            probabilities_divided_by_temperature,
            wrong="除的是概率，和不再是 1；温度要在 softmax 之前起作用。",
            look="softmax(logits / temperature)。",
        ),
        Slip(
            "k 比词表还大时出错",
            k_too_large,
            wrong="k 不超过词表时对；k 更大时，应当全都留下。",
            look="用切片 ids[..., :k]：它会自己停在末尾。",
        ),
        Slip(
            "溢出了",
            overflowing,
            wrong="logits 不大时对；大的取指数成了 inf，inf / inf 是 NaN。",
            look="取指数之前减去最大值；给出的 softmax 已经做到了。",
        ),
        Slip(
            "k 不超过段数",
            k_at_most_the_batch,
            wrong="没有批量轴时对；有批量轴时，len(logits) 是有几段文字，不是词表的大小。",
            look="logits.shape[-1]；用切片 ids[..., :k] 就不必比较。",
        ),
        Slip(
            "整批用了同一个 u",
            one_u_for_all,
            wrong="没有批量轴时对；有批量轴时，每段文字有自己的 u。",
            look="np.asarray(u)[..., None] < ends。",
        ),
        Slip(
            "在整批里取了前 k 个",
            smallest_masked_in_the_whole_batch,
            wrong="没有批量轴时对；有批量轴时，每段文字各留 k 个。",
            look="排序和阈值都沿 axis=-1。",
        ),
    ),
    styles=(one_by_one, with_a_threshold, with_searchsorted),
    hints=(
        "先留下最可能的 k 个，让它们的概率加起来是 1；再把它们从大到小首尾相接排在 0 到 1 上，看 u 落在谁的一段。",
        "ids = np.argsort(-logits, axis=-1)[..., :k]；用 np.take_along_axis 取出它们的 logits，除以温度，做 softmax。",
        "ends = probabilities.cumsum(axis=-1)；place = (np.asarray(u)[..., None] < ends).argmax(axis=-1)；"
        "返回 np.take_along_axis(ids, place[..., None], axis=-1)[..., 0]。",
    ),
    equivalent_mutants={
        "only matters when u falls exactly on an edge, where rounding decides": (
            "np.asarray(u)[..., None] < ends -> np.asarray(u)[..., None] <= ends",
            "ends[..., -1] = 1.0 -> (dropped)",
            "1.0 -> 2.0",
        ),
        "the only column is the last column too": ("0 -> -1",),
    },
)
