"""Keep what SQLAlchemy has worked out about the gradebook, which nbgrader would forget after every few statements."""

import contextlib
import functools
import warnings

import nbgrader.api
from sqlalchemy.exc import SAWarning


@contextlib.contextmanager
def gradebook_kept_open():
    """Let all of nbgrader's `Gradebook`s share an engine for each database while the body runs.

    nbgrader makes an engine nine times for every submission; half of the time that its SQL takes goes into compiling
    the same statements anew. Connections are opened and closed as always. What its log would say is left to the
    exceptions: they arrive, and a traceback in the log would bury the one sentence on what to do.
    """
    create_engine, log, level = nbgrader.api.create_engine, nbgrader.api.app_log, nbgrader.api.app_log.level
    nbgrader.api.create_engine = functools.cache(create_engine)
    log.setLevel("CRITICAL")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # on the order in which nbgrader builds a new submission
            yield
    finally:
        nbgrader.api.create_engine = create_engine
        log.setLevel(level)
