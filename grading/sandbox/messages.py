"""What crosses the border of the sandbox: length-prefixed JSON with arrays as base64, so that nothing in it can run.

Whatever comes out of the sandbox may be forged. `MessageError` is raised for anything that is not what it should be.
"""

import base64
import json
import math
import struct
import time

import numpy as np

from helpers.checks.answer import (
    MAX_ENTRIES,
    NOT_ATTEMPTED,
    RAISED,
    REFERENCE_CALLED,
    RETURNED,
    TIMED_OUT,
    UNUSABLE,
    Answer,
)

MAX_BYTES = 256 * 2**20  # the largest answer, as base64, is half of it
MAX_TEXT = 2_000
MAX_LISTED = 1_000
STATUSES = {RETURNED, RAISED, NOT_ATTEMPTED, TIMED_OUT, REFERENCE_CALLED, UNUSABLE}
KINDS = "biuf"
_LENGTH = struct.Struct("<I")


class MessageError(Exception):
    """A message is not of the form that was agreed on."""


def send_bytes(channel, payload):
    """Send some bytes, their number first."""
    channel.sendall(_LENGTH.pack(len(payload)) + payload)


def receive_bytes(channel, limit=MAX_BYTES, until=None):
    """Receive what `send_bytes` sent.

    Parameters
    ----------
    channel : socket
    limit : int
        Of the number of bytes.
    until : float, optional
        On the clock of `time.monotonic`, when the last byte must have come.

    Returns
    -------
    payload : bytes or None
        None at the end.

    Raises
    ------
    MessageError
        If there are more bytes than the limit.
    TimeoutError
        If they come too late, be it drop by drop.
    """
    head = _receive_exactly(channel, _LENGTH.size, until)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > limit:
        raise MessageError(f"a message of {length} bytes; at most {limit} are taken")
    return _receive_exactly(channel, length, until)


def _receive_exactly(channel, length, until):
    received = bytearray()
    while len(received) < length:
        if until is not None:
            seconds = until - time.monotonic()
            if seconds <= 0:
                raise TimeoutError
            channel.settimeout(seconds)
        piece = channel.recv(min(length - len(received), 2**20))
        if not piece:
            return None
        received += piece
    return bytes(received)


def send(channel, message):
    """Send a dict as JSON."""
    send_bytes(channel, json.dumps(message).encode())


def receive(channel, limit=MAX_BYTES):
    """Receive a dict, None at the end."""
    payload = receive_bytes(channel, limit)
    return None if payload is None else parse(payload)


def parse(payload):
    """Read a dict from what `send` sent."""
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"not JSON: {type(error).__name__}") from None
    if not isinstance(message, dict):
        raise MessageError("not an object")
    return message


def encode_value(value):
    """Return numbers, text, None, arrays, and lists of them, as JSON can hold them; TypeError for anything else."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, list | tuple):
        return [encode_value(entry) for entry in value]
    array = np.asarray(value)
    if array.dtype.kind not in KINDS or not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"{type(value).__name__} is neither a number nor an array of numbers")
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    return {"dtype": f"{array.dtype.kind}{array.dtype.itemsize}", "shape": list(array.shape), "data": data}


def decode_value(value):
    """Return what `encode_value` was given; lists for tuples."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, list):
        return [decode_value(entry) for entry in value]
    if isinstance(value, dict) and value.keys() == {"float"}:
        return _decoded_float(value["float"])
    return decode_array(value)


def _decoded_float(text):
    try:
        return float.fromhex(text)
    except (TypeError, ValueError, OverflowError):
        raise MessageError("not a float") from None


def decode_array(value):
    """Return the array that `encode_value` was given, of at most `MAX_ENTRIES` entries."""
    try:
        kind, size = value["dtype"][:1], int(value["dtype"][1:])
        shape = tuple(int(length) for length in value["shape"])
        if kind not in KINDS or min(shape, default=0) < 0 or math.prod(shape) > MAX_ENTRIES:
            raise MessageError(f"an array of kind {kind!r} and shape {shape}")
        data = base64.b64decode(value["data"], validate=True)
        return np.frombuffer(data, dtype=np.dtype(f"<{kind}{size}")).reshape(shape).copy()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MessageError(f"not an array: {type(error).__name__}") from None


def encode_answer(answer):
    """Return an `Answer` as JSON can hold it."""
    return vars(answer) | {"parts": [encode_value(part) for part in answer.parts], "kinds": list(answer.kinds)}


def decode_answer(message):
    """Return the `Answer`, with float64 parts and short texts, whoever wrote it."""
    if not isinstance(message, dict) or message.get("status") not in STATUSES:
        raise MessageError("an answer without a status")
    parts, kinds, line = message.get("parts"), message.get("kinds", []), message.get("line")
    if not all(isinstance(listed, list) and len(listed) < MAX_LISTED for listed in (parts, kinds)):
        raise MessageError("an answer without parts")
    return Answer(
        status=message["status"],
        parts=tuple(decode_array(part).astype(np.float64) for part in parts),
        kinds=tuple(str(kind)[:MAX_TEXT] for kind in kinds),
        line=line if isinstance(line, int) else None,
        changed_inputs=message.get("changed_inputs") is True,
        **{name: str(message.get(name, ""))[:MAX_TEXT] for name in ("problem", "detail", "printed", "warned")},
    )
