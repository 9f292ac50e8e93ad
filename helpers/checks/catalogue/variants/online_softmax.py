"""Exercise `variants.online_softmax`: softmax whose scores arrive block by block."""

import numpy as np

from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import tiled as reference

CORE, RAGGED, BATCH, LARGE = "一块一块地读", "最后一块不满，只有一块，一块一个", "前面可以有批量轴", "很大和很小的分数"


def cases(rng):
    scores = np.round(rng.normal(scale=2.0, size=9), 2)
    rising = np.sort(rng.normal(size=8)) - 2.0
    return [
        Case(CORE, (np.array([-1.0, -2.0, 1.0, 0.0]), 2)),
        Case(CORE, (scores[:6], 3)),
        Case(CORE, (np.sort(scores[:8]), 2)),
        Case(CORE, (-np.sort(-scores[:8]), 4)),
        Case(CORE, (rising.astype(np.float32), 2)),
        Case(CORE, (-3.0 - np.abs(scores[:6]), 2)),
        Case(RAGGED, (scores[:7], 3)),
        Case(RAGGED, (np.append(scores[:4], 6.0), 2)),
        Case(RAGGED, (scores[:5], 8)),
        Case(RAGGED, (scores[:5], 1)),
        Case(BATCH, (rng.normal(size=(2, 7)), 3)),
        Case(BATCH, (rng.normal(size=(2, 3, 5)), 2)),
        Case(BATCH, (rng.normal(size=(4, 4)), 2)),
        Case(LARGE, (np.array([1000.0, 990.0, 1002.0, 1001.0, 999.5]), 2)),
        Case(LARGE, (np.array([-3000.0, -2990.0, -2991.0, -2989.5]), 2)),
        Case(LARGE, (np.array([5.0, 4.0, 900.0, 901.0]), 2)),
    ]


def _blocks(scores, block_size):
    return [scores[..., start : start + block_size] for start in range(0, scores.shape[-1], block_size)]


def _run(scores, block_size, start=-np.inf, total=0.0, rescale=None, carried=True, blocks=None):
    """Return final weights, running maxima and running sums, with one thing done another way."""
    rescale = rescale or (lambda old, new: np.exp(old - new))
    largest, total = np.full(scores.shape[:-1], start), np.full(scores.shape[:-1], total)
    all_largest, all_totals = [], []
    for block in _blocks(scores, block_size) if blocks is None else blocks:
        new = np.maximum(largest, block.max(axis=-1)) if carried else block.max(axis=-1)
        total = rescale(largest, new) * total + np.exp(block - new[..., None]).sum(axis=-1)
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
    weights = np.exp(scores - largest[..., None]) / total[..., None]
    return weights, np.stack(all_largest, axis=-1), np.stack(all_totals, axis=-1)


def sum_not_rescaled(scores, block_size):
    return _run(scores, block_size, rescale=lambda old, new: 1.0)


def rescaled_the_other_way(scores, block_size):
    return _run(scores, block_size, rescale=lambda old, new: np.where(np.isfinite(old), np.exp(new - old), 0.0))


def rescaled_without_exponential(scores, block_size):
    return _run(scores, block_size, rescale=lambda old, new: np.where(np.isfinite(old), old - new, 0.0))


def max_not_carried(scores, block_size):
    return _run(scores, block_size, carried=False)


def max_not_carried_nor_rescaled(scores, block_size):
    return _run(scores, block_size, carried=False, rescale=lambda old, new: 1.0)


def sum_not_carried(scores, block_size):
    return _run(scores, block_size, rescale=lambda old, new: 0.0)


def nothing_carried(scores, block_size):
    return _run(scores, block_size, carried=False, rescale=lambda old, new: 0.0)


def starting_at_zero(scores, block_size):
    return _run(scores, block_size, start=0.0)


def sum_starting_at_one(scores, block_size):
    return _run(scores, block_size, start=0.0, total=1.0)


