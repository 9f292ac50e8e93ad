"""Turn the start page's links to headings into links to cells: one for JupyterLab, beside it one for Colab.

A lesson writes `[第 1 节](<ch04_01_attention/01_attention.ipynb#1 从查字典到软查找>)`: after the `#` a heading of that
notebook, without the paths behind it. JupyterLab opens another notebook at a cell's id, but not at a Chinese heading
(it compares the heading with the percent-encoded link). Colab knows cells' ids alone, and names them differently.
"""

import re

import nbformat

from grading.release import NotebookRefused
from tools.build.addresses import project_addresses
from tools.build.section import ROOT, StartPage

LINK = re.compile(r"\[([^\]]+)\]\(<([^#>]+\.ipynb)#([^>]+)>\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
PATHS = re.compile(r"\s*〔[^〕]*〕\s*$")  # which paths a heading belongs to
IN_COLAB = "↗"


def with_deep_links(notebook, into=ROOT):
    """Write out every link to a heading, from the sections' notebooks in `into`, or else from those in the project."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(lambda link: both_links(*link.groups(), into), cell.source)
    return notebook


def both_links(text, path, heading, into):
    """Return the link that JupyterLab follows, and a small one that opens the same place in Colab."""
    released = StartPage().release.parent / path
    source = into / released if (into / released).exists() else ROOT / released
    id_ = cell_with_heading(nbformat.read(source, as_version=4), heading, path)
    colab = project_addresses().colab(released.as_posix())
    return f"[{text}]({path}#cell-id={id_}) [{IN_COLAB}]({colab}#scrollTo={id_})"


def cell_with_heading(notebook, heading, path):
    """Return the id of the one cell that has this heading; raise `NotebookRefused` if none has it, or several."""
    found = [cell.id for cell in notebook.cells if heading in headings(cell)]
    if len(found) != 1:
        raise NotebookRefused(f"{len(found)} cells of {path} have the heading {heading!r}; a link needs exactly one")
    return found[0]


def headings(cell):
    r"""Return the headings of a cell, without the paths that they belong to.

    Examples
    --------
    >>> headings(nbformat.v4.new_markdown_cell("## 1 软查找　〔快速 · 标准〕\n\n……"))
    ['1 软查找']
    """
    if cell.cell_type != "markdown":
        return []
    return [PATHS.sub("", heading).strip() for heading in HEADING.findall(cell.source)]
