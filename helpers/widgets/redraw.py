"""Draw once for a burst of events: `Redraw(draw).ask()` draws now, or, when the kernel is behind, a moment later.

A front end of ipywidgets has one message of a control under way and keeps the newest value back until the kernel is
idle; then each is drawn at once. Where messages pile up all the same (several controls, other front ends), the kernel
takes the waiting ones in before it draws again: handlers see every event, the picture shows the last.
"""

import asyncio
import math
import time

from IPython import get_ipython

SOON = 0.010  # seconds; a message that comes so soon after a drawing has probably waited for its end
QUIET = 0.004  # seconds without a message: the queue is empty
LONGEST = 2 / 60  # seconds: messages that keep coming put the next drawing off no longer than this


class Redraw:
    """Decides when `draw`, a function without arguments, is called after it has been asked for.

    Examples
    --------
    >>> Redraw(lambda: print("drawn")).ask()
    drawn
    """

    def __init__(self, draw):
        self._draw = draw
        self._ended = -math.inf  # when the last drawing ended
        self._asked = None  # when a drawing that waits was asked for, at first and at last

    def ask(self):
        """Draw before returning; or, behind other messages, let the event loop do it once they are taken in."""
        now, loop = time.perf_counter(), loop_with_messages()
        if loop and self._asked:
            self._asked = self._asked[0], now
        elif loop and now - self._ended < SOON:
            self._asked = now, now
            loop.call_later(QUIET, self._draw_when_quiet, loop)
        else:
            self._draw_now()

    def _draw_when_quiet(self, loop):
        if self._asked is None:  # a cell had it drawn meanwhile
            return
        now, (first, last) = time.perf_counter(), self._asked
        if now - last < QUIET and now - first < LONGEST:
            loop.call_later(QUIET, self._draw_when_quiet, loop)
        else:
            self._draw_now()

    def _draw_now(self):
        self._asked = None
        try:
            self._draw()
        finally:
            self._ended = time.perf_counter()


def loop_with_messages():
    """Return the event loop of a kernel that is answering a front end's widget; None in a cell or without a kernel."""
    kernel = getattr(get_ipython(), "kernel", None)
    if not hasattr(kernel, "get_parent") or kernel.get_parent().get("header", {}).get("msg_type") != "comm_msg":
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
