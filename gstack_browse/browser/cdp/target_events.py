"""Dispatch events of our sessions with targets: update `targets`, and call subscribers' handlers.

pipe ─► TargetEvents.handlers ─► Targets, then the subscriber to the target's browser context
"""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.targets import RESUME, SETUP_REQUESTS, Handler, Subscriber, Target, Targets
from gstack_browse.browser.cdp.throttling import ConsoleRateLimiter
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
    """Return an undecoded `Network` event's `requestId`. Chromium writes it before any text of the page."""
    begin = message.find(_REQUEST_ID) + len(_REQUEST_ID)
    return message[begin : message.find(b'"', begin)].decode()


class HiddenPages:
    """Pages that we open for our own use: they get no `Target`, and no subscriber gets their events."""

    def __init__(self) -> None:
        self._opening: asyncio.Future[Session] | None = None
        """The session with a hidden page that is being opened."""
        self._context = ""
        """Browser context id of that page."""
        self._sessions: dict[str, Session] = {}

    def expect(self, browser_context: str) -> "asyncio.Future[Session]":
        """Hide the next new page of a browser context that no page has opened. Return a future of its session."""
        self._opening = asyncio.get_running_loop().create_future()
        self._context = browser_context
        return self._opening

    def cancel_opening(self) -> None:
        """Stop waiting for a hidden page, which could not be opened: the next new page is an ordinary one."""
        self._opening = None

    def hide_if_expected(self, info: dict[str, Any], session: Session, parent: Target | None) -> bool:
        """Hide a new target if it is the page that `expect` waits for. Return whether it is.

        `info`: the protocol's `TargetInfo`. `parent`: the target that contains it; None for pages.
        """
        if not self._is_expected(info, parent) or not (opened := self._opening):
            return False
        self._sessions[session.id], self._opening = session, None
        opened.set_result(session)
        return True

    def forget(self, session_id: str) -> None:
        """Forget a hidden page that has closed."""
        self._sessions.pop(session_id, None)

    def _is_expected(self, info: dict[str, Any], parent: Target | None) -> bool:
        """Return whether a new target is the page that `expect` waits for.

        It is a page in the expected browser context, without parent or opener. `info`: the protocol's `TargetInfo`.
        """
        return (
            parent is None
            and info["type"] == "page"
            and "openerId" not in info
            and info.get("browserContextId", "") == self._context
        )


