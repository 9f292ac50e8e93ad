"""What comes next: the distribution, how well it fits, and draws from its best part."""

import numpy as np
import pytest

from helpers.reference import next_token


def test_only_the_last_position_is_asked_and_its_probabilities_sum_to_1():
    logits = np.random.default_rng(1).normal(size=(2, 5, 7))
    probabilities = next_token.next_token_distribution(logits, 0.7)
    logits[:, :-1] = 99.0
    assert np.allclose(probabilities.sum(axis=-1), 1)
    assert np.array_equal(next_token.next_token_distribution(logits, 0.7), probabilities)


def test_a_temperature_is_a_power_of_the_odds():
    low, one = (next_token.next_token_distribution([[0.3, 1.2]], t) for t in (0.25, 1.0))
    assert low[1] / low[0] == pytest.approx((one[1] / one[0]) ** 4)
    with pytest.raises(ValueError, match="above 0"):
        next_token.next_token_distribution([[0.3, 1.2]], 0.0)


def test_guessing_blindly_has_the_perplexity_of_the_vocabulary_and_certainty_has_1():
    token_ids = [3, 0, 6, 2]
    certain = 50.0 * np.eye(7)[[*token_ids[1:], 0]]
    assert next_token.perplexity(np.zeros((4, 7)), token_ids) == pytest.approx(7)
    assert next_token.perplexity(certain, token_ids) == pytest.approx(1)


def test_perplexity_is_the_inverse_of_the_geometric_mean_of_the_probabilities():
    probabilities = np.random.default_rng(2).dirichlet(np.ones(5), size=(3, 4))  # 3 texts of 4 tokens
    token_ids = np.array([[0, 1, 2, 3], [4, 4, 0, 1], [2, 0, 0, 3]])
    chosen = np.array([[p[i, ids[i + 1]] for i in range(3)] for p, ids in zip(probabilities, token_ids, strict=True)])
    expected = chosen.prod(axis=1) ** (-1 / 3)
    assert np.allclose(next_token.perplexity(np.log(probabilities), token_ids), expected)


def test_the_k_best_come_in_order_with_probabilities_among_themselves():
    token_ids, probabilities = next_token.top_k(np.log([0.1, 0.4, 0.2, 0.3]), 3, 1.0)
    assert token_ids.tolist() == [1, 3, 2]
    assert np.allclose(probabilities, np.array([4, 3, 2]) / 9)


def test_draws_with_evenly_spread_chances_come_as_often_as_their_probability_says():
    logits, u = np.log([0.1, 0.4, 0.2, 0.3]), (np.arange(9000) + 0.5) / 9000
    drawn = next_token.sample_top_k(np.tile(logits, (9000, 1)), 3, 1.0, u)
    assert np.bincount(drawn, minlength=4).tolist() == [0, 4000, 2000, 3000]
    assert (np.diff([[1, 3, 2].index(token_id) for token_id in drawn]) >= 0).all()  # the largest stretch first


def test_a_k_of_1_is_greedy_one_beyond_the_vocabulary_keeps_all_and_0_is_refused():
    logits = np.array([0.3, 0.1, 0.9])
    assert next_token.sample_top_k(logits, 1, 2.0, 0.999) == 2
    assert next_token.sample_top_k(logits, 9, 1.0, 0.999) == 1
    with pytest.raises(ValueError, match="k must be at least 1"):
        next_token.sample_top_k(logits, 0, 1.0, 0.5)


def test_rounding_leaves_no_gap_behind_the_last_token():
    logits = np.log(np.full(10, 0.1))  # ten times 0.1 is less than 1
    assert next_token.sample_top_k(logits, 10, 1.0, np.nextafter(1.0, 0.0)) == 9
