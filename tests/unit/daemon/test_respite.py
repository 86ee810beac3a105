"""Test when the daemon begins with deferred start-up work."""

import asyncio

import pytest

from gstack_browse.daemon import respite
from gstack_browse.daemon.respite import IdleScheduler


@pytest.fixture
def for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the delays so long that nothing begins by itself."""
    for name in ("QUIET_SECONDS", "FIRST_SECONDS", "MOST_SECONDS"):
        monkeypatch.setattr(respite, name, 600.0)


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.usefixtures("for_ever")
@pytest.mark.parametrize("has_answered", [False, True])
async def test_respite_is_over_when_it_is_ended(has_answered: bool) -> None:
    pause = IdleScheduler(lambda: False)
    over = [asyncio.ensure_future(pause.wait_until_idle()) for _ in range(2)]
    if has_answered:
        pause.on_reply()
    await turns()
    assert not any(task.done() for task in over)
    pause.start_now()
    await asyncio.wait_for(asyncio.gather(*over), 10)


async def test_request_is_waited_for_however_long_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QUIET_SECONDS", "FIRST_SECONDS", "MOST_SECONDS"):
        monkeypatch.setattr(respite, name, 0.0)
    pause = IdleScheduler(lambda: False)
    over = asyncio.ensure_future(pause.wait_for_request())
    pause.on_reply()
    await turns()
    await pause.wait_until_idle()
    assert not over.done()
    pause.start_now()
    await asyncio.wait_for(over, 10)


@pytest.mark.usefixtures("for_ever")
async def test_the_first_answer_is_waited_for_by_itself() -> None:
    pause = IdleScheduler(lambda: True)
    first, over = (
        asyncio.ensure_future(pause.wait_for_first_reply()),
        asyncio.ensure_future(pause.wait_until_idle()),
    )
    await turns()
    assert not first.done()
    pause.on_reply()
    await asyncio.wait_for(first, 10)
    assert not over.done()
    over.cancel()


async def test_respite_is_over_after_the_last_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respite, "FIRST_SECONDS", 600.0)
    pause = IdleScheduler(lambda: False)
    over = asyncio.ensure_future(pause.wait_until_idle())
    await turns()
    pause.on_reply()
    await asyncio.wait_for(over, 10)


@pytest.mark.parametrize("has_answered", [False, True])
async def test_respite_is_over_after_its_longest_time(
    monkeypatch: pytest.MonkeyPatch, has_answered: bool
) -> None:
    monkeypatch.setattr(respite, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(respite, "MOST_SECONDS", 0.01)
    pause = IdleScheduler(lambda: True)
    if has_answered:
        pause.on_reply()
    await asyncio.wait_for(pause.wait_until_idle(), 10)
