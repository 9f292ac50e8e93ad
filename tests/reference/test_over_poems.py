"""Measures over many poems, against the same one poem at a time; with a model drawn at random."""

import numpy as np
import pytest

from helpers.reference import backward, decoder, inspection, over_poems, tiny_gpt

SYMBOLS = "^$□，。天地玄黄宇宙洪荒日月盈昃"
POEMS = ["天地天，玄黄宙。宇月洪，日月天。", "日昃盈，地天黄。玄黄宇，日宙宙。", "天地，玄黄。"]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(49)
    blocks = tuple(backward.random_block(6, rng) for _ in range(2))
    embedding, positions = rng.normal(size=(len(SYMBOLS), 6)), rng.normal(size=(20, 6))
    return decoder.Decoder(embedding, positions, blocks, rng.normal(size=(6, len(SYMBOLS))), 3)


def ids_of(poem):
    return tiny_gpt.encode_poem(poem, SYMBOLS)


def test_poems_are_batched_with_their_like_and_none_is_lost():
    found = over_poems.batches([*POEMS, *POEMS], SYMBOLS, size=3)
    assert [(len(token_ids), form) for token_ids, form in found] == [(2, (2, 2)), (3, (3, 4)), (1, (3, 4))]
    texts = [tiny_gpt.decode(row, SYMBOLS) for token_ids, _ in found for row in token_ids]
    assert sorted(texts) == sorted([*POEMS, *POEMS])


def test_bits_per_character_are_those_of_all_tokens_over_the_characters(model):
    bits = 0.0
    for poem in POEMS:
        logits = decoder.read(model, ids_of(poem)[:-1]).logits
        chances = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        bits -= sum(np.log2(row[token_id]) for row, token_id in zip(chances, ids_of(poem)[1:], strict=True))
    assert over_poems.bits_per_character(model, iter(POEMS), SYMBOLS) == pytest.approx(bits / (12 + 12 + 4))


def test_bits_without_each_head_are_those_of_the_model_without_it(model):
    bits = over_poems.bits_without_each_head(model, iter(POEMS), SYMBOLS)
    assert bits.shape == (2, 3)
    for head in np.ndindex(2, 3):
        without = decoder.without_heads(model, [head])
        assert bits[head] == pytest.approx(over_poems.bits_per_character(without, POEMS, SYMBOLS))
    assert np.ptp(bits) > 0.01


def places_to_look_at(poem, line_length):
    """Return (name, i, j) for every place that a head of each kind is expected to look at."""
    text, found = "^" + poem, []
    for i in range(len(text)):
        found += [("previous", i, i - 1)] * (i >= 1) + [("five_back", i, i - 5)] * (i >= 5)
        found += [("line_above", i, i - line_length - 1)] * (i >= line_length + 2)
        for j in range(i):
            if text[j] == text[i] and text[i] not in "，。":
                found += [("duplicate", i, j), ("induction", i, j + 1)]
    return found


@pytest.fixture(scope="module")
def looked_at(model):
    """The weights on the expected places, `{name: {query: (n_layers, n_heads)}}`, a query being a poem and a place."""
    looked = {name: {} for name in over_poems.HEAD_SCORES}
    for number, (poem, line_length) in enumerate(zip(POEMS, (3, 3, 2), strict=True)):
        weights = decoder.read(model, ids_of(poem)[:-1]).weights
        for name, i, j in places_to_look_at(poem, line_length):
            looked[name][number, i] = looked[name].get((number, i), 0.0) + weights[..., i, j]
    return looked


@pytest.mark.parametrize("name", over_poems.HEAD_SCORES)
def test_each_score_is_a_mean_over_all_places_that_have_something_to_look_at(model, looked_at, name):
    expected = np.mean([*looked_at[name].values()], axis=0)
    assert np.allclose(over_poems.scores_over(model, POEMS, SYMBOLS)[name], expected)


def test_a_head_that_looks_evenly_gets_the_score_of_chance(model):
    even = model._replace(blocks=tuple(b._replace(w_q=np.zeros((6, 6))) for b in model.blocks))
    chance = over_poems.chance_over(POEMS, SYMBOLS)
    for name, scores in over_poems.scores_over(even, POEMS, SYMBOLS).items():
        assert np.allclose(scores, chance[name])


def test_random_characters_come_twice_and_without_punctuation():
    token_ids = over_poems.random_repeats(SYMBOLS, 3, 5, np.random.default_rng(0))
    assert (token_ids[:, 0] == SYMBOLS.index("^")).all()
    assert np.array_equal(token_ids[:, 1:6], token_ids[:, 6:])
    assert token_ids[:, 1:].min() >= 5
    repeated = inspection.duplicate_targets(token_ids).any(axis=-1)
    assert repeated.sum(axis=-1).tolist() == [5, 5, 5]
