"""From the built notebooks to a folder that any web server can serve: read `build_site` from top to bottom."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.build.section import ROOT, START, page_of, sections
from tools.site.core import FILES, USUAL_ADDRESS, SiteError, read_lock, unpack_core
from tools.site.our_wheels import collect_our_wheels
from tools.site.pyodide_lock import KERNEL, LEARNERS, site_lock
from tools.site.start_page import start_page

CACHE = ROOT / "build" / "pyodide"
LAB_EXTENSION = ROOT / "tools" / "lab_extension"
KERNEL_PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"
PYODIDE = Path("static", "pyodide")
LOCK = PYODIDE / "pyodide-lock.json"
# The kernel's worker resolves it against its own address, extensions/@jupyterlite/pyodide-kernel-extension/static/.
LOCK_FROM_WORKER = f"../../../../{LOCK.as_posix()}"
SETTINGS = {  # a reader's first visit; what they change is kept in their browser
    "@jupyterlab/translation-extension:plugin": {"locale": "zh_CN"},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
}


def build_site(folder, distribution=None):
    """Build the site into a folder, replacing what is there.

    Parameters
    ----------
    folder : Path
    distribution : Path, optional
        An unpacked Pyodide distribution (core and wheels), which the site then carries. Without one, the reader's
        browser takes Pyodide and its wheels from their usual address.
    """
    with tempfile.TemporaryDirectory() as scratch:
        lite, notebooks, site = (Path(scratch, name) for name in ("lite", "notebooks", "site"))
        write_settings(lite)
        copy_notebooks(notebooks)
        run_jupyterlite(lite, notebooks, site)
        # The rest comes after JupyterLite's build, which would take what it finds for a whole Pyodide, and which writes
        # kernel settings and a first page of its own.
        write_pyodide(site / PYODIDE, collect_our_wheels(Path(scratch, "wheels")), distribution)
        write_kernel_settings(site, distribution)
        write_start_page(site)
        replace(folder, site)


def write_pyodide(folder, our_wheels, distribution):
    """Write the lock file and our wheels; with a distribution, its core and the wheels that are needed too."""
    folder.mkdir(parents=True)
    for wheel in our_wheels:
        shutil.copy(wheel, folder)
    if distribution is None:
        lock = site_lock(unpack_core(CACHE), our_wheels, USUAL_ADDRESS)
    else:
        lock = site_lock(read_lock(distribution), our_wheels)
        copy_distribution(distribution, folder, lock)
    (folder / LOCK.name).write_text(json.dumps(lock, indent=1), encoding="utf-8")


def copy_distribution(distribution, folder, lock):
    """Copy the core, and the wheels that the lock names, out of a distribution."""
    wheels = [package["file_name"] for package in lock["packages"].values()]
    for name in (*FILES, *wheels):
        if (distribution / name).exists():
            shutil.copy(distribution / name, folder)
        elif not (folder / name).exists():  # ours are there already
            raise SiteError(f"{distribution} has no {name}, which its pyodide-lock.json lists. Is it all unpacked?")


def write_settings(lite):
    """Write what JupyterLite's build reads: Chinese menus, and the extension that `make lab` installs, too."""
    lite.mkdir()
    (lite / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    build = {"LiteBuildConfig": {"federated_extensions": [str(LAB_EXTENSION)]}}
    (lite / "jupyter_lite_config.json").write_text(json.dumps(build), encoding="utf-8")


def copy_notebooks(folder):
    """Copy the learner's notebooks, as they are in notebooks/, the start page at the top."""
    for name in [START, *sections()]:
        release = page_of(name).release
        target = folder / release.relative_to("notebooks")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / release, target)


def run_jupyterlite(lite, notebooks, output):
    """Have JupyterLite write its site: JupyterLab, its extensions and the notebooks."""
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", lite, "--output-dir", output]
    options = ["--contents", notebooks, "--no-sourcemaps", "--apps", "lab", "--no-unused-shared-packages"]
    result = subprocess.run([*command, *options], cwd=lite, capture_output=True, text=True)
    if result.returncode:
        raise SiteError(f"JupyterLite's build failed:\n{result.stdout}\n{result.stderr}")


def write_kernel_settings(site, distribution):
    """Say where the kernel finds Pyodide, that everything is loaded at its start, and that it asks no index."""
    path = site / "jupyter-lite.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    settings = config["jupyter-config-data"].setdefault("litePluginSettings", {}).setdefault(KERNEL_PLUGIN, {})
    settings["disablePyPIFallback"] = True
    settings["loadPyodideOptions"] = {"packages": [*KERNEL, *LEARNERS]}
    settings["pyodideUrl"] = f"./{(PYODIDE / 'pyodide.mjs').as_posix()}"
    if distribution is None:
        settings["pyodideUrl"] = f"{USUAL_ADDRESS}pyodide.mjs"
        settings["loadPyodideOptions"]["lockFileURL"] = LOCK_FROM_WORKER
    path.write_text(json.dumps(config, indent=2), encoding="utf-8")


def write_start_page(site):
    """Put a page in Chinese where the site is entered: what is here, what is kept where, what cannot be stopped."""
    shutil.copy(site / "lab" / "favicon.ico", site)  # where every browser looks for it
    (site / "index.html").write_text(start_page([START, *sections()]), encoding="utf-8")


def replace(folder, built):
    """Put the built site in a folder's place only now: a failure before leaves the old one."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder)
