"""The parts of the training tool that need no PyTorch: poems, and the 3-gram model that the Transformer must beat."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tools.tiny_gpt import poems
from tools.tiny_gpt.kneser_ney import ORDER, KneserNey

QUATRAIN = "床前明月光，疑是地上霜。举头望明月，低头思故乡。"
VOCAB_SIZE = 7


@pytest.fixture
def corpus_of(monkeypatch):
    """Make a corpus of texts that are already simplified."""
    same = SimpleNamespace(OpenCC=lambda _: SimpleNamespace(convert=str))
    monkeypatch.setitem(sys.modules, "opencc", same)
    return poems.corpus


def test_only_four_or_eight_lines_of_five_or_seven_characters_are_regular():
    assert poems.regular(QUATRAIN * 2) is not None
    assert poems.regular(QUATRAIN[:18]) is None  # three lines
    assert poems.regular(QUATRAIN.replace("床前", "床前之")) is None
    assert poems.regular(QUATRAIN.replace("床", "□")) is None


def test_notes_in_brackets_are_not_part_of_a_poem():
    assert poems.regular(QUATRAIN.replace("霜。", "霜（一作雪）。")) == poems.regular(QUATRAIN)


def test_lines_end_in_comma_and_full_stop_whatever_ended_them():
    assert poems.punctuated(poems.regular(QUATRAIN.replace("。", "！"))) == QUATRAIN


def test_a_poem_that_occurs_twice_is_kept_once_and_on_one_side(corpus_of):
    lines = [chr(0x4E00 + i) * 5 for i in range(800)]
    texts = [poems.punctuated(lines[i : i + 4]) for i in range(0, 800, 4)]
    corpus = corpus_of(texts * 2)
    assert sorted(corpus.training + corpus.held_out) == sorted(texts)
    assert 0 < len(corpus.held_out) < len(corpus.training)


def test_a_held_out_poem_that_shares_two_lines_with_a_training_poem_is_left_out(corpus_of):
    def opening(held_out):
        return next(line for line in (chr(0x5000 + i) * 5 for i in range(900)) if poems.is_held_out([line]) is held_out)

    shared = ["甲" * 5, "乙" * 5, "丙" * 5]
    known, variant = ([opening(held_out), *shared] for held_out in (False, True))
    stranger = [opening(True), "甲" * 5, "丁" * 5, "戊" * 5]
    assert corpus_of([*map(poems.punctuated, (known, variant))]).held_out == []
    assert len(corpus_of([*map(poems.punctuated, (known, stranger))]).held_out) == 1


def test_a_simplified_character_that_fonts_lack_stays_traditional_in_texts_and_symbols(corpus_of):
    texts = [poems.punctuated([chr(0x4E00 + i) * 5, *["𫛶" * 5] * 3]) for i in range(9)]
    corpus = corpus_of(texts)
    assert "鶒" in corpus.symbols
    assert "𫛶" not in corpus.symbols + "".join(corpus.training + corpus.held_out)


def test_the_symbols_cover_the_share_of_characters_that_is_asked_for():
    counts = poems.Counter({"月": 90, "日": 9, "乙": 1})
    assert poems.most_frequent(counts, 0.99) == ["月", "日"]
    assert poems.most_frequent(counts, 0.995) == ["月", "日", "乙"]


def random_texts(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return [np.concatenate([[0], np.cumsum(rng.integers(1, 3, size=8)) % (VOCAB_SIZE - 1) + 1]) for _ in range(n)]


@pytest.mark.parametrize("context", [(0, 0), (0, 1), (3, 5), (6, 6), (2, 0)])
def test_the_probabilities_after_any_context_sum_to_one(context):
    model = KneserNey(random_texts(), VOCAB_SIZE)
    assert sum(model.probability(context, token) for token in range(VOCAB_SIZE)) == pytest.approx(1)


def test_an_unseen_context_falls_back_to_the_shorter_one():
    model = KneserNey(random_texts(), VOCAB_SIZE)
    unseen = (0, 4)
    assert unseen not in model.levels[-1].totals
    likely, unlikely = (model.probability(unseen, token) for token in (5, 3))
    assert likely > 1.2 * unlikely  # after 4 came 5 and 6, never 3


def test_a_longer_context_foretells_better_than_chance_and_than_a_shuffled_text():
    model, rng = KneserNey(random_texts(), VOCAB_SIZE), np.random.default_rng(1)
    texts = random_texts(seed=1)
    true = np.mean([model.bits(text)[1:].mean() for text in texts])
    shuffled = np.mean([model.bits(np.append(0, rng.permutation(text[1:])))[1:].mean() for text in texts])
    assert true < 1.4 < np.log2(VOCAB_SIZE - 1) < shuffled


def test_discounts_are_those_of_chen_and_goodman():
    # counts of 3-grams: three occur once, one twice, one three times, one four times -> share = 3 / (3 + 2)
    texts = [[0, 1]] + [[0, 2]] + [[0, 3]] + 2 * [[0, 4]] + 3 * [[0, 5]] + 4 * [[0, 6]]
    discounts = KneserNey(texts, VOCAB_SIZE).levels[ORDER - 1].discounts
    share = 3 / 5
    assert discounts == pytest.approx([0, 1 - 2 * share * 1 / 3, 2 - 3 * share * 1 / 1, 3 - 4 * share * 1 / 1])
