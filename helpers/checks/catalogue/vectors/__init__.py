"""The exercises of the extension on vector spaces, in the order of the lesson."""

from helpers.checks.catalogue.vectors import (
    angle_spread,
    cosine,
    distances,
    gram_schmidt,
    inner,
    nearest,
    norm,
    project,
    qk_as_bilinear_form,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        inner,
        norm,
        cosine,
        project,
        gram_schmidt,
        distances,
        nearest,
        angle_spread,
        qk_as_bilinear_form,
    )
)
