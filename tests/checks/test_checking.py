"""What `check` says of right, wrong and partly right answers, to the eye and to nbgrader."""

import numpy as np
import pytest

from helpers.checks import check, exercises, hint, progress


def right_softmax(scores):
    largest = np.max(scores, axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1)


def naive_softmax(scores):
    exps = np.exp(scores)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total == 0, 1, total)


def reciting_softmax(known):
    """Return an answer that looks its results up by its input."""
    return lambda scores: known.get(np.asarray(scores).tobytes(), np.zeros_like(scores))


@pytest.fixture
def grading(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("GRADING_SEED", "12345")


@pytest.fixture
def in_a_kernel(monkeypatch):
    monkeypatch.setattr("helpers.checks.report._in_terminal", lambda: False)


def test_a_right_answer_keeps_all_points_here_and_at_grading(monkeypatch):
    assert check("attention.softmax", right_softmax).outcome == "correct"
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for seed in ("1", "2", ""):
        monkeypatch.setenv("GRADING_SEED", seed)
        assert check("attention.softmax", right_softmax).points == 2


def test_a_slip_is_named_and_costs_only_the_behaviours_that_it_breaks():
    report = check("attention.softmax", naive_softmax)
    assert report.slip == "没有先减去最大值"
    assert report.points == 1.2
    assert [passed for _, passed in report.behaviours] == [True, False, False, True]


def test_a_report_says_what_is_right_then_the_example_then_what_is_wrong_then_where_to_look():
    report = check("attention.scores", lambda q, k: q @ np.swapaxes(k, -1, -2))
    headings = [heading for heading, _ in report.lines]
    assert headings == ["已经对的", "不对的", "出错的例子", "", "下一步"]
    assert "scores[" in str(report)
    assert "应为" in str(report)


def test_the_shown_numbers_are_those_of_the_shown_example():
    report = check("attention.score_std", lambda d_k, q_variance, k_variance: 1.0)
    assert "score_std(d_k=4, q_variance=1.0, k_variance=1.0)" in str(report)
    assert "std 是 1，应为 2" in str(report)


def test_entries_of_a_mask_are_told_as_true_and_false():
    report = check("attention.causal_mask", lambda seq_len: np.arange(seq_len)[:, None] % 2 == np.arange(seq_len))
    assert "应为 True" in str(report) or "应为 False" in str(report)


def test_a_core_that_failed_explains_why_other_ticks_earn_nothing():
    report = check("attention.causal_mask", lambda seq_len: np.ones((seq_len, seq_len), dtype=bool))
    assert dict(report.behaviours)["只有一个位置"] is True
    assert report.points == 0
    assert "其余各项暂不计分" in str(report)


def test_a_weight_that_is_too_small_to_tell_from_zero_is_no_warning():
    assert "警告" not in str(check("attention.softmax", right_softmax))


def test_an_answer_that_recites_the_visible_values_loses_at_grading(grading):
    from helpers.checks.checking import VISIBLE_SEED
    from helpers.checks.exercise import draw_cases

    cases = draw_cases(exercises()["attention.softmax"], VISIBLE_SEED)
    known = {case.arguments[0].tobytes(): right_softmax(case.arguments[0]) for case in cases}
    assert check("attention.softmax", reciting_softmax(known)).points == 0


def test_the_seed_changes_the_cases_and_the_same_seed_repeats_them(monkeypatch):
    seen = []

    def remember(scores):
        seen.append(np.array(scores))
        return scores

    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for seed in ("7", "7", "8"):
        monkeypatch.setenv("GRADING_SEED", seed)
        check("attention.softmax", remember)
    first, again, other = np.array_split(np.array([scores.flat[0] for scores in seen]), 3)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_report_at_grading_shows_no_input_no_output_and_no_message(grading):
    seen = []

    def leaking(q, k):
        seen.append(q)
        print(q)
        raise ValueError(f"{q}")

    report = check("attention.scores", leaking)
    text = str(report) + report._repr_html_()
    assert "ValueError" in text
    assert not any(f"{number:.6g}" in text for q in seen for number in q.flat)


def test_a_name_that_a_learner_chose_cannot_carry_a_grading_case_out(grading):
    def naming(q, k):
        raise type(f"Error{q[0, 0]:.6f}", (Exception,), {})

    def shaped(q, k):
        return type(f"Value{q[0, 0]:.6f}", (), {})()

    for function, shown in ((naming, "自定义的异常"), (shaped, "不是由实数组成的数组")):
        report = check("attention.scores", function)
        assert shown in str(report)
        assert not any(name in str(report) for name in ("Error", "Value"))


def test_a_wrong_shape_at_grading_is_told_without_its_sizes(grading):
    report = check("attention.scores", lambda q, k: np.zeros((7, 11)))
    assert "scores 的形状不对。" in str(report)
    assert "11" not in str(report)


@pytest.mark.parametrize(
    ("function", "text"),
    [(right_softmax, "2"), (naive_softmax, "1.2"), (lambda scores: None, "0"), (lambda scores: 1 / 0, "0")],
)
def test_in_a_kernel_the_text_of_a_report_is_a_bare_number(function, text, in_a_kernel):
    assert repr(check("attention.softmax", function)) == text


def test_in_a_terminal_the_text_of_a_report_is_readable():
    assert "没有先减去最大值" in repr(check("attention.softmax", naive_softmax))


def test_the_html_of_a_report_escapes_what_the_submission_wrote():
    def shouting(scores):
        print("<script>alert(1)</script>")
        raise ValueError("<img src=x onerror=alert(1)>")

    html = check("attention.softmax", shouting)._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;img" in html


def test_not_attempted_is_said_so_and_is_not_called_wrong():
    def stub(scores):
        raise NotImplementedError

    report = check("attention.softmax", stub)
    assert report.outcome == "not attempted"
    assert "还没有作答" in str(report)
    assert "不对" not in str(report)


def test_before_anything_is_written_a_browser_s_python_warns_that_it_cannot_stop_a_loop(monkeypatch):
    def stub(scores):
        raise NotImplementedError

    assert "死循环" not in str(check("attention.softmax", stub))
    monkeypatch.setattr("sys.platform", "emscripten")
    report = check("attention.softmax", stub)
    assert "死循环停不下来" in str(report)
    assert report.points == 0
    assert "死循环" not in str(check("attention.softmax", right_softmax))


def test_float32_and_lists_are_right_answers():
    assert (
        check("attention.scores", lambda q, k: np.float32(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)).slip is None
    )
    assert check("attention.causal_mask", lambda n: [[j <= i for j in range(n)] for i in range(n)]).outcome == "correct"


def test_the_line_of_the_learners_cell_that_raised_is_told():
    names = {}
    exec(compile("def softmax(scores):\n    x = 1\n    return x / 0\n", "<cell>", "exec"), names)
    assert "第 3 行" in str(check("attention.softmax", names["softmax"]))


def test_progress_tells_done_tried_and_open_apart():
    check("attention.softmax", right_softmax)
    check("attention.scores", lambda q, k: q)
    rows = {row[0]: row[2:4] for row in progress("attention").rows}
    assert rows["attention.softmax"] == ("✓ 完成", 2)
    assert rows["attention.scores"] == ("… 试过", 0)
    assert progress("attention").max_points == sum(
        e.points for e in exercises().values() if e.id.startswith("attention")
    )


def test_progress_of_an_unknown_section_names_the_known_ones():
    with pytest.raises(ValueError, match="attention"):
        progress("atention")


@pytest.mark.parametrize("id_", exercises())
def test_each_exercise_has_three_hints_and_each_tells_the_way_to_the_next(id_):
    shown = [repr(hint(id_, number)) for number in (1, 2, 3)]
    assert len(set(shown)) == 3
    assert f'hint("{id_}", 2)' in shown[0]
    assert f'hint("{id_}", 3)' in shown[1]


def test_a_hint_for_an_unknown_exercise_lists_the_known_ones():
    assert "attention.softmax" in repr(hint("softmax"))
