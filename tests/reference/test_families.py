"""Who may look at whom, and what each position predicts: against the rules said in loops."""

import numpy as np
import pytest

from helpers.reference import families as ref


def may_look(family, n_source, i, j):
    """Say the rule of a family for one pair of positions."""
    if family == "encoder-only":
        return True
    if family == "decoder-only":
        return j <= i
    return j < n_source if i < n_source else j < n_source or j <= i


@pytest.mark.parametrize("family", ref.FAMILIES)
@pytest.mark.parametrize(("n_source", "n_target"), [(2, 3), (5, 2), (1, 1)])
def test_a_mask_says_the_rule_of_its_family(family, n_source, n_target):
    mask = ref.visibility(family, n_source, n_target)
    for i, j in np.ndindex(mask.shape):
        assert mask[i, j] == may_look(family, n_source, i, j)


def test_an_encoder_decoder_has_three_masks_and_the_others_one():
    masks = ref.family_masks("encoder-decoder", 3, 2)
    assert masks.encoder.shape == (3, 3)
    assert masks.encoder.all()
    assert masks.decoder.astype(int).tolist() == [[1, 0], [1, 1]]
    assert masks.cross.shape == (2, 3)
    assert masks.cross.all()
    alone = ref.family_masks("decoder-only", 3, 2)
    assert (alone.encoder, alone.cross) == (None, None)
    assert alone.decoder.shape == (5, 5)


def test_an_unknown_family_or_objective_is_named():
    with pytest.raises(ValueError, match="'mamba'"):
        ref.visibility("mamba", 1, 1)
    with pytest.raises(ValueError, match="'previous'"):
        ref.training_targets([1, 2], "previous")
    with pytest.raises(ValueError, match="chosen"):
        ref.training_targets([1, 2], "masked")


def test_every_real_token_but_the_first_is_predicted_once():
    token_ids = np.array([[5, 6, 7, 8], [9, 4, 0, 0]])
    labels = ref.training_targets(token_ids, "next")
    assert labels.tolist() == [[6, 7, 8, -100], [4, -100, -100, -100]]
    assert ref.n_predictions(labels).tolist() == [3, 1]


def test_a_masked_model_reads_the_mask_exactly_where_it_predicts():
    token_ids, chosen = np.array([5, 6, 7, 0]), np.array([True, False, True, True])
    labels = ref.training_targets(token_ids, "masked", chosen)
    assert labels.tolist() == [5, -100, 7, -100]
    assert ref.masked_input(token_ids, chosen, 1).tolist() == [1, 6, 1, 1]


def test_what_a_decoder_says_is_what_it_reads_one_step_later():
    decoder_input, labels = ref.shifted_target([[5, 6, 2], [7, 2, 0]], start_id=1)
    assert decoder_input.tolist() == [[1, 5, 6], [1, 7, 2]]
    assert labels.tolist() == [[5, 6, 2], [7, 2, -100]]
