"""Look at some keys only: sliding window, strides, global tokens, and how far several layers of them reach.

Sources: Child et al. 2019, *Generating Long Sequences with Sparse Transformers*, section 4.2 (arXiv:1904.10509);
Beltagy, Peters and Cohan 2020, *Longformer: The Long-Document Transformer*, section 3.1 (arXiv:2004.05150);
Jiang et al. 2023, *Mistral 7B*, section 2 (arXiv:2310.06825).
"""

import numpy as np

from helpers.reference.attention import attention, reach


def reach_of_window(positions, window, n_layers):
    """Return the first position that each output can depend on: every layer goes `window - 1` positions further back.

    Parameters
    ----------
    positions : (...) int array
        Of the outputs, counted from 0.
    window : int
        How many positions each one sees in one layer, itself included.
    n_layers : int

    Returns
    -------
    first : (...) int array
        Never below 0, where the text begins.

    Examples
    --------
    >>> reach_of_window([0, 5, 9], window=3, n_layers=2)
    array([0, 1, 5])
    """
    return np.maximum(np.asarray(positions) - n_layers * (window - 1), 0)


def two_sided_window_mask(seq_len, window):
    """Let every position look less than `window` steps back and ahead: an encoder's window, `2 * window - 1` wide.

    Parameters
    ----------
    seq_len, window : int

    Returns
    -------
    mask : (seq_len, seq_len) bool array

    Examples
    --------
    >>> two_sided_window_mask(4, 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    return np.abs(_steps_back(seq_len)) < window


def strided_mask(seq_len, stride):
    """Let every position look at itself and at every `stride`-th position before it.

    It is the second pattern of the Sparse Transformer, whose first is a window of `stride`: together, two layers reach
    everything.

    Parameters
    ----------
    seq_len, stride : int

    Returns
    -------
    mask : (seq_len, seq_len) bool array

    Examples
    --------
    >>> strided_mask(5, 2).astype(int)
    array([[1, 0, 0, 0, 0],
           [0, 1, 0, 0, 0],
           [1, 0, 1, 0, 0],
           [0, 1, 0, 1, 0],
           [1, 0, 1, 0, 1]])
    """
    steps_back = _steps_back(seq_len)
    return (steps_back >= 0) & (steps_back % stride == 0)


def global_mask(seq_len, n_global):
    """Let the first `n_global` positions look at all and be looked at by all; join it to a window with `|`.

    Parameters
    ----------
    seq_len, n_global : int

    Returns
    -------
    mask : (seq_len, seq_len) bool array
        Looks ahead too: a decoder takes `& causal_mask(seq_len)`.

    Examples
    --------
    >>> global_mask(3, 1).astype(int)
    array([[1, 1, 1],
           [1, 0, 0],
           [1, 0, 0]])
    """
    is_global = np.arange(seq_len) < n_global
    return is_global[:, None] | is_global[None, :]  # (n, 1) | (1, n) -> (n, n)


def density(mask):
    """Return the share of pairs that a mask allows: what is left to compute of full attention.

    Parameters
    ----------
    mask : (seq_len, seq_len) bool array

    Returns
    -------
    share : float

    Examples
    --------
    >>> density([[True, False], [True, True]])
    0.75
    """
    return float(np.mean(mask))


def layers_needed(mask, max_layers=64):
    """Count the layers after which every output depends on all that it can ever depend on.

    Parameters
    ----------
    mask : (seq_len, seq_len) bool array
        Every position may look at itself, so that more layers never reach less.
    max_layers : int

    Returns
    -------
    n_layers : int or None
        None if `max_layers` are not enough.

    Examples
    --------
    >>> layers_needed(np.tri(5, dtype=bool)), layers_needed(two_sided_window_mask(5, 2))
    (1, 4)
    """
    everything = reach(mask, len(mask))  # no shortest way is longer than that
    for n_layers in range(max_layers + 1):
        if (reach(mask, n_layers) == everything).all():
            return n_layers
    return None


def banded_attention(q, k, v, window):
    """Attend through a sliding window without ever computing a score outside it.

    Parameters
    ----------
    q, k : (..., seq_len, d_k) arrays
    v : (..., seq_len, d_v) array
    window : int

    Returns
    -------
    output : (..., seq_len, d_v) array
        The same as `attention(q, k, v, sliding_window_mask(seq_len, window))`, from `seq_len * window` scores.

    Examples
    --------
    >>> banded_attention(np.zeros((3, 1)), np.zeros((3, 1)), [[1.0], [3.0], [5.0]], window=2)[:, 0]
    array([1., 2., 4.])
    """
    q = np.asarray(q, dtype=float)
    seen = np.arange(q.shape[-2])[:, None] - np.arange(window)  # (n, w): the positions that each one sees
    near_k, near_v = (np.asarray(a, dtype=float)[..., np.maximum(seen, 0), :] for a in (k, v))  # (..., n, w, d)
    output, _ = attention(
        q[..., None, :], near_k, near_v, (seen >= 0)[..., None, :]
    )  # every query alone: (..., n, 1, d_v)
    return output[..., 0, :]


def _steps_back(seq_len):
    position = np.arange(seq_len)
    return position[:, None] - position[None, :]  # (n, 1) - (1, m) -> (n, m)
