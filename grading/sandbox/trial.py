"""Try, without running anything of anybody's, whether this machine allows what the sandbox needs."""

import os
import sys

from grading.sandbox import system, view


def main():
    """Make the zygote's view if paths are given, then a submission's; any OSError says what is not allowed."""
    if sys.argv[1:]:
        view.enter(sys.argv[1:])
    namespaces = system.NEW_PIDS | system.NEW_MOUNTS | system.NEW_IPC
    (system.unshare if os.getuid() == 0 else system.unshare_with_user)(namespaces)
    child = os.fork()
    if child == 0:
        view.make_private(disk=2**20)
        system.drop_privileges()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
