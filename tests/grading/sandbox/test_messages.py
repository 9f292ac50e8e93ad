import json
import socket
import threading
import time

import numpy as np
import pytest

from grading.sandbox import messages
from grading.sandbox.messages import MessageError, decode_answer, decode_value, encode_answer, encode_value
from helpers.checks.answer import Answer


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3), np.float32([[0.1]]), np.array(True), np.zeros((0, 2)), np.int8([-1])]
)
def test_an_array_comes_back_as_it_was(array):
    back = decode_value(json.loads(json.dumps(encode_value(array))))
    assert back.dtype == array.dtype
    assert back.tolist() == array.tolist()
    assert back.shape == array.shape


@pytest.mark.parametrize("value", [None, True, 3, "text", float("inf"), 0.1, [1, [2.5, None]]])
def test_plain_values_come_back_as_they_were(value):
    assert decode_value(json.loads(json.dumps(encode_value(value)))) == value


def test_an_object_is_not_sent():
    with pytest.raises(TypeError, match="neither a number"):
        encode_value(object())
    with pytest.raises(TypeError, match="neither a number"):
        encode_value(np.array([object()]))


def test_an_answer_comes_back_as_it_was():
    answer = Answer("raised", problem="KeyError", kinds=("KeyError", "LookupError"), line=3, printed="x", warned="y")
    assert decode_answer(json.loads(json.dumps(encode_answer(answer)))) == answer
    (part,) = decode_answer(encode_answer(Answer("returned", parts=(np.float32([1, 2]),)))).parts
    assert part.dtype == np.float64


ARRAY = {"dtype": "f8", "shape": [1], "data": "AAAAAAAA8D8="}


@pytest.mark.parametrize(
    "forged",
    [
        None,
        "returned",
        {},
        {"status": "perfect", "parts": []},
        {"status": "returned"},
        {"status": "returned", "parts": "all"},
        {"status": "returned", "parts": [ARRAY] * 5_000},
        {"status": "returned", "parts": [{**ARRAY, "dtype": "O8"}]},
        {"status": "returned", "parts": [{**ARRAY, "shape": [10**12]}]},
        {"status": "returned", "parts": [{**ARRAY, "shape": [-1]}]},
        {"status": "returned", "parts": [{**ARRAY, "shape": [2]}]},
        {"status": "returned", "parts": [{**ARRAY, "data": "?"}]},
        {"status": "returned", "parts": [{"float": []}]},
    ],
)
def test_what_is_no_answer_is_refused(forged):
    with pytest.raises(MessageError):
        decode_answer(forged)


def test_texts_of_an_answer_are_cut_off():
    answer = decode_answer({"status": "raised", "parts": [], "detail": "x" * 10**6, "line": "1"})
    assert len(answer.detail) == messages.MAX_TEXT
    assert answer.line is None


def test_messages_arrive_one_by_one_and_the_end_is_none():
    near, far = socket.socketpair()
    with near, far:
        messages.send(near, {"a": 1})
        messages.send(near, {"b": [2]})
        near.shutdown(socket.SHUT_WR)
        assert [messages.receive(far) for _ in range(3)] == [{"a": 1}, {"b": [2]}, None]


@pytest.mark.parametrize("payload", [b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_message_that_is_no_object_is_refused(payload):
    with pytest.raises(MessageError):
        messages.parse(payload)


def test_a_message_beyond_the_limit_is_not_taken():
    near, far = socket.socketpair()
    with near, far:
        messages.send_bytes(near, b"x" * 100)
        with pytest.raises(MessageError, match="100 bytes"):
            messages.receive(far, limit=99)


def test_a_message_that_comes_drop_by_drop_comes_too_late():
    near, far = socket.socketpair()
    with near, far:
        dripping = threading.Thread(target=lambda: [(near.send(b"\x04"), time.sleep(0.02)) for _ in range(20)])
        dripping.start()
        with pytest.raises(TimeoutError):
            messages.receive_bytes(far, until=time.monotonic() + 0.2)
        dripping.join()
