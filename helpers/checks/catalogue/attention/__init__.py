"""The exercises of section 4.1, in the order of the lesson."""

from helpers.checks.catalogue.attention import (
    attention,
    causal_mask,
    padding_mask,
    project,
    reach,
    score_std,
    scores,
    self_attention,
    softmax,
    softmax_jacobian,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        softmax,
        scores,
        project,
        score_std,
        softmax_jacobian,
        causal_mask,
        padding_mask,
        attention,
        self_attention,
        reach,
    )
)
