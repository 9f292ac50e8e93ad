import os

import nbformat
import pytest
from nbformat import v4

from grading.reading import is_unreadable
from grading.renamed import ReadUnderAnyName, adopt_renamed, file_behind

ASSIGNMENT, RELEASED_NAME = "ch04_01_attention", "01_attention.ipynb"


def lesson(*grade_ids, text=""):
    solution = {"grade": False, "solution": True}
    cells = [
        v4.new_code_cell(text, metadata={"nbgrader": {"grade_id": grade_id} | solution}, id=grade_id)
        for grade_id in grade_ids
    ]
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
    """Hand files in, oldest first, and return which of them is graded under the released name."""
    folder = course / "submitted" / "ada" / ASSIGNMENT

    def adopt(**files):
        for age, (name, text) in enumerate(files.items()):
            (folder / f"{name}.ipynb").write_text(text)
            os.utime(folder / f"{name}.ipynb", (1_000_000_000 + age, 1_000_000_000 + age))
        there = {path: path.read_bytes() for path in folder.iterdir()}
        notebooks = sorted(map(str, folder.glob("*.ipynb")))
        adopt_renamed(course / "notebooks", assignment=ASSIGNMENT, student="*", notebooks=notebooks)
        assert str(folder / RELEASED_NAME) in notebooks
        assert {path: path.read_bytes() for path in folder.iterdir()} == there
        return file_behind(folder / RELEASED_NAME, course / "notebooks").stem

    adopt.folder, adopt.releases = folder, course / "notebooks"
    return adopt


def test_a_renamed_notebook_is_recognised_among_others_and_read_from_where_it_lies(adopted):
    mine = lesson("softmax", "softmax-check", text="mine")
    assert adopted(homework=mine, scratch=lesson("of", "another")) == "homework"
    nb = ReadUnderAnyName(release_directory=str(adopted.releases)).read(adopted.folder / RELEASED_NAME)
    assert [cell.source for cell in nb.cells] == ["mine", "mine"]


def test_of_several_the_newest_counts(adopted):
    files = {"b": lesson("softmax", text="older"), "a": lesson("softmax", text="newest")}
    assert adopted(**files) == "a"


def test_the_released_name_comes_before_any_other(adopted):
    right_name = lesson("softmax", "softmax-check", text="right name")
    files = {"01_attention": right_name, "copy": lesson("softmax", "softmax-check", text="newer")}
    assert adopted(**files) == "01_attention"


def test_of_several_releases_each_gets_its_own_and_what_is_none_of_them_is_not_graded(adopted):
    (adopted.releases / ASSIGNMENT / "02_scaling.ipynb").write_text(lesson("scaling", "scaling-check"))
    files = {"x": lesson("scaling"), "y": lesson("softmax"), "z": lesson("of", "another")}
    assert adopted(**files) == "y"
    assert file_behind(adopted.folder / "02_scaling.ipynb", adopted.releases).stem == "x"
    for stem in "xy":
        (adopted.folder / f"{stem}.ipynb").unlink()
    assert file_behind(adopted.folder / RELEASED_NAME, adopted.releases).name == RELEASED_NAME


@pytest.mark.parametrize("text", ["no JSON", lesson()])
def test_what_cannot_be_recognised_is_graded_too(adopted, text):
    assert adopted(homework=text) == "homework"


def test_a_renamed_link_is_not_followed(adopted):
    (adopted.folder / "homework.ipynb").symlink_to(adopted.releases / ASSIGNMENT / RELEASED_NAME)
    assert adopted() == "homework"
    nb = ReadUnderAnyName(release_directory=str(adopted.releases)).read(adopted.folder / RELEASED_NAME)
    assert is_unreadable(nb)
