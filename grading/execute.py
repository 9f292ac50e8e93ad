"""Run a submission cell by cell; a cell that kills the kernel or never ends costs itself alone."""

import contextlib
import os
import signal
import tempfile

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import v4
from nbgrader.preprocessors import Execute
from traitlets import Bool, Dict, Integer, List, Unicode

from grading.clients import SteadyClient
from grading.release import kernel_environment
from grading.seed import SEED_VARIABLE, grading_seed

STOPPED = "单元格没有运行完"
STOPPED_KEY = "stopped_while_grading"  # in a cell's metadata: no exception of a learner's can claim it
TOO_LONG = "这个单元格 {seconds} 秒还没有运行完，已被叫停（循环能结束吗？）。其余单元格已在新的进程里重新运行。"
KERNEL_DIED = "这个单元格让 Python 进程终止了（例如 os._exit、内存用尽）。其余单元格已在新的进程里重新运行。"
NOT_RUN = "前面有 {count} 个单元格先后使运行中断，批改到此为止，这个单元格没有运行。"

MAX_CHARACTERS = 5_000_000


class ExecuteSubmission(SteadyClient, Execute):
    """nbgrader's Execute, for cells that cannot be interrupted.

    An interrupt can be swallowed, and a kernel that died takes every later cell's points with it. So a cell that
    overruns its time, or with which the kernel died, gets an error as its output, and all the others are run again
    from the top, in a fresh kernel, without it.
    """

    timeout = Integer(60, help="seconds a cell may take", allow_none=True).tag(config=True)
    max_restarts = Integer(5, help="after so many, the cells that are left are not run").tag(config=True)
    seed_file = Unicode(".grading_seed", help="where the seed of the grading cases is kept").tag(config=True)
    interrupt_on_timeout = Bool(False)
    error_on_timeout = Dict(None, allow_none=True)
    iopub_timeout = Integer(60)  # the default, 4 s, is passed by an innocent cell on a busy machine
    shutdown_kernel = Unicode("immediate")
    # A submission may come with files that are called like a module, an old copy of `helpers` say.
    extra_arguments = List(["--InteractiveShellApp.ignore_cwd=True", "--IPKernelApp.log_level=ERROR"])

    def preprocess(self, nb, resources, km=None):
        """Run all cells, as often as it takes."""
        self._stopped = set()
        for cell in nb.cells:
            cell.metadata.pop(STOPPED_KEY, None)
        while True:
            self._running = None
            try:
                return super().preprocess(nb, resources, km)
            except (DeadKernelError, CellTimeoutError) as error:
                if self._running is None:  # the kernel did not even start: no cell's fault
                    raise
                self._stop(nb, error)
            if len(self._stopped) > self.max_restarts:
                self._give_up(nb)
                return nb, resources

    def preprocess_cell(self, cell, resources, index):
        """Run the cell, unless it was stopped before."""
        if index in self._stopped:
            return cell, resources
        self._running, self._characters = index, 0
        return super().preprocess_cell(cell, resources, index)

    def _stop(self, nb, error):
        self._stopped.add(self._running)
        sentence = KERNEL_DIED if isinstance(error, DeadKernelError) else TOO_LONG.format(seconds=self.timeout)
        self.log.warning("Cell %d stopped: %s", self._running, type(error).__name__)
        _show_error(nb.cells[self._running], sentence)

    def _give_up(self, nb):
        for index, cell in enumerate(nb.cells):
            if cell.cell_type == "code" and index > self._running and index not in self._stopped:
                _show_error(cell, NOT_RUN.format(count=len(self._stopped)))

    def output(self, outs, msg, display_id, cell_index):
        """Keep what a cell shows, up to a size that an endless loop around `print` would pass."""
        self._characters += len(str(msg["content"]))
        if self._characters > MAX_CHARACTERS and msg["msg_type"] != "execute_result":
            return None
        return super().output(outs, msg, display_id, cell_index)

    @contextlib.contextmanager
    def setup_kernel(self, **kwargs):
        """Start a kernel that alone knows the seed, and leave nothing of it behind."""
        with tempfile.TemporaryDirectory() as empty:
            environment = kernel_environment(ipython_folder=empty) | {
                "NBGRADER_EXECUTION": "autograde",
                SEED_VARIABLE: grading_seed(self.seed_file),
            }
            group = None
            try:
                with super().setup_kernel(env=environment, **kwargs):
                    group = self.km.provisioner.pgid
                    yield
            finally:
                _kill_group(group)


def _kill_group(group):
    """Kill what the kernel's process started and left running."""
    if group:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _show_error(cell, sentence):
    cell.outputs = [v4.new_output("error", ename=STOPPED, evalue=sentence, traceback=[sentence])]
    cell.execution_count = None
    cell.metadata[STOPPED_KEY] = True
