"""One browser and one JupyterLab for all tests of this folder: Chromium as Debian packages it."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.browser.lab import jupyterlab
from tests.browser.reading import Reader
from tools.build.section import ROOT

SCREENSHOTS = ROOT / "build" / "browser"
IN_PAGE = Path(__file__).parent / "in_page.js"
WINDOW = {"width": 1200, "height": 900}
# No sandbox: root has none. The rest keeps the browser from calling home.
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Lab(NamedTuple):
    """Where JupyterLab serves, and which folder: a copy of `notebooks/`, to which a test may add."""

    address: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Return a running JupyterLab."""
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder) as address:
        yield Lab(address, folder / "notebooks")


@pytest.fixture(scope="session")
def browser():
    """Return a running Chromium."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    assert path, "there is no Chromium: make test-browser installs it, or says what to install"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """Return an empty page of its own, with no memory of other tests."""
    context = browser.new_context(viewport=WINDOW)
    yield context.new_page()
    context.close()


@pytest.fixture
def reader(page):
    """Return a reader with a page of their own."""
    page.add_init_script(path=IN_PAGE)
    reader = Reader(page)
    yield reader
    reader.close()


@pytest.fixture
def keep_screenshot(page, request):
    """Return a function that keeps what the page shows now under a name, and returns where."""

    def keep(name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{request.node.callspec.id}-{name}.png"
        page.screenshot(path=path)
        return path

    return keep
