"""When the daemon begins with what no command needs yet."""

import asyncio

import pytest

from gstack_browse.daemon import respite
from gstack_browse.daemon.respite import Respite


@pytest.fixture
def for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing begins by itself."""
    for name in ("QUIET_SECONDS", "FIRST_SECONDS", "MOST_SECONDS"):
        monkeypatch.setattr(respite, name, 600.0)


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.usefixtures("for_ever")
@pytest.mark.parametrize("has_answered", [False, True])
async def test_it_is_over_when_somebody_waits(has_answered: bool) -> None:
    pause = Respite(lambda: False)
    over = [asyncio.ensure_future(pause.over()) for _ in range(2)]
    if has_answered:
        pause.answered()
    await turns()
    assert not any(task.done() for task in over)
    pause.end()
    await asyncio.wait_for(asyncio.gather(*over), 10)


@pytest.mark.usefixtures("for_ever")
async def test_the_first_answer_is_waited_for_by_itself() -> None:
    pause = Respite(lambda: True)
    first, over = asyncio.ensure_future(pause.first_answer()), asyncio.ensure_future(pause.over())
    await turns()
    assert not first.done()
    pause.answered()
    await asyncio.wait_for(first, 10)
    assert not over.done()
    over.cancel()


async def test_it_is_over_behind_an_answer_when_nobody_asks_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respite, "FIRST_SECONDS", 600.0)
    pause = Respite(lambda: False)
    over = asyncio.ensure_future(pause.over())
    await turns()
    pause.answered()
    await asyncio.wait_for(over, 10)


@pytest.mark.parametrize("has_answered", [False, True])
async def test_it_is_over_some_time(monkeypatch: pytest.MonkeyPatch, has_answered: bool) -> None:
    monkeypatch.setattr(respite, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(respite, "MOST_SECONDS", 0.01)
    pause = Respite(lambda: True)
    if has_answered:
        pause.answered()
    await asyncio.wait_for(pause.over(), 10)
