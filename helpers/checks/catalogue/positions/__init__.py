"""The exercises of section 4.3, in the order of the lesson."""

from helpers.checks.catalogue.positions import (
    alibi_bias,
    clipped_distance,
    is_permutation_equivariant,
    relative_bucket,
    rope,
    shift_matrix,
    similarity,
    sinusoidal,
    wavelengths,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        is_permutation_equivariant,
        sinusoidal,
        wavelengths,
        shift_matrix,
        similarity,
        clipped_distance,
        relative_bucket,
        alibi_bias,
        rope,
    )
)