class ConsoleEvents:
    """Passes console messages and exceptions to subscribers, if the page's rate limiter admits them."""

    def __init__(self, targets: Targets, subscriber_of: Callable[[Target], Subscriber]) -> None:
        self._targets = targets
        self._subscriber_of = subscriber_of

    def report_dropped(self, page_id: str, line: str) -> None:
        """Tell a page's subscriber that console messages were dropped. `line`: the text for the console log."""
        if self._targets.is_open(page_id):
            self._subscriber_of(self._targets.get(page_id)).on_messages_lost(page_id, line)

    def on_log_entry(self, message: bytes) -> None:
        """Handle `Log.entryAdded`. Ignore a worker's entry: the worker's session has reported it."""
        if FROM_WORKER not in message[:90]:
            self.on_message(message)

    def on_message(self, message: bytes) -> None:
        """Pass an undecoded console message or exception to the subscriber, if the rate limiter admits it."""
        target = self._targets.target_of(message)
        if target is None:
            return
        if _OBJECT_ID in message:
            self._count_object(target)
        timestamp = _TIMESTAMP.search(message)
        seconds = float(timestamp[1]) / 1000 if timestamp else time.time()
        if target.rate_limiter.admit(len(message), seconds, target.throttle):
            event = decode(message)
            self._subscriber_of(target).on_console_event(target, event["method"], event["params"])

    def on_exception_revoked(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Runtime.exceptionRevoked`: tell the subscriber that a rejection was handled later."""
        self._subscriber_of(target).on_console_event(target, "Runtime.exceptionRevoked", event)

    def _count_object(self, target: Target) -> None:
        """Count an object that Chromium keeps in memory for a console message; release all if there are many."""
        target.kept_objects += 1
        if target.kept_objects >= MOST_KEPT_OBJECTS:
            target.kept_objects = 0
            target.session.notify("Runtime.releaseObjectGroup", {"objectGroup": "console"})


class DownloadEvents:
    """Passes download events to the subscriber of the browser context whose page began the download."""

    def __init__(
        self,
        targets: Targets,
        subscriber_of: Callable[[Target], Subscriber],
        *,
        default: Callable[[], Subscriber],
        nobody: Subscriber,
    ) -> None:
        self.on_event: Callable[[str, str, dict[str, Any]], object] = lambda context, phase, event: None
        """Called with browser context id, "begin" or "progress", and parameters of each download event."""
        self.silent_frames: set[str] = set()
        """Frames that we have made for ourselves: their downloads are not reported."""
        self._targets = targets
        self._subscriber_of = subscriber_of
        self._default = default
        self._nobody = nobody
        self._running: dict[str, tuple[str, Subscriber]] = {}
        """Running download, by its id → its browser context, and the subscriber to its events."""

    def on_begin(self, message: bytes) -> None:
        """Handle `Browser.downloadWillBegin`: pass it to the subscriber, chosen by the download's frame."""
        event = decode(message)["params"]
        page = self._targets.page_with_frame(event["frameId"])
        context = page.browser_context if page else ""
        if event["frameId"] in self.silent_frames:
            subscriber = self._nobody
        else:
            subscriber = self._subscriber_of(page) if page else self._default()
        self._running[event["guid"]] = context, subscriber
        self.on_event(context, "begin", event)
        subscriber.on_download_begin(event)

    def on_progress(self, message: bytes) -> None:
        """Handle `Browser.downloadProgress`: pass the event to the download's subscriber."""
        event = decode(message)["params"]
        find = self._running.get if event["state"] == "inProgress" else self._running.pop
        context, subscriber = find(event["guid"], ("", self._default()))
        self.on_event(context, "progress", event)  # before a subscriber moves the finished file
        subscriber.on_download_progress(event)


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
        self.hidden_pages = HiddenPages()
        self._root = root
        self._session_of = session_of
        self._nobody = Subscriber(self._dispatch_to_subscriber)
        """The subscriber to browser contexts whose events nobody wants: it has no handlers."""
        self._default_subscriber = self._nobody
        """Gets the events of every browser context without a subscriber of its own."""
        self._subscribers: dict[str, Subscriber] = {}
        self.downloads = DownloadEvents(
            self.targets, self.subscriber_of, default=lambda: self._default_subscriber, nobody=self._nobody
        )
        self._console = console = ConsoleEvents(self.targets, self.subscriber_of)
        self.handlers: dict[bytes, Callable[[bytes], object]] = {
            b"Target.attachedToTarget": self._on_attached,
            b"Target.detachedFromTarget": self._on_detached,
            b"Runtime.consoleAPICalled": console.on_message,
            b"Runtime.exceptionThrown": console.on_message,
            b"Log.entryAdded": console.on_log_entry,
            b"Browser.downloadWillBegin": self.downloads.on_begin,
            b"Browser.downloadProgress": self.downloads.on_progress,
        }
        """Event name → handler of the undecoded event. The pipe looks up here itself, which saves a call for each event."""
        self.on("Runtime.exceptionRevoked", console.on_exception_revoked)
        self.on("Runtime.executionContextCreated", Target.on_context_created)
        self.on("Runtime.executionContextDestroyed", Target.on_context_destroyed)
        self.on("Runtime.executionContextsCleared", Target.on_contexts_cleared)
        self.on("Page.frameNavigated", self._on_navigated)
        self.on("Page.navigatedWithinDocument", self._on_navigated_within_document)
        self.on("Page.frameAttached", lambda target, event: self.targets.add_frame(target, event["frameId"]))
        self.on("Page.frameDetached", self._on_frame_detached)
        self.on("Page.domContentEventFired", Target.on_ready)
        self.on("Page.loadEventFired", Target.on_loaded)
        self.on("Page.frameStoppedLoading", Target.on_stopped)
        self.on("Page.windowOpen", lambda target, event: target.on_window_open(event))

    def subscribe(self, browser_context: str = "") -> Subscriber:
        """Return a new subscriber to the events of a browser context. It replaces the one before.

        "" stands for every context without a subscriber of its own.
        """
        subscriber = Subscriber(self._dispatch_to_subscriber)
        if browser_context:
            self._subscribers[browser_context] = subscriber
        else:
            self._default_subscriber = subscriber
        return subscriber

    def mute_context(self, browser_context: str) -> None:
        """Drop all events of a browser context that gbrowse has made for its own use, not for a session."""
        self._subscribers[browser_context] = self._nobody

    def forget(self, browser_context: str) -> None:
        """Drop the subscriber of a closed browser context, and the origins it has visited."""
        self._subscribers.pop(browser_context, None)
        self.targets.visited.pop(browser_context, None)

    def subscriber_of(self, target: Target) -> Subscriber:
        """Return the subscriber that gets a target's events, by its browser context."""
        return self._subscribers.get(target.browser_context, self._default_subscriber)

    def _dispatch_to_subscriber(self, method: str) -> None:
        """Pass events named `method` to the subscriber of their target from now on.

        Its reader gets the undecoded event, then its handler the decoded one.
        """

        def dispatch(message: bytes) -> None:
            if (target := self.targets.target_of(message)) is None:
                return
            subscriber = self.subscriber_of(target)
            if reader := subscriber.readers.get(method):
                reader(target, message)
            if handler := subscriber.handlers.get(method):
                handler(target, decode(message)["params"])

        self.handlers[method.encode()] = dispatch

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with target and parameters of each event named `method`, in any browser context."""

        def decode_and_handle(message: bytes) -> None:
            if target := self.targets.target_of(message):
                handler(target, decode(message)["params"])

        self.handlers[method.encode()] = decode_and_handle

    def _on_navigated(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameNavigated`: update target and origins, then call the subscriber."""
        target.on_navigated(event)
        self.targets.note_origin(target, event["frame"].get("url", ""))
        self.subscriber_of(target).on_navigated(target, event)
        frame_id: str = event["frame"]["id"]
        self.subscriber_of(target).on_frame_left(target, frame_id, event["frame"]["loaderId"])
        self._report_url_change(target, frame_id)
        if event.get("type") == "BackForwardCacheRestore" and frame_id == target.page:
            asyncio.get_running_loop().call_soon(self._report_load, target)

    def _report_load(self, target: Target) -> None:
        """Report the load events of a page that came from the back-forward cache: Chromium sends none."""
        for method in ("Page.domContentEventFired", "Page.loadEventFired"):
            event = encode({"method": method, "params": {"timestamp": 0}, "sessionId": target.session.id})
            self.handlers[method.encode()](event)

    def targets_of(self, subscriber: Subscriber) -> list[Target]:
        """Return the open targets whose events a subscriber gets."""
        return [target for target in self.targets if self.subscriber_of(target) is subscriber]

    def call_for_targets(self, subscriber: Subscriber, set_up: Callable[[Target], None]) -> None:
        """Call `set_up` with each open target of a subscriber, and with each later one before it runs."""
        subscriber.on_target.append(set_up)
        for target in self.targets_of(subscriber):
            set_up(target)

    def _on_navigated_within_document(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.navigatedWithinDocument`: update the target's URL, then call the subscriber."""
        target.on_moved(event)
        self._report_url_change(target, event["frameId"])

    def _on_frame_detached(self, target: Target, event: dict[str, Any]) -> None:
        """Handle `Page.frameDetached`: forget the frame; call the subscriber if it was removed, not moved."""
        self.targets.remove_frame(target, event["frameId"])
        if event.get("reason") != "swap":  # the frame has moved to another process, whose session reports it
            self.subscriber_of(target).on_frame_left(target, event["frameId"], "")

    def _report_url_change(self, target: Target, frame_id: str) -> None:
        """Report to the subscriber that a page's URL has changed, if the frame is its main frame."""
        if frame_id == target.page:
            self.subscriber_of(target).on_moved(target)

    def _on_attached(self, message: bytes) -> None:
        """Handle an undecoded `Target.attachedToTarget`: see `attach`."""
        self.attach(decode(message)["params"], self.targets.target_of(message))

    def attach(self, event: dict[str, Any], parent: Target | None = None) -> None:
        """Handle `Target.attachedToTarget`: add the new target, call the subscribers, let it run.

        `parent`: the target in whose session the event came; None for the browser's session.
        """
        info = event["targetInfo"]
        if info["type"] == "browser":
            return  # the response to `Target.attachToBrowserTarget` has the session
        session = self._session_of(event["sessionId"])
        if self.hidden_pages.hide_if_expected(info, session, parent):
            return
        is_own = info["type"] in SETUP_REQUESTS and (parent is not None or self.is_own(info))
        if not is_own or self.targets.is_open(
            info["targetId"]
        ):  # a service worker is attached to by its page, too
            session.notify(RESUME)
            parent_session = parent.session if parent else self._root
            parent_session.notify("Target.detachFromTarget", {"sessionId": session.id})
            return
        target = self._make_target(info, session, parent)
        self.targets.add(target)
        self.on_new_target(target)
        if self.targets.is_open(target.opener):
            self.targets.get(target.opener).on_window_opened(target)
        for set_up in self.subscriber_of(target).on_target:
            set_up(target)
        self.on_ready_target(target)

    def _make_target(self, info: dict[str, Any], session: Session, parent: Target | None) -> Target:
        """Make the `Target` of a new session. A frame or worker belongs to its parent's page.

        `info`: the protocol's `TargetInfo`. `parent`: the target that contains it; None for a page.
        """
        page = parent.page if parent else info["targetId"]
        limiter = (
            parent.rate_limiter
            if parent
            else ConsoleRateLimiter(lambda line: self._console.report_dropped(page, line))
        )
        target = Target(info["targetId"], page, limiter, session, info["type"])
        target.opener = info.get("openerId", "")
        target.browser_context = info.get("browserContextId", parent.browser_context if parent else "")
        return target

    def _on_detached(self, message: bytes) -> None:
        """Handle an undecoded `Target.detachedFromTarget`: see `detach`."""
        self.detach(decode(message)["params"]["sessionId"])

    def detach(self, session_id: str) -> None:
        """Handle the end of a session: remove its target, and if that is a page, all its frames and workers."""
        target = self.targets.remove(session_id)
        if target is None:
            self._session_of(session_id).end("Target closed")
            self.hidden_pages.forget(session_id)
            return
        if target.id == target.page:
            for part in [part for part in self.targets if part.page == target.id]:
                self.detach(part.session.id)
        target.session.end("Target closed")
        if target.id == target.page:
            target.rate_limiter.close()
            for on_gone in self.subscriber_of(target).on_page_gone:
                on_gone(target.id)
