"""What a submission can and cannot do, in each isolation that this machine allows."""

import os
import socket
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from grading.sandbox.isolation import NONE
from grading.sandbox.limits import Limits
from grading.sandbox.service import DIED, FORGED, TOO_LONG, TOO_MUCH_MEMORY, Cell
from grading.sandbox.submission import ORDINARY, TEST, UNTOUCHED
from tests.grading.sandbox.conftest import sandbox_of, shown_by

ROOT = Path(__file__).parents[3]
DEAF = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"


def test_cells_share_their_names_and_show_what_they_print_return_and_raise(confined):
    shown, run = shown_by(
        confined, "x = 2\nprint('printed')", "x + 1", "1 / 0", "import sys; print(x, file=sys.stderr)"
    )
    assert shown == ["printed\n", "3", "division by zero", "2\n"]
    assert [output["output_type"] for index in range(4) for output in run.outputs[index]] == [
        "stream",
        "execute_result",
        "error",
        "stream",
    ]


def test_a_figure_is_shown_as_a_picture(confined):
    _, run = shown_by(confined, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    assert run.outputs[0][0]["data"]["image/png"].startswith("iVBOR")


def test_one_submission_knows_nothing_of_the_one_before(confined):
    shown_by(confined, "import os, sys; sys.modules['kept'] = 1; open('kept', 'w'); open('/dev/shm/kept', 'w')")
    shown, _ = shown_by(
        confined, "import os, sys; print('kept' in sys.modules, os.listdir('.'), os.listdir('/dev/shm'))"
    )
    assert shown == ["False [] []\n"]


@pytest.mark.parametrize(
    "path", ["solutions", "notebooks", "nbgrader_config.py", "tests", "helpers/reference", "helpers/checks", "grading"]
)
def test_the_project_s_answers_are_out_of_sight(confined, path):
    shown, _ = shown_by(confined, f"import os\nprint(os.path.isfile({path!r}) or os.path.isdir({path!r}))")
    assert shown == ["False\n"]
    listing = f"import os\nprint(os.listdir(p) if os.path.exists(p := {str(ROOT / path)!r}) else [])"
    assert shown_by(confined, listing)[0] == ["[]\n"]


def test_nobody_s_home_and_no_secret_of_the_environment_is_in_sight(confined, monkeypatch):
    monkeypatch.setenv("GRADING_SEED", "12345")
    shown, _ = shown_by(confined, "import os\nprint(os.environ)", "print(os.path.exists('/etc/passwd'))")
    assert "12345" not in shown[0]
    assert str(Path.home()) not in shown[0].replace(os.environ["PATH"], "")
    assert shown[1] == "False\n"


def test_nothing_but_the_scratch_folder_can_be_written(confined):
    source = (
        "import os, sys\nwritten = []\n"
        "for folder in ['/', '/tmp', '/usr', '/etc', '/dev', os.getcwd(), os.path.dirname(os.__file__)]:\n"
        "    try:\n        open(os.path.join(folder, 'mine'), 'w').close()\n        written.append(folder)\n"
        "    except OSError: pass\nprint(written == [os.getcwd()])"
    )
    assert shown_by(confined, source)[0] == ["True\n"]


def test_there_is_no_network(confined):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=2)"
        shown, run = shown_by(confined, source)
    assert run.outputs[0][0]["output_type"] == "error"


def test_other_processes_are_out_of_reach(confined):
    source = f"import os, signal\nos.kill({os.getpid()}, signal.SIGKILL)"
    shown, run = shown_by(confined, source)
    assert "No such process" in shown[0]


def test_rights_cannot_be_won_back(confined):
    source = (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "print(libc.umount2(b'/scratch', 2), libc.setuid(0) if os.getuid() else -1, libc.chroot(b'/'))\n"
        "libc.unshare(0x10020000)\n"
        f"print(libc.umount2({str(ROOT / 'helpers' / 'reference').encode()!r}, 2))"
    )
    assert shown_by(confined, source)[0] == ["-1 -1 -1\n-1\n"]


def test_a_cell_that_ends_the_process_costs_itself_alone(confined):
    shown, run = shown_by(confined, "x = 1", "import os; os._exit(0)", "print(x)")
    assert run.stopped == {1: DIED}
    assert shown[2] == "1\n"


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os.kill(os.getppid(), 9)", "os.abort()", "os.kill(1, 9)"])
def test_a_killed_process_is_no_way_out(confined, end):
    shown, run = shown_by(confined, "x = 1", f"import os\n{end}", "print(x)")
    assert shown[2] == "1\n"


def test_a_loop_that_is_deaf_to_everything_is_stopped_and_the_others_run():
    with sandbox_of(NONE, Limits(cell_seconds=1.5)) as sandbox:
        shown, run = shown_by(sandbox, "x = 1", DEAF, "print(x)")
    assert run.stopped == {1: TOO_LONG}
    assert shown[2] == "1\n"


def test_after_too_many_restarts_what_ran_stays_and_the_rest_is_not_run():
    with sandbox_of(NONE) as sandbox:
        sandbox.max_restarts = 1
        die = "import os; os._exit(0)"
        shown, run = shown_by(sandbox, "print(1)", die, "print(2)", die, "print(3)")
    assert run.gave_up
    assert run.stopped == {1: DIED, 3: DIED}
    assert shown == ["1\n", "", "2\n", "", ""]


def test_processes_are_few_and_end_with_the_submission(confined):
    bomb = (
        "import os, time\nfor n in range(500):\n    try:\n        if os.fork() == 0: time.sleep(1000)\n"
        "    except OSError: break\nprint(n)"
    )
    before = len(os.listdir("/proc"))
    shown, _ = shown_by(confined, bomb)
    assert int(shown[0]) < confined.limits.processes
    deadline = time.monotonic() + 10
    while len(os.listdir("/proc")) > before + 20 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(os.listdir("/proc")) <= before + 20


