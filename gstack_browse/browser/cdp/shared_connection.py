"""Our connection to a browser that others have started: over a WebSocket, with a boundary around what is ours.

It differs from a pipe in what may happen: the other end may fall silent without closing, may write JSON in another form, and has a
back-forward cache, which Playwright's own flags turn off.
"""

import asyncio
import time
from collections import deque
from typing import Any

from gstack_browse.browser.cdp.boundary import Boundary
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.heartbeat import Heartbeat
from gstack_browse.browser.cdp.pipe import EVENT
from gstack_browse.browser.cdp.playwright_names import Browser, Error
from gstack_browse.browser.cdp.shared_workers import SHARED_WORKER
from gstack_browse.browser.cdp.websocket import SocketPipe
from gstack_browse.text.json_bytes import decode, encode

UNHEARD_SECONDS = 0.3
"""How long the word of a new frame may take behind its first request."""
LOOK_SECONDS = 0.01
MOST_OTHERS = 1_000
_RESTORED = b'"type":"BackForwardCacheRestore"'
_METHOD = len(EVENT)


class SharedConnection(PipeConnection):
    """To a browser that is not ours. `shared`: its own context, where we go into that; else ""."""

    spares_contexts = False

    def __init__(self, pipe: SocketPipe, shared: str = "") -> None:
        super().__init__(pipe)
        self._link = pipe.link
        self.boundary = Boundary(pipe, shared)
        self.boundary.forward = super()._forwards
        pipe.between = self.boundary
        self._others: deque[str] = deque(maxlen=MOST_OTHERS)
        """Frames and workers that are in pages of others."""
        self._heartbeat: Heartbeat | None = None

    async def open(self, browser: Browser) -> None:
        await super().open(browser)
        self.watch()

    def watch(self) -> None:
        """Notice from now on when the browser falls silent."""
        self._heartbeat = Heartbeat(self, lambda: self._link.heard, lambda: self.pipe.end(by_browser=True))

    def close(self) -> None:
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    async def is_ours(self, frame_id: str) -> bool:
        """See `Connection`. A frame without a target that we do not hear of in a moment is in somebody else's page."""
        if self.targets.showing(frame_id):
            return True
        if frame_id in self._others:
            return False
        try:
            told = await self.ask_browser("Target.getTargetInfo", targetId=frame_id)
        except Error:
            is_one = await self._is_heard_of(frame_id)
        else:
            is_one = self.boundary.belongs(told["targetInfo"])
        if not is_one:
            self._others.append(frame_id)
        return is_one

    def _shared_worker_begun(self, event: dict[str, Any]) -> None:
        """See `PipeConnection`. One of others' is let go: Chromium attaches to those of the whole browser."""
        info, session_id = event["targetInfo"], event["sessionId"]
        if info["type"] != SHARED_WORKER or self.boundary.belongs(info):
            super()._shared_worker_begun(event)
            return
        self._session_of(session_id).notify("Runtime.runIfWaitingForDebugger")
        if self._root and self._root.done():
            self._root.result().notify("Target.detachFromTarget", {"sessionId": session_id})

    async def _is_heard_of(self, frame_id: str) -> bool:
        """Whether a frame turns out to be in a page of ours: its request may come before the word that there is such a frame."""
        give_up = time.monotonic() + UNHEARD_SECONDS
        while not (is_known := self.targets.showing(frame_id) is not None) and time.monotonic() < give_up:  # noqa: ASYNC110 - the targets tell nobody
            await asyncio.sleep(LOOK_SECONDS)
        return is_known

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
