"""The sinusoidal position encoding, and why attention needs one: section 4.3 in plain NumPy.

Source: Vaswani et al. 2017, *Attention Is All You Need*, section 3.5 (arXiv:1706.03762).
"""

import numpy as np


def is_permutation_equivariant(function, x, permutations):
    """Say whether permuting the tokens does no more to the output than permute it: `f(x[p]) == f(x)[p]`.

    Equal means equal up to rounding, as `numpy.allclose` has it.

    Parameters
    ----------
    function : callable
        From `(seq_len, d_model)` to `(seq_len, d_out)`.
    x : (seq_len, d_model) array
    permutations : (n_permutations, seq_len) int array
        Each row holds 0 … seq_len − 1 in some order; it must hold for all of them.

    Returns
    -------
    equivariant : bool

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [4.0]])
    >>> is_permutation_equivariant(lambda x: 2 * x, x, [[2, 0, 1]])
    True
    >>> is_permutation_equivariant(lambda x: np.cumsum(x, axis=0), x, [[2, 0, 1]])
    False
    """
    x = np.asarray(x, dtype=float)
    output = np.asarray(function(x))
    return all(np.allclose(function(x[order]), output[order]) for order in np.asarray(permutations))


def frequencies(d_model, base=10000.0):
    """Return how many radians each pair of columns turns per position: `base ** (-2i / d_model)`.

    Parameters
    ----------
    d_model : int
        With an odd number the last pair has a sine alone.
    base : float

    Returns
    -------
    frequencies : (ceil(d_model / 2),) array
        From 1 downwards.

    Examples
    --------
    >>> frequencies(4)
    array([1.  , 0.01])
    """
    return base ** (-np.arange(0, d_model, 2) / d_model)


