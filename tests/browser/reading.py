"""Read a notebook in a browser as a learner does: open it, run all cells, move each control with the keyboard."""

import re
from dataclasses import dataclass

RUN_ALL = '.lm-Menu-item[data-command="runmenu:run-all"]'
READY = "() => window.reader.ready()"
PHONE = {"width": 390, "height": 844}
TYPED = ("山中", "b<i>囧秋风")  # what no model knows among it, and what is a command of the notebook or of HTML
NAMED = ("slider", "combobox", "checkbox", "textbox", "button", "img")  # ARIA's roles that want a name
PATIENCE = 180_000  # milliseconds; a few thousand on an idle machine


@dataclass(frozen=True)
class Control:
    """A control that a reader sees.

    Attributes
    ----------
    number : int
        Its place among the explorer's controls.
    name : str
        What is written beside it, or on it.
    kind : {"slider", "dropdown", "toggle", "text", "button"}
    size : int
        How many values it has at least.
    """

    number: int
    name: str
    kind: str
    size: int

    def moves(self):
        """Return the keys of a visit to this control, and the picture is looked at after each group of them.

        A slider goes to its low end, somewhere between, to its high end; a dropdown through all its values; a toggle
        there and back. A closed dropdown leaves the arrow keys to the notebook: Space opens it. A text field is typed
        into, and emptied again.
        """
        return {
            "slider": [["Home"], ["PageUp"], ["End"]],
            "dropdown": [["Home"], *[["Space", "ArrowDown", "Enter"]] * (self.size - 1)],
            "toggle": [["Space"], ["Space"]],
            "text": [["Control+A", "Backspace", *text, "Enter"] for text in (*TYPED, "")],
            "button": [["Space"]],
        }[self.kind]


class Reader:
    """A browser's page with one notebook.

    Parameters
    ----------
    page : playwright.sync_api.Page
        With `in_page.js` as an initial script.
    """

    def __init__(self, page):
        self.page = page
        self.console = []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.console.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.console.append(str(error)))

    def open(self, address, path):
        """Open a notebook, in a workspace of its own, and wait for its kernel."""
        self.page.goto(f"{address}/lab/workspaces/{path.stem}/tree/{path.as_posix()}")
        self.page.wait_for_function(READY)

    def close(self):
        """End the kernel."""
        self.ask("shutDown")

    def run_all(self):
        """Choose "Run All Cells" from the menu and wait until the last one is done."""
        self.page.locator(".lm-MenuBar-item", has_text="Run").first.click()
        self.page.locator(RUN_ALL).click()
        self.ask("kernelAnswers")

    def explorers(self):
        """Return the places of the cells that show an explorer, from top to bottom."""
        return self.ask("explorers")

    def complaints(self):
        """Return what the cells and the browser's console complain about."""
        return self.ask("complaints") + [f"console: {text}" for text in self.console]

    def beyond_the_edge(self):
        """Hold the notebook as narrow as a phone; return what of its cells lies beyond the edge, out of reach."""
        self.page.set_viewport_size(PHONE)
        self.ask("hideSidebars")
        self.ask("showAll")
        self.page.wait_for_function("() => window.reader.isNarrow() && window.reader.allShown()")
        return self.ask("allBeyondTheEdge")

    def ask(self, function, *arguments):
        """Call one of the functions of `in_page.js`."""
        return self.page.evaluate("([name, values]) => window.reader[name](...values)", [function, list(arguments)])


class ExplorerOnPage:
    """The output of a cell that shows an explorer.

    Parameters
    ----------
    reader : Reader
    place : int
        The cell's number in the notebook.
    """

    def __init__(self, reader, place):
        self.reader, self.place = reader, place
        self._ask("show")
        reader.page.locator(f'[data-place="{place}"] img.widget-image').first.wait_for()
        self.name = self._ask("source").removeprefix("widgets.")
        self.controls = [Control(**control) for control in self._ask("controls")]
        self._characters = set()

    def look(self):
        """Return what is shown once the kernel has answered everything that was sent."""
        self.reader.ask("kernelAnswers")
        state = self._ask("state")
        self._characters |= set(state["text"])
        return state

    def press(self, control, *keys):
        """Focus a control and press keys, one after the other without waiting."""
        self._ask("focus", control.number)
        for key in keys:
            keyboard = self.reader.page.keyboard
            keyboard.type(key) if len(key) == 1 else keyboard.press(key)  # a Chinese character is no key

    def undrawn_characters(self):
        """Return the characters seen so far that no font of this machine has."""
        return self._ask("undrawn", "".join(sorted(self._characters)))

    def unnamed(self):
        """Return what a screen reader finds of it and cannot tell from its like: the roles without a name."""
        seen = self.reader.page.locator(f'[data-place="{self.place}"] .jp-OutputArea').first.aria_snapshot()
        return re.findall(rf"- ({'|'.join(NAMED)})(?=[:\n]| \[|$)", seen)

    def _ask(self, function, *arguments):
        return self.reader.ask(function, self.place, *arguments)
