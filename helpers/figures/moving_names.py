"""Names along an axis that a control changes: make `MovingNames(axes, side, count)` once, then call its `write`.

Tick labels belong to the background of a `LivePicture`, which another set of them would make anew: much slower.
"""

from itertools import zip_longest

from helpers.figures.matrix import SMALL

PAD = 3.5  # points between the axes and a name: where matplotlib puts a tick label that has no tick


class MovingNames:
    """Texts where the tick labels of one side of settled axes would stand; those labels are taken away.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Of a settled picture, whose layout has left room for the longest names. The title stays where that put it.
    side : {"left", "top", "bottom"}
    count : int
        As many names as there can be.

    Attributes
    ----------
    texts : list of matplotlib.text.Text
        To be handed to `LivePicture.move`.
    """

    def __init__(self, axes, side, count):
        axis, transform_at = {
            "left": (axes.yaxis, axes.get_yaxis_text1_transform),
            "top": (axes.xaxis, axes.get_xaxis_text2_transform),
            "bottom": (axes.xaxis, axes.get_xaxis_text1_transform),
        }[side]
        title = axes.title
        axes.set_title(title.get_text(), y=title.get_position()[1], fontsize=title.get_fontsize())  # a given y stays
        axis.set_ticks([])
        transform, va, ha = transform_at(PAD)
        self._coordinate = "y" if side == "left" else "x"
        look = {"va": va, "ha": ha, "fontsize": SMALL, "transform": transform}
        self.texts = [axes.text(0, 1 if side == "top" else 0, "", **look) for _ in range(count)]

    def write(self, names, places=None):
        """Write names, at 0, 1, 2 ... or at these places along the axis; texts that are left over stay empty.

        Where Chinese names run downwards, Latin ones beside them are turned on their side.
        """
        places = range(len(names)) if places is None else places
        downwards = any("\n" in name for name in names)
        for text, name, place in zip_longest(self.texts, names, places):
            if name is None:
                text.set_text("")
            else:
                text.set(text=name, rotation=90 if downwards and name.isascii() else 0, **{self._coordinate: place})
