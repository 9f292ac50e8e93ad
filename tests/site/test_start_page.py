"""The page where the site is entered."""

import json
import re
from urllib.parse import unquote

from tools.build.readme import title
from tools.build.section import ROOT, START, page_of, sections
from tools.site.start_page import start_page

NAMES = [START, *sections()]
PAGE = start_page(NAMES)


def test_every_notebook_of_the_project_has_a_link_with_its_title():
    links = re.findall(r'<a href="lab/index.html\?path=([^"]+)">([^<]+)</a>', PAGE)
    assert [text for _, text in links] == [title(page_of(name)) for name in NAMES]
    paths = {ROOT / "notebooks" / unquote(path) for path, _ in links}
    assert paths == set((ROOT / "notebooks").glob("**/*.ipynb"))


def test_a_learner_reads_that_a_loop_cannot_be_stopped_and_where_the_progress_is():
    assert "死循环停不下来" in PAGE
    assert "重启内核" in PAGE
    assert "下载" in PAGE
    assert "{" not in re.sub(r"<style>.*?</style>|<script.*?</script>", "", PAGE, flags=re.DOTALL)


def test_jupyterlite_finds_a_configuration_in_it():
    (config,) = re.findall(r'<script id="jupyter-config-data"[^>]*>(.*?)</script>', PAGE)
    assert json.loads(config) == {}
