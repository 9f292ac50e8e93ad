"""Which wheels a reader's browser is told to load, and from where."""

import hashlib
import zipfile

import pytest

from tools.site.core import SiteError
from tools.site.pipeline import copy_distribution
from tools.site.pyodide_lock import KERNEL, LEARNERS, OUR_DEPENDENCIES, site_lock, with_wheel

USUAL = "https://somewhere.example/full/"


def entry(name, *depends):
    """Return what a distribution's lock file says of a package."""
    return {"name": name, "version": "1.0", "file_name": f"{name}-1.0.whl", "sha256": "0", "depends": list(depends)}


@pytest.fixture
def distribution_lock():
    theirs = {name: entry(name) for name in (*KERNEL, *LEARNERS) if name not in OUR_DEPENDENCIES}
    theirs |= {"numpy": entry("numpy", "Open_BLAS"), "open-blas": entry("open-blas"), "traitlets": entry("traitlets")}
    return {"info": {"python": "3.14"}, "packages": theirs | {"scipy": entry("scipy")}}


@pytest.fixture
def our_wheels(tmp_path):
    return [wheel(tmp_path, name) for name in OUR_DEPENDENCIES]


def wheel(folder, name):
    """Write the smallest wheel, and return its path."""
    path = folder / f"{name.replace('-', '_')}-2.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name.replace('-', '_')}-2.0.dist-info/METADATA", f"Name: {name}\nVersion: 2.0\n\ntext")
        archive.writestr("importable/__init__.py", "")
        archive.writestr("importable/inner/__init__.py", "")
    return path


def test_what_is_needed_is_listed_with_its_dependencies_and_nothing_else(distribution_lock, our_wheels):
    packages = site_lock(distribution_lock, our_wheels)["packages"]
    assert {*KERNEL, *LEARNERS, "open-blas", "traitlets"} == set(packages)


def test_the_distribution_s_wheels_come_from_their_address_and_ours_from_the_site(distribution_lock, our_wheels):
    packages = site_lock(distribution_lock, our_wheels, USUAL)["packages"]
    for name, package in packages.items():
        assert package["file_name"].startswith(USUAL) == (name not in OUR_DEPENDENCIES), name


def test_a_wheel_of_ours_is_described_by_what_is_in_it(distribution_lock, our_wheels):
    ours = site_lock(distribution_lock, our_wheels)["packages"]["transformer-chapter"]
    (path,) = (path for path in our_wheels if path.name.startswith("transformer"))
    assert ours["version"] == "2.0"
    assert ours["imports"] == ["importable"]
    assert ours["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_entry_follows_the_wheel_that_is_there(tmp_path):
    found = with_wheel(entry("contourpy", "numpy"), wheel(tmp_path, "contourpy"))
    assert (found["version"], found["file_name"]) == ("2.0", "contourpy-2.0-py3-none-any.whl")
    assert found["depends"] == ["numpy"]


def test_a_distribution_without_a_wheel_that_it_lists_is_refused_by_name(distribution_lock, tmp_path):
    with pytest.raises(SiteError, match="has no pyodide.mjs"):
        copy_distribution(tmp_path / "empty", tmp_path, distribution_lock)
