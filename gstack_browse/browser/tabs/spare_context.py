"""Keeps a browser context with a blank page ready, since Chromium starts a process for such a page.

Only if several agents share a browser. An unused one is closed again.
"""

import asyncio
import time
from contextlib import suppress

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.devtools.page import Page
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tabs.background import Background
from gstack_browse.browser.tabs.current_context import OpenContext, close
from gstack_browse.browser.tabs.emulation import Emulation, options_of
from gstack_browse.browser.tabs.screen import Screen

_NAME = "spare"
"""Not "": the default session's context may be the browser's own."""
KEEP_SECONDS = 60.0
"""Time after which an unused spare context is closed."""


class SpareContext:
    """The one that there is, is being made, or is not."""

    def __init__(self) -> None:
        self._background = Background()
        self._making: asyncio.Task[OpenContext | None] | None = None
        self._crashed: set[Page] = set()
        self._until = 0.0

    @property
    def is_there(self) -> bool:
        """Return whether there is a spare context, or one is being made."""
        return self._making is not None

    def make(self, running: RunningBrowser) -> None:
        """Make a spare context in the background, unless there is one."""
        if self._making or running.params.endpoint or running.has_single_context or running.window.visible:
            return
        self._until = time.monotonic() + KEEP_SECONDS
        self._making = self._background.start(self._open(running))

    async def take(self, running: RunningBrowser) -> OpenContext | None:
        """Take the spare context of this browser, waiting for one being made; None if it has none."""
        making, self._making = self._making, None
        spare = await asyncio.shield(making) if making else None
        if spare and spare.running is running and self._is_usable(spare):
            return spare
        if spare:
            self._background.start(close(spare))
        return None

    def tick(self) -> None:
        """Close a spare context that is unused for too long. Called about twice a second."""
        if self._making and time.monotonic() >= self._until:
            making, self._making = self._making, None
            self._background.start(_closed(making))

    async def _open(self, running: RunningBrowser) -> OpenContext | None:
        with suppress(ProtocolError):  # the browser has ended, say: the next request for a context fails
            options, size = options_of("", Emulation()), Screen().options()
            context = await running.new_context({**options, **size}, name=_NAME)
            running.connection.events.mute_context(context.id)
            spare = OpenContext(running, context)
            try:
                page = await context.new_page()
            except BaseException:
                await close(spare)  # its page has ended at once
                raise
            page.on("crash", self._crashed.add)
            return spare
        return None

    def _is_usable(self, spare: OpenContext) -> bool:
        """Return whether the context still has its page."""
        pages = spare.context.pages
        has_crashed = bool(self._crashed.intersection(pages))
        self._crashed.difference_update(pages)
        return len(pages) == 1 and not has_crashed


async def _closed(making: asyncio.Task[OpenContext | None]) -> None:
    if spare := await making:
        await close(spare)
