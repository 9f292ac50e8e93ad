"""The trained model as it is shipped: PyTorch's logits, its own numbers, and poems that keep their form."""

from pathlib import Path

import numpy as np
import pytest

from helpers.reference import decoder, over_poems, tiny_gpt

MEGABYTE = 1_000_000
FROZEN = Path(__file__).parent / "fixtures" / "tiny_gpt.npz"
TINY_SYMBOLS = "^$□，。明月光"


@pytest.fixture(scope="module")
def gpt():
    return tiny_gpt.load()


def write(gpt, opening, form=None, k=20, temperature=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return list(tiny_gpt.generate(gpt.model, gpt.symbols, opening, temperature, k, rng, form))


def test_the_logits_are_those_of_pytorch(gpt):
    with np.load(FROZEN) as frozen:
        found = decoder.read(gpt.model, frozen["token_ids"].astype(int)).logits[:, frozen["rows"]]
        assert np.abs(found - frozen["logits"]).max() < 1e-3


def test_the_shapes_are_those_of_the_model_card_and_the_weights_are_small(gpt):
    card, n_heads = (tiny_gpt.MODELS / "README.md").read_text(encoding="utf-8"), gpt.model.n_heads
    vocab_size, d_model = gpt.model.embedding.shape
    layers = (
        f"{len(gpt.model.blocks)} layers of {n_heads} heads, d_model {d_model}, d_ff {gpt.model.blocks[0].w_1.shape[1]}"
    )
    assert layers in card
    assert f"{vocab_size:,} symbols" in card
    assert len(gpt.symbols) == len(set(gpt.symbols)) == vocab_size
    assert (tiny_gpt.MODELS / "tiny_gpt.npz").stat().st_size <= 3 * MEGABYTE


def test_it_is_about_as_good_on_the_poems_beside_it_as_stated_and_clearly_better_than_3_grams(gpt):
    stated, poems = gpt.results["held_out"], tiny_gpt.poems()[::7]
    bits = over_poems.bits_per_character(gpt.model, poems, gpt.symbols)
    assert abs(bits - stated["bits_per_character"]) < 0.4
    assert stated["bits_per_character"] < stated["trigram_bits_per_character"] - 0.3


def test_each_part_that_is_missing_makes_it_worse(gpt):
    bits = {row["name"]: row["bits_per_character"] for row in gpt.results["ablations"]}
    assert set(bits) == {"complete", "no_positions", "no_residual", "no_mask"}
    assert min(bits, key=bits.get) == "complete"
    assert bits["complete"] == gpt.results["held_out"]["bits_per_character"]


def test_the_poems_are_regular_all_different_and_the_model_knows_every_character(gpt):
    poems = tiny_gpt.poems()
    assert len(poems) == len(set(poems)) == 400
    for poem in poems:
        form = tiny_gpt.form_of(poem)
        assert form in tiny_gpt.FORMS.values()
        assert fits(poem, form)
        assert tiny_gpt.decode(tiny_gpt.encode_poem(poem, gpt.symbols), gpt.symbols) == poem


def fits(text, form):
    """Say whether a text is a whole poem of a form."""
    lines = text.replace("。", "，").split("，")
    marks = "".join(symbol for symbol in text if symbol in "，。")
    lengths = {len(line) for line in lines[:-1]}
    return lines[-1] == "" and lengths == {form.line_length} and marks == "，。" * (form.n_lines // 2)


@pytest.mark.parametrize("form", tiny_gpt.FORMS.values(), ids=str)
def test_with_a_form_every_poem_keeps_it(gpt, form):
    for opening in ("", "明月", "明" * form.line_length + "，月"):
        *_, last = steps = write(gpt, opening, form, k=50, temperature=3.0)
        assert last.symbol == tiny_gpt.END
        assert fits(last.text, form)
        assert last.text.startswith(opening)
        assert [step.forced for step in steps] == [step.symbol in "，。$" for step in steps]


def test_unknown_and_start_are_never_written_even_when_all_symbols_are_equally_likely(gpt):
    blind = gpt._replace(model=gpt.model._replace(unembedding=np.zeros_like(gpt.model.unembedding)))
    for seed in range(3):
        for step in write(blind, "明月", k=10_000, seed=seed):
            assert not set(step.candidates) & {tiny_gpt.START, tiny_gpt.UNKNOWN}
            assert len(step.candidates) == len(gpt.symbols) - 2


def test_the_cache_writes_what_reading_everything_anew_would_write(gpt):
    steps, text = write(gpt, "春风", k=1)[:12], "春风"
    for step in steps:
        token_ids = tiny_gpt.encode(text, gpt.symbols)
        logits = decoder.read(gpt.model, token_ids).logits[-1]
        logits[[gpt.symbols.index(symbol) for symbol in "^□"]] = -np.inf
        assert step.symbol == gpt.symbols[logits.argmax()]
        assert step.cache_length == len(token_ids)
        text = step.text


def test_candidates_come_with_their_probabilities_and_the_symbol_is_one_of_them(gpt):
    for step in write(gpt, "独坐", tiny_gpt.FORMS["五言绝句"], k=7):
        assert step.symbol in step.candidates
        assert len(step.candidates) == len(step.probabilities) == (1 if step.forced else 7)
        assert step.probabilities.sum() == pytest.approx(1)
        assert (np.diff(step.probabilities) <= 0).all()


def test_writing_stops_when_the_positions_run_out(gpt):
    blind = gpt.model._replace(unembedding=np.zeros_like(gpt.model.unembedding))  # then the first symbol is the best
    never_ends = gpt._replace(model=blind, symbols=gpt.symbols.replace(tiny_gpt.END, "") + tiny_gpt.END)
    lengths = [len(write(never_ends, "明" * 60, k=1)), len(write(never_ends, "明" * 64, k=1))]
    assert lengths == [5, 1]


@pytest.mark.parametrize(
    ("opening", "form", "message"),
    [
        ("明月几时有把", "五言绝句", "'把' at place 5 .* '，' is wanted"),
        ("明，月", "五言绝句", "'，' at place 1 .* a character is wanted"),
        ("一二三四五，一二三四五，", "五言绝句", "'，' at place 11 .* '。' is wanted"),
        ("一二三四五，一二三四五。" * 2 + "一", "五言绝句", "'一' at place 24 .* the poem is over"),
        ("明" * 65, None, "an opening of 65 symbols leaves no room: at most 64"),
    ],
)
def test_an_opening_that_does_not_fit_is_refused(gpt, opening, form, message):
    with pytest.raises(ValueError, match=message):
        write(gpt, opening, form and tiny_gpt.FORMS[form])


def test_a_whole_poem_as_opening_only_gets_its_end(gpt):
    poem = next(poem for poem in tiny_gpt.poems() if tiny_gpt.form_of(poem) == (5, 4))
    assert [(step.symbol, step.text) for step in write(gpt, poem, tiny_gpt.FORMS["五言绝句"])] == [("$", poem)]


def test_what_the_model_does_not_know_is_read_as_unknown_start_and_end_included():
    assert tiny_gpt.encode("明乎$^\n", TINY_SYMBOLS).tolist() == [0, 5, 2, 2, 2, 2]
    assert tiny_gpt.unknown_characters("明乎月乎", TINY_SYMBOLS) == "乎"


def test_files_that_did_not_come_along_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(tiny_gpt, "MODELS", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"helpers/models/tiny_gpt\.json is missing"):
        tiny_gpt.load.__wrapped__()
