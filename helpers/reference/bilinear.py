"""Attention's scores as one bilinear form: queries and keys are two halves of a single matrix of low rank.

Source: Elhage et al. 2021, *A Mathematical Framework for Transformer Circuits*, "QK circuit".
"""

import numpy as np


def qk_as_bilinear_form(x, w_q, w_k):
    """Join the projections of queries and keys into one matrix, and compare all tokens through it.

    Parameters
    ----------
    x : (..., seq_len, d_model) array
    w_q, w_k : (..., d_model, d_k) arrays

    Returns
    -------
    form : (..., d_model, d_model) array
        Row = what the asking token has, column = what the asked token has; of rank d_k at most.
    scores : (..., seq_len, seq_len) array
        The same as `q @ k.T / sqrt(d_k)`.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    >>> form, scores = qk_as_bilinear_form([[1.0, 0.0], [0.0, 2.0]], [[1.0], [0.0]], [[3.0], [5.0]])
    >>> form.tolist(), scores.tolist()
    ([[3.0, 5.0], [0.0, 0.0]], [[3.0, 10.0], [0.0, 0.0]])
    """
    x, w_q, w_k = (np.asarray(each, dtype=float) for each in (x, w_q, w_k))
    _require_fitting(x, w_q, w_k)
    form = w_q @ np.swapaxes(w_k, -1, -2)  # (..., d_model, d_k) @ (..., d_k, d_model) -> (..., d_model, d_model)
    scores = x @ form @ np.swapaxes(x, -1, -2)  # (..., n, d_model) @ (d_model, d_model) @ (d_model, n) -> (..., n, n)
    return form, scores / np.sqrt(w_q.shape[-1])


def symmetric_parts(form):
    """Split a form into a part that treats both tokens alike and a part that changes sign when they are exchanged.

    Parameters
    ----------
    form : (..., d, d) array

    Returns
    -------
    symmetric, skew : (..., d, d) arrays
        Their sum is the form.

    Examples
    --------
    >>> symmetric, skew = symmetric_parts([[1.0, 4.0], [0.0, 1.0]])
    >>> symmetric.tolist(), skew.tolist()
    ([[1.0, 2.0], [2.0, 1.0]], [[0.0, 2.0], [-2.0, 0.0]])
    """
    form = np.asarray(form, dtype=float)
    turned = np.swapaxes(form, -1, -2)
    return (form + turned) / 2, (form - turned) / 2


def _require_fitting(x, w_q, w_k):
    if w_q.shape != w_k.shape or w_q.shape[-2] != x.shape[-1]:
        raise ValueError(
            f"x {x.shape}, w_q {w_q.shape} and w_k {w_k.shape} must fit: "
            "both matrices need as many rows as x has columns, and equally many columns"
        )
