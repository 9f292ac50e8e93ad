"""Where nbval runs the notebooks, have it compare their pictures too; nothing else is set up for all tests."""

import importlib


def pytest_configure(config):
    """Add to nbval what it leaves out; the tests of other environments run without nbval."""
    if config.getoption("nbval", default=False):
        config.pluginmanager.register(importlib.import_module("tests.notebooks.shown"), "shown")