def ragged_block_dropped(scores, block_size):
    whole = scores[..., : scores.shape[-1] // block_size * block_size]
    return _run(whole, block_size)


def ragged_block_not_counted(scores, block_size):
    blocks = [block for block in _blocks(scores, block_size) if block.shape[-1] == block_size]
    return _run(scores, block_size, blocks=blocks)


def ragged_block_filled_with_zeros(scores, block_size):
    missing = -scores.shape[-1] % block_size
    padded = np.concatenate([scores, np.zeros((*scores.shape[:-1], missing))], axis=-1)
    weights, largest, totals = _run(padded, block_size)
    return weights[..., : scores.shape[-1]], largest, totals


def each_block_for_itself(scores, block_size):
    _, largest, totals = _run(scores, block_size)
    weights = [
        np.exp(block - block.max(axis=-1, keepdims=True))
        / np.exp(block - block.max(axis=-1, keepdims=True)).sum(-1)[..., None]
        for block in _blocks(scores, block_size)
    ]
    return np.concatenate(weights, axis=-1), largest, totals


def weights_frozen_too_early(scores, block_size):
    _, largest, totals = _run(scores, block_size)
    weights = [
        np.exp(block - largest[..., [t]]) / totals[..., [t]] for t, block in enumerate(_blocks(scores, block_size))
    ]
    return np.concatenate(weights, axis=-1), largest, totals


def each_block_below_its_own_largest(scores, block_size):
    _, largest, totals = _run(scores, block_size)
    exps = [np.exp(block - largest[..., [t]]) for t, block in enumerate(_blocks(scores, block_size))]
    return np.concatenate(exps, axis=-1) / totals[..., -1:], largest, totals


def the_largest_known_beforehand(scores, block_size):
    weights, largest, totals = _run(scores, block_size, start=scores.max(axis=-1)[..., None].max())
    largest = np.broadcast_to(scores.max(axis=-1)[..., None], largest.shape)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    totals = np.stack([b.sum(axis=-1) for b in _blocks(exps, block_size)], axis=-1).cumsum(axis=-1)
    return exps / exps.sum(axis=-1, keepdims=True), largest, totals


def sum_of_plain_exponentials(scores, block_size):
    _, largest, _ = _run(scores, block_size)
    exps = np.exp(scores)
    totals = np.stack([b.sum(axis=-1) for b in _blocks(exps, block_size)], axis=-1).cumsum(axis=-1)
    return exps / totals[..., -1:], largest, totals


def not_divided(scores, block_size):
    weights, largest, totals = _run(scores, block_size)
    return weights * totals[..., -1:], largest, totals


def largest_of_the_block_alone(scores, block_size):
    weights, _, totals = _run(scores, block_size)
    return weights, np.stack([block.max(axis=-1) for block in _blocks(scores, block_size)], axis=-1), totals


def only_the_last_values(scores, block_size):
    weights, largest, totals = _run(scores, block_size)
    return weights, largest[..., -1], totals[..., -1]


def after_every_score(scores, block_size):
    return _run(scores, 1)


def blocks_first(scores, block_size):
    weights, largest, totals = _run(scores, block_size)
    return weights, np.moveaxis(largest, -1, 0), np.moveaxis(totals, -1, 0)


def largest_of_the_whole_batch(scores, block_size):
    largest, total = np.full(scores.shape[:-1], -np.inf), np.zeros(scores.shape[:-1])
    all_largest, all_totals = [], []
    for block in _blocks(scores, block_size):
        new = np.maximum(largest, block.max())
        total = np.exp(largest - new) * total + np.exp(block - new[..., None]).sum(axis=-1)
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
    weights = np.exp(scores - largest[..., None]) / total[..., None]
    return weights, np.stack(all_largest, axis=-1), np.stack(all_totals, axis=-1)


def max_and_sum_exchanged(scores, block_size):
    weights, largest, totals = _run(scores, block_size)
    return weights, totals, largest


def batch_axis_forgotten(scores, block_size):
    largest, total, all_largest, all_totals = -np.inf, 0.0, [], []
    for start in range(0, len(scores), block_size):
        block = scores[start : start + block_size]
        new = max(largest, np.max(block))
        total = np.exp(largest - new) * total + np.sum(np.exp(block - new))
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
    return np.exp(scores - largest) / total, np.array(all_largest), np.array(all_totals)


def new_block_rescaled_too(scores, block_size):
    largest, total, all_largest, all_totals = np.full(scores.shape[:-1], -np.inf), 0.0, [], []
    for block in _blocks(scores, block_size):
        new = np.maximum(largest, block.max(axis=-1))
        kept = np.where(np.isfinite(largest), np.exp(largest - new), 1.0)
        total = kept * (total + np.exp(block - new[..., None]).sum(axis=-1))
        largest = new
        all_largest.append(largest)
        all_totals.append(total)
    weights = np.exp(scores - largest[..., None]) / total[..., None]
    return weights, np.stack(all_largest, axis=-1), np.stack(all_totals, axis=-1)


def weights_without_the_largest(scores, block_size):
    _, largest, totals = _run(scores, block_size)
    return np.exp(scores) / totals[..., -1:], largest, totals


def one_by_one(scores, block_size):
    if np.ndim(scores) > 1:
        rows = [one_by_one(row, block_size) for row in scores]
        return tuple(np.array([row[part] for row in rows]) for part in range(3))
    largest, total, maxima, totals = float("-inf"), 0.0, [], []
    for i, score in enumerate(scores):
        if score > largest:
            total, largest = total * np.exp(largest - score), score
        total += np.exp(score - largest)
        if i % block_size == block_size - 1 or i == len(scores) - 1:
            maxima.append(largest)
            totals.append(total)
    return [np.exp(score - largest) / total for score in scores], maxima, totals


def with_prefixes(scores, block_size):
    n = scores.shape[-1]
    stops = [min(stop, n) for stop in range(block_size, n + block_size, block_size)]
    maxima = np.maximum.accumulate(scores, axis=-1)[..., [stop - 1 for stop in stops]]
    sums = [np.exp(scores[..., :stop] - maxima[..., t : t + 1]).sum(-1) for t, stop in enumerate(stops)]
    totals = np.moveaxis(np.array(sums), 0, -1)
    return np.exp(scores - maxima[..., -1:]) / totals[..., -1:], maxima, totals


def in_float32(scores, block_size):
    scores = np.asarray(scores, dtype=np.float32)
    largest, total = scores[..., :1] * 0 - np.float32(1e30), scores[..., :1] * 0
    maxima, totals = [], []
    for block in np.split(scores, range(block_size, scores.shape[-1], block_size), axis=-1):
        new = np.maximum(largest, block.max(-1, keepdims=True))
        total = total * np.exp(largest - new) + np.exp(block - new).sum(-1, keepdims=True)
        largest = new
        maxima.append(largest)
        totals.append(total)
    return np.exp(scores - largest) / total, np.concatenate(maxima, -1), np.concatenate(totals, -1)


EXERCISE = Exercise(
    id="variants.online_softmax",
    title="在线 softmax",
    points=3,
    reference=reference.online_softmax,
    returns=("weights", "largest", "total"),
    cases=cases,
    behaviours=(Behaviour(CORE, 0.5), Behaviour(RAGGED, 0.2), Behaviour(BATCH, 0.15), Behaviour(LARGE, 0.15)),
    properties=(
        Property(
            "权重的和是 1",
            lambda weights, largest, total: bool(np.isclose(weights.sum(-1), 1, atol=1e-4).all()),
        ),
        Property(
            "最大值只增不减",
            lambda weights, largest, total: bool((np.diff(largest, axis=-1) >= 0).all()),
        ),
    ),
    slips=(
        Slip(
            "旧的和没有重新缩放",
            sum_not_rescaled,
            wrong="来了更大的最大值，旧的和还是按旧的最大值算的，两部分不能直接相加。",
            look="total = np.exp(旧的最大值 − 新的最大值) * total + …；先算这个因子，再更新最大值。",
        ),
        Slip(
            "重新缩放的方向反了",
            rescaled_the_other_way,
            wrong="最大值变大，旧的和应变小：因子不大于 1。",
            look="np.exp(旧的最大值 − 新的最大值)。",
        ),
        Slip(
            "重新缩放时忘了取指数",
            rescaled_without_exponential,
            wrong="每一项都是指数，所以换一个最大值是乘上指数，不是乘上差。",
            look="np.exp(旧的最大值 − 新的最大值)。",
        ),
        Slip(
            "最大值没有带下去",
            max_not_carried,
            wrong="每一块只看了自己的最大值；更大的可能在前面的块里。",
            look="np.maximum(旧的最大值, block.max(axis=-1))。",
        ),
        Slip(
            "最大值没有带下去，旧的和也没有缩放",
            max_not_carried_nor_rescaled,
            wrong="每一块按自己的最大值算指数，再直接相加：各块用的尺子不一样长。",
            look="带着最大值和总和两个往下走；最大值变了，旧的和要乘 np.exp(旧 − 新)。",
        ),
        Slip(
            "总和没有带下去",
            sum_not_carried,
            wrong="最大值带下去了，总和却只有这一块的。",
            look="total = np.exp(旧 − 新) * total + 这一块的和。",
        ),
        Slip(
            "每一块从头算起",
            nothing_carried,
            wrong="最大值和总和都只是这一块的，前面的块都忘了。",
            look="两个都带下去。",
        ),
        Slip(
            "最大值从 0 开始",
            starting_at_zero,
            wrong="分数全是负数时，最大值停在 0；分数很小时，所有的指数都下溢成 0。",
            look="从 -np.inf 开始。",
        ),
        Slip(
            "总和从 1 开始",
            sum_starting_at_one,
            wrong="还没有读任何分数时，总和是 0；现在多出来一个分数 0。",
            look="最大值从 -np.inf 开始，总和从 0 开始。",
        ),
        Slip(
            "不满的一块丢掉了",
            ragged_block_dropped,
            wrong="块的大小除不尽时，末尾的分数没有读。",
            look="range(0, n, block_size)；最后一块的切片会自己变短。",
        ),
        Slip(
            "不满的一块没有算进去",
            ragged_block_not_counted,
            wrong="权重的个数是对的，但末尾的分数没有进最大值和总和。",
            look="最后一块不满也要读。",
        ),
        Slip(
            "不满的一块用 0 补齐了",
            ragged_block_filled_with_zeros,
            wrong="分数 0 的指数不是 0：补上的也进了总和。",
            look="不用补；要补就补 -np.inf。",
        ),
        Slip(
            "每一块自己归一化",
            each_block_for_itself,
            wrong="每一块的权重加起来都是 1，合起来就不止 1 了。",
            look="读完所有的块，再用最后的最大值和总和算权重。",
        ),
        Slip(
            "权重算得太早",
            weights_frozen_too_early,
            wrong="前面各块的权重用了当时的最大值和总和，后来没有改。",
            look="读完所有的块，再用最后的最大值和总和算权重。",
        ),
        Slip(
            "权重减的是当时的最大值",
            each_block_below_its_own_largest,
            wrong="总和用了最后的，最大值却用了各块当时的：前面几块的权重太大。",
            look="np.exp(scores − 最后的最大值) / 最后的总和。",
        ),
        Slip(
            "先看了全部的分数",
            the_largest_known_beforehand,
            wrong="权重是对的；但读第一块时，后面的最大值还不知道。",
            look="最大值要一块一块地更新。",
        ),
        Slip(
            "总和没有减最大值",
            sum_of_plain_exponentials,
            wrong="指数直接相加，分数很大时会溢出。",
            look="这一块的和是 np.exp(block − 新的最大值).sum(axis=-1)。",
        ),
        Slip(
            "新来的一块也缩放了",
            new_block_rescaled_too,
            wrong="新来的一块已经按新的最大值算，只有旧的和要换算。",
            look="np.exp(旧 − 新) * total + 这一块的和：乘在括号外面。",
        ),
        Slip(
            "算权重时没有减最大值",
            weights_without_the_largest,
            wrong="总和是按减去最大值算的，权重的分子也要减。",
            look="np.exp(scores − largest) / total，用最后的两个。",
        ),
        Slip(
            "最后没有除以总和",
            not_divided,
            wrong="最大值和总和都对；权重还没有除以总和。",
            look="np.exp(scores − largest) / total，用最后的两个。",
        ),
        Slip(
            "最大值只记了这一块的",
            largest_of_the_block_alone,
            wrong="总和以到此为止的最大值为准，返回的最大值却是这一块自己的。",
            look="返回带下去的那个最大值。",
        ),
        Slip(
            "只返回了最后的最大值与总和",
            only_the_last_values,
            wrong="值是对的；要的是每一块之后的，形状 (..., n_blocks)。",
            look="每一块之后记下来，最后 np.stack(…, axis=-1)。",
        ),
        Slip(
            "每读一个就记了一次",
            after_every_score,
            wrong="记下的个数应是块数，不是分数的个数。",
            look="一次读 block_size 个，读完再记。",
        ),
        Slip(
            "块的轴在最前面",
            blocks_first,
            wrong="没有批量轴时对；有批量轴时，块的轴应在最后：(..., n_blocks)。",
            look="np.stack(…, axis=-1)。",
        ),
        Slip(
            "取了整批的最大值",
            largest_of_the_whole_batch,
            wrong="权重是对的；但每一行应有自己的最大值，不是整批的。",
            look="block.max(axis=-1)。",
        ),
        Slip(
            "最大值和总和对调了",
            max_and_sum_exchanged,
            wrong="值都对，顺序反了。",
            look="返回 weights, largest, total。",
        ),
        Slip(
            "没有照顾批量轴",
            batch_axis_forgotten,
            wrong="一行分数时正确；有批量轴时，len 和切片都取了轴 0。",
            look="从后面数：scores.shape[-1]，scores[..., start:start + block_size]，axis=-1。",
        ),
    ),
    styles=(one_by_one, with_prefixes, in_float32),
    hints=(
        "带着两个数往下读：到此为止的最大值（从 −∞ 开始），和按它算的指数之和（从 0 开始）。"
        "最大值变大时，旧的和要换算。",
        "换算：Σexp(s − 新) = exp(旧 − 新) × Σexp(s − 旧)。"
        "每一块：先算新的最大值，再换算旧的和，加上这一块的，最后才更新最大值。",
        "循环 for start in range(0, n, block_size)：block = scores[..., start:start + block_size]；"
        "new = np.maximum(largest, block.max(axis=-1))；"
        "total = np.exp(largest - new) * total + np.exp(block - new[..., None]).sum(axis=-1)；"
        "largest = new；记下两个。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "scores = np.asarray(scores, dtype=float) -> (dropped)",
            "np.asarray(scores, dtype=float) -> scores",
            "np.asarray(scores, dtype=float) -> np.asarray(scores)",
        ),
        "the larger of two does not depend on their order": (
            "np.maximum(largest, block.max(axis=-1)) -> np.maximum(block.max(axis=-1), largest)",
        ),
        "whatever the first sum is, it is multiplied by exp(−∞) = 0": ("0.0 -> 1.0",),
        "only a row of −∞ has the sum 0, any other at least 1": (
            "1.0 -> 2.0",
            "total > 0 -> total >= 0",
            "0 -> 1 #2",
            "0 -> -1 #2",
        ),
    },
)
