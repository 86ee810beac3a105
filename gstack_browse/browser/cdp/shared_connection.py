"""Connects us to a browser that others have started: over a WebSocket, within a boundary.

It differs from a pipe: the other end may fall silent without closing, may write JSON in another form, and has a back-forward cache,
which Playwright's own flags turn off.
"""

import asyncio
import time
from collections import deque
from typing import Any

from gstack_browse.browser.cdp.boundary import Boundary
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.driver_types import Browser
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.heartbeat import Heartbeat
from gstack_browse.browser.cdp.pipe import EVENT
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
        self.boundary.forward = super()._filter_event
        pipe.interceptor = self.boundary
        self._others: deque[str] = deque(maxlen=MOST_OTHERS)
        """Frames and workers that are in pages of others."""
        self._heartbeat: Heartbeat | None = None

    async def open(self, browser: Browser) -> None:
        await super().open(browser)
        self.start_heartbeat()

    def start_heartbeat(self) -> None:
        """Notice from now on when the browser falls silent."""
        self._heartbeat = Heartbeat(self, lambda: self._link.heard, lambda: self.pipe.end(by_browser=True))

    def close(self) -> None:
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    async def is_own_frame(self, frame_id: str) -> bool:
        """See `Connection`. An unknown frame that does not appear in a moment is in a page of others."""
        if self.targets.page_with_frame(frame_id):
            return True
        if frame_id in self._others:
            return False
        try:
            told = await self.ask_browser("Target.getTargetInfo", targetId=frame_id)
        except ProtocolError:
            is_one = await self._wait_until_known(frame_id)
        else:
            is_one = self.boundary.is_own_target(told["targetInfo"])
        if not is_one:
            self._others.append(frame_id)
        return is_one

    def _on_shared_worker(self, event: dict[str, Any]) -> None:
        """See `PipeConnection`. One of others' is let go: Chromium attaches to those of the whole browser."""
        info, session_id = event["targetInfo"], event["sessionId"]
        if info["type"] != SHARED_WORKER or self.boundary.is_own_target(info):
            super()._on_shared_worker(event)
            return
        self._session_of(session_id).notify("Runtime.runIfWaitingForDebugger")
        if self._root and self._root.done():
            self._root.result().notify("Target.detachFromTarget", {"sessionId": session_id})

    async def _wait_until_known(self, frame_id: str) -> bool:
        """Wait for the event of a new frame, which may come after the frame's first request."""
        give_up = time.monotonic() + UNHEARD_SECONDS
        while not (is_known := bool(self.targets.page_with_frame(frame_id))) and time.monotonic() < give_up:  # noqa: ASYNC110 - the targets report no frames
            await asyncio.sleep(LOOK_SECONDS)
        return is_known

    def _filter_event(self, message: bytes) -> bytes:
        method = message[_METHOD : message.find(b'"', _METHOD)]
        if self.boundary.is_judged(method) and not self.boundary.admits(message):
            return b""
        given = super()._filter_event(message)
        if method == b"Page.frameNavigated" and _RESTORED in message:
            asyncio.get_running_loop().call_soon(self._send_load_events, decode(message))
        return given

    def _send_load_events(self, navigated: dict[str, Any]) -> None:
        """Make the load events of a document from the back-forward cache, since Chromium sends none."""
        if "parentId" in navigated["params"]["frame"]:
            return
        for method in ("Page.domContentEventFired", "Page.loadEventFired"):
            event = encode({"method": method, "params": {"timestamp": 0}, "sessionId": navigated["sessionId"]})
            if given := super()._filter_event(event):
                self.pipe.tell_driver(given)
