"""A burst of events is drawn a few times, its last event always, and outside a front end's messages nothing waits."""

import asyncio
import sys

import pytest

from helpers.widgets import redraw
from helpers.widgets.redraw import LONGEST, QUIET, Redraw
from tests.widgets.kernel_burst import N_POSITIONS, burst


@pytest.fixture
def in_a_kernel(monkeypatch):
    """Let every event look like a front end's message to the loop that runs."""
    monkeypatch.setattr(redraw, "loop_with_messages", asyncio.get_running_loop)


def drawings(script):
    """Run `script(ask, drawn)` in an event loop; return what `drawn` holds when nothing more can come."""

    async def played():
        drawn, asked = [], []
        drawer = Redraw(lambda: drawn.append(asked[-1]))

        def ask(value):
            asked.append(value)
            drawer.ask()

        await script(ask, drawn)
        await asyncio.sleep(2 * LONGEST)
        return drawn

    return asyncio.run(played())


@pytest.mark.usefixtures("in_a_kernel")
def test_the_first_event_is_drawn_at_once():
    async def one(ask, drawn):
        ask(1)
        assert drawn == [1]

    assert drawings(one) == [1]


@pytest.mark.usefixtures("in_a_kernel")
def test_of_a_burst_the_first_and_the_last_event_are_drawn():
    async def many(ask, drawn):
        for value in range(50):
            ask(value)

    assert drawings(many) == [0, 49]


@pytest.mark.usefixtures("in_a_kernel")
def test_events_that_never_stop_are_drawn_meanwhile():
    async def stream(ask, drawn):
        for value in range(100):
            ask(value)
            await asyncio.sleep(QUIET / 4)
        assert len(drawn) > 1

    assert drawings(stream)[-1] == 99


@pytest.mark.usefixtures("in_a_kernel")
def test_after_a_drawing_that_fails_the_next_event_is_drawn():
    failing = [True]

    def draw():
        if failing:
            raise ValueError(failing.pop())

    async def two():
        drawer = Redraw(draw)
        with pytest.raises(ValueError, match="True"):
            drawer.ask()
        drawer.ask()
        await asyncio.sleep(2 * LONGEST)
        return drawer

    assert asyncio.run(two())._asked is None


def test_in_plain_python_and_in_a_cell_every_event_is_drawn_before_the_next_line():
    async def many(ask, drawn):
        for value in range(5):
            ask(value)
            assert drawn[-1] == value

    assert drawings(many) == [0, 1, 2, 3, 4]


def test_a_cell_that_moves_a_control_in_the_middle_of_a_burst_sees_its_picture(monkeypatch):
    async def cell_in_between(ask, drawn):
        monkeypatch.setattr(redraw, "loop_with_messages", asyncio.get_running_loop)
        ask(0)
        ask(1)  # waits
        monkeypatch.setattr(redraw, "loop_with_messages", lambda: None)
        ask(2)
        assert drawn == [0, 2]

    assert drawings(cell_in_between) == [0, 2]


def test_a_kernel_that_gets_a_burst_sees_every_position_draws_fewer_and_ends_at_the_last(tmp_path):
    result = burst(sys.executable, tmp_path)
    assert result["seen"] == list(range(1, N_POSITIONS + 1))
    assert len(result["drawn"]) < N_POSITIONS
    assert result["drawn"] == sorted(result["drawn"])
    assert result["drawn"][-1] == N_POSITIONS
    assert f"位置 {N_POSITIONS}：" in result["caption"]
    assert result["same"]
