"""A pytest plugin that fails a cell run by nbval if it does not show the pictures that the notebook holds.

nbval compares texts, HTML and what is written to stderr, and leaves out pictures and the outputs' metadata.
"""

import pytest
from nbval.plugin import IPyNbCell

from grading.release import WIDGET_VIEW
from tests.notebooks.reading import REBUILD, differ, pictures


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Compare after nbval has found the texts of the cell to be right."""
    result = yield
    if isinstance(item, IPyNbCell) and item.options["check"]:
        found = complaint(item.test_outputs, item.cell.outputs)
        if found:
            item.raise_cell_error(f"{found}: {REBUILD}")
    return result


def complaint(fresh, stored):
    """Return what is different in the outputs of a cell, None if they are the same."""
    if metadata(fresh) != metadata(stored):
        return "other metadata of the outputs"
    return "other pictures" if differ(pictures(fresh), pictures(stored)) else None


def metadata(outputs):
    """Return what outputs say of themselves, without the widget that is alive only while the notebook runs."""
    return [
        {key: value for key, value in output.get("metadata", {}).items() if key != WIDGET_VIEW} for output in outputs
    ]
