"""What is learnt from the messages that Chromium sends the driver."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import playwright
import pytest
from playwright._repo_version import version
from playwright.async_api import Error

from gstack_browse.browser.cdp import valve
from gstack_browse.browser.cdp.targets import (
    HEEDED_MOMENTS,
    KNOWN_PLAYWRIGHT,
    UNHEEDED,
    Target,
    Targets,
)
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


def made(session: str, number: int, frame: str, *, ours: bool) -> bytes:
    name = "__playwright_utility_world_page@1" if ours else ""
    context = {"id": number, "uniqueId": f"u{number}", "name": name}
    about = {"frameId": frame, "isDefault": not ours}
    return event("Runtime.executionContextCreated", session, context={**context, "auxData": about})


class Drivers:
    """The driver's sessions, in which we may speak, and what was said in them."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def __call__(self, number: str) -> "Drivers.Session":
        return Drivers.Session(self, number)

    class Session:
        def __init__(self, drivers: "Drivers", number: str) -> None:
            self._said = drivers.said
            self._number = number

        async def send(self, method: str, params: dict[str, Any]) -> None:
            self._said.append((self._number, method))


@pytest.fixture
def drivers() -> Drivers:
    return Drivers()


@pytest.fixture
async def targets(drivers: Drivers) -> Targets:
    targets = Targets(drivers)  # type: ignore[arg-type]
    targets.overhear(attached(PAGE, ON_PAGE))
    return targets


async def test_documents_come_and_go(targets: Targets) -> None:
    page = targets.get(PAGE)
    for number, ours in ((1, False), (2, True), (3, False), (4, True)):
        assert targets.overhear(made(ON_PAGE, number, PAGE if number < 3 else "inner", ours=ours))
    assert {frame: context.id for frame, context in page.contexts.items()} == {PAGE: "u2", "inner": "u4"}
    assert page.pages == {PAGE: "u1", "inner": "u3"}
    targets.overhear(event("Runtime.executionContextDestroyed", ON_PAGE, executionContextUniqueId="u4"))
    targets.overhear(event("Runtime.executionContextDestroyed", ON_PAGE, executionContextUniqueId="u3"))
    assert (list(page.contexts), list(page.pages)) == ([PAGE], [PAGE])
    targets.overhear(event("Runtime.executionContextsCleared", ON_PAGE))
    assert (page.contexts, page.pages) == ({}, {})


async def test_a_target_is_known_until_nobody_is_attached_to_it(targets: Targets) -> None:
    targets.overhear(attached(PAGE, "second" + "0" * 26))
    targets.overhear(event("Target.detachedFromTarget", sessionId=ON_PAGE))
    assert targets.get(PAGE).id == PAGE
    targets.overhear(event("Target.detachedFromTarget", sessionId="second" + "0" * 26))
    with pytest.raises(Error, match="Target closed"):
        targets.get(PAGE)


async def test_windows_that_a_page_asks_for(targets: Targets) -> None:
    asked: list[dict[str, Any]] = []
    targets.get(PAGE).opens = asked.append
    targets.overhear(event("Page.windowOpen", ON_PAGE, url="u", userGesture=True))
    targets.overhear(event("Page.windowOpen", "9" * 32, url="of somebody else"))
    assert asked == [{"url": "u", "userGesture": True}]


Say = Callable[..., list[bool]]
OBJECT = {"type": "object", "objectId": "1.2.3"}


@pytest.fixture
def say(targets: Targets, monkeypatch: pytest.MonkeyPatch) -> Say:
    """That many messages in a session, and whether each is heard. The driver hears of none."""
    monkeypatch.setattr(rate, "MOST_A_SECOND", 3)
    monkeypatch.setattr(valve, "CALM_SECONDS", 60)
    targets.overhear(attached(FRAME, ON_FRAME, ON_PAGE, "iframe"))
    targets.overhear(attached(WORKER, ON_WORKER, ON_FRAME, "worker"))
    targets.lost = lambda page, words: lost.append((page, words))

    heard: list[str] = []
    targets.says = lambda target, method, event: heard.append(method)

    def say(session: str, count: int, at: float = 1000.0) -> list[bool]:
        def is_heard() -> bool:
            heard.clear()
            message = event("Runtime.consoleAPICalled", session, type="log", args=[OBJECT], timestamp=at * 1000)
            assert not targets.overhear(message)
            return bool(heard)

        return [is_heard() for _ in range(count)]

    return say


lost: list[tuple[str, str]] = []


@pytest.fixture(autouse=True)
def nothing_lost() -> None:
    lost.clear()


async def test_a_page_with_its_frames_and_workers_says_so_much_and_no_more(targets: Targets, say: Say) -> None:
    targets.overhear(attached("Q" * 32, "4" * 32))
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


