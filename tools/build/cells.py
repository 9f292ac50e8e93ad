"""Names and rules for single cells: stable ids, and tags that would defeat the checks."""

import hashlib
from collections import Counter

from grading.release import MEASURED_TIME, NotebookRefused

MEASURED_TAGS = {MEASURED_TIME, "nbval-ignore-output"}
REFUSED_TAGS = {"raises-exception", "skip-execution", "nbval-skip", "nbval-raises-exception"}


def name_cells(notebook):
    """Give every cell an id that stays the same from build to build: its grade_id, or a digest of its text."""
    seen = Counter()
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or digest(cell)
        seen[name] += 1
        cell.id = name[:60] if seen[name] == 1 else f"{name[:60]}-{seen[name]}"
    return notebook


def digest(cell):
    """Return eight characters that depend on the cell's kind and text alone."""
    return hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]


def refuse_tags(notebook):
    """Raise if a tag would keep a cell from being run or judged, or if measured times would be compared."""
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if tags & REFUSED_TAGS:
            raise NotebookRefused(f"remove the tags {sorted(tags & REFUSED_TAGS)} from the cell\n{cell.source}")
        if len(tags & MEASURED_TAGS) == 1:
            raise NotebookRefused(
                f"{' and '.join(sorted(MEASURED_TAGS))} go together; complete the cell\n{cell.source}"
            )
    return notebook
