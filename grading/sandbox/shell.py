"""An IPython without a kernel: it runs cells in this process and gives their outputs as a notebook keeps them."""

import base64
import contextlib
import io
import sys
import traceback

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any

MAX_STREAM = 100_000  # characters of one cell's prints
MAX_OUTPUTS = 200
MAX_FRAMES = 20
MAX_OUTPUT_BYTES = 5_000_000
CUT_OFF = "\n（输出太多，后面的省略。）\n"


class Outputs:
    """The outputs of the cell that is running, up to a size that an endless loop would pass."""

    def __init__(self):
        self.listed, self._characters, self._bytes = [], 0, 0

    def stream(self, name, text):
        """Add what was printed; one output for each run of the same stream."""
        if not text or self._characters >= MAX_STREAM:
            return
        kept = text[: MAX_STREAM - self._characters]
        self._characters += len(text)
        kept += CUT_OFF if self._characters >= MAX_STREAM else ""
        if self.listed and self.listed[-1].get("name") == name:
            self.listed[-1]["text"] += kept
        else:
            self._add({"output_type": "stream", "name": name, "text": kept})

    def display(self, data, metadata, execution_count=None):
        """Add something shown: the value of the cell if there is an `execution_count`."""
        data = {kind: _as_json(value) for kind, value in data.items()}
        self._bytes += sum(len(value) for value in data.values() if isinstance(value, str))
        if self._bytes > MAX_OUTPUT_BYTES:
            data = {"text/plain": CUT_OFF.strip()}
        output = {"output_type": "display_data", "data": data, "metadata": metadata or {}}
        if execution_count is not None:
            output |= {"output_type": "execute_result", "execution_count": execution_count}
        self._add(output)

    def error(self, name, value, lines):
        """Add an exception."""
        cut = {"ename": name[:200], "evalue": value[:MAX_STREAM], "traceback": [line[:MAX_STREAM] for line in lines]}
        self._add({"output_type": "error"} | cut)

    def _add(self, output):
        if len(self.listed) < MAX_OUTPUTS:
            self.listed.append(output)


def _as_json(value):
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


class _Stream(io.TextIOBase):
    """Standard output or error of the cell that is running."""

    encoding = "utf-8"

    def __init__(self, name, shell):
        super().__init__()
        self._name, self._shell = name, shell

    def write(self, text):
        self._shell.outputs.stream(self._name, str(text))
        return len(text)

    def writable(self):
        return True


class _Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, **kwargs):
        self.shell.outputs.display(data, metadata)

    def clear_output(self, wait=False):
        self.shell.outputs.listed.clear()


class _Hook(DisplayHook):
    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.outputs.display(format_dict, md_dict, execution_count=self.prompt_count)


class CapturingShell(InteractiveShell):
    """IPython that keeps a cell's outputs in `outputs` and touches no file."""

    display_pub_class = _Publisher
    displayhook_class = _Hook
    outputs = Any()

    def init_history(self):
        """Keep no history on disk, and start no thread that writes it."""
        self.config.HistoryManager.enabled = False
        super().init_history()

    def enable_gui(self, gui=None):
        """Run no event loop."""

    def run_and_capture(self, source):
        """Run a cell.

        Parameters
        ----------
        source : str

        Returns
        -------
        outputs : list of dict
            As in a notebook file.
        error : BaseException or None
        """
        self.outputs = Outputs()
        out, err = _Stream("stdout", self), _Stream("stderr", self)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            result = self.run_cell(source, store_history=False)
        return self.outputs.listed, result.error_before_exec or result.error_in_exec

    def showtraceback(self, *args, **kwargs):
        """Keep an exception with the lines of the cells that it passed; IPython's own traceback takes 50 ms."""
        kind, error, trace = sys.exc_info()
        frames = [frame for frame in traceback.extract_tb(trace) if not frame.filename.startswith(sys.prefix)]
        lines = traceback.format_list(frames[-MAX_FRAMES:])
        self.outputs.error(kind.__name__, _text(error), [*lines, f"{kind.__name__}: {_text(error)}"])

    showsyntaxerror = showindentationerror = showtraceback


def _text(error):
    try:
        return str(error)
    except BaseException as worse:
        return type(worse).__name__


def new_shell():
    """Return the shell of this process."""
    shell = CapturingShell.instance()
    shell.colors = "NoColor"
    return shell
