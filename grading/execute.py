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
from grading.released import released_cells
from grading.results import Results
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
    results_directory = Unicode("", help="where results that are there already are taken from").tag(config=True)

    def preprocess(self, nb, resources):
        """Run and judge all cells."""
        for cell in nb.cells:
            cell.metadata.pop(STOPPED_KEY, None)
        job, release_outputs = self.job(nb, resources)
        ready = Results(self.results_directory).get(job) if self.results_directory else None
        result = ready or run_job(job, self._sandbox())
        show_result(nb, job, result, release_outputs)
        record = nb.metadata.get(RECORD_KEY, {})
        flags = [*record.get("flags", []), *flags_of(nb, job, result)]
        for flag in flags:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], flag)
        nb.metadata[RECORD_KEY] = from_dict(record | {"flags": flags, "tests": _without_pages(result["tests"])})
        return nb, resources

    def job(self, nb, resources):
        """Return the job that a sanitized notebook is, and the released outputs by the text of their cells."""
        names = resources["nbgrader"]
        outputs = _release_outputs(Path(self.release_directory, names["assignment"], f"{names['notebook']}.ipynb"))
        return make_job(nb, released_cells(resources), outputs, grading_seed(self.seed_file), self.limits()), outputs

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
    nb = nbformat.read(path, as_version=4)
    return {cell.source: cell.outputs for cell in nb.cells if cell.cell_type == "code"}
