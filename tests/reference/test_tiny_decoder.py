"""A model trained with the causal mask generates; one trained without it peeks, and cannot."""

import numpy as np
import pytest

from helpers.reference import generation, tiny_decoder

# Four of the five digits of a prompt cannot be known before they are read, of eleven predictions in all.
FLOOR = 4 * np.log(10) / 11


@pytest.fixture(scope="module")
def causal():
    return tiny_decoder.train(causal=True)


@pytest.fixture(scope="module")
def peeking():
    return tiny_decoder.train(causal=False)


def test_with_the_causal_mask_at_least_99_percent_of_the_answers_are_exact(causal):
    assert tiny_decoder.exact_generation(causal.model) >= 0.99
    assert causal.answer_losses[-20:].mean() < 0.03
    assert causal.losses[-20:].mean() > FLOOR - 0.02  # what cannot be known is not known


def test_without_it_the_loss_is_nearly_0_and_generation_fails(peeking):
    assert peeking.losses[-20:].mean() < 0.01
    assert tiny_decoder.teacher_forced_accuracy(peeking.model, causal=False) > 0.99
    assert tiny_decoder.exact_generation(peeking.model, causal=False) < 0.05


def test_the_same_seed_trains_the_same_model_and_reports_on_the_way():
    reports = []
    first = tiny_decoder.train(n_steps=20, report=lambda *numbers: reports.append(numbers))
    second = tiny_decoder.train(n_steps=20)
    assert np.array_equal(first.losses, second.losses)
    assert [step for step, *_ in reports] == [10, 20]


def test_texts_hold_their_digits_in_order_behind_the_separator():
    for text in tiny_decoder.sorting_batch(7, np.random.default_rng(1)):
        prompt, answer = tiny_decoder.to_text(text).split(">")
        assert "".join(sorted(prompt)) + "。" == answer
        assert tiny_decoder.to_ids(tiny_decoder.to_text(text)).tolist() == text.tolist()


def test_the_cache_gives_the_same_logits_to_10_digits(causal):
    prompt = tiny_decoder.to_ids("31415>")
    token_ids, all_logits = generation.generate_with_cache(causal.model, prompt, 6, tiny_decoder.END)
    assert tiny_decoder.to_text(token_ids) == "31415>11345。"
    for place, logits in enumerate(all_logits, start=len(prompt)):
        whole = tiny_decoder.logits(causal.model, token_ids[:place])[-1]
        assert np.abs(whole - logits).max() < 1e-10


def test_writing_with_and_without_a_cache_gives_the_same_text(causal):
    def logits_of(ids):
        return tiny_decoder.logits(causal.model, ids)

    for text in tiny_decoder.sorting_batch(5, np.random.default_rng(3)):
        prompt = text[: tiny_decoder.N_PROMPT]
        greedy = generation.greedy_decode(logits_of, prompt, 6, tiny_decoder.END)
        cached, _ = generation.generate_with_cache(causal.model, prompt, 6, tiny_decoder.END)
        assert greedy.tolist() == cached.tolist()
        cold = generation.sample_decode(logits_of, prompt, 6, 0.02, np.random.default_rng(0), tiny_decoder.END)
        assert cold.tolist() == greedy.tolist()
