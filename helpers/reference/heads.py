"""Heads built by hand, each with a job of its own: what one head cannot do, what copies of one head cannot add.

Sources: Voita et al. 2019, *Analyzing Multi-Head Self-Attention* (arXiv:1905.09418), for the jobs; Michel et al. 2019,
*Are Sixteen Heads Really Better than One?* (arXiv:1905.10650), for switching heads off.
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import attention, project
from helpers.reference.multihead import ablate

SHARPNESS = 30.0  # how far the key that a head looks for stands above the others, after the scaling

PREVIOUS, NEXT, SAME, FIRST, BROAD = QUESTIONS = ("previous", "next", "same", "first", "broad")
JOBS = (*QUESTIONS, PREVIOUS)  # what each of the six hand-built heads does; the last does what the first does


def two_fetches(seq_len):
    """Choose projections of one-hot positions so that head 0 looks at the previous and head 1 at the next token.

    At the ends, where there is no such token, a head looks at the token itself.

    Parameters
    ----------
    seq_len : int

    Returns
    -------
    w_q, w_k : (2, seq_len, d_k) arrays
        A matrix for each head. Any `d_k` would do; here it is `seq_len`.

    Examples
    --------
    >>> w_q, w_k = two_fetches(3)
    >>> fetched_positions(w_q, w_k)
    array([[0, 0, 1],
           [1, 2, 2]])
    """
    position = np.arange(seq_len)
    previous = np.maximum(position - 1, 0)
    following = np.minimum(position + 1, seq_len - 1)
    one_hot = np.eye(seq_len)
    w_q = SHARPNESS * np.sqrt(seq_len) * one_hot[np.stack([previous, following])]  # (2, n) -> (2, n, n)
    return w_q, np.stack([one_hot, one_hot])


def fetched_positions(w_q, w_k, at_least=0.99):
    """Say which key each query of each head gives at least this weight, on one-hot positions; -1 if none.

    Parameters
    ----------
    w_q, w_k : (n_heads, seq_len, d_k) arrays
    at_least : float
        Above 0.5, so that no two keys reach it.

    Returns
    -------
    positions : (n_heads, seq_len) int array

    Examples
    --------
    >>> fetched_positions([[[9.0], [0.0]]], [[[1.0], [0.0]]])
    array([[ 0, -1]])
    """
    seq_len = np.shape(w_q)[-2]
    q, k, v = project(np.eye(seq_len), w_q, w_k, w_k)  # (n, n) @ (h, n, d_k) -> (h, n, d_k)
    _, weights = attention(q, k, v)
    return np.where(weights.max(axis=-1) >= at_least, weights.argmax(axis=-1), -1)  # (h, n, n) -> (h, n)


def fetch_errors(weights, values):
    """Restore the previous and the next token's value from what the heads bring, as well as any linear map can.

    The ends, which lack a neighbour, are left out. The map is found by least squares, so that no `w_v` and `w_o` can do
    better on these values.

    Parameters
    ----------
    weights : (n_heads, seq_len, seq_len) array
    values : (n_samples, seq_len, d_v) array
        Contents of many sentences, of mean 0 and variance 1.

    Returns
    -------
    previous_error, next_error : float
        Mean squared errors: 0 for a perfect copy, 1 for one that knows nothing.

    Examples
    --------
    >>> values = np.random.default_rng(0).standard_normal((50, 4, 1))
    >>> previous = np.eye(4, k=-1)
    >>> errors = fetch_errors(previous[None], values)
    >>> [bool(error < 0.01) for error in errors]
    [True, False]
    """
    values = np.asarray(values, dtype=float)
    brought = np.asarray(weights, dtype=float) @ values[:, None]  # (h, n, n) @ (s, 1, n, d_v) -> (s, h, n, d_v)
    brought = np.swapaxes(brought, 1, 2)[:, 1:-1]  # (s, h, n, d_v) -> (s, n - 2, h, d_v)
    n_rows = brought.shape[0] * brought.shape[1]
    wanted = np.concatenate([values[:, :-2], values[:, 2:]], axis=-1).reshape(n_rows, -1)  # (s * (n - 2), 2 * d_v)
    brought = brought.reshape(n_rows, -1)  # (s * (n - 2), h * d_v)
    best_map, *_ = np.linalg.lstsq(brought, wanted, rcond=None)
    squares = ((brought @ best_map - wanted) ** 2).mean(axis=0)  # (2 * d_v,)
    previous_error, next_error = squares.reshape(2, -1).mean(axis=-1)
    return float(previous_error), float(next_error)


def neighbour_weights(share, seq_len):
    """Weights of one head that gives `share` to the previous token and the rest to the next one.

    Parameters
    ----------
    share : float
        From 0 to 1.
    seq_len : int

    Returns
    -------
    weights : (seq_len, seq_len) array
        The ends give all their weight to the neighbour that they have.

    Examples
    --------
    >>> neighbour_weights(0.25, 3)
    array([[0.  , 1.  , 0.  ],
           [0.25, 0.  , 0.75],
           [0.  , 1.  , 0.  ]])
    """
    weights = share * np.eye(seq_len, k=-1) + (1 - share) * np.eye(seq_len, k=1)
    weights[0], weights[-1] = np.eye(seq_len)[1], np.eye(seq_len)[-2]
    return weights


@dataclass(frozen=True)
class HandBuiltHeads:
    """Six heads on one sentence: their weights, what they bring, and how `w_o` lays it out.

    Each token is its position and its word, one-hot, side by side: `d_v = seq_len + n_words`. The output has a slot of
    `d_v` columns for each of the five questions, in the order of `QUESTIONS`.
    """

    words: tuple[str, ...]
    weights: np.ndarray  # (n_heads, seq_len, seq_len)
    brought: np.ndarray  # (n_heads, seq_len, d_v)
    w_o: np.ndarray  # (n_heads * d_v, n_questions * d_v)

    def output(self, off=()):
        """Return the output `(seq_len, n_questions * d_v)` with some heads switched off."""
        return ablate(self.brought, self.w_o, off)


def hand_built_heads(words):
    """Build a previous-token, a next-token, a same-word, a first-token and a broad head, and the first once more.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    HandBuiltHeads

    Examples
    --------
    >>> heads = hand_built_heads(["a", "b", "a"])
    >>> heads.weights[2].round(2)  # the same word
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """
    x = one_hot_tokens(words)  # (n, d_v)
    q = x @ _query_matrices(len(words), x.shape[-1])  # (n, d_v) @ (h, d_v, d_v) -> (h, n, d_v)
    brought, weights = attention(q * np.sqrt(x.shape[-1]), x, x)
    return HandBuiltHeads(tuple(words), weights, brought, _output_matrix(x.shape[-1]))


def one_hot_tokens(words):
    """Write every token as its position and its word, one-hot, side by side.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    x : (seq_len, seq_len + n_words) array
        The words in the order in which they first occur.

    Examples
    --------
    >>> one_hot_tokens(["a", "a"]).astype(int)
    array([[1, 0, 1],
           [0, 1, 1]])
    """
    vocabulary = list(dict.fromkeys(words))
    word_of = [vocabulary.index(word) for word in words]
    return np.concatenate([np.eye(len(words)), np.eye(len(vocabulary))[word_of]], axis=-1)


def answers(heads, off=()):
    """Answer five questions about every token from the output, and say for each whether it is right.

    Which word comes before, which comes after, where does this word stand, which word comes first, which words does the
    sentence have?

    Parameters
    ----------
    heads : HandBuiltHeads
    off : sequence of int
        The heads to switch off.

    Returns
    -------
    right : (n_questions, seq_len) bool array
        A question whose slot is empty is not answered, so not right.

    Examples
    --------
    >>> answers(hand_built_heads(["a", "b", "a"]), off=[3]).mean(axis=-1)
    array([1., 1., 1., 0., 1.])
    """
    seq_len = len(heads.words)
    slots = heads.output(off).reshape(seq_len, len(QUESTIONS), -1)  # (n, n_questions * d_v) -> (n, n_questions, d_v)
    return (_read(slots, seq_len) == _true_answers(heads.words)).all(axis=-1).T  # (n, n_questions, d_v) -> (q, n)


def output_changes(heads):
    """Measure how far every token's output moves when each head alone is switched off.

    Parameters
    ----------
    heads : HandBuiltHeads

    Returns
    -------
    changes : (n_heads, seq_len) array
        Distances, as parts of the output's length.
    """
    complete = heads.output()  # (n, d)
    reduced = np.stack([heads.output([h]) for h in range(len(heads.weights))])  # (h, n, d)
    return np.linalg.norm(reduced - complete, axis=-1) / np.linalg.norm(complete, axis=-1)


def _query_matrices(seq_len, d_v):
    """Return what each head looks for, from a token's own one-hot vector, `(n_heads, d_v, d_v)`."""
    position = np.arange(seq_len)
    looks_for = {
        PREVIOUS: (position, np.maximum(position - 1, 0)),
        NEXT: (position, np.minimum(position + 1, seq_len - 1)),
        SAME: (np.arange(seq_len, d_v), np.arange(seq_len, d_v)),
        FIRST: (position, np.zeros(seq_len, dtype=int)),
        BROAD: ([], []),
    }
    matrices = np.zeros((len(JOBS), d_v, d_v))
    for matrix, job in zip(matrices, JOBS, strict=True):
        matrix[looks_for[job]] = SHARPNESS
    return matrices


