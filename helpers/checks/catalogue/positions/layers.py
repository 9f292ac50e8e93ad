"""Functions for `is_permutation_equivariant` to judge: from `(seq_len, d_model)` to `(seq_len, d_out)`, in plain NumPy.

A report shows each by its name. They call nothing of the reference, which is locked while an answer is checked.
"""

import numpy as np


def doubled(x):
    return 2 * x


def feed_forward(x):
    return np.maximum(x - x.mean(axis=-1, keepdims=True), 0)


def plain_attention(x):
    scores = x @ x.T / np.sqrt(x.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ x


def causal_attention(x):
    scores = np.where(np.tri(len(x), dtype=bool), x @ x.T / np.sqrt(x.shape[-1]), -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ x


def attention_with_positions(x):
    angles = np.arange(len(x))[:, None] / 10.0 ** np.arange(x.shape[-1])
    return plain_attention(x + np.sin(angles))


def running_sum(x):
    return np.cumsum(x, axis=0)


def reversed_order(x):
    return x[::-1]


def next_token(x):
    return np.roll(x, -1, axis=0)


def sorted_columns(x):
    return np.sort(x, axis=0)


def mean_for_everyone(x):
    return np.broadcast_to(x.mean(axis=0), x.shape)


def sum_one_by_one(x):
    total = 0.0
    for row in x:
        total = total + row  # another order gives other last digits
    return np.broadcast_to(total, x.shape)


def largest_so_far(x):
    return np.maximum.accumulate(x, axis=0)


def position_in_the_last_column(x):
    return np.concatenate([x[:, :-1], x[:, -1:] + np.arange(len(x))[:, None]], axis=1)


def faint_position(x):
    return x + 0.01 * np.arange(len(x))[:, None]
