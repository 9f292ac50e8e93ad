"""Exercise `variants.tiled_attention`: attention that reads the keys tile by tile and is exact after each."""

import math

import numpy as np

from helpers.checks.catalogue.attention import finite_mask
from helpers.checks.exercise import CONVERTS_INPUT, Behaviour, Case, Exercise, Property, Slip
from helpers.reference import tiled as reference

CORE, RAGGED, MASK, BLIND, BATCH, LARGE = (
    "一块一块地读键和值",
    "最后一块不满，只有一块，一块一个",
    "掩码也分块",
    "还没有可看的键时，输出为 0",
    "前面可以有批量轴",
    "很大的分数不溢出",
)


def _arguments(rng, batch, n_queries, n_keys, d_k, d_v):
    shapes = ((*batch, n_queries, d_k), (*batch, n_keys, d_k), (*batch, n_keys, d_v))
    return tuple(rng.normal(size=shape) for shape in shapes)


def _mask(rng, n_queries, n_keys, block_size):
    """Return a random mask that allows every query a key of every tile, and is never the same in two tiles."""
    mask = rng.random((n_queries, n_keys)) < 0.5
    for start in range(0, n_keys, block_size):
        mask[:, start + rng.integers(min(block_size, n_keys - start))] = True
    mask[:, :2], mask[:, 2:4] = [True, False], [False, True]
    return mask


def _late(rng, n_queries, n_keys):
    """Return a mask whose first query may look at nothing, whose second at the last key, whose third at the first."""
    mask = rng.random((n_queries, n_keys)) < 0.5
    mask[:3] = False
    mask[1, -1] = mask[2, 0] = True
    return mask


def _far_below():
    """Return q and k whose first query scores the first key far below −1e4, and what follows it far above 1e4."""
    x = np.array([[1.0, 1.0], [-3.0, -3.0], [1.0, 2.0]])
    return 100 * x, -100 * x


def cases(rng):
    q, k, v = _arguments(rng, (), 3, 6, 4, 2)
    large_q, large_k, large_v = _arguments(rng, (), 3, 4, 2, 5)
    return [
        Case(CORE, (*_arguments(rng, (), 2, 4, 2, 3), 2, None)),
        Case(CORE, (2 * q, 2 * k, v, 3, None)),
        Case(CORE, (2 * q, 2 * k, v, 2)),
        Case(CORE, (*(a.astype(np.float32) for a in _arguments(rng, (), 2, 8, 5, 3)), 4, None)),
        Case(RAGGED, (*_arguments(rng, (), 2, 5, 3, 4), 2, None)),
        Case(RAGGED, (*_arguments(rng, (), 3, 7, 2, 5), 3, None)),
        Case(RAGGED, (*_arguments(rng, (), 2, 3, 4, 5), 7, None)),
        Case(RAGGED, (*_arguments(rng, (), 3, 4, 5, 2), 1, None)),
        Case(MASK, (*_arguments(rng, (), 3, 4, 2, 5), 2, _mask(rng, 3, 4, 2))),
        Case(MASK, (*_arguments(rng, (), 5, 9, 3, 2), 3, _mask(rng, 5, 9, 3))),
        Case(MASK, (*_arguments(rng, (), 2, 7, 3, 4), 3, _mask(rng, 2, 7, 3))),
        Case(BLIND, (*_arguments(rng, (), 5, 5, 3, 2), 2, np.tri(5, dtype=bool)[::-1])),
        Case(BLIND, (*_arguments(rng, (), 4, 7, 5, 3), 3, _late(rng, 4, 7))),
        Case(BATCH, (*_arguments(rng, (2,), 3, 5, 7, 4), 2, None)),
        Case(BATCH, (*_arguments(rng, (2, 3), 5, 4, 2, 7), 3, _mask(rng, 5, 4, 3))),
        Case(LARGE, (1e3 * np.round(large_q, 1), 10 * np.round(large_k, 1), large_v, 2, None)),
        Case(LARGE, (*_far_below(), rng.normal(size=(3, 4)), 2, np.tri(3, dtype=bool))),
    ]


