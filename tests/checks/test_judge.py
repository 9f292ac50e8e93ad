from dataclasses import replace

import numpy as np
import pytest

from helpers.checks import exercises
from helpers.checks.answer import UnusableValueError
from helpers.checks.collect import collect
from helpers.checks.exercise import Behaviour, Case, Exercise, Slip, draw_cases
from helpers.checks.judge import judge
from helpers.checks.report import build_report


@pytest.mark.parametrize("id_", exercises())
def test_the_shares_of_an_exercise_sum_to_one_and_every_behaviour_has_cases(id_):
    exercise = exercises()[id_]
    assert sum(behaviour.share for behaviour in exercise.behaviours) == pytest.approx(1)
    tested = {case.behaviour for case in draw_cases(exercise, 0)}
    assert tested == {behaviour.name for behaviour in exercise.behaviours}


@pytest.mark.parametrize("id_", exercises())
def test_drawing_the_same_seed_gives_the_same_cases(id_):
    once, again = draw_cases(exercises()[id_], 5), draw_cases(exercises()[id_], 5)
    for case, other in zip(once, again, strict=True):
        for argument, same in zip(case.arguments, other.arguments, strict=True):
            assert np.array_equal(argument, same)


def test_an_exception_that_derives_from_the_right_one_is_right():
    class CycleError(ValueError):
        pass

    def answered(error):
        def topological_order(adjacency):
            try:
                return exercise.reference(adjacency)
            except ValueError:
                raise error from None

        return judge(exercise, cases, collect(exercise, topological_order, cases))

    exercise = exercises()["graphs.topological_order"]
    cases = draw_cases(exercise, 0)
    assert answered(CycleError("0 -> 1 -> 0")).outcome == "correct"
    assert answered(Exception("0 -> 1 -> 0")).failed == ("有环就报错",)


def test_an_answer_is_needed_for_every_case():
    exercise = exercises()["attention.softmax"]
    cases = draw_cases(exercise, 0)
    with pytest.raises(ValueError, match=f"{len(cases) - 1} answers for {len(cases)} cases"):
        judge(exercise, cases, collect(exercise, exercise.reference, cases)[:-1])


def test_without_the_core_the_other_behaviours_earn_nothing():
    exercise = exercises()["attention.attention"]
    cases = draw_cases(exercise, 0)

    def right_only_for_blind_rows(q, k, v, mask=None):
        output, weights = exercise.reference(q, k, v, mask)
        blind = mask is not None and not mask.any(axis=-1).all()
        return (output, weights) if blind else (output + 1, weights)

    judgement = judge(exercise, cases, collect(exercise, right_only_for_blind_rows, cases))
    assert "什么都不许看的一行为 0" in judgement.passed
    assert judgement.points == 0


def test_a_mistake_on_some_cases_alone_is_still_named():
    exercise = exercises()["attention.scores"]
    cases = draw_cases(exercise, 0)

    def unscaled_when_large(q, k):
        return q @ np.swapaxes(k, -1, -2) / (1 if q.shape[-1] == 64 else np.sqrt(q.shape[-1]))

    assert judge(exercise, cases, collect(exercise, unscaled_when_large, cases)).slip.name == "没有缩放"


def _squared(parts, arguments):
    (part,) = parts
    if part.shape != arguments[0].shape:
        raise UnusableValueError("effect", "要和输入一样长。")
    return (part**2,)


@pytest.fixture
def by_its_square():
    """An exercise whose answer is right if its square is: the absolute values or any signs."""
    return Exercise(
        id="test.by_its_square",
        title="",
        points=2,
        reference=lambda x: np.abs(x),
        returns=("root",),
        cases=lambda rng: [Case("core", (rng.normal(size=3),)), Case("core", (rng.normal(size=5),))],
        behaviours=(Behaviour("core", 1.0),),
        slips=(Slip("doubled", lambda x: -2 * x, wrong="", look=""),),
        styles=(),
        hints=("", "", ""),
        effect=_squared,
        compared=("square",),
    )


def _judged(exercise, function):
    cases = draw_cases(exercise, 0)
    answers = collect(exercise, function, cases)
    return judge(exercise, cases, answers), cases, answers


def _moved_in_place(x, positions, w_q, w_k, w_v, k_cache, v_cache):
    x += positions[k_cache.shape[-2]]
    k = np.concatenate([k_cache, (x @ w_k)[..., None, :]], axis=-2)
    v = np.concatenate([v_cache, (x @ w_v)[..., None, :]], axis=-2)
    exps = np.exp((k @ (x @ w_q)[..., None])[..., 0] / np.sqrt(w_q.shape[-1]))
    return np.einsum("...t,...tv->...v", exps / exps.sum(-1, keepdims=True), v), k, v


def test_changed_arguments_cost_what_the_exercise_says_and_are_told_apart_from_wrong_numbers():
    exercise = replace(exercises()["architecture.cached_step"], slips=())
    cases = [case for case in draw_cases(exercise, 0) if case.behaviour != "很大的分数不溢出"]
    answers = collect(exercise, _moved_in_place, cases)
    judgement = judge(exercise, cases, answers)
    report = build_report(exercise, judgement, cases, answers)
    assert (judgement.outcome, judgement.failed, judgement.worst) == ("changed inputs", ("不改动传进来的数组",), None)
    assert "返回的数值是对的；但题目要求不改动传进来的数组。" in str(report)


