"""Put a Pyodide distribution together for the site's test, from compiled wheels at hand and from public registries.

Pyodide's own archive comes from a server that a test machine may not reach. The core is on npm, the pure wheels are
in the Python package index; the compiled wheels are handed in by the environment variable PYODIDE_WHEELS, a folder.
"""

import json
import shutil
from pathlib import Path

from tools.site.core import unpack_core
from tools.site.our_wheels import download
from tools.site.pyodide_lock import KERNEL, LEARNERS, OUR_DEPENDENCIES, closure, name_and_version, with_wheel


def put_together(folder, compiled_wheels):
    """Fill a folder with core, wheels and a lock file that describes these very wheels; keep it for the next time.

    Parameters
    ----------
    folder : Path
    compiled_wheels : Path
        A folder of wheels for Pyodide's Python.
    """
    lock = unpack_core(folder)
    packages = lock["packages"]
    for wheel in compiled_wheels.glob("*.whl"):
        shutil.copy(wheel, folder)
    ours = {name: {"depends": []} for name in OUR_DEPENDENCIES}
    needed = [name for name in closure(packages | ours, (*KERNEL, *LEARNERS, "traitlets")) if name not in ours]
    present = wheels_by_name(folder)
    missing = [f"{name}=={packages[name]['version']}" for name in needed if name not in present]
    if missing:
        download(missing, folder)
        present = wheels_by_name(folder)
    for name in needed:
        packages[name] = with_wheel(packages[name], present[name])
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def wheels_by_name(folder):
    """Return the wheels of a folder by the names of their packages."""
    return {name_and_version(path)[0]: path for path in Path(folder).glob("*.whl")}
