"""Our connection to a browser that others have started: over a WebSocket, with a boundary around what is ours.

It differs from a pipe in what may happen: the other end may fall silent without closing, may write JSON in another form, and has a
back-forward cache, which Playwright's own flags turn off.
"""

import asyncio
from typing import Any

from gstack_browse.browser.cdp.boundary import Boundary
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.heartbeat import Heartbeat
from gstack_browse.browser.cdp.pipe import EVENT
from gstack_browse.browser.cdp.playwright_names import Browser
from gstack_browse.browser.cdp.session import decode, encode
from gstack_browse.browser.cdp.websocket import SocketPipe

_RESTORED = b'"type":"BackForwardCacheRestore"'
_METHOD = len(EVENT)


class SharedConnection(PipeConnection):
    """To a browser that is not ours. `shared`: its own context, where we go into that; else ""."""

    def __init__(self, pipe: SocketPipe, shared: str = "") -> None:
        super().__init__(pipe)
        self.boundary = Boundary(pipe, shared)
        self.boundary.forward = super()._forwards
        pipe.between = self.boundary
        self._heartbeat: Heartbeat | None = None

    async def open(self, browser: Browser) -> None:
        await super().open(browser)
        self.watch()

    def watch(self) -> None:
        """Notice from now on when the browser falls silent."""
        self._heartbeat = Heartbeat(self, lambda: self.pipe.end(by_browser=True))

    def close(self) -> None:
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    def is_ours(self, frame_id: str) -> bool:
        return not self.boundary.shared or self.targets.showing(frame_id) is not None

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
