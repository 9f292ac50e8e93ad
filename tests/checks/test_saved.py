"""The chapter's progress is read from the saved notebooks, whatever lies beside them."""

import json

import pytest

from helpers.checks import exercises
from helpers.checks.saved import SECTIONS, chapter_progress, saved_points
from tools.build.readme import title
from tools.build.section import ROOT, Section, sections

N_ATTENTION = 10


@pytest.fixture
def save(tmp_path):
    """Return a function that saves a notebook with some checks and what they said."""

    def save(name, *checks):
        cells = [
            {
                "cell_type": "code",
                "source": [f'check("{id_}", {id_.split(".")[1]})'],
                "outputs": [{"output_type": "execute_result", "data": {"text/plain": [points]}}] if points else [],
            }
            for id_, points in checks
        ]
        path = tmp_path / "ch04_01_attention" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# x"]}, *cells]}), encoding="utf-8")

    return save


def row(progress, section="attention"):
    return next(row for row in progress.rows if row[0] == SECTIONS[section])


def test_the_instructors_notebooks_are_complete_and_the_untouched_ones_found_but_empty():
    for folder, share in (("solutions", 1), ("notebooks", 0)):
        for title_, found, done, n, points, most in chapter_progress(ROOT / folder).rows:
            assert found, title_
            assert (done, points) == (share * n, share * most)


def test_a_section_counts_what_is_right_and_adds_the_points_of_what_is_not_quite(tmp_path, save):
    save("01_attention.ipynb", ("attention.softmax", "2"), ("attention.scores", "0.5"), ("attention.project", ""))
    title_, found, done, n, points, most = row(chapter_progress(tmp_path))
    assert (title_, found, done, n, points) == ("4.1 自注意力机制", True, 1, N_ATTENTION, 2.5)
    assert most == sum(exercise.points for id_, exercise in exercises().items() if id_.startswith("attention."))


def test_of_several_copies_the_best_result_of_each_exercise_counts(tmp_path, save):
    save("01_attention.ipynb", ("attention.softmax", "1"), ("attention.scores", "2"))
    save("01_attention-Copy1.ipynb", ("attention.softmax", "2"), ("attention.scores", "0"))
    assert saved_points(tmp_path) == {"attention.softmax": 2, "attention.scores": 2}


def test_a_result_that_is_no_number_or_above_the_maximum_gains_nothing(tmp_path, save):
    save("a.ipynb", ("attention.softmax", "100"), ("attention.scores", "nan"), ("attention.project", "True"))
    assert row(chapter_progress(tmp_path))[2:5] == (1, N_ATTENTION, exercises()["attention.softmax"].points)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff\xfe", b'{"cells": [{"cell_type": "code"}]}', b'{"cells": 3}']
)
def test_a_file_that_is_no_notebook_is_passed_over(tmp_path, save, content):
    save("01_attention.ipynb", ("attention.softmax", "2"))
    (tmp_path / "ch04_01_attention" / "broken.ipynb").write_bytes(content)
    assert saved_points(tmp_path) == {"attention.softmax": 2}


def test_nothing_is_written(tmp_path, save):
    save("01_attention.ipynb", ("attention.softmax", "2"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    repr(chapter_progress(tmp_path))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_where_no_notebook_lies_beside_it_the_page_says_why_and_where_to_look(tmp_path):
    progress = chapter_progress(tmp_path)
    for text in (repr(progress), progress._repr_html_()):
        assert "在 Colab 里就是这样" in text
        assert "没有找到它的 notebook" in text


def test_a_section_that_is_not_there_is_told_apart_from_one_not_begun(tmp_path, save):
    save("01_attention.ipynb", ("attention.softmax", ""))
    lines = repr(chapter_progress(tmp_path)).splitlines()
    assert lines[1].startswith(f"4.1 自注意力机制　0 / {N_ATTENTION}　")
    assert lines[2].startswith("4.2 多头注意力　没有找到它的 notebook")
    assert "读的是同一文件夹里" in lines[-1]


def test_every_family_of_exercises_has_a_title_and_every_title_is_its_lessons():
    assert {id_.split(".")[0] for id_ in exercises()} <= set(SECTIONS)
    assert {title(Section(name)) for name in sections()} <= set(SECTIONS.values())
