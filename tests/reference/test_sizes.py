"""The sizes of GPT-2 against its published counts, and the counts against arrays."""

import numpy as np
import pytest

from helpers.reference import sizes as ref


@pytest.mark.parametrize(
    ("size", "count"),
    [
        (ref.GPT2_SMALL, 124_439_808),
        (ref.GPT2_MEDIUM, 354_823_168),
        (ref.GPT2_LARGE, 774_030_080),
        (ref.GPT2_XL, 1_557_611_200),
    ],
)
def test_a_gpt_2_has_as_many_parameters_as_its_weights_file(size, count):
    assert size.n_parameters == count
    assert sum(ref.parameter_groups(size).values()) == count


@pytest.mark.parametrize("tied", [True, False])
def test_the_count_is_the_size_of_the_arrays(tied):
    d, f = 6, 24
    block = [(d, d), (d,)] * 4 + [(d, f), (f,), (f, d), (d,)] + [(d,)] * 4
    shapes = [(11, d), (7, d), *(3 * block), (d,), (d,), *([] if tied else [(d, 11)])]
    assert ref.parameter_count(11, 7, d, 3, tied) == sum(np.zeros(shape).size for shape in shapes)


def test_the_cache_is_as_large_as_its_arrays():
    keys_and_values = np.zeros((5, 2, 3, 4, 7, 6), dtype=np.float16)  # (layers, 2, batch, heads, tokens, d_k)
    assert ref.kv_cache_bytes(3, 7, 5, 4, 6) == keys_and_values.nbytes
    assert ref.kv_cache_bytes(3, 7, 5, 4, 6, 4) == 2 * keys_and_values.nbytes


def test_training_keeps_16_bytes_for_each_weight():
    assert sum(ref.training_bytes(ref.GPT2_XL.n_parameters).values()) == 16 * 1_557_611_200


def test_activations_grow_with_the_batch_and_faster_than_the_length():
    one, two, longer = (ref.activation_bytes(b, n, ref.GPT2_XL) for b, n in [(1, 512), (2, 512), (1, 1024)])
    assert two == 2 * one
    assert 2 * one < longer < 4 * one
