"""The exercises of section 4.4, in the order of the lesson."""

from helpers.checks.catalogue.architecture import (
    block,
    cached_step,
    cross_attention,
    feed_forward,
    greedy_decode,
    kv_cache_bytes,
    layer_norm,
    lesson_block,
    parameter_count,
    training_targets,
    unmasked,
    visibility,
    without_residual,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        lesson_block,
        unmasked,
        without_residual,
        layer_norm,
        feed_forward,
        block,
        cross_attention,
        visibility,
        training_targets,
        greedy_decode,
        cached_step,
        parameter_count,
        kv_cache_bytes,
    )
)
