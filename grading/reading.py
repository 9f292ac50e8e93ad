"""Read any submitted file as a valid notebook: what cannot be read becomes an empty notebook that says so."""

from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import from_dict, reader, v4
from nbformat.validator import isvalid, normalize

UNREADABLE = (
    "⚠️ **这份文件读不出来**：它不是一份完整的 notebook（{reason}），所以每道题都记 0 分。"
    "请在 Jupyter 或 Colab 里重新打开自己的 notebook，保存为 .ipynb 后再交一次。"
)
LINK = "是指向别处的链接"
UNREADABLE_KEY = "unreadable_submission"

MAKE_CELL = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}


class ReadAnySubmission(NotebookExporter):
    """An exporter that opens every file, so that an unreadable one gets 0 points and a reason instead of no grade."""

    def from_filename(self, filename, resources=None, **kw):
        """Convert a notebook, whatever is in the file."""
        return self.from_notebook_node(self.read(filename), resources=resources, **kw)

    def read(self, filename):
        """Read a submitted file."""
        return read_submitted(filename)


def read_submitted(path):
    """Read a submitted file as `read_submission` does; one that is a link to a file elsewhere is not opened."""
    if Path(path).is_symlink():
        return _unreadable(LINK)
    with open(path, encoding="utf-8") as file:
        return read_submission(file)


def read_submission(file_stream):
    """Read a notebook, without its outputs, and make it valid in the current format.

    Parameters
    ----------
    file_stream : text file

    Returns
    -------
    nb : NotebookNode
        `is_unreadable(nb)` if the file is no notebook.
    """
    try:
        text = file_stream.read().removeprefix("\ufeff")  # the mark that some Windows editors put first
        nb = nbformat.convert(reader.reads(text), 4)  # not `nbformat.reads`: the outputs it checks are dropped below
        return _with_distinct_ids(_rebuilt(nb.cells, nb.metadata))
    except Exception as error:  # nbformat raises whatever the JSON that it did not expect led to
        return _unreadable(type(error).__name__)


def is_unreadable(nb):
    """Say whether `nb` stands in for a file that is no notebook."""
    return UNREADABLE_KEY in nb.metadata


def _unreadable(reason):
    notice = v4.new_markdown_cell(UNREADABLE.format(reason=reason))
    return v4.new_notebook(cells=[notice], metadata={UNREADABLE_KEY: True})


def _rebuilt(cells, metadata):
    """Build the notebook anew from what is sound: nbconvert refuses a whole notebook for one stray key in a cell."""
    nb = v4.new_notebook(metadata={key: value for key, value in metadata.items() if key != UNREADABLE_KEY})
    if not isvalid(nb):
        nb.metadata.clear()
    nb.cells = [_without_outputs(cell) for cell in cells]
    if not isvalid(nb):  # one check of a whole notebook is much faster than many of a cell
        nb.cells = [_rebuilt_cell(cell) for cell in cells]
    return nb


def _with_distinct_ids(nb):
    ids = {cell.get("id") for cell in nb.cells}
    return nb if len(ids) == len(nb.cells) and None not in ids else normalize(nb)[1]


def _without_outputs(cell):
    return from_dict(cell | {"outputs": [], "execution_count": None} if cell.get("cell_type") == "code" else cell)


def _rebuilt_cell(cell):
    """Return a valid cell with as much of this one as is valid."""
    make = MAKE_CELL.get(cell.get("cell_type"), v4.new_raw_cell)
    source = cell.get("source", "")
    new = make(source=source if isinstance(source, str) else str(source))
    _set_if_valid(new, "id", cell.get("id"))
    metadata = cell.get("metadata", {})
    if not _set_if_valid(new, "metadata", metadata) and "nbgrader" in metadata:
        _set_if_valid(new, "metadata", {"nbgrader": metadata["nbgrader"]})
    if new.cell_type == "markdown" and "attachments" in cell:
        _set_if_valid(new, "attachments", cell.attachments)
    return new


def _set_if_valid(cell, key, value):
    """Set the key and say that it was, unless the cell would no longer be valid."""
    changed = from_dict(cell | {key: value})
    valid = isvalid(changed, ref=f"{cell.cell_type}_cell", version=4, version_minor=5)
    if valid:
        cell[key] = changed[key]
    return valid
