"""Recognise which released notebook a submission was made from, by its content; the names of files change too often."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import v4
from nbgrader.utils import is_solution

from grading.cell_text import defined_functions, normalised
from grading.released import released_id

SHARE_TO_RECOGNISE = 0.3
CLEARLY_MORE = 2.0  # so many times what the next release scores


@dataclass(frozen=True)
class Release:
    """A released notebook, and by what it is recognised: ids, texts and functions that no other release has."""

    assignment: str
    notebook: str
    ids: frozenset[str]
    texts: frozenset[str]
    functions: frozenset[str]

    def share_in(self, nb):
        """Return how much of the release a notebook holds, by whatever is best preserved."""
        marks = _marks(nb)
        own = (self.ids, self.texts, self.functions)
        return max(len(mine & theirs) / len(mine) for mine, theirs in zip(own, marks, strict=True) if mine)


def read_releases(folder):
    """Return the releases below a folder, one folder an assignment."""
    paths = sorted(Path(folder).glob("*/*.ipynb"))
    notebooks = [nbformat.read(path, as_version=4) for path in paths]
    marks = [_marks_of_release(nb) for nb in notebooks]
    shared = [{mark for mark, count in _counted(kind).items() if count > 1} for kind in zip(*marks, strict=True)]
    return [
        Release(path.parent.name, path.stem, *(kind - common for kind, common in zip(own, shared, strict=True)))
        for path, own in zip(paths, marks, strict=True)
    ]


def recognise(nb, releases):
    """Return the release that a notebook was made from, None if that is not clear.

    Parameters
    ----------
    nb : NotebookNode
    releases : sequence of Release

    Returns
    -------
    release : Release or None
    """
    ranked = sorted(((each.share_in(nb), each) for each in releases), key=lambda pair: pair[0], reverse=True)
    if not ranked or ranked[0][0] < SHARE_TO_RECOGNISE:
        return None
    unclear = len(ranked) > 1 and ranked[0][0] < CLEARLY_MORE * ranked[1][0]
    return None if unclear else ranked[0][1]


def _marks(nb):
    """Return the ids, the texts and the functions in a notebook."""
    ids = {released_id(cell) for cell in nb.cells} - {None}
    texts = {normalised(cell.source) for cell in nb.cells} - {""}
    functions = {name for cell in nb.cells for name in defined_functions(cell.source)}
    return frozenset(ids), frozenset(texts), frozenset(functions)


def _marks_of_release(nb):
    """Return the same of a release; of the functions, those that a learner has to write."""
    ids, texts, _ = _marks(nb)
    return ids, texts, _marks(v4.new_notebook(cells=[cell for cell in nb.cells if is_solution(cell)]))[-1]


def _counted(sets):
    return Counter(mark for each in sets for mark in each)
