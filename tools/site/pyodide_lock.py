"""Which wheels the Python in the reader's browser loads: Pyodide's own lock file, cut down, with our wheels added.

The format is Pyodide's (`pyodide-lock.json`): https://pyodide.org/en/stable/development/new-packages.html
"""

import hashlib
import re
from email.parser import HeaderParser
from zipfile import ZipFile

# What the kernel imports, and what `helpers` imports. All are loaded when a kernel starts, so that a notebook's
# set-up cell finds `helpers` and has nothing to do.
KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
LEARNERS = ("numpy", "matplotlib", "ipywidgets", "transformer-chapter")
OUR_DEPENDENCIES = {
    "transformer-chapter": ["numpy", "matplotlib", "ipywidgets"],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "comm": [],
    "ipykernel": [],
    "piplite": ["micropip"],
    "pyodide-kernel": ["ipykernel", "comm", "jedi", "ipython"],
}


def site_lock(lock, our_wheels, base_url=""):
    """Return the lock file of the site: what a kernel and `helpers` need, and nothing else.

    Parameters
    ----------
    lock : dict
        The distribution's `pyodide-lock.json`.
    our_wheels : list of Path
        The wheels that the distribution lacks, one for each name in `OUR_DEPENDENCIES`.
    base_url : str
        Where the distribution's own wheels are; empty if they stand beside the lock file.

    Returns
    -------
    lock : dict
    """
    ours = {canonical(name): entry for name, entry in map(wheel_entry, our_wheels)}
    packages = lock["packages"] | ours
    needed = closure(packages, (*KERNEL, *LEARNERS))
    return lock | {
        "packages": {
            name: packages[name] | ({} if name in ours else {"file_name": base_url + packages[name]["file_name"]})
            for name in needed
        }
    }


def closure(packages, roots):
    """Return the roots and all that they depend on, sorted.

    Examples
    --------
    >>> closure({"a": {"depends": ["B_b"]}, "b-b": {"depends": []}, "c": {"depends": []}}, ["a"])
    ['a', 'b-b']
    """
    found, waiting = set(), [canonical(root) for root in roots]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += map(canonical, packages[name]["depends"])
    return sorted(found)


def wheel_entry(path):
    """Return the name of a wheel of ours, and its entry in a lock file."""
    name, version = name_and_version(path)
    return name, {
        "name": name,
        "version": version,
        "file_name": path.name,
        "sha256": sha256(path),
        "imports": top_level_packages(path),
        "depends": OUR_DEPENDENCIES[canonical(name)],
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def with_wheel(entry, path):
    """Return a lock file's entry that describes this wheel instead of the one that it named."""
    return entry | {"version": name_and_version(path)[1], "file_name": path.name, "sha256": sha256(path)}


def name_and_version(wheel):
    """Return what a wheel's own metadata says."""
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        headers = HeaderParser().parsestr(archive.read(metadata).decode())
    return canonical(headers["Name"]), headers["Version"]


def top_level_packages(wheel):
    """Return the names that a wheel makes importable."""
    with ZipFile(wheel) as archive:
        return sorted({name.split("/")[0] for name in archive.namelist() if name.endswith("/__init__.py")})


def sha256(path):
    """Return the digest that a browser compares before it installs a wheel."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def canonical(name):
    """Return a package's name as an index spells it.

    Examples
    --------
    >>> canonical("jupyterlab_language.Pack")
    'jupyterlab-language-pack'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
