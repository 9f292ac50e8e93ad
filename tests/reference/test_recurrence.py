"""The gradients of section 4.1's comparison against finite differences."""

import numpy as np
import pytest

from helpers.reference import recurrence
from helpers.reference.attention import causal_mask, self_attention


@pytest.fixture
def rng():
    return np.random.default_rng(13)


def measured_norms(function, x, step=1e-6):
    """Norm of d(last row of function(x)) / d x[t back], by central differences."""
    norms = []
    for t in range(len(x)):
        columns = []
        for c in range(x.shape[1]):
            nudge = np.zeros_like(x)
            nudge[len(x) - 1 - t, c] = step
            columns.append((function(x + nudge)[-1] - function(x - nudge)[-1]) / (2 * step))
        norms.append(np.linalg.norm(columns))
    return norms


def test_the_gradient_of_the_recurrent_network_is_what_finite_differences_measure(rng):
    x, w_h, w_x = rng.normal(size=(5, 3)), rng.normal(size=(4, 4)), rng.normal(size=(3, 4))
    norms = recurrence.rnn_gradient_norms(x, w_h, w_x)
    assert norms == pytest.approx(measured_norms(lambda x: recurrence.rnn_states(x, w_h, w_x), x), rel=1e-5)


def test_the_gradient_of_attention_is_what_finite_differences_measure(rng):
    x, w_q, w_k, w_v = (
        rng.normal(size=(5, 3)),
        rng.normal(size=(3, 2)),
        rng.normal(size=(3, 2)),
        rng.normal(size=(3, 4)),
    )
    norms = recurrence.attention_gradient_norms(x, w_q, w_k, w_v)
    measured = measured_norms(lambda x: self_attention(x, w_q, w_k, w_v, causal_mask(5))[0], x)
    assert norms == pytest.approx(measured, rel=1e-5)


@pytest.mark.parametrize("d_model", [1, 7, 512])
def test_the_operations_cross_where_the_sequence_is_as_long_as_the_model_is_wide(d_model):
    at = recurrence.layer_operations(d_model, d_model)
    below = recurrence.layer_operations(d_model - 1, d_model)
    above = recurrence.layer_operations(d_model + 1, d_model)
    assert at["rnn"] == at["attention"]
    assert below["rnn"] >= below["attention"]
    assert above["rnn"] < above["attention"]
