"""Turn a sanitized submission into a job: plain data, which any machine with this project can grade."""

import ast
import functools
import hashlib
import json
from pathlib import Path

import numpy as np

import helpers
from grading.released import released_id
from grading.sandbox.submission import ANSWER, ORDINARY, TEST, UNTOUCHED

CODE_FOLDERS = (Path(next(iter(helpers.__path__))), Path(__file__).parent)


class UnreadableTestError(Exception):
    """A released test cell is not of the form that grading can read."""


def make_job(nb, released, release_sources, seed, limits):
    """Return what a worker needs to grade a notebook.

    Parameters
    ----------
    nb : NotebookNode
        Sanitized: every released cell is there once, with its metadata.
    released : dict of str to ReleasedCell
    release_sources : set of str
        The text of every code cell of the released notebook.
    seed : str
        Of the grading cases.
    limits : Limits

    Returns
    -------
    job : dict
        As JSON can hold it. Whoever reads it can work out the cases.
    """
    cells = [
        {"index": index} | _described(cell, released.get(released_id(cell)), release_sources)
        for index, cell in enumerate(nb.cells)
        if cell.cell_type == "code"
    ]
    return {"cells": cells, "seed": seed, "limits": limits.as_dict()}


def _described(cell, released, release_sources):
    if released is not None and released.is_test:
        exercise_id, function = parse_test(released.source)
        return {"kind": TEST, "exercise_id": exercise_id, "function": function}
    if released is not None and released.solution:
        return {"kind": ANSWER, "source": cell.source}
    is_untouched = (released is not None and released.locked) or cell.source in release_sources
    return {"kind": UNTOUCHED if is_untouched else ORDINARY, "source": cell.source}


def parse_test(source):
    """Read the source of a test cell: a call of `check` and nothing else.

    Parameters
    ----------
    source : str

    Returns
    -------
    exercise_id, function : str

    Raises
    ------
    UnreadableTestError

    Examples
    --------
    >>> parse_test('check("attention.softmax", softmax)')
    ('attention.softmax', 'softmax')
    """
    match ast.parse(source).body:
        case [ast.Expr(ast.Call(ast.Name("check"), [ast.Constant(str(exercise_id)), ast.Name(function)], []))]:
            return exercise_id, function
    raise UnreadableTestError(
        f'a test cell must be check("section.exercise", function) and nothing else, not {source!r}'
    )


def digest(job):
    """Return a name for the job that changes with anything that could change its result."""
    text = json.dumps(job, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{_version_of_the_code()}\n{text}".encode()).hexdigest()


@functools.cache
def _version_of_the_code():
    paths = sorted(path for folder in CODE_FOLDERS for path in folder.rglob("*.py"))
    code = hashlib.sha256(np.__version__.encode())
    for path in paths:
        code.update(path.read_bytes())
    return code.hexdigest()