def _tiles(k, block_size):
    return [slice(start, start + block_size) for start in range(0, k.shape[-2], block_size)]


def _scores(q, k, mask, tile, fill=-np.inf):
    scores = q @ np.swapaxes(k[..., tile, :], -1, -2) / np.sqrt(q.shape[-1])
    return scores if mask is None else np.where(mask[..., tile], scores, fill)


def _exp(scores, largest):
    return np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))


def _divided(collected, total):
    return collected / np.where(total > 0, total, 1.0)


def _run(
    q,
    k,
    v,
    block_size,
    mask=None,
    tiles=None,
    scores_of=_scores,
    carried=True,
    keep_sum=_exp,
    keep_output=_exp,
    exp=_exp,
    divide=_divided,
):
    """Return the outputs after each tile, with one thing done another way."""
    largest, total, collected, outputs = -np.inf, 0.0, 0.0, []
    for tile in _tiles(k, block_size) if tiles is None else tiles:
        scores = scores_of(q, k, mask, tile)
        own = scores.max(axis=-1, keepdims=True)
        new = np.maximum(largest, own) if carried else own
        exps = exp(scores, new)
        total = keep_sum(largest, new) * total + exps.sum(axis=-1, keepdims=True)
        collected = keep_output(largest, new) * collected + exps @ v[..., tile, :]
        largest = new
        outputs.append(divide(collected, total))
    return np.stack(outputs)


def _one(old, new):
    return 1.0


def _none(old, new):
    return 0.0


def nothing_rescaled(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_sum=_one, keep_output=_one)


def sum_not_rescaled(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_sum=_one)


def output_not_rescaled(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_output=_one)


def rescaled_the_other_way(q, k, v, block_size, mask=None):
    def keep(old, new):
        return np.where(np.isfinite(old), np.exp(np.where(np.isfinite(old), new - old, 0.0)), 0.0)

    return _run(q, k, v, block_size, mask, keep_sum=keep, keep_output=keep)


def max_not_carried(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, carried=False)


def max_not_carried_nor_rescaled(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, carried=False, keep_sum=_one, keep_output=_one)


def output_not_carried(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_output=_none)


def sum_not_carried(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_sum=_none)


def each_tile_for_itself(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_sum=_none, keep_output=_none)


def tiles_averaged(q, k, v, block_size, mask=None):
    alone = each_tile_for_itself(q, k, v, block_size, mask)
    count = np.arange(1, len(alone) + 1).reshape(-1, *[1] * (alone.ndim - 1))
    return alone.cumsum(axis=0) / count


def tiles_added(q, k, v, block_size, mask=None):
    return each_tile_for_itself(q, k, v, block_size, mask).cumsum(axis=0)


def not_divided(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, divide=lambda collected, total: collected)


def divided_output_carried(q, k, v, block_size, mask=None):
    largest, total, output, outputs = -np.inf, 0.0, 0.0, []
    for tile in _tiles(k, block_size):
        scores = _scores(q, k, mask, tile)
        new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        exps, kept = _exp(scores, new), _exp(largest, new)
        total = kept * total + exps.sum(axis=-1, keepdims=True)
        output = _divided(kept * output + exps @ v[..., tile, :], total)
        largest = new
        outputs.append(output)
    return np.stack(outputs)


def ragged_tile_dropped(q, k, v, block_size, mask=None):
    whole = [tile for tile in _tiles(k, block_size) if tile.stop <= k.shape[-2]]
    if not whole:
        return np.zeros((0, *q.shape[:-1], v.shape[-1]))
    return _run(q, k, v, block_size, mask, tiles=whole)


def ragged_tile_moved_back(q, k, v, block_size, mask=None):
    n_keys = k.shape[-2]
    tiles = [
        slice(max(0, min(tile.start, n_keys - block_size)), min(tile.stop, n_keys)) for tile in _tiles(k, block_size)
    ]
    return _run(q, k, v, block_size, mask, tiles=tiles)


