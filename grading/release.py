"""Run a notebook and keep only what is the same on every machine; nbgrader_config.py ends the release with it."""

import os
import tempfile
from pathlib import Path

from nbclient import NotebookClient
from nbgrader.preprocessors import NbGraderPreprocessor

from grading.clients import SteadyClient

ROOT = Path(__file__).resolve().parent.parent
CELL_TIMEOUT = 120  # seconds; a lesson's slowest cell takes two
MEASURED_TIME = "measured-time"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}  # without the version, which differs between machines


class NotebookRefused(Exception):
    """A notebook that must not be published: it complains on stderr, or shows a path of this machine."""


class LessonClient(SteadyClient, NotebookClient):
    """Runs a notebook from top to bottom and stops at the first exception."""


class ExecuteRelease(NbGraderPreprocessor):
    """Give the learner's notebook its pictures back, after nbgrader has cleared every output and every solution.

    It stands last: nbgrader's own steps must have removed what a learner may not see before anything runs.
    """

    def preprocess(self, notebook, resources):
        """Run the notebook, as nbgrader's steps left it."""
        notebook.metadata.pop("jupytext", None)  # only the solution notebook is paired with its lesson
        return executed(notebook), resources


def executed(notebook):
    """Return the notebook with fresh outputs that are the same on every run, or refuse it.

    Parameters
    ----------
    notebook : NotebookNode
        It is changed in place.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    NotebookRefused
        If a cell writes to stderr, or an output contains a path of this machine.
    """
    run(notebook)
    strip_outputs(notebook)
    strip_metadata(notebook)
    refuse_complaints(notebook)
    refuse_machine_paths(notebook)
    return notebook


def run(notebook):
    """Execute every cell in a fresh kernel, in an empty folder, with nothing of the user's settings."""
    notebook.metadata.kernelspec = dict(KERNEL)
    with tempfile.TemporaryDirectory() as empty:
        client = LessonClient(
            notebook,
            timeout=CELL_TIMEOUT,
            record_timing=False,
            store_widget_state=False,
            coalesce_streams=True,  # how many pieces a printed text arrives in depends on the load
            extra_arguments=["--log-level=ERROR"],  # the kernel's own log is nothing that a builder can act on
        )
        client.execute(cwd=empty, env=kernel_environment(ipython_folder=empty))


def kernel_environment(ipython_folder):
    """Return the environment variables of a kernel whose outputs depend on the notebook alone."""
    fixed = {"PYTHONHASHSEED": "0", "IPYTHONDIR": ipython_folder, "COLUMNS": "120"}
    not_inherited = ("NBGRADER_EXECUTION", "GRADING_SEED", "PYTHONWARNINGS")
    inherited = {name: value for name, value in os.environ.items() if name not in not_inherited}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return inherited | fixed | {"PYTHONPATH": path}


def strip_outputs(notebook):
    """Drop what is alive only in a running kernel (widget views), and outputs that show measured times."""
    for cell in code_cells(notebook):
        if MEASURED_TIME in cell.metadata.get("tags", []):
            cell.outputs = []
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.get("metadata", {}).pop(WIDGET_VIEW, None)


def strip_metadata(notebook):
    """Drop execution timestamps, widget states (they break GitHub's rendering) and the version of Python."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = dict(LANGUAGE)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def refuse_complaints(notebook):
    """Raise if a cell wrote to stderr: a missing glyph, a deprecated call. Learners would see it too."""
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                raise NotebookRefused(f"{output.get('text', output)}\nwas written to stderr by the cell\n{cell.source}")


def refuse_machine_paths(notebook):
    """Raise if an output names a folder of the machine that it ran on."""
    folders = {str(ROOT), str(Path.home()), tempfile.gettempdir()} - {"/"}
    for cell in code_cells(notebook):
        shown = str(cell.outputs)
        for folder in folders:
            if f"{folder}{os.sep}" in shown:
                raise NotebookRefused(f"the path {folder} stands in the output of the cell\n{cell.source}")


def code_cells(notebook):
    """Return the cells that can have outputs."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
