"""What a submission sees of the file system: Python, read-only, and a scratch folder that goes away."""

import os
import sys
import tempfile
from pathlib import Path

import helpers
from grading.sandbox import system

SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/alternatives")
PROJECT = Path(__file__).resolve().parents[2]
HELPERS = Path(next(iter(helpers.__path__))).resolve()
# Imported before any submission runs, and then out of its sight.
SECRET_FOLDERS = (HELPERS / "reference", HELPERS / "checks", PROJECT / "grading")
SCRATCH = "/scratch"  # not /tmp: Python's packages, or the project, may lie there
HARMLESS = system.NO_SUID | system.NO_DEVICES | system.NO_EXEC
DEVICES = ("null", "zero", "full", "random", "urandom")


def visible_paths():
    """Return the files and folders that the sandbox shows, at their own places, parents before what they contain.

    Returns
    -------
    paths : list of str
    """
    python = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
    python |= {Path(folder).resolve() for folder in sys.path if folder.endswith(("site-packages", "dist-packages"))}
    project = {HELPERS, PROJECT / "grading" / "__init__.py", PROJECT / "grading" / "sandbox"}
    links = set().union(*map(links_to, (sys.executable, sys.prefix, sys.base_prefix)))
    system_paths = {Path(path) for path in (*SYSTEM_FOLDERS, *SYSTEM_FILES) if os.path.lexists(path)}
    paths = sorted(path for path in python | project | links | system_paths if path.exists())
    return [str(path) for path in paths if not any(parent in paths for parent in path.parents)]


def links_to(path):
    """Return the symbolic links on the way to a path (an environment, or a home, may be reached through some).

    Parameters
    ----------
    path : str
        Absolute, of something that exists.

    Returns
    -------
    links : set of pathlib.Path
        Each at its real place.
    """
    links, place, parts = set(), Path("/"), list(Path(path).parts[:0:-1])
    while parts:
        step = Path(os.path.normpath(place / parts.pop()))
        if step.is_symlink():
            links.add(step)
            parts += (place / step.readlink()).parts[:0:-1]
            step = Path("/")
        place = step
    return links


def python_path():
    """Return the folders from which the zygote imports `helpers` and `grading`."""
    return os.pathsep.join(dict.fromkeys((str(PROJECT), str(HELPERS.parent))))


def enter(paths):
    """Leave the machine's file system, network and processes, and go on in a child that sees the paths alone.

    The process that calls it waits for that child and ends as it ends.

    Parameters
    ----------
    paths : list of str
        As `visible_paths` returns them.
    """
    namespaces = system.NEW_MOUNTS | system.NEW_IPC | system.NEW_UTS | system.NEW_NETWORK | system.NEW_PIDS
    (system.unshare if os.getuid() == 0 else system.unshare_with_user)(namespaces)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    system.die_with_parent()
    system.mount("none", "/", flags=system.RECURSIVE | system.PRIVATE)
    root = tempfile.mkdtemp()
    system.mount("sandbox", root, "tmpfs", system.NO_SUID | system.NO_DEVICES, "mode=755")
    for path in paths:
        _show(Path(path), root)
    _make_devices(Path(root, "dev"))
    for name in ("proc", SCRATCH.strip("/")):
        Path(root, name).mkdir()
    system.mount("proc", Path(root, "proc"), "proc", HARMLESS)
    system.mount("scratch", Path(root, SCRATCH.strip("/")), "tmpfs", HARMLESS)
    system.make_root(root)
    system.mount("none", "/", flags=system.REMOUNT | system.BIND | system.READ_ONLY)


def _show(path, root):
    """Show a path of the machine below the new root: a link as a link, anything else read-only."""
    place = Path(root, path.relative_to("/"))
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        place.symlink_to(path.readlink())
        return
    place.mkdir() if path.is_dir() else place.touch()
    system.bind_read_only(path, place)


def _make_devices(folder):
    folder.mkdir()
    (folder / "shm").mkdir()
    for name in DEVICES:
        (folder / name).touch()
        system.mount(f"/dev/{name}", folder / name, flags=system.BIND)


def make_private(disk):
    """Give one submission a scratch folder of its own, and hide what has been imported and all other processes.

    Parameters
    ----------
    disk : int
        Bytes that the scratch folder can hold.
    """
    system.mount("none", "/", flags=system.RECURSIVE | system.PRIVATE)
    for folder in SECRET_FOLDERS:
        system.mount("hidden", folder, "tmpfs", HARMLESS | system.READ_ONLY, "size=4k,mode=555")
    system.mount("scratch", SCRATCH, "tmpfs", HARMLESS, f"size={disk},mode=1777")
    system.mount("shm", "/dev/shm", "tmpfs", HARMLESS, f"size={disk},mode=1777")
    try:
        system.mount("proc", "/proc", "proc", HARMLESS)
    except OSError:  # not to be had inside another sandbox: then there is none
        system.mount("hidden", "/proc", "tmpfs", HARMLESS | system.READ_ONLY, "size=4k,mode=555")
