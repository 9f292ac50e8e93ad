"""Everything the notebooks of chapter 4 import: start with `helpers.checks` and `helpers.widgets`."""

__version__ = "0.1.0"