async def test_chromium_lets_go_of_the_objects_that_were_said(
    say: Say, drivers: Drivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gstack_browse.browser.cdp.targets.MOST_KEPT", 4)
    say(ON_WORKER, 9)
    say(ON_PAGE, 3)
    await asyncio.sleep(0)
    assert drivers.said == [(ON_WORKER, "Runtime.releaseObjectGroup")] * 2


async def test_what_a_worker_says_counts_once(targets: Targets, say: Say) -> None:
    again = event("Log.entryAdded", ON_PAGE, entry={"source": "worker", "text": "x"})
    assert [targets.overhear(again) for _ in range(9)] == [True] * 9
    assert say(ON_WORKER, 4) == [True, True, True, False]


async def test_another_document_is_heard_from_its_beginning(targets: Targets, say: Say) -> None:
    assert say(ON_PAGE, 5)[3:] == [False, False]
    targets.overhear(event("Runtime.executionContextsCleared", ON_FRAME))
    assert say(ON_PAGE, 1) == [False], "only a frame of it"
    targets.overhear(event("Runtime.executionContextsCleared", ON_PAGE))
    assert say(ON_PAGE, 1) == [True]
    page, words = lost[-1]
    assert page == PAGE
    assert words.startswith("Listening again: 3 messages in ")


def test_an_overheard_target_without_a_session_of_ours_says_so() -> None:
    target = Target(PAGE, PAGE, None, None)  # type: ignore[arg-type]
    with pytest.raises(Error, match="not been attached"):
        _ = target.session


async def test_only_the_next_document_counts_as_loaded(targets: Targets) -> None:
    loads: list[str] = []
    targets.get(PAGE).awaits_load(lambda: loads.append("loaded"))
    targets.overhear(event("Page.loadEventFired", ON_PAGE))
    assert loads == [], "the one that is being left"
    targets.overhear(
        event("Page.frameNavigated", ON_PAGE, frame={"id": "inner", "loaderId": "L", "parentId": PAGE})
    )
    targets.overhear(event("Page.loadEventFired", ON_PAGE))
    assert loads == [], "only a frame of it"
    targets.overhear(event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "L"}))
    targets.overhear(event("Page.loadEventFired", ON_PAGE))
    targets.overhear(event("Page.loadEventFired", ON_PAGE))
    assert loads == ["loaded"]


async def test_documents_that_arrive(targets: Targets) -> None:
    page = targets.get(PAGE)
    changes: list[tuple[int, bool, bool]] = []
    page.changes = lambda: changes.append((page.arrivals, page.is_ready, page.has_loaded))
    targets.overhear(event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "L"}))
    targets.overhear(event("Page.domContentEventFired", ON_PAGE))
    targets.overhear(event("Page.loadEventFired", ON_PAGE))
    targets.overhear(event("Page.frameNavigated", ON_PAGE, frame={"id": PAGE, "loaderId": "M"}))
    assert changes == [(1, False, False), (1, True, False), (1, True, True), (2, False, False)]


async def test_an_event_that_somebody_says_the_driver_can_do_without(targets: Targets) -> None:
    heard: list[str] = []
    targets.listen("Network.loadingFinished", lambda target, event: heard.append(target.id) is None and False)
    targets.sift("Network.webSocketFrameSent", lambda target, message: b"wanted" in message)
    assert not targets.overhear(event("Network.loadingFinished", ON_PAGE))
    assert heard == [PAGE]
    assert not targets.overhear(event("Network.webSocketFrameSent", ON_PAGE, text="x"))
    assert targets.overhear(event("Network.webSocketFrameSent", ON_PAGE, text="wanted"))
    assert targets.overhear(event("Network.webSocketFrameSent", "0" * 32, text="x")), "of nobody we know"


async def test_an_unknown_driver_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gstack_browse.browser.cdp.targets.KNOWN_PLAYWRIGHT", (1, 0))
    targets = Targets(Drivers())  # type: ignore[arg-type]
    targets.overhear(attached(PAGE, ON_PAGE))
    targets.listen("Network.loadingFinished", lambda target, event: False)
    targets.sift("Network.webSocketFrameSent", lambda target, message: False)
    said = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    for name in ("Network.loadingFinished", "Network.webSocketFrameSent", "Network.dataReceived", *said):
        assert targets.overhear(event(name, ON_PAGE))


def test_playwright_is_the_one_whose_driver_we_know() -> None:
    """If this fails, look what the new driver listens to, and raise KNOWN_PLAYWRIGHT."""
    assert tuple(int(part) for part in version.split(".")[:2]) <= KNOWN_PLAYWRIGHT
    bundle = Path(playwright.__path__[0], "driver/package/lib/coreBundle.js").read_text(encoding="utf-8")
    assert [name for name in UNHEEDED if f'"{name.decode()}"' in bundle] == []
    handler = bundle.split("_onLifecycleEvent(event) {", 1)[1].split("\n      }\n", 1)[0]
    assert re.findall(r'event\.name === ("\w+")', handler) == [
        moment.decode().removeprefix('"name":') for moment in HEEDED_MOMENTS
    ]


@pytest.mark.parametrize(
    ("name", "reaches"), [("load", True), ("DOMContentLoaded", True), ("firstPaint", False)]
)
async def test_the_driver_is_spared_what_it_does_not_heed(targets: Targets, name: str, reaches: bool) -> None:
    moment = event("Page.lifecycleEvent", ON_PAGE, frameId=PAGE, loaderId="L", name=name, timestamp=1.5)
    assert targets.overhear(moment) is reaches
    within = event("Page.lifecycleEvent", ON_PAGE, frameId="I" * 32, loaderId="L", name=name, timestamp=1.5)
    assert not targets.overhear(within), "nobody waits for a frame in a page"
    assert not targets.overhear(event("Network.policyUpdated", ON_PAGE))