def test_memory_is_limited_for_one_process_and_for_all_together():
    limits = Limits(cell_seconds=20, memory=300 * 2**20, address_space=1500 * 2**20)
    hungry = "import numpy as np, os, time\n{}x = np.ones(25_000_000)\ntime.sleep(15)"
    with sandbox_of(NONE, limits) as sandbox:
        shown, run = shown_by(
            sandbox, "import numpy as np; np.ones(10**9)", hungry.format("os.fork(); os.fork()\n"), "1"
        )
    assert "allocate" in shown[0]
    assert run.stopped == {1: TOO_MUCH_MEMORY}
    assert shown[2] == "1"


def test_the_scratch_folder_is_small(confined):
    shown, _ = shown_by(confined, "open('a', 'wb').write(bytes(60 * 2**20)); open('b', 'wb').write(bytes(60 * 2**20))")
    assert "No space left" in shown[0]


def test_a_flood_of_output_is_cut_off_and_what_follows_is_kept(confined):
    shown, _ = shown_by(confined, "for _ in range(2000):\n    print('x' * 10_000)", "print(2)")
    assert 0 < len(shown[0]) < 200_000
    assert shown[1] == "2\n"


def test_a_function_is_tried_on_its_cases_and_answers_with_plain_arrays(confined):
    cells = [
        Cell(0, ORDINARY, source="def double(x):\n    return [2 * entry for entry in x]"),
        Cell(1, TEST, function="double", cases=((np.arange(3),), (np.float32([0.5]),))),
        Cell(2, TEST, function="absent", cases=((1,),)),
    ]
    run = confined.run(cells)
    assert [answer.parts[0].tolist() for answer in run.answers[1]] == [[0, 2, 4], [1]]
    assert run.missing == {2: "NameError"}


def test_a_function_among_the_arguments_is_evaluated_out_here(confined):
    here = []

    def triple(x):
        here.append(threading.get_ident())
        return 3 * x

    cells = [
        Cell(0, ORDINARY, source="def apply(function, x):\n    return function(x) + 1"),
        Cell(1, TEST, function="apply", cases=((triple, np.ones(2)),)),
    ]
    run = confined.run(cells)
    assert run.answers[1][0].parts[0].tolist() == [4, 4]
    assert here == [threading.get_ident()]


def test_a_call_of_such_a_function_cannot_tie_up_the_grader(unsafe):
    cells = [
        Cell(0, ORDINARY, source="import numpy as np\ndef apply(function):\n    return function(np.zeros(10**6))"),
        Cell(1, TEST, function="apply", cases=((np.outer,),)),
    ]
    (answer,) = unsafe.run(cells).answers[1]
    assert (answer.status, answer.problem) == ("raised", "ValueError")


def test_the_reference_is_hollow_and_the_catalogue_is_not_there(confined):
    shown, _ = shown_by(
        confined,
        "from helpers.reference.attention import softmax\nsoftmax([1.0])",
        "import helpers.checks.catalogue",
        "from helpers.checks import check\nprint(check('attention.softmax', len))",
        "import gc\nfound = [f for f in gc.get_objects() if getattr(f, '__qualname__', '') == 'softmax']\n"
        "print([f for f in found if 'exp' in f.__code__.co_names])",
    )
    assert "不运行参考实现" in shown[0]
    assert "另行评判" in shown[2]
    assert shown[3] == "[]\n"


def test_an_untouched_cell_draws_nothing_and_shows_nothing(confined):
    draw = "from helpers.figures.attention import draw_weights\ndraw_weights([[1.0]], ['a'])"
    run = confined.run([Cell(0, UNTOUCHED, source=draw), Cell(1, ORDINARY, source=draw)])
    assert run.outputs[0] == []
    assert run.outputs[1]


@pytest.mark.parametrize(
    "forged",
    [
        b"\xff\xff\xff\xff",
        b"\x02\x00\x00\x00{}",
        b"\x05\x00\x00\x00[[[[[",
        b'\x0e\x00\x00\x00{"finished":0}',
    ],
)
def test_forged_messages_stop_the_cell_that_sends_them(confined, forged):
    source = (
        "import os, socket\nfor fd in range(3, 64):\n    try:\n"
        f"        if socket.socket(fileno=os.dup(fd)).family: os.write(fd, {forged!r})\n    except OSError: pass"
    )
    shown, run = shown_by(confined, "x = 1", source, "print(x)")
    assert run.stopped == {1: FORGED}
    assert shown[2] == "1\n"


def test_a_zygote_that_has_died_is_replaced(confined):
    confined._process.kill()
    confined._process.wait()
    assert shown_by(confined, "1")[0] == ["1"]


def test_without_a_sandbox_it_runs_too_and_says_so(unsafe):
    assert "NONE" in unsafe.isolation.in_force
    assert shown_by(unsafe, "1 + 1")[0] == ["2"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_what_a_submission_has_computed_counts_as_time_of_the_zygote_when_it_has_ended():
    with sandbox_of(NONE) as sandbox:
        shown_by(sandbox, "import time\nuntil = time.process_time() + 0.5\nwhile time.process_time() < until: pass")
        until = time.monotonic() + 60
        while seconds_of_children(sandbox._process.pid) < 0.5:  # it is asked for when the next one comes
            assert time.monotonic() < until
            time.sleep(0.2)
            shown_by(sandbox, "1")


def seconds_of_children(pid):
    """Return the seconds that those children of a process that have ended have computed."""
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, numbers[13:15])) / os.sysconf("SC_CLK_TCK")
