"""The connection to a browser that others have started and may use, too.

It attaches only to our own targets (`OwnTargets`). It goes over a WebSocket, whose other end may stop answering without closing: see
`heartbeat`. The browser has a back-forward cache, which a flag disables in a browser that we start.

docs/decisions/0013-remote-and-shared-browsers.md has the reasons.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.cdp.websocket import SocketPipe

BEAT_SECONDS = 2.0
"""Interval of pings. Some services end a session without messages after a while."""
SILENT_SECONDS = 16.0
"""A browser without an answer for so long counts as lost."""


class Heartbeat:
    """Pings the browser until `stop`. Calls `silent` when nothing arrives any more.

    `heard` returns the number of messages so far, of whatever kind: a browser whose answer is queued behind events is not lost.
    """

    def __init__(self, connection: Connection, heard: Callable[[], int], silent: Callable[[], None]) -> None:
        self._connection = connection
        self._heard = heard
        self._silent = silent
        self._beating = asyncio.create_task(self._send_pings())

    def stop(self) -> None:
        """Stop the pings."""
        self._beating.cancel()

    async def _send_pings(self) -> None:
        """Ask the browser for its version at intervals.

        Report it as silent after two intervals without any message.
        """
        misses = 0
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            before = self._heard()
            try:
                async with asyncio.timeout(SILENT_SECONDS / 2):
                    await self._connection.ask_browser("Browser.getVersion")
                misses = 0
            except TimeoutError:
                # twice, since the time may have passed while this process was paused
                misses = misses + 1 if self._heard() == before else 0
            except ProtocolError:
                return  # the connection has ended
            if misses == 2:
                self._silent()
                return


NEW_FRAME_SECONDS = 0.3
"""How long the event of a new frame may come after the frame's first request."""
POLL_SECONDS = 0.01
MOST_FOREIGN_FRAMES = 1_000
"""Most frames of others that are remembered."""


class OwnTargets:
    """Our targets: all in contexts that we have made, and our tabs in the browser's default context.

    `shared`: id of the default context, if we work in it; else "".
    """

    def __init__(self, shared: str = "") -> None:
        self.shared = shared
        self.contexts: set[str] = set()
        """Ids of browser contexts that we have made."""
        self.opened: set[str] = set()
        """Tabs in the shared context that we or our tabs have opened: we may close them."""
        self.attached: set[str] = set()
        """Tabs of others in the shared context that a command has attached to: we may act on them, but not close them."""

    def is_own_tab(self, target_id: str) -> bool:
        """Return whether we may act on a tab of the shared context."""
        return target_id in self.opened or target_id in self.attached

    def check_own(self, info: dict[str, Any]) -> bool:
        """Return whether a target is ours, and note a window that one of our tabs has opened.

        `info`: the protocol's `TargetInfo`.
        """
        if info.get("browserContextId") in self.contexts:
            return True
        if info["type"] != "page" or not self.shared or info.get("browserContextId") != self.shared:
            return False
        if self.is_own_tab(info.get("openerId", "")):
            self.opened.add(info["targetId"])
        return self.is_own_tab(info["targetId"])

    def forget(self, target_id: str) -> None:
        """Forget a tab that has closed."""
        self.opened.discard(target_id)
        self.attached.discard(target_id)


class SharedConnection(Connection):
    """A connection to a browser that is not ours.

    `shared`: id of the browser's default context, if we work in it; else "".
    """

    def __init__(self, pipe: SocketPipe, shared: str = "") -> None:
        super().__init__(pipe)
        self._link = pipe.link
        self.own = OwnTargets(shared)
        self.events.is_own = self.own.check_own
        self.root.on("Target.detachedFromTarget", self._on_own_detached)
        self._foreign_frames: deque[str] = deque(maxlen=MOST_FOREIGN_FRAMES)
        """Ids of frames and workers in pages of others."""
        self._heartbeat: Heartbeat | None = None

    async def open(self) -> None:
        """Open the connection and begin the heartbeat."""
        await super().open()
        self._heartbeat = Heartbeat(self, lambda: self._link.heard, self.pipe.end)

    def close(self) -> None:
        """End the heartbeat and close the connection."""
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    async def close_browser(self) -> None:
        """Close only the connection: the browser is not ours."""
        self.close()

    async def default_context(self) -> str:
        """Return the id of the browser's default context if we work in it, else ""."""
        return self.own.shared

    async def create_context(self) -> str:
        context_id = await super().create_context()
        self.own.contexts.add(context_id)
        return context_id

    async def _create_target(self, context_id: str) -> str:
        """Open a blank page. In the shared context, attach to it afterwards.

        Its `Target.attachedToTarget` comes before its id is known to be ours, so that `TargetEvents` has detached from it.
        """
        target_id = await super()._create_target(context_id)
        if context_id == self.own.shared:
            self.own.opened.add(target_id)
            await self._attach_to_target(target_id)
        return target_id

    async def close_target(self, target_id: str) -> None:
        """Close a page of ours. Detach from a tab of others, which stays open."""
        if target_id in self.own.attached:
            self.detach_tab(target_id)
        else:
            await super().close_target(target_id)

    async def attach_tab(self, target_id: str) -> None:
        """Attach to a tab of others. Raises ProtocolError if it has closed."""
        self.own.attached.add(target_id)
        try:
            await self._attach_to_target(target_id)
        except BaseException:
            self.own.attached.discard(target_id)
            raise

    def detach_tab(self, target_id: str) -> None:
        """Detach from a tab, which stays open."""
        self.own.attached.discard(target_id)
        if self.targets.knows(target_id):
            session = self.targets.get(target_id).session
            self.root.notify("Target.detachFromTarget", {"sessionId": session.id})

    def _on_own_detached(self, event: dict[str, Any]) -> None:
        """Forget a tab of ours whose session has ended."""
        for target in self.targets:
            if target.session.id == event["sessionId"]:
                self.own.forget(target.id)

    async def _attach_to_target(self, target_id: str) -> None:
        """Ask for a session of a target, whose messages come over this connection."""
        await self.root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def report_downloads(self, browser_context: str, directory: str) -> None:
        """Enable download events, and save files in `directory`.

        In the shared context they stay where the person has them.
        """
        if browser_context != self.own.shared:
            super().report_downloads(browser_context, directory)
            return
        params = {"behavior": "default", "browserContextId": browser_context, "eventsEnabled": True}
        self.root.notify("Browser.setDownloadBehavior", params)

    async def is_own_frame(self, frame_id: str) -> bool:
        """Return whether a frame or worker is in a page of ours. Never raises.

        A frame of which no event comes within NEW_FRAME_SECONDS is in a page of others.
        """
        if self.targets.page_with_frame(frame_id):
            return True
        if frame_id in self._foreign_frames:
            return False
        try:
            result = await self.ask_browser("Target.getTargetInfo", targetId=frame_id)
        except ProtocolError:  # it is not a target, but a frame in the process of one
            is_own = await self._wait_for_frame(frame_id)
        else:
            is_own = self.own.check_own(result["targetInfo"])
        if not is_own:
            self._foreign_frames.append(frame_id)
        return is_own

    async def _wait_for_frame(self, frame_id: str) -> bool:
        """Wait for the event of a new frame in our pages. Return whether it has come."""
        give_up = time.monotonic() + NEW_FRAME_SECONDS
        while not (is_known := bool(self.targets.page_with_frame(frame_id))) and time.monotonic() < give_up:  # noqa: ASYNC110 - the targets report no frames
            await asyncio.sleep(POLL_SECONDS)
        return is_known
