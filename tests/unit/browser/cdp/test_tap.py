"""What is learnt from the events that Chromium sends the driver."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Error

from gstack_browse.browser.cdp import valve
from gstack_browse.browser.cdp.pace import SLOW_DOWN
from gstack_browse.browser.cdp.tap import Tap
from gstack_browse.browser.cdp.targets import Target
from gstack_browse.logs import rate

PAGE, FRAME, WORKER = "P" * 32, "F" * 32, "W" * 32
ON_PAGE, ON_FRAME, ON_WORKER = "1" * 32, "2" * 32, "3" * 32


def event(method: str, session: str = "", **params: Any) -> bytes:
    message = {"method": method, "params": params, **({"sessionId": session} if session else {})}
    return json.dumps(message, separators=(",", ":")).encode()


def attached(target: str, session: str, above: str = "", kind: str = "page") -> bytes:
    return event(
        "Target.attachedToTarget", above, sessionId=session, targetInfo={"targetId": target, "type": kind}
    )


def see(tap: Tap, message: bytes) -> None:
    tap.observe(json.loads(message)["method"].encode(), message)


def made(session: str, number: int, frame: str, *, ours: bool) -> bytes:
    name = "__playwright_utility_world_page@1" if ours else ""
    context = {"id": number, "uniqueId": f"u{number}", "name": name}
    about = {"frameId": frame, "isDefault": not ours}
    return event("Runtime.executionContextCreated", session, context={**context, "auxData": about})


class Drivers:
    """The driver's sessions, in which we may speak, and what was said in them."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, dict[str, Any]]] = []

    def __call__(self, number: str) -> "Drivers.Session":
        return Drivers.Session(self, number)

    class Session:
        def __init__(self, drivers: "Drivers", number: str) -> None:
            self._said = drivers.said
            self._number = number

        def notify(self, method: str, params: dict[str, Any]) -> None:
            self._said.append((self._number, method, params))


@pytest.fixture
def drivers() -> Drivers:
    return Drivers()


@pytest_asyncio.fixture
async def tap(drivers: Drivers) -> Tap:
    tap = Tap(drivers)  # type: ignore[arg-type]
    tap.releases_objects = True
    see(tap, attached(PAGE, ON_PAGE))
    return tap


async def test_documents_come_and_go(tap: Tap) -> None:
    page = tap.targets.get(PAGE)
    for number, ours in ((1, False), (2, True), (3, False), (4, True)):
        see(tap, made(ON_PAGE, number, PAGE if number < 3 else "inner", ours=ours))
    assert {frame: context.id for frame, context in page.contexts.items()} == {PAGE: "u2", "inner": "u4"}
    assert page.pages == {PAGE: "u1", "inner": "u3"}
    see(tap, event("Runtime.executionContextDestroyed", ON_PAGE, executionContextUniqueId="u4"))
    see(tap, event("Runtime.executionContextDestroyed", ON_PAGE, executionContextUniqueId="u3"))
    assert (list(page.contexts), list(page.pages)) == ([PAGE], [PAGE])
    see(tap, event("Runtime.executionContextsCleared", ON_PAGE))
    assert (page.contexts, page.pages) == ({}, {})


async def test_a_target_is_known_until_nobody_is_attached_to_it(tap: Tap) -> None:
    see(tap, attached(PAGE, "second" + "0" * 26))
    see(tap, event("Target.detachedFromTarget", sessionId=ON_PAGE))
    assert tap.targets.get(PAGE).id == PAGE
    see(tap, event("Target.detachedFromTarget", sessionId="second" + "0" * 26))
    with pytest.raises(Error, match="Target closed"):
        tap.targets.get(PAGE)


async def test_windows_that_a_page_asks_for(tap: Tap) -> None:
    asked: list[dict[str, Any]] = []
    tap.targets.get(PAGE).opens = asked.append
    see(tap, event("Page.windowOpen", ON_PAGE, url="u", userGesture=True))
    see(tap, event("Page.windowOpen", "9" * 32, url="of somebody else"))
    assert asked == [{"url": "u", "userGesture": True}]


Say = Callable[..., list[bool]]
OBJECT = {"type": "object", "objectId": "1.2.3"}


