"""A link to a heading becomes two links to the heading's cell, or the build stops."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grading.release import NotebookRefused
from tools.build.addresses import project_addresses
from tools.build.deep_links import with_deep_links

TARGET = "ch04_xx/xx.ipynb"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a section's notebook."""
    path = tmp_path / "notebooks" / TARGET
    path.parent.mkdir(parents=True)
    cells = {
        "first": new_markdown_cell("## 1 软查找　〔快速 · 标准 · 深度〕\n\n正文里的 # 不是标题"),
        "math": new_markdown_cell("正文\n\n### 除以 $\\sqrt{d_k}$"),
        "twice": new_markdown_cell("### 小结"),
        "again": new_markdown_cell("### 小结"),
        "code": new_code_cell("# 代码"),
    }
    for id_, cell in cells.items():
        cell.id = id_
    nbformat.write(new_notebook(cells=list(cells.values())), path)
    return tmp_path


def linked(heading, folder):
    notebook = new_notebook(cells=[new_markdown_cell(f"看[这里](<{TARGET}#{heading}>)。")])
    return with_deep_links(notebook, folder).cells[0].source


@pytest.mark.parametrize(("heading", "id_"), [("1 软查找", "first"), ("除以 $\\sqrt{d_k}$", "math")])
def test_a_heading_is_opened_by_its_cell_in_jupyterlab_and_in_colab(folder, heading, id_):
    colab = project_addresses().colab(f"notebooks/{TARGET}")
    assert linked(heading, folder) == f"看[这里]({TARGET}#cell-id={id_}) [↗]({colab}#scrollTo={id_})。"


@pytest.mark.parametrize(("heading", "n"), [("2 没有", 0), ("软查找", 0), ("代码", 0), ("小结", 2)])
def test_a_heading_that_no_cell_has_or_two_have_stops_the_build(folder, heading, n):
    with pytest.raises(NotebookRefused, match=f"^{n} cells of {TARGET} have the heading '{heading}'"):
        linked(heading, folder)


def test_code_and_other_links_stay_as_they_are(folder):
    source = f"[x]({TARGET}) [y](https://example.org/#z)"
    notebook = new_notebook(cells=[new_markdown_cell(source), new_code_cell(f"'[x](<{TARGET}#无>)'")])
    assert [cell.source for cell in with_deep_links(notebook, folder).cells] == [source, f"'[x](<{TARGET}#无>)'"]


def test_what_has_not_been_built_into_the_folder_is_looked_up_in_the_project(tmp_path):
    notebook = new_notebook(cells=[new_markdown_cell("[x](<ch04_01_attention/01_attention.ipynb#核心问题 1>)")])
    assert "#cell-id=attention-why-not-rnn-question)" in with_deep_links(notebook, tmp_path).cells[0].source
