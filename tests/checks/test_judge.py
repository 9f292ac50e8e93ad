import numpy as np
import pytest

from helpers.checks import exercises
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge


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


def test_an_answer_is_needed_for_every_case():
    exercise = exercises()["attention.softmax"]
    cases = draw_cases(exercise, 0)
    with pytest.raises(ValueError, match="6 answers for 7 cases"):
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
