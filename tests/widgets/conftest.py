"""Every widget test runs with warnings as errors: a missing glyph must not pass unseen."""

import warnings

import pytest


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)  # old matplotlib on new pyparsing
        warnings.simplefilter("error", RuntimeWarning)
        yield
