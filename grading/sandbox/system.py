"""The few Linux calls that Python's `os` lacks: namespaces, mounts, privileges; each raises OSError as `os` does."""

import ctypes
import functools
import os
import signal

NEW_MOUNTS, NEW_UTS, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USER, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 1, 2, 4, 8
REMOUNT, BIND, RECURSIVE, PRIVATE = 32, 4096, 16384, 1 << 18
NO_ACCESS_TIMES = 1024 | 2048
DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

SET_PARENT_DEATH_SIGNAL, DROP_BOUNDING_CAPABILITY, SET_NO_NEW_PRIVILEGES = 1, 24, 38
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63


@functools.cache
def _libc():
    return ctypes.CDLL(None, use_errno=True)  # when it is first needed: Windows has none


def _call(name, *arguments):
    if getattr(_libc(), name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(namespaces):
    """Leave the given namespaces for fresh ones; of process ids, the next child is the first process."""
    _call("unshare", namespaces)


def unshare_with_user(namespaces):
    """Leave the given namespaces without being root: in a user namespace that knows this user alone."""
    user, group = os.getuid(), os.getgid()
    unshare(namespaces | NEW_USER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount(source, target, kind="", flags=0, options=""):
    """Mount as mount(2) does; all arguments but `flags` are text."""
    _call("mount", source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())


def bind_read_only(source, target):
    """Show a file or folder of the system at another place, where it cannot be changed."""
    mount(os.fspath(source), target, flags=BIND)
    locked = os.statvfs(target).f_flag & (NO_SUID | NO_DEVICES | NO_EXEC | NO_ACCESS_TIMES)
    mount("none", target, flags=BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES | locked)


def make_root(folder):
    """Make a folder the root of the file system, and let go of the old one."""
    os.chdir(folder)
    _call("syscall", PIVOT_ROOT[os.uname().machine], b".", b".")
    _call("umount2", b".", DETACH)
    os.chdir("/")


def die_with_parent():
    """Have the system kill this process as soon as the thread that forked it ends."""
    _call("prctl", SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def drop_privileges():
    """Give every capability up, for good: nothing that this process starts can get one."""
    for capability in range(LAST_CAPABILITY + 1):
        try:
            _call("prctl", DROP_BOUNDING_CAPABILITY, capability, 0, 0, 0)
        except OSError:  # the kernel knows no more of them, or they are gone already
            break
    _call("prctl", SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
