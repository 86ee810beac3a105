"""What we overhear: reads the events that Chromium sends in sessions with targets, and changes none.

Over the pipe these are the driver's sessions. It has every part of the protocol enabled that we need, so our own sessions
enable none: a second session that listens costs Chromium everything twice, most of all what pages say to their console.
"""

import re
import time
from collections.abc import Callable
from typing import Any

from gstack_browse.browser.cdp.session import Session, decode
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.cdp.valve import Valve

Handler = Callable[[Target, dict[str, Any]], object]

SAID_BY_WORKER = b'"source":"worker"'
"""In a `Log.entryAdded` of a page: a worker's message, which its own session has told already."""
MOST_KEPT_OBJECTS = 1_000
"""Objects in console messages that Chromium keeps for a reader, before it is told to release them."""
_SAID_AT = re.compile(rb'"timestamp":([0-9.e+]+)')
"""When Chromium says that something was said, in milliseconds. Within a string of the page's the quotes have backslashes."""
_OBJECT = b'"objectId":'


class Tap:
    """Keeps `targets` up to date, and calls whoever wants to know of an event. `session_of` gives a session by its id."""

    def __init__(self, session_of: Callable[[str], Session]) -> None:
        self.targets = Targets()
        self.lost: Callable[[str, str], None] = lambda page, words: None
        """Called with the id of a page and words for the console's log, where some of what it says is not kept."""
        self.gone: Callable[[str], object] = lambda page: None
        """Called with the id of a page that is no more."""
        self.left: Callable[[Target, str, str], None] = lambda target, frame, loader: None
        """Called with a frame that left its document and the loader of the next one, "" for a frame that is gone."""
        self.arrives: Callable[[Target, dict[str, Any]], None] = lambda target, event: None
        """Called with each `Page.frameNavigated`."""
        self.moved: Callable[[Target], None] = lambda page: None
        """Called with a page whose main frame is somewhere else, in another document or at another place of its own."""
        self.says: Callable[[Target, str, dict[str, Any]], None] = lambda target, method, event: None
        """Called with what is said in a target: messages, errors, and errors that were none after all."""
        self.begun: Callable[[Target], None] = lambda target: None
        """Called with a target that is new."""
        self.releases_objects = False
        """Whether it is ours to have objects in console messages released: their reader never hears of them."""
        self._session_of = session_of
        self.handlers: dict[bytes, Callable[[bytes], object]] = {
            b"Target.attachedToTarget": self._attached,
            b"Target.detachedFromTarget": self._detached,
            b"Runtime.consoleAPICalled": self._said,
            b"Runtime.exceptionThrown": self._said,
            b"Log.entryAdded": self._logged,
        }
        """Event → what reads its message. The pipe asks here itself: a call for each event would cost more than most of them."""
        self.on("Runtime.exceptionRevoked", self._revoked)
        self.on("Runtime.executionContextCreated", Target.created)
        self.on("Runtime.executionContextDestroyed", Target.destroyed)
        self.on("Runtime.executionContextsCleared", Target.cleared)
        self.on("Page.frameNavigated", self._navigated)
        self.on("Page.navigatedWithinDocument", self._moved_within)
        self.on("Page.frameDetached", lambda target, event: self.left(target, event["frameId"], ""))
        self.on("Page.domContentEventFired", Target.ready)
        self.on("Page.loadEventFired", Target.loaded)
        self.on("Page.frameStoppedLoading", Target.stopped)
        self.on("Page.windowOpen", lambda target, event: target.opens(event))

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with the target and the parameters of each such event."""

        def decoded(message: bytes) -> None:
            if target := self.targets.of(message):
                handler(target, decode(message)["params"])

        self.handlers[method.encode()] = decoded

    def on_browser(self, method: str, handler: Callable[[dict[str, Any]], object]) -> None:
        """Call `handler` with the parameters of each such event of the browser itself, which is no target's."""
        self.handlers[method.encode()] = lambda message: handler(decode(message)["params"])

    def observe(self, method: bytes, message: bytes) -> None:
        """Read an event, in the form in which Chromium writes events."""
        if handler := self.handlers.get(method):
            handler(message)

    def _navigated(self, target: Target, event: dict[str, Any]) -> None:
        target.navigated(event)
        self.targets.visit(target, event["frame"].get("url", ""))
        self.arrives(target, event)
        frame_id: str = event["frame"]["id"]
        self.left(target, frame_id, event["frame"]["loaderId"])
        self._tell_of_move(target, frame_id)

    def _moved_within(self, target: Target, event: dict[str, Any]) -> None:
        target.moved(event)
        self._tell_of_move(target, event["frameId"])

    def _tell_of_move(self, target: Target, frame_id: str) -> None:
        if frame_id == target.page:
            self.moved(target)

    def _attached(self, message: bytes) -> None:
        event = decode(message)["params"]
        target_id, session_id = event["targetInfo"]["targetId"], event["sessionId"]
        parent = self.targets.of(message)

        def make() -> Target:
            page = parent.page if parent else target_id
            valve = parent.valve if parent else Valve(lambda words: self.lost(page, words))
            kind = event["targetInfo"].get("type", "page")
            target = Target(target_id, page, valve, self._session_of(session_id), kind)
            target.opener = event["targetInfo"].get("openerId", "")
            target.browser_context = event["targetInfo"].get("browserContextId", "")
            self.begun(target)
            return target

        self.targets.attached(target_id, session_id, make)

    def _detached(self, message: bytes) -> None:
        target = self.targets.detached(decode(message)["params"]["sessionId"])
        if target and target.id == target.page:
            target.valve.close()
            self.gone(target.id)

    def _logged(self, message: bytes) -> None:
        """A message of Chromium's own; a worker's is left out, as its own session has told that."""
        if SAID_BY_WORKER not in message[:90]:
            self._said(message)

    def _said(self, message: bytes) -> None:
        target = self.targets.of(message)
        if target is None:
            return
        if self.releases_objects and _OBJECT in message:
            self._release(target)
        found = _SAID_AT.search(message)
        if target.valve.passes(len(message), float(found[1]) / 1000 if found else time.time()):
            event = decode(message)
            self.says(target, event["method"], event["params"])

    def _revoked(self, target: Target, event: dict[str, Any]) -> None:
        self.says(target, "Runtime.exceptionRevoked", event)

    def _release(self, target: Target) -> None:
        target.kept_objects += 1
        if target.kept_objects >= MOST_KEPT_OBJECTS:
            target.kept_objects = 0
            target.observed.notify("Runtime.releaseObjectGroup", {"objectGroup": "console"})
