"""The smallest block that still has every part, with numbers to check by hand: in plain lists, then in NumPy.

Its size (three tokens, one head, values made from inputs of their own) and its numbers are those of the chapter's
lesson on the block; there is no normalisation in it.
"""

import math
from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import causal_mask, masked_softmax, scores
from helpers.reference.block import cosine, relu

TOKENS = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
VALUE_INPUTS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
W_Q = [[1.0, 0.0], [0.5, 1.0], [0.0, 1.0]]
W_K = [[1.0, 0.5], [0.0, 1.0], [1.0, 0.0]]
W_V = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]
W_1 = [[1.0, -0.5], [0.5, 1.0], [1.0, 0.5]]
W_2 = [[0.5, 1.0, 0.0], [1.0, 0.0, 0.5]]
ARGUMENTS = (TOKENS, VALUE_INPUTS, W_Q, W_K, W_V, W_1, W_2)


def in_lists(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2, causal=True):
    """Compute the block with lists and loops alone, one token after the other.

    Parameters
    ----------
    tokens : list of n lists of d_model numbers
    value_inputs : list of n lists of d_in numbers
    w_q, w_k : d_model lists of d_k numbers
    w_v : d_in lists of d_model numbers
    w_1 : d_model lists of d_ff numbers
    w_2 : d_ff lists of d_model numbers
    causal : bool
        Whether token i may look only at the tokens j <= i.

    Returns
    -------
    weights : list of n lists of n numbers
    output : list of n lists of d_model numbers

    Examples
    --------
    >>> weights, output = in_lists(*ARGUMENTS)
    >>> [round(share, 3) for share in weights[1]], [round(number, 3) for number in output[1]]
    ([0.413, 0.587, 0.0], [3.897, 4.294, 2.566])
    """
    keys = [_times(token, w_k) for token in tokens]
    values = [_times(given, w_v) for given in value_inputs]
    weights, output = [], []
    for i, token in enumerate(tokens):
        visible = i + 1 if causal else len(tokens)
        shares = _shares(_times(token, w_q), keys[:visible])
        context = _times(shares, values[:visible])
        attended = [old + new for old, new in zip(token, context, strict=True)]
        hidden = [max(0.0, number) for number in _times(attended, w_1)]
        output.append([old + new for old, new in zip(attended, _times(hidden, w_2), strict=True)])
        weights.append(shares + [0.0] * (len(tokens) - visible))
    return weights, output


def _times(vector, matrix):
    """Multiply a row vector and a matrix."""
    return [sum(a * b for a, b in zip(vector, column, strict=True)) for column in zip(*matrix, strict=True)]


def _shares(query, keys):
    """Return the softmax of a query's scores."""
    scaled = [sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)) for key in keys]
    exps = [math.exp(score - max(scaled)) for score in scaled]
    return [number / sum(exps) for number in exps]


@dataclass(frozen=True)
class LessonTrace:
    """Every array of one pass through the block, in the order in which they arise.

    `tokens` `(n, d_model)`; `q`, `k` `(n, d_k)`; `v` `(n, d_model)`; `scores` `(n, n)`, scaled, before the `mask`;
    `weights` `(n, n)`; `context`, `after_attention`, `ffn_output`, `output` `(n, d_model)`; `hidden` `(n, d_ff)`,
    after the ReLU.
    """

    tokens: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    scores: np.ndarray
    mask: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    after_attention: np.ndarray
    hidden: np.ndarray
    ffn_output: np.ndarray
    output: np.ndarray


