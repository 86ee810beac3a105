"""Withholds events from the driver that it does not need.

Lifecycle events are ended at their source: Chromium would send ten for each frame, of which the driver uses two of the main frame's.
It gets those made of other events that say the same (`MOMENTS`). Contexts in documents without scripts are spared, too: see `contexts`.

Each event costs the driver some time, and a request half a millisecond and memory. RULES is the whole list, beside `shared_workers`.
With a Playwright newer than those we know the driver gets everything.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.cdp.tap import SAID_BY_WORKER
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.text.json_bytes import decode, encode

FORWARDED_LIFECYCLE = (b'"name":"load"', b'"name":"DOMContentLoaded"')
"""The only lifecycle events that the driver uses, and of the main frame only: nobody here waits for a frame in a page."""
MOMENTS = {b"Page.domContentEventFired": "DOMContentLoaded", b"Page.loadEventFired": "load"}
"""Events of a page's main frame that say the same, by the names of the lifecycle events. The driver does not listen to them."""
NO_NEWS = frozenset({b"Page.lifecycleEvent", b"Browser.downloadProgress", b"Page.downloadProgress"})
"""Events after which `Connection.wait_for_playwright` need not wait: no command reads state that Playwright derives from them."""

DOCUMENT_NEWS = NO_NEWS | {
    b"Page.domContentEventFired",
    b"Page.frameAttached",
    b"Page.frameDetached",
    b"Page.frameNavigated",
    b"Page.frameRequestedNavigation",
    b"Page.loadEventFired",
    b"Page.navigatedWithinDocument",
    b"Runtime.executionContextCreated",
    b"Runtime.executionContextDestroyed",
    b"Runtime.executionContextsCleared",
}
"""What the driver is told of documents and frames. We read these, too, and the driver answers none: it may hear of them later."""


class Interest(Enum):
    """Which requests of a page the driver has to hear of."""

    ALL = auto()
    """Of a page that is no tab's: Playwright opens such pages itself, and answers their requests."""
    DOCUMENTS = auto()
    """The main frame's documents: by these it knows that a navigation has failed, on which its actions wait."""
    NONE = auto()
    """Of a tab during a navigation of our own: nothing in the driver waits for that."""


@dataclass(frozen=True)
class Rule:
    """Events, when the driver gets one (a method of DriverEventFilter), the reason, and its evidence."""

    events: tuple[str, ...]
    needs: str
    reason: str
    evidence: str


_UNUSED = "docs/decisions/0011-protocol-client-beside-playwright.md; tests/unit/browser/cdp/test_diet.py searches the driver for them"
_REQUESTS = "Half a millisecond each in the driver, 5 s for a page with 10,000, and memory for as long as the page stays."

RULES = (
    Rule(
        (
            "Network.dataReceived",
            "Network.policyUpdated",
            "Network.resourceChangedPriority",
            "Page.frameClearedScheduledNavigation",
            "Page.frameResized",
            "Page.frameScheduledNavigation",
            "Page.frameStartedLoading",
            "Page.frameStartedNavigating",
            "Page.frameStoppedLoading",
            "Page.frameSubtreeWillBeDetached",
        ),
        "never",
        "Nothing in the driver listens to these; with the lifecycle events they are two thirds of all events.",
        _UNUSED,
    ),
    Rule(
        ("Page.lifecycleEvent",),
        "load_of_main_frame",
        "The driver uses load and DOMContentLoaded; the others tell of paints and of rest. Of pages that we are not attached to, see `stop_lifecycle_events`.",
        _UNUSED,
    ),
    Rule(
        ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Runtime.exceptionRevoked"),
        "of_no_target",
        "We write the log ourselves; a page that logs in a loop would block the driver.",
        "`goto` of a page that logs 100 objects: 118 ms with these, 47 without.",
    ),
    Rule(
        ("Runtime.bindingCalled",),
        "of_no_target",
        "Only we have bindings in pages (tabs/clipboard, tabs/permission_requests): no function that needs one of Playwright's is used.",
        "docs/decisions/0029-drag-drop-and-clipboard.md",
    ),
    Rule(
        ("Page.fileChooserOpened",),
        "of_no_target",
        "Only we answer file choosers: nobody here asks Playwright for them, and it would look into the page for each.",
        "tests/commands/test_file_choosers.py",
    ),
    Rule(
        ("Log.entryAdded",),
        "of_worker",
        "The same; a worker's message in its page's session is nobody's.",
        "docs/decisions/0030-effects-in-action-replies.md",
    ),
    Rule(
        ("Network.requestWillBeSent",),
        "request",
        "The log and the tabs are filled from the tap; see Interest for what the driver still waits for.",
        _REQUESTS,
    ),
    Rule(
        (
            "Network.requestServedFromCache",
            "Network.requestWillBeSentExtraInfo",
            "Network.responseReceived",
            "Network.responseReceivedExtraInfo",
        ),
        "more_of_request",
        "The driver gets the rest of those requests whose beginning it got.",
        _REQUESTS,
    ),
    Rule(
        ("Network.loadingFinished", "Network.loadingFailed"),
        "end_of_request",
        "The driver gets the end of those requests whose beginning it got.",
        _REQUESTS,
    ),
    Rule(
        (
            "Network.webSocketClosed",
            "Network.webSocketCreated",
            "Network.webSocketFrameError",
            "Network.webSocketFrameReceived",
            "Network.webSocketFrameSent",
            "Network.webSocketHandshakeResponseReceived",
            "Network.webSocketWillSendHandshakeRequest",
        ),
        "of_no_tab",
        "The log is filled from the tap, and what goes through a web socket nobody here reads.",
        _REQUESTS,
    ),
)

