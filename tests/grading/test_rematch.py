"""Honestly damaged notebooks: every answer is found, every test meets it, and what is unclear is said."""

import copy
import io

import nbformat
import numpy as np
import pytest
from nbformat import from_dict, v4
from nbgrader.api import Gradebook

import grading.rematch
from grading.duplicates import KeepOneCopy
from grading.matching import Prose
from grading.metadata import RestoreMetadata
from grading.missing import PutBackMissingCells
from grading.reading import UNREADABLE_KEY, read_submission
from grading.released import ReleasedCell, released_id
from grading.rematch import MAX_CELLS, REPAIRS_KEY, RematchCells, released_layout, rematch
from tests.grading import honest_damage
from tests.grading.conftest import RELEASED, described
from tests.grading.honest_damage import DAMAGES, answer_cut_in_two_and_metadata_stripped, damaged
from tests.grading.real_course import ASSIGNMENT, NOTEBOOK, ROOT, hand_in, release, run
from tests.grading.synthetic_class import cell_of, dumps, exercises_only, read_section, set_source

RELEASE = ROOT / "notebooks" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
RESOURCES = {"nbgrader": {"assignment": ASSIGNMENT, "notebook": NOTEBOOK}}
PROSE = "## 书面题"
LAYOUT = ("set-up", "softmax", "softmax-check", "scores", "scores-check", Prose(PROSE), "why", Prose("## 小结"))
STUB, WHY = RELEASED["softmax"].source, RELEASED["why"].source
SOFTMAX, SCORES = "def softmax(scores):\n    return scores", "def scores(q, k):\n    return q @ k.T"


@pytest.fixture(scope="module")
def section():
    return read_section(RELEASE, ROOT / "solutions" / ASSIGNMENT / f"{NOTEBOOK}.ipynb")


@pytest.fixture(scope="module")
def perfect(section):
    """Return a notebook in which every answer is right; the written ones differ, and can be cut in two."""
    nb = exercises_only(section)
    for number, grade_id in enumerate(section.written_ids):
        set_source(
            nb, grade_id, f"回答{number}：分量多，点积的方差就大。\n所以要除以它的标准差{'甲乙丙丁'[number % 4] * 9}。"
        )
    return nb


@pytest.fixture
def sanitized(section, monkeypatch):
    """Return a function that takes a submission through the steps that settle which cell is which."""
    released = {grade_id: as_released(cell) for cell in section.release.cells if (grade_id := released_id(cell))}
    steps = (RematchCells, RestoreMetadata, KeepOneCopy, PutBackMissingCells)
    for module in (grading.rematch, grading.metadata, grading.duplicates, grading.missing):
        monkeypatch.setattr(module, "released_cells", lambda resources: released)

    def sanitize(nb):
        nb = read_submission(io.StringIO(dumps(nb)))
        for step in steps:
            made = step()
            made.release_directory = str(ROOT / "notebooks")
            nb, _ = made.preprocess(nb, RESOURCES)
        for cell in nb.cells:  # as nbgrader's OverwriteCells does
            grade_id = released_id(cell)
            cell.source = released[grade_id].source if grade_id and released[grade_id].locked else cell.source
        return nb

    return sanitize


def as_released(cell):
    """Return a cell as the gradebook knows it."""
    known = cell.metadata.nbgrader
    kind = known.locked, known.grade, known.solution, known.task
    return ReleasedCell(known.grade_id, cell.cell_type, cell.source, known.checksum, *kind, known.get("points"))


def met_by_the_tests(nb):
    """Run the notebook's functions, and return for every test the names in the function that it meets."""
    met, namespace = {}, {"np": np}
    for cell in nb.cells:
        grade_id = released_id(cell)
        namespace["check"] = lambda name, function, grade_id=grade_id: met.update({grade_id: names_in(function)})
        if cell.cell_type == "code" and "helpers" not in cell.source:
            try:
                exec(cell.source, namespace)
            except Exception as error:
                met[grade_id] = error
    met.pop(None, None)
    return met


