"""Test when a browser on the other end of a network counts as gone."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gstack_browse.browser.launch import shared_connection
from gstack_browse.browser.launch.shared_connection import Heartbeat


class Unanswered:
    """A connection on which no question is ever answered."""

    def __init__(self) -> None:
        self.asked = 0
        self.changed: Callable[[], None] = lambda: None

    async def ask_browser(self, method: str) -> dict[str, Any]:
        self.asked += 1
        self.changed()
        await asyncio.Event().wait()
        return {}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_connection, "BEAT_SECONDS", 0.0)
    monkeypatch.setattr(shared_connection, "SILENT_SECONDS", 0.002)


async def test_a_browser_whose_answer_waits_behind_events_is_there_until_those_end() -> None:
    connection, gone = Unanswered(), asyncio.Event()
    heard, last = [0], 20

    def happens() -> None:
        """Something else comes while that question waits, until the browser says nothing more."""
        heard[0] += connection.asked <= last

    connection.changed = happens
    beats = Heartbeat(connection, lambda: heard[0], gone.set)  # type: ignore[arg-type]
    async with asyncio.timeout(10):
        await gone.wait()
    assert connection.asked == last + 2, "two questions in silence"
    beats.stop()
