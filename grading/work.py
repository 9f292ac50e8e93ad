"""Grade a job: run it in the sandbox, then judge its answers out here, where the submission has no hand in it."""

import functools

from grading.sandbox.service import Cell
from grading.sandbox.submission import TEST
from helpers.checks import exercises
from helpers.checks.checking import GRADING_ROUNDS, VISIBLE_SEED, seed_number
from helpers.checks.collect import collect
from helpers.checks.exercise import draw_cases
from helpers.checks.judge import judge
from helpers.checks.report import build_report


def run_job(job, sandbox):
    """Run and judge a submission.

    Parameters
    ----------
    job : dict
        From `make_job`.
    sandbox : Sandbox

    Returns
    -------
    result : dict
        As JSON can hold it: `outputs`, `tests` and `stopped` by the cell's index, as text, and `gave_up`. A test holds
        a report, or the exception for which its function is `missing`.
    """
    seed = seed_number(job["seed"])
    run = sandbox.run([_cell(cell, seed) for cell in job["cells"]])
    tests = {}
    for cell in job["cells"]:
        if cell["index"] in run.answers:
            tests[str(cell["index"])] = _judged(cell["exercise_id"], seed, run.answers[cell["index"]])
        elif cell["index"] in run.missing:
            tests[str(cell["index"])] = {
                "exercise_id": cell["exercise_id"],
                "missing": run.missing[cell["index"]],
            }
    return {
        "outputs": {str(index): outputs for index, outputs in run.outputs.items()},
        "tests": tests,
        "stopped": {str(index): reason for index, reason in run.stopped.items()},
        "gave_up": run.gave_up,
    }


def _cell(cell, seed):
    if cell["kind"] != TEST:
        return Cell(cell["index"], cell["kind"], source=cell["source"])
    cases = _grading_cases(cell["exercise_id"], seed) + _practice_cases(cell["exercise_id"])
    return Cell(
        cell["index"],
        TEST,
        function=cell["function"],
        cases=tuple(case.arguments for case in cases),
        n_returns=len(exercises()[cell["exercise_id"]].returns),
    )


def _judged(exercise_id, seed, answers):
    """Judge the answers to the grading cases; those to the practice cases only tell what is recited."""
    exercise, cases = exercises()[exercise_id], _grading_cases(exercise_id, seed)
    graded, practised = answers[: len(cases)], answers[len(cases) :]
    judgement = judge(exercise, cases, graded, functools.partial(_our_answers, exercise_id, seed))
    report = build_report(exercise, judgement, cases, graded, reveal=False)
    return {
        "exercise_id": exercise_id,
        "points": report.points,
        "outcome": report.outcome,
        "slip": report.slip,
        "recited": report.outcome != "correct" and _is_right_in_practice(exercise, practised),
        "html": report._repr_html_(),
        "text": f"{report.points:g}",
    }


def _is_right_in_practice(exercise, answers):
    ours = functools.partial(_our_answers, exercise.id, None)
    return judge(exercise, _practice_cases(exercise.id), answers, ours).outcome == "correct"


@functools.cache
def _grading_cases(exercise_id, seed):
    return draw_cases(exercises()[exercise_id], seed, GRADING_ROUNDS)


@functools.cache
def _practice_cases(exercise_id):
    return draw_cases(exercises()[exercise_id], VISIBLE_SEED)


@functools.cache
def _our_answers(exercise_id, seed, function):
    """Return what a function of ours, the reference or a slip, answers; the same for every submission."""
    cases = _practice_cases(exercise_id) if seed is None else _grading_cases(exercise_id, seed)
    return collect(exercises()[exercise_id], function, cases)