def names_in(function):
    return function.__code__.co_varnames, function.__code__.co_names


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_test_meets_its_answer_and_every_written_one_is_whole(section, perfect, sanitized, damage):
    nb, undamaged = sanitized(damaged(section, perfect, damage)), sanitized(perfect)
    assert len(met_by_the_tests(undamaged)) == len(section.questions)
    assert met_by_the_tests(nb) == met_by_the_tests(undamaged)
    for grade_id in section.written_ids:
        assert cell_of(nb, grade_id).source.split() == cell_of(perfect, grade_id).source.split()
    ids = [released_id(cell) for cell in nb.cells if released_id(cell)]
    assert sorted(ids) == sorted(released_id(cell) for cell in section.release.cells if released_id(cell))
    assert damage is DAMAGES[0] or damage is honest_damage.saved_by_colab or nb.metadata[REPAIRS_KEY]


def test_an_undamaged_notebook_is_left_as_it_is(section, perfect):
    layout = released_layout(RELEASE)
    released = {grade_id: as_released(cell) for cell in section.release.cells if (grade_id := released_id(cell))}
    for nb in (perfect, section.release):
        copied = copy.deepcopy(nb)
        assert rematch(copied, released, layout) == []
        assert copied == nb


def test_stripped_stubs_stay_stubs(section, sanitized):
    stripped = damaged(section, section.release, honest_damage.metadata_stripped)
    assert [cell.source for cell in sanitized(stripped).cells] == [cell.source for cell in section.release.cells]
    assert [released_id(cell) for cell in sanitized(stripped).cells] == list(map(released_id, section.release.cells))


@pytest.fixture
def matched(submitted):
    """Return a function that matches a small notebook and returns its ids and texts, and what is said of it."""

    def match(*cells, layout=LAYOUT):
        nb = submitted(*[cell for cell in cells if not isinstance(cell, dict)])
        for index, cell in enumerate(cells):
            if isinstance(cell, dict):
                nb.cells.insert(index, v4.new_markdown_cell(cell["text"]))
        repairs = rematch(nb, RELEASED, layout)
        return described(nb), " ".join(repairs)

    return match


def text(source):
    return {"text": source}


def test_of_several_definitions_the_last_before_the_test_counts_and_the_learner_reads_so(matched):
    later = SOFTMAX + " * 2"
    cells, said = matched("set-up", SOFTMAX + " * 3", SOFTMAX, "softmax-check", later, "scores", "scores-check", "why")
    assert cells[1] == SOFTMAX + " * 3"
    assert "几个单元格里都有定义" in cells[2]
    assert cells[3:5] == ["softmax", "softmax-check"]
    assert "3 cells define softmax" in said


def test_equal_copies_of_an_answer_are_not_worth_a_line(matched):
    cells, _ = matched("set-up", SOFTMAX, SOFTMAX, "softmax-check", "scores", "scores-check", "why")
    assert cells[1:4] == [SOFTMAX, "softmax", "softmax-check"]


def test_a_test_above_its_answer_is_moved_below_and_the_learner_reads_so(matched):
    cells, said = matched("set-up", "softmax-check", "scores", "scores-check", "why", SOFTMAX)
    assert cells[:4] == ["set-up", "scores", "scores-check", "why"]
    assert cells[4] == "softmax"
    assert "移到了函数 `softmax` 的定义之后" in cells[5]
    assert cells[6:] == ["softmax-check"]
    assert "softmax-check: stood before the answer" in said


def test_an_answer_that_still_has_its_id_is_not_moved(matched):
    order = ["set-up", "softmax-check", ("softmax", SOFTMAX), "scores", "scores-check", "why"]
    assert matched(*order) == (["set-up", "softmax-check", "softmax", "scores", "scores-check", "why"], "")


def test_a_draft_beside_an_answer_that_has_its_id_stays_a_draft(matched):
    order = ["set-up", ("softmax", SOFTMAX), "softmax-check", SOFTMAX + " * 2", "scores", "scores-check", "why"]
    assert matched(*order)[0][3] == SOFTMAX + " * 2"


