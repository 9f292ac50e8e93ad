"""Write the table of launch links into the READMEs, between the two lines that mark its place."""

import re

from tools.build.addresses import project_addresses
from tools.build.section import ROOT, START, page_of, sections

READMES = ("README.md", "README.zh-CN.md")
BEGIN = "<!-- launch-links: written by make build -->"
END = "<!-- end of launch-links -->"


def stamp_readmes(root=ROOT):
    """Bring the table in every README up to date."""
    for name in READMES:
        path = root / name
        if path.exists():
            path.write_text(stamped(path.read_text(encoding="utf-8")), encoding="utf-8")


def stamped(text):
    """Return a README's text with the table of today between the two marks.

    Examples
    --------
    >>> stamped("no marks")
    'no marks'
    """
    between = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return between.sub(lambda match: f"{BEGIN}\n{table()}\n{END}", text)


def table(names=None):
    """Return a Markdown table: a row for each page named, its title and where to open it; all pages by default."""
    names = [START, *sections()] if names is None else names
    return "\n".join(["", "| | | | | |", "|---|---|---|---|---|", *(row(page_of(name)) for name in names), ""])


def row(page):
    """Return the row of a section or of the start page."""
    addresses, path = project_addresses(), page.release.as_posix()
    places = {
        "Colab": addresses.colab(path),
        "ModelScope": addresses.modelscope(path),
        "Binder": addresses.binder(path),
        ".ipynb": addresses.download(path),
    }
    links = " | ".join(f"[{name}]({address})" for name, address in places.items())
    return f"| {title(page)} | {links} |"


def title(page):
    """Return the lesson's first heading."""
    text = (ROOT / page.lesson).read_text(encoding="utf-8")
    return re.search(r"^# (.+)$", text, re.MULTILINE).group(1)
