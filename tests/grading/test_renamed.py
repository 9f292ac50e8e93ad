import os

import nbformat
import pytest
from nbformat import v4

from grading.renamed import adopt_renamed

ASSIGNMENT, RELEASED_NAME = "ch04_01_attention", "01_attention.ipynb"


def lesson(*grade_ids, text=""):
    cells = [v4.new_code_cell(text, metadata={"nbgrader": {"grade_id": grade_id}}) for grade_id in grade_ids]
    return nbformat.writes(v4.new_notebook(cells=cells))


@pytest.fixture
def course(tmp_path):
    release = tmp_path / "notebooks" / ASSIGNMENT
    release.mkdir(parents=True)
    (release / RELEASED_NAME).write_text(lesson("softmax", "softmax-check", "why"))
    (tmp_path / "submitted" / "ada" / ASSIGNMENT).mkdir(parents=True)
    return tmp_path


@pytest.fixture
def adopted(course):
    """Hand files in, oldest first, and return what is then graded under the released name."""
    folder = course / "submitted" / "ada" / ASSIGNMENT

    def adopt(**files):
        for age, (name, text) in enumerate(files.items()):
            (folder / f"{name}.ipynb").write_text(text)
            os.utime(folder / f"{name}.ipynb", (1_000_000_000 + age, 1_000_000_000 + age))
        notebooks = sorted(map(str, folder.glob("*.ipynb")))
        adopt_renamed(course / "notebooks", assignment=ASSIGNMENT, student="*", notebooks=notebooks)
        assert str(folder / RELEASED_NAME) in notebooks
        return (folder / RELEASED_NAME).read_text()

    adopt.folder = folder
    return adopt


def test_a_renamed_notebook_is_recognised_among_others(adopted):
    mine = lesson("softmax", "softmax-check", text="mine")
    assert adopted(homework=mine, scratch=lesson("of", "another")) == mine
    assert (adopted.folder / "homework.ipynb").read_text() == mine
    assert "homework.ipynb" in (adopted.folder / "01_attention_renamed.txt").read_text()


def test_of_several_the_newest_counts(adopted):
    newest = lesson("softmax", "softmax-check", text="newest")
    assert adopted(b=lesson("softmax", "softmax-check", text="older"), a=newest) == newest


def test_the_released_name_comes_before_any_other(adopted):
    right_name = lesson("softmax", "softmax-check", text="right name")
    files = {"01_attention": right_name, "copy": lesson("softmax", "softmax-check", text="newer")}
    assert adopted(**files) == right_name
    assert not (adopted.folder / "01_attention_renamed.txt").exists()


def test_a_newer_submission_replaces_what_an_earlier_run_copied(adopted):
    adopted(homework=lesson("softmax", "softmax-check", text="first"))
    second = lesson("softmax", "softmax-check", text="second")
    assert adopted(homework=second) == second


def test_a_submission_under_the_right_name_replaces_the_copy_for_good(adopted):
    adopted(homework=lesson("softmax", "softmax-check", text="first"))
    right_name = lesson("softmax", "softmax-check", text="right name")
    (adopted.folder / RELEASED_NAME).write_text(right_name)
    assert adopted() == right_name


@pytest.mark.parametrize("text", ["no JSON", lesson()])
def test_what_cannot_be_recognised_is_graded_too(adopted, text):
    assert adopted(homework=text) == text
