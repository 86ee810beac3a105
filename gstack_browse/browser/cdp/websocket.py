"""Replaces Chromium's end of the pipe by a WebSocket, for a Chromium that others have started.

The rest of the pipe is unchanged. Each message is a WebSocket frame, instead of ending with a NUL byte.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import aiohttp

from gstack_browse.browser.cdp import tls
from gstack_browse.browser.cdp.pipe import EVENT, MOST_WAITING, Pipe, PipePump
from gstack_browse.text.json_bytes import decode

_END = b"\0"
_SESSION = b',"sessionId":"'
"""What stands before the id of an event's session, 34 bytes from its end."""
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
        self._unsent_bytes = 0
        self._has_unsent, self._may_read = asyncio.Event(), asyncio.Event()
        self._may_read.set()
        self._take: Callable[[bytes], None] = lambda messages: None
        self._ended: Callable[[], None] = lambda: None
        self._lags: Callable[[bool], None] = lambda lags: None
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        """Read and write from now on. `ended` is called when the other side closes."""
        self._take, self._ended = take, ended
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._write())]

    def set_lag_handler(self, lags: Callable[[bool], None]) -> None:
        """Set the handler of lag: called with true when MOST_WAITING bytes wait, with false afterwards."""
        self._lags = lags

    def send(self, messages: bytes) -> None:
        """Send messages, each with a NUL behind it, in order."""
        self._unsent.extend(message for message in messages.split(_END) if message)
        self._unsent_bytes += len(messages)
        self._has_unsent.set()
        if self._unsent_bytes > MOST_WAITING:
            self._lags(True)

    def hold(self) -> None:
        """Stop reading until `free`."""
        self._may_read.clear()

    def free(self) -> None:
        """Read again."""
        self._may_read.set()

    def close(self) -> None:
        """Close the socket, in the background."""
        for task in self._tasks:
            task.cancel()
        closing = asyncio.ensure_future(self._close())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)

    async def _close(self) -> None:
        await asyncio.wait(self._tasks) if self._tasks else None
        with suppress(aiohttp.ClientError, OSError):
            await self._socket.close()
        await self._client.close()

    async def _read(self) -> None:
        while True:
            await self._may_read.wait()
            message = await self._socket.receive()
            if message.type not in _DATA:
                break
            if not self._come:
                self._loop.call_soon(self._give)
            self._come += (message.data, _END)
        self._give()
        self._ended()

    def _give(self) -> None:
        come, self._come = self._come, []
        if come:
            self.heard += 1
            self._take(b"".join(come))

    async def _write(self) -> None:
        with suppress(aiohttp.ClientError, OSError):  # it has closed, as reading from it tells
            while True:
                await self._has_unsent.wait()
                self._has_unsent.clear()
                while self._unsent:
                    await self._socket.send_frame(self._unsent.popleft(), aiohttp.WSMsgType.TEXT)
                self._unsent_bytes = 0
                self._lags(False)


_closing: set["asyncio.Future[None]"] = set()
"""Closings under way: a task that nobody holds may be collected."""


async def open_link(
    url: str, headers: Mapping[str, str], *, seconds: float, compress: bool, trust: ssl.SSLContext | None = None
) -> SocketLink:
    """Connect to a debugging endpoint. Raises aiohttp's ClientError, OSError, TimeoutError.

    No `Origin` is sent: Chromium refuses those that it was not told to allow. `trust`: authorities; None: the system's.
    """
    if url.startswith("wss:"):
        tls.allow()
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


class _OutPump(PipePump):
    """From the driver to the socket."""

    def __init__(self, link: SocketLink, route: Callable[[bytes], bytes], ended: Callable[[], None]) -> None:
        super().__init__(route, ended)
        self._link = link
        self._is_held = False
        link.set_lag_handler(self._lag)

    def write(self, data: bytes) -> None:
        self._link.send(data)

    def close(self) -> None:
        super().close()
        self._link.close()

    def _lag(self, lags: bool) -> None:
        if lags != self._is_held:
            self._is_held = lags
            (self._hold_source if lags else self._free_source)()


class _BackPump(PipePump):
    """From the socket to the driver."""

    def __init__(self, link: SocketLink, route: Callable[[bytes], bytes], ended: Callable[[], None]) -> None:
        super().__init__(route, ended)
        self._link = link
        link.begin(self.take, ended)

    def _hold_source(self) -> None:
        self._link.hold()

    def _free_source(self) -> None:
        self._link.free()


class SocketPipe(Pipe):
    """The wire whose far end is a WebSocket."""

    def __init__(self, link: SocketLink) -> None:
        self.link = link
        super().__init__(-1, -1)

    def _pump_out(self, to_browser: int) -> PipePump:
        return _OutPump(self.link, self._route_driver_messages, partial(self.end, by_browser=False))

    def _pump_back(self, from_browser: int) -> PipePump:
        return _BackPump(self.link, self._route_browser_messages, partial(self.end, by_browser=True))

    def _for_driver(self, message: bytes) -> bytes:
        """Return the driver's version of a message.

        A service may put the session elsewhere than at an event's end, where Chromium has it.
        """
        is_usual = message[-48:-34] == _SESSION or not message.startswith(EVENT)
        if is_usual or "sessionId" not in decode(message):
            return super()._for_driver(message)
        return self._for_driver_in_another_form(message)