def trace(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2, causal=True, residual=True):
    """Compute the block in NumPy and keep every array on the way.

    Parameters
    ----------
    tokens : (n, d_model) array
    value_inputs : (n, d_in) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_in, d_model) array
    w_1 : (d_model, d_ff) array
    w_2 : (d_ff, d_model) array
    causal : bool
    residual : bool
        Whether attention and feed-forward network add to what was there, or take its place.

    Returns
    -------
    LessonTrace

    Examples
    --------
    >>> trace(*ARGUMENTS).after_attention[0]
    array([2. , 0. , 1.5])
    """
    x, given, w_q, w_k, w_v, w_1, w_2 = (
        np.asarray(a, dtype=float) for a in (tokens, value_inputs, w_q, w_k, w_v, w_1, w_2)
    )
    q, k, v = x @ w_q, x @ w_k, given @ w_v  # (n, d_k), (n, d_k), (n, d_model)
    mask = causal_mask(len(x)) if causal else np.ones((len(x), len(x)), dtype=bool)
    compared = scores(q, k)  # (n, n)
    weights = masked_softmax(compared, mask)
    context = weights @ v  # (n, n) @ (n, d_model) -> (n, d_model)
    attended = x + context if residual else context
    hidden = relu(attended @ w_1)  # (n, d_ff)
    digested = hidden @ w_2  # (n, d_model)
    output = attended + digested if residual else digested
    return LessonTrace(x, q, k, v, compared, mask, weights, context, attended, hidden, digested, output)


def lesson_block(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    """Compute the block and return its weights and its output.

    Parameters
    ----------
    tokens : (n, d_model) array
    value_inputs : (n, d_in) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_in, d_model) array
    w_1 : (d_model, d_ff) array
    w_2 : (d_ff, d_model) array

    Returns
    -------
    weights : (n, n) array
    output : (n, d_model) array

    Examples
    --------
    >>> weights, output = lesson_block(*ARGUMENTS)
    >>> output[0]
    array([3.75, 3.5 , 1.5 ])
    """
    x = np.asarray(tokens, dtype=float)
    v = np.asarray(value_inputs, dtype=float) @ np.asarray(w_v)  # (n, d_in) @ (d_in, d_model) -> (n, d_model)
    weights = masked_softmax(scores(x @ np.asarray(w_q), x @ np.asarray(w_k)), causal_mask(len(x)))
    x = x + weights @ v  # (n, n) @ (n, d_model) -> (n, d_model)
    return weights, x + relu(x @ np.asarray(w_1)) @ np.asarray(w_2)


def unmasked(tokens, w_q, w_k):
    """Let every token look at all tokens, and say whose weights are not what they were under the causal mask.

    Parameters
    ----------
    tokens : (n, d_model) array
    w_q, w_k : (d_model, d_k) arrays

    Returns
    -------
    weights : (n, n) array
    changed : (n,) bool array

    Examples
    --------
    >>> weights, changed = unmasked(TOKENS, W_Q, W_K)
    >>> weights[0].round(2), changed
    (array([0.37, 0.26, 0.37]), array([ True,  True, False]))
    """
    x = np.asarray(tokens, dtype=float)
    compared = scores(x @ np.asarray(w_q), x @ np.asarray(w_k))
    weights = masked_softmax(compared)
    before = masked_softmax(compared, causal_mask(len(x)))
    return weights, ~np.isclose(weights, before).all(axis=-1)  # (n, n) -> (n,)


def without_residual(tokens, value_inputs, w_q, w_k, w_v, w_1, w_2):
    """Drop both residual connections, and say how far each output row points in the direction of its token.

    Parameters
    ----------
    tokens : (n, d_model) array
    value_inputs : (n, d_in) array
    w_q, w_k : (d_model, d_k) arrays
    w_v : (d_in, d_model) array
    w_1 : (d_model, d_ff) array
    w_2 : (d_ff, d_model) array

    Returns
    -------
    output : (n, d_model) array
    similarity : (n,) array
        Cosine of output row and token row; 0 where one of them is zero.

    Examples
    --------
    >>> output, similarity = without_residual(*ARGUMENTS)
    >>> output[0], similarity[:1].round(3)
    (array([0.75, 1.5 , 0.  ]), array([0.316]))
    """
    x = np.asarray(tokens, dtype=float)
    v = np.asarray(value_inputs, dtype=float) @ np.asarray(w_v)  # (n, d_in) @ (d_in, d_model) -> (n, d_model)
    context = masked_softmax(scores(x @ np.asarray(w_q), x @ np.asarray(w_k)), causal_mask(len(x))) @ v
    output = relu(context @ np.asarray(w_1)) @ np.asarray(w_2)  # (n, d_model)
    return output, cosine(output, x)
