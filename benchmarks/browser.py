"""Time the way from a key press in Chromium to the picture that follows: `python -m benchmarks.browser`.

In each lesson, as JupyterLab shows it on this machine, the first slider of the first widget is moved to and fro. The
clock runs from the key's event to the first frame of the screen with the new picture: the front end, the message to
the kernel, the drawing, the message back and the decoding are in it. Beside it, the drawing alone, as `make bench`
has it for random events; what is left is the browser's and the server's part.
"""

import argparse
import shutil
import statistics
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.widgets import FRAME, events, factories, make, milliseconds
from tests.browser.lab import jupyterlab
from tools.build.section import page_of, sections

IN_PAGE = Path(__file__).parent.parent / "tests" / "browser" / "in_page.js"
NO_CHROMIUM = (
    "From a key press to the picture: NOT MEASURED, since there is no Chromium (make test-browser installs it)"
)
WARM_UP = 3  # key presses that do not count


@contextmanager
def reader_in_chromium(chromium):
    """Yield a reader with a page of their own in a new browser."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import OPTIONS, WINDOW
    from tests.browser.reading import Reader

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        page = browser.new_page(viewport=WINDOW)
        page.add_init_script(path=IN_PAGE)
        yield Reader(page)
        browser.close()


def milliseconds_in_browser(reader, n_events):
    """Return the first widget's name, and how long each key press on its first slider took."""
    from tests.browser.reading import ExplorerOnPage

    explorer = ExplorerOnPage(reader, reader.explorers()[0])
    slider = next(control for control in explorer.controls if control.kind == "slider")
    explorer.press(slider, "Home")
    explorer.look()
    times = []
    for n in range(WARM_UP + n_events):
        reader.ask("awaitPicture", explorer.place)
        explorer.press(slider, "ArrowRight" if n % 2 == 0 else "ArrowLeft")
        times.append(reader.ask("pictureShown"))
        explorer.look()  # the kernel is idle again
    return explorer.name.split("(")[0], times[WARM_UP:]


def milliseconds_in_kernel(name, n_events):
    """Return how long each of some events takes the kernel."""
    explorer = make(name, factories()[name])
    return [milliseconds(explorer, *event)[0] for event in events(explorer, n_events, np.random.default_rng(0))]


def main():
    """Print one row for each lesson."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", help="names such as 01_attention; all by default")
    parser.add_argument("--events", type=int, default=25, help="for each lesson")
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        print(NO_CHROMIUM)
        return
    print(f"From a key press in Chromium to the new picture: medians of {options.events} presses, one after another")
    print(f"{'':24} {'browser':>10} {'of it, kernel':>14} {'frames of 60 Hz':>16}")
    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as address:
        for lesson in options.lessons or sections():
            with reader_in_chromium(chromium) as reader:
                reader.open(address, page_of(lesson).release.relative_to("notebooks"))
                reader.run_all()
                name, times = milliseconds_in_browser(reader, options.events)
                reader.close()
            seen = statistics.median(times)
            drawn = statistics.median(milliseconds_in_kernel(name, options.events))
            print(f"{name:24} {seen:7.1f} ms {drawn:11.1f} ms {seen / FRAME:16.2f}", flush=True)


if __name__ == "__main__":
    main()
