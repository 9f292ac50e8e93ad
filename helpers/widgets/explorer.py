"""Tie sliders to a picture that is redrawn in place: `Explorer(picture, controls, update)`.

An explorer shows itself as a live widget where a kernel runs, and as a plain picture anywhere else (GitHub, print).
It uses the core controls only and works with ipywidgets 7.7 and 8.
"""

import base64
import html

import ipywidgets

from helpers.widgets.redraw import Redraw

ERROR = "这一步没画出来：{kind}：{message}。图仍停在上一步；把控件调到别的值可以继续。"
STATUS = '<div role="status" aria-live="polite" style="line-height:1.6;max-width:60em;min-height:3.2em">{}</div>'
# An Image has no alternative text of its own: a screen reader finds it here, beside the picture.
DESCRIPTION = '<div role="img" aria-label="{}"></div>'
ALARM = '<div role="alert" style="line-height:1.6;max-width:60em;color:#a00000">{}</div>'
NARROWEST = "500px"  # of a picture: its text is still read; a narrower page, as a phone's, scrolls it sideways
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class Explorer:
    """Controls, a sentence on what they show, and a picture that follows them.

    Parameters
    ----------
    picture : helpers.figures.live.LivePicture
        Its artists are updated, never made anew.
    controls : dict of str to ipywidgets widget
        In the order in which they are shown. Buttons count as controls without a value.
    update : callable
        Called with every control's value by name; gives the artists their new data and returns the sentence to show.
    handlers : dict of str to callable, optional
        What a control does before the picture follows: called with its new value (a button's with nothing). A handler
        may set other controls; the picture follows once, when all are done.

    Examples
    --------
    >>> from helpers.widgets.attention import scaling_explorer
    >>> explorer = scaling_explorer()
    >>> explorer.controls["d_k"].value = 1024  # what dragging the slider does
    >>> explorer.alt.startswith("d_k = 1024")
    True
    """

    def __init__(self, picture, controls, update, handlers=None):
        self.picture, self.controls = picture, controls
        self.error = None
        self._update, self._handlers = update, handlers or {}
        self._depth = 0
        self._redraw = Redraw(self._draw_or_say_why_not)
        self.image = ipywidgets.Image(format="png")
        self.image.layout.max_width = "100%"
        self.image.layout.min_width = NARROWEST
        self.image.layout.align_self = "flex-start"  # not stretched: as sharp as it was drawn
        self.caption = ipywidgets.HTML()
        scrolled = ipywidgets.Box([self.image], layout=ipywidgets.Layout(overflow="auto", max_width="100%"))
        self.box = ipywidgets.VBox([*rows_of(list(controls.values())), self.caption, scrolled])
        self._draw()
        self._listen()

    @property
    def alt(self):
        """What the picture shows now, in words."""
        return self.picture.alt

    def values(self):
        """Return every control's value by name."""
        return {name: control.value for name, control in self.controls.items() if hasattr(control, "value")}

    def _listen(self):
        for name, control in self.controls.items():
            if isinstance(control, ipywidgets.Button):
                control.on_click(lambda _, name=name: self._follow(name))
            else:
                control.observe(lambda change, name=name: self._follow(name, change["new"]), names="value")

    def _follow(self, name, *new_value):
        """Answer one event: run the control's handler, then redraw, unless an event around this one will."""
        self._depth += 1
        try:
            if name in self._handlers:
                self._handlers[name](*new_value)
            if self._depth == 1:
                self._redraw.ask()
        except Exception as error:  # a front end drops a callback's error: say it where the learner looks
            self._show_error(error)
        finally:
            self._depth -= 1

    def _draw_or_say_why_not(self):
        try:
            self._draw()
        except Exception as error:
            self._show_error(error)

    def _draw(self):
        sentence = self._update(**self.values())
        self.image.value = self.picture.frame()
        self.caption.value = STATUS.format(html.escape(sentence)) + DESCRIPTION.format(html.escape(self.alt))
        self.error = None

    def _show_error(self, error):
        self.error = error
        message = ERROR.format(kind=type(error).__name__, message=error)
        self.caption.value = ALARM.format(html.escape(message))

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Offer the live widget first, then the picture and the words."""
        static = base64.b64encode(self.picture.png()).decode("ascii")
        view = {"version_major": 2, "version_minor": 0, "model_id": self.box.model_id}
        return {WIDGET_VIEW: view, "image/png": static, "text/plain": self.alt}, {"image/png": {"alt": self.alt}}


def rows_of(controls):
    """Return the controls in rows that wrap where the page is narrow: two buttons or more have one of their own.

    Parameters
    ----------
    controls : list of ipywidgets widgets

    Returns
    -------
    rows : list of ipywidgets.HBox
    """
    buttons = [control for control in controls if isinstance(control, ipywidgets.Button)]
    others = [control for control in controls if control not in buttons]
    groups = [others, buttons] if others and len(buttons) > 1 else [controls]
    for control in controls:
        control.layout.max_width = "100%"
        if len(groups) > 1 and control in buttons:
            control.layout.width = "auto"  # as wide as its word: several fit beside each other on a phone
    return [ipywidgets.HBox(group, layout=ipywidgets.Layout(flex_flow="row wrap")) for group in groups]
