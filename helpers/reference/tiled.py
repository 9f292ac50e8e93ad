"""Softmax and attention one tile of keys at a time, exactly: what FlashAttention computes.

Sources: Milakov and Gimelshein 2018, *Online normalizer calculation for softmax*, algorithm 3 (arXiv:1805.02867);
Dao et al. 2022, *FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness*, section 3.1
(arXiv:2205.14135).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import scores as all_scores


def online_softmax(scores, block_size):
    """Softmax that reads its scores block by block, keeping the largest so far and the sum so far.

    When a block brings a larger one, the old sum is rescaled by `exp(old_largest - new_largest)`.

    Parameters
    ----------
    scores : (..., n) array
        Finite, or `-inf` for an entry that must get no weight.
    block_size : int
        The last block is shorter when `block_size` does not divide `n`.

    Returns
    -------
    weights : (..., n) array
        The same as `softmax(scores)`.
    largest : (..., n_blocks) array
        After each block.
    total : (..., n_blocks) array
        Sum of `exp(score - largest)` after each block.

    Examples
    --------
    >>> weights, largest, total = online_softmax(np.log([1.0, 1.0, 2.0]), 2)
    >>> weights, np.exp(largest), total
    (array([0.25, 0.25, 0.5 ]), array([1., 2.]), array([2., 2.]))
    """
    scores = np.asarray(scores, dtype=float)
    largest, total = -np.inf, 0.0
    all_largest, all_totals = [], []
    for start in range(0, scores.shape[-1], block_size):
        block = scores[..., start : start + block_size]  # (..., b), the last one may be shorter
        new_largest = np.maximum(largest, block.max(axis=-1))
        rescale = _exp_below(largest, new_largest)
        total = rescale * total + _exp_below(block, new_largest[..., None]).sum(axis=-1)
        largest = new_largest
        all_largest.append(largest)
        all_totals.append(total)
    weights = _exp_below(scores, largest[..., None]) / np.where(total > 0, total, 1.0)[..., None]
    return weights, np.stack(all_largest, axis=-1), np.stack(all_totals, axis=-1)


def tiled_attention(q, k, v, block_size, mask=None):
    """Attend to the keys tile by tile; the full matrix of scores never exists.

    Parameters
    ----------
    q : (..., n_queries, d_k) array
    k : (..., n_keys, d_k) array
    v : (..., n_keys, d_v) array
    block_size : int
        Keys in a tile; the last tile is smaller when it does not divide `n_keys`.
    mask : (..., n_queries, n_keys) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    outputs : (n_tiles, ..., n_queries, d_v) array
        After each tile: the attention over the keys so far, 0 for a query that has not been allowed any. The last is
        `attention(q, k, v, mask)`.

    Examples
    --------
    >>> tiled_attention([[0.0]], [[0.0], [0.0], [0.0]], [[2.0], [4.0], [9.0]], 2)[:, 0, 0]
    array([3., 5.])
    """
    q, k, v = (np.asarray(a, dtype=float) for a in (q, k, v))
    largest, total, collected = -np.inf, 0.0, 0.0
    outputs = []
    for start in range(0, k.shape[-2], block_size):
        tile = slice(start, start + block_size)
        scores = all_scores(q, k[..., tile, :])  # (..., n, d_k) @ (..., d_k, b) -> (..., n, b)
        if mask is not None:
            scores = np.where(np.asarray(mask)[..., tile], scores, -np.inf)
        new_largest = np.maximum(largest, scores.max(axis=-1, keepdims=True))  # (..., n, 1)
        rescale = _exp_below(largest, new_largest)
        exps = _exp_below(scores, new_largest)
        total = rescale * total + exps.sum(axis=-1, keepdims=True)  # (..., n, 1)
        collected = rescale * collected + exps @ v[..., tile, :]  # (..., n, b) @ (..., b, d_v) -> (..., n, d_v)
        largest = new_largest
        outputs.append(collected / np.where(total > 0, total, 1.0))
    return np.stack(outputs)


@dataclass(frozen=True)
class TileStep:
    """What is at hand after one tile of keys: `start` to `stop`, exclusive.

    `scores (n_queries, b)` of this tile, `-inf` where masked; `largest` and `total (n_queries,)` so far; `rescale
    (n_queries,)`, by which the old sum was multiplied; `output (n_queries, d_v)` so far.
    """

    start: int
    stop: int
    scores: np.ndarray
    largest: np.ndarray
    total: np.ndarray
    rescale: np.ndarray
    output: np.ndarray


def tile_steps(q, k, v, block_size, mask=None):
    """Return what tiled attention has at hand after each tile.

    Parameters
    ----------
    q : (n_queries, d_k) array
    k : (n_keys, d_k) array
    v : (n_keys, d_v) array
    block_size : int
    mask : (n_queries, n_keys) bool array, optional
        True = this query may look at this key.

    Returns
    -------
    steps : list of TileStep

    Examples
    --------
    >>> steps = tile_steps([[0.0]], [[0.0], [0.0], [0.0]], [[2.0], [4.0], [9.0]], 2)
    >>> [(step.start, step.stop, float(step.total[0])) for step in steps]
    [(0, 2, 2.0), (2, 3, 3.0)]
    """
    scores = all_scores(q, k)
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    _, largest, total = online_softmax(scores, block_size)  # (n, n_tiles) each
    before = np.concatenate([np.full((len(scores), 1), -np.inf), largest[:, :-1]], axis=1)
    rescale = _exp_below(before, largest)
    outputs = tiled_attention(q, k, v, block_size, mask)
    starts = range(0, scores.shape[-1], block_size)
    stops = [min(start + block_size, scores.shape[-1]) for start in starts]
    return [
        TileStep(start, stop, scores[:, start:stop], largest[:, t], total[:, t], rescale[:, t], outputs[t])
        for t, (start, stop) in enumerate(zip(starts, stops, strict=True))
    ]


def visible_tiles(mask, block_q, block_k):
    """Say which tiles of a mask allow anything; the others need not be loaded at all.

    Parameters
    ----------
    mask : (n_queries, n_keys) bool array
    block_q, block_k : int

    Returns
    -------
    visible : (n_row_tiles, n_column_tiles) bool array

    Examples
    --------
    >>> visible_tiles(np.tri(5, dtype=bool), 2, 2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    mask = np.asarray(mask, dtype=bool)
    rows = np.logical_or.reduceat(mask, np.arange(0, mask.shape[0], block_q), axis=0)  # (n, m) -> (t_q, m)
    return np.logical_or.reduceat(rows, np.arange(0, mask.shape[1], block_k), axis=1)


def _exp_below(scores, largest):
    """Return `exp(scores - largest)`, and 0 for scores of `-inf` even where `largest` is `-inf` too."""
    return np.exp(scores - np.where(np.isfinite(largest), largest, 0.0))
