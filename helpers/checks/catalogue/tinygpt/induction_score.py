"""Exercise `tinygpt.induction_score`: how much attention a head gives to what followed the same token earlier."""

import numpy as np

from helpers.checks.exercise import Behaviour, Case, Exercise, Slip
from helpers.reference import inspection as reference

CORE, SEVERAL, NONE, BATCH = (
    "重复一次的 token：看它上次后面的",
    "重复几次：都算，加起来",
    "没有重复的文字得 0",
    "前面可以有批量轴",
)


def _weights(rng, *shape):
    """Return the weights of heads that look back alone, as a decoder's do."""
    *_, seq_len = shape
    powers = np.tri(seq_len) * rng.exponential(size=shape)
    return powers / powers.sum(axis=-1, keepdims=True)


def cases(rng):
    names = rng.permutation(9)  # close to each other, but only equal ones repeat
    several = np.array([[0, 1, 0, 2, 0, 1, 1], [3, 3, 3, 4, 5, 4, 3]])
    twice = np.tile(rng.permutation(4), 2)
    return [
        Case(CORE, (_weights(rng, 2, 4, 4), names[[0, 1, 0, 2]])),
        Case(CORE, (_weights(rng, 3, 7, 7), names[[3, 0, 5, 1, 0, 2, 3]])),
        Case(CORE, (_weights(rng, 4, 8, 8).astype(np.float32), names[twice])),
        Case(CORE, (_weights(rng, 2, 6, 6), names[[4, 1, 0, 0, 2, 4]])),
        Case(
            CORE, (rng.dirichlet(np.ones(6), size=(3, 6)), names[[0, 2, 1, 0, 3, 1]])
        ),  # an encoder's: they look ahead too
        Case(SEVERAL, (_weights(rng, 3, 7, 7), names[several[0]])),
        Case(SEVERAL, (_weights(rng, 2, 7, 7), names[several[1]])),
        Case(NONE, (_weights(rng, 3, 5, 5), names[:5])),
        Case(NONE, (_weights(rng, 2, 1, 1), names[:1])),
        Case(BATCH, (_weights(rng, 2, 3, 7, 7), names[several])),
        Case(BATCH, (_weights(rng, 3, 2, 4, 5, 5), names[rng.integers(4, size=(3, 2, 5))])),
    ]


def _earlier(token_ids):
    return np.tril(token_ids[..., :, None] == token_ids[..., None, :], -1)


def _moved(targets, steps):
    moved = np.zeros_like(targets)
    if steps > 0:
        moved[..., steps:] = targets[..., :-steps]
    else:
        moved[..., :steps] = targets[..., -steps:]
    return moved


def _mass(weights, targets):
    return (weights * targets[..., None, :, :]).sum(axis=-1)  # (..., h, n)


def _rows(targets):
    return targets.any(axis=-1).sum(axis=-1)[..., None]  # (..., 1)


def _score(weights, targets):
    return _mass(weights, targets).sum(axis=-1) / np.maximum(_rows(targets), 1)


def the_same_token(weights, token_ids):
    return _score(weights, _earlier(token_ids))


def the_token_before(weights, token_ids):
    earlier = _earlier(token_ids)
    return _mass(weights, _moved(earlier, -1)).sum(axis=-1) / np.maximum(_rows(earlier), 1)


def two_behind(weights, token_ids):
    earlier = _earlier(token_ids)
    return _mass(weights, np.tril(_moved(earlier, 2))).sum(axis=-1) / np.maximum(_rows(earlier), 1)


def _nearest(earlier):
    """Keep, in each row, the last target alone."""
    return earlier & (np.flip(np.flip(earlier, axis=-1).cumsum(axis=-1), axis=-1) == 1)


def only_the_latest(weights, token_ids):
    return _score(weights, _moved(_nearest(_earlier(token_ids)), 1))


def only_the_first(weights, token_ids):
    earlier = _earlier(token_ids)
    return _score(weights, _moved(earlier & (earlier.cumsum(axis=-1) == 1), 1))


