"""Carries our messages as WebSocket frames to a Chromium that others have started, without NUL bytes."""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import aiohttp

from gstack_browse.browser.cdp import tls
from gstack_browse.browser.cdp.pipe import MessageSplitter, Pipe
from gstack_browse.browser.cdp.session import SESSION_FIELD
from gstack_browse.text.json_bytes import decode

_END = b"\0"
_DATA = (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY)


class SocketLink:
    """An open WebSocket.

    Its messages go to `take`, all of an event-loop turn at once, each with a NUL byte at its end.
    """

    def __init__(self, client: aiohttp.ClientSession, socket: "aiohttp.ClientWebSocketResponse[bool]") -> None:
        self.heard = 0
        """How often messages have come."""
        self._client = client
        self._socket = socket
        self._loop = asyncio.get_running_loop()
        self._come: list[bytes] = []
        self._unsent: deque[bytes] = deque()
        self._has_unsent = asyncio.Event()
        self._take: Callable[[bytes], None] = lambda messages: None
        self._ended: Callable[[], None] = lambda: None
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        """Read and write from now on. `ended` is called when the other side closes."""
        self._take, self._ended = take, ended
        self._tasks = [asyncio.create_task(self._read_messages()), asyncio.create_task(self._write_messages())]

    def send(self, messages: bytes) -> None:
        """Send messages, each with a NUL behind it, in order."""
        self._unsent.extend(message for message in messages.split(_END) if message)
        self._has_unsent.set()

    def close(self) -> None:
        """Close the socket, in the background."""
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
        """Collect messages until the WebSocket closes.

        Those of one turn of the event loop are passed on at once.
        """
        while True:
            message = await self._socket.receive()
            if message.type not in _DATA:
                break
            if not self._come:
                self._loop.call_soon(self._pass_on)
            self._come += (message.data, _END)
        self._pass_on()
        self._ended()

    def _pass_on(self) -> None:
        """Pass the collected messages to the reader."""
        come, self._come = self._come, []
        if come:
            self.heard += 1
            self._take(b"".join(come))

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
    """Connect to a debugging endpoint. Raises aiohttp's ClientError, OSError, TimeoutError.

    No `Origin` is sent: Chromium refuses those that it was not told to allow. `trust`: authorities; None: the system's.
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
    """Writes messages to the socket."""

    def __init__(self, link: SocketLink) -> None:
        self.write, self.close = link.send, link.close


class _SocketIn:
    """Reads messages from the socket."""

    def __init__(self, link: SocketLink, route: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self.feed = MessageSplitter(route).feed
        link.begin(self.feed, ended)

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
        """Deliver an event. A service may put the session elsewhere than at its end, where Chromium has it."""
        if (
            message[-47:-34] == SESSION_FIELD
            or b'"sessionId"' not in message
            or "sessionId" not in decode(message)
        ):
            super()._deliver_event(message)
        else:
            self._deliver_reformatted(message)
