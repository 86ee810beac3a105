import asyncio

import pytest

from gstack_browse.daemon.request import timeouts
from gstack_browse.daemon.request.timeouts import Deadline
from tests.each import each

LIMIT = 0.02


class Clock:
    """The loop's clock, which a test sets forward: as where the machine gives the process no time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._time = loop.time
        self._lost = 0.0
        loop.time = lambda: self._time() + self._lost  # type: ignore[method-assign]

    def lose(self, seconds: float) -> None:
        self._lost += seconds


async def outcome_after_pause(seconds: float) -> str:
    """Run a command with a wait of its own, and stop the clock until `seconds` after its deadline.

    Return "why" where the command's own timeout is reported.
    """
    loop = asyncio.get_running_loop()
    clock, deadline = Clock(loop), loop.time() + LIMIT
    try:
        async with Deadline(deadline):
            loop.call_soon(clock.lose, LIMIT + seconds)
            try:
                async with asyncio.timeout_at(deadline - LIMIT / 2):
                    await asyncio.Event().wait()
            except TimeoutError:
                return "why"
            return ""
    except TimeoutError:
        return "too late"


@each([0.5, 5.0])
async def test_own_timeout_of_a_command_is_reported_after_a_pause_over_its_deadline(lost: float) -> None:
    assert await outcome_after_pause(lost) == "why"


@each([0.0, 5.0])
async def test_command_that_waits_on_is_cancelled_after_a_pause(lost: float) -> None:
    loop = asyncio.get_running_loop()
    clock = Clock(loop)
    loop.call_soon(clock.lose, lost)
    with pytest.raises(TimeoutError):
        async with Deadline(loop.time() + LIMIT):
            await asyncio.Event().wait()


async def wait_on_and_on() -> None:
    """Wait for what never comes, and in each of two clean-ups again."""
    never = asyncio.Event()
    try:
        await never.wait()
    finally:
        try:
            await never.wait()
        finally:
            await never.wait()


async def test_clean_up_that_waits_for_what_never_comes_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "CLEAN_UP_SECONDS", LIMIT)
    task = asyncio.current_task()
    async with asyncio.timeout(10):
        with pytest.raises(TimeoutError):
            async with Deadline(asyncio.get_running_loop().time() + LIMIT):
                await wait_on_and_on()
    assert task
    assert not task.cancelling()
