"""The set-up cell, run by a Python that has no helpers, against servers on this machine."""

import io
import socket
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools.build.addresses import Addresses
from tools.build.generated import set_up
from tools.build.section import ROOT

LONGEST_CELL = 20  # lines, the blank one not counted


def archive_of_the_project():
    """Return the ZIP file that a host serves: everything in a folder that is named after the repository."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("chapter-main/", "")
        archive.writestr("chapter-main/grading/__init__.py", "")
        archive.write(ROOT / "helpers" / "__init__.py", "chapter-main/helpers/__init__.py")
    return content.getvalue()


@contextmanager
def serving(status, content):
    """Yield the address of a server that answers every request in the same way."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802 (http.server looks for this name)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def refusing():
    """Yield an address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{free.getsockname()[1]}"


@contextmanager
def hanging():
    """Yield an address that takes a connection and never answers."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"


def working():
    return serving(200, archive_of_the_project())


def missing():
    return serving(404, b"")


def login_page():
    return serving(200, b"<html>please log in</html>")


def run_set_up(repository, mirror, python=sys.executable):
    """Run the cell in a Python without site-packages, then say where `helpers` comes from and what else is in reach."""
    code = set_up(Addresses(repository, mirror)).replace("timeout=10", "timeout=0.5")
    afterwards = "import helpers\nprint(helpers.__version__, importlib.util.find_spec('grading'))"
    return subprocess.run(
        [python, "-I", "-S", "-c", f"{code}\n{afterwards}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1", "no_proxy": "*"},
        timeout=60,
    )


def test_helpers_come_from_the_repository_when_it_answers():
    with working() as repository, refusing() as mirror:
        result = run_set_up(repository, mirror)
    assert result.stderr == ""
    assert result.stdout.splitlines()[0] == f"已下载 helpers：{repository}/archive/refs/heads/main.zip"


def test_only_helpers_is_unpacked():
    with working() as repository, refusing() as mirror:
        result = run_set_up(repository, mirror)
    assert result.stdout.splitlines()[-1].endswith(" None"), "`grading` is in reach of a learner's notebook"


@pytest.mark.parametrize("broken", [refusing, hanging, missing, login_page])
def test_helpers_come_from_the_mirror_when_the_repository_gives_none(broken):
    with broken() as repository, working() as mirror:
        result = run_set_up(repository, mirror)
    assert result.stderr == ""
    first, second, _ = result.stdout.splitlines()
    assert first.startswith(f"从 {repository}/archive/refs/heads/main.zip 没有下载到 helpers：")
    assert second == f"已下载 helpers：{mirror}/repository/archive/main.zip"


@pytest.mark.parametrize("dead", [refusing, hanging])
def test_without_any_answer_run_all_stops_at_the_cell_which_says_in_chinese_what_to_do(dead):
    with dead() as repository, dead() as mirror:
        result = run_set_up(repository, mirror)
    assert "ImportError: 没有 helpers" in result.stderr
    assert "请检查网络" in result.stderr
    assert [line.startswith("从 http") for line in result.stdout.splitlines()] == [True, True]


def test_a_machine_that_has_helpers_is_left_alone():
    with refusing() as address:
        code = set_up(Addresses(address, address))
        command = [sys.executable, "-c", f"{code}\nprint(len(sys.path))\nimport helpers"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert result.stderr == ""
    assert result.stdout.strip().isdigit()


def test_the_cell_is_short():
    lines = [line for line in set_up(Addresses("https://a", "https://b")).splitlines() if line]
    assert len(lines) <= LONGEST_CELL, len(lines)
