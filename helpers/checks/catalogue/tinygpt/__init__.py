"""The exercises of the extension that looks into a trained model, in the order of the lesson."""

from helpers.checks.catalogue.tinygpt import (
    ablation_loss,
    head_score,
    induction_score,
    logit_lens,
    next_token_distribution,
    perplexity,
    sample_top_k,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (
        next_token_distribution,
        sample_top_k,
        perplexity,
        head_score,
        induction_score,
        ablation_loss,
        logit_lens,
    )
)
