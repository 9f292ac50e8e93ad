"""What a language model says about the next token: its distribution, how well it fits a text, a draw from it.

Sources: Jelinek et al. 1977, *Perplexity: a measure of the difficulty of speech recognition tasks*; Fan, Lewis and
Dauphin 2018, *Hierarchical Neural Story Generation*, section 5.4, for top-k sampling (arXiv:1805.04833).
"""

import numpy as np

from helpers.reference.decoder import token_losses
from helpers.reference.generation import temperature_probabilities


def next_token_distribution(logits, temperature):
    """Return the probability of each token to come next, behind the last one that was read.

    Parameters
    ----------
    logits : (..., seq_len, vocab_size) array
        Row i is about the token after position i.
    temperature : float
        Above 0; 1 leaves the model's own probabilities.

    Returns
    -------
    probabilities : (..., vocab_size) array

    Raises
    ------
    ValueError
        If the temperature is not above 0.

    Examples
    --------
    >>> next_token_distribution(np.log([[0.5, 0.5], [0.25, 0.75]]), 1.0)
    array([0.25, 0.75])
    >>> next_token_distribution(np.log([[0.5, 0.5], [0.25, 0.75]]), 0.5)  # 1 : 3 becomes 1 : 9
    array([0.1, 0.9])
    """
    last = np.asarray(logits, dtype=float)[..., -1, :]  # (..., n, vocab_size) -> (..., vocab_size)
    return temperature_probabilities(last, temperature)


def perplexity(logits, token_ids):
    """Return between how many equally likely tokens a model was left to choose, on average, at each place of a text.

    Parameters
    ----------
    logits : (..., seq_len, vocab_size) array
        Row i is about token i + 1.
    token_ids : (..., seq_len) int array
        The first is not judged, since nothing was said about it.

    Returns
    -------
    perplexity : (...) array
        1 is certain and right every time; `vocab_size` is as good as guessing blindly.

    Examples
    --------
    >>> float(perplexity(np.log([[0.5, 0.5], [0.125, 0.875], [0.9, 0.1]]), [1, 0, 0]))  # 1/2, then 1/8
    4.0
    """
    return np.exp(token_losses(logits, token_ids).mean(axis=-1))  # (..., n - 1) -> (...)


def top_k(logits, k, temperature):
    """Return the k most likely tokens, the most likely first, and their probabilities among themselves.

    Parameters
    ----------
    logits : (..., vocab_size) array
    k : int
        At least 1; more than there are tokens means all of them.
    temperature : float
        Above 0.

    Returns
    -------
    token_ids : (..., k) int array
    probabilities : (..., k) array
        Sum to 1.

    Raises
    ------
    ValueError
        If k is below 1 or the temperature is not above 0.

    Examples
    --------
    >>> token_ids, probabilities = top_k(np.log([0.1, 0.6, 0.3]), 2, 1.0)
    >>> token_ids, probabilities.round(3)
    (array([1, 2]), array([0.667, 0.333]))
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}: one token has to be left to choose")
    logits = np.asarray(logits, dtype=float)
    token_ids = np.argsort(-logits, axis=-1, kind="stable")[..., :k]  # (..., vocab_size) -> (..., k)
    kept = np.take_along_axis(logits, token_ids, axis=-1)
    return token_ids, temperature_probabilities(kept, temperature)


def sample_top_k(logits, k, temperature, u):
    """Draw the next token from the k most likely ones; the chance comes in as a number.

    The k probabilities are laid side by side from 0 to 1, the largest first; the token on whose stretch `u` falls is
    taken.

    Parameters
    ----------
    logits : (..., vocab_size) array
    k : int
        1 always takes the most likely token; more than there are tokens means all of them.
    temperature : float
        Above 0.
    u : (...) array or float
        In [0, 1).

    Returns
    -------
    token_id : (...) int array

    Raises
    ------
    ValueError
        If k is below 1 or the temperature is not above 0.

    Examples
    --------
    >>> logits = np.log([0.1, 0.6, 0.3])  # the best two share 1 as 2/3 and 1/3
    >>> int(sample_top_k(logits, 2, 1.0, 0.6)), int(sample_top_k(logits, 2, 1.0, 0.7))
    (1, 2)
    """
    token_ids, probabilities = top_k(logits, k, temperature)
    ends = probabilities.cumsum(axis=-1)  # (..., k): where each stretch ends
    ends[..., -1] = 1.0  # rounding must leave no gap behind the last one
    place = (np.asarray(u)[..., None] < ends).argmax(axis=-1)  # the first that ends behind u
    return np.take_along_axis(token_ids, place[..., None], -1)[..., 0]  # (..., k) -> (..., 1) -> (...)
