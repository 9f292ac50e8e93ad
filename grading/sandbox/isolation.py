"""Choose what keeps a submission in: the strongest that this machine allows, and never silently less."""

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from grading.sandbox import view

BUBBLEWRAP, NAMESPACES, NONE = "bubblewrap", "namespaces", "none"
IN_FORCE = {
    BUBBLEWRAP: "bubblewrap: no network, a read-only view of Python alone, own process ids and scratch folder, limits",
    NAMESPACES: "namespaces: no network, a read-only view of Python alone, own process ids and scratch folder, limits",
    NONE: "NONE (unsafe): limits on time, memory, files and output alone; submissions see and reach what you can",
}
REFUSED = (
    "This machine does not let a submission be shut in ({reason}). Install bubblewrap, or allow user namespaces "
    "(sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns), or grade in a virtual machine. "
    "To grade without a sandbox, with your own rights, say so: --unsafe."
)
LINUX_ALONE = (
    "Submissions run on Linux alone, with a sandbox or without; this is {platform}. Grade in a virtual machine or a "
    "container with Linux (on Windows: WSL 2). Releases, feedback and reports can be made here."
)
SECONDS_TO_TRY = 20


class NoSandboxError(Exception):
    """No sandbox is to be had, and none was not asked for."""


@dataclass(frozen=True)
class Isolation:
    """How the zygote is started."""

    name: str

    @property
    def in_force(self):
        """What it holds back, in one line."""
        return IN_FORCE[self.name]

    @property
    def confined(self):
        """Whether each submission gets namespaces of its own."""
        return self.name != NONE

    @property
    def view(self):
        """The paths that the zygote itself has to shut itself in with, None where that is done, or is not wanted."""
        return view.visible_paths() if self.name == NAMESPACES else None

    def command(self, arguments):
        """Return the command line that runs Python with these arguments."""
        python = [sys.executable, "-P", "-s", *arguments]
        return [*_bubblewrap(), *python] if self.name == BUBBLEWRAP else python


def _bubblewrap():
    paths = []
    for path in view.visible_paths():
        for parent in reversed(Path(path).parents[:-1]):
            paths += ["--dir", str(parent)]  # else it would be made for root alone
        is_link = os.path.islink(path)
        paths += ["--symlink", os.readlink(path), path] if is_link else ["--ro-bind", path, path]
    # Root keeps its rights until a submission is about to start; then it becomes nobody, which root alone can.
    rights = ["--cap-add", "ALL"] if os.getuid() == 0 else ["--unshare-user"]
    return [
        *("bwrap", "--die-with-parent", "--new-session", *rights),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *(*paths, "--dev", "/dev", "--proc", "/proc", "--tmpfs", view.SCRATCH),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
    ]


def strongest(unsafe=False):
    """Return the strongest isolation that works here, as tried out.

    Parameters
    ----------
    unsafe : bool
        Take none.

    Raises
    ------
    NoSandboxError
        If none works and `unsafe` was not said, or the system is not Linux.
    """
    if sys.platform != "linux":
        raise NoSandboxError(LINUX_ALONE.format(platform=sys.platform))
    if unsafe:
        return Isolation(NONE)
    reasons = []
    for name in (BUBBLEWRAP, NAMESPACES):
        reason = _what_is_wrong_with(name)
        if not reason:
            return Isolation(name)
        reasons.append(f"{name}: {reason}")
    raise NoSandboxError(REFUSED.format(reason="; ".join(reasons)))


@functools.cache
def _what_is_wrong_with(name):
    """Try an isolation: make the zygote's view, then a submission's, and run nothing in it."""
    if name == BUBBLEWRAP and not shutil.which("bwrap"):
        return "bwrap is not installed"
    isolation = Isolation(name)
    command = isolation.command(["-m", "grading.sandbox.trial", *(isolation.view or ())])
    try:
        result = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=SECONDS_TO_TRY, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS_TO_TRY} s"
    return "" if result.returncode == 0 else (result.stderr.strip().splitlines() or ["failed without a word"])[-1]


def environment(scratch=view.SCRATCH):
    """Return the environment of the sandbox: nothing of the user's, and a folder to write to."""
    return {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": view.python_path(),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"), scratch),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "LANG": "C.UTF-8",
        "COLUMNS": "120",
        "NBGRADER_EXECUTION": "autograde",
        # Of every submission one process: threads of a library that computes would only get in each other's way.
        **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        **{name: os.environ[name] for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ},
    }