@pytest.fixture
def say(tap: Tap, monkeypatch: pytest.MonkeyPatch) -> Say:
    """That many messages in a session, and whether each is heard. The driver hears of none."""
    monkeypatch.setattr(rate, "MOST_A_SECOND", 3)
    monkeypatch.setattr(valve, "CALM_SECONDS", 60)
    see(tap, attached(FRAME, ON_FRAME, ON_PAGE, "iframe"))
    see(tap, attached(WORKER, ON_WORKER, ON_FRAME, "worker"))
    subscriber = tap.subscribe()
    subscriber.lost = lambda page, words: lost.append((page, words))

    heard: list[str] = []
    subscriber.says = lambda target, method, event: heard.append(method)

    def say(session: str, count: int, at: float = 1000.0) -> list[bool]:
        def is_heard() -> bool:
            heard.clear()
            message = event("Runtime.consoleAPICalled", session, type="log", args=[OBJECT], timestamp=at * 1000)
            see(tap, message)
            return bool(heard)

        return [is_heard() for _ in range(count)]

    return say


lost: list[tuple[str, str]] = []


@pytest.fixture(autouse=True)
def nothing_lost() -> None:
    lost.clear()


async def test_a_page_with_its_frames_and_workers_says_so_much_and_no_more(tap: Tap, say: Say) -> None:
    see(tap, attached("Q" * 32, "4" * 32))
    assert say(ON_PAGE, 1) + say(ON_FRAME, 1) + say(ON_WORKER, 1) == [True] * 3
    assert say(ON_WORKER, 2) + say(ON_PAGE, 2) == [False] * 4
    assert say("4" * 32, 3) == [True] * 3, "another page"
    assert lost == [(PAGE, "More than 3 messages a second: those that follow are not kept")]


async def test_what_counts_is_when_something_was_said(say: Say) -> None:
    """All of it arrives at once, as after a pause of the daemon; or late, as on a slow machine."""
    for second in range(1000, 1010):
        assert say(ON_PAGE, 3, second) == [True] * 3
    assert say(ON_PAGE, 3, 2000) == [True] * 3
    assert say(ON_PAGE, 2, 2000.5) == [False] * 2
    assert say(ON_PAGE, 1, 2061) == [True], "a minute later, by the page's clock"
    assert [words for _, words in lost] == [
        "More than 3 messages a second: those that follow are not kept",
        "Listening again: 2 messages in 60.5s were not kept",
    ]


SLOWER, AS_BEFORE = {"rate": 20}, {"rate": 1.0}


def told(drivers: Drivers) -> list[tuple[str, Any]]:
    return [(session, params) for session, method, params in drivers.said if method == SLOW_DOWN]


