"""Several heads against oracles of another kind: one head at a time, counting what a product really multiplies."""

import math

import numpy as np
import pytest

from helpers.reference import multihead as ref
from helpers.reference.attention import attention, causal_mask, padding_mask, scores, softmax


@pytest.fixture
def rng():
    return np.random.default_rng(12)


def matrices(rng, d_model):
    return rng.normal(size=(4, d_model, d_model)) / np.sqrt(d_model)


def one_head_at_a_time(x, w_q, w_k, w_v, w_o, n_heads, mask):
    """Sum what every head writes through its own rows of w_o; the columns are cut by hand."""
    d_k = len(w_q) // n_heads
    output, weights = 0, []
    for h in range(n_heads):
        own = slice(h * d_k, (h + 1) * d_k)
        brought, looks = attention(x @ w_q[:, own], x @ w_k[:, own], x @ w_v[:, own], mask)
        output = output + brought @ w_o[own]
        weights.append(looks)
    return output, np.stack(weights)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6])
def test_many_heads_are_the_sum_of_what_each_writes_alone(rng, n_heads):
    x, w = rng.normal(size=(5, 6)), matrices(rng, 6)
    mask = causal_mask(5)
    mask[3] = False
    output, weights = ref.multihead_attention(x, *w, n_heads, mask)
    alone, alone_weights = one_head_at_a_time(x, *w, n_heads, mask)
    assert np.allclose(output, alone)
    assert np.allclose(weights, alone_weights)
    assert (output[3] == 0).all()


def test_a_batch_with_a_mask_each_gives_what_its_members_give_alone(rng):
    x, w = rng.normal(size=(2, 3, 6)), matrices(rng, 6)
    masks = padding_mask([1, 3], 3)
    output, weights = ref.multihead_attention(x, *w, 2, masks)  # as many heads as sentences: no axis may be mistaken
    for one in range(2):
        alone, alone_weights = ref.multihead_attention(x[one], *w, 2, masks[one])
        assert np.allclose(output[one], alone)
        assert np.allclose(weights[one], alone_weights)


def test_every_entry_of_a_head_comes_from_its_own_token_and_columns():
    token, column = np.indices((5, 6))
    heads_token, heads_column = ref.split_heads(token, 3), ref.split_heads(column, 3)
    for h, i, c in np.ndindex(3, 5, 2):
        assert (heads_token[h, i, c], heads_column[h, i, c]) == (i, 2 * h + c)


@pytest.mark.parametrize("shape", [(5, 6), (2, 5, 6), (3, 2, 7, 6)])
def test_merging_undoes_splitting(rng, shape):
    x = rng.normal(size=shape)
    assert np.array_equal(ref.merge_heads(ref.split_heads(x, 3)), x)


@pytest.mark.parametrize("bias", [True, False])
def test_the_count_is_the_size_of_the_arrays_whatever_the_number_of_heads(rng, bias):
    arrays = [*matrices(rng, 12), *(np.zeros((4, 12)) if bias else [])]
    assert ref.parameter_count(12, bias) == sum(array.size for array in arrays)


class Counting(float):
    """A number that counts how often it is multiplied."""

    count = 0

    def __mul__(self, other):
        Counting.count += 1
        return Counting(float(self) * float(other))

    def __add__(self, other):
        return Counting(float(self) + float(other))

    __radd__ = __add__


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def counting(n_rows, n_columns):
    return [[Counting(1.0)] * n_columns for _ in range(n_rows)]


@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize(("seq_len", "d_model"), [(3, 4), (5, 8)])
def test_the_multiplications_are_those_that_the_products_really_make(n_heads, seq_len, d_model):
    Counting.count = 0
    d_k = d_model // n_heads
    for _ in range(4):
        product(counting(seq_len, d_model), counting(d_model, d_model))
    for _ in range(n_heads):
        product(counting(seq_len, d_k), counting(d_k, seq_len))
        product(counting(seq_len, seq_len), counting(seq_len, d_k))
    assert ref.flops(seq_len, d_model) == Counting.count


def test_a_head_switched_off_takes_away_exactly_what_it_wrote(rng):
    heads, w_o = rng.normal(size=(2, 3, 5, 2)), rng.normal(size=(6, 7))
    before = heads.copy()
    lost = ref.ablate(heads, w_o, []) - ref.ablate(heads, w_o, [1])
    assert np.allclose(lost, heads[:, 1] @ w_o[2:4])
    assert np.array_equal(heads, before)


def test_all_heads_switched_off_leave_nothing(rng):
    assert not ref.ablate(rng.normal(size=(3, 5, 2)), rng.normal(size=(6, 4)), [0, 1, 2]).any()


def test_the_entropy_of_a_head_runs_from_zero_to_the_logarithm_of_the_number():
    looks = [np.eye(4), np.full((4, 4), 0.25), np.zeros((4, 4))]
    assert ref.head_entropy(looks) == pytest.approx([0, math.log(4), 0])


@pytest.mark.parametrize("d_k", [1, 2, 3, 5])
def test_the_rank_of_scores_is_d_k_until_the_sentence_is_shorter(rng, d_k):
    x, w_q, w_k = rng.normal(size=(2, 4, 6)), rng.normal(size=(6, d_k)), rng.normal(size=(6, d_k))
    assert ref.score_rank(x, w_q, w_k).tolist() == [min(d_k, 4)] * 2


def test_the_rank_of_scores_is_held_down_by_queries_and_by_keys(rng):
    x, narrow, wide = rng.normal(size=(7, 6)), rng.normal(size=(6, 1)) * np.ones(4), rng.normal(size=(6, 4))
    ranks = [int(ref.score_rank(x, *pair)) for pair in ((narrow, wide), (wide, narrow), (wide, wide))]
    assert ranks == [1, 1, 4]


def test_softmax_lifts_the_rank_that_the_scores_lack(rng):
    x, w_q, w_k = rng.normal(size=(6, 5)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    assert ref.score_rank(x, w_q, w_k) == 2
    assert np.linalg.matrix_rank(softmax(scores(x @ w_q, x @ w_k))) == 6


def test_copies_of_one_head_are_one_head(rng):
    x, (w_q, w_k, w_v) = rng.normal(size=(5, 6)), rng.normal(size=(3, 6, 2))
    w_o = rng.normal(size=(6, 6))
    copies, _ = ref.multihead_attention(x, *(np.tile(w, 3) for w in (w_q, w_k, w_v)), w_o, 3)
    single, _ = attention(x @ w_q, x @ w_k, x @ w_v)
    assert np.allclose(copies, single @ w_o.reshape(3, 2, 6).sum(axis=0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ref.split_heads(np.ones((3, 5)), 2),
            "d_model 5 must be divisible by n_heads 2: every head gets d_model / n_heads columns",
        ),
        (
            lambda: ref.multihead_attention(np.ones((3, 4)), *np.ones((4, 4, 4)), 3),
            "d_model 4 must be divisible by n_heads 3",
        ),
        (
            lambda: ref.multihead_attention(np.ones((3, 4)), *np.ones((3, 4, 4)), np.ones((2, 4)), 2),
            r"w_o \(2, 4\) needs a row for each of the 4 merged columns: 2 != 4",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named_with_their_sizes(call, message):
    with pytest.raises(ValueError, match=message):
        call()
