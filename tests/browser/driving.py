"""Move every control of an explorer with the keyboard and say where its picture does not follow."""

import time

LATE = 0.1  # seconds after which what has not changed stays
BURST = ["Home", *["ArrowRight"] * 8, "End"]  # pressed without waiting: the last position must win

# Where another value may leave the picture as it is: what is written beside the control, by explorer.
STAYS = {
    "mask_painter()": {
        "规则",  # "painted by hand" keeps the mask that is there
        "宽度 w",  # has no part in most rules
        "恢复成规则",  # a cell that was painted twice is as the rule has it
    },
    "pattern_explorer()": {"层数"},  # with the widest window two layers reach everything
}
HIDDEN_STATE = "自己涂"  # a mask painted by hand: the controls' values do not tell the picture


class Drive:
    """A visit to every control of an explorer.

    Parameters
    ----------
    explorer : tests.browser.reading.ExplorerOnPage
    within : float, optional
        How many seconds a picture has to follow; a tenth of one is enough on an idle machine.

    Attributes
    ----------
    complaints : list of str
    """

    def __init__(self, explorer, within=10.0):
        self.explorer, self.within = explorer, within
        self.complaints = []
        self._pictures = {}  # of all controls' values
        self._last = self._settled()
        self._remember(self._last)

    def every_control(self):
        """Visit the controls one after the other, then press keys in a burst on the first slider."""
        for control in self.explorer.controls:
            self._visit(control)
        for slider in [control for control in self.explorer.controls if control.kind == "slider"][:1]:
            self._press(slider, "End")
            self._press(slider, *BURST)
        return self.complaints

    def _visit(self, control):
        values = set()
        for keys in control.moves():
            self._press(control, *keys)
            values.add(self._last["values"][control.number])
        if len(values) < control.size:
            self.complaints.append(f"{self.explorer.name}, {control.name}: the keys reached only {values}")

    def _press(self, control, *keys):
        self.explorer.press(control, *keys)
        end = time.monotonic() + self.within
        state = self._settled()
        while (fault := self._fault(control, state)) and time.monotonic() < end:
            state = self._settled()
        if fault:
            self.complaints.append(f"{self.explorer.name}, {control.name}, {' '.join(keys)}: {fault} {state['values']}")
        else:
            self._remember(state)
        self._last = state

    def _settled(self):
        """Return what is shown once it stays: while the kernel is busy, a front end keeps the newest value back."""
        before, state = None, self.explorer.look()
        while state != before:
            time.sleep(LATE)
            before, state = state, self.explorer.look()
        return state

    def _remember(self, state):
        if HIDDEN_STATE not in state["values"]:
            self._pictures[tuple(state["values"])] = state["pictures"]

    def _fault(self, control, state):
        """Return what is wrong with what is shown, or None."""
        if state["alarm"]:
            return state["alarm"]
        if len(state["pictures"]) != 1 or state["outputs"] != 1:
            return f"{len(state['pictures'])} pictures in {state['outputs']} outputs"
        if None in state["pictures"]:
            return "a picture that cannot be shown"
        if state["pictures"] == self._expected(state):
            return None
        if self._expected(state):
            return "not the picture that these values had before"
        moved = state["pictures"] != self._last["pictures"]
        return None if moved or self._may_stay(control) else "the picture stayed"

    def _may_stay(self, control):
        return control.name in STAYS.get(self.explorer.name, ())

    def _expected(self, state):
        """Return the pictures that these values had before, None if they are new."""
        if state["values"] == self._last["values"]:
            return self._last["pictures"]
        return None if HIDDEN_STATE in state["values"] else self._pictures.get(tuple(state["values"]))
