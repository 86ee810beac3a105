"""Reads Chromium's events in sessions with targets, and changes none.

Over the pipe these are the driver's sessions. It has every part of the protocol enabled that we need, so our own sessions
enable none: a second session that listens costs Chromium everything twice, most of all what pages say to their console.
"""

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from gstack_browse.browser.cdp import contexts
from gstack_browse.browser.cdp.audience import Audience, Handler, Subscriber
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.cdp.valve import ConsoleRateLimiter
from gstack_browse.text.json_bytes import decode

SAID_BY_WORKER = b'"source":"worker"'
"""In a `Log.entryAdded` of a page: a worker's message, which its own session has told already."""
MOST_KEPT_OBJECTS = 1_000
"""Objects in console messages that Chromium keeps for a reader, before it is told to release them."""
_SAID_AT = re.compile(rb'"timestamp":([0-9.e+]+)')
"""When Chromium says that something was said, in milliseconds. Within a string of the page's the quotes have backslashes."""
_OBJECT = b'"objectId":'


class TargetEvents:
    """Keeps `targets` up to date, and tells subscribers of events. `session_of` gives a session by its id."""

    def __init__(self, session_of: Callable[[str], Session]) -> None:
        self.targets = Targets()
        self.on_new_target: Callable[[Target], None] = lambda target: None
        """Called with a target that is new."""
        self.releases_objects = False
        """Whether it is ours to have objects in console messages released: their reader never hears of them."""
        self.silent_frames: set[str] = set()
        """Frames of our own making, for no session: nobody is told what they download."""
        self._session_of = session_of
        self._rest = Audience()
        """Hears of every browser context that has no audience of its own."""
        self._audiences: dict[str, Audience] = {}
        self._downloads: dict[str, Sequence[Subscriber]] = {}
        """Download that runs, by its id → who hears of it."""
        self.handlers: dict[bytes, Callable[[bytes], object]] = {
            b"Target.attachedToTarget": self._attached,
            b"Target.detachedFromTarget": self._detached,
            b"Runtime.consoleAPICalled": self._on_said,
            b"Runtime.exceptionThrown": self._on_said,
            b"Log.entryAdded": self._logged,
            b"Browser.downloadWillBegin": self._download_began,
            b"Browser.downloadProgress": self._download_went_on,
        }
        """Event → what reads its message. The pipe asks here itself: a call for each event would cost more than most of them."""
        self.on("Runtime.exceptionRevoked", self._revoked)
        self.on("Runtime.executionContextCreated", Target.created)
        self.on("Runtime.executionContextDestroyed", Target.destroyed)
        self.on("Runtime.executionContextsCleared", Target.cleared)
        self.on("Page.frameNavigated", self._navigated)
        self.on("Page.navigatedWithinDocument", self._moved_within)
        self.on(
            "Page.frameAttached", lambda target, event: self.targets.frame_attached(target, event["frameId"])
        )
        self.on("Page.frameDetached", self._frame_detached)
        self.on("Page.domContentEventFired", Target.ready)
        self.on("Page.loadEventFired", Target.loaded)
        self.on("Page.frameStoppedLoading", Target.stopped)
        self.on("Page.windowOpen", lambda target, event: target.on_window_open(event))

    def subscribe(self, browser_context: str = "", *, joins: bool = False) -> Subscriber:
        """Add a subscriber to a browser context: as the only one, or, if `joins`, as one more.

        "" stands for every context without subscribers of its own.
        """
        subscriber = Subscriber(self._serve)
        audience = self._audiences.setdefault(browser_context, Audience()) if browser_context else self._rest
        (audience.join if joins else audience.replace)(subscriber)
        return subscriber

    def mute_context(self, browser_context: str) -> None:
        """Report no events of a browser context, which belongs to no session."""
        self._audiences[browser_context] = Audience()

    def claim(self, page_id: str, subscriber: Subscriber) -> None:
        """A page of a browser context that is shared is that subscriber's, with the windows that it opens."""
        self.audience(self.targets.get(page_id)).claim(page_id, subscriber)

    def forget(self, browser_context: str) -> None:
        """Drop everything about a closed browser context."""
        self._audiences.pop(browser_context, None)
        self.targets.visited.pop(browser_context, None)

    def audience(self, target: Target) -> Audience:
        """Return the audience of a target's browser context."""
        return self._audiences.get(target.browser_context, self._rest)

    def is_told(self, subscriber: Subscriber, target: Target) -> bool:
        """Return whether a subscriber gets a target's events."""
        return subscriber in self._subscribers_of(target)

    def _subscribers_of(self, target: Target) -> Sequence[Subscriber]:
        audience = self._audiences.get(target.browser_context, self._rest)
        if not audience.is_shared:
            return audience.subscribers
        page = self.targets.page_of(target)
        return audience.of(page.id, page.opener)

    def _serve(self, method: str) -> None:
        """Add a handler that passes such events to their subscribers."""

        def report_event(message: bytes) -> None:
            if (target := self.targets.target_of(message)) is None:
                return
            everybody = self._subscribers_of(target)
            for told in everybody:
                if reader := told.readers.get(method):
                    reader(target, message)
            if handlers := [told.handlers[method] for told in everybody if method in told.handlers]:
                event = decode(message)["params"]
                for handler in handlers:
                    handler(target, event)

        self.handlers[method.encode()] = report_event

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with target and parameters of each such event, in any browser context."""

        def decoded(message: bytes) -> None:
            if target := self.targets.target_of(message):
                handler(target, decode(message)["params"])

        self.handlers[method.encode()] = decoded

    def observe(self, method: bytes, message: bytes) -> None:
        """Read an event, in the form in which Chromium writes events."""
        if handler := self.handlers.get(method):
            handler(message)

    def _navigated(self, target: Target, event: dict[str, Any]) -> None:
        target.navigated(event)
        self.targets.frame_navigated(target, event["frame"])
        self.targets.note_origin(target, event["frame"].get("url", ""))
        for subscriber in self._subscribers_of(target):
            subscriber.on_navigated(target, event)
        frame_id: str = event["frame"]["id"]
        if frame_id == target.id:
            self.spare_contexts(target)
        self._tell_of_leaving(target, frame_id, event["frame"]["loaderId"])
        self._tell_of_move(target, frame_id)

    def spare_contexts(self, target: Target) -> None:
        """Leave later frames of a page without contexts where neither they nor a subscriber have scripts."""
        if target.spares_contexts:
            contexts.limit_contexts(
                target, all_later=any(subscriber.has_scripts() for subscriber in self._subscribers_of(target))
            )

    def scripts_changed(self, subscriber: Subscriber) -> None:
        """There are scripts now for every document of that subscriber's pages, or none any more."""
        for target in self.targets_of(subscriber):
            self.spare_contexts(target)

    def targets_of(self, subscriber: Subscriber) -> list[Target]:
        """Return the present targets whose events a subscriber hears."""
        return [target for target in self.targets if self.is_told(subscriber, target)]

    def begin_in_each(self, subscriber: Subscriber, begin: Callable[[Target], None]) -> None:
        """Call `begin` with each target of a subscriber: the present ones, and later ones before they may run."""
        subscriber.on_target.append(begin)
        for target in self.targets_of(subscriber):
            begin(target)

    def _moved_within(self, target: Target, event: dict[str, Any]) -> None:
        target.moved(event)
        self._tell_of_move(target, event["frameId"])

    def _frame_detached(self, target: Target, event: dict[str, Any]) -> None:
        self.targets.frame_detached(target, event["frameId"])
        if event.get("reason") != "swap":  # to another process, which tells of it, and may have told already
            self._tell_of_leaving(target, event["frameId"], "")

    def _tell_of_leaving(self, target: Target, frame_id: str, loader: str) -> None:
        for subscriber in self._subscribers_of(target):
            subscriber.on_frame_left(target, frame_id, loader)

    def _tell_of_move(self, target: Target, frame_id: str) -> None:
        if frame_id == target.page:
            for subscriber in self._subscribers_of(target):
                subscriber.on_moved(target)

    def _tell_of_loss(self, page_id: str, words: str) -> None:
        if self.targets.knows(page_id):
            for subscriber in self._subscribers_of(self.targets.get(page_id)):
                subscriber.on_messages_lost(page_id, words)

    def _report_message(self, target: Target, method: str, event: dict[str, Any]) -> None:
        for subscriber in self._subscribers_of(target):
            subscriber.on_said(target, method, event)

    def _attached(self, message: bytes) -> None:
        self.attach(decode(message)["params"], self.targets.target_of(message))

    def attach(self, event: dict[str, Any], parent: Target | None = None) -> None:
        """A session has begun whose events we read, with a target that may be new (`Target.attachedToTarget`)."""
        target_id, session_id = event["targetInfo"]["targetId"], event["sessionId"]

        def make() -> Target:
            page = parent.page if parent else target_id
            valve = (
                parent.rate_limiter
                if parent
                else ConsoleRateLimiter(lambda words: self._tell_of_loss(page, words))
            )
            kind = event["targetInfo"].get("type", "page")
            target = Target(target_id, page, valve, self._session_of(session_id), kind)
            target.opener = event["targetInfo"].get("openerId", "")
            inherited = parent.browser_context if parent else ""
            target.browser_context = event["targetInfo"].get("browserContextId", inherited)
            self.on_new_target(target)
            return target

        is_new = not self.targets.knows(target_id)
        self.targets.attached(target_id, session_id, make)
        if is_new:
            target = self.targets.get(target_id)
            if self.targets.knows(target.opener):
                self.targets.get(target.opener).on_window_opened(target)
            for subscriber in self._subscribers_of(target):
                for begins in subscriber.on_target:
                    begins(target)

    def _detached(self, message: bytes) -> None:
        self.detach(decode(message)["params"]["sessionId"])

    def detach(self, session_id: str) -> None:
        """A session has ended whose events we read."""
        target = self.targets.detached(session_id)
        if target and target.id == target.page:
            target.rate_limiter.close()
            audience = self.audience(target)
            for subscriber in self._subscribers_of(target):
                for on_gone in subscriber.on_page_gone:
                    on_gone(target.id)
            audience.forget(target.id)

    def _download_began(self, message: bytes) -> None:
        event = decode(message)["params"]
        self._downloads[event["guid"]] = told = self._told_of_download(event["frameId"])
        for subscriber in told:
            subscriber.on_download_begin(event)

    def _told_of_download(self, frame_id: str) -> Sequence[Subscriber]:
        if frame_id in self.silent_frames:
            return ()
        page = self.targets.page_with_frame(frame_id)
        return self._subscribers_of(page) if page else self._rest.subscribers

    def _download_went_on(self, message: bytes) -> None:
        event = decode(message)["params"]
        is_over = event["state"] != "inProgress"
        told = (self._downloads.pop if is_over else self._downloads.get)(event["guid"], self._rest.subscribers)
        for subscriber in told:
            subscriber.on_download_progress(event)

    def _logged(self, message: bytes) -> None:
        """A message of Chromium's own; a worker's is left out, as its own session has told that."""
        if SAID_BY_WORKER not in message[:90]:
            self._on_said(message)

    def _on_said(self, message: bytes) -> None:
        target = self.targets.target_of(message)
        if target is None:
            return
        if self.releases_objects and _OBJECT in message:
            self._release(target)
        found = _SAID_AT.search(message)
        at = float(found[1]) / 1000 if found else time.time()
        if target.rate_limiter.admit(len(message), at, target.throttle):
            event = decode(message)
            self._report_message(target, event["method"], event["params"])

    def _revoked(self, target: Target, event: dict[str, Any]) -> None:
        self._report_message(target, "Runtime.exceptionRevoked", event)

    def _release(self, target: Target) -> None:
        target.kept_objects += 1
        if target.kept_objects >= MOST_KEPT_OBJECTS:
            target.kept_objects = 0
            target.observed.notify("Runtime.releaseObjectGroup", {"objectGroup": "console"})
