"""A learner's visit to the site without a server: follow a link, write answers, run all cells, drag, download."""

import contextlib
import functools
import http.server
import json
import threading
import time
from pathlib import Path

import nbformat

from tests.browser.reading import Reader

IN_PAGE = Path(__file__).parent / "in_page.js"
PATIENCE = 400_000  # milliseconds; a kernel starts in 20 s on an idle machine
KERNEL_IS_IDLE = "/ \\| (Idle|空闲)/.test(document.querySelector('#jp-main-statusbar')?.innerText ?? '')"
RUN_ALL = '.lm-Menu-item[data-command="runmenu:run-all"]'
DOWNLOAD = '.lm-Menu-item[data-command="docmanager:download"]'
WRITE = """answers => {
  for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells) {
    const answer = answers[cell.getMetadata("nbgrader")?.grade_id];
    if (answer) cell.sharedModel.setSource(answer);
  }
}"""
NOTHING_RUNS = """async () => {
  await window.reader.kernelAnswers();
  const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells];
  return cells.every(cell => cell.type !== "code" || cell.executionState !== "running");
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files as any web server does, and writes no log."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *args):
        """Write nothing."""


@contextlib.contextmanager
def served(folder):
    """Serve a folder on loopback and yield its address."""
    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def let_the_test_in(site):
    """Let scripts of the page reach JupyterLab's own objects: answers to many cells are written that way."""
    path = site / "jupyter-lite.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["jupyter-config-data"]["exposeAppInBrowser"] = True
    path.write_text(json.dumps(config), encoding="utf-8")


class Visit:
    """A learner's visit.

    Parameters
    ----------
    page : playwright.sync_api.Page
        Of a browser that has never been on the site.
    address : str
        The site's.

    Attributes
    ----------
    requests : list of str
        Every address that the page, its workers included, asked for.
    """

    def __init__(self, page, address):
        self.page, self.address, self.requests = page, address, []
        page.set_default_timeout(PATIENCE)
        page.add_init_script(path=IN_PAGE)
        page.context.on("request", lambda request: self.requests.append(request.url))
        self.reader = Reader(page)

    def outside(self):
        """Return every address that was asked for and is not the site's own."""
        own = (f"{self.address}/", "data:", f"blob:{self.address}/")
        return [url for url in self.requests if not url.startswith(own)]

    def enter(self, title):
        """Follow the link with this text from the site's first page; return once a kernel is ready."""
        self.page.goto(f"{self.address}/")
        self.page.click(f"a:text-is('{title}')")
        self.page.wait_for_function(KERNEL_IS_IDLE)

    def write(self, answers):
        """Write answers into the cells, by grade_id."""
        self.page.evaluate(WRITE, answers)

    def choose(self, menu, item):
        """Choose from JupyterLab's menus by their Chinese names."""
        self.page.click(f'.lm-MenuBar-item:has-text("{menu}")')
        self.page.click(item)

    def run_all(self):
        """Run all cells and return when the last one has ended."""
        self.choose("运行", RUN_ALL)
        end = time.monotonic() + PATIENCE / 1000
        self.page.wait_for_timeout(1000)
        while not (self.page.evaluate(NOTHING_RUNS) and self.page.evaluate(KERNEL_IS_IDLE)):
            assert time.monotonic() < end, "the notebook is still running"
            self.page.wait_for_timeout(500)

    def download(self):
        """Save the notebook, as a learner who hands it in does, and return it."""
        with self.page.expect_download() as download:
            self.choose("文件", DOWNLOAD)
        return nbformat.read(download.value.path(), as_version=4)