def test_a_helper_inside_another_answer_does_not_answer_an_untouched_exercise(matched):
    both = ("scores", f"{SOFTMAX}\n\n\n{SCORES}")
    order = ["set-up", "softmax", "softmax-check", both, "scores-check", "why"]
    assert matched(*order) == (["set-up", "softmax", "softmax-check", "scores", "scores-check", "why"], "")


def test_a_missing_test_is_put_back_behind_the_cell_that_defines_its_function(matched):
    both = ("scores", f"{SCORES}\n\n\n{SOFTMAX}")
    cells, said = matched("set-up", both, "scores-check", "why")
    assert cells == ["set-up", "scores", "softmax-check", "scores-check", "why"]
    assert "softmax is defined in cell scores" in said


def test_a_variable_called_like_a_function_is_no_answer(matched):
    cells, _ = matched("set-up", "softmax-check", "softmax = 3", "scores", "scores-check", layout=())
    assert "softmax = 3" in cells


def test_a_text_in_the_place_of_a_written_answer_is_one(matched):
    cells, said = matched("set-up", "softmax", "softmax-check", "scores", "scores-check", text(PROSE), text("因为……"))
    assert cells[-2:] == [PROSE, "why"]
    assert "recognised by its place" in said


def test_two_texts_in_the_place_of_one_answer_are_joined_if_they_stand_together(matched):
    start = ["set-up", "softmax", "softmax-check", "scores", "scores-check", text(PROSE)]
    cells, _ = matched(*start, text("第一。"), text("第二。"))
    assert cells[-2:] == [PROSE, "why"]


def test_texts_apart_from_each_other_are_left_to_a_reader(matched):
    start = ["set-up", ("softmax", SOFTMAX), "softmax-check", "scores", "scores-check", text(PROSE)]
    cells, said = matched(*start, text("第一。"), "x = 1", text("第二。"))
    assert cells[-4:] == ["why", "第一。", "x = 1", "第二。"]
    assert "a reader has to tell" in said


def test_an_untouched_stub_beside_texts_that_may_be_the_answer_waits_for_a_reader(submitted):
    nb = submitted("set-up", "softmax", "softmax-check", "scores", "scores-check")
    for each in (PROSE, "第一。", WHY, "第二。"):
        nb.cells.append(v4.new_markdown_cell(each))
    nb.cells[-2].metadata.nbgrader = from_dict(RELEASED["why"].metadata())
    assert "a reader has to tell" in " ".join(rematch(nb, RELEASED, LAYOUT))
    assert "由老师来看" in nb.cells[-2].source
    assert nb.cells[-2].metadata.nbgrader.grade_id == "why"


def test_a_blank_half_of_a_cut_stub_is_no_answer(matched):
    cells, said = matched("set-up", "softmax", "softmax-check", "scores", "scores-check", "why", ("why", " \n"))
    assert cells[-2:] == ["why", " \n"]
    assert "is blank" in said


def test_prose_of_the_release_is_no_answer_even_if_it_was_edited_a_little(matched):
    start = ["set-up", "softmax", "softmax-check", "scores", "scores-check"]
    long = "## 小结：掩码决定谁看谁，层数决定看得多远，缩放让梯度不消失。"
    layout = (*LAYOUT[:-1], Prose(long))
    for changed in (long, long + "！！"):
        assert matched(*start, text(PROSE), text(changed), layout=layout)[0][-2:] == [PROSE, changed]


def test_without_the_released_notebook_nothing_is_recognised_by_its_place(matched):
    cells, _ = matched("set-up", "softmax", "softmax-check", "scores", "scores-check", text("因为……"), layout=())
    assert cells[-1] == "因为……"


def test_code_that_defines_nothing_is_the_answer_only_if_it_is_the_only_candidate(matched):
    rest = ["softmax-check", "scores", "scores-check", "why"]
    cells, said = matched("set-up", "s = 1", *rest)
    assert cells[1] == "softmax"
    assert "does not define the function asked for" in said
    cells, said = matched("set-up", "s = 1", "t = 2", *rest)
    assert cells[1:3] == ["s = 1", "t = 2"]
    assert "2 could be meant" in said


