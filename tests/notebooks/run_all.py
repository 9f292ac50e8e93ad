"""Run a notebook as "Run all" does, in whatever environment runs this file, and print what it complains about.

    python run_all.py NOTEBOOK FOLDER

The kernel starts in FOLDER. One line per complaint: an exception, or anything on stderr. It imports nbformat and
nbclient alone, since it runs in Colab's environments too.
"""

import sys

import nbformat
from nbclient import NotebookClient


class WithoutWidgetComms(NotebookClient):
    """See grading.clients, which this environment may not be able to import."""

    def on_comm_open_jupyter_widget(self, msg):
        return


def complaints(notebook):
    """Yield what each cell raised or wrote to stderr."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"{output.ename}: {output.evalue} in the cell {cell.source!r}"
            elif output.get("name") == "stderr":
                yield f"stderr: {output.text!r} from the cell {cell.source!r}"


def main(path, folder):
    """Run the notebook; stop where Jupyter would stop."""
    notebook = nbformat.read(path, as_version=4)
    client = WithoutWidgetComms(notebook, timeout=120, allow_errors=True, store_widget_state=False)
    client.execute(cwd=folder)
    for complaint in complaints(notebook):
        print(complaint)
    print(f"{sum(cell.cell_type == 'code' for cell in notebook.cells)} cells run")


if __name__ == "__main__":
    main(*sys.argv[1:])
