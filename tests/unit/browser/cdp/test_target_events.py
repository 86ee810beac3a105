import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp import throttling
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.target_events import TargetEvents
from gstack_browse.browser.cdp.throttling import SLOW_DOWN
from tests.unit.browser.cdp.channel import KeptChannel, attach, make_events, tell

PAGE, FRAME, WORKER = "P" * 32, "F" * 32, "W" * 32
ON_PAGE, ON_FRAME, ON_WORKER = "1" * 32, "2" * 32, "3" * 32


@pytest.fixture
def channel() -> KeptChannel:
    return KeptChannel()


@pytest_asyncio.fixture
async def events(channel: KeptChannel) -> TargetEvents:
    events = make_events(channel)
    attach(events, PAGE, ON_PAGE)
    return events


async def test_a_target_is_known_until_our_only_session_with_it_ends(
    events: TargetEvents, channel: KeptChannel
) -> None:
    second = "second" + "0" * 26
    attach(events, PAGE, second)
    assert channel.sent == [
        (second, "Runtime.runIfWaitingForDebugger", {}),
        ("", "Target.detachFromTarget", {"sessionId": second}),
    ]
    tell(events, "Target.detachedFromTarget", sessionId=second)
    assert (events.targets.get(PAGE).id, events.targets.get(PAGE).session.id) == (PAGE, ON_PAGE)
    tell(events, "Target.detachedFromTarget", sessionId=ON_PAGE)
    with pytest.raises(ProtocolError, match="Target closed"):
        events.targets.get(PAGE)


Say = Callable[..., list[bool]]
OBJECT = {"type": "object", "objectId": "1.2.3"}


def go_to(events: TargetEvents, frame: str, loader: str = "L", **more: str) -> None:
    """A frame of the page arrives at another document."""
    told = {"id": frame, "loaderId": loader, "url": "http://a/", **more}
    tell(events, "Page.frameNavigated", ON_PAGE, frame=told)


@pytest.fixture
def lost() -> list[str]:
    """Collect what is said of messages that are not kept."""
    return []


