"""The grader's end of the sandbox: start the zygote once, hand it submissions, take plain data back."""

import contextlib
import json
import pickle
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import nbformat
import numpy as np
from nbformat.validator import isvalid

from grading.sandbox import messages, view
from grading.sandbox.isolation import environment
from grading.sandbox.limits import Limits
from grading.sandbox.submission import TEST, RemoteFunction
from grading.sandbox.users import next_user
from helpers.checks.answer import Answer

SECONDS_TO_START, SECONDS_TO_END = 60, 20
MAX_MESSAGE = 32 * 2**20  # bytes; the largest answer is half of it
MAX_ENTRIES_OF_A_CALL = 5_000  # it is evaluated out here, perhaps for every pair of them
TOO_LONG, TOO_MUCH_MEMORY, TOO_MUCH_OUTPUT, DIED, FORGED = "too long", "memory", "output", "died", "forged"


class SandboxError(Exception):
    """The sandbox itself failed: no submission's fault."""


@dataclass(frozen=True)
class Cell:
    """A code cell to run, or, where `kind` is TEST, a function to try.

    Attributes
    ----------
    index : int
        Its place in the notebook.
    kind : str
        One of the kinds of `submission.py`.
    source : str
    function : str
        Of a test: the name of the function.
    cases : tuple of tuples
        Of a test: the arguments of each call.
    n_returns : int
    """

    index: int
    kind: str
    source: str = ""
    function: str = ""
    cases: tuple = ()
    n_returns: int = 1


@dataclass
class Run:
    """What one submission did.

    Attributes
    ----------
    outputs : dict of int to list of dict
        By the cell's index.
    answers : dict of int to list of Answer
        Of each test that got to its end.
    missing : dict of int to str
        Of each test whose function is not there: the type of the exception.
    stopped : dict of int to str
        Of each cell that ended the process: why.
    gave_up : bool
        Whether so many cells ended it that the rest was not run.
    """

    outputs: dict[int, list] = field(default_factory=dict)
    answers: dict[int, list[Answer]] = field(default_factory=dict)
    missing: dict[int, str] = field(default_factory=dict)
    stopped: dict[int, str] = field(default_factory=dict)
    gave_up: bool = False


class Sandbox:
    """A zygote that runs one submission after another; a context manager.

    Parameters
    ----------
    isolation : Isolation
        From `strongest()`.
    limits : Limits
    max_restarts : int
        How many cells of a submission may end its process; a cell that did is left out, and the others run again.
    """

    def __init__(self, isolation, limits=None, max_restarts=5):
        self.isolation = isolation
        self.limits = limits or Limits()
        self.max_restarts = max_restarts
        self._process = self._control = None
        self._folder = None if self.isolation.confined else tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """End the zygote, and leave nothing behind."""
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()

    def stop(self):
        """End the zygote and with it whatever it started; the next submission starts another."""
        if self._process is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._process = None

    def run(self, cells):
        """Run a submission, as often as it takes.

        Parameters
        ----------
        cells : list of Cell
            In the order of the notebook.

        Returns
        -------
        Run

        Raises
        ------
        SandboxError
            If the sandbox does not start, or is ended from outside twice.
        """
        try:
            return self._run(cells)
        except SandboxError:
            self.stop()
            return self._run(cells)

    def _run(self, cells):
        run, deadline = Run(), time.monotonic() + self.limits.notebook_seconds
        while True:
            try:
                _Conversation(self, run, deadline).hold([cell for cell in cells if cell.index not in run.stopped])
                return run
            except _Stopped as stopped:
                run.stopped[stopped.index] = stopped.reason
            if len(run.stopped) > self.max_restarts or time.monotonic() > deadline:
                run.gave_up = True
                return run

    @property
    def scratch(self):
        """The folder that a submission may write to, as it sees it."""
        return view.SCRATCH if self._folder is None else self._folder.name

    def connect(self):
        """Return a channel to a fresh submission's process, and its leash."""
        if self._process is None:
            self._start()
        channel, theirs = socket.socketpair()
        leash, their_leash = socket.socketpair()
        with theirs, their_leash:
            try:
                socket.send_fds(self._control, [b"f"], [theirs.fileno(), their_leash.fileno()])
            except OSError as error:
                raise SandboxError("the sandbox has ended") from error
        return channel, leash

    def _start(self):
        self._control, theirs = socket.socketpair()
        settings = {
            "control": theirs.fileno(),
            "view": self.isolation.view,
            "confined": self.isolation.confined,
            "limits": self.limits.as_dict(),
        }
        with theirs:
            self._process = subprocess.Popen(
                self.isolation.command(["-m", "grading.sandbox.zygote", json.dumps(settings)]),
                env=environment(self.scratch),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )
        self._control.settimeout(SECONDS_TO_START)
        try:
            ready = self._control.recv(1)
        except TimeoutError:
            ready = b""
        if not ready:
            self._process.kill()
            _, complaint = self._process.communicate()
            self._process = None
            raise SandboxError(f"the sandbox did not start: {complaint.decode(errors='replace')[-2000:]}")


