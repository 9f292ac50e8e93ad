"""Run a notebook as "Run all" does, in whatever environment runs this file, and print the complaints.

    python run_all.py NOTEBOOK FOLDER [--drive | --undrawn]

The kernel starts in FOLDER; with `--drive` it moves the widgets afterwards, with `--undrawn` figures are made and not
drawn. One line per complaint: an exception, anything on stderr, or what `drive_explorers.py` finds wrong with the
widgets. Of the installed packages it imports nbformat and nbclient alone, since it runs in Colab's environments too.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # of this process alone: the kernel finds no helpers

from grading.clients import SteadyClient  # noqa: E402
from grading.lean import import_jsonschema  # noqa: E402

import_jsonschema()

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

DRIVE = (Path(__file__).parent / "drive_explorers.py").read_text(encoding="utf-8") + "\n\ndrive(Out.values())\n"
UNDRAWN = 'from helpers.style import Picture\n\nPicture.png = lambda picture, dpi=None: b""\n'


class Client(SteadyClient, NotebookClient):
    """Runs a notebook as the build does."""


def complaints(notebook):
    """Yield what each cell raised or wrote to stderr."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"{output.ename}: {output.evalue} in the cell {cell.source!r}"
            elif output.get("name") == "stderr":
                yield f"stderr: {output.text!r} from the cell {cell.source!r}"


def main(path, folder, *options):
    """Run the notebook; stop where Jupyter would stop."""
    notebook = nbformat.read(path, as_version=4)
    code = [place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    if "--undrawn" in options:
        notebook.cells.insert(code[0] + 1, nbformat.v4.new_code_cell(UNDRAWN))  # after the cell that fetches helpers
    if "--drive" in options:
        notebook.cells.append(nbformat.v4.new_code_cell(DRIVE))
    client = Client(notebook, timeout=120, allow_errors=True, store_widget_state=False)
    client.execute(cwd=folder)
    for complaint in complaints(notebook):
        print(complaint)
    print(f"{len(code)} cells run")
    if "--drive" in options:
        print("".join(output.get("text", "") for output in notebook.cells[-1].outputs), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
