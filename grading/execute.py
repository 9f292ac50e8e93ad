"""Grade a submission in a sandbox, as the step of nbgrader's autograding that runs notebooks otherwise."""

import atexit
import functools
from pathlib import Path

import nbformat
from nbformat import from_dict
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Float, Integer, Unicode

from grading.flags import flags_of
from grading.job import make_job
from grading.reading import UNREADABLE_KEY
from grading.released import released_cells
from grading.sandbox.isolation import strongest
from grading.sandbox.limits import Limits
from grading.sandbox.service import Sandbox
from grading.seed import grading_seed
from grading.stamp import RECORD_KEY
from grading.verdict import STOPPED_KEY, show_result
from grading.work import run_job


class ExecuteSubmission(NbGraderPreprocessor):
    """Run a submission where it can hurt nobody; the points come from what its functions answer, judged out here."""

    timeout = Float(60, help="seconds a cell may take").tag(config=True)
    notebook_timeout = Float(600, help="seconds a whole notebook may take, with its restarts").tag(config=True)
    max_restarts = Integer(5, help="after so many, the cells that are left are not run").tag(config=True)
    unsafe = Bool(False, help="do without a sandbox: submissions run with your rights").tag(config=True)
    seed_file = Unicode(".grading_seed", help="where the seed of the grading cases is kept").tag(config=True)
    release_directory = Unicode("notebooks", help="where the released notebooks are").tag(config=True)

    def preprocess(self, nb, resources):
        """Run and judge all cells."""
        job = self.job(nb, resources)
        return self.enter_result(nb, resources, job, run_job(job, self._sandbox()))

    def enter_result(self, nb, resources, job, result):
        """Put the result of a notebook's job into the notebook, and what an instructor should see into its record."""
        for cell in nb.cells:
            cell.metadata.pop(STOPPED_KEY, None)
        show_result(nb, job, result, self._release_outputs(resources))
        record = nb.metadata.get(RECORD_KEY, {})
        flags = [*record.get("flags", []), *flags_of(nb, job, result)]
        nb.metadata.pop(UNREADABLE_KEY, None)
        for flag in flags:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], flag)
        nb.metadata[RECORD_KEY] = from_dict(record | {"flags": flags, "tests": _without_pages(result["tests"])})
        return nb, resources

    def job(self, nb, resources):
        """Return the job that a sanitized notebook is."""
        seed, outputs = grading_seed(self.seed_file), self._release_outputs(resources)
        return make_job(nb, released_cells(resources), outputs.keys(), seed, self.limits())

    def _release_outputs(self, resources):
        names = resources["nbgrader"]
        return _release_outputs(Path(self.release_directory, names["assignment"], f"{names['notebook']}.ipynb"))

    def limits(self):
        """Return the limits of a submission."""
        return Limits(cell_seconds=self.timeout, notebook_seconds=self.notebook_timeout)

    def _sandbox(self):
        sandbox = _started_sandbox(self.limits(), self.unsafe, self.max_restarts)
        say = self.log.warning if self.unsafe else self.log.info
        say("Sandbox: %s", sandbox.isolation.in_force)
        return sandbox


def _without_pages(tests):
    """Return what the instructor's report counts, without what a learner reads."""
    return [{key: value for key, value in test.items() if key != "html"} for test in tests.values()]


@functools.cache
def _started_sandbox(limits, unsafe, max_restarts):
    """Return the sandbox of this process; it serves one submission after another and ends with the process."""
    sandbox = Sandbox(strongest(unsafe), limits, max_restarts)
    atexit.register(sandbox.close)
    return sandbox


@functools.cache
def _release_outputs(path):
    """Return the outputs of a released notebook's code cells by their text."""
    nb = nbformat.read(path, as_version=4)
    return {cell.source: cell.outputs for cell in nb.cells if cell.cell_type == "code"}
