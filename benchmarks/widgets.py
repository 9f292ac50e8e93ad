"""Time every widget from a control's event to the new picture, beside the common way: `python -m benchmarks.widgets`.

The common way is what `interact` does with a function that ends in `plt.show()`: forget the old output, make a new
figure, save it as the inline backend does (`bbox_inches="tight"`, a second drawing) and send it. It computes the same
numbers and shows the same artists, takes the same events in the same order, and turns beside ours. It is spared what
would make it slower still: it lays nothing out, and draws once for each event even where a control sets others.
How many times faster ours is, the processor's time says: other programs on the machine do not change it much.
"""

import argparse
import contextlib
import dataclasses
import importlib
import inspect
import io
import pkgutil
import re
import statistics
import time
from unittest import mock

import ipywidgets
import numpy as np
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import print_figure
from IPython.display import clear_output, display

from helpers import widgets
from helpers.figures.live import LivePicture
from helpers.reference import tiny_decoder

FRAME = 1000 / 60  # milliseconds of a 60 Hz frame
BAR = 3.0  # times faster than the common way
ARGUMENTS = {"generation_stepper": lambda: [tiny_decoder.train(n_steps=2, seed=0).model]}
RETURNS_AN_EXPLORER = re.compile(r"Returns\n\s+-+\n\s+Explorer\b")


def factories():
    """Return every public function of `helpers.widgets` whose docstring says that it returns an Explorer, by name."""
    found = {}
    for module in pkgutil.iter_modules(widgets.__path__):
        members = vars(importlib.import_module(f"{widgets.__name__}.{module.name}"))
        for name, member in members.items():
            if inspect.isfunction(member) and RETURNS_AN_EXPLORER.search(member.__doc__ or ""):
                found[name] = member
    return found


def make(name, factory):
    """Return a new Explorer."""
    return factory(*ARGUMENTS.get(name, list)())


def turned_into_the_common_way(explorer):
    """Return the same Explorer, redrawn from now on as `interact` and `plt.show()` would do it."""
    output = ipywidgets.Output()

    def draw():
        with output, contextlib.redirect_stdout(io.StringIO()), mock.patch.object(LivePicture, "settle"):
            clear_output(wait=True)
            sentence, figure = drawn_anew(explorer)
            display({"image/png": print_figure(figure, fmt="png", bbox_inches="tight", base64=True)}, raw=True)
            display(sentence)

    explorer._draw = draw
    return explorer


def drawn_anew(explorer):
    """Put a new view with a new figure in the place of the Explorer's, update it, and return sentence and figure."""
    place = explorer._update.__code__.co_freevars.index("view")
    cell = explorer._update.__closure__[place]
    fields = [field for field in dataclasses.fields(cell.cell_contents) if field.default_factory is dataclasses.MISSING]
    cell.cell_contents = type(cell.cell_contents)(*(getattr(cell.cell_contents, field.name) for field in fields))
    figure = cell.cell_contents.picture
    figure.set_layout_engine("none")
    return explorer._update(**explorer.values()), figure


def events(explorer, n_events, rng):
    """Yield (control's name, new value) at random: all values in reach, never the one that is there."""
    for _ in range(n_events):
        choices = {name: positions(control) for name, control in explorer.controls.items() if hasattr(control, "value")}
        name = rng.choice([name for name, values in choices.items() if values])
        yield name, choices[name][rng.integers(len(choices[name]))]


def positions(control):
    """Return the values that a control can take, other than the one that it has."""
    if hasattr(control, "options"):
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
    elif isinstance(control.value, bool):
        values = [True, False]
    elif isinstance(control.value, str):  # a text field: what is typed has no end
        values = []
    elif isinstance(control, ipywidgets.FloatLogSlider):
        values = list(control.base ** np.linspace(control.min, control.max, 21))
    else:
        kind = type(control.value)
        values = [kind(value) for value in np.linspace(control.min, control.max, 21)]
    return [value for value in dict.fromkeys(values) if value != control.value]


def milliseconds(explorer, name, value):
    """Return how long one event takes the kernel, and its processor time, which other programs do not lengthen."""
    start, busy = time.perf_counter(), time.process_time()
    explorer.controls[name].value = value
    busy, elapsed = time.process_time() - busy, time.perf_counter() - start
    if explorer.error is not None:
        raise explorer.error
    return 1000 * elapsed, 1000 * busy


def measure(name, factory, n_events):
    """Return the medians of both ways, ours first: each a pair of milliseconds, elapsed and of the processor."""
    ours, common = make(name, factory), turned_into_the_common_way(make(name, factory))
    pairs = [
        (milliseconds(ours, *event), milliseconds(common, *event))
        for event in events(ours, n_events, np.random.default_rng(0))
    ]
    return [[statistics.median(times) for times in zip(*way, strict=True)] for way in zip(*pairs, strict=True)]


def main():
    """Print one row for each widget, and which of them are below the bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("widgets", nargs="*", help="names such as clock_explorer; all by default")
    parser.add_argument("--events", type=int, default=25, help="for each widget")
    options = parser.parse_args()
    shell = InteractiveShell.instance()
    shell.display_pub = CapturingDisplayPublisher()
    print(f"From a control's event to the new picture: medians of {options.events} events, one after another")
    print(f"{'':24} {'ours':>8} {'interact':>9} {'times faster':>13} {'frames of 60 Hz':>16}")
    below = []
    for name, factory in factories().items():
        if name in (options.widgets or [name]):
            (ours, our_busy), (common, common_busy) = measure(name, factory, options.events)
            faster = common_busy / our_busy
            shell.display_pub.outputs.clear()
            print(f"{name:24} {ours:5.1f} ms {common:6.1f} ms {faster:13.1f} {ours / FRAME:16.2f}", flush=True)
            below += [name] if faster < BAR else []
    print(f"Bar: {BAR:g} times faster. Below it: {', '.join(below) or 'none'}")


if __name__ == "__main__":
    main()
