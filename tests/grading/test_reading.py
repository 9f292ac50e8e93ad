import io
import json

import pytest
from nbformat import v4
from nbformat.validator import isvalid

from grading.reading import is_unreadable, read_submission


def read(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return read_submission(io.StringIO(text))


def notebook(*cells, **metadata):
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def code(**changes):
    cell = {"cell_type": "code", "id": "a", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}
    return cell | changes


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "{}", '{"cells": 3}', '{"nbformat": 9, "cells": []}', "PK\x03"]
)
def test_a_file_that_is_no_notebook_becomes_one_that_says_so(text):
    nb = read(text)
    assert is_unreadable(nb)
    assert "读不出来" in nb.cells[0].source
    assert isvalid(nb)


def test_a_submission_cannot_call_itself_unreadable():
    assert not is_unreadable(read(notebook(code(), unreadable_submission=True)))


@pytest.mark.parametrize(
    "changes",
    [
        {"attachments": {}},
        {"metadata": {"tags": "one"}},
        {"metadata": {"nbgrader": {"grade_id": "x"}, "collapsed": "no"}},
        {"id": "not an id!"},
        {"outputs": [{"output_type": "of a later version"}]},
        {"stray": 1},
    ],
)
def test_an_invalid_cell_is_made_valid_and_keeps_its_source(changes):
    nb = read(notebook(code(**changes)))
    assert not is_unreadable(nb)
    assert isvalid(nb)
    assert [cell.source for cell in nb.cells] == ["1"]
    assert nb.cells[0].metadata.get("nbgrader") == changes.get("metadata", {}).get("nbgrader")


@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
def test_copies_of_a_cell_get_ids_of_their_own():
    nb = read(notebook(code(), code()))
    assert nb.cells[0].id != nb.cells[1].id
    assert isvalid(nb)


def test_colabs_format_without_cell_ids_is_read():
    cell = code(metadata={"id": "Ab", "outputId": "0f"})
    del cell["id"]
    nb = read(notebook(cell) | {"nbformat_minor": 0})
    assert isvalid(nb)
    assert nb.cells[0].metadata.outputId == "0f"


def test_a_byte_order_mark_is_no_reason_for_zero_points():
    assert not is_unreadable(read("\ufeff" + json.dumps(notebook(code()))))


def test_a_picture_pasted_into_a_written_answer_stays():
    picture = {"x.png": {"image/png": "AA=="}}
    nb = read(v4.new_notebook(cells=[v4.new_markdown_cell("![](attachment:x.png)", attachments=picture)]))
    assert nb.cells[0].attachments == picture
