"""Pyodide's core, from its npm package: the interpreter, the standard library and the list of all its wheels."""

import json
import shutil
import subprocess
import tarfile

VERSION = "314.0.7"
USUAL_ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


class SiteError(Exception):
    """The site cannot be built; the message says what to do."""


def unpack_core(folder):
    """Download the core and unpack it into a folder, unless it is there.

    Returns
    -------
    lock : dict
        Its `pyodide-lock.json`.
    """
    if not (folder / "pyodide-lock.json").exists():
        if shutil.which("npm") is None:
            raise SiteError("npm is missing, which brings Pyodide. Install Node.js (Debian: apt-get install npm).")
        folder.mkdir(parents=True, exist_ok=True)
        pack = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
        name = subprocess.run(pack, cwd=folder, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(folder / name) as archive:
            for file in FILES:
                (folder / file).write_bytes(archive.extractfile(f"package/{file}").read())
        (folder / name).unlink()
    return read_lock(folder)


def read_lock(folder):
    """Return the `pyodide-lock.json` of a distribution."""
    return json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
