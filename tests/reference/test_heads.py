"""What one head cannot do and hand-built heads can, measured and against theory."""

import numpy as np
import pytest

from helpers.reference import heads as ref
from helpers.reference.attention import softmax

WORDS = ["老师", "问", "学生", "学生", "问", "老师", "好"]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("seq_len", [1, 2, 3, 64])
def test_two_heads_look_at_the_two_neighbours_and_at_themselves_where_there_is_none(seq_len):
    previous, following = ref.fetched_positions(*ref.two_fetches(seq_len))
    assert previous.tolist() == [max(i - 1, 0) for i in range(seq_len)]
    assert following.tolist() == [min(i + 1, seq_len - 1) for i in range(seq_len)]


def test_a_key_that_is_not_looked_at_enough_does_not_count():
    w_q, w_k = ref.two_fetches(5)
    assert (ref.fetched_positions(w_q / 20, w_k) == -1).all()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_one_head_never_restores_more_than_half_of_two_neighbours(rng, share):
    """Theory: the best linear map leaves b²/(a² + b²) of the one and a²/(a² + b²) of the other."""
    values = rng.standard_normal((3000, 6, 2))
    errors = ref.fetch_errors(ref.neighbour_weights(share, 6)[None], values)
    both = share**2 + (1 - share) ** 2
    assert errors == pytest.approx([(1 - share) ** 2 / both, share**2 / both], abs=0.03)
    assert sum(errors) == pytest.approx(1, abs=0.03)


def test_no_random_head_beats_the_floor(rng):
    values = rng.standard_normal((500, 6, 2))
    for spread in (0, 1, 5):
        for _ in range(20):
            weights = softmax(spread * rng.standard_normal((1, 6, 6)))
            assert sum(ref.fetch_errors(weights, values)) > 0.95


def test_two_heads_restore_both_neighbours_exactly(rng):
    weights = np.stack([ref.neighbour_weights(share, 6) for share in (1.0, 0.0)])
    assert ref.fetch_errors(weights, rng.standard_normal((50, 6, 3))) == pytest.approx((0, 0), abs=1e-12)


def test_the_hand_built_heads_look_where_their_names_say():
    heads = ref.hand_built_heads(WORDS)
    previous, following, same, first, broad, again = heads.weights
    assert previous.argmax(axis=-1).tolist() == [0, 0, 1, 2, 3, 4, 5]
    assert following.argmax(axis=-1).tolist() == [1, 2, 3, 4, 5, 6, 6]
    assert np.flatnonzero(same[1] > 0.1).tolist() == [1, 4]
    assert first[:, 0].min() > 0.99
    assert broad == pytest.approx(np.full((7, 7), 1 / 7))
    assert np.array_equal(again, previous)


@pytest.mark.parametrize(
    ("off", "lost"),
    [([], []), ([0], []), ([5], []), ([0, 5], [0]), ([1], [1]), ([2], [2]), ([3], [3]), ([4], [4]), ([2, 3], [2, 3])],
)
def test_a_question_is_lost_when_every_head_that_answers_it_is_off(off, lost):
    right = ref.answers(ref.hand_built_heads(WORDS), off)
    assert right.shape == (5, 7)
    assert [number for number in range(5) if not right[number].any()] == lost
    assert all(right[number].all() for number in range(5) if number not in lost)


def test_a_wrong_answer_is_not_taken_for_right():
    heads = ref.hand_built_heads(WORDS)
    mistaken = ref.HandBuiltHeads(heads.words, heads.weights, heads.brought[[1, 1, 2, 3, 4, 1]], heads.w_o)
    assert ref.answers(mistaken)[0].mean() < 0.5  # the next word is said where the previous is asked for


def test_the_output_changes_by_the_part_that_a_head_wrote():
    heads = ref.hand_built_heads(WORDS)
    complete = heads.output()
    reduced = np.linalg.norm(complete - heads.output([3]), axis=-1) / np.linalg.norm(complete, axis=-1)
    changes = ref.output_changes(heads)
    assert changes.shape == (6, 7)
    assert changes[3] == pytest.approx(reduced)
    assert (changes[0] < changes[1]).all()  # the two previous-token heads share their work
