"""One tab: a number that never changes, the Playwright page behind it, and what is going on in it.

Holds state; acts on nothing.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from playwright.async_api import Frame, Page

from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.errors import TabGone
from gstack_browse.logs.entries import NetworkEntry

if TYPE_CHECKING:
    from gstack_browse.browser.engine.refs import Refs
    from gstack_browse.browser.engine.world import World
    from gstack_browse.browser.tabs.questions import Question
    from gstack_browse.browser.tabs.session_state import TabState

Result = TypeVar("Result")

_BACKGROUND = frozenset({"eventsource", "websocket", "ping", "media", "beacon", "cspviolationreport"})
"""Kinds of request that a page may keep open for ever; nobody waits for them."""


CRASHED = "crashed"
CLOSED_ITSELF = "closed itself"
CLOSED_IN_WINDOW = "was closed in the person's window"
DIALOG_SECONDS = 1.0
"""Dialogs this near to each other are in a row."""


@dataclass(slots=True)
class Request:
    """One that is under way. `began` is Chromium's clock, in seconds; `head` bytes came before the body."""

    entry: NetworkEntry
    began: float
    frame: str
    loader: str
    """Of the document that asks, or is asked for."""
    is_document: bool
    """Whether it is for the document of the main frame."""
    is_told: bool
    """Whether the driver hears of it."""
    head: float = 0.0
    has_arrived: bool = False
    """Whether that document is in the frame now."""


