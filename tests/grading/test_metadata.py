import pytest
from nbformat import from_dict, v4

import grading.metadata
from grading.metadata import RestoreLocked, RestoreMetadata, RunEveryCell
from tests.grading.conftest import RELEASED


def restored(nb):
    return RestoreMetadata().preprocess(nb, {})[0]


@pytest.mark.parametrize(
    "changes", [{"schema_version": 1}, {"schema_version": 99}, {"points": 100}, {"solution": True}]
)
def test_edited_metadata_is_replaced_by_the_released(submitted, changes):
    nb = submitted("softmax-check")
    nb.cells[0].metadata.nbgrader.update(changes)
    assert restored(nb).cells[0].metadata.nbgrader == RELEASED["softmax-check"].metadata()


def test_metadata_that_lacks_its_keys_is_completed(submitted):
    nb = submitted("softmax")
    nb.cells[0].metadata.nbgrader = from_dict({"grade_id": "softmax"})
    assert restored(nb).cells[0].metadata.nbgrader.solution is True


@pytest.mark.parametrize(
    "foreign", ["?", None, [], {}, {"grade_id": 3}, {"grade_id": "of another lesson", "grade": True}]
)
def test_metadata_that_was_not_released_is_removed(submitted, foreign):
    nb = submitted("x = 1")
    nb.cells[0].metadata["nbgrader"] = from_dict(foreign)
    assert "nbgrader" not in restored(nb).cells[0].metadata


def test_an_answer_turned_into_prose_is_turned_back_into_code(submitted):
    nb = submitted()
    metadata = {"nbgrader": {"grade_id": "softmax"}}
    nb.cells.append(v4.new_markdown_cell("def softmax(): ...", metadata=metadata, attachments={}))
    cell = restored(nb).cells[0]
    assert (cell.cell_type, cell.source, cell.outputs) == ("code", "def softmax(): ...", [])
    assert "attachments" not in cell


def test_tags_that_alter_execution_are_removed_and_others_stay(submitted):
    nb = submitted("x = 1")
    nb.cells[0].metadata.tags = ["skip-execution", "mine", "raises-exception"]
    assert RunEveryCell().preprocess(nb, {})[0].cells[0].metadata.tags == ["mine"]


@pytest.fixture
def overwritten(submitted, monkeypatch):
    """Return a function that passes a notebook through `RestoreLocked`."""
    monkeypatch.setattr(grading.metadata, "released_kernelspec", lambda resources: {"name": "python3"})
    return lambda nb: RestoreLocked().preprocess(nb, {})[0]


def test_the_text_of_a_locked_cell_is_put_back_and_an_answer_stays(submitted, overwritten):
    nb = submitted(("softmax-check", "pass"), ("softmax", "softmax = abs"), "mine = 1")
    assert [cell.source for cell in overwritten(nb).cells] == [
        RELEASED["softmax-check"].source,
        "softmax = abs",
        "mine = 1",
    ]


def test_the_kernel_is_the_one_that_was_released(submitted, overwritten):
    nb = submitted()
    nb.metadata.kernelspec = from_dict({"name": "mine", "display_name": "Mine"})
    assert overwritten(nb).metadata.kernelspec == {"name": "python3"}
