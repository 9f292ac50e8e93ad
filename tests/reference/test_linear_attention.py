"""Linear attention is the same in both orders and as running sums, and differs from softmax where it says so."""

import numpy as np
import pytest

from helpers.reference import linear_attention as ref
from helpers.reference.attention import attention, entropy


@pytest.fixture
def rng():
    return np.random.default_rng(19)


@pytest.fixture
def qkv(rng):
    return tuple(rng.normal(size=(2, 7, d)) for d in (3, 3, 5))


def test_the_features_are_elu_plus_one_without_a_jump_and_without_overflow():
    x = np.array([-2.0, -0.5, -1e-9, 0.0, 1e-9, 2.0, 1e4, -1e4])
    expected = [np.exp(-2), np.exp(-0.5), 1, 1, 1, 3, 10001, 0]
    with np.errstate(over="raise"):
        np.testing.assert_allclose(ref.feature_map(x), expected, atol=1e-8)


def test_both_orders_give_the_same_output_as_loops(qkv):
    q, k, v = qkv
    by_weights, weights = ref.linear_attention(q, k, v, through="weights")
    by_state, state = ref.linear_attention(q, k, v, through="state")
    np.testing.assert_allclose(by_state, by_weights)
    phi_q, phi_k = ref.feature_map(q[1]), ref.feature_map(k[1])
    row = np.array([phi_q[4] @ key for key in phi_k])
    np.testing.assert_allclose(weights[1, 4], row / row.sum())
    np.testing.assert_allclose(by_state[1, 4], sum(w * value for w, value in zip(row / row.sum(), v[1], strict=True)))
    np.testing.assert_allclose(state[1], sum(np.outer(key, value) for key, value in zip(phi_k, v[1], strict=True)))


def test_another_order_is_refused_by_name(qkv):
    with pytest.raises(ValueError, match='"weights" or "state", got \'keys\''):
        ref.linear_attention(*qkv, through="keys")


def test_the_causal_one_gives_each_position_the_attention_over_its_past(qkv):
    q, k, v = qkv
    output = ref.causal_linear_attention(q, k, v)
    for i in range(7):
        past = slice(0, i + 1)
        expected, _ = ref.linear_attention(q[:, i : i + 1], k[:, past], v[:, past])
        np.testing.assert_allclose(output[:, i : i + 1], expected)


def test_the_running_state_ends_as_the_state_of_all(qkv):
    q, k, v = qkv
    states, totals = ref.running_state(k, v)
    np.testing.assert_allclose(states[:, -1], ref.linear_attention(q, k, v)[1])
    np.testing.assert_allclose(totals[:, -1], ref.feature_map(k).sum(axis=-2))


def test_multiplications_agree_with_the_shapes_of_the_products():
    n, d_k, d_v = 11, 3, 5
    assert ref.linear_multiplications(n, d_k, d_v, "weights") == n * d_k * n + n * n * d_v
    assert ref.linear_multiplications(n, d_k, d_v, "state") == d_k * n * d_v + n * d_k * d_v + n * d_k


def test_sharper_queries_sharpen_softmax_far_more_than_linear_attention(qkv):
    q, k, v = qkv
    soft = entropy(attention(8 * q, k, v)[1]).mean()
    linear = entropy(ref.linear_attention(8 * q, k, v, through="weights")[1]).mean()
    assert soft < 0.5 * linear


def test_random_features_estimate_the_exponential_without_bias(rng):
    q, k = rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
    directions = rng.standard_normal((200_000, 4))
    estimate = ref.random_features(q, directions) @ ref.random_features(k, directions).T
    assert estimate.item() == pytest.approx(np.exp((q @ k.T / 2).item()), rel=0.03)


def test_more_random_features_come_nearer_to_softmax(qkv, rng):
    q, k, v = qkv
    _, expected = attention(q, k, v)

    def error(n_features):
        trials = [ref.performer_attention(q, k, v, rng.standard_normal((n_features, 3)))[1] for _ in range(20)]
        return np.mean([np.abs(weights - expected).mean() for weights in trials])

    errors = [error(n_features) for n_features in (8, 128, 2048)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]  # about 1 / sqrt(n_features): a quarter each time


def test_the_rows_of_performer_weights_sum_to_one_and_collect_the_values(qkv, rng):
    q, k, v = qkv
    output, weights = ref.performer_attention(q, k, v, rng.standard_normal((16, 3)))
    np.testing.assert_allclose(weights.sum(axis=-1), 1)
    np.testing.assert_allclose(output, weights @ v)


def test_linear_attention_forgets_once_there_are_many_pairs(rng):
    few, many = (ref.recall_shares(n_pairs, 16, rng) for n_pairs in (3, 96))
    assert few["softmax"] == many["softmax"] == 1
    assert few["linear"] > 0.6 > 0.3 > many["linear"]
