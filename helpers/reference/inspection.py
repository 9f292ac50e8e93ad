"""Look into a model by numbers: which head looks where, what it is good for, what each layer would say.

Sources: Olsson et al. 2022, *In-context Learning and Induction Heads* (arXiv:2209.11895), for the scores; Michel, Levy
and Neubig 2019, *Are Sixteen Heads Really Better than One?*, section 3 (arXiv:1905.10650), for switching heads off;
nostalgebraist 2020, *Interpreting GPT: the Logit Lens*.
"""

import numpy as np

from helpers.reference.attention import softmax
from helpers.reference.block import layer_norm
from helpers.reference.decoder import token_losses
from helpers.reference.multihead import ablate


def head_score(weights, offset):
    """Return how much of its attention each head gives to the token that stands `offset` places back.

    Parameters
    ----------
    weights : (..., n_heads, seq_len, seq_len) array
    offset : int
        1 is the previous token; smaller than `seq_len`.

    Returns
    -------
    score : (..., n_heads) array
        Mean over all tokens that have such a token before them.

    Examples
    --------
    >>> weights = [[[1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.2, 0.8, 0.0]]]  # one head, three tokens
    >>> head_score(weights, 1)  # (0.6 + 0.8) / 2
    array([0.7])
    """
    looked = np.diagonal(weights, -offset, axis1=-2, axis2=-1)  # (..., h, n, n) -> (..., h, n - offset)
    return looked.mean(axis=-1)


def induction_score(weights, token_ids):
    """Return how much attention each head gives to what followed the same token earlier: "A B … A" looks at B.

    Parameters
    ----------
    weights : (..., n_heads, seq_len, seq_len) array
    token_ids : (..., seq_len) int array

    Returns
    -------
    score : (..., n_heads) array
        Mean over all tokens that stood in the text before; 0 if none did.

    Examples
    --------
    >>> weights = [[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.1, 0.7, 0.2]]]
    >>> induction_score(weights, [5, 6, 5])  # the second 5 looks at 6
    array([0.7])
    """
    return pointed_at(weights, induction_targets(token_ids))


def ablation_loss(x, heads, w_o, unembedding, token_ids, off):
    """Switch heads of the last attention layer off and return how badly the text is predicted then.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
        The residual stream that the heads add to.
    heads : (..., n_heads, seq_len, d_v) array
        What each head found.
    w_o : (n_heads * d_v, d_model) array
    unembedding : (d_model, vocab_size) array
    token_ids : (..., seq_len) int array
    off : sequence of int
        The numbers of the heads to switch off; may be empty.

    Returns
    -------
    loss : (...) array
        Mean of −ln of the probability of each next token.

    Examples
    --------
    >>> x, heads, one = [[1.0, 0.0], [0.0, 1.0]], [[[0.0, 9.0], [0.0, 0.0]]], np.eye(2)
    >>> on, off = (ablation_loss(x, heads, one, one, [0, 1], off) for off in ([], [0]))
    >>> float(on.round(3)), float(off.round(3))  # the head points at token 1
    (0.127, 2.127)
    """
    x = np.asarray(x, dtype=float) + ablate(heads, w_o, off)  # (..., n, d_model)
    logits = layer_norm(x) @ np.asarray(unembedding, dtype=float)  # (..., n, d_model) @ (d_model, vocab_size)
    return token_losses(logits, token_ids).mean(axis=-1)  # (..., n - 1) -> (...)


def logit_lens(states, unembedding):
    """Let the vectors of any layer speak as if they were the last: the most likely next token, and its probability.

    Parameters
    ----------
    states : (..., d_model) array
        Of any layers and positions.
    unembedding : (d_model, vocab_size) array

    Returns
    -------
    best : (...) int array
    probability : (...) array

    Examples
    --------
    >>> best, probability = logit_lens([[5.0, 1.0], [1.0, 5.0]], np.eye(2))
    >>> best, probability.round(3)
    (array([0, 1]), array([0.881, 0.881]))
    """
    probabilities = softmax(layer_norm(states) @ np.asarray(unembedding, dtype=float))  # (..., vocab_size)
    return probabilities.argmax(axis=-1), probabilities.max(axis=-1)


def pointed_at(weights, targets):
    """Return how much attention each head gives to the places that it is expected to look at.

    Parameters
    ----------
    weights : (..., n_heads, seq_len, seq_len) array
    targets : (..., seq_len, seq_len) bool array
        True = this query is expected to look at this key.

    Returns
    -------
    score : (..., n_heads) array
        Mean over all queries that have a target, 0 if none has.

    Examples
    --------
    >>> pointed_at([[[1.0, 0.0], [0.3, 0.7]]], [[False, False], [True, True]])
    array([1.])
    """
    targets = np.asarray(targets)[..., None, :, :]  # (..., n, n) -> (..., 1, n, n)
    n_queries = targets.any(axis=-1).sum(axis=-1)  # (..., 1)
    return (weights * targets).sum(axis=(-2, -1)) / np.maximum(n_queries, 1)  # (..., h) / (..., 1)


def offset_targets(seq_len, offset):
    """Return who stands `offset` places before whom.

    Parameters
    ----------
    seq_len, offset : int

    Returns
    -------
    targets : (seq_len, seq_len) bool array

    Examples
    --------
    >>> offset_targets(3, 2).astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [1, 0, 0]])
    """
    return np.eye(seq_len, k=-offset, dtype=bool)


def duplicate_targets(token_ids, ignored=()):
    """Return where each token stood before.

    Parameters
    ----------
    token_ids : (..., seq_len) int array
    ignored : sequence of int
        Tokens, such as punctuation, whose coming back says nothing.

    Returns
    -------
    targets : (..., seq_len, seq_len) bool array

    Examples
    --------
    >>> duplicate_targets([7, 7]).astype(int)
    array([[0, 0],
           [1, 0]])
    """
    token_ids = np.asarray(token_ids)
    same = token_ids[..., :, None] == token_ids[..., None, :]  # (..., n, 1) == (..., 1, n) -> (..., n, n)
    return np.tril(same & ~np.isin(token_ids, ignored)[..., :, None], -1)


def induction_targets(token_ids, ignored=()):
    """Return what stood behind each earlier place of the same token.

    Parameters
    ----------
    token_ids : (..., seq_len) int array
    ignored : sequence of int
        As for `duplicate_targets`.

    Returns
    -------
    targets : (..., seq_len, seq_len) bool array

    Examples
    --------
    >>> induction_targets([5, 6, 5]).astype(int)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 0]])
    """
    earlier = duplicate_targets(token_ids, ignored)
    behind = np.zeros_like(earlier)
    behind[..., 1:] = earlier[..., :-1]  # from each earlier place to the one behind it
    return behind


def even_weights(seq_len):
    """Return the weights of a head that looks evenly at itself and at everything before it.

    Parameters
    ----------
    seq_len : int

    Returns
    -------
    weights : (seq_len, seq_len) array

    Examples
    --------
    >>> even_weights(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    return np.tri(seq_len) / np.arange(1, seq_len + 1)[:, None]


def chance_level(targets):
    """Return the score of a head that looks evenly at itself and at everything before it.

    Parameters
    ----------
    targets : (..., seq_len, seq_len) bool array

    Returns
    -------
    score : (...) array

    Examples
    --------
    >>> float(chance_level(offset_targets(3, 1)).round(4))  # (1/2 + 1/3) / 2
    0.4167
    """
    return pointed_at(even_weights(np.shape(targets)[-1])[None], targets)[..., 0]  # (..., 1) -> (...)
