"""One tab: a number that never changes, the Playwright page behind it, and what is going on in it.

Holds state; acts on nothing.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.async_api import Frame, Page, Request

from gstack_browse.logs.entries import NetworkEntry

if TYPE_CHECKING:
    from gstack_browse.browser.refs import Refs
    from gstack_browse.browser.world import World

_BACKGROUND = frozenset({"eventsource", "websocket", "ping", "media", "beacon", "cspviolationreport"})
"""Kinds of request that a page may keep open for ever; nobody waits for them."""


class Tab:
    """A tab. `lane` is held by the one page command that runs in it; the others queue in order."""

    def __init__(self, number: int, page: Page, world: "World", refs: "Refs") -> None:
        self.id = number
        self.page = page
        self.world = world
        self.refs = refs
        self.frame: Frame | None = None
        """The frame that `frame` switched to; None is the main frame."""
        self.lane = asyncio.Lock()
        self.running = ""
        """The command that holds the lane."""
        self.inflight: dict[Request, NetworkEntry] = {}
        self.downloads: deque[str] = deque(maxlen=100)
        self.download_count = 0
        self.crashed = False
        self.opener: int | None = None
        self.title = ""
        self._changed = asyncio.Event()

    @property
    def url(self) -> str:
        return self.page.url

    def began(self, request: Request, entry: NetworkEntry) -> None:
        self.inflight[request] = entry
        self.touch()

    def ended(self, request: Request) -> NetworkEntry | None:
        entry = self.inflight.pop(request, None)
        self.touch()
        return entry

    def touch(self) -> None:
        """Something changed: whoever waits in `until` looks again."""
        self._changed.set()

    async def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait for `condition`, looked at again whenever the tab changes. False when the time is over."""
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    @property
    def is_navigating(self) -> bool:
        """Whether the main frame has asked for a new document that has not arrived."""
        return any(request.is_navigation_request() and _is_main(request) for request in self.inflight)

    @property
    def pending(self) -> list[NetworkEntry]:
        """Requests under way that somebody might wait for."""
        return [entry for entry in self.inflight.values() if entry.kind not in _BACKGROUND]


def _is_main(request: Request) -> bool:
    from playwright.async_api import Error

    try:
        return request.frame.parent_frame is None
    except Error:
        return True
