"""Give submissions that run at the same time user ids of their own: what a user may start is counted by its id.

Only where grading is done by root does a submission become another user; each process that grades claims a range of
ids. The claim is a socket's name, which the system gives to one process alone, whoever started it (this run, another
one, Dask's workers of the same machine), and takes back when the process ends. Containers that share a machine do not
see each other's claims: there, and where every range is taken, chance alone keeps two apart. Two submissions of one
id share their number of processes, nothing else: each has process ids and files of its own.
"""

import functools
import itertools
import random
import socket

FIRST = 62_000  # nobody's: real users start at 1,000; a container of 65,536 ids still has the last
RANGES, USERS_EACH = 350, 10  # one user after another: what the one before started may be a moment in ending
CLAIM = "\0grading-sandbox-users-{number}"  # beginning with \0, no file


def next_user():
    """Return the id of the user that the next submission of this process becomes."""
    users, _ = _own_users()
    return next(users)


@functools.cache
def _own_users():
    """Return the ids of this process, over and over, with the claim that holds as long as it is kept."""
    number, claim = _claimed(random.sample(range(RANGES), RANGES))
    first = FIRST + number * USERS_EACH
    return itertools.cycle(range(first, first + USERS_EACH)), claim


def _claimed(numbers):
    """Return the first number that nobody has, and the claim on it; the last number and None if all are taken."""
    for number in numbers:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(CLAIM.format(number=number))
        except OSError:  # taken, or the system knows no such names
            claim.close()
        else:
            return number, claim
    return number, None
