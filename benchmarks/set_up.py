"""Time the way from an environment without `helpers` to the first figure: `python -m benchmarks.set_up`.

In each environment that `make test` has made after Colab's, a new process runs the first notebook's cells up to its
first figure, its address replaced by a server on this machine that has the whole project as one ZIP file. Nothing is
kept from one run to the next: matplotlib finds its fonts anew, and `helpers` is compiled anew. What the system holds
of files that it has read stays in memory.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import nbformat

from tools.build.addresses import project_addresses
from tools.build.section import ROOT, page_of

BAR = 5.0  # seconds
RUN = """
import json, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
start = time.perf_counter()
for source in json.loads(sys.stdin.read()):
    result = shell.run_cell(source)
    result.raise_error()
bundle, _ = result.result._repr_mimebundle_()
assert bundle["image/png"]
print(time.perf_counter() - start, time.process_time(), file=sys.stderr)
"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *arguments):
        """Say nothing."""


@contextmanager
def project_served():
    """Yield the address of the project's last commit as a ZIP file, as its host packs it, and the file's size."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "main.zip"
        command = ["git", "archive", "--format=zip", "--prefix=chapter-main/", f"--output={archive}", "HEAD"]
        subprocess.run(command, cwd=ROOT, check=True)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/main.zip", archive.stat().st_size
        finally:
            server.shutdown()
            server.server_close()


def cells_to_the_first_figure(address):
    """Return the code of the first section's cells, up to the one that shows the first figure."""
    notebook = nbformat.read(ROOT / page_of("01_attention").release, as_version=4)
    sources = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            sources.append(cell.source.replace(project_addresses().archives[0], address))
            if any("image/png" in output.get("data", {}) for output in cell.outputs):
                return sources
    raise ValueError("the first notebook shows no figure")


def seconds(python, sources):
    """Return how long the cells take in a new process, and its processor time from its start."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "MPLCONFIGDIR": home, "IPYTHONDIR": home}
        result = subprocess.run(
            [python, "-c", RUN],
            input=json.dumps(sources),
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=home,
            env=environment | {"PYTHONUTF8": "1", "no_proxy": "*"},
        )
    if result.returncode:
        raise RuntimeError(result.stdout + result.stderr)
    return map(float, result.stderr.splitlines()[-1].split())


def main():
    """Print one row for each environment, and whether all of them keep to the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pythons", nargs="*", help="interpreters; by default those of .venv-colab-*")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    pythons = options.pythons or sorted(str(path) for path in ROOT.glob(".venv-colab-*/bin/python"))
    if not pythons:
        print(
            "From no helpers to the first figure: NOT MEASURED, since `make test` has not made Colab's environments yet"
        )
        return
    above = False
    print(f"From no helpers to the first figure, cold: medians of {options.runs} runs")
    with project_served() as (address, size):
        print(f"(the ZIP file that the project's host packs: {size / 1e6:.1f} MB)")
        sources = cells_to_the_first_figure(address)
        for python in pythons:
            runs = [seconds(python, sources) for _ in range(options.runs)]
            median, busy = (statistics.median(times) for times in zip(*runs, strict=True))
            print(
                f"{Path(python).parts[-3]:30} {median:5.2f} s (processor, with Python's start: {busy:.2f} s)",
                flush=True,
            )
            above |= median > BAR
    print(f"Bar: {BAR:g} s. {'NOT met' if above else 'Met'}")


if __name__ == "__main__":
    main()
