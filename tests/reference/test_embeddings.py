"""The hand-made words: what the lesson says of them."""

import numpy as np
import pytest

from helpers.reference import embeddings as ref


def test_the_table_has_a_row_for_each_word_and_a_column_for_each_meaning():
    assert np.shape(ref.TABLE) == (len(ref.WORDS), len(ref.FEATURES))
    assert len(set(ref.WORDS)) == len(ref.WORDS)
    assert np.linalg.norm(ref.TABLE, axis=-1).min() > 0


def test_looking_up_is_multiplying_with_one_hot_rows():
    rng = np.random.default_rng(12)
    table, ids = rng.normal(size=(5, 3)), np.array([[4, 0], [1, 4]])
    assert ref.one_hot(ids, 5).sum(axis=-1).tolist() == [[1, 1], [1, 1]]
    np.testing.assert_array_equal(ref.lookup(ids, table), table[ids])


def test_words_are_found_by_name_and_unknown_ones_are_named():
    np.testing.assert_array_equal(ref.embed(["女人", "国王"]), [ref.TABLE[5], ref.TABLE[0]])
    with pytest.raises(ValueError, match="皇帝: not in the table"):
        ref.embed(["国王", "皇帝"])


@pytest.mark.parametrize(("a", "b", "c", "expected"), ref.ANALOGIES)
def test_the_analogies_work_when_the_given_words_are_left_out(a, b, c, expected):
    answers = ref.analogy(a, b, c)
    assert answers[0][0] == expected
    assert not {a, b, c} & {word for word, _ in answers}
    cosines = [cosine for _, cosine in answers]
    assert cosines == sorted(cosines, reverse=True)


def test_one_analogy_gives_back_a_given_word_when_they_are_left_in():
    *given, expected = ref.FAILS
    answers = ref.analogy(*given, exclude=False)
    assert len(answers) == len(ref.WORDS)
    assert answers[0][0] == given[2]
    assert answers[1][0] == expected


def test_the_cosine_of_an_answer_is_that_with_the_moved_vector():
    a, b, c, answer = ref.embed(["男人", "国王", "女人", "王后"])
    moved = b - a + c
    expected = moved @ answer / np.linalg.norm(moved) / np.linalg.norm(answer)
    assert dict(ref.analogy("男人", "国王", "女人"))["王后"] == pytest.approx(expected)