async def test_what_says_more_than_can_be_read_is_slowed_down(
    tap: Tap, say: Say, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page may be on a machine with another clock: what counts is that its messages come later and later."""
    now = [3000.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    assert say(ON_PAGE, 9)[3:] == [False] * 6
    now[0] += 0.4
    say(ON_PAGE, 9)
    assert told(drivers) == []
    now[0] += 0.2
    say(ON_WORKER, 9)
    assert told(drivers) == [], "a worker's pace cannot be changed"
    say(ON_FRAME, 9)
    say(ON_PAGE, 9)
    assert told(drivers) == [(ON_FRAME, SLOWER), (ON_PAGE, SLOWER)]
    assert [words for _, words in lost][1:] == [
        "Its scripts run 20 times slower until it says less: it says more than can be read"
    ]
    see(tap, event("Runtime.executionContextsCleared", ON_PAGE))
    assert told(drivers)[2:] == [(ON_PAGE, AS_BEFORE), (ON_FRAME, AS_BEFORE)]


async def test_what_is_slowed_down_says_too_much_with_a_twentieth_of_it(
    tap: Tap, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valve, "BEHIND_SECONDS", -1.0)
    assert say(ON_PAGE, 4) == [True] * 3 + [False]
    assert tap.targets.get(PAGE).pace.is_held_back
    assert say(ON_PAGE, 3, 1100) == [False] * 3, "one in a second would be, with its usual pace, too much"


async def test_who_wants_another_pace_meanwhile_has_it_afterwards(
    tap: Tap, say: Say, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valve, "BEHIND_SECONDS", -1.0)
    say(ON_PAGE, 4)
    pace = tap.targets.get(PAGE).pace
    assert [pace.want(rate) for rate in (4, 50, 6)] == [SLOWER, {"rate": 50}, SLOWER]
    see(tap, event("Runtime.executionContextsCleared", ON_PAGE))
    assert told(drivers)[-1] == (ON_PAGE, {"rate": 6})


async def test_chromium_lets_go_of_the_objects_that_were_said(
    say: Say, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gstack_browse.browser.cdp.tap.MOST_KEPT_OBJECTS", 4)
    say(ON_WORKER, 9)
    say(ON_PAGE, 3)
    await asyncio.sleep(0)
    assert drivers.said == [(ON_WORKER, "Runtime.releaseObjectGroup", {"objectGroup": "console"})] * 2


async def test_what_a_worker_says_counts_once(tap: Tap, say: Say) -> None:
    again = event("Log.entryAdded", ON_PAGE, entry={"source": "worker", "text": "x"})
    for _ in range(9):
        see(tap, again)
    assert say(ON_WORKER, 4) == [True, True, True, False]


async def test_another_document_is_heard_from_its_beginning(tap: Tap, say: Say) -> None:
    assert say(ON_PAGE, 5)[3:] == [False, False]
    see(tap, event("Runtime.executionContextsCleared", ON_FRAME))
    assert say(ON_PAGE, 1) == [False], "only a frame of it"
    see(tap, event("Runtime.executionContextsCleared", ON_PAGE))
    assert say(ON_PAGE, 1) == [True]
    page, words = lost[-1]
    assert page == PAGE
    assert words.startswith("Listening again: 3 messages in ")


def test_an_overheard_target_without_a_session_of_ours_says_so() -> None:
    target = Target(PAGE, PAGE, None, None)  # type: ignore[arg-type]
    with pytest.raises(Error, match="not been attached"):
        _ = target.session


async def test_only_the_next_document_counts_as_loaded(tap: Tap) -> None:
    loads: list[str] = []
    tap.targets.get(PAGE).awaits_load(lambda: loads.append("loaded"))
    see(tap, event("Page.loadEventFired", ON_PAGE))
    assert loads == [], "the one that is being left"
    see(tap, event("Page.frameNavigated", ON_PAGE, frame={"id": "inner", "loaderId": "L", "parentId": PAGE}))
    see(tap, event("Page.loadEventFired", ON_PAGE))
    assert loads == [], "only a frame of it"
    see(tap, event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "L", "url": "http://a/"}))
    see(tap, event("Page.loadEventFired", ON_PAGE))
    see(tap, event("Page.loadEventFired", ON_PAGE))
    assert loads == ["loaded"]


async def test_documents_that_arrive(tap: Tap) -> None:
    page = tap.targets.get(PAGE)
    changes: list[tuple[int, bool, bool]] = []
    page.changes = lambda: changes.append((page.arrivals, page.is_ready, page.has_loaded))
    see(tap, event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "L", "url": "http://a/"}))
    see(tap, event("Page.domContentEventFired", ON_PAGE))
    see(tap, event("Page.loadEventFired", ON_PAGE))
    see(tap, event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "M", "url": "http://a/"}))
    assert changes == [(1, False, False), (1, True, False), (1, True, True), (2, False, False)]


async def test_where_a_page_is(tap: Tap) -> None:
    page = tap.targets.get(PAGE)
    places: list[str] = []
    tap.subscribe().moved = lambda target: places.append(target.url)
    new = {"id": PAGE, "loaderId": "L", "url": "http://a/", "urlFragment": "#top"}
    see(tap, event("Page.frameNavigated", ON_PAGE, frame=new))
    within = {"id": "inner", "loaderId": "M", "url": "http://a/inner", "parentId": PAGE}
    see(tap, event("Page.frameNavigated", ON_PAGE, frame=within))
    see(tap, event("Page.navigatedWithinDocument", ON_PAGE, frameId=PAGE, url="http://a/#next"))
    see(tap, event("Page.navigatedWithinDocument", ON_PAGE, frameId="inner", url="http://a/inner#x"))
    assert places == ["http://a/#top", "http://a/#next"]
    assert page.url == "http://a/#next"
