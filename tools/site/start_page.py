"""The page where the site is entered: a link to every notebook, and what a learner must know about this Python."""

import html
from pathlib import Path
from urllib.parse import quote

from tools.build.readme import title
from tools.build.section import page_of

TEMPLATE = Path(__file__).parent / "start_page.html"
LINK = '<li><a href="{address}">{title}</a></li>'


def start_page(names):
    """Return the page, with a link to each notebook.

    Parameters
    ----------
    names : list of str
        Such as `01_attention`.
    """
    links = "\n".join(LINK.format(address=address(name), title=html.escape(title(page_of(name)))) for name in names)
    return TEMPLATE.read_text(encoding="utf-8").replace("{links}", links)


def address(name):
    """Return where the site opens a notebook, from the site's own root.

    Examples
    --------
    >>> address("01_attention")
    'lab/index.html?path=ch04_01_attention/01_attention.ipynb'
    """
    return f"lab/index.html?path={quote(page_of(name).release.relative_to('notebooks').as_posix())}"
