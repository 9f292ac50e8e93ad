"""What each kind of position does past the training length: `extrapolate` trains on short sequences and tests on long.

A head scores a pair of tokens by their positions, in the way of one scheme, and by whether they are the same token.
Two tasks are learned: look at the token some steps back, and look at the nearest earlier token of the same kind.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from helpers.reference.attention import causal_mask, masked_softmax
from helpers.reference.positions import frequencies, sinusoidal
from helpers.reference.relative import clipped_distance, relative_bucket

D_MODEL = 32
MAX_LENGTH = 256  # rows of the learned table, most of them never trained
MAX_DISTANCE = 16  # where Shaw's distances are cut off
N_BUCKETS, MAX_BUCKETED = 32, 128  # T5's
ALIBI_SLOPE = 0.5  # the first of eight heads
VOCABULARY = 8
STEPS, LEARNING_RATE = 200, 0.1


@dataclass(frozen=True)
class Scheme:
    """A kind of position: its parameters at the start, its scores, and the gradient of its parameters.

    Attributes
    ----------
    initial : callable
        From a `numpy.random.Generator` to a list of arrays, the parameters.
    scores : callable
        From parameters and same-token matrices `(batch, n, n)` to scores `(batch, n, n)`.
    gradient : callable
        From parameters, same-token matrices and d loss / d scores to one array for each parameter.
    """

    initial: Callable
    scores: Callable
    gradient: Callable


def by_features(positional, contextual):
    """Return the scheme `sum a_f F_f + same * sum b_g G_g` for features F and G of two positions; a and b are learned.

    Parameters
    ----------
    positional, contextual : callable
        From a length n to an `(n_features, n, n)` array.

    Returns
    -------
    Scheme
    """

    def initial(rng):
        return [np.zeros(len(features(2))) for features in (positional, contextual)]

    def scores(parameters, same):
        n = same.shape[-1]
        return _weighted(parameters[0], positional(n)) + same * _weighted(parameters[1], contextual(n))

    def gradient(parameters, same, d_scores):
        n = same.shape[-1]
        pairs = ((positional(n), d_scores), (contextual(n), d_scores * same))
        return [np.einsum("fij,bij->f", features, d, optimize=True) for features, d in pairs]

    return Scheme(initial, scores, gradient)


def by_encoding():
    """Return the scheme `PE_i @ w @ PE_j + b * same` with the sinusoidal encoding; w and b are learned.

    Returns
    -------
    Scheme
    """

    def scores(parameters, same):
        encoding = sinusoidal(same.shape[-1], D_MODEL)
        return encoding @ parameters[0] @ encoding.T + parameters[1] * same  # (n, d) @ (d, d) @ (d, n) -> (n, n)

    def gradient(parameters, same, d_scores):
        encoding = sinusoidal(same.shape[-1], D_MODEL)
        return [encoding.T @ d_scores.sum(axis=0) @ encoding, (d_scores * same).sum()]

    return Scheme(lambda rng: [np.zeros((D_MODEL, D_MODEL)), np.zeros(())], scores, gradient)


def by_table():
    """Return the scheme `q_i @ k_j + b * same` with a learned query and key for every position.

    Returns
    -------
    Scheme
    """

    def initial(rng):
        return [rng.normal(scale=0.3, size=(MAX_LENGTH, D_MODEL)) for _ in range(2)] + [np.zeros(())]

    def scores(parameters, same):
        q, k, by_content = parameters
        n = same.shape[-1]
        return q[:n] @ k[:n].T + by_content * same  # (n, d) @ (d, n) -> (n, n)

    def gradient(parameters, same, d_scores):
        q, k, _ = parameters
        n, d_positions = same.shape[-1], d_scores.sum(axis=0)
        d_q, d_k = np.zeros_like(q), np.zeros_like(k)
        d_q[:n], d_k[:n] = d_positions @ k[:n], d_positions.T @ q[:n]
        return [d_q, d_k, (d_scores * same).sum()]

    return Scheme(initial, scores, gradient)


def schemes():
    """Return every kind of position of section 4.3, by name.

    Returns
    -------
    schemes : dict of str to Scheme
        `none`, `learned`, `sinusoidal`, `shaw`, `t5`, `alibi`, `rope`.
    """
    return {
        "none": by_features(_nothing, _one),
        "learned": by_table(),
        "sinusoidal": by_encoding(),
        "shaw": by_features(lambda n: _one_hot(clipped_distance(n, MAX_DISTANCE), 2 * MAX_DISTANCE + 1), _one),
        "t5": by_features(lambda n: _one_hot(_buckets(n), N_BUCKETS), _one),
        "alibi": _with_penalty(by_features(_nothing, _one)),
        "rope": by_features(_rotations, _rotations),
    }


def fit(scheme, task, rng, seq_len=32, batch=16):
    """Train a scheme on a task by Adam and return its parameters.

    Parameters
    ----------
    scheme : Scheme
    task : callable
        From tokens `(batch, n)` to the target key of every query `(batch, n)`, −1 for none.
    rng : numpy.random.Generator
    seq_len, batch : int

    Returns
    -------
    parameters : list of arrays
    """
    tokens = rng.integers(VOCABULARY, size=(batch, seq_len))
    same, targets = same_token(tokens), task(tokens)
    parameters = scheme.initial(rng)
    means, squares = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    for step in range(1, STEPS + 1):
        gradients = scheme.gradient(parameters, same, _d_scores(scheme.scores(parameters, same), targets))
        means = [0.9 * m + 0.1 * g for m, g in zip(means, gradients, strict=True)]
        squares = [0.99 * s + 0.01 * g**2 for s, g in zip(squares, gradients, strict=True)]
        corrections = 1 - 0.9**step, 1 - 0.99**step
        parameters = [
            p - LEARNING_RATE * (m / corrections[0]) / (np.sqrt(s / corrections[1]) + 1e-8)
            for p, m, s in zip(parameters, means, squares, strict=True)
        ]
    return parameters


def weight_on_target(scheme, parameters, task, rng, seq_len, batch=8):
    """Measure how much attention goes where it should, over the queries in the second half of fresh sequences.

    Parameters
    ----------
    scheme : Scheme
    parameters : list of arrays
    task : callable
    rng : numpy.random.Generator
    seq_len, batch : int

    Returns
    -------
    weight : float
        Mean weight of the right key; 1 is perfect.
    """
    tokens = rng.integers(VOCABULARY, size=(batch, seq_len))
    targets = task(tokens)
    weights = masked_softmax(scheme.scores(parameters, same_token(tokens)), causal_mask(seq_len))
    sequences, queries = np.nonzero(targets >= 0)
    late = queries >= seq_len // 2
    sequences, queries = sequences[late], queries[late]
    return float(weights[sequences, queries, targets[sequences, queries]].mean())


def extrapolate(task, rng, train_length=32, test_lengths=(32, 64, 128, 256)):
    """Train every scheme at one length and test it at several.

    Parameters
    ----------
    task : callable
    rng : numpy.random.Generator
    train_length : int
    test_lengths : iterable of int
        None above `MAX_LENGTH`.

    Returns
    -------
    weights : dict of str to list of float
        For each scheme the mean weight of the right key at each test length.
    """
    results = {}
    for name, scheme in schemes().items():
        parameters = fit(scheme, task, rng, train_length)
        results[name] = [weight_on_target(scheme, parameters, task, rng, n) for n in test_lengths]
    return results


def steps_back(tokens, steps=3):
    """Let every query look for the key a fixed number of steps before it.

    Parameters
    ----------
    tokens : (batch, n) int array
    steps : int

    Returns
    -------
    targets : (batch, n) int array
        −1 where there is no such key.

    Examples
    --------
    >>> steps_back(np.array([[5, 6, 7, 5, 6]]))
    array([[-1, -1, -1,  0,  1]])
    """
    target = np.arange(tokens.shape[-1]) - steps
    return np.broadcast_to(np.maximum(target, -1), tokens.shape)


def nearest_same(tokens):
    """Let every query look for the nearest earlier token of its own kind.

    Parameters
    ----------
    tokens : (batch, n) int array

    Returns
    -------
    targets : (batch, n) int array
        −1 where there is none.

    Examples
    --------
    >>> nearest_same(np.array([[5, 6, 5, 5, 6]]))
    array([[-1, -1,  0,  2,  1]])
    """
    earlier = same_token(tokens) * np.arange(1, tokens.shape[-1] + 1)  # key number + 1 where it is the same, else 0
    return earlier.max(axis=-1).astype(int) - 1  # (batch, n, n) -> (batch, n)


def same_token(tokens):
    """Say for every query which earlier tokens are of its own kind.

    Parameters
    ----------
    tokens : (batch, n) int array

    Returns
    -------
    same : (batch, n, n) array
        1 where key j stands before query i and is the same token, else 0.
    """
    earlier = np.tri(tokens.shape[-1], k=-1)
    return earlier * (tokens[:, :, None] == tokens[:, None, :])  # (b, n, 1) == (b, 1, n) -> (b, n, n)


def _d_scores(scores, targets):
    """Return d loss / d scores; the loss is the mean of −log(weight of the right key) over queries that have one."""
    n = scores.shape[-1]
    has_target = targets >= 0
    right = (np.arange(n) == targets[..., None]).astype(float)  # (b, n, m), a row of 0 without a target
    weights = masked_softmax(np.broadcast_to(scores, right.shape), causal_mask(n))
    return (weights - right) * has_target[..., None] / has_target.sum()


def _weighted(weights, features):
    return np.tensordot(weights, features, 1)  # (f,) · (f, n, n) -> (n, n)


def _nothing(n):
    return np.zeros((0, n, n))


def _one(n):
    return np.ones((1, n, n))


def _one_hot(index, size):
    return (np.arange(size)[:, None, None] == index).astype(float)  # (s, 1, 1) == (n, n) -> (s, n, n)


def _buckets(n):
    return relative_bucket(_distance(n), False, N_BUCKETS, MAX_BUCKETED)


def _distance(n):
    """Return position of the key minus position of the query, `(n, n)`."""
    return np.arange(n)[None, :] - np.arange(n)[:, None]


@functools.lru_cache(maxsize=1)  # training asks again and again for the same length
def _rotations(n):
    """Return what a turned query and a turned key can make of their distance: cosine and sine of each frequency."""
    angles = frequencies(D_MODEL)[:, None, None] * _distance(n)  # (f, 1, 1) * (n, n) -> (f, n, n)
    return np.concatenate([np.cos(angles), np.sin(angles)])


def _with_penalty(scheme):
    def scores(parameters, same):
        return scheme.scores(parameters, same) - ALIBI_SLOPE * np.abs(_distance(same.shape[-1]))

    return Scheme(scheme.initial, scores, scheme.gradient)