_ID = b'"requestId":"'


class DriverEventFilter:
    """Decides for each event of the driver's whether it gets that event."""

    def __init__(self, targets: Targets) -> None:
        self.interest: Callable[[str], Interest] = lambda page_id: Interest.ALL
        """Says which requests of a page the driver has to hear of, where `interests` has nobody who does."""
        self.interests: dict[str, Callable[[str], Interest]] = {}
        """The same by browser context."""
        self.is_applied = playwright_internals.is_known()
        self._targets = targets
        self.needs: dict[bytes, Callable[[bytes], bool]] = {}
        """Event → whether the driver gets this one; an event that does not stand here it gets. The tap must have read it."""
        if self.is_applied:
            self.needs = {
                event.encode(): getattr(self, f"_{rule.needs}") for rule in RULES for event in rule.events
            }

    def stop_lifecycle_events(self, target: Target) -> None:
        """End Chromium's lifecycle events of a page; `replace_event` makes those that the driver needs."""
        if self.is_applied and target.id == target.page:
            target.has_lifecycle = False
            target.observed.notify("Page.setLifecycleEventsEnabled", {"enabled": False})

    def replace_event(self, method: bytes, message: bytes) -> bytes:
        """Return the lifecycle event that the driver gets in place of one of MOMENTS."""
        target = self._targets.target_of(message)
        if target is None or target.has_lifecycle:
            return message
        event = decode(message)
        moment = {"frameId": target.id, "loaderId": "", "name": MOMENTS[method], **event["params"]}
        told = {"method": "Page.lifecycleEvent", "params": moment, "sessionId": event["sessionId"]}
        return encode(told)

    def _interest(self, target: Target) -> Interest:
        return self.interests.get(target.browser_context, self.interest)(target.page)

    def _never(self, message: bytes) -> bool:
        return False

    def _of_no_target(self, message: bytes) -> bool:
        return self._targets.target_of(message) is None

    def _of_worker(self, message: bytes) -> bool:
        return SAID_BY_WORKER in message[:90] or self._targets.target_of(message) is None

    def _of_no_tab(self, message: bytes) -> bool:
        target = self._targets.target_of(message)
        return target is None or self._interest(target) is Interest.ALL

    def _load_of_main_frame(self, message: bytes) -> bool:
        if not any(name in message for name in FORWARDED_LIFECYCLE):
            return False
        target = self._targets.target_of(message)
        return target is None or f'"frameId":"{target.page}"'.encode() in message

    def _request(self, message: bytes) -> bool:
        target = self._targets.target_of(message)
        if target is None:
            return True
        request_id = request_id_in(message)
        forwarded = target.forwarded_requests
        if (forwarded and request_id in forwarded) or self._is_awaited(target, request_id, message):
            forwarded.add(request_id)
            return True
        return False

    def _is_awaited(self, target: Target, request_id: bytes, message: bytes) -> bool:
        interest = self._interest(target)
        if interest is not Interest.DOCUMENTS:
            return interest is Interest.ALL
        if b'"loaderId":"' + request_id + b'"' not in message:
            return False  # no document
        event = decode(message)["params"]
        return bool(event.get("loaderId") == event["requestId"] and event.get("frameId") == target.page)

    def _more_of_request(self, message: bytes) -> bool:
        target = self._targets.target_of(message)
        if target is None:
            return True
        forwarded = target.forwarded_requests
        return (bool(forwarded) and request_id_in(message) in forwarded) or self._interest(
            target
        ) is Interest.ALL

    def _end_of_request(self, message: bytes) -> bool:
        is_needed = self._more_of_request(message)
        if is_needed and (target := self._targets.target_of(message)):
            target.forwarded_requests.discard(request_id_in(message))
        return is_needed


def id_in(message: bytes) -> str:
    """Return the id of an event's request, as text."""
    return request_id_in(message).decode()


def request_id_in(message: bytes) -> bytes:
    """Return the id of an event's request. It comes first, before any text of the page's."""
    begin = message.find(_ID) + len(_ID)
    return message[begin : message.find(b'"', begin)]
