"""The sinusoidal encoding against plain loops, and what its rotations and dot products promise."""

import math

import numpy as np
import pytest

from helpers.reference import attention
from helpers.reference import positions as ref


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def loop_encoding(seq_len, d_model, base):
    rows = []
    for p in range(seq_len):
        angles = [p / base ** (2 * (c // 2) / d_model) for c in range(d_model)]
        rows.append([math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(angles)])
    return np.array(rows)


@pytest.mark.parametrize(("seq_len", "d_model", "base"), [(5, 8, 10000.0), (7, 6, 50.0), (3, 5, 10000.0), (2, 1, 10.0)])
def test_the_encoding_equals_plain_loops_also_for_an_odd_size(seq_len, d_model, base):
    np.testing.assert_allclose(ref.sinusoidal(seq_len, d_model, base), loop_encoding(seq_len, d_model, base))


@pytest.mark.parametrize(("d_model", "base"), [(8, 10000.0), (7, 50.0), (2, 10.0)])
def test_a_column_repeats_after_its_wavelength(d_model, base):
    lengths, rates = ref.wavelengths(d_model, base), ref.frequencies(d_model, base)
    np.testing.assert_allclose(lengths * rates, 2 * np.pi)
    assert len(lengths) == -(-d_model // 2)
    assert lengths[0] == pytest.approx(2 * np.pi)
    assert lengths[-1] < 2 * np.pi * base


@pytest.mark.parametrize("k", [0, 1, 5, -3])
def test_one_matrix_moves_the_encodings_of_all_positions(k):
    encoding = ref.sinusoidal(30, 10, 100.0)
    moved = encoding[5:20] @ ref.shift_matrix(k, 10, 100.0).T
    np.testing.assert_allclose(moved, encoding[5 + k : 20 + k], atol=1e-12)


def test_moving_twice_is_moving_by_the_sum_and_moving_back_undoes_it():
    first, second = ref.shift_matrix(3, 6), ref.shift_matrix(4, 6)
    np.testing.assert_allclose(first @ second, ref.shift_matrix(7, 6), atol=1e-12)
    np.testing.assert_allclose(first @ ref.shift_matrix(-3, 6), np.eye(6), atol=1e-12)


def test_the_similarity_is_the_dot_product_wherever_the_two_positions_stand():
    encoding = ref.sinusoidal(40, 12, 1000.0)
    products = encoding @ encoding.T
    distances = np.arange(40)[:, None] - np.arange(40)[None, :]
    np.testing.assert_allclose(ref.similarity(distances, 12, 1000.0), products, atol=1e-12)


@pytest.mark.parametrize("function", [lambda: ref.shift_matrix(1, 5), lambda: ref.similarity([1], 7)])
def test_an_odd_size_has_no_pairs_and_the_error_says_what_to_use(function):
    with pytest.raises(ValueError, match=r"must be even, got \d.*use [68]"):
        function()


def test_positions_are_read_off_the_hands_without_a_mistake_until_the_slowest_has_gone_round():
    last = int(ref.wavelengths(16, 100.0)[-1])
    read = ref.position_from_phases(ref.phases(last, 16, 100.0), 16, 100.0)
    np.testing.assert_allclose(read, np.arange(last), atol=1e-9)


def test_the_hands_point_where_sine_and_cosine_say():
    hands, encoding = ref.phases(50, 8), ref.sinusoidal(50, 8)
    np.testing.assert_allclose(np.sin(hands), encoding[:, 0::2], atol=1e-12)
    np.testing.assert_allclose(np.cos(hands), encoding[:, 1::2], atol=1e-12)


def test_binary_digits_are_those_that_python_writes():
    for position, digits in enumerate(ref.binary_digits(16, 4)):
        assert "".join(map(str, digits[::-1])) == f"{position:04b}"


def test_the_spectrum_finds_frequency_and_amplitude_of_each_of_two_waves():
    time = np.arange(64)
    wave = 2 * np.sin(2 * np.pi * 4 / 64 * time) + 0.5 * np.cos(2 * np.pi * 10 / 64 * time)
    frequencies, amplitudes = ref.spectrum(wave)
    assert [round(float(amplitudes[place]), 9) for place in (4, 10)] == [2.0, 0.5]
    np.testing.assert_allclose(frequencies[[4, 10]], 2 * np.pi * np.array([4, 10]) / 64)
    assert np.delete(amplitudes, [4, 10]).max() < 1e-9


def self_attention(rng, mask=None):
    matrices = rng.normal(size=(3, 4, 4))
    return lambda x: attention.self_attention(x, *matrices, mask)[0]


def test_attention_without_a_mask_does_not_know_the_order_and_with_one_or_with_positions_it_does(rng):
    x, permutation = rng.normal(size=(6, 4)), np.array([2, 0, 1, 4, 5, 3])
    layer, encoding = self_attention(rng), ref.sinusoidal(6, 4)
    assert ref.order_effect(layer, x, permutation) < 1e-12
    assert ref.is_permutation_equivariant(layer, x, [permutation])
    for knowing in (self_attention(rng, attention.causal_mask(6)), lambda x: layer(x + encoding)):
        assert ref.order_effect(knowing, x, permutation) > 0.01
        assert not ref.is_permutation_equivariant(knowing, x, [permutation])


def test_one_causal_layer_does_not_know_the_order_of_what_came_before(rng):
    layer, x = self_attention(rng, attention.causal_mask(6)), rng.normal(size=(6, 4))
    moved = np.abs(layer(x[[1, 0, 2, 3, 4, 5]]) - layer(x)).max(axis=-1)
    assert (moved[:2] > 1e-3).all()
    assert (moved[2:] < 1e-12).all()


def test_every_permutation_must_hold(rng):
    x, backwards, other = rng.normal(size=(4, 3)), [3, 2, 1, 0], [1, 2, 0, 3]
    assert ref.is_permutation_equivariant(lambda x: x[::-1], x, [backwards])
    assert not ref.is_permutation_equivariant(lambda x: x[::-1], x, [backwards, other])
