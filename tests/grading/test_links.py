import pytest

from grading.links import links_in, remove_linked
from grading.reading import ReadAnySubmission


@pytest.fixture
def folder(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the instructor's")
    folder = tmp_path / "submitted" / "ann" / "ch04"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "notes.txt").symlink_to(secret)
    (folder / "mine.txt").write_text("mine")
    return folder


def test_links_are_found_at_any_depth(folder):
    assert [str(link) for link in links_in(folder)] == ["data/notes.txt"]


def test_what_was_copied_from_behind_a_link_is_removed_and_the_submission_stays(folder, tmp_path):
    copied = tmp_path / "autograded" / "ann" / "ch04"
    (copied / "data").mkdir(parents=True)
    for name in ("data/notes.txt", "mine.txt", "a.ipynb"):
        (copied / name).write_text("copied")
    remove_linked(tmp_path / "autograded", assignment="ch04", student="ann", notebooks=[str(folder / "a.ipynb")])
    assert sorted(path.name for path in copied.rglob("*.*")) == ["a.ipynb", "mine.txt"]
    assert (folder / "data" / "notes.txt").is_symlink()


def test_a_notebook_that_is_a_link_is_not_opened(folder, tmp_path):
    (folder / "a.ipynb").symlink_to(tmp_path / "secret.txt")
    text, _ = ReadAnySubmission().from_filename(str(folder / "a.ipynb"))
    assert "链接" in text
    assert "instructor" not in text
