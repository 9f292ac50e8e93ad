"""Every process that grades has user ids for its submissions that no other one on the machine has."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from grading.sandbox import users
from grading.sandbox.isolation import NoSandboxError, strongest
from grading.worker import ROOT, Worker
from tests.grading.test_worker import job_of

CLAIM_AND_WAIT = """
import sys
from grading.sandbox.users import next_user
print(next_user(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def claiming():
    """Return a function that starts a process which claims user ids and keeps them, and returns it with its first."""
    started = []

    def claim():
        command = [sys.executable, "-c", CLAIM_AND_WAIT]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process, int(process.stdout.readline())

    yield claim
    for process in started:
        ended(process)


def ended(process):
    process.stdin.close()
    process.stdout.close()
    process.wait(60)


def range_of(user):
    return (user - users.FIRST) // users.USERS_EACH


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has sandboxes, and names of sockets that are no files")
def test_no_two_processes_have_the_same_users_until_one_ends(claiming):
    process, user = claiming()
    assert user in range(users.FIRST, users.FIRST + users.RANGES * users.USERS_EACH)
    assert range_of(claiming()[1]) != range_of(user)
    number, claim = users._claimed([range_of(user), range_of(user)])
    assert (number, claim) == (range_of(user), None)  # all are taken: chance it is
    ended(process)
    number, claim = users._claimed([range_of(user)])
    with claim:
        assert number == range_of(user)


def test_a_process_goes_through_its_users_one_after_another_and_begins_again():
    seen = [users.next_user() for _ in range(2 * users.USERS_EACH)]
    assert len(set(seen)) == users.USERS_EACH
    assert seen[: users.USERS_EACH] == seen[users.USERS_EACH :]
    assert {range_of(user) for user in seen} == {range_of(seen[0])}


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root can give others' user ids")
def test_two_submissions_that_run_at_once_are_different_users():
    try:
        strongest()
    except NoSandboxError as error:
        pytest.skip(str(error))
    workers = [Worker(), Worker()]
    try:
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda worker: worker.run(job_of("import os; print(os.getuid())")), workers))
    finally:
        for worker in workers:
            worker.close()
    ran_as = {int(result["outputs"]["0"][0]["text"]) for result in results}
    assert len(ran_as) == 2
    assert 0 not in ran_as
