"""The cells of each notebook that the build writes, found by their tag: launch links, set-up, table of all sections."""

import copy
from pathlib import Path

SET_UP_TEMPLATE = Path(__file__).parent / "set_up_cell.py"
LAUNCH_LINKS = "launch-links"
SET_UP = "set-up"
LAUNCH_TABLE = "launch-table"
PLACEHOLDERS = {
    LAUNCH_LINKS: "（make build 在这里写入打开本节的链接）",
    SET_UP: "# make build 在这里写入准备代码",
    LAUNCH_TABLE: "（make build 在这里写入打开各节的链接）",
}
LINKS = """**打开本节**：[Google Colab]({colab}) · [ModelScope 魔搭]({modelscope}) · [Binder]({binder}) ·
[下载 .ipynb]({download})

在本机：`make lab`，然后打开 `{path}`。"""


def replace_generated_cells(notebook, text_of):
    """Return a copy in which each generated cell holds `text_of(tag)`."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        for tag in PLACEHOLDERS.keys() & set(cell.metadata.get("tags", [])):
            cell.source = text_of(tag)
    return notebook


def without_generated_text(tag):
    """Return the line that stands in a lesson for what the build writes."""
    return PLACEHOLDERS[tag]


def launch_links(section, addresses):
    """Return the Markdown that opens a page's notebook in Colab, ModelScope, Binder or on one's machine."""
    path = section.release.as_posix()
    return LINKS.format(
        colab=addresses.colab(path),
        modelscope=addresses.modelscope(path),
        binder=addresses.binder(path),
        download=addresses.download(path),
        path=path,
    )


def set_up(addresses):
    """Return the code that makes `import helpers` work wherever the notebook is opened."""
    _, code = SET_UP_TEMPLATE.read_text(encoding="utf-8").split('"""\n\n', maxsplit=1)
    repository, mirror = addresses.archives
    return code.replace("{repository}", repository).replace("{mirror}", mirror).rstrip()
