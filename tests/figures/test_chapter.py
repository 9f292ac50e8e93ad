"""The chapter's map and figures 4.1 and 4.4 show what they are given."""

import numpy as np
import pytest

from helpers.figures import chapter as figures
from helpers.reference import attention

TOKENS = ["今天", "天气", "真", "好", "吗"]


@pytest.fixture
def arrays(rng):
    x, w_q, w_k = rng.standard_normal((5, 4)), *rng.standard_normal((2, 4, 3))
    scores, mask = attention.scores(x @ w_q, x @ w_k), attention.causal_mask(5)
    return scores, attention.softmax(scores), mask, attention.masked_softmax(scores, mask)


def test_the_map_fits_and_leads_from_sequences_to_language_models(fits):
    picture = fits(figures.draw_chapter_map())
    texts = [text.get_text() for text in picture.axes[0].texts]
    names = [name for _, name, _, _ in figures.CHAPTER_MAP]
    assert names[0] == "序列建模"
    assert names[-1] == "LLM"
    for place, name, what, question in figures.CHAPTER_MAP:
        assert {name, what, question, place} <= set(texts)
        assert f"{name}（{place}）：{what}" in picture.alt
    arrows = [text for text in picture.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == len(names) - 1


def test_a_box_of_the_map_holds_its_name(fits):
    picture = fits(figures.draw_chapter_map())
    axes = picture.axes[0]
    for box, (_, name, _, _) in zip(axes.patches, figures.CHAPTER_MAP, strict=True):
        (text,) = [text for text in axes.texts if text.get_text() == name]
        inner, outer = text.get_window_extent(), box.get_window_extent()
        assert outer.x0 < inner.x0
        assert inner.x1 < outer.x1


def test_figure_4_1_shows_the_weights_their_histogram_and_how_many_words_each_looks_at(fits, arrays):
    weights = arrays[1]
    picture = fits(figures.draw_self_attention(weights, TOKENS))
    heat_map, histogram, spread = picture.axes
    np.testing.assert_array_equal(heat_map.images[0].get_array(), weights)
    assert sum(bar.get_height() for bar in histogram.patches) == 25
    expected = np.exp(attention.entropy(weights))
    np.testing.assert_allclose([bar.get_width() for bar in spread.patches], expected)
    assert [text.get_text() for text in spread.texts] == [f"{value:.1f}" for value in expected]
    assert f"最大 {weights.max():.2f}" in picture.alt


def test_a_word_that_looks_at_nothing_or_at_one_alone_is_drawn(fits):
    weights = np.eye(3)
    weights[1] = 0
    fits(figures.draw_self_attention(weights, None))


def test_figure_4_4_shows_scores_two_way_weights_mask_and_causal_weights(fits, arrays):
    scores, two_way, mask, causal = arrays
    picture = fits(figures.draw_causal_mask(scores, two_way, mask, causal, TOKENS))
    shown = [axes.images[0].get_array() for axes in picture.axes]
    for image, array in zip(shown, (scores, two_way, mask, causal), strict=True):
        np.testing.assert_array_equal(image, array)
    (dots,) = picture.axes[2].lines
    assert sorted(zip(*dots.get_data(), strict=True)) == [(j, i) for j in range(5) for i in range(j, 5)]
    assert f"{two_way[~mask].sum() / 5:.0%} 落在后面的词上" in picture.alt
    assert "15 / 25 格可以看" in picture.alt
