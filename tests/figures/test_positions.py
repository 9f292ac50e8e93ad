"""The figures of section 4.3 on order and on the encoding show the arrays that they are given."""

import numpy as np
import pytest

from helpers.figures import positions as figures
from helpers.reference import attention
from helpers.reference import positions as reference


def heat_maps(picture):
    return [np.asarray(image.get_array()) for axes in picture.axes for image in axes.images]


@pytest.fixture
def encoding():
    return reference.sinusoidal(64, 64)


def test_every_figure_fits_and_its_labels_do_not_overlap(fits, rng, encoding):
    outputs = rng.standard_normal((2, 3, 6))
    lengths, similarity = reference.wavelengths(64), reference.similarity(np.arange(64), 64)
    fits(figures.draw_word_bags(outputs, (list("狗咬人"), list("人咬狗"))))
    fits(figures.draw_order_effects(["没有掩码", "因果掩码 + 正弦编码"], [0.0, 0.57]))
    fits(figures.draw_positional_encoding(encoding, lengths, similarity))
    fits(figures.draw_clock_hands(reference.phases(4, 12, 100.0), [0, 1, 2, 10], reference.wavelengths(12, 100.0)))
    fits(figures.draw_binary_counting(reference.binary_digits(16, 4), reference.sinusoidal(16, 8, 60.0)[:, ::2]))
    fits(figures.draw_shift(reference.shift_matrix(3, 8), *reference.sinusoidal(9, 8)[[5, 8]], k=3))
    curves = {f"base = {base:g}": similarity / 32 for base in (1e2, 1e4, 1e6)}
    fits(figures.draw_similarity(np.arange(64), {"换底数": curves, "换列数": curves}))
    frequencies, amplitudes = zip(*(reference.spectrum(encoding[:, column]) for column in (0, 8)), strict=True)
    fits(figures.draw_spectrum(frequencies[0], np.array(amplitudes), [0, 8], reference.frequencies(64)[[0, 4]]))


def test_the_bags_of_two_sentences_are_compared_word_by_word(rng):
    x = rng.standard_normal((3, 6))
    outputs = [attention.attention(x[order], x[order], x[order])[0] for order in ([0, 1, 2], [2, 1, 0])]
    picture = figures.draw_word_bags(outputs, (list("狗咬人"), list("人咬狗")))
    assert [image.tolist() for image in heat_maps(picture)] == [output.tolist() for output in outputs]
    assert "最多相差 0.0000" in picture.alt
    outputs[1][0] += 0.5
    assert "最多相差 0.5000" in figures.draw_word_bags(outputs, (list("狗咬人"), list("人咬狗"))).alt


def test_order_effects_are_bars_with_their_values():
    picture = figures.draw_order_effects(["甲", "乙"], [0.25, 0.5])
    (bars,) = picture.axes[0].containers
    assert [bar.get_width() for bar in bars] == [0.25, 0.5]
    assert "甲 0.25；乙 0.50" in picture.alt


def test_figure_4_2_has_the_encoding_its_columns_its_wavelengths_and_the_similarity(encoding):
    lengths, similarity = reference.wavelengths(64), reference.similarity(np.arange(50), 64)
    picture = figures.draw_positional_encoding(encoding, lengths, similarity, columns=(2, 40))
    by_title = {axes.get_title(): axes for axes in picture.axes}
    assert (heat_maps(picture)[0] == encoding).all()
    assert [line.get_ydata().tolist() for line in by_title["单独几列"].lines] == encoding[:, [2, 40]].T.tolist()
    assert by_title["波长"].lines[0].get_ydata().tolist() == lengths.tolist()
    assert by_title["相似度只看距离"].lines[0].get_ydata().tolist() == similarity.tolist()
    assert f"波长从 6.3 到 {lengths[-1]:.0f} 个位置" in picture.alt


def test_the_hands_point_to_sine_and_cosine():
    hands = reference.phases(3, 4)
    picture = figures.draw_clock_hands(hands, [0, 1, 2], reference.wavelengths(4))
    ends = np.array([[line.get_data()[axis][-1] for axis in (0, 1)] for line in (a.lines[-1] for a in picture.axes)])
    np.testing.assert_allclose(ends.reshape(3, 4), reference.sinusoidal(3, 4), atol=1e-12)


def test_binary_digits_stand_in_their_cells():
    picture = figures.draw_binary_counting(reference.binary_digits(8, 3), reference.sinusoidal(8, 6)[:, ::2])
    at_place = {text.get_position(): text.get_text() for text in picture.axes[0].texts}
    assert [at_place[(column, 6)] for column in range(3)] == ["0", "1", "1"]
    assert (heat_maps(picture)[1] == reference.sinusoidal(8, 6)[:, ::2]).all()


def test_each_spectrum_has_its_own_frequency_dotted(encoding):
    frequencies, amplitudes = reference.spectrum(encoding[:, 0])
    picture = figures.draw_spectrum(frequencies, amplitudes[None], [0], [1.0])
    dotted = [line for line in picture.axes[0].lines if line.get_linestyle() == ":" and len(line.get_xdata())]
    assert dotted[0].get_xdata() == [1.0, 1.0]
    assert f"第 0 列的峰在 {frequencies[amplitudes.argmax()]:.3g}，理论 1" in picture.alt


def test_a_moved_encoding_lies_on_the_one_that_it_should_reach():
    before, after = reference.sinusoidal(9, 8)[[5, 8]]
    picture = figures.draw_shift(reference.shift_matrix(3, 8), before, after, k=3)
    drawn = [line.get_ydata() for line in picture.axes[1].lines]
    np.testing.assert_allclose(drawn[1], drawn[2], atol=1e-12)
    assert "最多相差 0.0000" in picture.alt
    assert "最多相差 0.0000" not in figures.draw_shift(reference.shift_matrix(-3, 8), before, after, k=3).alt


def test_each_similarity_is_a_line_with_its_name():
    curves = {"甲": np.array([1, 0.5]), "乙": np.array([1, 0.25])}
    picture = figures.draw_similarity([0, 1], {"换底数": curves})
    assert {line.get_label(): line.get_ydata()[-1] for line in picture.axes[0].lines} == {"甲": 0.5, "乙": 0.25}
    assert "乙 在距离 1 处是 0.25" in picture.alt
