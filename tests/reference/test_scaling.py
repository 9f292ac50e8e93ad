import numpy as np
import pytest

from helpers.reference.attention import score_std
from helpers.reference.scaling import measure_scaling


def test_the_measured_spread_follows_the_theory_and_scaling_undoes_it():
    for d_k in (1, 7, 64, 512):
        measurement = measure_scaling(d_k, np.random.default_rng(3), n_rows=3000)
        assert measurement.raw.std() == pytest.approx(score_std(d_k), rel=0.03)
        assert measurement.scaled.std() == pytest.approx(1, rel=0.03)


def test_without_scaling_softmax_sharpens_and_its_gradient_fades_as_d_k_grows():
    measurements = [measure_scaling(d_k, np.random.default_rng(3)) for d_k in (4, 64, 1024)]
    tops = [m.raw_top_weight for m in measurements]
    gradients = [m.raw_gradient for m in measurements]
    assert tops == sorted(tops)
    assert gradients == sorted(gradients, reverse=True)
    assert tops[-1] > 0.95
    assert gradients[-1] < 0.15 * measurements[-1].scaled_gradient


def test_with_scaling_neither_depends_on_d_k():
    measurements = [measure_scaling(d_k, np.random.default_rng(3), n_rows=3000) for d_k in (64, 1024)]
    assert measurements[0].scaled_top_weight == pytest.approx(measurements[1].scaled_top_weight, rel=0.05)
    assert measurements[0].scaled_gradient == pytest.approx(measurements[1].scaled_gradient, rel=0.05)
