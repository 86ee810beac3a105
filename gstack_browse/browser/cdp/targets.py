"""What Chromium tells the driver, overheard: targets, the documents in them, windows they ask for, what they say, floods.

A target is the protocol's word for a page, a frame in a process of its own, or a worker. The driver has every part of
the protocol enabled that we need to hear of, so our own sessions enable none: a second session that listens costs
Chromium everything twice, most of all what pages say to their console.
"""

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright._repo_version import version
from playwright.async_api import Error

from gstack_browse.browser.cdp.session import Session, consume_exception, decode
from gstack_browse.browser.cdp.valve import Valve

Speak = Callable[[str], Session]
"""A session of the driver's by its number, in which we may speak, too."""

_WORLD_PREFIX = "__playwright_utility_world"
KNOWN_PLAYWRIGHT = (1, 65)
"""The last version of which we know what its driver listens to."""
UNHEEDED = (
    b"Network.dataReceived",
    b"Network.policyUpdated",
    b"Network.resourceChangedPriority",
    b"Page.frameClearedScheduledNavigation",
    b"Page.frameResized",
    b"Page.frameScheduledNavigation",
    b"Page.frameStartedLoading",
    b"Page.frameStartedNavigating",
    b"Page.frameStoppedLoading",
    b"Page.frameSubtreeWillBeDetached",
)
"""Events that nobody in the driver listens to: together with most of `Page.lifecycleEvent` two thirds of what it would be told."""
HEEDED_MOMENTS = (b'"name":"load"', b'"name":"DOMContentLoaded"')
"""The only ones of `Page.lifecycleEvent` that the driver takes notice of; the others tell of paints and of rest.

Those of frames within a page it would only pass on to whoever waits for that frame, which nobody here does.
"""

_SAID_AT = re.compile(rb'"timestamp":([0-9.e+]+)')
"""When Chromium says that something was said, in milliseconds. Within a string of the page's the quotes have backslashes."""
_OBJECT = b'"objectId":'
MOST_KEPT = 1_000
"""Objects that were said and that Chromium keeps for a driver which never hears of them, before it is told to let go."""


@dataclass(slots=True, eq=False)
class Context:
    """The isolated world of one document of one frame. `id` ends with the document."""

    target: "Target"
    frame_id: str
    id: str
    number: int
    loaded: bool = False


