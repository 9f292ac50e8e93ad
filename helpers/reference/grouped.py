"""Fewer key/value heads than query heads, from many to one: grouped-query and multi-query attention, and their cache.

Sources: Shazeer 2019, *Fast Transformer Decoding: One Write-Head is All You Need*, section 3 (arXiv:1911.02150);
Ainslie et al. 2023, *GQA: Training Generalized Multi-Query Transformer Models*, section 2 (arXiv:2305.13245).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference import sizes
from helpers.reference.attention import attention, softmax
from helpers.reference.low_rank import fit_head, misplaced


def grouped_query_attention(q, k, v, mask=None):
    """Let neighbouring query heads share one key/value head: a group has `n_heads / n_kv_heads` of them.

    As many key/value heads as query heads is multi-head attention, a single one is multi-query attention.

    Parameters
    ----------
    q : (..., n_heads, n_queries, d_k) array
    k : (..., n_kv_heads, n_keys, d_k) array
    v : (..., n_kv_heads, n_keys, d_v) array
    mask : (..., n_queries, n_keys) bool array, optional
        True = this query may look at this key. All heads share it, so it has no axis for them.

    Returns
    -------
    output : (..., n_heads, n_queries, d_v) array
        Head `h` has asked key/value head `h // (n_heads / n_kv_heads)`.
    weights : (..., n_heads, n_queries, n_keys) array

    Raises
    ------
    ValueError
        If `n_kv_heads` does not divide `n_heads`, or shapes do not fit.

    Examples
    --------
    >>> q, k = np.zeros((4, 1, 1)), np.zeros((2, 1, 1))
    >>> output, weights = grouped_query_attention(q, k, [[[1.0]], [[2.0]]])
    >>> output[:, 0, 0]
    array([1., 1., 2., 2.])
    """
    k, v = np.asarray(k, dtype=float), np.asarray(v, dtype=float)
    n_heads, n_kv_heads = np.shape(q)[-3], k.shape[-3]
    _require_groups(n_heads, n_kv_heads)
    group_size = n_heads // n_kv_heads
    k = np.repeat(k, group_size, axis=-3)  # (..., g, m, d_k) -> (..., h, m, d_k): a, a, b, b
    v = np.repeat(v, group_size, axis=-3)
    shared = None if mask is None else np.asarray(mask)[..., None, :, :]  # (..., n, m) -> (..., 1, n, m)
    return attention(q, k, v, shared)


def kv_cache_bytes(seq_len, n_layers, d_model, n_heads, n_kv_heads, window=None, bytes_per_number=2):
    """Return how much the keys and values of one text take, from a model's configuration.

    Parameters
    ----------
    seq_len, n_layers, d_model : int
    n_heads : int
        Query heads; a head has `d_model / n_heads` components.
    n_kv_heads : int
        Heads that have keys and values of their own.
    window : int, optional
        Under a sliding window only the newest `window` tokens are kept.
    bytes_per_number : int
        2 for half precision.

    Returns
    -------
    n_bytes : int

    Examples
    --------
    >>> kv_cache_bytes(1, 80, 8192, 64, 8)
    327680
    """
    kept = seq_len if window is None else min(seq_len, window)
    return sizes.kv_cache_bytes(
        batch=1,
        seq_len=kept,
        n_layers=n_layers,
        n_kv_heads=n_kv_heads,
        d_k=d_model // n_heads,
        bytes_per_number=bytes_per_number,
    )


@dataclass(frozen=True)
class CacheModel:
    """What a published model's configuration says about its cache."""

    name: str
    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    window: int | None = None

    @property
    def d_k(self):
        """Size of one head."""
        return self.d_model // self.n_heads

    def n_bytes(self, seq_len, batch=1):
        """Return what the keys and values of `batch` texts take in half precision."""
        one = kv_cache_bytes(seq_len, self.n_layers, self.d_model, self.n_heads, self.n_kv_heads, self.window)
        return batch * one


