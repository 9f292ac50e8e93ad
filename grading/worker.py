"""A process that grades one job after another, so that whatever happens to it happens to one submission alone."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from grading.sandbox import messages
from grading.sandbox.limits import Limits

ROOT = Path(__file__).resolve().parent.parent


class WorkerDiedError(Exception):
    """The process ended before it had a result."""


class Worker:
    """The near end of a grading process, which is started when it is first needed and again when it has died.

    Parameters
    ----------
    unsafe : bool
        Whether to do without a sandbox.
    max_restarts : int
    """

    def __init__(self, unsafe=False, max_restarts=5):
        self._settings = {"unsafe": unsafe, "max_restarts": max_restarts}
        self._process = self._channel = None

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
        NoSandboxError, SandboxError
            As text of a RuntimeError, from the other side.
        """
        if self._process is None:
            self._start()
        try:
            messages.send(self._channel, job)
            reply = messages.receive(self._channel)
        except OSError:
            reply = None
        if reply is None:
            self.close()
            raise WorkerDiedError("a grading process ended without a result")
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["result"]

    def close(self):
        """End the process."""
        if self._process is not None:
            self._channel.close()
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self):
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "grading.worker", str(theirs.fileno()), json.dumps(self._settings)],
                env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is the grader's to handle
            )


def main():
    """Serve the grader until it closes its end."""
    from grading.sandbox.isolation import strongest
    from grading.sandbox.service import Sandbox
    from grading.work import run_job

    channel, settings = socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2])
    sandboxes = {}
    while (job := messages.receive(channel)) is not None:
        try:
            limits = Limits(**job["limits"])
            if limits not in sandboxes:
                sandboxes[limits] = Sandbox(strongest(settings["unsafe"]), limits, settings["max_restarts"])
            reply = {"result": run_job(job, sandboxes[limits])}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        messages.send(channel, reply)


if __name__ == "__main__":
    main()
