"""The reference against oracles of another kind: plain loops, finite differences, graph walks."""

import math

import numpy as np
import pytest

from helpers.reference import attention as ref


def loop_attention(q, k, v, mask):
    outputs = []
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if mask[i][j]]
        exps = [math.exp(sum(a * b for a, b in zip(q[i], k[j], strict=True)) / math.sqrt(len(q[i]))) for j in seen]
        pairs = list(zip(exps, seen, strict=True))
        outputs.append([sum(e * v[j][c] for e, j in pairs) / sum(exps) if seen else 0.0 for c in range(len(v[0]))])
    return outputs


def derivative(function, point, step=1e-6):
    """Central differences: the Jacobian of `function` at `point`, last axis = the input's."""
    columns = []
    for index in np.ndindex(point.shape):
        nudge = np.zeros_like(point)
        nudge[index] = step
        columns.append((function(point + nudge) - function(point - nudge)) / (2 * step))
    return np.stack(columns, axis=-1)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_attention_equals_plain_loops_also_where_a_row_sees_nothing(rng):
    q, k, v = rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    mask = rng.random((5, 7)) < 0.5
    mask[2] = False
    output, weights = ref.attention(q, k, v, mask)
    assert np.allclose(output, loop_attention(q, k, v, mask))
    assert np.allclose(weights.sum(axis=-1), [1, 1, 0, 1, 1])
    assert (weights[~mask] == 0).all()


def test_a_batch_gives_what_its_members_give_alone(rng):
    q, k, v = rng.normal(size=(2, 3, 5, 7)), rng.normal(size=(2, 3, 4, 7)), rng.normal(size=(2, 3, 4, 2))
    output, weights = ref.attention(q, k, v)
    for index in np.ndindex(2, 3):
        alone, alone_weights = ref.attention(q[index], k[index], v[index])
        assert np.allclose(output[index], alone)
        assert np.allclose(weights[index], alone_weights)


def test_softmax_does_not_change_when_all_scores_move_together(rng):
    scores = rng.normal(size=(3, 5))
    assert np.allclose(ref.softmax(scores + 1e4), ref.softmax(scores))


def test_extreme_scores_give_finite_weights():
    assert ref.softmax([1e300, -1e300, 0.0]).tolist() == [1.0, 0.0, 0.0]


def test_the_jacobian_is_what_finite_differences_measure(rng):
    scores = rng.normal(size=5)
    assert np.allclose(ref.softmax_jacobian(ref.softmax(scores)), derivative(ref.softmax, scores), atol=1e-8)


@pytest.mark.parametrize("variances", [(1.0, 1.0), (4.0, 0.25), (2.0, 3.0)])
def test_the_spread_of_dot_products_is_what_sampling_measures(rng, variances):
    q_variance, k_variance = variances
    q = rng.normal(scale=q_variance**0.5, size=(200_000, 7))
    k = rng.normal(scale=k_variance**0.5, size=(200_000, 7))
    assert (q * k).sum(axis=-1).std() == pytest.approx(ref.score_std(7, q_variance, k_variance), rel=0.01)


def test_reach_agrees_with_which_outputs_a_changed_input_moves(rng):
    """Stack real layers and change one input: exactly the reachable outputs move."""
    seq_len, d_model, n_layers = 6, 4, 3
    mask = ref.sliding_window_mask(seq_len, 2)
    layers = [[rng.normal(size=(d_model, d_model)) / 2 for _ in range(3)] for _ in range(n_layers)]

    def stack(x):
        for matrices in layers:
            x, _ = ref.self_attention(x, *matrices, mask)
        return x

    x = rng.normal(size=(seq_len, d_model))
    for j in range(seq_len):
        changed = x.copy()
        changed[j] += 1
        moved = np.abs(stack(changed) - stack(x)).max(axis=-1) > 1e-12
        assert moved.tolist() == ref.reach(mask, n_layers)[:, j].tolist()


def test_a_padding_mask_of_a_batch_stacks_the_masks_of_its_members():
    batch = ref.padding_mask([[1, 0, 3]], 3)
    assert batch.shape == (1, 3, 3, 3)
    assert all(np.array_equal(batch[0, i], ref.padding_mask(n, 3)) for i, n in enumerate((1, 0, 3)))


def test_a_window_as_long_as_the_sequence_is_the_causal_mask():
    assert np.array_equal(ref.sliding_window_mask(5, 5), ref.causal_mask(5))


def test_entropy_runs_from_zero_to_the_logarithm_of_the_number(rng):
    assert ref.entropy([[0, 1, 0], [1 / 3, 1 / 3, 1 / 3], [0, 0, 0]]) == pytest.approx([0, math.log(3), 0])


def test_a_cold_lookup_returns_the_value_of_the_nearest_key():
    answer, weights = ref.soft_lookup([1.0, 0.0], [[0.9, 0.0], [0.0, 1.0]], [[5.0, 6.0], [7.0, 8.0]], 1e-3)
    assert answer.tolist() == [5.0, 6.0]
    assert weights.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("temperature", [0, -1, float("nan")])
def test_a_temperature_that_is_not_above_zero_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be above 0"):
        ref.soft_lookup([1.0], [[1.0]], [1.0], temperature)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ref.scores(np.ones((3, 4)), np.ones((5, 8))),
            r"queries \(3, 4\) and keys \(5, 8\) must share d_k: 4 != 8",
        ),
        (
            lambda: ref.attention(np.ones((3, 4)), np.ones((5, 4)), np.ones((6, 2))),
            r"keys \(5, 4\) and values \(6, 2\) must be equally many: 5 != 6",
        ),
        (
            lambda: ref.project(np.ones((3, 4)), np.ones((4, 2)), np.ones((5, 2)), np.ones((4, 2))),
            r"x \(3, 4\) and w_k \(5, 2\) must share d_model: 4 != 5",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named_with_their_sizes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_function_writes_to_its_inputs(rng):
    x, w, mask = rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), ref.causal_mask(3)
    before = x.copy(), w.copy(), mask.copy()
    ref.self_attention(x, w, w, w, mask)
    ref.influence(x, w, w, w, mask, position=1)
    ref.reach(mask, 2)[:] = False
    assert all(np.array_equal(now, then) for now, then in zip((x, w, mask), before, strict=True))
