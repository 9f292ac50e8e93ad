"""Start JupyterLab on a copy of the learners' notebooks, as `make lab` does, on loopback, with settings of its own."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat

from tools.build.section import ROOT

EXTENSION = ROOT / "tools" / "lab_extension"
STARTS_WITHIN = 180  # seconds; three on an idle machine
OPTIONS = ("--no-browser", "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=")


@contextlib.contextmanager
def jupyterlab(folder):
    """Serve `folder/notebooks`, a copy of the project's, and stop when the block is left.

    Parameters
    ----------
    folder : pathlib.Path
        Empty; everything that JupyterLab writes goes here.

    Yields
    ------
    address : str
        Of the server, without a slash at the end.
    """
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.port={port}", *root_options()]
    log = folder / "jupyterlab.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            command, cwd=folder / "notebooks", env=environment(folder), stdout=output, stderr=output
        )
    try:
        wait_until_it_answers(server, f"{address}/api", log)
        yield address
    finally:
        server.terminate()  # kernels end with it
        server.wait(timeout=30)


def write_notebook(folder, name, sources):
    """Write a notebook with these sources of code cells to a folder that JupyterLab serves, and return its path there.

    Parameters
    ----------
    folder : pathlib.Path
    name : str
    sources : iterable of str

    Returns
    -------
    path : pathlib.Path
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / name)
    return Path(name)


def root_options():
    """Return what the server wants to be told when root starts it, as continuous integration does."""
    return ["--allow-root"] if os.name == "posix" and os.geteuid() == 0 else []


def environment(folder):
    """Return the variables that keep the reader's own settings, kernels and answers out of the test.

    The extension that `make lab` installs is there, whatever environment runs the test.
    """
    settings = folder / "settings"
    settings.mkdir()
    shutil.copytree(EXTENSION, folder / "jupyter_data_dir" / "labextensions" / "readable-outputs")
    places = {name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    lab = {"JUPYTERLAB_SETTINGS_DIR": str(settings), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces")}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | places | lab | {"PYTHONPATH": path, "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}


def free_port():
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_it_answers(server, address, log):
    """Return once the server answers; raise with its log when it ends or takes too long."""
    end = time.monotonic() + STARTS_WITHIN
    while server.poll() is None and time.monotonic() < end:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            return json.load(urllib.request.urlopen(address, timeout=5))
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start on {address}:\n{Path(log).read_text()[-3000:]}")
