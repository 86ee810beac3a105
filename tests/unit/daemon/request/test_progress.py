import asyncio

import pytest

from gstack_browse.browser.tab.tab import Tab
from gstack_browse.daemon.request import progress
from gstack_browse.daemon.request.progress import ProgressLine, describe_wait


def test_line_of_a_command_says_how_far_it_is() -> None:
    assert describe_wait("wait", 12.9, None, [], has_turn=True) == "wait: 12s"
    tab = Tab(1, None, None, None)  # type: ignore[arg-type]
    tab.stage = lambda: "3 pages read"
    assert describe_wait("links", 12.9, tab, [], has_turn=True) == "links: 12s, 3 pages read"


async def test_a_line_is_wiped_away_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.001)
    said: list[str] = []
    shown = asyncio.Event()
    line = ProgressLine(lambda note: (said.append(note), shown.set())[0])
    line.start(lambda: "wait: 1s\x07" + "x" * 100)
    await shown.wait()
    line.send_note("Chromium is being installed")
    line.stop()
    count = len(said)
    assert said[0] == f"\rwait: 1s␇{'x' * 68}…\x1b[K"
    assert said[-2:] == ["\r\x1b[K", "Chromium is being installed"]
    line.send_note("more")
    assert said[count:] == ["more"]
