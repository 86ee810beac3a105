"""Our connection to a browser that Playwright has started: targets, sessions of our own with them, and what Playwright knows.

`PipeConnection` shares Playwright's pipe to Chromium. Chromium's messages come in one order: what it told the driver before
it answered us has passed here by then. But the driver, and Playwright after it, may not have read it yet: see `caught_up`.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gstack_browse.browser.cdp.adoption import WORLD_MADE, Adoption, FirstPage
from gstack_browse.browser.cdp.diet import DOCUMENT_NEWS, MOMENTS, NO_NEWS, Diet, Interest
from gstack_browse.browser.cdp.pipe import EVENT, Pipe
from gstack_browse.browser.cdp.playwright_internals import PAGE_IN_WORLD
from gstack_browse.browser.cdp.playwright_names import Browser, CDPSession, Error
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_workers import FROM_THE_BEGINNING, SHARED_WORKER, SharedWorkers
from gstack_browse.browser.cdp.tap import Tap
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

    def __init__(self, tap: Tap) -> None:
        self.tap = tap
        self.ended: Callable[[bool], None] = lambda by_browser: None
        """Called with `by_browser` when the connection ends, before pending requests fail."""
        self.why_slow = ""
        """Why there is no pipe, in words; "" where there is one."""

    @property
    def targets(self) -> Targets:
        return self.tap.targets

    @abstractmethod
    async def open(self, browser: Browser) -> None:
        """Try the connection, with Playwright and with a request of ours. Raises Playwright's Error."""

    @abstractmethod
    async def attach(self, target_id: str) -> Target:
        """A target, with a session of our own. Raises Playwright's Error when it is gone."""

    def page_named(self, name: str) -> Target | None:
        """The page that Playwright's driver calls so, where that has been heard: see `playwright_internals.name_of`."""
        return None

    @abstractmethod
    async def session(self, target_id: str) -> Session:
        """A further session with a target, for what is enabled for a while only. Raises Playwright's Error when it is gone."""

    @abstractmethod
    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the browser itself. Raises Playwright's Error."""

    async def ask_driver(self) -> None:
        """Ask the browser a trivial question through Playwright's driver, to see whether that answers. Raises Playwright's Error."""
        await self.ask_browser("Browser.getVersion")

    def next_context(self) -> "asyncio.Future[str] | None":
        """What Chromium calls the browser context that the driver asks for next. To be cancelled by who does not wait; None where that cannot be heard."""
        return None

    async def browser_contexts(self) -> set[str]:
        """What Chromium calls the browser contexts that there are, but its first one. Raises Playwright's Error."""
        told = await self.ask_browser("Target.getBrowserContexts")
        return set(told["browserContextIds"])

    @abstractmethod
    async def on_browser(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        """Call `handler` with the parameters of every such event of the browser itself. Raises Playwright's Error."""

    @abstractmethod
    def report_downloads(self, browser_context: str, directory: str) -> None:
        """Have the tap hear of the downloads of a browser context, which go to that directory."""

    @abstractmethod
    async def caught_up(self, browser_context: str = "") -> None:
        """When this returns, Playwright knows all that Chromium had told when it was called. Never raises.

        Of a `browser_context`: all that is about that, or about none.
        """

    async def is_ours(self, frame_id: str) -> bool:
        """Whether a frame, or a worker, is in a page of ours. In a browser of our own every one is. Never raises."""
        return True

    @property
    def is_behind(self) -> bool:
        """Whether Playwright has not heard of everything yet, as far as we know."""
        return False

    def knows_effects(self, browser_context: str = "") -> bool:
        """Whether `effects_known` would not wait."""
        return False

    @abstractmethod
    async def effects_known(self, browser_context: str = "") -> None:
        """The same without documents and frames, which we know of ourselves: of windows, dialogs, downloads, crashes."""

    @abstractmethod
    def hold_documents(self, page_id: str) -> None:
        """Let Playwright hear of that page's documents and frames only with `caught_up`, or with whatever else there is to hear."""

    @abstractmethod
    def spare_requests(self, interest: Callable[[str], Interest], browser_context: str = "") -> None:
        """Keep requests from the driver, where it can do without: `interest` says so of a page in that browser context.

        "" stands for every context of which nobody else has said so.
        """

    async def settled(self) -> None:  # noqa: B027 - where the browser's end is known first there is nothing to wait for
        """Return once it is known whether the browser is still there. Never raises."""

    def forget(self, browser_context: str) -> None:
        """A browser context is closed: nobody hears of it any more."""
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
        super().__init__(Tap(self._session_of))
        self.pipe = pipe
        self.diet = Diet(self.tap.targets)
        self.tap.releases_objects = self.diet.is_applied
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
        if self.diet.is_applied:
            self.diet.needs[b"Target.attachedToTarget"] = self._shared_workers.are_others_in
        self._handlers, self._needs = self.tap.handlers, self.diet.needs
        pipe.forwards = self._forwards
        pipe.overhears = self._overhear
        pipe.ended = lambda by_browser: self.ended(by_browser)

    def _overhear(self, messages: bytes) -> None:
        """Learn what the driver calls a page, from the message in which it names a world for that; and which context it is given."""
        if self._next_context and NEW_CONTEXT in messages:
            self._overhear_context(messages, self._next_context)
        at = messages.find(PAGE_IN_WORLD)
        while at >= 0:
            begin, end = at + len(PAGE_IN_WORLD), messages.find(b"\0", at)
            session = _SESSION_ID.search(messages, messages.rfind(b"\0", 0, at) + 1, end)
            if session:
                name = messages[begin : messages.find(b'"', begin)].decode()
                self.targets.name(session[1], name)
            at = messages.find(PAGE_IN_WORLD, end)

    def page_named(self, name: str) -> Target | None:
        return self.targets.named(name)

    def next_context(self) -> "asyncio.Future[str] | None":
        self._next_context = asyncio.get_running_loop().create_future()
        return self._next_context

    def _overhear_context(self, messages: bytes, coming: "asyncio.Future[str]") -> None:
        """Note the driver's requests for a browser context: the first one that Chromium answers is the next context."""

        def answered(message: bytes) -> None:
            self._next_context = None
            if (context := decode(message).get("result", {}).get("browserContextId")) and not coming.done():
                coming.set_result(context)

        for message in messages.split(b"\0"):
            if NEW_CONTEXT in message:
                self.pipe.awaited[decode(message)["id"]] = answered

    def _session_of(self, session_id: str) -> Session:
        """To send requests in a session of anybody's."""
        return Session(self.pipe, session_id)

    def begin(self, first: FirstPage, unread: bytes) -> Adoption:
        """Go on with a page that was made before Playwright was there; `unread` is what Chromium has said until now."""
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
        await asyncio.gather(self._open_barrier(browser), self._browser())

    async def session(self, target_id: str) -> Session:
        root = await self._browser()
        return await root.attach("Target.attachToTarget", targetId=target_id, flatten=True)

    async def attach(self, target_id: str) -> Target:
        session = await self.session(target_id)
        target = self.targets.get(target_id)
        target.session = session
        target.speaks_for_driver = True
        for domain in RELIED_ON:
            if domain != FROM_THE_BEGINNING:
                target.observed.notify(f"{domain}.enable")
        self.diet.end_lifecycle(target)
        target.spares_contexts = self.spares_contexts and self.diet.is_applied and target.id == target.page
        self.tap.spare_contexts(target)
        return target

    async def ask_browser(self, method: str, **params: Any) -> dict[str, Any]:
        root = await self._browser()
        return await root.send(method, params)

    async def ask_driver(self) -> None:
        if self._barrier_session:  # else there is no driver yet
            await self._barrier_session.send("Browser.getVersion")

    async def on_browser(self, event: str, handler: Callable[[dict[str, Any]], object]) -> None:
        root = await self._browser()
        root.on(event, handler)

    def report_downloads(self, browser_context: str, directory: str) -> None:
        """The driver has asked for them, and we hear what it hears."""

    async def caught_up(self, browser_context: str = "") -> None:
        """See `Connection`. Where no event with news has passed there is nothing to wait for: another agent's page may be busy."""
        if self._held_pages and self._holds_some_of(browser_context):
            self._release()
        if (
            self._known >= self.forwarded
            or self._known >= _last(self._news, browser_context)
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

    def knows_effects(self, browser_context: str = "") -> bool:
        return self._known >= self.forwarded or self._known >= _last(self._effects, browser_context)

    async def effects_known(self, browser_context: str = "") -> None:
        if not self.knows_effects(browser_context):
            await self.caught_up(browser_context)

    def hold_documents(self, page_id: str) -> None:
        if self.diet.is_applied:
            self._held_pages.add(page_id)
            self.pipe.holds = self._holds

    def spare_requests(self, interest: Callable[[str], Interest], browser_context: str = "") -> None:
        if browser_context:
            self.diet.interests[browser_context] = interest
        else:
            self.diet.interest = interest

    def forget(self, browser_context: str) -> None:
        super().forget(browser_context)
        self.diet.interests.pop(browser_context, None)
        for news in (self._news, self._effects):
            news[""] = max(news.get("", 0), news.pop(browser_context, 0))

    def close(self) -> None:
        self.pipe.close()

    async def _open_barrier(self, browser: Browser) -> None:
        self._barrier_session = await browser.new_browser_cdp_session()

    async def _catch_up(self, barrier: CDPSession, forwarded: int) -> None:
        with suppress(Error):  # the browser has ended
            await barrier.send("Browser.getVersion")
        self._known = max(self._known, forwarded)

    def _forwards(self, message: bytes) -> bytes:
        """Have the tap read an event of the driver's, and the diet decide about it. The hot path: some hundred events a page."""
        method = message[_METHOD : message.find(b'"', _METHOD)]
        if handler := self._handlers.get(method):
            handler(message)
        if (needs := self._needs.get(method)) and not needs(message):
            return b""
        if method not in NO_NEWS:
            self.forwarded += 1
            target = self.targets.of(message)
            context = target.browser_context if target else ""
            self._news[context] = self.forwarded
            if method not in DOCUMENT_NEWS:
                self._effects[context] = self.forwarded
        return self._instead(method, message) if method in _CHANGED else message

    def _instead(self, method: bytes, message: bytes) -> bytes:
        """What the driver gets in the place of an event."""
        if method in MOMENTS:
            return self.diet.instead(method, message)
        return self._adoption.instead(message) if self._adoption else message

    def _holds(self, message: bytes) -> bool:
        if message[_METHOD : message.find(b'"', _METHOD)] not in DOCUMENT_NEWS:
            return False
        target = self.targets.of(message)
        return target is not None and target.page in self._held_pages

    def _holds_some_of(self, browser_context: str) -> bool:
        """Whether a page is held that is of that browser context; of any, for ""."""
        known = (self.targets.get(page) for page in self._held_pages if self.targets.knows(page))
        return not browser_context or any(target.browser_context == browser_context for target in known)

    def _release(self) -> None:
        self._held_pages.clear()
        self.pipe.holds = None
        self.pipe.release()

    async def _browser(self) -> Session:
        """Our session with the browser itself, in which those with its targets are opened."""
        if self._root is None:
            self._root = asyncio.ensure_future(self._attach_to_browser())
        return await asyncio.shield(self._root)

    async def _attach_to_browser(self) -> Session:
        root = await Session(self.pipe).attach("Target.attachToBrowserTarget")
        root.on("Target.detachedFromTarget", self._detached)
        root.on("Target.attachedToTarget", self._shared_worker_begun)
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
        self.tap.begun = self._begun

    def _begun(self, target: Target) -> None:
        """A target is new. The driver listens to service workers a moment too late for their own script."""
        if target.kind in _WITH_REQUESTS:
            target.observed.notify(f"{FROM_THE_BEGINNING}.enable")

    def _shared_worker_begun(self, event: dict[str, Any]) -> None:
        """See `SharedWorkers.begun`."""
        if event["targetInfo"]["type"] == SHARED_WORKER:  # else a page that we have attached to
            self._shared_workers.begun(event)

    def _detached(self, event: dict[str, Any]) -> None:
        self.tap.detach(event["sessionId"])
        self._shared_workers.gone(event.get("targetId", ""))
        if session := self.pipe.find(event["sessionId"]):
            session.end("Target closed")


def _last(news: dict[str, int], browser_context: str) -> int:
    """How many events had gone when the last one went that is about that browser context or about none; about anything, for ""."""
    if not browser_context:
        return max(news.values(), default=0)
    return max(news.get(browser_context, 0), news.get("", 0))
