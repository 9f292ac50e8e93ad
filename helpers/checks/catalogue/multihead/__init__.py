"""The exercises of section 4.2, in the order of the lesson."""

from helpers.checks.catalogue.multihead import (
    ablate,
    attention,
    flops,
    head_entropy,
    merge_heads,
    parameter_count,
    score_rank,
    split_heads,
    two_fetches,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        two_fetches,
        split_heads,
        merge_heads,
        attention,
        parameter_count,
        flops,
        score_rank,
        ablate,
        head_entropy,
    )
)
