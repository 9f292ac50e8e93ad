"""The small model that was trained on Tang poems: load it, turn poems into tokens and back, let it write.

What it is, and what it is not, stands in `helpers/models/README.md`.

Source of the KV cache and of top-k sampling: `generation` and `next_token`.
"""

import functools
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.reference.backward import BlockWeights
from helpers.reference.decoder import Decoder
from helpers.reference.generation import cached_logits, start_cache
from helpers.reference.next_token import sample_top_k, top_k

MODELS = Path(__file__).resolve().parent.parent / "models"
START, END, UNKNOWN = "^", "$", "□"
COMMA, FULL_STOP = PUNCTUATION = "，。"
NEVER_WRITTEN = START + UNKNOWN


class TinyGPT(NamedTuple):
    """The trained model, the symbols that it reads, and what was measured when it was trained."""

    model: Decoder
    symbols: str  # position = token id
    results: dict


class Form(NamedTuple):
    """How many characters a line has, and how many lines a poem."""

    line_length: int
    n_lines: int

    def symbol_at(self, place):
        """Return the symbol that has to stand at a place, None where any character may; the first place is 0."""
        line, column = divmod(place, self.line_length + 1)
        if line == self.n_lines:
            return END
        return PUNCTUATION[line % 2] if column == self.line_length else None


FORMS = {"五言绝句": Form(5, 4), "五言律诗": Form(5, 8), "七言绝句": Form(7, 4), "七言律诗": Form(7, 8)}


class Step(NamedTuple):
    """One symbol that the model wrote, and what it was chosen from."""

    text: str  # the opening and everything written, this symbol too; without the end
    symbol: str
    candidates: str  # the most likely first
    probabilities: np.ndarray  # (len(candidates),), sum 1
    cache_length: int  # tokens whose keys and values were at hand
    forced: bool  # whether the form left no choice


@functools.cache
def load():
    """Return the trained model, in float64; every call gives the same object.

    Returns
    -------
    TinyGPT

    Raises
    ------
    FileNotFoundError
        If the model's files did not come along.
    """
    results = json.loads(_file("tiny_gpt.json").read_text(encoding="utf-8"))
    symbols, n_heads = results.pop("symbols"), results.pop("n_heads")
    with np.load(_file("tiny_gpt.npz")) as stored:
        return TinyGPT(from_arrays(dict(stored), n_heads), symbols, results)


def from_arrays(arrays, n_heads):
    """Return the model whose weights stand in stacked arrays.

    Parameters
    ----------
    arrays : dict of str to array
        `embedding (vocab_size, d_model)`, `positions (n_positions, d_model)`, `gain (d_model,)`, and the matrices of
        `BlockWeights` by their names, `(n_layers, ...)`.
    n_heads : int

    Returns
    -------
    Decoder
    """
    arrays = {name: array.astype(float) for name, array in arrays.items()}
    blocks = tuple(BlockWeights(*matrices) for matrices in zip(*(arrays[n] for n in BlockWeights._fields), strict=True))
    # The last norm has a gain; layer_norm(x) * gain @ matrix is layer_norm(x) @ (gain * matrix).
    unembedding = arrays["gain"][:, None] * arrays["embedding"].T  # (d_model, 1) * (d_model, vocab_size)
    return Decoder(arrays["embedding"], arrays["positions"], blocks, unembedding, n_heads)


@functools.cache
def poems():
    """Return the poems that came along, none of which the model was trained on.

    Returns
    -------
    poems : tuple of str
        With punctuation.
    """
    return tuple(_file("poems.txt").read_text(encoding="utf-8").split())


def encode(text, symbols):
    """Turn a text into token ids, a start before it; a character without a number becomes `□`.

    Parameters
    ----------
    text : str
    symbols : str
        Position = token id.

    Returns
    -------
    token_ids : (1 + len(text),) int array

    Examples
    --------
    >>> encode("月明乎", "^$□，。明月")
    array([0, 6, 5, 2])
    """
    numbers = _numbers(symbols)
    return np.array([symbols.index(START), *(numbers.get(symbol, symbols.index(UNKNOWN)) for symbol in text)])


def encode_poem(poem, symbols):
    """Turn a whole poem into token ids, with a start and an end.

    Parameters
    ----------
    poem : str
    symbols : str

    Returns
    -------
    token_ids : (len(poem) + 2,) int array

    Examples
    --------
    >>> encode_poem("明月", "^$□，。明月")
    array([0, 5, 6, 1])
    """
    return np.append(encode(poem, symbols), symbols.index(END))