@pytest.fixture
def say(events: TargetEvents, lost: list[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Return a function that says `count` messages in a session, and returns whether each is heard."""
    monkeypatch.setattr(throttling, "MOST_A_SECOND", 3)
    monkeypatch.setattr(throttling, "CALM_SECONDS", 60)
    attach(events, FRAME, ON_FRAME, ON_PAGE, "iframe")
    attach(events, WORKER, ON_WORKER, ON_FRAME, "worker")
    subscriber = events.subscribe()
    subscriber.on_messages_lost = lambda page, words: lost.append(words)
    heard: list[str] = []
    subscriber.on_console_event = lambda target, method, event: heard.append(method)

    def say(session: str, count: int, at: float = 1000.0) -> list[bool]:
        def is_heard() -> bool:
            heard.clear()
            tell(events, "Runtime.consoleAPICalled", session, type="log", args=[OBJECT], timestamp=at * 1000)
            return bool(heard)

        return [is_heard() for _ in range(count)]

    return say


async def test_message_rate_is_measured_by_the_page_s_timestamps(say: Say, lost: list[str]) -> None:
    """All of it arrives at once, as after a pause of the daemon; or late, as on a slow machine."""
    for second in range(1000, 1010):
        assert say(ON_PAGE, 3, second) == [True] * 3
    assert say(ON_PAGE, 3, 2000) == [True] * 3
    assert say(ON_PAGE, 2, 2000.5) == [False] * 2
    assert say(ON_PAGE, 1, 2061) == [True], "a minute later, by the page's clock"
    assert lost == [
        "More than 3 messages a second: those that follow are not kept",
        "Listening again: 2 messages in 60.5s were not kept",
    ]


SLOWER, AS_BEFORE = {"rate": 20}, {"rate": 1.0}


def slow_down_calls(channel: KeptChannel) -> list[tuple[str, Any]]:
    return [(session, params) for session, method, params in channel.sent if method == SLOW_DOWN]


async def test_page_whose_messages_come_ever_later_is_slowed_down(
    events: TargetEvents, say: Say, channel: KeptChannel, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judge by growing delay, as the page may be on a machine with another clock."""
    now = [3000.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    assert say(ON_PAGE, 9)[3:] == [False] * 6
    now[0] += 0.4
    say(ON_PAGE, 9)
    assert slow_down_calls(channel) == []
    now[0] += 0.2
    say(ON_WORKER, 9)
    assert slow_down_calls(channel) == [], "a worker's pace cannot be changed"
    say(ON_FRAME, 9)
    say(ON_PAGE, 9)
    assert slow_down_calls(channel) == [(ON_FRAME, SLOWER), (ON_PAGE, SLOWER)]
    assert lost[1:] == ["Its scripts run 20 times slower until it says less: it says more than can be read"]
    tell(events, "Runtime.executionContextsCleared", ON_PAGE)
    assert slow_down_calls(channel)[2:] == [(ON_PAGE, AS_BEFORE), (ON_FRAME, AS_BEFORE)]


async def test_slowed_page_may_say_a_twentieth_and_a_cpu_rate_set_meanwhile_applies_afterwards(
    events: TargetEvents, say: Say, channel: KeptChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "BEHIND_SECONDS", -1.0)
    assert say(ON_PAGE, 4) == [True] * 3 + [False]
    pace = events.targets.get(PAGE).throttle
    assert pace.is_held_back
    assert say(ON_PAGE, 3, 1100) == [False] * 3, "one in a second would be, with its usual pace, too much"
    assert [pace.set_rate(throttling) for throttling in (4, 50, 6)] == [SLOWER, {"rate": 50}, SLOWER]
    tell(events, "Runtime.executionContextsCleared", ON_PAGE)
    assert slow_down_calls(channel)[-1] == (ON_PAGE, {"rate": 6})


async def test_chromium_lets_go_of_the_objects_that_were_said(
    say: Say, channel: KeptChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gstack_browse.browser.cdp.target_events.MOST_KEPT_OBJECTS", 4)
    say(ON_WORKER, 9)
    say(ON_PAGE, 3)
    await asyncio.sleep(0)
    assert channel.sent == [(ON_WORKER, "Runtime.releaseObjectGroup", {"objectGroup": "console"})] * 2


async def test_log_entries_of_a_worker_repeated_by_its_page_are_not_counted(
    events: TargetEvents, say: Say
) -> None:
    for _ in range(9):
        tell(events, "Log.entryAdded", ON_PAGE, entry={"source": "worker", "text": "x"})
    assert say(ON_WORKER, 4) == [True, True, True, False]


async def test_documents_of_the_main_frame_arrive_and_only_the_next_one_counts_as_loaded(
    events: TargetEvents,
) -> None:
    page = events.targets.get(PAGE)
    loads: list[str] = []
    page.call_on_load(lambda: loads.append("loaded"))
    tell(events, "Page.loadEventFired", ON_PAGE)
    assert loads == [], "the one that is being left"
    go_to(events, "inner", parentId=PAGE)
    tell(events, "Page.loadEventFired", ON_PAGE)
    assert loads == [], "only a frame of it"
    changes: list[tuple[int, bool, bool]] = []
    page.on_change = lambda: changes.append((page.arrivals, page.is_ready, page.has_loaded))
    go_to(events, PAGE, "L")
    tell(events, "Page.domContentEventFired", ON_PAGE)
    tell(events, "Page.loadEventFired", ON_PAGE)
    tell(events, "Page.loadEventFired", ON_PAGE)
    assert loads == ["loaded"]
    go_to(events, PAGE, "M")
    told = [(1, False, False), (1, True, False), (1, True, True), (1, True, True), (2, False, False)]
    assert changes == told