def ragged_tile_filled_with_zeros(q, k, v, block_size, mask=None):
    missing = -k.shape[-2] % block_size
    k, v = (np.concatenate([a, np.zeros((*a.shape[:-2], missing, a.shape[-1]))], axis=-2) for a in (k, v))
    if mask is not None:
        mask = np.concatenate([mask, np.ones((*mask.shape[:-1], missing), dtype=bool)], axis=-1)
    return _run(q, k, v, block_size, mask)


def only_the_last_output(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask)[-1]


def tile_by_tile_without_the_running_outputs(q, k, v, block_size, mask=None):
    outputs = _run(q, k, v, block_size, mask)
    return np.repeat(outputs[-1:], len(outputs), axis=0)


def tiles_after_the_batch(q, k, v, block_size, mask=None):
    return np.moveaxis(_run(q, k, v, block_size, mask), 0, -3)


def block_size_as_number_of_tiles(q, k, v, block_size, mask=None):
    n_keys = k.shape[-2]
    size = -(-n_keys // min(block_size, n_keys))
    return _run(q, k, v, size, mask)


def mask_ignored(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size)


def mask_inverted(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, None if mask is None else ~mask)


def mask_of_the_first_tile(q, k, v, block_size, mask=None):
    def scores_of(q, k, mask, tile):
        scores = _scores(q, k, None, tile)
        return scores if mask is None else np.where(mask[..., : scores.shape[-1]], scores, -np.inf)

    return _run(q, k, v, block_size, mask, scores_of=scores_of)


def mask_not_cut(q, k, v, block_size, mask=None):
    def scores_of(q, k, mask, tile):
        scores = _scores(q, k, None, tile)
        return scores if mask is None else np.where(mask, scores, -np.inf)

    return _run(q, k, v, block_size, mask, scores_of=scores_of)


def masked_scores_set_to_zero(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, scores_of=lambda *arguments: _scores(*arguments, fill=0.0))


def blind_tile_is_nan(q, k, v, block_size, mask=None):
    def exp(scores, largest):
        return np.exp(scores - largest)

    return _run(q, k, v, block_size, mask, keep_sum=exp, keep_output=exp, exp=exp)


def blind_total_is_zero(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, divide=lambda collected, total: collected / total)


def large_negative(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, scores_of=lambda *arguments: _scores(*arguments, fill=-1e9))


def ten_thousand_below(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, scores_of=lambda *arguments: _scores(*arguments, fill=-1e4))


def keys_not_turned(q, k, v, block_size, mask=None):
    def scores_of(q, k, mask, tile):
        scores = q @ k[..., tile, :] / np.sqrt(q.shape[-1])
        return scores if mask is None else np.where(mask[..., tile], scores, -np.inf)

    return _run(q, k, v, block_size, mask, scores_of=scores_of)


def without_scaling(q, k, v, block_size, mask=None):
    return _run(np.sqrt(q.shape[-1]) * q, k, v, block_size, mask)


def divided_by_the_block(q, k, v, block_size, mask=None):
    return _run(q * np.sqrt(q.shape[-1] / block_size), k, v, block_size, mask)


def without_a_maximum(q, k, v, block_size, mask=None):
    return _run(q, k, v, block_size, mask, keep_sum=_one, keep_output=_one, exp=lambda scores, largest: np.exp(scores))


def values_of_the_first_tile(q, k, v, block_size, mask=None):
    moved = np.concatenate(
        [v[..., tile, :] * 0 + v[..., : v[..., tile, :].shape[-2], :] for tile in _tiles(k, block_size)], -2
    )
    return _run(q, k, moved, block_size, mask)


def queries_cut_too(q, k, v, block_size, mask=None):
    def scores_of(q, k, mask, tile):
        return _scores(q[..., tile, :], k, None if mask is None else mask[..., tile, :], tile)

    return _run(q, k, v, block_size, mask, scores_of=scores_of)


def transposing_all_axes(q, k, v, block_size, mask=None):
    def scores_of(q, k, mask, tile):
        scores = q @ k[..., tile, :].T / np.sqrt(q.shape[-1])
        return scores if mask is None else np.where(mask[..., tile], scores, -np.inf)

    return _run(q, k, v, block_size, mask, scores_of=scores_of)


def cutting_the_first_axis(q, k, v, block_size, mask=None):
    largest, total, collected, outputs = -np.inf, 0.0, 0.0, []
    for start in range(0, len(k), block_size):
        keys, values = k[start : start + block_size], v[start : start + block_size]
        scores = q @ np.swapaxes(keys, -1, -2) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(mask[:, start : start + block_size], scores, -np.inf)
        new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
        exps, kept = _exp(scores, new), _exp(largest, new)
        total = kept * total + exps.sum(axis=-1, keepdims=True)
        collected = kept * collected + exps @ values
        largest = new
        outputs.append(_divided(collected, total))
    return np.stack(outputs)


def query_by_query(q, k, v, block_size, mask=None):
    if np.ndim(q) > 2:
        one_by_one = [query_by_query(*one, block_size, mask) for one in zip(q, k, v, strict=True)]
        return np.stack([np.array(outputs) for outputs in one_by_one], axis=1)
    tiles = range(0, len(k), block_size)
    outputs = np.zeros((len(tiles), len(q), v.shape[1]))
    for i, query in enumerate(q):
        largest, total, collected = -math.inf, 0.0, 0.0
        for t, start in enumerate(tiles):
            for j in range(start, min(start + block_size, len(k))):
                if mask is None or mask[i][j]:
                    score = float(query @ k[j]) / math.sqrt(len(query))
                    new = max(largest, score)
                    total = total * math.exp(largest - new) + math.exp(score - new)
                    collected = collected * math.exp(largest - new) + math.exp(score - new) * v[j]
                    largest = new
            outputs[t, i] = collected / total if total else 0.0
    return outputs


def with_prefixes(q, k, v, block_size, mask=None):
    scores = np.einsum("...id,...jd->...ij", q, k) / np.sqrt(q.shape[-1])
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    outputs = []
    for stop in range(block_size, k.shape[-2] + block_size, block_size):
        seen = allowed[..., :stop]
        shown = np.where(seen, scores[..., :stop], -1e300)
        exps = np.where(seen, np.exp(shown - shown.max(-1, keepdims=True)), 0.0)
        outputs.append(exps @ v[..., :stop, :] / np.maximum(exps.sum(-1, keepdims=True), 1e-300))
    return outputs


def merging_finished_tiles(q, k, v, block_size, mask=None):
    output, level, outputs = 0.0, -1e300, []
    for start in range(0, k.shape[-2], block_size):
        keys, values = k[..., start : start + block_size, :], v[..., start : start + block_size, :]
        scores = q @ keys.swapaxes(-1, -2) * q.shape[-1] ** -0.5
        if mask is not None:
            scores = np.where(mask[..., start : start + block_size], scores, -1e300)
        largest = scores.max(-1, keepdims=True)
        exps = np.exp(scores - largest) * (scores > -1e299)
        total = exps.sum(-1, keepdims=True)
        own_level = np.where(total > 0, largest + np.log(np.where(total > 0, total, 1.0)), -1e300)
        new = np.logaddexp(level, own_level)
        mine = np.where(total > 0, np.exp(own_level - new), 0.0)
        output = (1 - mine) * output + mine * (exps @ values) / np.where(total > 0, total, 1.0)
        level = new
        outputs.append(output)
    return tuple(outputs) if len(outputs) > 1 else np.array(outputs)


def in_float32(q, k, v, block_size, mask=None):
    q, k, v = (np.asarray(a, dtype=np.float32) for a in (q, k, v))
    largest = np.full((*q.shape[:-1], 1), -1e30, dtype=np.float32)
    total, collected, outputs = np.zeros_like(largest), np.zeros((*q.shape[:-1], v.shape[-1]), dtype=np.float32), []
    for start in range(0, k.shape[-2], block_size):
        scores = q @ np.swapaxes(k[..., start : start + block_size, :], -1, -2) / np.float32(q.shape[-1] ** 0.5)
        if mask is not None:
            scores = np.where(mask[..., start : start + block_size], scores, np.float32(-np.inf))
        new = np.maximum(largest, scores.max(-1, keepdims=True))
        total = np.exp(largest - new) * total + np.exp(scores - new).sum(-1, keepdims=True)
        collected = np.exp(largest - new) * collected + np.exp(scores - new) @ v[..., start : start + block_size, :]
        largest = new
        outputs.append(np.divide(collected, total, out=np.zeros_like(collected), where=total > 0))
    return np.array(outputs)


EXERCISE = Exercise(
    id="variants.tiled_attention",
    title="分块的注意力",
    points=3,
    reference=reference.tiled_attention,
    returns=("outputs",),
    cases=cases,
    behaviours=(
        Behaviour(CORE, 0.35),
        Behaviour(RAGGED, 0.2),
        Behaviour(MASK, 0.15),
        Behaviour(BLIND, 0.1),
        Behaviour(BATCH, 0.1),
        Behaviour(LARGE, 0.1),
    ),
    properties=(Property("没有 NaN", lambda outputs: bool(np.isfinite(outputs).all())),),
    slips=(
        Slip(
            "旧的部分没有重新缩放",
            nothing_rescaled,
            wrong="最大值变大之后，旧的总和与旧的加权和还是按旧的最大值算的。",
            look="两个都乘 np.exp(旧的最大值 − 新的最大值)，再加上这一块的。",
        ),
        Slip(
            "旧的总和没有重新缩放",
            sum_not_rescaled,
            wrong="加权和换算了，总和没有：分子分母用的尺子不一样长。",
            look="total = rescale * total + …，rescale 是 np.exp(旧的最大值 − 新的最大值)。",
        ),
        Slip(
            "旧的加权和没有重新缩放",
            output_not_rescaled,
            wrong="总和换算了，加权和没有：分子分母用的尺子不一样长。",
            look="collected = rescale * collected + …，rescale 是 np.exp(旧的最大值 − 新的最大值)。",
        ),
        Slip(
            "重新缩放的方向反了",
            rescaled_the_other_way,
            wrong="最大值变大，旧的部分应变小：因子不大于 1。",
            look="np.exp(旧的最大值 − 新的最大值)。",
        ),
        Slip(
            "最大值没有带下去",
            max_not_carried,
            wrong="每一块只看了自己的最大值；更大的可能在前面的块里。",
            look="np.maximum(旧的最大值, scores.max(axis=-1, keepdims=True))。",
        ),
        Slip(
            "最大值没有带下去，也没有缩放",
            max_not_carried_nor_rescaled,
            wrong="每一块按自己的最大值算指数，再直接相加：各块用的尺子不一样长。",
            look="带着最大值往下走；它变了，旧的总和与加权和都要换算。",
        ),
        Slip(
            "加权和没有带下去",
            output_not_carried,
            wrong="总和是到此为止的，加权和却只有这一块的值。",
            look="collected = rescale * collected + exps @ 这一块的 v。",
        ),
        Slip(
            "总和没有带下去",
            sum_not_carried,
            wrong="加权和是到此为止的，总和却只有这一块的。",
            look="total = rescale * total + exps.sum(axis=-1, keepdims=True)。",
        ),
        Slip(
            "每一块各算各的",
            each_tile_for_itself,
            wrong="第 t 个输出（从 0 数起）应是前 t + 1 块合起来的注意力，不是这一块自己的。",
            look="带着最大值、总和、加权和三个往下走。",
        ),
        Slip(
            "把各块的输出平均了",
            tiles_averaged,
            wrong="分数高的一块应占得多；平均时每块占得一样多。",
            look="带着没有归一化的加权和与总和，最后相除。",
        ),
        Slip(
            "把各块的输出加了起来",
            tiles_added,
            wrong="每块的权重加起来都是 1，合起来就不止 1 了。",
            look="带着没有归一化的加权和与总和，最后相除。",
        ),
        Slip(
            "没有除以总和",
            not_divided,
            wrong="加权和是对的，还没有归一化。",
            look="outputs.append(collected / total)。",
        ),
        Slip(
            "带着走的输出已经归一化了",
            divided_output_carried,
            wrong="除以总和只是为了这一步的输出；带着走的加权和自己不能除。",
            look="collected 不除；记下的是 collected / total。",
        ),
        Slip(
            "不满的一块丢掉了",
            ragged_tile_dropped,
            wrong="块的大小除不尽时，末尾的键没有读。",
            look="range(0, n_keys, block_size)；最后一块的切片会自己变短。",
        ),
        Slip(
            "不满的一块往回挪了",
            ragged_tile_moved_back,
            wrong="为凑满一块，最后几个键读了两次。",
            look="最后一块短一些没有关系。",
        ),
        Slip(
            "不满的一块用 0 补齐了",
            ragged_tile_filled_with_zeros,
            wrong="全是 0 的键分数是 0，指数是 1：补上的也分到了权重。",
            look="不用补：最后一块的切片会自己变短。",
        ),
        Slip(
            "只返回了最后的输出",
            only_the_last_output,
            wrong="最后的输出是对的；要的是每一块之后的，形状 (n_tiles, …, n_queries, d_v)。",
            look="每一块之后 outputs.append(…)，返回这个列表。",
        ),
        Slip(
            "每一块都记了最后的输出",
            tile_by_tile_without_the_running_outputs,
            wrong="第 t 个（从 0 数起）应只用到前 t + 1 块的键，还看不到后面的。",
            look="每一块之后就记下 collected / total。",
        ),
        Slip(
            "块的轴放在了批量轴后面",
            tiles_after_the_batch,
            wrong="没有批量轴时对；块的轴应在最前面。",
            look="np.stack(outputs)，或直接返回列表。",
        ),
        Slip(
            "把块的大小当作了块数",
            block_size_as_number_of_tiles,
            wrong="block_size 是一块里有几个键，不是分成几块。",
            look="range(0, n_keys, block_size)。",
        ),
        Slip(
            "没有用到掩码",
            mask_ignored,
            wrong="给不给掩码，结果都一样。",
            look="每一块里：np.where(mask[..., start:stop], s, -np.inf)。",
        ),
        Slip(
            "掩码真假反了",
            mask_inverted,
            wrong="遮住的正好是可以看的键：约定是 True = 可以看。",
            look="mask 为 True 时保留分数。",
        ),
        Slip(
            "总用了掩码的第一块",
            mask_of_the_first_tile,
            wrong="每一块的掩码是 mask 的那几列，不总是开头几列。",
            look="mask[..., start:start + block_size]。",
        ),
        Slip(
            "掩码没有分块",
            mask_not_cut,
            wrong="整个掩码配不上一块的分数。",
            look="mask[..., start:start + block_size]。",
        ),
        Slip(
            "被遮住的分数设成了 0",
            masked_scores_set_to_zero,
            wrong="分数 0 不等于不看：exp(0) = 1。",
            look="换成 -np.inf。",
        ),
        Slip(
            "整块被遮住时成了 NaN",
            blind_tile_is_nan,
            wrong="到此为止都不许看时，最大值还是 −∞，−∞ − (−∞) 得 NaN，并传给后面的块。",
            look="取指数之前，最大值不是有限数时换成 0。",
        ),
        Slip(
            "还没有可看的键时 0 除以 0",
            blind_total_is_zero,
            wrong="总和还是 0 时，输出应为 0。",
            look="collected / np.where(total > 0, total, 1)。",
        ),
        Slip(
            "用 −1e9 遮住",
            large_negative,
            wrong="整块都是 −1e9 时，最大值也是 −1e9，被遮住的键平分了权重。",
            look="用 -np.inf 遮住，并照顾最大值还是 −∞ 的查询。",
        ),
        finite_mask.filled(ten_thousand_below, look="用 -np.inf 遮住，并照顾最大值还是 −∞ 的查询。"),
        Slip(
            "键没有转置",
            keys_not_turned,
            wrong="这一块键的形状是 (块长, d_k)：要先转置，每个查询才能和每个键点积。",
            look="q @ np.swapaxes(k[..., start:stop, :], -1, -2)。",
        ),
        Slip(
            "没有缩放",
            without_scaling,
            wrong="分数没有除以 √d_k。",
            look="q @ 这一块的 kᵀ / np.sqrt(d_k)。",
        ),
        Slip(
            "除以了块的大小的平方根",
            divided_by_the_block,
            wrong="除数用了 block_size，不是 d_k。",
            look="d_k 是 q.shape[-1]。",
        ),
        Slip(
            "没有减最大值",
            without_a_maximum,
            wrong="分数不大时对；分数很大时 exp 溢出。",
            look="带着最大值往下走，指数里减去它。",
        ),
        Slip(
            "值总用了第一块",
            values_of_the_first_tile,
            wrong="每一块的权重要配那一块的值。",
            look="v[..., start:start + block_size, :]。",
        ),
        Slip(
            "查询也切了",
            queries_cut_too,
            wrong="切成块的是键和值；每一块都要和所有的查询比较。",
            look="q 不切。",
        ),
        Slip(
            "没有照顾批量轴",
            transposing_all_axes,
            wrong="二维时正确；有批量轴时，.T 会把批量轴也倒过来。",
            look="只交换最后两个轴：np.swapaxes(…, -1, -2)。",
        ),
        Slip(
            "切了轴 0",
            cutting_the_first_axis,
            wrong="没有批量轴时对；有批量轴时，轴 0 是批量，不是键。",
            look="从后面数：k.shape[-2]，k[..., start:stop, :]。",
        ),
    ),
    styles=(query_by_query, with_prefixes, merging_finished_tiles, in_float32),
    hints=(
        "在线 softmax 再多带一个：加权和。每一块：分数，新的最大值，"
        "换算旧的总和与旧的加权和，加上这一块的，记下两者之商。",
        "换算用同一个因子 np.exp(旧的最大值 − 新的最大值)。掩码取这一块的列。"
        "到此为止什么都不许看时最大值是 −∞：相减之前把它换成 0；总和为 0 时除以 1。",
        "s = q @ np.swapaxes(k[..., a:b, :], -1, -2) / √d_k，遮住；"
        "new = np.maximum(largest, s.max(axis=-1, keepdims=True))；"
        "shift = np.where(np.isfinite(new), new, 0)；rescale = np.exp(largest - shift)；exps = np.exp(s - shift)；"
        "total = rescale * total + exps.sum(axis=-1, keepdims=True)；"
        "collected = rescale * collected + exps @ v[..., a:b, :]。",
    ),
    equivalent_mutants={
        CONVERTS_INPUT: (
            "np.asarray(a, dtype=float) -> a",
            "np.asarray(a, dtype=float) -> np.asarray(a)",
            "np.asarray(mask) -> mask",
            "q, k, v = (np.asarray(a, dtype=float) for a in (q, k, v)) -> (dropped)",
        ),
        "a list of arrays is as good as one array": ("np.stack(outputs) -> outputs",),
        "the larger of two does not depend on their order": (
            "np.maximum(largest, scores.max(axis=-1, keepdims=True)) -> "
            "np.maximum(scores.max(axis=-1, keepdims=True), largest)",
        ),
        "whatever the first sum is, it is multiplied by exp(−∞) = 0": ("0.0 -> 1.0", "0.0 -> 1.0 #2"),
        "a sum is 0, with nothing collected, or at least 1": ("1.0 -> 2.0", "0 -> 1 #2"),
    },
)
