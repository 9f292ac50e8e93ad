"""The process in which a submission runs: cell by cell, sending what each shows and what its functions answer."""

import itertools
import os
from dataclasses import dataclass, replace
from types import SimpleNamespace

from grading.sandbox import messages
from helpers.checks.answer import UNUSABLE
from helpers.checks.collect import collect
from helpers.checks.exercise import Case
from helpers.checks.lock import ReferenceLockedError

ORDINARY, ANSWER, UNTOUCHED, TEST = "ordinary", "answer", "untouched", "test"
MAX_ENTRIES_SENT = 1_000_000
NO_REFERENCE = "（批改时不运行参考实现，依赖它的单元格没有结果。）\n"


@dataclass(frozen=True)
class RemoteFunction:
    """Stands in a case for a function that stays with the grader."""

    key: int


class Submission:
    """A notebook that runs in `shell`, with `channel` to the grader.

    Attributes
    ----------
    wants_figures : bool
        Whether the cell that runs is one whose figures nobody has yet.
    """

    def __init__(self, channel, shell):
        self._channel, self._shell, self._process = channel, shell, os.getpid()
        self._call_ids = itertools.count()
        self._lacked_reference = False
        self.wants_figures = True

    def run(self, job):
        """Run the cells of a job: a list of dicts with `index`, `kind`, `source`, and for a test its cases."""
        for cell in job:
            self._send({"started": cell["index"]})
            result = self._test(cell) if cell["kind"] == TEST else self._run_cell(cell)
            self._send({"finished": cell["index"]} | result)

    def _send(self, message):
        if os.getpid() != self._process:  # a cell has forked, and this is the copy
            os._exit(1)
        messages.send(self._channel, message)

    def _run_cell(self, cell):
        self.wants_figures = cell["kind"] != UNTOUCHED
        outputs, error = self._shell.run_and_capture(cell["source"])
        if isinstance(error, ReferenceLockedError):
            self._lacked_reference = True
        if cell["kind"] == UNTOUCHED:
            return {"outputs": []}
        if error is not None and self._lacked_reference and cell["kind"] == ORDINARY:
            outputs = [output for output in outputs if output["output_type"] != "error"]
            outputs.append({"output_type": "stream", "name": "stdout", "text": NO_REFERENCE})
        return {"outputs": outputs}

    def _test(self, cell):
        """Answer the cases with whatever the name stands for now."""
        self.wants_figures = False
        try:
            function = eval(cell["function"], self._shell.user_ns)  # a name, from the released notebook
        except Exception as error:
            return {"missing": type(error).__name__}
        if not callable(function):
            return {"missing": "TypeError"}
        cases = [Case("", tuple(map(self._argument, arguments))) for arguments in cell["arguments"]]
        exercise = SimpleNamespace(returns=range(cell["n_returns"]))
        answers = collect(exercise, function, cases)
        return {"answers": [messages.encode_answer(_of_fitting_size(answer)) for answer in answers]}

    def _argument(self, argument):
        """Give a stand-in its voice: the function is evaluated by the grader, its code never comes here."""
        if not isinstance(argument, RemoteFunction):
            return argument

        def remote(*arguments):
            call = {
                "call": next(self._call_ids),
                "key": argument.key,
                "arguments": messages.encode_value(list(arguments)),
            }
            self._send(call)
            reply = messages.receive(self._channel)
            if reply is None:
                os._exit(1)
            if "raised" in reply:
                raise ValueError(reply["raised"])
            return messages.decode_value(reply["returned"])

        return remote


def _of_fitting_size(answer):
    """Send no array that is larger than any right answer."""
    if sum(part.size for part in answer.parts) <= MAX_ENTRIES_SENT:
        return answer
    return replace(answer, status=UNUSABLE, parts=(), problem="huge", detail=str(answer.parts[0].shape))
