"""Stop a learner's function that does not come back, also one that catches every exception."""

import ctypes
import signal
import sys
import threading


class TimedOut(BaseException):
    """The time limit has passed; not an `Exception`, so that `except Exception` does not swallow it."""


# After the limit, alarms come this fast. A loop around a bare `except:` swallows each exception that is raised
# inside its `try`; one of the next alarms finds it outside.
SECONDS_BETWEEN_ALARMS = 2e-5


_calls = []  # the function that is being called: an alarm may be seen only after its call has ended


def _on_alarm(signum, frame):
    if _calls and frame.f_code.co_filename != __file__:  # else the function has just returned
        raise TimedOut


def _call_with_alarm(function, seconds):
    previous = signal.signal(signal.SIGALRM, _on_alarm)
    try:
        _calls.append(function)
        signal.setitimer(signal.ITIMER_REAL, seconds, SECONDS_BETWEEN_ALARMS)
        return function()
    finally:
        _calls.pop()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _call_with_watchdog(function, seconds):
    thread = ctypes.c_ulong(threading.get_ident())
    raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
    watchdog = threading.Timer(seconds, raise_in_thread, (thread, ctypes.py_object(TimedOut)))
    try:
        watchdog.start()
    except RuntimeError:  # no threads here
        return function()
    try:
        return function()
    finally:
        watchdog.cancel()
        watchdog.join()
        raise_in_thread(thread, None)


def has_time_limit():
    """Say whether a time limit works here: in a Python inside the browser nothing can stop a loop from outside."""
    return sys.platform != "emscripten"


def call_with_time_limit(function, seconds):
    """Call `function()` and return its result, or raise `TimedOut` once the seconds have passed.

    Where the platform has no signals and no threads (a Python inside the browser), there is no limit.

    Parameters
    ----------
    function : callable without arguments
    seconds : float

    Returns
    -------
    result : object

    Raises
    ------
    TimedOut
    """
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        return _call_with_alarm(function, seconds)
    return _call_with_watchdog(function, seconds)
