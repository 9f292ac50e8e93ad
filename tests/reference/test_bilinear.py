"""One matrix in place of two: the same scores as attention's own."""

import numpy as np
import pytest

from helpers.reference import attention
from helpers.reference import bilinear as ref


@pytest.fixture
def rng():
    return np.random.default_rng(13)


def test_scores_through_the_form_are_attentions(rng):
    x, w_q, w_k = rng.normal(size=(2, 3, 5)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    form, scores = ref.qk_as_bilinear_form(x, w_q, w_k)
    np.testing.assert_allclose(scores, attention.scores(x @ w_q, x @ w_k))
    assert np.linalg.matrix_rank(form) == 2


def test_every_head_has_a_form_of_its_own(rng):
    x, w_q, w_k = rng.normal(size=(7, 5)), rng.normal(size=(3, 5, 2)), rng.normal(size=(3, 5, 2))
    form, scores = ref.qk_as_bilinear_form(x, w_q, w_k)
    assert (form.shape, scores.shape) == ((3, 5, 5), (3, 7, 7))
    for head in range(3):
        for i, j in np.ndindex(5, 5):
            assert form[head, i, j] == pytest.approx(w_q[head, i] @ w_k[head, j])


def test_other_matrices_with_the_same_form_make_the_same_scores(rng):
    """Queries and keys are not determined: turn both, or stretch one and shrink the other."""
    x, w_q, w_k, change = rng.normal(size=(4, 5)), *rng.normal(size=(2, 5, 3)), rng.normal(size=(3, 3))
    _, scores = ref.qk_as_bilinear_form(x, w_q, w_k)
    _, changed = ref.qk_as_bilinear_form(x, w_q @ change, w_k @ np.linalg.inv(change).T)
    np.testing.assert_allclose(changed, scores)


def test_shapes_that_do_not_fit_are_named(rng):
    with pytest.raises(ValueError, match=r"w_k \(5, 3\) must fit"):
        ref.qk_as_bilinear_form(rng.normal(size=(4, 5)), rng.normal(size=(5, 2)), rng.normal(size=(5, 3)))
    with pytest.raises(ValueError, match=r"x \(4, 6\)"):
        ref.qk_as_bilinear_form(rng.normal(size=(4, 6)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2)))


def test_one_part_treats_both_tokens_alike_and_the_other_changes_sign(rng):
    form, a, b = rng.normal(size=(4, 4)), *rng.normal(size=(2, 4))
    symmetric, skew = ref.symmetric_parts(form)
    np.testing.assert_allclose(symmetric + skew, form)
    assert a @ symmetric @ b == pytest.approx(b @ symmetric @ a)
    assert a @ skew @ b == pytest.approx(-(b @ skew @ a))
