"""From a model that says what may come next to a text: greedy, by chance, and with a cache for keys and values.

Source: Pope et al. 2023, *Efficiently Scaling Transformer Inference*, section 2 (arXiv:2211.05102).
"""

from typing import NamedTuple

import numpy as np

from helpers.reference.attention import attention, project, softmax
from helpers.reference.block import layer_norm, relu


def greedy_decode(logits_of, prompt, n_new, end_id=None):
    """Write on, always with the most likely token, each time reading all that has been written.

    Parameters
    ----------
    logits_of : callable
        From token ids `(seq_len,)` to logits `(seq_len, vocab_size)`; row i is about the token after position i.
    prompt : (n_prompt,) int array
    n_new : int
        How many tokens to write at most.
    end_id : int, optional
        Nothing is written after this token.

    Returns
    -------
    token_ids : (n_prompt + at most n_new,) int array

    Examples
    --------
    >>> count_up = lambda ids: np.eye(10)[(ids + 1) % 10]
    >>> greedy_decode(count_up, [3, 4], 3)
    array([3, 4, 5, 6, 7])
    >>> greedy_decode(count_up, [3, 4], 3, end_id=6)
    array([3, 4, 5, 6])
    """
    token_ids = np.asarray(prompt)
    for _ in range(n_new):
        next_id = logits_of(token_ids)[-1].argmax()
        token_ids = np.append(token_ids, next_id)
        if next_id == end_id:
            break
    return token_ids


def sample_decode(logits_of, prompt, n_new, temperature, rng, end_id=None):
    """Write on with tokens drawn by chance: a low temperature is nearly greedy, a high one nearly blind.

    Parameters
    ----------
    logits_of : callable
        As for `greedy_decode`.
    prompt : (n_prompt,) int array
    n_new : int
    temperature : float
        Above 0; 1 draws by the model's own probabilities.
    rng : numpy.random.Generator
    end_id : int, optional

    Returns
    -------
    token_ids : (n_prompt + at most n_new,) int array

    Examples
    --------
    >>> count_up = lambda ids: np.eye(10)[(ids + 1) % 10]
    >>> sample_decode(count_up, [3, 4], 3, 0.01, np.random.default_rng(0))
    array([3, 4, 5, 6, 7])
    """
    token_ids = np.asarray(prompt)
    for _ in range(n_new):
        probabilities = temperature_probabilities(logits_of(token_ids)[-1], temperature)
        next_id = rng.choice(len(probabilities), p=probabilities)
        token_ids = np.append(token_ids, next_id)
        if next_id == end_id:
            break
    return token_ids


