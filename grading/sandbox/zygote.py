"""Inside the sandbox: import once what every notebook imports, then fork a process for each submission.

zygote      has everything imported and no right answer in memory; runs no learner's code
  keeper    makes the submission's namespaces, watches its memory, kills it when the grader lets go
    first   process 1 of the submission's own process ids: when it ends, the system ends all the others
      the submission's process, without any privilege (`submission.py`)
"""

import contextlib
import gc
import json
import os
import pickle
import select
import signal
import socket
import sys
import tempfile

from grading.sandbox import hollow, messages, system, view
from grading.sandbox.limits import Limits
from grading.sandbox.shell import new_shell
from grading.sandbox.submission import Submission

SECONDS_BETWEEN_LOOKS = 0.2  # at the memory that a submission uses


def main():
    """Serve the grader at the socket that the command line names, until it closes."""
    settings = json.loads(sys.argv[1])
    control = socket.socket(fileno=settings["control"])
    if settings["view"] is not None:  # nobody has hidden the machine yet
        view.enter(settings["view"])
    shell = new_shell()  # before matplotlib, which looks for one when it is imported
    hollow.load_helpers()
    hollow.empty_reference()
    serve(control, Limits(**settings["limits"]), settings["confined"], shell)


def serve(control, limits, confined, shell):
    """Fork a keeper for every pair of sockets that arrives: the submission's channel, and the leash."""
    gc.collect()
    gc.freeze()
    control.send(b"r")
    while True:
        _, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not descriptors:
            return
        _bury_ended_keepers()
        channel, leash = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        if os.fork() == 0:
            control.close()
            _run_forked(keep, channel, leash, limits, confined, shell)
        channel.close()
        leash.close()


def _bury_ended_keepers():
    """Wait for those that have ended: else nobody could tell how long a submission has computed."""
    with contextlib.suppress(ChildProcessError):  # there are none
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _run_forked(function, *arguments):
    """Call the function as all that is left to do in a forked process."""
    status = 1
    try:
        function(*arguments)
        status = 0
    finally:
        os._exit(status)


def keep(channel, leash, limits, confined, shell):
    """Start the submission, and end it when the grader lets go of the leash or it uses too much memory."""
    system.die_with_parent()
    if confined:
        namespaces = system.NEW_PIDS | system.NEW_MOUNTS | system.NEW_IPC
        (system.unshare if os.getuid() == 0 else system.unshare_with_user)(namespaces)
    first = os.fork()
    if first == 0:
        leash.close()
        _run_forked(be_first, channel, limits, confined, shell)
    channel.close()
    used_too_much = _watch(first, leash, limits)
    if not confined:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(first, signal.SIGKILL)
    with contextlib.suppress(OSError):
        messages.send(leash, {"memory": used_too_much})


def _watch(first, leash, limits):
    """Wait for the end of the first process; return whether it was killed for its memory."""
    ended = os.pidfd_open(first)
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(leash, select.POLLIN)
    used_too_much = False
    while True:
        events = dict(poller.poll(SECONDS_BETWEEN_LOOKS * 1000))
        if ended in events:
            break
        used_too_much = memory_of_tree(first) > limits.memory
        if leash.fileno() in events or used_too_much:
            os.kill(first, signal.SIGKILL)
            break
    os.waitpid(first, 0)
    return used_too_much


def memory_of_tree(pid):
    """Return the bytes of resident memory that are a process's own, together with all its descendants'."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = [int(child) for child in file.read().split()]
    except OSError:  # it has ended meanwhile
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") + sum(memory_of_tree(child) for child in children)


def be_first(channel, limits, confined, shell):
    """Be the first process of the submission: hide what is left to hide, start it, and wait for its end."""
    system.die_with_parent()
    os.setsid()
    if confined:
        view.make_private(limits.disk)
    child = os.fork()
    if child == 0:
        _run_forked(be_submission, channel, limits, confined, shell)
    channel.close()
    while True:
        with contextlib.suppress(ChildProcessError):
            ended, _ = os.wait()
            if ended != child:
                continue
        return


def be_submission(channel, limits, confined, shell):
    """Give up every privilege and run the notebook that the grader sends."""
    job = pickle.loads(messages.receive_bytes(channel))
    _silence_standard_streams()
    if confined:
        _become_nobody(job["user"])
    limits.apply()
    os.chdir(job["scratch"] if confined else tempfile.mkdtemp(dir=job["scratch"]))
    submission = Submission(channel, shell)
    hollow.quiet_figures(lambda: submission.wants_figures)
    submission.run(job["cells"])


def _silence_standard_streams():
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)


def _become_nobody(user):
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    system.drop_privileges()


if __name__ == "__main__":
    main()