# Brown et al. 2020 (arXiv:2005.14165), table 2.1; Touvron et al. 2023 (arXiv:2307.09288), section 2.2 and
# appendix A.2.1; Almazrouei et al. 2023 (arXiv:2311.16867), the 7B model; Jiang et al. 2023 (arXiv:2310.06825),
# table 1.
GPT3 = CacheModel("GPT-3", 96, 12288, 96, 96)
LLAMA2_7B = CacheModel("Llama-2-7B", 32, 4096, 32, 32)
LLAMA2_70B = CacheModel("Llama-2-70B", 80, 8192, 64, 8)
FALCON_7B = CacheModel("Falcon-7B", 32, 4544, 71, 1)
MISTRAL_7B = CacheModel("Mistral-7B", 32, 4096, 32, 8, window=4096)
CACHE_MODELS = (GPT3, LLAMA2_7B, LLAMA2_70B, FALCON_7B, MISTRAL_7B)


def pool_heads(heads, n_kv_heads):
    """Turn many key (or value) heads into few: the mean of each group of neighbours.

    It is how Ainslie et al. start a grouped model from a trained multi-head one (section 2.1, on the matrices; the
    projection is linear, so that the mean of the keys is the same thing).

    Parameters
    ----------
    heads : (..., n_heads, seq_len, d) array
    n_kv_heads : int

    Returns
    -------
    pooled : (..., n_kv_heads, seq_len, d) array

    Raises
    ------
    ValueError
        If `n_kv_heads` does not divide `n_heads`.

    Examples
    --------
    >>> pool_heads([[[1.0]], [[3.0]], [[5.0]], [[9.0]]], 2)[:, 0, 0]
    array([2., 7.])
    """
    heads = np.asarray(heads, dtype=float)
    *batch, n_heads, seq_len, d = heads.shape
    _require_groups(n_heads, n_kv_heads)
    groups = heads.reshape(*batch, n_kv_heads, -1, seq_len, d)  # (..., h, n, d) -> (..., g, h / g, n, d)
    return groups.mean(axis=-3)


def related_patterns(n_heads, seq_len, likeness, rng, spread=3.0):
    """Draw one random attention pattern for each head, more or less like the others'.

    Parameters
    ----------
    n_heads, seq_len : int
    likeness : float
        Correlation of the scores behind the patterns: 0 each has its own, 1 all have the same.
    rng : numpy.random.Generator
    spread : float
        Standard deviation of the scores.

    Returns
    -------
    patterns : (n_heads, seq_len, seq_len) array
        Rows sum to 1.

    Examples
    --------
    >>> a, b = related_patterns(2, 3, 1.0, np.random.default_rng(0))
    >>> bool((a == b).all())
    True
    """
    common = rng.standard_normal((seq_len, seq_len))
    own = rng.standard_normal((n_heads, seq_len, seq_len))
    return softmax(spread * (np.sqrt(likeness) * common + np.sqrt(1 - likeness) * own))


def sharing_error(patterns, n_kv_heads, d_k, n_steps=200):
    """Say how much of each head's weight lands on wrong keys, at best, when the heads of a group share keys.

    Every head keeps queries of its own, fitted with the group's keys: what is lost is lost by sharing alone.

    Parameters
    ----------
    patterns : (n_heads, seq_len, seq_len) array
        What each head should look at; rows sum to 1, without zeros.
    n_kv_heads : int
    d_k : int
    n_steps : int
        Of the fit.

    Returns
    -------
    error : (n_heads,) array
        0 for a perfect fit, 1 when all weight is misplaced.

    Raises
    ------
    ValueError
        If `n_kv_heads` does not divide `n_heads`.

    Examples
    --------
    >>> patterns = related_patterns(2, 4, 0.0, np.random.default_rng(0))
    >>> bool(sharing_error(patterns, 2, 2).mean() < sharing_error(patterns, 1, 2).mean())
    True
    """
    patterns = np.asarray(patterns, dtype=float)
    n_heads, seq_len, _ = patterns.shape
    _require_groups(n_heads, n_kv_heads)
    stacked = patterns.reshape(n_kv_heads, -1, seq_len)  # (h, n, n) -> (g, h / g * n, n): one set of keys each
    fitted = np.concatenate([fit_head(group, d_k, n_steps) for group in stacked]).reshape(patterns.shape)
    return np.array([misplaced(weights, pattern) for weights, pattern in zip(fitted, patterns, strict=True)])


def _require_groups(n_heads, n_kv_heads):
    if n_heads % n_kv_heads:
        raise ValueError(
            f"n_heads {n_heads} must be divisible by n_kv_heads {n_kv_heads}: every key/value head serves equally many"
        )
