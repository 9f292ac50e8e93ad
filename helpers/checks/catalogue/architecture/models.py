"""Models for `greedy_decode` to write with: from token ids `(seq_len,)` to logits `(seq_len, vocab_size)`.

A report shows each by its name. They call nothing of the reference, which is locked while an answer is checked.
"""

import numpy as np


def counts_up(token_ids):
    return 2.0 * np.eye(10)[(np.asarray(token_ids) + 1) % 10]


def adds_the_last_two(token_ids):
    ids = np.asarray(token_ids)
    return np.eye(10)[(ids + np.concatenate([[0], ids[:-1]])) % 10] - 3.0


def remembers_everything(token_ids):
    ids = np.asarray(token_ids)
    places = np.arange(1, len(ids) + 1)
    return -0.1 * (np.arange(13) - np.cumsum(ids * places)[:, None] % 13) ** 2.0


def knows_its_position(token_ids):
    angles = np.arange(len(token_ids))[:, None] * np.arange(1, 8) + np.asarray(token_ids)[:, None]
    return np.sin(angles)


def first_symbol_rarest(token_ids):
    logits = np.tile(np.arange(7.0), (len(token_ids), 1))
    logits[np.arange(len(token_ids)), np.asarray(token_ids) % 7] += 5.5
    return logits
