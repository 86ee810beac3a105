"""Our connection to a browser that others have started: over a WebSocket, with a boundary around what is ours.

It differs from a pipe in what may happen: the other end may fall silent without closing, may write JSON in another form, and has a
back-forward cache, which Playwright's own flags turn off.
"""

import asyncio
from typing import Any

from gstack_browse.browser.cdp.boundary import Boundary
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.pipe import EVENT
from gstack_browse.browser.cdp.playwright_names import Browser, Error
from gstack_browse.browser.cdp.session import decode, encode
from gstack_browse.browser.cdp.websocket import SocketPipe

BEAT_SECONDS = 2.0
"""How often the browser is asked whether it is there. Services end a session that is silent for longer."""
SILENT_SECONDS = 16.0
"""A browser that has not answered for so long counts as gone."""
_RESTORED = b'"type":"BackForwardCacheRestore"'
_METHOD = len(EVENT)


class SharedConnection(PipeConnection):
    """To a browser that is not ours. `shared`: its own context, where we go into that; else ""."""

    def __init__(self, pipe: SocketPipe, shared: str = "") -> None:
        super().__init__(pipe)
        self.boundary = Boundary(pipe, shared)
        self.boundary.forward = super()._forwards
        pipe.between = self.boundary
        self._beating: asyncio.Task[None] | None = None

    async def open(self, browser: Browser) -> None:
        await super().open(browser)
        self.watch()

    def watch(self) -> None:
        """Notice from now on when the browser falls silent."""
        self._beating = asyncio.create_task(self._beat())

    def close(self) -> None:
        if self._beating:
            self._beating.cancel()
        super().close()

    def is_ours(self, frame_id: str) -> bool:
        return not self.boundary.shared or self.targets.showing(frame_id) is not None

    async def _beat(self) -> None:
        """Ask the browser now and then, and end the connection when it says nothing any more."""
        misses = 0
        while self.pipe.is_open:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                async with asyncio.timeout(SILENT_SECONDS / 2):
                    await self.ask_browser("Browser.getVersion")
                misses = 0
            except TimeoutError:
                misses += 1  # twice: the time may have passed while we could not run
            except Error:
                return  # the connection has ended
            if misses == 2:
                self.pipe.end(by_browser=True)

    def _forwards(self, message: bytes) -> bytes:
        method = message[_METHOD : message.find(b'"', _METHOD)]
        if self.boundary.judges(method) and not self.boundary.admits(message):
            return b""
        given = super()._forwards(message)
        if method == b"Page.frameNavigated" and _RESTORED in message:
            asyncio.get_running_loop().call_soon(self._has_loaded, decode(message))
        return given

    def _has_loaded(self, navigated: dict[str, Any]) -> None:
        """A document that comes from the back-forward cache has loaded before. Nobody tells so, and everybody waits for it."""
        if "parentId" in navigated["params"]["frame"]:
            return
        for method in ("Page.domContentEventFired", "Page.loadEventFired"):
            event = encode({"method": method, "params": {"timestamp": 0}, "sessionId": navigated["sessionId"]})
            if given := super()._forwards(event):
                self.pipe.tell_driver(given)