@dataclass(eq=False)
class Target:
    """A local root (a page, or a frame in another process) with the frames that share its process; or a worker."""

    id: str
    page: str
    """Id of the page that it is a part of; its own for a page and for what belongs to none."""
    valve: Valve
    """What it says goes through this, with what all of its page says."""
    drivers: Session
    """The driver's own session with it, for what needs the parts of the protocol that it has enabled."""
    kind: str = "page"
    """The protocol's word for it: page, iframe, worker, shared_worker, service_worker …"""
    browser_context: str = ""
    """Id of the browser context that a page belongs to, once it was attached to."""
    contexts: dict[str, Context] = field(default_factory=dict)
    """Frame → its isolated world."""
    pages: dict[str, str] = field(default_factory=dict)
    """Frame → unique id of the page's own context there."""
    asides: set[int] = field(default_factory=set)
    """Contexts that are not the page's own: ours, the driver's, those of extensions."""
    kept: int = 0
    """Objects that were said since Chromium was last told to let go of them."""
    opens: Callable[[dict[str, Any]], None] = lambda event: None
    """Called when the page asks for a window, with the parameters of `Page.windowOpen`."""
    loads: Callable[[], None] = lambda: None
    """Called when a document has loaded that came into the page after `awaits_load`."""
    changes: Callable[[], None] = lambda: None
    """Called when the page has got another document, or that is ready, or has loaded."""
    arrivals: int = 0
    """How many documents have come into the page."""
    is_ready: bool = False
    """Whether the last one has been read to its end."""
    has_loaded: bool = False
    """Whether it has had its load event."""
    _is_new: bool = False
    _session: Session | None = None

    @property
    def session(self) -> Session:
        """Our session with it. Raises Playwright's Error while there is none."""
        if self._session is None:
            raise Error("The target has not been attached to")
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        self._session = session

    async def ping(self) -> None:
        """One question to the main thread that no script can answer wrongly. Raises Playwright's Error.

        When this returns, all contexts that there were when it was called are known.
        """
        await self.session.send("Runtime.evaluate", {"expression": "0"})

    def forget(self, context: Context) -> None:
        """Its document is no longer there; whoever asks for the frame looks for the next one."""
        if self.contexts.get(context.frame_id) is context:
            del self.contexts[context.frame_id]

    def awaits_load(self, loads: Callable[[], None]) -> None:
        """Have `loads` called once the next document has loaded."""
        self.loads, self._is_new = loads, False

    def loaded(self, _: dict[str, Any]) -> None:
        """`Page.loadEventFired`."""
        self.has_loaded = True
        if self._is_new:
            self._is_new = False
            self.loads()
        self.changes()

    def navigated(self, event: dict[str, Any]) -> None:
        """`Page.frameNavigated`."""
        if event["frame"]["id"] == self.id:
            self.arrivals += 1
            self.is_ready = self.has_loaded = False
            self._is_new = True
            self.changes()

    def ready(self, _: dict[str, Any]) -> None:
        """`Page.domContentEventFired`."""
        self.is_ready = True
        self.changes()

    def created(self, event: dict[str, Any]) -> None:
        """`Runtime.executionContextCreated`."""
        described = event["context"]
        about = described.get("auxData", {})  # a worker has none
        if described["name"].startswith(_WORLD_PREFIX):
            frame_id = about["frameId"]
            self.contexts[frame_id] = Context(self, frame_id, described["uniqueId"], described["id"])
        elif about.get("isDefault") and "frameId" in about:
            self.pages[about["frameId"]] = described["uniqueId"]
        if about.get("isDefault") is False:
            self.asides.add(described["id"])

    def destroyed(self, event: dict[str, Any]) -> None:
        """`Runtime.executionContextDestroyed`."""
        gone = event["executionContextUniqueId"]
        self.asides.discard(event.get("executionContextId", 0))
        for frame_id, context in self.contexts.items():
            if context.id == gone:
                del self.contexts[frame_id]
                return
        for frame_id, number in self.pages.items():
            if number == gone:
                del self.pages[frame_id]
                return

    def cleared(self, _: dict[str, Any]) -> None:
        """`Runtime.executionContextsCleared`: another document takes the place of the last one."""
        self.contexts.clear()
        self.pages.clear()
        self.asides.clear()
        if self.id == self.page:
            self.valve.open()


