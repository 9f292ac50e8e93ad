"""Every link between files of the project leads somewhere, also when it is written as a web address."""

import functools
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlparse

import pytest

from tests.notebooks.reading import read, releases, solutions_and_releases
from tools.build.addresses import BRANCH, project_addresses
from tools.build.deep_links import headings
from tools.build.generated import launch_links
from tools.build.readme import BEGIN, END, READMES
from tools.build.section import ROOT, START, page_of, sections

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|\b(?:src|href)=[\"']([^\"']+)[\"']")
ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|#|attachment:)")
IN_THE_PROJECT = re.compile(rf"/(?:(?:blob|raw|tree)/{BRANCH}/|{BRANCH}\?labpath=)([^\s)\"'#?]+)")
NOT_OURS = {".venv", ".git", ".pytest_cache", "node_modules"}


def links(text):
    """Return the targets of all Markdown and HTML links; code is no link."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return [markdown or tag for markdown, tag in LINK.findall(prose)]


def dead(text, folder):
    """Return the links of a text, standing in a folder, that lead to no file of the project."""
    relative = [unquote(target.split("#")[0]) for target in links(text) if not ELSEWHERE.match(target)]
    absolute = [unquote(path) for target in links(text) if is_ours(target) for path in IN_THE_PROJECT.findall(target)]
    return [path for path in relative if not inside(folder / path)] + [
        path for path in absolute if not inside(ROOT / path)
    ]


def is_ours(target):
    """Return whether a web address is of this project, at its host or through Colab, ModelScope or Binder."""
    addresses = project_addresses()
    return addresses.owner_and_name in target or target.startswith(addresses.mirror)


def inside(path):
    """Return whether a path exists and lies in the project: a reader has nothing else."""
    path = Path(os.path.normpath(path))
    return path.exists() and path.is_relative_to(ROOT)


def documents():
    """Return the Markdown files that stand where they are read, so not the lessons."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/**/*.md")]  # not in an environment, which may be in the making
    return [path for path in sorted(found) if not NOT_OURS & set(path.parts) and path.parent.name != "lessons"]


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_links_to_files_that_exist(path):
    assert dead(path.read_text(encoding="utf-8"), path.parent) == []


@pytest.mark.parametrize("path", solutions_and_releases(), ids=str)
def test_a_notebook_links_to_files_that_exist(path):
    assert dead(prose(path), (ROOT / path).parent) == []


@pytest.mark.parametrize("name", [START, *sections()])
def test_a_lesson_links_as_from_its_notebook(name):
    page = page_of(name)
    text = (ROOT / page.lesson).read_text(encoding="utf-8")
    assert dead(text, (ROOT / page.release).parent) == []


@pytest.mark.parametrize("path", releases(), ids=str)
def test_a_link_into_a_notebook_leads_to_a_heading(path):
    assert [place for place in anchors(prose(path), path.parent) if not leads_to_a_heading(*place)] == []


def prose(path):
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def anchors(text, folder):
    """Return (notebook, anchor) for each link into a notebook of the project, JupyterLab's kind and Colab's."""
    found = []
    for target in links(text):
        path, _, anchor = target.partition("#")
        if anchor and path.endswith(".ipynb"):
            here = [] if ELSEWHERE.match(path) else [folder / unquote(path)]
            there = IN_THE_PROJECT.findall(path) if is_ours(path) else []
            found += [(Path(place), unquote(anchor)) for place in (*here, *there)]
    return found


def leads_to_a_heading(path, anchor):
    """Return whether an anchor names a cell that has a heading; a heading's own text is no anchor that works."""
    kind, _, id_ = anchor.partition("=")
    return kind in ("cell-id", "scrollTo") and id_ in cells_with_headings(path)


@functools.cache
def cells_with_headings(path):
    return {cell.id for cell in read(path).cells if headings(cell)}


def test_the_start_page_opens_every_place_in_jupyterlab_and_in_colab():
    start = page_of(START).release
    places = [(path, *anchor.split("=")) for path, anchor in anchors(prose(start), start.parent)]
    here, colab = places[::2], places[1::2]
    assert len(here) > 60
    assert {kind for _, kind, _ in here} == {"cell-id"}
    assert colab == [(path, "scrollTo", id_) for path, _, id_ in here]


def test_a_link_to_a_cell_that_is_gone_is_noticed():
    start, released = page_of(START).release, page_of("01_attention").release
    text = "[a](ch04_01_attention/01_attention.ipynb#cell-id=gone) [b](https://example.org/x.ipynb#scrollTo=y) [c](#d)"
    assert anchors(text, start.parent) == [(released, "cell-id=gone")]
    assert not leads_to_a_heading(released, "cell-id=gone")
    assert not leads_to_a_heading(released, "核心问题-1")
    assert leads_to_a_heading(released, "cell-id=attention-why-qkv-question")


@pytest.mark.parametrize("name", [START, *sections()])
def test_the_launch_links_of_a_page_open_its_notebook_in_four_places(name):
    path = page_of(name).release
    opened = links(launch_links(page_of(name), project_addresses()))
    assert [IN_THE_PROJECT.findall(target) for target in opened if is_ours(target)] == [
        [path.as_posix()], [path.as_posix()], [quote(path.as_posix(), safe="")], [path.as_posix()],
    ]  # fmt: skip
    assert [urlparse(target).hostname for target in opened[:3]] == [
        "colab.research.google.com", "modelscope.cn", "mybinder.org",
    ]  # fmt: skip
    assert opened[3].endswith(f"/raw/{BRANCH}/{path.as_posix()}")
    assert inside(ROOT / path)


def test_the_readmes_open_every_page_where_its_launch_links_do():
    wanted = [
        target for name in [START, *sections()] for target in links(launch_links(page_of(name), project_addresses()))
    ]
    for name in READMES:
        there = (ROOT / name).read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
        assert links(there) == wanted, f"{name}: run `make build`"


def test_binder_finds_what_it_builds_the_environment_from():
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert "jupyterlab" in text
    assert "- -e ." in text


def test_a_dead_link_is_noticed():
    here, addresses = ROOT / "tests", project_addresses()
    gone = [addresses.download("no/such/file.ipynb"), addresses.binder("no/such/notebook.ipynb")]
    text = (
        '[a](nowhere.md) [b](test_links.py#x) `[c](code.md)` <img src="gone.png"> '
        f"[d]({gone[0]}) [e](https://x.org/y) [f]({gone[1]})"
    )
    assert dead(text, here) == ["nowhere.md", "gone.png", "no/such/file.ipynb", "no/such/notebook.ipynb"]
