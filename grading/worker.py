"""A process that grades one job after another, so that whatever happens to it happens to one submission alone."""

import os
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path

from grading.lean import import_jsonschema
from grading.sandbox import messages
from grading.sandbox.limits import Limits

ROOT = Path(__file__).resolve().parent.parent


class WorkerDiedError(Exception):
    """The process ended before it had a result."""


class WorkerClosedError(Exception):
    """The run is over: nothing more is graded."""


class Worker:
    """The near end of a grading process, which is started when it is first needed and again when it has died.

    Parameters
    ----------
    unsafe : bool
        Whether to do without a sandbox.
    """

    def __init__(self, unsafe=False):
        self._unsafe = unsafe
        self._process = self._channel = None
        self._is_closed = False
        self._starting = threading.Lock()  # `close` is called while another thread is in `run`

    def run(self, job):
        """Grade a job.

        Parameters
        ----------
        job : dict

        Returns
        -------
        result : dict

        Raises
        ------
        WorkerDiedError
        WorkerClosedError
        RuntimeError
            With whatever went wrong on the other side, such as NoSandboxError, as text.
        """
        with self._starting:
            if self._is_closed:
                raise WorkerClosedError("grading was stopped")
            if self._process is None:
                self._start()
        try:
            messages.send(self._channel, job)
            reply = messages.receive(self._channel)
        except OSError:
            reply = None
        if reply is None:
            self._end()
            raise WorkerDiedError("a grading process ended without a result")
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def close(self):
        """End the process for good, also in the middle of a job."""
        self._is_closed = True
        self._end()

    def _end(self):
        with self._starting:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                self._channel.close()
                self._process = None

    def _start(self):
        self._channel, theirs = socket.socketpair()
        path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "grading.worker", str(theirs.fileno()), str(int(self._unsafe))],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is the grader's to handle
            )


def main():
    """Serve the grader until it closes its end."""
    import_jsonschema()
    from grading.sandbox.isolation import strongest
    from grading.sandbox.service import Sandbox
    from grading.work import run_job

    channel, unsafe = socket.socket(fileno=int(sys.argv[1])), sys.argv[2] == "1"
    threading.Thread(target=_end_with_the_grader, args=(channel,), daemon=True).start()
    sandboxes = {}
    while (job := messages.receive(channel)) is not None:
        try:
            limits = Limits(**job["limits"])
            if limits not in sandboxes:
                sandboxes[limits] = Sandbox(strongest(unsafe), limits)
            reply = {"result": run_job(job, sandboxes[limits])}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        messages.send(channel, reply)


def _end_with_the_grader(channel):
    """End this process, whatever it is at, when the grader is gone: it may have been killed."""
    poller = select.poll()
    poller.register(channel, 0)  # the other end's closing is always told
    poller.poll()
    os._exit(1)


if __name__ == "__main__":
    main()