class Targets:
    """All targets of a browser. `lost` is called with the id of a page and words for the console's log."""

    def __init__(self, speak: Speak) -> None:
        self.lost: Callable[[str, str], None] = lambda page, words: None
        self.gone: Callable[[str], object] = lambda page: None
        """Called with the id of a page that is no more."""
        self.left: Callable[[Target, str, str], None] = lambda target, frame, loader: None
        """Called with a frame that left its document and the loader of the next one, "" for a frame that is gone."""
        self.says: Callable[[Target, str, dict[str, Any]], None] = lambda target, method, event: None
        """Called with what is said in a target: messages, errors, and errors that were none after all."""
        self._speak = speak
        self._known: dict[str, Target] = {}
        self._by_session: dict[bytes, Target] = {}
        self._ears: dict[bytes, Callable[[bytes], bool]] = {
            b"Target.attachedToTarget": self._attached,
            b"Target.detachedFromTarget": self._detached,
            b"Runtime.executionContextCreated": self._to(Target.created),
            b"Runtime.executionContextDestroyed": self._to(Target.destroyed),
            b"Runtime.executionContextsCleared": self._to(Target.cleared),
            b"Page.frameNavigated": self._to(self._navigated),
            b"Page.frameDetached": self._to(lambda target, event: self.left(target, event["frameId"], "")),
            b"Page.domContentEventFired": self._to(Target.ready),
            b"Page.loadEventFired": self._to(Target.loaded),
            b"Page.windowOpen": self._to(lambda target, event: target.opens(event)),
            b"Runtime.consoleAPICalled": self._said,
            b"Runtime.exceptionThrown": self._said,
            b"Runtime.exceptionRevoked": self._to(self._took_back),
            b"Log.entryAdded": self._logged,
        }
        self._knows_driver = tuple(int(part) for part in version.split(".")[:2]) <= KNOWN_PLAYWRIGHT
        if self._knows_driver:
            self._ears |= dict.fromkeys(UNHEEDED, lambda _: False)
            self._ears[b"Page.lifecycleEvent"] = self._is_heeded

    def get(self, target_id: str) -> Target:
        """The target of that id. Raises Playwright's Error when there is none."""
        if found := self._known.get(target_id):
            return found
        raise Error("Target closed")

    def listen(self, method: str, hear: Callable[[Target, dict[str, Any]], bool]) -> None:
        """Have `hear` called with the target and the parameters of each such event. It says whether the driver needs it, too."""
        self._ears[method.encode()] = self._to(hear)

    def sift(self, method: str, is_needed: Callable[[Target, bytes], bool]) -> None:
        """Keep such events from the driver where `is_needed` says so of the target and the message, unread."""

        def ear(message: bytes) -> bool:
            target = self._of(message)
            return target is None or is_needed(target, message)

        if self._knows_driver:
            self._ears[method.encode()] = ear

    def overhear(self, message: bytes) -> bool:
        """Learn from an event that Chromium tells the driver. Returns whether the driver is to have it, too."""
        ear = self._ears.get(message[11 : message.find(b'"', 11)])
        return ear is None or ear(message)

    def _of(self, message: bytes) -> Target | None:
        """The target of the session that an event is of: its number ends the message."""
        return self._by_session.get(message[-34:-2])

    def _to(self, hear: Callable[[Target, dict[str, Any]], bool | None]) -> Callable[[bytes], bool]:
        """An ear that reads the message. The driver has it, too, unless `hear` says False."""

        def ear(message: bytes) -> bool:
            target = self._of(message)
            is_needed = target is None or hear(target, decode(message)["params"]) is not False
            return is_needed or not self._knows_driver

        return ear

    def _is_heeded(self, message: bytes) -> bool:
        if not any(moment in message for moment in HEEDED_MOMENTS):
            return False
        target = self._of(message)
        return target is None or f'"frameId":"{target.page}"'.encode() in message

    def _navigated(self, target: Target, event: dict[str, Any]) -> None:
        target.navigated(event)
        self.left(target, event["frame"]["id"], event["frame"]["loaderId"])

    def _attached(self, message: bytes) -> bool:
        event = decode(message)["params"]
        target_id = event["targetInfo"]["targetId"]
        if target_id not in self._known:
            above = self._of(message)
            page = above.page if above else target_id
            valve = above.valve if above else Valve(lambda words: self.lost(page, words))
            drivers = self._speak(event["sessionId"])
            self._known[target_id] = Target(
                target_id, page, valve, drivers, event["targetInfo"].get("type", "page")
            )
        self._by_session[event["sessionId"].encode()] = self._known[target_id]
        return True

    def _detached(self, message: bytes) -> bool:
        target = self._by_session.pop(decode(message)["params"]["sessionId"].encode(), None)
        if target and target not in self._by_session.values():
            self._known.pop(target.id, None)
            if target.id == target.page:
                target.valve.close()
                self.gone(target.id)
        return True

    def _logged(self, message: bytes) -> bool:
        """A message of Chromium's own; or one that a worker has told already, by a session of its own."""
        return b'"source":"worker"' in message[:90] or self._said(message)

    def _said(self, message: bytes) -> bool:
        """What a page says, which the driver need not hear: we write the log ourselves."""
        target = self._of(message)
        if target is None:
            return True
        if _OBJECT in message:
            self._let_go(target)
        found = _SAID_AT.search(message)
        if not target.valve.passes(len(message), float(found[1]) / 1000 if found else time.time()):
            return False
        event = decode(message)
        self.says(target, event["method"], event["params"])
        return not self._knows_driver

    def _took_back(self, target: Target, event: dict[str, Any]) -> bool:
        self.says(target, "Runtime.exceptionRevoked", event)
        return False

    def _let_go(self, target: Target) -> None:
        """What is said stays in Chromium's memory, for the driver that never hears of it: not for ever."""
        target.kept += 1
        if self._knows_driver and target.kept >= MOST_KEPT:
            target.kept = 0
            letting_go = target.drivers.send("Runtime.releaseObjectGroup", {"objectGroup": "console"})
            asyncio.ensure_future(letting_go).add_done_callback(consume_exception)
