"""Reads events of our sessions with targets: updates `targets`, and calls the handlers of subscribers.

pipe ─► TargetEvents.handlers ─► Targets, then the `audience` of the target's browser context
"""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from gstack_browse.browser.cdp.audience import Audience, Handler, Subscriber
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.target_setup import RESUME, SETUP_REQUESTS
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.browser.cdp.valve import ConsoleRateLimiter
from gstack_browse.text.json_bytes import decode, encode

FROM_WORKER = b'"source":"worker"'
"""In a page's `Log.entryAdded`: a worker's message, which the worker's session has reported already."""
MOST_KEPT_OBJECTS = 1_000
"""Most objects in console messages that Chromium keeps for us before we release them."""
_TIMESTAMP = re.compile(rb'"timestamp":([0-9.e+]+)')
"""Time of a message in milliseconds. Text of the page cannot match: its quotes are escaped."""
_REQUEST_ID = b'"requestId":"'
_OBJECT_ID = b'"objectId":'


def request_id_in(message: bytes) -> str:
    """Return the request id in an undecoded event. Chromium writes it before any text of the page."""
    begin = message.find(_REQUEST_ID) + len(_REQUEST_ID)
    return message[begin : message.find(b'"', begin)].decode()


class TargetEvents:
    """Dispatches events of all targets. Updates `targets` first, then calls subscribers.

    `root`: the session with the browser. `session_of`: returns the session with an id.
    """

    def __init__(self, root: Session, session_of: Callable[[str], Session]) -> None:
        self.targets = Targets()
        self.on_new_target: Callable[[Target], None] = lambda target: None
        """Called with a new target before the subscribers."""
        self.on_ready_target: Callable[[Target], None] = lambda target: None
        """Called with a new target after the subscribers: it may run now."""
        self.is_own: Callable[[dict[str, Any]], bool] = lambda info: True
        """Returns whether a target is ours, by its `TargetInfo`. We detach from others at once."""
        self.on_download: Callable[[str, str, dict[str, Any]], object] = lambda context, phase, event: None
        """Called with browser context id, "begin" or "progress", and parameters of each download event."""
        self.silent_frames: set[str] = set()
        """Frames that we have made for ourselves: their downloads are not reported."""
        self._root = root
        self._hidden_page: asyncio.Future[Session] | None = None
        """The session with a hidden page that is being opened."""
        self._hidden_page_context = ""
        """Browser context id of that page."""
        self._hidden_sessions: dict[str, Session] = {}
        """Sessions with hidden pages, which are not in `targets` and have no subscribers."""
        self._session_of = session_of
        self._default_audience = Audience()
        """Gets the events of every browser context without an audience of its own."""
        self._audiences: dict[str, Audience] = {}
        self._download_audiences: dict[str, Sequence[Subscriber]] = {}
        """Running download, by its id → the subscribers to its events."""
        self._download_contexts: dict[str, str] = {}
        """Running download, by its id → its browser context."""
        self.handlers: dict[bytes, Callable[[bytes], object]] = {
            b"Target.attachedToTarget": self._on_attached,
            b"Target.detachedFromTarget": self._on_detached,
            b"Runtime.consoleAPICalled": self._on_console_message,
            b"Runtime.exceptionThrown": self._on_console_message,
            b"Log.entryAdded": self._on_log_entry,
            b"Browser.downloadWillBegin": self._on_download_begin,
            b"Browser.downloadProgress": self._on_download_progress,
        }
        """Event name → handler of the undecoded event. The pipe looks up here itself, which saves a call for each event."""
        self.on("Runtime.exceptionRevoked", self._on_exception_revoked)
        self.on("Runtime.executionContextCreated", Target.on_created)
        self.on("Runtime.executionContextDestroyed", Target.on_destroyed)
        self.on("Runtime.executionContextsCleared", Target.on_cleared)
        self.on("Page.frameNavigated", self._on_navigated)
        self.on("Page.navigatedWithinDocument", self._on_navigated_within_document)
        self.on("Page.frameAttached", lambda target, event: self.targets.add_frame(target, event["frameId"]))
        self.on("Page.frameDetached", self._on_frame_detached)
        self.on("Page.domContentEventFired", Target.on_ready)
        self.on("Page.loadEventFired", Target.on_loaded)
        self.on("Page.frameStoppedLoading", Target.on_stopped)
        self.on("Page.windowOpen", lambda target, event: target.on_window_open(event))

    def subscribe(self, browser_context: str = "", *, joins: bool = False) -> Subscriber:
        """Add a subscriber to a browser context: as the only one, or, if `joins`, as one more.

        "" stands for every context without subscribers of its own.
        """
        subscriber = Subscriber(self._dispatch_to_subscribers)
        audience = (
            self._audiences.setdefault(browser_context, Audience())
            if browser_context
            else self._default_audience
        )
        (audience.join if joins else audience.replace)(subscriber)
        return subscriber

    def mute_context(self, browser_context: str) -> None:
        """Report no events of a browser context that belongs to none of our sessions."""
        self._audiences[browser_context] = Audience()

    def claim(self, page_id: str, subscriber: Subscriber) -> None:
        """Send events of a page and its windows to this subscriber only, if several share the context."""
        self.audience(self.targets.get(page_id)).claim(page_id, subscriber)

    def forget(self, browser_context: str) -> None:
        """Drop everything about a closed browser context."""
        self._audiences.pop(browser_context, None)
        self.targets.visited.pop(browser_context, None)

    def audience(self, target: Target) -> Audience:
        """Return the audience of a target's browser context."""
        return self._audiences.get(target.browser_context, self._default_audience)

    def is_subscribed(self, subscriber: Subscriber, target: Target) -> bool:
        """Return whether a subscriber gets events of a target."""
        return subscriber in self._subscribers_of(target)

    def _subscribers_of(self, target: Target) -> Sequence[Subscriber]:
        audience = self.audience(target)
        if not audience.is_shared:
            return audience.subscribers
        page = self.targets.page_of(target)
        return audience.of(page.id, page.opener)

    def _dispatch_to_subscribers(self, method: str) -> None:
        """Dispatch events of that name to the subscribers' readers and handlers."""

        def dispatch(message: bytes) -> None:
            if (target := self.targets.target_of(message)) is None:
                return
            subscribers = self._subscribers_of(target)
            for subscriber in subscribers:
                if reader := subscriber.readers.get(method):
                    reader(target, message)
            if handlers := [each.handlers[method] for each in subscribers if method in each.handlers]:
                event = decode(message)["params"]
                for handler in handlers:
                    handler(target, event)

        self.handlers[method.encode()] = dispatch

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with target and parameters of each such event, in any browser context."""

        def decode_and_handle(message: bytes) -> None:
            if target := self.targets.target_of(message):
                handler(target, decode(message)["params"])

        self.handlers[method.encode()] = decode_and_handle

    def observe(self, method: bytes, message: bytes) -> None:
        """Handle an undecoded event in Chromium's layout."""
        if handler := self.handlers.get(method):
            handler(message)

    def _on_navigated(self, target: Target, event: dict[str, Any]) -> None:
        target.on_navigated(event)
        self.targets.set_frame_document(target, event["frame"])
        self.targets.note_origin(target, event["frame"].get("url", ""))
        for subscriber in self._subscribers_of(target):
            subscriber.on_navigated(target, event)
        frame_id: str = event["frame"]["id"]
        self._report_frame_left(target, frame_id, event["frame"]["loaderId"])
        self._report_url_change(target, frame_id)
        if event.get("type") == "BackForwardCacheRestore" and frame_id == target.page:
            asyncio.get_running_loop().call_soon(self._report_load, target)

    def _report_load(self, target: Target) -> None:
        """Make the load events of a document from the back-forward cache: Chromium sends none."""
        for method in ("Page.domContentEventFired", "Page.loadEventFired"):
            event = encode({"method": method, "params": {"timestamp": 0}, "sessionId": target.session.id})
            self.observe(method.encode(), event)

    def targets_of(self, subscriber: Subscriber) -> list[Target]:
        """Return the open targets whose events a subscriber gets."""
        return [target for target in self.targets if self.is_subscribed(subscriber, target)]

    def call_for_targets(self, subscriber: Subscriber, set_up: Callable[[Target], None]) -> None:
        """Call `set_up` with each open target of a subscriber, and with each later one before it runs."""
        subscriber.on_target.append(set_up)
        for target in self.targets_of(subscriber):
            set_up(target)

    def _on_navigated_within_document(self, target: Target, event: dict[str, Any]) -> None:
        target.on_moved(event)
        self._report_url_change(target, event["frameId"])

    def _on_frame_detached(self, target: Target, event: dict[str, Any]) -> None:
        self.targets.remove_frame(target, event["frameId"])
        if event.get("reason") != "swap":  # the frame has moved to another process, whose session reports it
            self._report_frame_left(target, event["frameId"], "")

    def _report_frame_left(self, target: Target, frame_id: str, loader: str) -> None:
        for subscriber in self._subscribers_of(target):
            subscriber.on_frame_left(target, frame_id, loader)

    def _report_url_change(self, target: Target, frame_id: str) -> None:
        if frame_id == target.page:
            for subscriber in self._subscribers_of(target):
                subscriber.on_moved(target)

    def _report_lost_messages(self, page_id: str, line: str) -> None:
        if self.targets.knows(page_id):
            for subscriber in self._subscribers_of(self.targets.get(page_id)):
                subscriber.on_messages_lost(page_id, line)

    def _report_message(self, target: Target, method: str, event: dict[str, Any]) -> None:
        for subscriber in self._subscribers_of(target):
            subscriber.on_said(target, method, event)

    def _on_attached(self, message: bytes) -> None:
        self.attach(decode(message)["params"], self.targets.target_of(message))

    def attach(self, event: dict[str, Any], parent: Target | None = None) -> None:
        """Handle `Target.attachedToTarget`: add the new target, call the subscribers, let it run.

        `parent`: the target in whose session the event came; None for the browser's session.
        """
        info = event["targetInfo"]
        if info["type"] == "browser":
            return  # the response to `Target.attachToBrowserTarget` has the session
        session = self._session_of(event["sessionId"])
        if self._is_hidden_page(info, parent) and (opened := self._hidden_page):
            self._hidden_sessions[session.id], self._hidden_page = session, None
            opened.set_result(session)
            return
        is_own = info["type"] in SETUP_REQUESTS and (parent is not None or self.is_own(info))
        if not is_own or self.targets.knows(
            info["targetId"]
        ):  # a service worker is attached to by its page, too
            session.notify(RESUME)
            parent_session = parent.session if parent else self._root
            parent_session.notify("Target.detachFromTarget", {"sessionId": session.id})
            return
        target = self._make_target(info, session, parent)
        self.targets.add(target)
        self.on_new_target(target)
        if self.targets.knows(target.opener):
            self.targets.get(target.opener).on_window_opened(target)
        for subscriber in self._subscribers_of(target):
            for set_up in subscriber.on_target:
                set_up(target)
        self.on_ready_target(target)

    def hide_next_page(self, browser_context: str) -> "asyncio.Future[Session]":
        """Hide the next page of a context that has no opener. Return a future of the session with that page."""
        self._hidden_page = asyncio.get_running_loop().create_future()
        self._hidden_page_context = browser_context
        return self._hidden_page

    def cancel_hiding(self) -> None:
        """Report the next page again, since the hidden page was not opened."""
        self._hidden_page = None

    def _is_hidden_page(self, info: dict[str, Any], parent: Target | None) -> bool:
        return (
            parent is None
            and info["type"] == "page"
            and "openerId" not in info
            and info.get("browserContextId", "") == self._hidden_page_context
        )

    def _make_target(self, info: dict[str, Any], session: Session, parent: Target | None) -> Target:
        page = parent.page if parent else info["targetId"]
        limiter = (
            parent.rate_limiter
            if parent
            else ConsoleRateLimiter(lambda line: self._report_lost_messages(page, line))
        )
        target = Target(info["targetId"], page, limiter, session, info["type"])
        target.opener = info.get("openerId", "")
        target.browser_context = info.get("browserContextId", parent.browser_context if parent else "")
        return target

    def _on_detached(self, message: bytes) -> None:
        self.detach(decode(message)["params"]["sessionId"])

    def detach(self, session_id: str) -> None:
        """Handle the end of a session: remove its target; for a page, all targets in it, too."""
        target = self.targets.remove(session_id)
        if target is None:
            self._session_of(session_id).end("Target closed")
            self._hidden_sessions.pop(session_id, None)
            return
        if target.id == target.page:
            for part in [part for part in self.targets if part.page == target.id]:
                self.detach(part.session.id)
        target.session.end("Target closed")
        if target.id == target.page:
            target.rate_limiter.close()
            audience = self.audience(target)
            for subscriber in self._subscribers_of(target):
                for on_gone in subscriber.on_page_gone:
                    on_gone(target.id)
            audience.forget(target.id)

    def _on_download_begin(self, message: bytes) -> None:
        event = decode(message)["params"]
        self._download_audiences[event["guid"]] = subscribers = self._download_subscribers(event["frameId"])
        page = self.targets.page_with_frame(event["frameId"])
        self._download_contexts[event["guid"]] = context = page.browser_context if page else ""
        self.on_download(context, "begin", event)
        for subscriber in subscribers:
            subscriber.on_download_begin(event)

    def _download_subscribers(self, frame_id: str) -> Sequence[Subscriber]:
        if frame_id in self.silent_frames:
            return ()
        page = self.targets.page_with_frame(frame_id)
        return self._subscribers_of(page) if page else self._default_audience.subscribers

    def _on_download_progress(self, message: bytes) -> None:
        event = decode(message)["params"]
        is_over = event["state"] != "inProgress"
        contexts = self._download_contexts
        context = (contexts.pop if is_over else contexts.get)(event["guid"], "")
        self.on_download(context, "progress", event)  # before a subscriber moves the finished file
        audiences = self._download_audiences
        find = audiences.pop if is_over else audiences.get
        for subscriber in find(event["guid"], self._default_audience.subscribers):
            subscriber.on_download_progress(event)

    def _on_log_entry(self, message: bytes) -> None:
        """Handle `Log.entryAdded`. Ignore a worker's entry: the worker's session has reported it."""
        if FROM_WORKER not in message[:90]:
            self._on_console_message(message)

    def _on_console_message(self, message: bytes) -> None:
        target = self.targets.target_of(message)
        if target is None:
            return
        if _OBJECT_ID in message:
            self._release_console_objects(target)
        timestamp = _TIMESTAMP.search(message)
        seconds = float(timestamp[1]) / 1000 if timestamp else time.time()
        if target.rate_limiter.admit(len(message), seconds, target.throttle):
            event = decode(message)
            self._report_message(target, event["method"], event["params"])

    def _on_exception_revoked(self, target: Target, event: dict[str, Any]) -> None:
        self._report_message(target, "Runtime.exceptionRevoked", event)

    def _release_console_objects(self, target: Target) -> None:
        """Count an object that Chromium keeps for us. Release them all once there are too many."""
        target.kept_objects += 1
        if target.kept_objects >= MOST_KEPT_OBJECTS:
            target.kept_objects = 0
            target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": "console"})
