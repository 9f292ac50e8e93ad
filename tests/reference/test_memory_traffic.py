"""The formulas for the memory traffic are what an instrumented memory counts, and tiled results are exact."""

import numpy as np
import pytest

from helpers.reference import memory_traffic as ref
from helpers.reference.attention import attention


def memory_with(seq_len, d_k, seed=29):
    return ref.SlowMemory(**dict(zip("qkv", np.random.default_rng(seed).normal(size=(3, seq_len, d_k)), strict=True)))


@pytest.mark.parametrize(("seq_len", "d_k"), [(12, 3), (7, 5)])
@pytest.mark.parametrize("block_k", [1, 2, 3, 5, 12, 40])
def test_the_formula_is_what_the_memory_counts_and_the_output_is_exact(seq_len, d_k, block_k):
    plain, tiled = ref.memory_traffic(seq_len, d_k, block_k)
    for run, expected in ((ref.plain_in_memory, plain), (lambda m: ref.tiled_in_memory(m, 2, block_k), tiled)):
        memory = memory_with(seq_len, d_k)
        output = run(memory)
        np.testing.assert_allclose(output, attention(*(memory.look(name) for name in "qkv"))[0])
        assert memory.moved == expected == memory.loaded + memory.stored


def test_the_tile_of_queries_does_not_change_the_traffic():
    counts = set()
    for block_q in (1, 3, 7, 20):
        memory = memory_with(7, 5)
        ref.tiled_in_memory(memory, block_q, 2)
        counts.add(memory.moved)
    assert len(counts) == 1


def test_no_transfer_of_the_tiled_algorithm_is_a_whole_matrix_of_scores():
    memory = memory_with(12, 2)
    ref.tiled_in_memory(memory, 3, 4)
    assert max(size for _, _, size in memory.log) == 12 * 2  # the empty output at the start; a matrix has 144
    assert {name for _, name, _ in memory.log} == {"q", "k", "v", "output", "largest", "total"}


def test_the_log_adds_up_in_both_directions():
    memory = memory_with(5, 3)
    ref.plain_in_memory(memory)
    assert memory.loaded == sum(size for way, _, size in memory.log if way == "load") == 3 * 15 + 2 * 25
    assert memory.stored == sum(size for way, _, size in memory.log if way == "store") == 15 + 2 * 25


def test_what_was_loaded_is_a_copy():
    memory = memory_with(5, 3)
    before = memory.look("q")
    memory.load("q")[0] = 99
    memory.look("q")[0] = 99
    np.testing.assert_array_equal(memory.look("q"), before)


def test_large_scores_do_not_overflow_in_tiles():
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 6, 4))
    memory = ref.SlowMemory(q=1e4 * q, k=k, v=v)
    np.testing.assert_allclose(ref.tiled_in_memory(memory, 2, 4), attention(1e4 * q, k, v)[0])


def test_the_tile_sizes_of_the_paper_fit_into_the_fast_memory_that_they_are_made_for():
    block_q, block_k = ref.paper_blocks(fast_memory=50_000, d_k=64)
    tiles = 2 * block_k * 64 + 2 * block_q * 64
    assert (block_q, block_k) == (64, 196)
    assert ref.fast_memory_needed(64, block_q, block_k) == tiles + 64 * 196 + 2 * 64 < 50_000


def test_traffic_falls_as_one_over_the_block_size_until_it_is_the_inputs_alone():
    plain, tiled = ref.traffic_curve(4096, 64, [64, 128, 256])
    assert plain == ref.memory_traffic(4096, 64, 1)[0]
    start = 3 * 4096 * 64 + 2 * 4096
    np.testing.assert_allclose((tiled - start) * [1, 2, 4], tiled[0] - start)
    assert tiled[-1] < plain / 4
