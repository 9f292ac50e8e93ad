"""Measure a model on many poems at once: what each head looks at, and how many bits a character costs, head by head.

Source: Olsson et al. 2022, *In-context Learning and Induction Heads* (arXiv:2209.11895), for scores over many texts and
for the test on random tokens that are repeated.
"""

import numpy as np

from helpers.reference.decoder import embed, to_logits, token_losses, traces_from, without_heads
from helpers.reference.inspection import duplicate_targets, even_weights, induction_targets, offset_targets, pointed_at
from helpers.reference.tiny_gpt import END, PUNCTUATION, START, UNKNOWN, encode_poem, form_of

HEAD_SCORES = ("previous", "five_back", "line_above", "duplicate", "induction")
SPECIAL = START + END + UNKNOWN + PUNCTUATION


def batches(poems, symbols, size=20):
    """Group poems of the same form, so that nothing has to be padded.

    Parameters
    ----------
    poems : iterable of str
    symbols : str
    size : int
        How many poems a batch has at most.

    Returns
    -------
    batches : list of (token_ids (n, seq_len), Form)
        With start and end.

    Examples
    --------
    >>> [(token_ids, form)] = batches(["明，月。", "月，明。"], "^$□，。明月")
    >>> token_ids, form
    (array([[0, 5, 3, 6, 4, 1],
           [0, 6, 3, 5, 4, 1]]), Form(line_length=1, n_lines=2))
    """
    by_form = {}
    for poem in poems:
        by_form.setdefault(form_of(poem), []).append(encode_poem(poem, symbols))
    return [
        (np.stack(rows[first : first + size]), form)
        for form, rows in sorted(by_form.items())
        for first in range(0, len(rows), size)
    ]


def head_targets(token_ids, form, symbols):
    """Return where heads of each kind are expected to look.

    Parameters
    ----------
    token_ids : (n, seq_len) int array
        Start first, no end.
    form : Form
    symbols : str

    Returns
    -------
    targets : dict of str to (n, seq_len, seq_len) bool array
        By the names in `HEAD_SCORES`: the token before; five back; the same place of the line before; the same
        character earlier; what followed the same character earlier.
    """
    n, seq_len = token_ids.shape
    ignored = [symbols.index(symbol) for symbol in SPECIAL]
    line_above = offset_targets(seq_len, form.line_length + 1)
    line_above[:, 0] = False  # the start belongs to no line
    return {
        "previous": np.tile(offset_targets(seq_len, 1), (n, 1, 1)),
        "five_back": np.tile(offset_targets(seq_len, 5), (n, 1, 1)),
        "line_above": np.tile(line_above, (n, 1, 1)),
        "duplicate": duplicate_targets(token_ids, ignored),
        "induction": induction_targets(token_ids, ignored),
    }


def scores_over(model, poems, symbols):
    """Return how much attention each head gives, over many poems, to what its kind looks at.

    Parameters
    ----------
    model : Decoder
    poems : iterable of str
    symbols : str

    Returns
    -------
    scores : dict of str to (n_layers, n_heads) array
        By the names in `HEAD_SCORES`; each a mean over all places of all poems that have something to look at.
    """
    return _mean_over_places(poems, symbols, lambda token_ids: _all_weights(model, token_ids))


def chance_over(poems, symbols):
    """Return what `scores_over` would give for a head that looks evenly at itself and the past.

    Parameters
    ----------
    poems : iterable of str
    symbols : str

    Returns
    -------
    scores : dict of str to float
    """
    scores = _mean_over_places(poems, symbols, lambda token_ids: even_weights(token_ids.shape[-1])[None, None, None])
    return {name: score.item() for name, score in scores.items()}


def random_repeats(symbols, n, length, rng):
    """Return random characters and the same again: only a look at their first appearance tells what comes next.

    Parameters
    ----------
    symbols : str
    n, length : int
    rng : numpy.random.Generator

    Returns
    -------
    token_ids : (n, 1 + 2 * length) int array
        A start first; the characters of one text differ from each other.

    Examples
    --------
    >>> random_repeats("^$□，。明月光", 1, 2, np.random.default_rng(0))
    array([[0, 6, 7, 6, 7]])
    """
    characters = [token_id for token_id, symbol in enumerate(symbols) if symbol not in SPECIAL]
    once = np.stack([rng.choice(characters, length, replace=False) for _ in range(n)])
    return np.concatenate([np.full((n, 1), symbols.index(START)), once, once], axis=1)


def bits_per_character(model, poems, symbols, causal=True, residual=True):
    """Return how many bits a character of unseen poems costs: the bits of all tokens, shared among the characters.

    Parameters
    ----------
    model : Decoder
    poems : iterable of str
    symbols : str
    causal, residual : bool
        As for `decoder.read`.

    Returns
    -------
    bits : float
        2 to this power is how many equally likely characters there were to choose from, punctuation being free.
    """
    poems = list(poems)
    bits = sum(
        _bits(model, 0, embed(model, token_ids[:, :-1]), token_ids, causal, residual)
        for token_ids, _ in batches(poems, symbols)
    )
    return bits / _n_characters(poems)


def bits_without_each_head(model, poems, symbols):
    """Return the bits per character with one head switched off, for each head.

    Parameters
    ----------
    model : Decoder
    poems : iterable of str
    symbols : str

    Returns
    -------
    bits : (n_layers, n_heads) array
    """
    poems, bits = list(poems), np.zeros((len(model.blocks), model.n_heads))
    for token_ids, _ in batches(poems, symbols):
        traces = traces_from(model, 0, embed(model, token_ids[:, :-1]))
        for layer, head in np.ndindex(bits.shape):
            x = traces[layer].before_attention  # what the layers below have made of it stays the same
            bits[layer, head] += _bits(without_heads(model, [(layer, head)]), layer, x, token_ids)
    return bits / _n_characters(poems)


def _bits(model, layer, x, token_ids, causal=True, residual=True):
    """Return the bits of all tokens but the first, from what enters a layer on."""
    last = traces_from(model, layer, x, causal, residual)[-1].output
    return token_losses(to_logits(model, last), token_ids).sum() / np.log(2)


def _mean_over_places(poems, symbols, weights_of):
    """Return, for each name of `HEAD_SCORES`, the mean over the places of all poems that have something to look at."""
    sums, counts = dict.fromkeys(HEAD_SCORES, 0.0), dict.fromkeys(HEAD_SCORES, 0)
    for token_ids, form in batches(poems, symbols):
        weights = weights_of(token_ids[:, :-1])  # (n_layers, n, n_heads, seq_len, seq_len)
        for name, targets in head_targets(token_ids[:, :-1], form, symbols).items():
            n_places = targets.any(axis=-1).sum(axis=-1)  # (n,)
            sums[name] += (pointed_at(weights, targets) * n_places[:, None]).sum(axis=-2)  # (n_layers, n_heads)
            counts[name] += n_places.sum()
    return {name: sums[name] / max(counts[name], 1) for name in HEAD_SCORES}


def _n_characters(poems):
    return sum(symbol not in PUNCTUATION for poem in poems for symbol in poem)


def _all_weights(model, token_ids):
    """Return the weights of all heads, `(n_layers, n, n_heads, seq_len, seq_len)`."""
    return np.stack([trace.weights for trace in traces_from(model, 0, embed(model, token_ids))])
