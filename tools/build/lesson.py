"""Read a lesson (MyST Markdown) as a notebook, and write it the way jupytext writes it."""

import jupytext
from jupytext.config import load_jupytext_config

from tools.build.generated import replace_generated_cells, without_generated_text
from tools.build.section import ROOT

FORMAT = "md:myst"


def read_lesson(path):
    """Return the lesson as a notebook without outputs."""
    return jupytext.read(path, fmt=FORMAT, config=load_jupytext_config(str(ROOT)))


def canonical(notebook):
    """Return the lesson's text as it would be after a save in JupyterLab.

    Keys are sorted, since a notebook's file sorts them. Cells that the build writes are reduced to one line, so that
    saving the solution notebook, where they are written out, does not bring them into the lesson.
    """
    notebook = replace_generated_cells(notebook, without_generated_text)
    for cell in notebook.cells:
        cell.metadata = sorted_keys(cell.metadata)
    return jupytext.writes(notebook, fmt=FORMAT, config=load_jupytext_config(str(ROOT)))


def sorted_keys(value):
    """Return nested dicts with their keys in alphabetical order."""
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return value