def temperature_probabilities(logits, temperature):
    """Turn logits into probabilities, sharper at a low temperature and flatter at a high one.

    Parameters
    ----------
    logits : (..., vocab_size) array
    temperature : float
        Above 0.

    Returns
    -------
    probabilities : (..., vocab_size) array

    Raises
    ------
    ValueError
        If the temperature is not above 0.

    Examples
    --------
    >>> temperature_probabilities([0.0, np.log(3.0)], 1.0)
    array([0.25, 0.75])
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}; for always the best token use greedy_decode")
    return softmax(np.asarray(logits, dtype=float) / temperature)


def cached_step(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    """Attend with one new token, keeping its key and value beside those of the tokens before it.

    Parameters
    ----------
    x : (..., d_model) array
        The new token's embedding, not yet told its position.
    positions : (n_positions, d_model) array
        What is added to an embedding at each position; the new token's position is the length of the cache.
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_model, d_v) array
    k_cache : (..., t, d_k) array
        Keys of the t tokens before; t may be 0.
    v_cache : (..., t, d_v) array

    Returns
    -------
    output : (..., d_v) array
    k_cache : (..., t + 1, d_k) array
    v_cache : (..., t + 1, d_v) array

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> one, nowhere = np.eye(1), np.zeros((5, 1))
    >>> cached_step([4.0], nowhere, 0 * one, one, one, np.array([[2.0]]), np.array([[2.0]]))
    (array([3.]), array([[2.],
           [4.]]), array([[2.],
           [4.]]))
    """
    x = np.asarray(x, dtype=float) + positions[k_cache.shape[-2]]  # (..., d_model) + (d_model,)
    q, k, v = project(x[..., None, :], w_q, w_k, w_v)  # (..., 1, d_k), (..., 1, d_k), (..., 1, d_v)
    k_cache = np.concatenate([k_cache, k], axis=-2)  # (..., t, d_k) -> (..., t + 1, d_k)
    v_cache = np.concatenate([v_cache, v], axis=-2)
    output, _ = attention(q, k_cache, v_cache)  # all that is cached lies in the past: no mask is needed
    return output[..., 0, :], k_cache, v_cache


class KVCache(NamedTuple):
    """The keys and values of all tokens so far, one `(n_heads, t, d_k)` array for each layer."""

    k: tuple[np.ndarray, ...]
    v: tuple[np.ndarray, ...]

    @property
    def length(self):
        """How many tokens are cached."""
        return self.k[0].shape[-2]


def start_cache(model):
    """Return the empty cache of a decoder-only model.

    Parameters
    ----------
    model : Decoder

    Returns
    -------
    KVCache
    """
    d_k = model.embedding.shape[-1] // model.n_heads
    empty = tuple(np.zeros((model.n_heads, 0, d_k)) for _ in model.blocks)
    return KVCache(empty, empty)


def cached_logits(model, cache, token_id):
    """Read one more token, computing nothing anew about the tokens before it.

    Parameters
    ----------
    model : Decoder
    cache : KVCache
        Is not changed.
    token_id : int

    Returns
    -------
    logits : (vocab_size,) array
        About the token that follows.
    cache : KVCache
        One token longer.
    """
    x = model.embedding[token_id] + model.positions[cache.length]  # (d_model,)
    all_k, all_v = [], []
    for weights, k_cache, v_cache in zip(model.blocks, cache.k, cache.v, strict=True):
        q, k, v = (
            (layer_norm(x) @ matrix).reshape(model.n_heads, 1, -1) for matrix in (weights.w_q, weights.w_k, weights.w_v)
        )  # (d_model,) -> (h, 1, d_k)
        all_k.append(np.concatenate([k_cache, k], axis=-2))  # (h, t, d_k) -> (h, t + 1, d_k)
        all_v.append(np.concatenate([v_cache, v], axis=-2))
        heads, _ = attention(q, all_k[-1], all_v[-1])  # (h, 1, d_k)
        x = x + heads.reshape(-1) @ weights.w_o
        x = x + relu(layer_norm(x) @ weights.w_1) @ weights.w_2
    return layer_norm(x) @ model.unembedding, KVCache(tuple(all_k), tuple(all_v))


def generate_with_cache(model, prompt, n_new, end_id=None):
    """Write on greedily with a cache: the same text as without, for less work.

    Parameters
    ----------
    model : Decoder
    prompt : (n_prompt,) int array
        At least one token.
    n_new : int
    end_id : int, optional

    Returns
    -------
    token_ids : (n_prompt + at most n_new,) int array
    all_logits : list of (vocab_size,) arrays
        What each new token was chosen from.
    """
    cache, token_ids, all_logits = start_cache(model), [int(token_id) for token_id in prompt], []
    for token_id in token_ids:
        logits, cache = cached_logits(model, cache, token_id)
    for _ in range(n_new):
        all_logits.append(logits)
        token_ids.append(int(logits.argmax()))
        if token_ids[-1] == end_id:
            break
        if len(all_logits) < n_new:
            logits, cache = cached_logits(model, cache, token_ids[-1])
    return np.array(token_ids), all_logits


def step_multiplications(length, d_model, n_layers, cached, d_ff=None):
    """Count the multiplications of the matrix products that predict one token, when the text has `length` tokens.

    Embedding, norms, softmax and the last matrix are left out; a mask saves nothing here.

    Parameters
    ----------
    length : int
        Tokens so far, the newest included.
    d_model, n_layers : int
    cached : bool
        Whether keys and values of the tokens before are at hand, so that only the newest goes through the blocks.
    d_ff : int, optional
        `4 * d_model` if not given.

    Returns
    -------
    multiplications : int

    Examples
    --------
    >>> step_multiplications(3, 2, 1, cached=True), step_multiplications(3, 2, 1, cached=False)
    (60, 180)
    """
    n_rows = 1 if cached else length
    d_ff = d_ff or 4 * d_model
    per_row = 4 * d_model**2 + 2 * d_model * d_ff + 2 * length * d_model
    return n_layers * n_rows * per_row
