"""Move the controls of an explorer and look at what it shows: `positions(control)`, `picture_of(explorer)`."""

import io

import ipywidgets
import numpy as np
from matplotlib.image import imread


def positions(control):
    """Return both ends and the middle of a slider, every option of a list, both states of a box; else nothing."""
    if hasattr(control, "options"):
        options = [option[1] if isinstance(option, tuple) else option for option in control.options]
        is_slider = isinstance(control, ipywidgets.SelectionSlider)
        return [options[0], options[len(options) // 2], options[-1]] if is_slider else options
    if isinstance(getattr(control, "value", None), bool):
        return [True, False]
    if isinstance(control, ipywidgets.FloatLogSlider):
        return [control.base**power for power in (control.min, (control.min + control.max) / 2, control.max)]
    if hasattr(control, "min"):
        return [control.min, type(control.value)((control.min + control.max) / 2), control.max]
    return []  # a button, a text: what they do is tested one by one


def settable(explorer):
    """Return the controls that have positions."""
    return {name: control for name, control in explorer.controls.items() if positions(control)}


def picture_of(explorer):
    """Return the bytes of the picture that is shown."""
    return bytes(explorer.image.value)


def pixels(png):
    """Return a picture as an array."""
    return imread(io.BytesIO(png))


def artists_of(explorer):
    """Return what the figure is made of."""
    return [artist for axes in explorer.picture.axes for artist in axes.get_children()]


def image_titled(explorer, title):
    """Return the numbers of the heat map with this title."""
    (axes,) = [axes for axes in explorer.picture.axes if axes.get_title() == title]
    return np.asarray(axes.images[0].get_array())
