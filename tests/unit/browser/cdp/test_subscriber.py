"""Test which subscriber hears which event. What agents see of it: tests/commands/test_contexts.py."""

from gstack_browse.browser.cdp.target_events import TargetEvents
from tests.unit.browser.cdp.channel import attach, make_events, tell

ANN, BOB, NOBODY = "A" * 32, "B" * 32, "N" * 32
"""Browser contexts."""
PAGE, FRAME, WORKER, OTHER = "1" * 32, "4" * 32, "5" * 32, "6" * 32
"""Our sessions."""


def record_events(events: TargetEvents, context: str = "") -> list[str]:
    """Return what a subscriber to a browser context hears, in short words."""
    heard: list[str] = []
    subscriber = events.subscribe(context) if context else events.subscribe()
    subscriber.on_page_gone.append(lambda page: heard.append(f"{page} gone"))
    subscriber.on("Network.loadingFinished", lambda target, event: heard.append(f"{target.id} finished"))
    subscriber.on_download_begin = lambda event: heard.append(f"begins {event['guid']}")
    subscriber.on_download_progress = lambda event: heard.append(f"goes on {event['guid']}")
    return heard


async def test_frames_workers_and_downloads_are_of_the_context_of_their_page() -> None:
    events = make_events()
    default, ann, bob = record_events(events), record_events(events, ANN), record_events(events, BOB)
    attach(events, "page", PAGE, browserContextId=ANN)
    attach(events, "frame", FRAME, PAGE, "iframe")
    attach(events, "worker", WORKER, FRAME, "worker")
    attach(events, "other", OTHER, browserContextId=NOBODY)
    for session in (FRAME, WORKER, OTHER):
        tell(events, "Network.loadingFinished", session, requestId=session)
    tell(events, "Page.frameAttached", PAGE, frameId="inner")
    tell(events, "Browser.downloadWillBegin", frameId="inner", guid="g")
    tell(events, "Browser.downloadProgress", guid="g", state="completed")
    tell(events, "Target.detachedFromTarget", sessionId=PAGE)
    assert ann == ["frame finished", "worker finished", "begins g", "goes on g", "page gone"]
    assert (bob, default) == ([], ["other finished"])
    attach(events, "last", PAGE, browserContextId=ANN)
    events.forget(ANN)
    tell(events, "Network.loadingFinished", PAGE, requestId="last")
    assert (len(ann), default[1:]) == (5, ["last finished"]), "a context that has closed is nobody's"
