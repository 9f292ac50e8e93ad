"""Who may look at whom in the three families, and what each learns from a sentence: masks and training targets.

Sources: Devlin et al. 2019, *BERT* (arXiv:1810.04805); Radford et al. 2019, *Language Models are Unsupervised Multitask
Learners*; Vaswani et al. 2017, *Attention Is All You Need*, section 3.2.3 (arXiv:1706.03762).
"""

from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import causal_mask

FAMILIES = ("encoder-only", "decoder-only", "encoder-decoder")
OBJECTIVES = ("next", "masked")
# PyTorch's cross_entropy leaves out labels with this number by default, and so does everyone since.
IGNORED = -100


@dataclass(frozen=True)
class FamilyMasks:
    """The masks of a family's attentions on a pair of sentences, None for an attention that it does not have.

    For one stack alone, source and target are one sequence of `n = n_source + n_target` tokens: `encoder` or `decoder`
    is `(n, n)`. For two stacks: `encoder` `(n_source, n_source)`, `decoder` `(n_target, n_target)`, `cross`
    `(n_target, n_source)`.
    """

    encoder: np.ndarray | None
    decoder: np.ndarray | None
    cross: np.ndarray | None


def visibility(family, n_source, n_target):
    """Put all attentions of a family into one mask over source and target: who may look at whom within a layer.

    An encoder-only model reads both in both directions; a decoder-only model reads them as one text, backwards only; in
    an encoder-decoder the source sees all of itself, the target sees all of the source (by cross-attention) and of
    itself what came before.

    Parameters
    ----------
    family : {"encoder-only", "decoder-only", "encoder-decoder"}
    n_source, n_target : int

    Returns
    -------
    mask : (n, n) bool array
        With `n = n_source + n_target`; the source comes first. Row i, column j: i may look at j.

    Raises
    ------
    ValueError
        If the family is not one of the three.

    Examples
    --------
    >>> visibility("encoder-decoder", 2, 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    n = n_source + n_target
    if family == "encoder-only":
        return np.ones((n, n), dtype=bool)
    mask = causal_mask(n)
    if family == "encoder-decoder":
        mask[:n_source, :n_source] = True
    elif family != "decoder-only":
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got {family!r}")
    return mask


def family_masks(family, n_source, n_target):
    """Return the mask of each attention that a family has.

    Parameters
    ----------
    family : {"encoder-only", "decoder-only", "encoder-decoder"}
    n_source, n_target : int

    Returns
    -------
    FamilyMasks

    Examples
    --------
    >>> family_masks("encoder-decoder", 3, 2).cross.astype(int)
    array([[1, 1, 1],
           [1, 1, 1]])
    """
    mask = visibility(family, n_source, n_target)
    if family == "encoder-only":
        return FamilyMasks(mask, None, None)
    if family == "decoder-only":
        return FamilyMasks(None, mask, None)
    source, target = slice(n_source), slice(n_source, None)
    return FamilyMasks(mask[source, source], mask[target, target], mask[target, source])


def training_targets(token_ids, objective, chosen=None, pad_id=0):
    """Say what every position has to predict, and which positions carry no loss.

    Parameters
    ----------
    token_ids : (..., seq_len) int array
        The true text.
    objective : {"next", "masked"}
        "next": the token that follows; nothing follows the last one. "masked": the position's own token, where it was
        chosen to be hidden.
    chosen : (..., seq_len) bool array, optional
        For "masked": which positions are hidden from the model.
    pad_id : int
        Padding is never predicted.

    Returns
    -------
    labels : (..., seq_len) int array
        `IGNORED` (−100) where there is no loss.

    Raises
    ------
    ValueError
        If the objective is neither, or "masked" comes without `chosen`.

    Examples
    --------
    >>> training_targets([5, 6, 7, 0], "next")
    array([   6,    7, -100, -100])
    >>> training_targets([5, 6, 7, 0], "masked", [False, True, False, True])
    array([-100,    6, -100, -100])
    """
    token_ids = np.asarray(token_ids)
    labels = np.full(token_ids.shape, IGNORED)
    if objective == "next":
        labels[..., :-1] = token_ids[..., 1:]
    elif objective == "masked":
        _require_chosen(chosen)
        labels = np.where(chosen, token_ids, IGNORED)
    else:
        raise ValueError(f'objective must be "next" or "masked", got {objective!r}')
    return np.where(labels == pad_id, IGNORED, labels)


def masked_input(token_ids, chosen, mask_id):
    """Hide the chosen tokens: what a masked language model gets to read.

    Parameters
    ----------
    token_ids : (..., seq_len) int array
    chosen : (..., seq_len) bool array
    mask_id : int

    Returns
    -------
    token_ids : (..., seq_len) int array

    Examples
    --------
    >>> masked_input([5, 6, 7], [False, True, False], mask_id=1)
    array([5, 1, 7])
    """
    return np.where(chosen, mask_id, token_ids)


def shifted_target(target_ids, start_id, pad_id=0):
    """Return what the decoder of an encoder-decoder reads, and what it must say there: the same text, one step apart.

    Parameters
    ----------
    target_ids : (..., n_target) int array
        With its end token.
    start_id : int
        What the decoder reads before it has said anything.
    pad_id : int

    Returns
    -------
    decoder_input : (..., n_target) int array
    labels : (..., n_target) int array
        `IGNORED` where the target is padding.

    Examples
    --------
    >>> shifted_target([5, 6, 2, 0], start_id=1)
    (array([1, 5, 6, 2]), array([   5,    6,    2, -100]))
    """
    target_ids = np.asarray(target_ids)
    start = np.full((*target_ids.shape[:-1], 1), start_id)
    decoder_input = np.concatenate([start, target_ids[..., :-1]], axis=-1)
    return decoder_input, np.where(target_ids == pad_id, IGNORED, target_ids)


def n_predictions(labels):
    """Count the positions that carry loss: how many predictions one pass over the text trains.

    Parameters
    ----------
    labels : (..., seq_len) int array

    Returns
    -------
    count : (...) int array

    Examples
    --------
    >>> int(n_predictions([6, 7, IGNORED]))
    2
    """
    return (np.asarray(labels) != IGNORED).sum(axis=-1)


def _require_chosen(chosen):
    if chosen is None:
        raise ValueError('the objective "masked" needs `chosen`: a bool array, True where a token is hidden')
