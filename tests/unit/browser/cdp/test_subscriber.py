"""Test which subscriber hears which event.

A session hears its own browser context.
"""

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp.target_events import TargetEvents
from gstack_browse.browser.cdp.targets import Subscriber
from tests.unit.browser.cdp.channel import attach, make_events, tell

ANN, BOB, NOBODY = "A" * 32, "B" * 32, "N" * 32
"""Browser contexts."""


def session_with(target: str) -> str:
    return target.lower() * 32


def open_target(
    events: TargetEvents, target: str, context: str = "", *, above: str = "", kind: str = "page"
) -> None:
    info = {"browserContextId": context} if context else {}
    attach(events, target, session_with(target), session_with(above) if above else "", kind, **info)


class EventRecorder(list[str]):
    """Record in short words the events that one subscriber receives."""

    def __init__(self, subscriber: Subscriber) -> None:
        super().__init__()
        self.subscriber = subscriber
        subscriber.on_frame_left = lambda target, frame, loader: self.append(f"{target.id} left {frame}")
        subscriber.on_moved = lambda target: self.append(f"{target.id} moved")
        subscriber.on_navigated = lambda target, event: self.append(f"{target.id} arrives")
        subscriber.on_page_gone.append(lambda page: self.append(f"{page} gone"))
        subscriber.on_console_event = lambda target, method, event: self.append(f"{target.id} says")
        subscriber.on("Network.loadingFinished", lambda target, event: self.append(f"{target.id} finished"))
        subscriber.on_download_begin = lambda event: self.append(f"begins {event['guid']}")
        subscriber.on_download_progress = lambda event: self.append(f"goes on {event['guid']}")

    def take(self) -> list[str]:
        taken = list(self)
        self.clear()
        return taken


@pytest_asyncio.fixture
async def events() -> TargetEvents:
    return make_events()


@pytest.fixture
def default(events: TargetEvents) -> EventRecorder:
    return EventRecorder(events.subscribe())


def everything(events: TargetEvents, target: str) -> list[str]:
    """Have every kind of thing happen in a page. Returns what its session is to be told."""
    session = session_with(target)
    frame = {"id": target, "loaderId": "L", "url": "http://a/"}
    tell(events, "Page.frameNavigated", session, frame=frame)
    tell(events, "Page.frameDetached", session, frameId="inner")
    tell(events, "Network.loadingFinished", session, requestId="1")
    tell(events, "Runtime.consoleAPICalled", session, type="log", args=[], timestamp=1000.0)
    tell(events, "Browser.downloadWillBegin", frameId=target, guid=f"g{target}")
    tell(events, "Browser.downloadProgress", guid=f"g{target}", state="completed")
    of_page = ["arrives", f"left {target}", "moved", "left inner", "finished", "says"]
    return [*(f"{target} {words}" for words in of_page), f"begins g{target}", f"goes on g{target}"]


async def test_each_session_hears_of_its_own_browser_context_only(
    events: TargetEvents, default: EventRecorder
) -> None:
    ann, bob = EventRecorder(events.subscribe(ANN)), EventRecorder(events.subscribe(BOB))
    for target, context in (("1", ANN), ("2", BOB), ("3", NOBODY)):
        open_target(events, target, context)
    for target, heard in (("1", ann), ("2", bob), ("3", default)):
        assert everything(events, target) == heard.take()
        assert ann + bob + default == []


async def test_frames_and_workers_are_of_the_context_of_their_page(
    events: TargetEvents, default: EventRecorder
) -> None:
    ann = EventRecorder(events.subscribe(ANN))
    open_target(events, "1", ANN)
    open_target(events, "4", above="1", kind="iframe")
    open_target(events, "5", above="4", kind="worker")
    tell(events, "Network.loadingFinished", session_with("4"), requestId="1")
    tell(events, "Network.loadingFinished", session_with("5"), requestId="2")
    tell(events, "Page.frameAttached", session_with("1"), frameId="inner")
    tell(events, "Browser.downloadWillBegin", frameId="inner", guid="g")
    assert ann.take() == ["4 finished", "5 finished", "begins g"]
    tell(events, "Target.detachedFromTarget", sessionId=session_with("1"))
    assert (ann.take(), default.take()) == (["1 gone"], [])


async def test_a_context_that_has_closed_is_nobodys_and_a_later_session_takes_the_place_of_one(
    events: TargetEvents, default: EventRecorder
) -> None:
    ann = EventRecorder(events.subscribe(ANN))
    open_target(events, "1", ANN)
    events.forget(ANN)
    tell(events, "Network.loadingFinished", session_with("1"), requestId="1")
    assert (ann.take(), default.take()) == ([], ["1 finished"])
    after = EventRecorder(events.subscribe())
    tell(events, "Network.loadingFinished", session_with("1"), requestId="1")
    assert (default.take(), after.take()) == ([], ["1 finished"])
