"""The softmax that the slips of this section go wrong around; it calls nothing of the reference."""

import numpy as np


def softmax(scores, axis=-1):
    """Turn scores into shares along an axis; what may look at nothing, all scores −∞, gets zeros."""
    exps = np.exp(scores - np.maximum(scores.max(axis=axis, keepdims=True), -1e300))
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total > 0, total, 1)