def decode(token_ids, symbols):
    """Turn token ids into a text, without start and end.

    Parameters
    ----------
    token_ids : (seq_len,) int array
    symbols : str

    Returns
    -------
    text : str

    Examples
    --------
    >>> decode([0, 5, 6, 1], "^$□，。明月")
    '明月'
    """
    return "".join(symbols[token_id] for token_id in token_ids if symbols[token_id] not in (START, END))


def unknown_characters(text, symbols):
    """Return the characters of a text that the model has never seen, each once.

    Parameters
    ----------
    text, symbols : str

    Returns
    -------
    characters : str

    Examples
    --------
    >>> unknown_characters("月明乎乎", "^$□，。明月")
    '乎'
    """
    return "".join(dict.fromkeys(character for character in text if character not in symbols))


def form_of(poem):
    """Return the form of a poem with punctuation.

    Parameters
    ----------
    poem : str

    Returns
    -------
    Form

    Examples
    --------
    >>> form_of("白日依山尽，黄河入海流。欲穷千里目，更上一层楼。")
    Form(line_length=5, n_lines=4)
    """
    return Form(poem.index(COMMA), sum(poem.count(mark) for mark in PUNCTUATION))


def generate(model, symbols, opening, temperature, k, rng, form=None):
    """Continue an opening one symbol at a time, with top-k sampling and a KV cache.

    Parameters
    ----------
    model : Decoder
    symbols : str
    opening : str
        May be empty.
    temperature : float
    k : int
    rng : numpy.random.Generator
    form : Form, optional
        Punctuation and end are written where this form wants them, and nowhere else.

    Yields
    ------
    Step
        The last one writes the end, or the last symbol for which the model has a position.

    Raises
    ------
    ValueError
        If the opening does not fit the form, or the model.
    """
    _require_fit(opening, form, len(model.positions))
    token_ids, text, cache = encode(opening, symbols), opening, start_cache(model)
    for token_id in token_ids[:-1]:
        _, cache = cached_logits(model, cache, token_id)
    next_id, symbol = token_ids[-1], ""
    while symbol != END and cache.length < len(model.positions):
        logits, cache = cached_logits(model, cache, next_id)
        allowed = _allowed(symbols, form, len(text))  # ids, the only ones that may come next
        places, probabilities = top_k(logits[allowed], k, temperature)
        candidates = allowed[places]
        next_id = candidates[sample_top_k(logits[candidates], k, temperature, rng.random())]
        symbol = symbols[next_id]
        text += symbol if symbol != END else ""
        names = "".join(symbols[token_id] for token_id in candidates)
        yield Step(text, symbol, names, probabilities, cache.length, len(allowed) == 1)


@functools.cache
def _numbers(symbols):
    """Return the id of each symbol that a text may hold; start and end do not stand in texts."""
    return {symbol: token_id for token_id, symbol in enumerate(symbols) if symbol not in START + END}


@functools.cache
def _characters(symbols, excluded):
    return np.array([token_id for token_id, symbol in enumerate(symbols) if symbol not in excluded])


def _allowed(symbols, form, place):
    """Return the ids of the symbols that may stand at a place."""
    if form is None:
        return _characters(symbols, NEVER_WRITTEN)
    forced = form.symbol_at(place)
    if forced is None:
        return _characters(symbols, NEVER_WRITTEN + PUNCTUATION + END)
    return np.array([symbols.index(forced)])


def _require_fit(opening, form, n_positions):
    if len(opening) >= n_positions:
        raise ValueError(f"an opening of {len(opening)} symbols leaves no room: at most {n_positions - 1}")
    for place, symbol in enumerate(opening if form else ""):
        wanted = form.symbol_at(place)
        if wanted is None and symbol not in PUNCTUATION + START + END:
            continue
        if symbol != wanted:
            raise ValueError(f"{symbol!r} at place {place} of the opening does not fit {form}: {_wish(wanted)}")


def _wish(wanted):
    if wanted == END:
        return "the poem is over"
    return "a character is wanted" if wanted is None else f"{wanted!r} is wanted"


def _file(name):
    path = MODELS / name
    if not path.exists():
        raise FileNotFoundError(f"helpers/models/{name} is missing: download the whole of helpers again")
    return path
