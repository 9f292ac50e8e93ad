import contextlib
import threading

import pytest

from helpers.checks.time_limit import TimedOut, call_with_time_limit


def forever():
    while True:
        pass


def swallowing_every_exception():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def suppressing_every_exception():
    while True:
        with contextlib.suppress(BaseException):
            forever()


def swallowing_in_finally():
    while True:
        try:
            forever()
        finally:
            continue  # noqa: B012 (that it swallows is what is tested)


def swallowing_in_a_nested_call():
    while True:
        with contextlib.suppress(BaseException):
            swallowing_every_exception()


@pytest.mark.parametrize(
    "function",
    [
        forever,
        swallowing_every_exception,
        suppressing_every_exception,
        swallowing_in_finally,
        swallowing_in_a_nested_call,
    ],
)
def test_an_endless_loop_is_stopped_even_if_it_swallows_exceptions(function):
    with pytest.raises(TimedOut):
        call_with_time_limit(function, 0.1)


def test_the_limit_is_gone_after_a_call():
    assert call_with_time_limit(lambda: 7, 0.05) == 7
    with pytest.raises(TimedOut):
        call_with_time_limit(swallowing_every_exception, 0.05)
    assert sum(range(3_000_000)) == 4_499_998_500_000  # longer than the limits above: no late alarm


def test_an_endless_loop_is_stopped_outside_the_main_thread_too():
    caught = []

    def run():
        try:
            call_with_time_limit(forever, 0.1)
        except TimedOut:
            caught.append("timed out")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=10)
    assert caught == ["timed out"]


def test_without_threads_and_signals_the_function_still_runs(monkeypatch):
    def no_threads(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.delattr("signal.setitimer")
    monkeypatch.setattr(threading.Timer, "start", no_threads)
    assert call_with_time_limit(lambda: 7, 0.1) == 7


def test_an_error_of_the_function_comes_through_unchanged():
    with pytest.raises(RuntimeError, match="mine"):
        call_with_time_limit(lambda: (_ for _ in ()).throw(RuntimeError("mine")), 1)