def test_changed_arguments_cost_nothing_where_the_exercise_does_not_ask():
    def in_place(scores):
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        return scores / scores.sum(axis=-1, keepdims=True)

    exercise = exercises()["attention.softmax"]
    cases = draw_cases(exercise, 0)[:2]
    answers = collect(exercise, in_place, cases)
    assert all(answer.changed_inputs for answer in answers)
    assert judge(exercise, cases, answers).outcome == "correct"


def test_an_answer_is_right_by_what_it_achieves(by_its_square):
    judgement, *_ = _judged(by_its_square, lambda x: -x)
    assert (judgement.outcome, judgement.points) == ("correct", 2)


def test_a_slip_is_recognised_by_what_it_achieves(by_its_square):
    judgement, *_ = _judged(by_its_square, lambda x: 2 * x)
    assert judgement.slip.name == "doubled"


def test_the_worst_entry_is_of_what_was_achieved(by_its_square):
    judgement, cases, _ = _judged(by_its_square, lambda x: np.where(np.arange(len(x)) == 1, 0.0, x))
    assert (judgement.outcome, judgement.worst.part, judgement.worst.index) == ("different", "square", (1,))
    assert judgement.worst.expected == pytest.approx(cases[0].arguments[0][1] ** 2)


def test_an_answer_without_any_effect_is_told_why(by_its_square):
    judgement, cases, answers = _judged(by_its_square, lambda x: x[1:])
    report = build_report(by_its_square, judgement, cases, answers)
    assert (report.outcome, report.points) == ("wrong type", 0)
    assert "要和输入一样长。" in str(report)


def test_an_answer_that_raises_keeps_its_exception(by_its_square):
    judgement, *_ = _judged(by_its_square, lambda x: x + np.ones(7))
    assert judgement.outcome == "raised"


def _unembedding_turned(states, unembedding):
    normed = (states - states.mean(-1, keepdims=True)) / states.std(-1, keepdims=True)
    logits = normed @ unembedding.T
    return logits.argmax(-1), logits.max(-1)


def test_an_answer_that_always_raises_is_told_the_slip_whose_errors_it_raises_as_a_guess():
    exercise = exercises()["tinygpt.logit_lens"]
    judgement, cases, answers = _judged(exercise, _unembedding_turned)
    report = build_report(exercise, judgement, cases, answers)
    assert (judgement.outcome, judgement.slip, judgement.suspected.name) == ("raised", None, "unembedding 转置了")
    assert ("下一步", judgement.suspected.look) in report.lines
    assert "可能是：unembedding 转置了。" in str(report)
    assert "错误：" not in str(report)


def test_an_error_with_another_message_hints_at_no_slip():
    def raises(states, unembedding):
        raise ValueError("matmul: something else")

    judgement, *_ = _judged(exercises()["tinygpt.logit_lens"], raises)
    assert (judgement.outcome, judgement.slip, judgement.suspected) == ("raised", None, None)


def test_errors_that_several_slips_raise_hint_at_none():
    exercise = exercises()["tinygpt.logit_lens"]
    twice = replace(exercise, slips=(*exercise.slips, Slip("turned", _unembedding_turned, wrong="", look="")))
    assert _judged(twice, _unembedding_turned)[0].suspected is None


def test_an_answer_that_returns_something_on_some_case_hints_at_no_slip():
    exercise = exercises()["tinygpt.logit_lens"]

    def raises_as_the_slip_does_and_is_wrong_elsewhere(states, unembedding):
        return states.max(axis=1), states.min(axis=1)

    judgement, cases, answers = _judged(exercise, raises_as_the_slip_does_and_is_wrong_elsewhere)
    assert {answer.status for answer in answers} == {"raised", "returned"}
    assert judgement.suspected is None


def _without_complaint(x, n_heads):
    try:
        return exercises()["multihead.split_heads"].reference(x, n_heads)
    except ValueError:
        return x


def test_an_answer_that_should_have_raised_is_told_so():
    exercise = exercises()["multihead.split_heads"]
    judgement, cases, answers = _judged(exercise, _without_complaint)
    report = build_report(exercise, judgement, cases, answers)
    assert (report.outcome, judgement.failed) == ("not raised", ("除不尽时抛出 ValueError",))
    assert "应抛出 ValueError" in str(report)


def test_an_answer_that_raises_another_exception_than_asked_for_is_not_right():
    exercise = exercises()["multihead.split_heads"]

    def with_another_exception(x, n_heads):
        if x.shape[-1] % n_heads:
            raise ArithmeticError("does not divide")
        return exercise.reference(x, n_heads)

    judgement, *_ = _judged(exercise, with_another_exception)
    assert (judgement.outcome, judgement.failed) == ("raised", ("除不尽时抛出 ValueError",))


def test_two_mistakes_at_once_are_told_by_the_one_in_the_core_with_a_word_that_there_is_another():
    exercise = exercises()["attention.attention"]
    cases = draw_cases(exercise, 0)

    def unscaled_and_nan_in_a_blind_row(q, k, v, mask=None):
        scores = q @ np.swapaxes(k, -1, -2)
        scores = scores if mask is None else np.where(mask, scores, -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights @ v, weights

    judgement = judge(exercise, cases, collect(exercise, unscaled_and_nan_in_a_blind_row, cases))
    assert (judgement.slip.name, judgement.slip_is_all) == ("没有缩放", False)


def test_an_exception_of_the_same_type_alone_does_not_give_a_slips_name():
    exercise = exercises()["attention.self_attention"]
    cases = draw_cases(exercise, 0)

    def truth_of_the_mask(x, w_q, w_k, w_v, mask=None):
        return exercise.reference(x, w_q, w_k, w_v, mask if mask else None)

    assert judge(exercise, cases, collect(exercise, truth_of_the_mask, cases)).slip is None
