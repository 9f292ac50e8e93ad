"""Keep what a learner's function prints and warns out of the notebook: one line on stderr costs all points."""

import contextlib
import io
import os
import sys
import warnings

MAX_CHARACTERS = 2_000


class FirstCharacters(io.TextIOBase):
    """A text stream that keeps its first characters and forgets the rest, so that a flood costs no memory."""

    def __init__(self):
        super().__init__()
        self.text = ""

    def writable(self):
        """Return True."""
        return True

    def write(self, text):
        """Keep what still fits of `text`."""
        self.text += str(text)[: MAX_CHARACTERS - len(self.text)]
        return len(text)


@contextlib.contextmanager
def captured_output():
    """Catch prints, warnings and writes to the file descriptors 1 and 2 while the body runs.

    Streams that somebody took hold of earlier (a logging handler, say) are caught as well.

    Yields
    ------
    printed : FirstCharacters
    warned : list of warnings.WarningMessage
    """
    printed = FirstCharacters()
    with contextlib.ExitStack() as stack:
        for stream in {sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__} - {None}:
            stack.enter_context(_writing_to(printed, stream))
        for descriptor in (1, 2):
            stack.enter_context(_descriptor_silenced(descriptor))
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(printed))
        warned = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        yield printed, warned


@contextlib.contextmanager
def _writing_to(target, stream):
    """Let the stream object itself write to `target`, whoever holds it."""
    try:
        stream.flush()
        stream.write = target.write
    except (AttributeError, OSError, ValueError):  # a stream that is closed, or that takes no attributes
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(AttributeError):
            del stream.write


@contextlib.contextmanager
def _descriptor_silenced(descriptor):
    """Send what is written to the file descriptor itself (C code, child processes) nowhere."""
    try:
        saved = os.dup(descriptor)
    except OSError:  # no such descriptor here, as inside a browser
        yield
        return
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), descriptor)
        try:
            yield
        finally:
            os.dup2(saved, descriptor)
            os.close(saved)
