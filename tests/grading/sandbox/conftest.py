"""A sandbox for every isolation that this machine allows, and a short way to run cells in it."""

import pytest

from grading.sandbox import isolation
from grading.sandbox.isolation import BUBBLEWRAP, NAMESPACES, NONE, Isolation
from grading.sandbox.limits import Limits
from grading.sandbox.service import Cell, Sandbox
from grading.sandbox.submission import ORDINARY

QUICK = Limits(cell_seconds=10, notebook_seconds=60)


@pytest.fixture(scope="session", params=[BUBBLEWRAP, NAMESPACES])
def confined(request):
    """A sandbox of one kind; skipped where the machine does not allow it."""
    reason = isolation._what_is_wrong_with(request.param)
    if reason:
        pytest.skip(f"{request.param}: {reason}")
    with sandbox_of(request.param) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def unsafe():
    """No sandbox, as `--unsafe` asks for."""
    with sandbox_of(NONE) as sandbox:
        yield sandbox


def sandbox_of(name, limits=QUICK):
    """Return a sandbox of the given kind."""
    return Sandbox(Isolation(name), limits)


def shown_by(sandbox, *sources):
    """Run cells and return the text that each shows, and the whole run."""
    run = sandbox.run([Cell(index, ORDINARY, source=source) for index, source in enumerate(sources)])
    return ["".join(map(_text, run.outputs.get(index, []))) for index in range(len(sources))], run


def _text(output):
    return output.get("text") or output.get("evalue") or output.get("data", {}).get("text/plain", "")
