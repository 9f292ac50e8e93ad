"""How every figure looks: palette, Chinese font, sizes, and a Figure that carries its alternative text."""

import base64
import contextlib
import functools
import io
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import font_manager, image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

FONT_PATH = Path(__file__).parent / "fonts" / "ChapterSansSC-Regular.otf"
FONT_FAMILY = "Chapter Sans SC"

# Okabe and Ito's palette, told apart under all three dichromacies; `muted` is for what is not the point.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "sky": "#56B4E9",
    "purple": "#CC79A7",
    "ink": "#222222",
    "muted": "#767676",
}
SEQUENTIAL = "cividis"  # weights and other amounts from 0 up
DIVERGING = "PuOr"  # scores and other signed numbers

RC = {
    # The Chinese font stands first: mathtext looks at the first family alone. DejaVu supplies what it lacks (√, ᵀ ...).
    "font.family": [FONT_FAMILY, "DejaVu Sans"],
    "font.size": 10,
    "mathtext.fontset": "dejavusans",
    "axes.unicode_minus": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "normal",
    "axes.prop_cycle": matplotlib.cycler(
        color=[PALETTE[name] for name in ("blue", "vermilion", "green", "orange", "purple", "sky")]
    ),
    "legend.frameon": False,
    "text.color": PALETTE["ink"],
    "axes.labelcolor": PALETTE["ink"],
    "figure.facecolor": "white",
}
DPI = 110
LEAST_CONTRAST = 4.5  # of a text with what it stands on


@functools.cache
def register_font():
    """Make the bundled Chinese font known to matplotlib, once per process, and its own fonts if it has lost them.

    Its list of fonts is a file that all the user's environments share: one that was deleted while it ran leaves a list
    without them, and every formula then warns.
    """
    listed = {font.fname for font in font_manager.fontManager.ttflist}
    own = Path(matplotlib.get_data_path(), "fonts", "ttf").glob("*.ttf")
    for path in [FONT_PATH, *sorted(str(font) for font in own)]:
        if path not in listed:
            font_manager.fontManager.addfont(path)


def readable(color):
    """Return a colour to write with on white: the same, darkened until its contrast is 4.5 (WCAG 2.2, level AA).

    Examples
    --------
    >>> readable(PALETTE["blue"]) == PALETTE["blue"].lower()
    True
    >>> readable(PALETTE["vermilion"])
    '#c15500'
    """
    rgb = np.array(to_rgb(color))
    while 1.05 / (_luminance(rgb) + 0.05) < LEAST_CONTRAST:
        rgb = 0.98 * rgb
    return to_hex(rgb)


def ink_on(color):
    """Return black or white, whichever is read better on a colour: its contrast is above 4.5, whatever the colour.

    Examples
    --------
    >>> ink_on(PALETTE["orange"]), ink_on(PALETTE["blue"])
    ('black', 'white')
    """
    luminance = _luminance(np.array(to_rgb(color)))
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _luminance(rgb):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@contextlib.contextmanager
def _in_style():
    """Set the chapter's style, and have no word on the time that it took.

    matplotlib complains where finding the place of a legend took a second: on a busy machine any legend can.
    """
    with matplotlib.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", 'Creating legend with loc="best" can be slow')
        yield


class Picture(Figure):
    """A matplotlib Figure that is always drawn in the chapter's style and says in words what it shows.

    Parameters
    ----------
    width, height : float
        In inches.
    alt : str
        Alternative text: what a reader who cannot see the figure must know. It may be set again after an update.
    """

    def __init__(self, width, height, alt):
        register_font()
        with matplotlib.rc_context(RC):
            super().__init__(figsize=(width, height), dpi=DPI, layout="constrained")
        FigureCanvasAgg(self)
        self.alt = alt

    def draw(self, renderer):
        """Draw with the chapter's style, whoever asks (ticks take their font only now)."""
        with _in_style():
            super().draw(renderer)

    def get_tightbbox(self, *args, **kwargs):
        """Measure with the chapter's style, as `draw` draws."""
        with _in_style():
            return super().get_tightbbox(*args, **kwargs)

    def png(self, dpi=DPI):
        """Return the figure as PNG bytes, the same bytes every time (no date, no version inside)."""
        usual, self.dpi = self.dpi, dpi
        try:
            self.canvas.draw()  # `savefig` would go through everything once more before, for the layout alone
            return encode(self.canvas.buffer_rgba(), dpi)
        finally:
            self.dpi = usual

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = base64.b64encode(self.png()).decode("ascii")
        return {"image/png": png, "text/plain": self.alt}, {"image/png": {"alt": self.alt}}


def encode(pixels, dpi=DPI, **options):
    """Encode pixels as PNG.

    Parameters
    ----------
    pixels : (height, width, 4) array
    dpi : float
    options
        For Pillow, such as `compress_level`.

    Returns
    -------
    png : bytes
        Without a date or a version.
    """
    buffer = io.BytesIO()
    image.imsave(buffer, pixels, format="png", dpi=dpi, metadata={"Software": None}, pil_kwargs=options)
    return buffer.getvalue()


def styled(draw_figure):
    """Decorate a function that makes artists, so that they are made in the chapter's style."""

    @functools.wraps(draw_figure)
    def with_style(*args, **kwargs):
        register_font()
        with matplotlib.rc_context(RC):
            return draw_figure(*args, **kwargs)

    return with_style