class _Conversation:
    """One run of a submission's process, from the job that it gets to its end."""

    def __init__(self, sandbox, run, deadline):
        self._sandbox, self._run, self._deadline = sandbox, run, deadline
        self._functions = []  # of the cases: evaluated here, called from there
        self._received = 0

    def hold(self, cells):
        """Run the cells; raises `_Stopped` at the first that does not come to its end."""
        channel, leash = self._sandbox.connect()
        with channel, leash:
            with contextlib.suppress(OSError):  # it has ended already: that is noticed below
                messages.send_bytes(channel, self._job(cells))
            for cell in cells:
                try:
                    self._listen(channel, cell)
                except _Stopped as stopped:
                    leash.shutdown(socket.SHUT_WR)
                    raise _Stopped(_more_exactly(stopped.reason, leash), cell.index) from None
                except (messages.MessageError, OSError):
                    raise _Stopped(FORGED, cell.index) from None

    def _job(self, cells):
        job = {"user": next_user(), "scratch": self._sandbox.scratch, "cells": list(map(self._as_dict, cells))}
        return pickle.dumps(job)

    def _as_dict(self, cell):
        entry = {"index": cell.index, "kind": cell.kind, "source": cell.source}
        if cell.kind != TEST:
            return entry
        cases = () if cell.index in self._run.answers else cell.cases
        arguments = [tuple(map(self._without_code, case)) for case in cases]
        return entry | {"function": cell.function, "n_returns": cell.n_returns, "arguments": arguments}

    def _without_code(self, argument):
        """Keep a function here, and let a stand-in be sent."""
        if not callable(argument):
            return argument
        self._functions.append(argument)
        return RemoteFunction(len(self._functions) - 1)

    def _listen(self, channel, cell):
        """Take what the process says about one cell."""
        until = min(time.monotonic() + self._sandbox.limits.cell_seconds, self._deadline)
        started = self._receive(channel, until)
        if started.get("started") != cell.index:
            raise messages.MessageError("another cell")
        while True:
            message = self._receive(channel, until)
            if "call" in message:
                self._answer_call(channel, message)
            elif message.get("finished") == cell.index:
                return self._keep(cell, message)
            else:
                raise messages.MessageError("neither a call nor a result")

    def _receive(self, channel, until):
        try:
            payload = messages.receive_bytes(channel, MAX_MESSAGE, until)
        except TimeoutError:
            raise _Stopped(TOO_LONG) from None
        except OSError:
            raise _Stopped(DIED) from None
        if payload is None:
            raise _Stopped(DIED)
        self._received += len(payload)
        if self._received > self._sandbox.limits.output:
            raise _Stopped(TOO_MUCH_OUTPUT)
        return messages.parse(payload)

    def _answer_call(self, channel, message):
        """Evaluate a function of a case for the process, which has not got its code."""
        try:
            function, arguments = self._functions[message["key"]], messages.decode_value(message["arguments"])
            if sum(map(np.size, arguments)) > MAX_ENTRIES_OF_A_CALL:
                raise ValueError("larger than any argument that the exercise needs")
            reply = {"returned": messages.encode_value(function(*arguments))}
        except messages.MessageError:
            raise
        except Exception as error:
            reply = {"raised": f"{type(error).__name__}: {error}"}
        messages.send(channel, reply)

    def _keep(self, cell, message):
        if cell.kind != TEST:
            self._run.outputs[cell.index] = _checked_outputs(message.get("outputs"))
        elif "missing" in message:
            self._run.missing[cell.index] = str(message["missing"])[:100]
        elif cell.index not in self._run.answers:
            answers = message.get("answers")
            if not isinstance(answers, list) or len(answers) != len(cell.cases):
                raise messages.MessageError("not one answer for each case")
            self._run.answers[cell.index] = [messages.decode_answer(answer) for answer in answers]


class _Stopped(Exception):
    def __init__(self, reason, index=None):
        super().__init__(reason)
        self.reason, self.index = reason, index


def _checked_outputs(outputs):
    """Return the outputs as nbformat wants them, or refuse them all."""
    nb = nbformat.from_dict({"outputs": outputs})
    if not isinstance(outputs, list) or not all(isvalid(output, ref="output", version=4) for output in nb.outputs):
        raise messages.MessageError("outputs that no notebook can hold")
    return nb.outputs


def _more_exactly(reason, leash):
    """Ask the keeper whether it was the memory; a keeper that is gone was ended from outside, with the zygote."""
    leash.settimeout(SECONDS_TO_END)
    try:
        said = messages.receive(leash)
    except (OSError, messages.MessageError):
        said = None
    if said is None:
        raise SandboxError("the sandbox was ended from outside")
    return TOO_MUCH_MEMORY if said.get("memory") else reason