class Tab:
    """A tab. `lane` is held by the one page command that runs in it; the others queue in order."""

    def __init__(self, number: int, page: Page, world: "World", refs: "Refs") -> None:
        self.id = number
        self.page = page
        self.world = world
        self.refs = refs
        self.restored: TabState | None = None
        """What it is being taken back to, after a restart."""
        self.frame: Frame | None = None
        """The frame that `frame` switched to; None is the main frame."""
        self.lane = asyncio.Lock()
        self.is_prepared = False
        """Whether its page is ready for commands: see `BrowserSession.prepare`."""
        self.preparing = asyncio.Lock()
        """Held by whoever is making it ready."""
        self.running = ""
        """The command that holds the lane."""
        self.inflight: dict[str, Request] = {}
        """Requests under way by their number in the protocol."""
        self.downloads: deque[str] = deque(maxlen=100)
        self.download_count = 0
        self._asked: deque[tuple[str, NetworkEntry]] = deque(maxlen=10)
        """The last documents that the main frame has asked for."""
        self.goes_by_us = False
        """Whether a `goto` of our own is under way, on which nothing in the driver waits."""
        self.documents = 0
        """How many documents the main frame has asked for."""
        self.document = 0
        """Our number of the document that its main frame shows: see `pages`."""
        self.arrivals = 0
        """How often the main frame has arrived somewhere, within a document too."""
        self.collected = 0
        """How many documents there had been when the garbage was last collected: see `garbage`."""
        self.acted = 0.0
        """When the last action ended, by the event loop's clock; 0 once the page was read after it: see `drawing`."""
        self.opening = 0
        """Tabs and downloads that were asked for and have not begun yet."""
        self.fate = ""
        """Why the page is no more: that it crashed, or was closed for what it did."""
        self.opener: int | None = None
        self.is_popup = False
        """Whether a page opened it."""
        self.blocked = 0
        """Windows that its page opened by itself, and that were closed."""
        self.question: Question | None = None
        """A dialog that is open and keeps the page from answering: its own, or one of another page in its process."""
        self.choice_told = -1
        """The document, by number, for which it was said that dialogs can be refused."""
        self.task: asyncio.Task[object] | None = None
        """What runs the command that holds the lane."""
        self.is_cut = False
        """Whether that was cancelled because of the question."""
        self._dialogs = 0
        self._last_dialog = 0.0
        self._changed = asyncio.Event()

    @property
    def url(self) -> str:
        """Where it is; or is being taken back to."""
        return (self.restored and self.restored.url) or self.page.url

    @property
    def crashed(self) -> bool:
        return self.fate == CRASHED

    def gone(self) -> TabGone | None:
        """The failure that says why nothing can be done with the page any more; None while it lives."""
        if not self.fate:
            return None
        hint = "Run 'goto <url>' to load one again" if self.crashed else "Run 'tabs' to see what is open"
        return TabGone(f"The page in tab {self.id} {self.fate}", hint)

    def begin(self, command: str) -> None:
        """A command, the current task, has the tab now."""
        self.running = command
        self.task = asyncio.current_task()
        self.is_cut = False
        self._dialogs = 0

    def end(self) -> None:
        """The command is done with the tab."""
        self.running = ""
        self.task = None
        self.touch()

    def crash(self) -> None:
        """The page's process has died. Nothing it was asked will be answered, so the command that asks is cancelled."""
        self.fate = CRASHED
        self.abandon()
        self.touch()
        if self.task:
            self.task.cancel()

    def ask(self, question: "Question") -> None:
        """The page waits for an answer, and answers nothing itself meanwhile."""
        self.question = question
        self.touch()

    def answered(self, question: "Question") -> None:
        """That question is open no more."""
        if self.question is question:
            self.question = None
            self.touch()

    def cut(self, task: "asyncio.Task[object] | None") -> None:
        """Cancel the command that this task runs, if it still does: the page will not answer it."""
        if task and task is self.task and self.question:
            self.is_cut = True
            task.cancel()

    async def unless_asked(self, work: Awaitable[Result]) -> Result | None:
        """What comes of `work` in the page; None where a dialog is left open instead, until whose answer nothing comes."""
        task = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self.touch())
        try:
            await self.until(lambda: task.done() or self.question is not None)
        except BaseException:
            task.cancel()
            raise
        if task.done():
            return task.result()
        task.add_done_callback(consume_exception)
        return None

    def count_dialog(self, now: float) -> int:
        """How many dialogs there were in a row: in this command, and each right after the one before."""
        self._dialogs = self._dialogs + 1 if now - self._last_dialog < DIALOG_SECONDS else 1
        self._last_dialog = now
        return self._dialogs

    def began(self, number: str, request: Request) -> None:
        self.inflight[number] = request
        if request.is_document:
            self.documents += 1
            self._asked.append((number, request.entry))
        self.touch()

    def status_of(self, loader: str) -> int:
        """The HTTP status of the document that came by that loader; 0 where there was no request for it."""
        return next((entry.status for number, entry in reversed(self._asked) if number == loader), 0)

    def ended(self, number: str) -> None:
        self.inflight.pop(number, None)
        self.touch()

    def abandon(self) -> None:
        """The page is no more: nothing it asked for will be answered."""
        for request in self.inflight.values():
            request.entry.error = request.entry.error or "ERR_ABORTED"
        self.inflight.clear()

    def touch(self) -> None:
        """Something changed: whoever waits in `until` looks again."""
        self._changed.set()

    async def until(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait for `condition`, looked at again whenever the tab changes. False when the time is over."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def until_loaded(self, seconds: float | None = None) -> None:
        """Wait until its document has had its load event, or the page is no more, or asks something first."""
        await self.until(lambda: bool(self.fate or self.question) or self.world.has_loaded, seconds)

    @property
    def is_navigating(self) -> bool:
        """Whether the main frame has asked for a new document that has not arrived."""
        return self.awaited is not None

    @property
    def awaited(self) -> NetworkEntry | None:
        """The document the main frame waits for. Until it arrives Chromium runs no script of ours in the page."""
        for request in self.inflight.values():
            if request.is_document and not request.has_arrived:
                return request.entry
        return None

    @property
    def awaits_server(self) -> bool:
        """Whether the main frame waits for a document that the server has not answered yet."""
        awaited = self.awaited
        return awaited is not None and not awaited.status

    @property
    def pending(self) -> list[NetworkEntry]:
        """Requests under way that somebody might wait for."""
        entries = (request.entry for request in self.inflight.values())
        return [entry for entry in entries if entry.kind not in _BACKGROUND]
