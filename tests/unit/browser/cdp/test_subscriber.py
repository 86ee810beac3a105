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
        subscriber.on_page_gone.append(lambda page: self.append(f"{page} gone"))
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


async def test_frames_workers_and_downloads_are_of_the_context_of_their_page(
    events: TargetEvents, default: EventRecorder
) -> None:
    ann, bob = EventRecorder(events.subscribe(ANN)), EventRecorder(events.subscribe(BOB))
    open_target(events, "1", ANN)
    open_target(events, "4", above="1", kind="iframe")
    open_target(events, "5", above="4", kind="worker")
    open_target(events, "6", NOBODY)
    for number in "456":
        tell(events, "Network.loadingFinished", session_with(number), requestId=number)
    tell(events, "Page.frameAttached", session_with("1"), frameId="inner")
    tell(events, "Browser.downloadWillBegin", frameId="inner", guid="g")
    tell(events, "Browser.downloadProgress", guid="g", state="completed")
    assert ann.take() == ["4 finished", "5 finished", "begins g", "goes on g"]
    tell(events, "Target.detachedFromTarget", sessionId=session_with("1"))
    assert (ann.take(), bob.take(), default.take()) == (["1 gone"], [], ["6 finished"])


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
