"""Connect to a browser that others have started and may use, too, over a WebSocket.

It attaches only to our own targets (`OwnTargets`). The other end of the WebSocket may stop answering without closing: see
`Heartbeat`. The browser has a back-forward cache, which a flag disables in a browser that we start.

docs/decisions/0013-remote-and-shared-browsers.md has the reasons.
"""

import asyncio
import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import aiohttp

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.pipe import MessageSplitter, Pipe
from gstack_browse.browser.cdp.session import SESSION_FIELD, ProtocolError
from gstack_browse.browser.launch.outbound import tls
from gstack_browse.text.json_bytes import decode

_END = b"\0"
_DATA = (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY)


class SocketLink:
    """An open WebSocket.

    Its messages go to `on_messages`, all of an event-loop turn at once, each with a NUL byte at its end.
    """

    def __init__(self, client: aiohttp.ClientSession, socket: "aiohttp.ClientWebSocketResponse[bool]") -> None:
        self.received_count = 0
        """How often messages have come."""
        self._client = client
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._received: list[bytes] = []
        self._unsent: deque[bytes] = deque()
        self._has_unsent = asyncio.Event()
        self._on_messages: Callable[[bytes], None] = lambda messages: None
        self._on_end: Callable[[], None] = lambda: None
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, on_messages: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Read and write from now on. `on_end` is called when the other side closes."""
        self._on_messages, self._on_end = on_messages, on_end
        self._tasks = [asyncio.create_task(self._read_messages()), asyncio.create_task(self._write_messages())]

    def send(self, messages: bytes) -> None:
        """Send messages in order. In `messages` each ends with a NUL byte."""
        self._unsent.extend(message for message in messages.split(_END) if message)
        self._has_unsent.set()

    def close(self) -> None:
        """Close the WebSocket in the background, without waiting for it."""
        for task in self._tasks:
            task.cancel()
        closing = asyncio.ensure_future(self._close_socket())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)

    async def _close_socket(self) -> None:
        """Wait for the cancelled tasks, then close the WebSocket and its HTTP client."""
        await asyncio.wait(self._tasks) if self._tasks else None
        with suppress(aiohttp.ClientError, OSError):
            await self._socket.close()
        await self._client.close()

    async def _read_messages(self) -> None:
        """Pass received messages to `on_messages` until the WebSocket closes, then call `on_end`.

        The messages of one turn of the event loop are passed together.
        """
        while True:
            message = await self._socket.receive()
            if message.type not in _DATA:
                break
            if not self._received:
                self._loop.call_soon(self._pass_on)
            self._received += (message.data, _END)
        self._pass_on()
        self._on_end()

    def _pass_on(self) -> None:
        """Pass the messages received in this turn of the event loop to `on_messages`."""
        received, self._received = self._received, []
        if received:
            self.received_count += 1
            self._on_messages(b"".join(received))

    async def _write_messages(self) -> None:
        """Send queued messages, one frame each, until the WebSocket closes."""
        with suppress(aiohttp.ClientError, OSError):  # it has closed, as reading from it tells
            while True:
                await self._has_unsent.wait()
                self._has_unsent.clear()
                while self._unsent:
                    await self._socket.send_frame(self._unsent.popleft(), aiohttp.WSMsgType.TEXT)


_closing: set["asyncio.Future[None]"] = set()
"""Closings under way: a task that nobody holds may be collected."""


async def open_link(
    url: str, headers: Mapping[str, str], *, seconds: float, compress: bool, trust: ssl.SSLContext | None = None
) -> SocketLink:
    """Open a WebSocket to a debugging endpoint. Raises aiohttp's ClientError, OSError, TimeoutError.

    No `Origin` is sent: Chromium refuses those that it was not told to allow. `trust`: certificate authorities; None: the system's.
    """
    if url.startswith("wss:"):
        tls.enable_tls()
    client = aiohttp.ClientSession(trust_env=True)
    try:
        async with asyncio.timeout(seconds):
            socket = await client.ws_connect(
                url,
                headers=headers,
                max_msg_size=0,
                compress=15 if compress else 0,
                decode_text=False,
                ssl=True if trust is None else trust,
            )
    except BaseException:
        await client.close()
        raise
    return SocketLink(client, socket)


class _SocketOut:
    """The writer of a `SocketPipe`: `write` sends messages over the socket."""

    def __init__(self, link: SocketLink) -> None:
        self.write, self.close = link.send, link.close


class _SocketIn:
    """The reader of a `SocketPipe`: passes the socket's messages to `route`."""

    def __init__(self, link: SocketLink, route: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self.feed = MessageSplitter(route).feed
        link.begin(self.feed, on_end)

    def close(self) -> None:
        """Do nothing: `_SocketOut` closes the socket for both."""


class SocketPipe(Pipe):
    """A pipe that is a WebSocket."""

    def __init__(self, link: SocketLink) -> None:
        self.link = link
        super().__init__(-1, -1)

    def _open_streams(self, to_browser: int, from_browser: int) -> tuple[Any, Any]:
        """Return writer and reader over the WebSocket; the file descriptors of a pipe are not used."""
        return _SocketOut(self.link), _SocketIn(self.link, self._route, self.end)

    def _deliver_event(self, message: bytes) -> None:
        """Deliver an event, reordered if a proxy has put the session id elsewhere than at its end."""
        if (
            message[-47:-34] == SESSION_FIELD
            or b'"sessionId"' not in message
            or "sessionId" not in decode(message)
        ):
            super()._deliver_event(message)
        else:
            self._deliver_reformatted(message)


BEAT_SECONDS = 2.0
"""Interval of pings. Some services end a session without messages after a while."""
SILENT_SECONDS = 16.0
"""A browser without an answer for so long counts as lost."""


class Heartbeat:
    """Pings the browser until `stop`. Calls `on_silence` when nothing arrives any more.

    `count_messages` returns the number of messages so far, of whatever kind: a browser whose answer is queued behind events is not lost.
    """

    def __init__(
        self, connection: Connection, count_messages: Callable[[], int], on_silence: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._count_messages = count_messages
        self._on_silence = on_silence
        self._beating = asyncio.create_task(self._send_pings())

    def stop(self) -> None:
        """Stop the pings."""
        self._beating.cancel()

    async def _send_pings(self) -> None:
        """Ping the browser every BEAT_SECONDS. Call `on_silence` when nothing has come for SILENT_SECONDS."""
        misses = 0
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            before = self._count_messages()
            try:
                async with asyncio.timeout(SILENT_SECONDS / 2):
                    await self._connection.ask_browser("Browser.getVersion")
                misses = 0
            except TimeoutError:
                # twice, since the time may have passed while this process was paused
                misses = misses + 1 if self._count_messages() == before else 0
            except ProtocolError:
                return  # the connection has ended
            if misses == 2:
                self._on_silence()
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
        """Return whether gbrowse may act on a tab of the person's context: it has opened it or attached to it."""
        return target_id in self.opened or target_id in self.attached

    def check_own(self, info: dict[str, Any]) -> bool:
        """Return whether a target is gbrowse's, not the person's. Note a window that a tab of ours has opened.

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
        self._heartbeat = Heartbeat(self, lambda: self._link.received_count, self.pipe.end)

    def close(self) -> None:
        """End the heartbeat and close the connection."""
        if self._heartbeat:
            self._heartbeat.stop()
        super().close()

    async def close_browser(self) -> None:
        """Close only the connection: the browser is not ours."""
        self.close()

    async def default_context(self) -> str:
        """Return the id of the browser's default context if gbrowse works in it, else ""."""
        return self.own.shared

    async def create_context(self) -> str:
        """Create a browser context of gbrowse's own. Return its id. Raises ProtocolError."""
        context_id = await super().create_context()
        self.own.contexts.add(context_id)
        return context_id

    async def _create_target(self, context_id: str) -> str:
        """Open a blank page, and return the id of its target.

        In the shared context, attach to it afterwards: its `Target.attachedToTarget` comes before its id is known to be ours, so
        that `TargetEvents` has detached from it.
        """
        target_id = await super()._create_target(context_id)
        if context_id == self.own.shared:
            self.own.opened.add(target_id)
            await self._attach_to_target(target_id)
        return target_id

    async def close_target(self, target_id: str) -> None:
        """Close a tab that we have opened; from a tab of others that we have attached to, only detach."""
        if target_id in self.own.attached:
            self.detach_tab(target_id)
        else:
            await super().close_target(target_id)

    async def attach_tab(self, target_id: str) -> None:
        """Attach to a tab that another client has opened. Raises ProtocolError if it has closed."""
        self.own.attached.add(target_id)
        try:
            await self._attach_to_target(target_id)
        except BaseException:
            self.own.attached.discard(target_id)
            raise

    def detach_tab(self, target_id: str) -> None:
        """Detach from a tab, which stays open."""
        self.own.attached.discard(target_id)
        if self.targets.is_open(target_id):
            session = self.targets.get(target_id).session
            self.root.notify("Target.detachFromTarget", {"sessionId": session.id})

    def _on_own_detached(self, event: dict[str, Any]) -> None:
        """Handle `Target.detachedFromTarget`: forget the tab whose session has ended."""
        for target in self.targets:
            if target.session.id == event["sessionId"]:
                self.own.forget(target.id)

    async def _attach_to_target(self, target_id: str) -> None:
        """Attach to a target, so that `Target.attachedToTarget` comes with a session (flat mode)."""
        await self.root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def set_download_folder(self, browser_context: str, directory: str) -> None:
        """Save a browser context's downloads in `directory`, and report their events.

        In the context that gbrowse shares with a person, files stay where the person has them.
        """
        if browser_context != self.own.shared:
            super().set_download_folder(browser_context, directory)
            return
        params = {"behavior": "default", "browserContextId": browser_context, "eventsEnabled": True}
        self.root.notify("Browser.setDownloadBehavior", params)

    async def is_own_frame(self, frame_id: str) -> bool:
        """Return whether a frame or worker is in a page of this daemon, not of a person. Never raises.

        A frame of which no event comes within NEW_FRAME_SECONDS is in a person's page.
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
        """Wait up to NEW_FRAME_SECONDS for a page of ours to have this frame. Return whether one has."""
        give_up = time.monotonic() + NEW_FRAME_SECONDS
        while not (is_known := bool(self.targets.page_with_frame(frame_id))) and time.monotonic() < give_up:  # noqa: ASYNC110 - the targets report no frames
            await asyncio.sleep(POLL_SECONDS)
        return is_known
