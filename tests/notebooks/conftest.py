"""What the tests of all environments share."""

import shutil
from pathlib import Path

import pytest

from tools.build.section import ROOT


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return the address of a ZIP file of the project, as its host packs it; a file, in reach without a network."""
    folder = tmp_path_factory.mktemp("host")
    shutil.copytree(ROOT / "helpers", folder / "chapter-main" / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    return Path(shutil.make_archive(folder / "main", "zip", folder, "chapter-main")).as_uri()
