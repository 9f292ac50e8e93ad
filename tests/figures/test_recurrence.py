"""The recurrent network's figures show both sides, and where their costs cross."""

import numpy as np

from helpers.figures import recurrence as figures
from helpers.reference.recurrence import layer_operations, sequential_steps

LENGTHS = [2**exponent for exponent in range(4, 13)]


def lines(axes):
    return {line.get_label(): line.get_data() for line in axes.lines}


def cost(d_model):
    operations = {name: [layer_operations(n, d_model)[name] for n in LENGTHS] for name in ("rnn", "attention")}
    steps = {name: [sequential_steps(n)[name] for n in LENGTHS] for name in ("rnn", "attention")}
    return figures.draw_cost(LENGTHS, operations, steps, d_model)


def test_gradients_are_drawn_on_a_logarithmic_scale_against_the_steps_back(fits):
    rnn, attention = 0.5 ** np.arange(30), np.full(30, 0.03)
    picture = fits(figures.draw_gradient_reach(rnn, attention))
    axes = picture.axes[0]
    assert axes.get_yscale() == "log"
    np.testing.assert_allclose(lines(axes)["RNN"], [np.arange(30), rnn])
    np.testing.assert_allclose(lines(axes)["自注意力"], [np.arange(30), attention])
    assert "RNN 的梯度范数从 1 变到 29 步之前的 1.9e-09" in picture.alt


def test_the_costs_cross_where_the_length_is_the_width(fits):
    picture = fits(cost(512))
    steps, operations = picture.axes
    drawn = lines(operations)
    at_512 = LENGTHS.index(512)
    assert drawn["RNN：n·d²"][1][at_512] == drawn["自注意力：n²·d"][1][at_512]
    assert any(line.get_xdata()[0] == 512 for line in operations.lines if line.get_linestyle() == ":")
    assert "n = d = 512" in operations.texts[0].get_text()


def test_the_steps_that_wait_are_n_and_one():
    steps = lines(cost(64).axes[0])
    assert steps["RNN"][1].tolist() == LENGTHS
    assert set(steps["自注意力"][1]) == {1}


def test_the_alternative_text_of_the_costs_states_both_sides():
    assert "n = 4096 时 RNN 有 4096 步必须先后进行，自注意力有 1 步" in cost(64).alt


def test_measured_times_are_drawn_with_both_axes_logarithmic(fits):
    seconds = {"rnn": [1e-5 * n for n in LENGTHS], "attention": [1e-9 * n**2 for n in LENGTHS]}
    axes = fits(figures.draw_times(LENGTHS, seconds)).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert lines(axes)["自注意力"][1].tolist() == seconds["attention"]
