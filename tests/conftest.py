"""Say which tests share a worker: those of a file (a notebook's cells need one kernel), unless marked otherwise."""

import pytest


def pytest_collection_modifyitems(items):
    """Group the tests of every file; `pytest.mark.xdist_group` on a test or a parameter takes precedence."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
