"""RoPE against rotation matrices, and what it promises: lengths stay, scores know distances alone."""

import numpy as np
import pytest

from helpers.reference import rotary
from helpers.reference.positions import frequencies, shift_matrix


@pytest.fixture
def rng():
    return np.random.default_rng(12)


def test_every_pair_is_turned_by_a_rotation_matrix(rng):
    x, places = rng.normal(size=(3, 6)), [0, 4, 11]
    for row, turned, place in zip(x, rotary.rotate(x, places, 100.0), places, strict=True):
        for pair, rate in enumerate(frequencies(6, 100.0)):
            cos, sin = np.cos(place * rate), np.sin(place * rate)
            expected = np.array([[cos, -sin], [sin, cos]]) @ row[2 * pair : 2 * pair + 2]
            np.testing.assert_allclose(turned[2 * pair : 2 * pair + 2], expected)


def test_the_score_depends_on_the_distance_alone(rng):
    q, k = rng.normal(size=(2, 1, 8))
    scores = [
        (rotary.rotate(q, [p]) @ rotary.rotate(k, [p - distance]).T).item()
        for p in (7, 50, 1000)
        for distance in (2, 5)
    ]
    np.testing.assert_allclose(scores[::2], scores[0])
    np.testing.assert_allclose(scores[1::2], scores[1])
    assert abs(scores[0] - scores[1]) > 1e-3


def test_turning_the_query_is_moving_by_the_shift_matrix_the_other_way(rng):
    """PE is (sine, cosine), x is (first, second): the same circle, walked in the opposite sense."""
    x = rng.normal(size=(1, 6))
    np.testing.assert_allclose(rotary.rotate(x, [3])[0], shift_matrix(-3, 6) @ x[0], atol=1e-12)


def test_lengths_stay_and_position_zero_is_not_turned(rng):
    x = rng.normal(size=(2, 5, 4))
    turned = rotary.rotate(x, np.arange(5))
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
    assert (turned[:, 0] == x[:, 0]).all()


def test_the_two_conventions_differ_by_an_order_of_the_components(rng):
    x, order = rng.normal(size=(5, 8)), rotary.half_split_order(8)
    np.testing.assert_allclose(
        rotary.rotate(x, np.arange(5))[:, order], rotary.rotate_half_split(x[:, order], np.arange(5))
    )
    assert not np.allclose(rotary.rotate(x, np.arange(5)), rotary.rotate_half_split(x, np.arange(5)))


def test_queries_and_keys_are_turned_by_their_own_positions_and_values_stay(rng):
    q, k, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 7))
    turned_q, turned_k, same_v = rotary.rope(q, k, v)
    np.testing.assert_allclose(turned_q, rotary.rotate(q, np.arange(3)))
    np.testing.assert_allclose(turned_k, rotary.rotate(k, np.arange(5)))
    assert (same_v == v).all()
    assert same_v is not v


@pytest.mark.parametrize("turn", [rotary.rotate, rotary.rotate_half_split])
def test_errors_say_what_is_needed(turn):
    with pytest.raises(ValueError, match="d_k must be even, got 3"):
        turn(np.zeros((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="needs 2 positions"):
        turn(np.zeros((2, 4)), [0, 1, 2])