def test_a_slightly_edited_test_is_recognised_and_a_neighbour_with_a_similar_text_is_not(matched):
    edited = RELEASED["softmax-check"].source + " #"
    cells, said = matched("set-up", "softmax", edited, "scores", "scores-check", "why")
    assert cells[2] == "softmax-check"
    assert "nearly its own" in said
    cells, _ = matched("set-up", "softmax", 'check("attention.scores", softmax)', "scores", "scores-check", "why")
    assert cells[2] == 'check("attention.scores", softmax)'


def test_two_drafts_of_an_answer_are_not_joined(matched):
    drafts = [("why", "因为点积的方差很大，所以除以标准差。"), ("why", "因为点积的方差太大，所以要除以标准差。")]
    cells, _ = matched("set-up", "softmax", "softmax-check", "scores", "scores-check", *drafts)
    assert cells[-2:] == ["why", "why"]


def test_a_stub_beside_its_copy_with_the_answer_is_not_joined_to_it(matched):
    cells, said = matched("set-up", "softmax", "softmax-check", "scores", "scores-check", "why", ("why", "因为……"))
    assert (cells[-2:], said) == (["why", "why"], "")


def test_a_line_added_to_a_test_is_overwritten_as_always(matched):
    changed = ("softmax-check", RELEASED["softmax-check"].source + "\nprint(1)")
    cells, said = matched("set-up", "softmax", changed, "scores", "scores-check", "why")
    assert (cells[2], said) == ("softmax-check", "")


def test_a_submission_cannot_report_repairs_of_its_own(submitted, monkeypatch):
    monkeypatch.setattr(grading.rematch, "released_cells", lambda resources: RELEASED)
    nb = submitted(*[(grade_id, "# mine") for grade_id in RELEASED])
    nb.metadata[REPAIRS_KEY] = ["Give me full marks"]
    assert REPAIRS_KEY not in RematchCells().preprocess(nb, {})[0].metadata


def test_an_unreadable_file_is_not_matched(submitted, monkeypatch):
    monkeypatch.setattr(grading.rematch, "released_cells", lambda resources: RELEASED)
    nb = submitted(SOFTMAX)
    nb.metadata[UNREADABLE_KEY] = True
    assert described(RematchCells().preprocess(nb, {})[0]) == [SOFTMAX]


def test_a_notebook_of_very_many_cells_is_said_to_be_too_long_to_match(submitted):
    nb = submitted(*["x = 1"] * (MAX_CELLS + 1))
    assert "too many" in rematch(nb, RELEASED, LAYOUT)[0]


# Enough to show that nbgrader's own steps go along; the others are settled above, without running a notebook.
HANDED_IN = {
    "stripped": (honest_damage.answers_in_new_cells_and_metadata_stripped,),
    "cut": (answer_cut_in_two_and_metadata_stripped,),
    "merged": (honest_damage.answer_merged_into_its_test, honest_damage.written_answers_merged),
    "moved": (honest_damage.all_functions_in_one_cell_at_the_end, honest_damage.question_merged_with_its_answer),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, section, perfect):
    course = tmp_path_factory.mktemp("course")
    release(course)
    for student, damages in HANDED_IN.items():
        hand_in(course, student, dumps(damaged(section, perfect, *damages)))
    return course, run(course, "nbgrader", "autograde", ASSIGNMENT).stderr


def test_a_damaged_but_honest_perfect_notebook_gets_full_marks(graded, section):
    course, log = graded
    given, deserved = {}, {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        for student in HANDED_IN:
            notebook = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student)
            given[student] = {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in notebook.grades}
            deserved[student] = {question.test_id: (question.points, False) for question in section.questions}
            deserved[student] |= dict.fromkeys(section.written_ids, (None, True))
    assert given == deserved
    assert "Cell attention-softmax: recognised by the function softmax" in log


def test_what_was_repaired_stands_in_the_autograded_notebook(graded):
    course, _ = graded
    path = course / "autograded" / "merged" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    assert any("taken apart" in repair for repair in nbformat.read(path, as_version=4).metadata[REPAIRS_KEY])
