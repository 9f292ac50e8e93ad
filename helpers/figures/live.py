"""A Picture that is redrawn fast: `LivePicture.frame()` draws only the artists that move, over a kept background."""

import matplotlib

from helpers.style import DPI, RC, Picture, encode

MOST_KEPT = 24  # backgrounds of one picture, a megabyte each: the oldest is forgotten and drawn again


class LivePicture(Picture):
    """A Picture whose layout is fixed at its first frame, and whose still parts are drawn once per state.

    Parameters
    ----------
    width, height : float
        In inches.

    Attributes
    ----------
    still : hashable
        Names the state of everything that does not move. Set it when a tick, a limit or a fixed label changes.
    """

    def __init__(self, width, height):
        super().__init__(width, height, alt="")
        self.still = None
        self._settled = False
        self._moving = []
        self._backgrounds = {}

    def move(self, *artists):
        """Declare artists that get new data between frames; they are drawn last, in this order."""
        for artist in artists:
            artist.set_animated(True)  # the background leaves it out
        self._moving += artists

    def settle(self):
        """Lay the figure out, once: from now on nothing shifts when a label grows."""
        if not self._settled:
            self.draw_without_rendering()
            self.set_layout_engine("none")
            self._settled = True

    def png(self, dpi=DPI):
        """Return the figure drawn whole as PNG bytes, what moves in its place between what does not."""
        for artist in self._moving:
            artist.set_animated(False)
        try:
            return super().png(dpi)
        finally:
            for artist in self._moving:
                artist.set_animated(True)

    def frame(self):
        """Return the figure as it is now as PNG bytes: the same pixels as `png`, sooner."""
        self.settle()
        with matplotlib.rc_context(RC):
            self.canvas.restore_region(self._background())
            for artist in self._moving:
                artist.axes.draw_artist(artist)
        return encode(self.canvas.buffer_rgba(), compress_level=1)  # a little larger, much sooner

    def _background(self):
        """Return the still parts in their present state, drawn now if they are not kept from before."""
        if self.still not in self._backgrounds:
            if len(self._backgrounds) == MOST_KEPT:
                self._backgrounds.pop(next(iter(self._backgrounds)))
            self.canvas.draw()
            self._backgrounds[self.still] = self.canvas.copy_from_bbox(self.bbox)
        return self._backgrounds[self.still]