def sinusoidal(seq_len, d_model, base=10000.0):
    """Write every position as sines and cosines: `sin(p * f_i)` in column 2i, `cos(p * f_i)` in column 2i + 1.

    Parameters
    ----------
    seq_len : int
        Positions 0 … seq_len − 1.
    d_model : int
        May be odd: then the last column is a sine without its cosine.
    base : float
        The frequencies are `f_i = base ** (-2i / d_model)`.

    Returns
    -------
    encoding : (seq_len, d_model) array

    Examples
    --------
    >>> sinusoidal(2, 2).round(2)
    array([[0.  , 1.  ],
           [0.84, 0.54]])
    """
    angles = np.arange(seq_len)[:, None] * frequencies(d_model, base)  # (n, 1) * (f,) -> (n, f)
    encoding = np.empty((seq_len, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return encoding


def wavelengths(d_model, base=10000.0):
    """Return after how many positions each pair of columns repeats: `2 pi * base ** (2i / d_model)`.

    Parameters
    ----------
    d_model : int
    base : float

    Returns
    -------
    wavelengths : (ceil(d_model / 2),) array
        In positions; the first is 2 pi, the last stays below 2 pi * base.

    Examples
    --------
    >>> (wavelengths(4) / np.pi).round(6)
    array([  2., 200.])
    """
    return 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)


def shift_matrix(k, d_model, base=10000.0):
    """Return the matrix that moves every encoding k positions on: `PE(p + k) = R_k @ PE(p)`, for all p alike.

    A rotation in the plane of each pair of columns, by `k` times the pair's frequency.

    Parameters
    ----------
    k : int
        Negative to move back.
    d_model : int
        Even.
    base : float

    Returns
    -------
    matrix : (d_model, d_model) array

    Raises
    ------
    ValueError
        If `d_model` is odd.

    Examples
    --------
    >>> bool(np.allclose(shift_matrix(3, 4) @ sinusoidal(5, 4)[1], sinusoidal(5, 4)[4]))
    True
    """
    require_even("d_model", d_model)
    angles = k * frequencies(d_model, base)  # (d_model / 2,)
    sine = np.arange(0, d_model, 2)
    cosine = sine + 1
    matrix = np.zeros((d_model, d_model))
    matrix[sine, sine] = np.cos(angles)
    matrix[sine, cosine] = np.sin(angles)
    matrix[cosine, sine] = -np.sin(angles)
    matrix[cosine, cosine] = np.cos(angles)
    return matrix


def similarity(distances, d_model, base=10000.0):
    """Return `PE(p) @ PE(q)` from the distance `p - q` alone: the sum of `cos(distance * f_i)`.

    Parameters
    ----------
    distances : (...) array
        `p - q`, either sign.
    d_model : int
        Even.
    base : float

    Returns
    -------
    similarity : (...) array
        `d_model / 2` at distance 0, the largest value.

    Raises
    ------
    ValueError
        If `d_model` is odd.

    Examples
    --------
    >>> similarity([0, 1, -1], 2).round(2)
    array([1.  , 0.54, 0.54])
    """
    require_even("d_model", d_model)
    distances = np.asarray(distances, dtype=float)
    angles = distances[..., None] * frequencies(d_model, base)  # (..., 1) * (f,) -> (..., f)
    return np.cos(angles).sum(axis=-1)


def phases(seq_len, d_model, base=10000.0):
    """Return where the hand of each frequency points at each position: `p * f_i` modulo one turn.

    Parameters
    ----------
    seq_len, d_model : int
    base : float

    Returns
    -------
    phases : (seq_len, ceil(d_model / 2)) array
        In radians, from 0 up to 2 pi.

    Examples
    --------
    >>> phases(8, 2)[[0, 6, 7], 0].round(2)
    array([0.  , 6.  , 0.72])
    """
    return np.arange(seq_len)[:, None] * frequencies(d_model, base) % (2 * np.pi)  # (n, 1) * (f,) -> (n, f)


def position_from_phases(hands, d_model, base=10000.0):
    """Read positions off the hands as off a clock: the slowest hand gives a rough answer, each faster one refines it.

    Parameters
    ----------
    hands : (..., d_model / 2) array
        Angles in radians, as `phases` gives them; the slowest must not have gone round.
    d_model : int
    base : float

    Returns
    -------
    positions : (...) array

    Examples
    --------
    >>> position_from_phases(phases(300, 8)[[0, 7, 299]], 8).round(6)
    array([  0.,   7., 299.])
    """
    hands = np.asarray(hands, dtype=float)
    lengths = wavelengths(d_model, base)
    shares = hands / (2 * np.pi)  # of a turn, (..., f)
    positions = shares[..., -1] * lengths[-1]
    for share, length in zip(np.moveaxis(shares, -1, 0)[-2::-1], lengths[-2::-1], strict=True):
        whole_turns = np.round(positions / length - share)
        positions = (whole_turns + share) * length
    return positions


def binary_digits(seq_len, n_digits):
    """Write every position in binary, the lowest digit first: it changes fastest, as the first columns of PE do.

    Parameters
    ----------
    seq_len, n_digits : int

    Returns
    -------
    digits : (seq_len, n_digits) int array

    Examples
    --------
    >>> binary_digits(4, 2)
    array([[0, 0],
           [1, 0],
           [0, 1],
           [1, 1]])
    """
    return np.arange(seq_len)[:, None] >> np.arange(n_digits) & 1  # (n, 1) >> (b,) -> (n, b)


def spectrum(column):
    """Return how strongly each frequency occurs in a sequence of numbers, by the discrete Fourier transform.

    Parameters
    ----------
    column : (seq_len,) array

    Returns
    -------
    frequencies : (seq_len // 2 + 1,) array
        In radians per position, from 0 to pi.
    amplitudes : (seq_len // 2 + 1,) array
        Exact for a wave that fits into the length a whole number of times; the mean, at frequency 0, counts double.

    Examples
    --------
    >>> f, amplitudes = spectrum(3 * np.sin(np.pi / 2 * np.arange(8)))
    >>> float(f[amplitudes.argmax()].round(2)), float(amplitudes.max().round(2))
    (1.57, 3.0)
    """
    column = np.asarray(column, dtype=float)
    turns = np.fft.rfftfreq(len(column))  # turns per position, (n // 2 + 1,)
    return 2 * np.pi * turns, 2 * np.abs(np.fft.rfft(column)) / len(column)


def order_effect(function, x, permutation):
    """Measure how far a function is from being permutation equivariant: the relative change beyond a permutation.

    Parameters
    ----------
    function : callable
        From `(seq_len, d_model)` to `(seq_len, d_out)`.
    x : (seq_len, d_model) array
    permutation : (seq_len,) int array

    Returns
    -------
    effect : float
        `|f(x[p]) - f(x)[p]| / |f(x)|`: 0 for a function that does not know the order.

    Examples
    --------
    >>> order_effect(lambda x: x, [[1.0], [2.0]], [1, 0])
    0.0
    """
    x = np.asarray(x, dtype=float)
    output = np.asarray(function(x))
    return float(np.linalg.norm(function(x[permutation]) - output[permutation]) / np.linalg.norm(output))


def require_even(name, size):
    """Raise a `ValueError` that says what to do unless the size is even: sine and cosine come in pairs."""
    if size % 2:
        raise ValueError(f"{name} must be even, got {size}: every frequency needs a pair of columns; use {size + 1}")
