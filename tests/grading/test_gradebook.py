import shutil
import warnings

import nbformat
import nbgrader.api
import pytest
from nbformat import v4
from nbgrader.api import Gradebook, MissingEntry, Student
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy.exc import SAWarning

from grading.gradebook import SaveScores, gradebook_kept_open
from tests.grading.small_course import ASSIGNMENT, NOTEBOOK, release

WHERE = NOTEBOOK, ASSIGNMENT, "ada"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return the folder of a course in which a student's test was marked by hand before."""
    folder = tmp_path_factory.mktemp("course")
    release(folder)
    with warnings.catch_warnings(), Gradebook(url_in(folder)) as gradebook:
        warnings.simplefilter("ignore", SAWarning)
        gradebook.add_student("ada")
        gradebook.add_submission(ASSIGNMENT, "ada")
        gradebook.find_grade("scores-check", *WHERE).manual_score = 1.5
        gradebook.db.commit()
    return folder


@pytest.fixture
def course(released, tmp_path):
    """Return a copy that a test can do what it likes with."""
    return shutil.copytree(released, tmp_path, dirs_exist_ok=True)


def url_in(course):
    return f"sqlite:///{course / 'gradebook.db'}"


def test_a_gradebook_is_opened_once_while_the_body_runs_and_anew_afterwards(course, tmp_path_factory):
    other = shutil.copytree(course, tmp_path_factory.mktemp("other"), dirs_exist_ok=True)
    with gradebook_kept_open():
        with Gradebook(url_in(course)) as first:
            first.add_student("bob")
        with Gradebook(url_in(course)) as second, Gradebook(url_in(other)) as another:
            assert second.engine is first.engine
            assert second.find_student("bob")
            with pytest.raises(MissingEntry):
                another.find_student("bob")
    with Gradebook(url_in(course)) as third:
        assert third.engine is not first.engine
        assert third.find_student("bob")


def test_what_was_not_saved_when_a_gradebook_is_closed_is_forgotten(course):
    with gradebook_kept_open():
        with Gradebook(url_in(course)) as gradebook:
            gradebook.db.add(Student(id="bob"))
        with Gradebook(url_in(course)) as gradebook, pytest.raises(MissingEntry):
            gradebook.find_student("bob")


def test_the_log_of_the_gradebook_is_silent_while_the_body_runs(caplog):
    with gradebook_kept_open():
        nbgrader.api.app_log.error("a traceback")
    assert not caplog.records
    nbgrader.api.app_log.error("a traceback")
    assert len(caplog.records) == 1


def graded(course):
    """Return the released notebook with an answer, a written one, a test that shows points and one that raises."""
    nb = nbformat.read(course / "notebooks" / ASSIGNMENT / f"{NOTEBOOK}.ipynb", as_version=4)
    cells = {cell.id: cell for cell in nb.cells}
    cells["softmax"].source, cells["why"].source = "softmax = abs", "因为方差。"
    points = v4.new_output("execute_result", {"text/plain": "1.5"}, execution_count=1)
    cells["softmax-check"].outputs = [points]
    cells["scores-check"].outputs = [v4.new_output("error", ename="no", evalue="", traceback=[])]
    return nb


def saved(course, step, nb):
    """Return what the gradebook holds after a step."""
    names = {"student": "ada", "assignment": ASSIGNMENT, "notebook": NOTEBOOK, "db_url": url_in(course)}
    with gradebook_kept_open():
        step().preprocess(nb, {"nbgrader": names})
    return held(course)


def held(course):
    with Gradebook(url_in(course)) as gradebook:
        notebook = gradebook.find_submission_notebook(*WHERE)
        grades = {grade.name: (grade.auto_score, grade.needs_manual_grade, grade.score) for grade in notebook.grades}
        return grades, {comment.name: comment.comment for comment in notebook.comments}


def test_the_scores_and_comments_are_those_that_nbgrader_saves(course, released):
    grades, comments = saved(course, SaveScores, graded(course))
    assert grades == {
        "softmax-check": (1.5, False, 1.5),
        "scores-check": (0, True, 1.5),
        "why": (None, True, 0),
    }
    assert comments == {"softmax": None, "scores": "No response.", "why": None}
    shutil.copy(released / "gradebook.db", course)
    assert saved(course, SaveAutoGrades, graded(course)) == (grades, comments)


def test_of_a_notebook_with_an_unknown_cell_nothing_is_saved_and_nbgrader_says_what_is_wrong(course):
    nb, before = graded(course), held(course)
    nb.cells[-1].metadata.nbgrader.grade_id = "of another lesson"
    with pytest.raises(MissingEntry, match="of another lesson"):
        saved(course, SaveScores, nb)
    assert held(course) == before