def _output_matrix(d_v):
    """Return `w_o`: each head writes into the slot of its question; two heads of one job write half each."""
    blocks = [[(job == question) / JOBS.count(question) for question in QUESTIONS] for job in JOBS]
    return np.kron(np.array(blocks), np.eye(d_v))  # (h, n_questions), (d_v, d_v) -> (h * d_v, n_questions * d_v)


def _read(slots, seq_len):
    """Read each slot `(n, n_questions, d_v)` as an answer: the words, or positions, that stand out in it."""
    said = slots > np.maximum(slots.max(axis=-1, keepdims=True) / 5, 0.01)
    return said & _asked_for(said.shape, seq_len)


def _true_answers(words):
    """Return the right answers, read from the sentence itself, `(n, n_questions, d_v)` bool."""
    x = one_hot_tokens(words) > 0  # (n, d_v)
    same = x[:, None, len(words) :] & x[None, :, len(words) :]  # (n, 1, w) & (1, n, w) -> (n, n, w)
    true = {
        PREVIOUS: x[[0, *range(len(x) - 1)]],
        NEXT: x[[*range(1, len(x)), -1]],
        SAME: np.pad(same.any(axis=-1), [(0, 0), (0, x.shape[1] - len(x))]),
        FIRST: np.broadcast_to(x[0], x.shape),
        BROAD: np.broadcast_to(x.any(axis=0), x.shape),
    }
    stacked = np.stack([true[question] for question in QUESTIONS], axis=1)
    return stacked & _asked_for(stacked.shape, len(words))


def _asked_for(shape, seq_len):
    """Say which columns of `(n, n_questions, d_v)` answer a question: positions for `SAME`, words for the others."""
    is_position = np.arange(shape[-1]) < seq_len  # (d_v,)
    asks_position = np.array([question == SAME for question in QUESTIONS])  # (n_questions,)
    return np.broadcast_to(is_position == asks_position[:, None], shape)
