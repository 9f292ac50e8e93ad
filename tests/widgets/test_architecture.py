"""The explorers of section 4.4 draw what the reference says."""

import functools
import html

import numpy as np
import pytest

from helpers.reference import depth, families, generation, tiny_decoder
from helpers.reference.attention import causal_mask
from helpers.widgets import architecture as widgets

N_PROMPT = tiny_decoder.N_DIGITS + 1


@functools.cache
def model():
    return tiny_decoder.train(n_steps=12, seed=4).model


def stepper():
    return widgets.generation_stepper(model())


def test_the_inspector_draws_what_the_reference_measures():
    explorer = widgets.block_inspector()
    explorer.controls["norm"].value = "post-norm"
    explorer.controls["n_layers"].value = 7
    x, stack = widgets.random_input_and_stack()
    expected = depth.measure_stack(x, stack[:7], 2, causal_mask(len(x)), "post")
    signal, gradient = (axes.lines[0].get_ydata() for axes in explorer.picture.axes[:2])
    assert signal == pytest.approx(expected.signal)
    assert gradient == pytest.approx(expected.gradient)
    weights, before, output = (np.asarray(axes.images[0].get_array()) for axes in explorer.picture.axes[2:5])
    assert weights == pytest.approx(expected.weights.mean(axis=0))
    assert (before == x).all()
    assert output == pytest.approx(expected.output)


@pytest.mark.parametrize(
    ("residual", "norm", "verdict"),
    [(False, "没有", "几乎一样"), (True, "没有", "大得没法训练"), (True, "pre-norm", "都还正常")],
)
def test_the_inspector_says_what_is_wrong_with_a_deep_stack(residual, norm, verdict):
    explorer = widgets.block_inspector()
    explorer.controls["mask"].value = "无"
    explorer.controls["residual"].value = residual
    explorer.controls["norm"].value = norm
    explorer.controls["n_layers"].value = 24
    assert verdict in explorer.caption.value


@pytest.mark.parametrize("family", families.FAMILIES)
def test_the_chooser_draws_the_family_s_mask_and_counts_its_predictions(family):
    explorer = widgets.architecture_chooser()
    explorer.controls["n_source"].value, explorer.controls["n_target"].value = 3, 5
    explorer.controls["family"].value = family
    mask = np.asarray(explorer.picture.axes[0].images[0].get_array())
    assert (mask == families.visibility(family, 3, 5)).all()
    n = {"encoder-only": 2, "decoder-only": 7, "encoder-decoder": 6}[family]
    assert f"{n} 个预测" in explorer.caption.value


@pytest.mark.parametrize("family", ["encoder-only", "decoder-only"])
def test_the_chooser_s_targets_are_those_of_the_reference(family):
    inputs, targets = widgets.objective_of(family, 4, 3)
    ids = np.arange(1, 8)
    chosen = np.isin(np.arange(7), widgets.HIDDEN)
    objective = {"encoder-only": "masked", "decoder-only": "next"}[family]
    labels = families.training_targets(ids, objective, chosen if objective == "masked" else None)
    tokens = dict(zip(ids, widgets.SOURCE[:4] + widgets.TARGET[:3], strict=True))
    assert targets == [tokens.get(label) for label in labels]
    assert len(inputs) == len(targets)


def states(explorer):
    return np.asarray(explorer.picture.axes[0].images[0].get_array())[:, 0].tolist()


def test_with_a_cache_one_position_is_computed_and_without_all_are():
    explorer = stepper()
    explorer.controls["step"].value = 3
    assert states(explorer) == [1] * (N_PROMPT + 2) + [2] + [0] * (tiny_decoder.N_DIGITS - 2)
    explorer.controls["cached"].value = False
    assert states(explorer) == [2] * (N_PROMPT + 3) + [0] * (tiny_decoder.N_DIGITS - 2)


def test_before_the_first_step_the_prompt_fills_the_cache():
    explorer = stepper()
    explorer.controls["step"].value = 0
    assert states(explorer) == [2] * N_PROMPT + [0] * N_PROMPT
    assert "其余 0 个从缓存取" in explorer.caption.value


@pytest.mark.parametrize("prompt", [0, 7])
def test_the_stepper_writes_what_greedy_decoding_writes(prompt):
    explorer = stepper()
    explorer.controls["prompt"].value = prompt
    explorer.controls["step"].value = N_PROMPT
    ids = tiny_decoder.sorting_batch(1, np.random.default_rng(prompt))[0, :N_PROMPT]
    expected = generation.greedy_decode(functools.partial(tiny_decoder.logits, model()), ids, N_PROMPT)
    assert f"生成完了：{' '.join(tiny_decoder.SYMBOLS[token] for token in expected)}" in html.unescape(
        explorer.caption.value
    )


def test_the_probabilities_are_those_of_the_whole_text_without_a_cache():
    ids, probabilities, keys = widgets.generate_and_keep(model(), 3, N_PROMPT)
    whole = generation.temperature_probabilities(tiny_decoder.logits(model(), ids), 1.0)[N_PROMPT - 1 :]
    assert np.abs(whole - probabilities).max() < 1e-10
    assert keys.shape == (2 * N_PROMPT, tiny_decoder.D_MODEL // tiny_decoder.N_HEADS)


def test_a_cache_saves_multiplications_from_the_second_step_on():
    with_cache, without = (widgets.costs_of_steps(model(), N_PROMPT, cached) for cached in (True, False))
    assert with_cache[0] == without[0]
    assert all(fewer < more for fewer, more in zip(with_cache[1:], without[1:], strict=True))