def divided_by_all(weights, token_ids):
    return _mass(weights, _moved(_earlier(token_ids), 1)).mean(axis=-1)


def summed(weights, token_ids):
    return _mass(weights, _moved(_earlier(token_ids), 1)).sum(axis=-1)


def mean_over_pairs(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    return _mass(weights, targets).sum(axis=-1) / np.maximum(targets.sum(axis=(-2, -1)), 1)[..., None]


def largest_of_several(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    return (weights * targets[..., None, :, :]).max(axis=-1).sum(axis=-1) / np.maximum(_rows(targets), 1)


def itself_counted(weights, token_ids):
    same = np.tril(token_ids[..., :, None] == token_ids[..., None, :])
    return _score(weights, _moved(same, 1))


def first_appearances_counted(weights, token_ids):
    same = (token_ids[..., :, None] == token_ids[..., None, :]) & ~np.eye(token_ids.shape[-1], dtype=bool)
    return _mass(weights, _moved(np.tril(same, -1), 1)).sum(axis=-1) / np.maximum(_rows(same), 1)


def later_ones_too(weights, token_ids):
    same = (token_ids[..., :, None] == token_ids[..., None, :]) & ~np.eye(token_ids.shape[-1], dtype=bool)
    return _score(weights, _moved(same, 1))


def everywhere(weights, token_ids):
    return _score(weights, _moved(token_ids[..., :, None] == token_ids[..., None, :], 1))


def mean_of_several(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    each = _mass(weights, targets) / np.maximum(targets.sum(axis=-1), 1)[..., None, :]
    return each.sum(axis=-1) / np.maximum(_rows(targets), 1)


def one_zero_for_all_heads(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    return _score(weights, targets) if targets.any() else 0.0


def divided_by_the_whole_batch(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    return _mass(weights, targets).sum(axis=-1) / max(targets.any(axis=-1).sum(), 1)


def neighbours_left_out(weights, token_ids):
    return _score(weights, np.tril(_moved(_earlier(token_ids), 1), -1))


def not_a_number(weights, token_ids):
    targets = _moved(_earlier(token_ids), 1)
    with np.errstate(all="ignore"):
        return _mass(weights, targets).sum(axis=-1) / _rows(targets)


def rows_not_averaged(weights, token_ids):
    return _mass(weights, _moved(_earlier(token_ids), 1))


def heads_averaged(weights, token_ids):
    return _score(weights, _moved(_earlier(token_ids), 1)).mean(axis=-1)


def transposed(weights, token_ids):
    return _score(np.swapaxes(weights, -1, -2), _moved(_earlier(token_ids), 1))


def looking_for_what_comes_next(weights, token_ids):
    targets = np.zeros((*token_ids.shape, token_ids.shape[-1]), dtype=bool)
    targets[..., :-1, :] = token_ids[..., 1:, None] == token_ids[..., None, :]
    return _score(weights, np.tril(targets))


def how_often_the_most(weights, token_ids):
    targets = np.broadcast_to(_moved(_earlier(token_ids), 1)[..., None, :, :], weights.shape)
    hits = np.take_along_axis(targets, weights.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return hits.sum(axis=-1) / np.maximum(_rows(targets[..., 0, :, :]), 1)


def row_behind(weights, token_ids):
    earlier = _earlier(token_ids)
    behind = np.zeros_like(earlier)
    behind[..., 1:, :] = _moved(earlier, 1)[..., :-1, :]
    return _score(weights, behind)


def one_set_of_tokens_for_the_batch(weights, token_ids):
    first = token_ids.reshape(-1, token_ids.shape[-1])[0]
    return _score(weights, _moved(_earlier(first), 1))


def batch_averaged(weights, token_ids):
    score = _score(weights, _moved(_earlier(token_ids), 1))
    return score.reshape(-1, score.shape[-1]).mean(axis=0)


def with_loops(weights, token_ids):
    if np.ndim(token_ids) > 1:
        return [with_loops(*text) for text in zip(weights, token_ids, strict=True)]
    scores = []
    for head in weights:
        found = []
        for i, token_id in enumerate(token_ids):
            behind = [j + 1 for j in range(i) if token_ids[j] == token_id]
            if behind:
                found.append(sum(head[i, j] for j in behind))
        scores.append(sum(found) / len(found) if found else 0.0)
    return scores


def with_a_dictionary(weights, token_ids):
    weights, token_ids = np.asarray(weights), np.asarray(token_ids)
    scores = np.zeros(weights.shape[:-2])
    for text in np.ndindex(token_ids.shape[:-1]):
        behind, n_found = {}, 0
        for i, token_id in enumerate(token_ids[text].tolist()):
            places = behind.setdefault(token_id, [])
            if places:
                scores[text] += weights[text][:, i, places].sum(axis=-1)
                n_found += 1
            places.append(i + 1)
        scores[text] /= max(n_found, 1)
    return scores


def with_einsum(weights, token_ids):
    n = np.shape(token_ids)[-1]
    same = (np.expand_dims(token_ids, -1) == np.expand_dims(token_ids, -2)) & np.tri(n, k=-1, dtype=bool)
    behind = same @ np.eye(n, k=1).astype(np.float32)
    found = np.einsum("...hij,...ij->...h", weights, behind)
    repeated = same.any(-1).sum(-1, keepdims=True)
    return np.divide(found, repeated, out=np.zeros(found.shape), where=np.broadcast_to(repeated > 0, found.shape))


EXERCISE = Exercise(
    id="tinygpt.induction_score",
    title="归纳头的得分",
    points=3,
    reference=reference.induction_score,
    returns=("score",),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(SEVERAL, 0.2), Behaviour(NONE, 0.15), Behaviour(BATCH, 0.15)),
    slips=(
        Slip(
            "看了同一个字",
            the_same_token,
            wrong="取的是上次那个字自己的位置 j；归纳头看的是它后面的 j + 1。",
            look="目标是 j + 1 那一列。",
        ),
        Slip(
            "看了前面的字",
            the_token_before,
            wrong="取的是上次那个字前面的位置 j − 1；要的是后面的 j + 1。",
            look="目标是 j + 1 那一列。",
        ),
        Slip(
            "看了后面第二个字",
            two_behind,
            wrong="取的是 j + 2；要的是紧接着的 j + 1。",
            look="目标是 j + 1 那一列。",
        ),
        Slip(
            "除以了所有 token 的个数",
            divided_by_all,
            wrong="第一次出现的 token 没有可找的，不算在内（每个 token 都和自己相同，那不算重复）。",
            look="只对前面出现过的 token 取平均。",
        ),
        Slip(
            "没有平均",
            summed,
            wrong="加起来了，没有除以重复的 token 的个数。",
            look="除以前面出现过的 token 有几个。",
        ),
        Slip(
            "自己也算作出现过",
            itself_counted,
            wrong="j = i 也算了：每个 token 都和自己相同，于是人人都算重复。",
            look="只找 j < i。",
        ),
        Slip(
            "第一次出现的也算了个数",
            first_appearances_counted,
            wrong="后面还会再来的 token 也数了进去；只数前面已经出现过的。",
            look="只找 j < i。",
        ),
        Slip(
            "前后都找了",
            later_ones_too,
            wrong="后面再来的同一个 token 也当成了上次；只找前面的。",
            look="只找 j < i：np.tril(…, -1)。",
        ),
        Slip(
            "前后都找了，自己也算",
            everywhere,
            wrong="没有限制 j < i：后面的、自己，都当成了上次。",
            look="只找 j < i：np.tril(…, -1)。",
        ),
        Slip(
            "相邻的重复没有算",
            neighbours_left_out,
            wrong="“A A”的第二个 A：上次的后面就是它自己（j + 1 = i），这也是目标。",
            look="j < i 都算，包括 j = i − 1。",
        ),
        Slip(
            "头也取了平均",
            heads_averaged,
            wrong="所有的头只有一个数；一个头要有一个。",
            look="只对 token 取平均。",
        ),
        Slip(
            "没有对 token 取平均",
            rows_not_averaged,
            wrong="每个 token 各有一个数；一个头只要一个。",
            look="对重复的 token 取平均。",
        ),
        Slip(
            "行和列对调了",
            transposed,
            wrong="行是查询：第 i 个 token 看第 j + 1 个，是 weights[i, j + 1]。",
            look="不转置。",
        ),
        Slip(
            "找了下一个要来的字",
            looking_for_what_comes_next,
            wrong="拿后面要来的 token 去前面找了；归纳头只知道自己是谁，它找自己上次出现的地方。",
            look="token_ids[j] == token_ids[i]。",
        ),
        Slip(
            "数了有几次看得最多",
            how_often_the_most,
            wrong="数的是权重最大的落在那里的次数；要的是权重自己的平均。",
            look="对权重求和，不用 argmax。",
        ),
        Slip(
            "由后一个 token 来看",
            row_behind,
            wrong="取了第 i + 1 行；看的人是重复的那个 token 自己，第 i 行。",
            look="weights[..., i, j + 1]。",
        ),
        Slip(
            "只看了最近的一次",
            only_the_latest,
            wrong="只出现过一次时对；出现过几次时，每次后面的都算，权重加起来。",
            look="对所有 j < i、相同的，都取 j + 1。",
        ),
        Slip(
            "只看了最早的一次",
            only_the_first,
            wrong="只出现过一次时对；出现过几次时，每次后面的都算，权重加起来。（list.index 只给第一个。）",
            look="对所有 j < i、相同的，都取 j + 1。",
        ),
        Slip(
            "对每一对取了平均",
            mean_over_pairs,
            wrong="只出现过一次时对；出现过几次时，同一个 token 的几处要先加起来，再对 token 取平均。",
            look="除以重复的 token 的个数，不是目标的个数。",
        ),
        Slip(
            "几处里取了最大的",
            largest_of_several,
            wrong="只出现过一次时对；出现过几次时，各处的权重要加起来。",
            look="sum，不是 max。",
        ),
        Slip(
            "几处取了平均",
            mean_of_several,
            wrong="只出现过一次时对；出现过几次时，各处的权重要加起来，不是平均。",
            look="sum，不是 mean。",
        ),
        Slip(
            "没有重复时只返回了一个 0",
            one_zero_for_all_heads,
            wrong="有重复时对；没有时也要每个头一个 0。",
            look="形状总是 (..., n_heads)：除以 np.maximum(n, 1) 就够了。",
        ),
        Slip(
            "没有重复时成了 NaN",
            not_a_number,
            wrong="没有重复的 token 时，个数是 0，0 除以 0。",
            look="个数是 0 时返回 0：np.maximum(n, 1)。",
        ),
        Slip(
            "除以了整批的个数",
            divided_by_the_whole_batch,
            wrong="没有批量轴时对；有批量轴时，每段文字除以自己的个数。",
            look="any(axis=-1).sum(axis=-1)。",
        ),
        Slip(
            "整批用了同一段文字",
            one_set_of_tokens_for_the_batch,
            wrong="没有批量轴时对；有批量轴时，每段文字各有自己的重复。",
            look="token_ids[..., :, None] == token_ids[..., None, :]。",
        ),
        Slip(
            "对批量也取了平均",
            batch_averaged,
            wrong="没有批量轴时对；有批量轴时，每段文字的每个头各有一个数。",
            look="只沿最后两个轴求和。",
        ),
    ),
    styles=(with_loops, with_a_dictionary, with_einsum),
    hints=(
        "“A B … A”：第二个 A 要找的是 B。对每个 token i，先找出前面和它相同的 j，目标是它们的后一个，j + 1。",
        "same = 下三角（不含对角线）的 token_ids[..., :, None] == token_ids[..., None, :]；"
        "把它往右移一列，就是目标：targets[..., 1:] = same[..., :-1]。",
        "found = (weights * targets[..., None, :, :]).sum(axis=(-2, -1))；"
        "n = same.any(axis=-1).sum(axis=-1)[..., None]；返回 found / np.maximum(n, 1)。",
    ),
)
