"""Connects us to a browser of Playwright's: targets, our own sessions, and what Playwright knows.

`PipeConnection` shares Playwright's pipe to Chromium. Chromium's messages come in one order: what it told the driver before
it answered us has passed here by then. But the driver, and Playwright after it, may not have read it yet: see `wait_for_playwright`.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.adoption import WORLD_MADE, Adoption, FirstPage
from gstack_browse.browser.cdp.diet import DOCUMENT_NEWS, MOMENTS, NO_NEWS, DriverEventFilter, Interest
from gstack_browse.browser.cdp.driver_types import Browser, CDPSession
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.pipe import EVENT, Pipe
from gstack_browse.browser.cdp.playwright_internals import PAGE_IN_WORLD
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_workers import FROM_THE_BEGINNING, SHARED_WORKER, SharedWorkers
from gstack_browse.browser.cdp.tap import TargetEvents
from gstack_browse.browser.cdp.targets import Target, Targets
from gstack_browse.text.json_bytes import decode

RELIED_ON = ("Page", "Runtime", "Network", "Log")
"""Parts of the protocol whose events we read. We enable them ourselves: a driver need not need them for ever."""
_WITH_REQUESTS = frozenset({"page", "iframe", "worker", "service_worker"})
"""Kinds of targets that the driver listens to."""
_SESSION_ID = re.compile(rb'"sessionId":"([0-9A-F]{32})"')
NEW_CONTEXT = b'"Target.createBrowserContext"'
_METHOD = len(EVENT)
"""Where the name of an event begins."""
_CHANGED = frozenset({*MOMENTS, WORLD_MADE})
"""Events in whose place the driver may get another."""


class Connection(ABC):
    """The connection to Chromium's protocol, as the rest of the program uses it."""

    hears_first = False
    """Whether we hear of an event before Playwright does."""

    def __init__(self, tap: TargetEvents) -> None:
        self.tap = tap
        self.on_end: Callable[[bool], None] = lambda by_browser: None
        """Called with `by_browser` when the connection ends, before pending requests fail."""
        self.no_pipe_reason = ""
        """Why there is no pipe, in words; "" where there is one."""

    @property
    def targets(self) -> Targets:
        return self.tap.targets

    @abstractmethod
    async def open(self, browser: Browser) -> None:
        """Try the connection, with Playwright and with a request of ours. Raises ProtocolError."""

    @abstractmethod
    async def attach(self, target_id: str) -> Target:
        """Attach to a target with a session of our own. Raises ProtocolError if it has closed."""

    def find_page(self, name: str) -> Target | None:
        """Find a page by the driver's name (`playwright_internals.name_of`); None if it is not known yet."""
        return None

    @abstractmethod
    async def session(self, target_id: str) -> Session:
        """Open one more session with a target. Raises ProtocolError if it has closed."""

    @abstractmethod
    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the browser itself. Raises ProtocolError."""

    async def ask_driver(self) -> None:
        """Ping the browser through Playwright's driver. Raises ProtocolError."""
        await self.ask_browser("Browser.getVersion")

    def expect_context(self) -> "asyncio.Future[str] | None":
        """Return a future of Chromium's id of the driver's next browser context; None if unsupported."""
        return None

    async def browser_contexts(self) -> set[str]:
        """Return Chromium's ids of all browser contexts but its own. Raises ProtocolError."""
        told = await self.ask_browser("Target.getBrowserContexts")
        return set(told["browserContextIds"])

    @abstractmethod
    async def on_browser(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        """Call `handler` with the parameters of such events of the browser. Raises ProtocolError."""

    @abstractmethod
    def report_downloads(self, browser_context: str, directory: str) -> None:
        """Enable the events of a browser context's downloads, which go to that directory."""

    @abstractmethod
    async def wait_for_playwright(self, browser_context: str = "") -> None:
        """Wait until Playwright knows all that Chromium had sent at the call. Never raises.

        With a `browser_context`: only events of that, or of none.
        """

    async def is_own_frame(self, frame_id: str) -> bool:
        """Return whether a frame or worker is in a page of ours: always, in our own browser. Never raises."""
        return True

    @property
    def is_behind(self) -> bool:
        """Whether Playwright has not heard of everything yet, as far as we know."""
        return False

    def has_all_effects(self, browser_context: str = "") -> bool:
        """Return whether `wait_for_effects` would return at once."""
        return False

    @abstractmethod
    async def wait_for_effects(self, browser_context: str = "") -> None:
        """Wait until Playwright knows windows, dialogs, downloads and crashes. We know documents ourselves."""

    @abstractmethod
    def hold_documents(self, page_id: str) -> None:
        """Hold a page's events of documents and frames until `wait_for_playwright`, or another event."""

    @abstractmethod
    def withhold_requests(self, interest: Callable[[str], Interest], browser_context: str = "") -> None:
        """Withhold events of requests that the driver does not need; `interest` tells by a page's id.

        "" stands for every context without an `interest` of its own.
        """

    async def wait_for_end_report(self) -> None:  # noqa: B027 - where the browser's end is known first there is nothing to wait for
        """Return once it is known whether the browser is still there. Never raises."""

    def forget(self, browser_context: str) -> None:
        """Drop everything about a closed browser context."""
        self.tap.forget(browser_context)

    @abstractmethod
    def close(self) -> None:
        """End the connection."""


class PipeConnection(Connection):
    """Over the pipe that Playwright's driver has to Chromium."""

    hears_first = True
    spares_contexts = True
    """Whether the pages are ours alone, so that nobody else misses contexts of scripts in them: see `contexts`."""

    def __init__(self, pipe: Pipe) -> None:
        super().__init__(TargetEvents(self._session_of))
        self.pipe = pipe
        self.event_filter = DriverEventFilter(self.tap.targets)
        self.tap.releases_objects = self.event_filter.is_applied
        self.forwarded = 0
        """How many events with news have gone to the driver."""
        self._news: dict[str, int] = {}
        """Browser context → how many had gone when the last one of it went; "" for what is of none."""
        self._effects: dict[str, int] = {}
        """The same for those that were not about documents and frames."""
        self._known = 0
        """How many of them Playwright is known to have heard of."""
        self._barrier_target = 0
        """How many of them it will have heard of when `_catching_up` is done."""
        self._catching_up: asyncio.Future[None] | None = None
        self._barrier_session: CDPSession | None = None
        self._root: asyncio.Future[Session] | None = None
        self._held_pages: set[str] = set()
        self._adoption: Adoption | None = None
        self._next_context: asyncio.Future[str] | None = None
        self._shared_workers = SharedWorkers(pipe, self.tap)
        if self.event_filter.is_applied:
            self.event_filter.needs[b"Target.attachedToTarget"] = self._shared_workers.are_others_in
        self._handlers, self._needs = self.tap.handlers, self.event_filter.needs
        pipe.filter_event = self._filter_event
        pipe.on_driver_messages = self._read_driver_messages
        pipe.on_end = lambda by_browser: self.on_end(by_browser)

    def _read_driver_messages(self, messages: bytes) -> None:
        """Note the driver's name of a page (in the name of its world), and the id of its next browser context."""
        if self._next_context and NEW_CONTEXT in messages:
            self._await_context(messages, self._next_context)
        at = messages.find(PAGE_IN_WORLD)
        while at >= 0:
            begin, end = at + len(PAGE_IN_WORLD), messages.find(b"\0", at)
            session = _SESSION_ID.search(messages, messages.rfind(b"\0", 0, at) + 1, end)
            if session:
                name = messages[begin : messages.find(b'"', begin)].decode()
                self.targets.set_name(session[1], name)
            at = messages.find(PAGE_IN_WORLD, end)

    def find_page(self, name: str) -> Target | None:
        return self.targets.find_by_name(name)

    def expect_context(self) -> "asyncio.Future[str] | None":
        self._next_context = asyncio.get_running_loop().create_future()
        return self._next_context

    def _await_context(self, messages: bytes, coming: "asyncio.Future[str]") -> None:
        """Watch for the answer to the driver's request for a browser context."""

        def answered(message: bytes) -> None:
            self._next_context = None
            if (context := decode(message).get("result", {}).get("browserContextId")) and not coming.done():
                coming.set_result(context)

        for message in messages.split(b"\0"):
            if NEW_CONTEXT in message:
                self.pipe.answer_handlers[decode(message)["id"]] = answered

    def _session_of(self, session_id: str) -> Session:
        """To send requests in a session of anybody's."""
        return Session(self.pipe, session_id)

    def begin_adoption(self, first: FirstPage, unread: bytes) -> Adoption:
        """Adopt a page that was made before Playwright. `unread`: Chromium's messages until now."""
        adoption = Adoption(self.pipe, first)
        self.pipe.take(unread)
        self.watch_targets()
        adoption.target = target = self.targets.get(first.target)
        target.session = adoption.page
        target.browser_context = first.context
        self._adoption = adoption
        return adoption

    async def open(self, browser: Browser) -> None:
        self.watch_targets()
        await asyncio.gather(self._open_barrier(browser), self._open_root())

    async def session(self, target_id: str) -> Session:
        root = await self._open_root()
        return await root.attach("Target.attachToTarget", targetId=target_id, flatten=True)

    async def attach(self, target_id: str) -> Target:
        session = await self.session(target_id)
        target = self.targets.get(target_id)
        target.session = session
        target.speaks_for_driver = True
        for domain in RELIED_ON:
            if domain != FROM_THE_BEGINNING:
                target.observed.notify(f"{domain}.enable")
        self.event_filter.stop_lifecycle_events(target)
        target.spares_contexts = (
            self.spares_contexts and self.event_filter.is_applied and target.id == target.page
        )
        self.tap.spare_contexts(target)
        return target

    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        root = await self._open_root()
        return await root.send(method, params)

    async def ask_driver(self) -> None:
        if self._barrier_session:  # else there is no driver yet
            await self._barrier_session.send("Browser.getVersion")

    async def on_browser(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        root = await self._open_root()
        root.on(event, handler)

    def report_downloads(self, browser_context: str, directory: str) -> None:
        """The driver has asked for them, and we hear what it hears."""

    async def wait_for_playwright(self, browser_context: str = "") -> None:
        """See `Connection`. Returns at once if no relevant event has passed, since another page may be busy."""
        if self._held_pages and self._is_any_held(browser_context):
            self._release()
        if (
            self._known >= self.forwarded
            or self._known >= _last_event_about(self._news, browser_context)
            or self._barrier_session is None
            or not self.pipe.is_open
        ):
            return
        if self._catching_up is None or self._barrier_target < self.forwarded:
            self._barrier_target = self.forwarded
            self._catching_up = asyncio.ensure_future(self._catch_up(self._barrier_session, self.forwarded))
        await asyncio.shield(self._catching_up)

    @property
    def is_behind(self) -> bool:
        return bool(self._held_pages) or self._known < self.forwarded

    def has_all_effects(self, browser_context: str = "") -> bool:
        return self._known >= self.forwarded or self._known >= _last_event_about(self._effects, browser_context)

    async def wait_for_effects(self, browser_context: str = "") -> None:
        if not self.has_all_effects(browser_context):
            await self.wait_for_playwright(browser_context)

    def hold_documents(self, page_id: str) -> None:
        if self.event_filter.is_applied:
            self._held_pages.add(page_id)
            self.pipe.can_hold = self._can_hold

    def withhold_requests(self, interest: Callable[[str], Interest], browser_context: str = "") -> None:
        if browser_context:
            self.event_filter.interests[browser_context] = interest
        else:
            self.event_filter.interest = interest

    def forget(self, browser_context: str) -> None:
        super().forget(browser_context)
        self.event_filter.interests.pop(browser_context, None)
        for news in (self._news, self._effects):
            news[""] = max(news.get("", 0), news.pop(browser_context, 0))

    def close(self) -> None:
        self.pipe.close()

    async def _open_barrier(self, browser: Browser) -> None:
        self._barrier_session = await browser.new_browser_cdp_session()

    async def _catch_up(self, barrier: CDPSession, forwarded: int) -> None:
        with suppress(ProtocolError):  # the browser has ended
            await barrier.send("Browser.getVersion")
        self._known = max(self._known, forwarded)

    def _filter_event(self, message: bytes) -> bytes:
        """Read an event of the driver's. Return what the driver gets. Hot path: hundreds of events a page."""
        method = message[_METHOD : message.find(b'"', _METHOD)]
        if handler := self._handlers.get(method):
            handler(message)
        if (needs := self._needs.get(method)) and not needs(message):
            return b""
        if method not in NO_NEWS:
            self.forwarded += 1
            target = self.targets.target_of(message)
            context = target.browser_context if target else ""
            self._news[context] = self.forwarded
            if method not in DOCUMENT_NEWS:
                self._effects[context] = self.forwarded
        return self._replace_event(method, message) if method in _CHANGED else message

    def _replace_event(self, method: bytes, message: bytes) -> bytes:
        """Return the event that the driver gets in place of one of _CHANGED."""
        if method in MOMENTS:
            return self.event_filter.replace_event(method, message)
        return self._adoption.rename_world(message) if self._adoption else message

    def _can_hold(self, message: bytes) -> bool:
        if message[_METHOD : message.find(b'"', _METHOD)] not in DOCUMENT_NEWS:
            return False
        target = self.targets.target_of(message)
        return target is not None and target.page in self._held_pages

    def _is_any_held(self, browser_context: str) -> bool:
        """Return whether a page of that browser context is held; of any, for ""."""
        known = (self.targets.get(page) for page in self._held_pages if self.targets.knows(page))
        return not browser_context or any(target.browser_context == browser_context for target in known)

    def _release(self) -> None:
        self._held_pages.clear()
        self.pipe.can_hold = None
        self.pipe.release()

    async def _open_root(self) -> Session:
        """Our session with the browser itself, in which those with its targets are opened."""
        if self._root is None:
            self._root = asyncio.ensure_future(self._attach_to_browser())
        return await asyncio.shield(self._root)

    async def _attach_to_browser(self) -> Session:
        root = await Session(self.pipe).attach("Target.attachToBrowserTarget")
        root.on("Target.detachedFromTarget", self._on_detached)
        root.on("Target.attachedToTarget", self._on_shared_worker)
        watched = {
            "autoAttach": True,
            "waitForDebuggerOnStart": True,
            "flatten": True,
            "filter": [{"type": SHARED_WORKER}],
        }
        root.notify("Target.setAutoAttach", watched)
        return root

    def watch_targets(self) -> None:
        """Hear the requests of every target that is new, from now on."""
        self.tap.on_new_target = self._on_new_target

    def _on_new_target(self, target: Target) -> None:
        """A target is new. The driver listens to service workers a moment too late for their own script."""
        if target.kind in _WITH_REQUESTS:
            target.observed.notify(f"{FROM_THE_BEGINNING}.enable")

    def _on_shared_worker(self, event: dict[str, Any]) -> None:
        """See `SharedWorkers.on_attached`."""
        if event["targetInfo"]["type"] == SHARED_WORKER:  # else a page that we have attached to
            self._shared_workers.on_attached(event)

    def _on_detached(self, event: dict[str, Any]) -> None:
        self.tap.detach(event["sessionId"])
        self._shared_workers.on_gone(event.get("targetId", ""))
        if session := self.pipe.find(event["sessionId"]):
            session.end("Target closed")


def _last_event_about(news: dict[str, int], browser_context: str) -> int:
    """Return the count at the last event about a browser context or about none; about any, for ""."""
    if not browser_context:
        return max(news.values(), default=0)
    return max(news.get(browser_context, 0), news.get("", 0))
