"""What the lesson gives its learners and this section's wrong answers build on; it calls nothing of the reference."""

import numpy as np


def softmax(scores, axis=-1):
    """Turn scores into shares along an axis."""
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def log_softmax(scores):
    """Return the logarithms of the shares along the last axis."""
    moved = scores - scores.max(axis=-1, keepdims=True)
    return moved - np.log(np.exp(moved).sum(axis=-1, keepdims=True))


def layer_norm(x, axis=-1):
    """Give mean 0 and variance 1 along an axis."""
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=axis, keepdims=True) + 1e-5)


def token_losses(logits, token_ids):
    """Return the loss of every token but the first, (..., seq_len - 1)."""
    return -np.take_along_axis(log_softmax(logits[..., :-1, :]), token_ids[..., 1:, None], axis=-1)[..., 0]
