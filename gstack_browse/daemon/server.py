"""The socket's side of the daemon: connections, lines, limits, heartbeats. Knows nothing of commands.

One task per connection answers its lines in order. What must hold for everybody: a client that is slow,
silent, rude or gone disturbs nobody else.
"""

import asyncio
import os
import select
import socket
from collections import deque
from collections.abc import Awaitable, Callable

from gstack_browse import protocol
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.workspace import peer

Say = Callable[[str], None]
Answer = Callable[[Request, Say], Awaitable[Reply]]

_PATIENCE_SECONDS = 5.0
"""How long a connection beyond the limit waits for a place before it is told that the daemon is busy."""
_HANG_UP_SECONDS = 0.25
"""How often a client that has shut down its sending side is looked at: it may have gone altogether."""
_MOST_QUEUED_LINES = 64


class Server:
    """All connections. `answer` runs one request; the server keeps the limits around it."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.leaving = False
        self._connections: set[Connection] = set()
        self._served: set[Connection] = set()
        self._waiting: deque[Connection] = deque()
        self._listening: asyncio.Server | None = None
        self._socket: socket.socket | None = None

    async def listen(self, listening: socket.socket) -> None:
        """Accept on a bound and listening socket."""
        self._socket = listening
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_unix_server(lambda: Connection(self), sock=listening)

    @property
    def is_busy(self) -> bool:
        """Whether any request is being answered."""
        return any(connection.is_running for connection in self._connections)

    def cancel_all(self) -> None:
        """Cancel every running request; each still gets the answer its cancellation leads to."""
        for connection in list(self._connections):
            connection.cancel()

    async def leave(self, seconds: float) -> None:
        """Answer what has been read, tell everybody else that we are busy, accept nobody any more.

        The socket's name must be gone already, so that whoever comes now finds nobody.
        """
        self.leaving = True
        for connection in list(self._connections):
            connection.leave()
        self._turn_away_backlog()
        running = [connection.task for connection in self._connections if connection.task]
        if running:
            await asyncio.wait(running, timeout=seconds)

    def _turn_away_backlog(self) -> None:
        """Connections the kernel took for us but that we never read from: a reset would look like a lost request."""
        if self._listening is None or self._socket is None:
            return
        listener = os.dup(self._socket.fileno())
        self._listening.close()
        with socket.socket(fileno=listener) as late:
            late.setblocking(False)
            while True:
                try:
                    client, _ = late.accept()
                except (BlockingIOError, OSError):
                    return
                with client:
                    _turn_away(client)

    # what connections ask of the server

    def came(self, connection: "Connection") -> None:
        self._connections.add(connection)
        if len(self._served) < protocol.MAX_CONNECTIONS:
            self._served.add(connection)
            connection.serve()
        else:
            self._waiting.append(connection)

    def went(self, connection: "Connection") -> None:
        self._connections.discard(connection)
        if connection in self._waiting:
            self._waiting.remove(connection)
        if connection in self._served:
            self._served.discard(connection)
            if self._waiting:
                follower = self._waiting.popleft()
                self._served.add(follower)
                follower.serve()


def _turn_away(client: socket.socket) -> None:
    """Answer a connection that will not be served, in the form it asked for as far as it has."""
    try:
        client.setblocking(False)
        line = client.recv(protocol.MAX_LINE_BYTES, socket.MSG_DONTWAIT).partition(b"\n")[0]
    except OSError:
        line = b""
    try:
        client.sendall(_busy(line, "The daemon is just stopping"))
    except OSError:
        return  # it went away itself


def _busy(line: bytes, why: str) -> bytes:
    try:
        request = protocol.decode_request(line)
    except UsageError:
        request = Request("busy", status=True, stderr=True)
    return protocol.encode_reply(request, failure(Busy(why, "Try again in a moment")))


class Connection(asyncio.Protocol):
    """One client: its unread bytes, its lines, the task that answers them."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()
        self._line_timer: asyncio.TimerHandle | None = None
        self._place_timer: asyncio.TimerHandle | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._drained = asyncio.Event()
        self._drained.set()
        self._half_closed = False
        self._serving = False
        self._closing = False
        self._request: Request | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self.task is not None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        _, uid = peer(transport.get_extra_info("socket"))
        if uid not in (os.getuid(), 0):
            transport.abort()  # file permissions should have kept it out; nothing is said to a stranger
            return
        if self._server.leaving:
            self._finish(_busy(b"", "The daemon is just stopping"))
            return
        transport.pause_reading()
        self._place_timer = self._loop.call_later(_PATIENCE_SECONDS, self._no_place)
        self._server.came(self)

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        self._buffer += data
        while (end := self._buffer.find(b"\n")) >= 0:
            if end > protocol.MAX_LINE_BYTES:
                break
            self._lines.append(bytes(self._buffer[:end]))
            del self._buffer[: end + 1]
            self._stop_line_timer()
        if len(self._buffer) > protocol.MAX_LINE_BYTES:
            self._refuse(f"The line is longer than {protocol.MAX_LINE_BYTES} bytes")
            return
        if self._buffer and self._line_timer is None:
            self._line_timer = self._loop.call_later(protocol.LINE_SECONDS, self._line_too_slow)
        if len(self._lines) > _MOST_QUEUED_LINES:
            self._transport.pause_reading()
        self._go_on()

    def eof_received(self) -> bool:
        """The client sends no more. It may still read (socat), or be gone (a killed client)."""
        self._half_closed = True
        self._stop_line_timer()
        if self._buffer and not self._closing:
            self._lines.append(bytes(self._buffer))
            self._buffer.clear()
            self._go_on()
        if self.is_running:
            self._look_whether_gone()
        elif not self._lines:
            return False
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._line_timer, self._place_timer, self._beat, self._watch):
            if timer:
                timer.cancel()
        self._closing = True
        self._drained.set()
        self._server.went(self)
        if self.task:
            self.task.cancel()

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    # places, limits, endings

    def serve(self) -> None:
        """There is a place for this connection."""
        if self._place_timer:
            self._place_timer.cancel()
        self._serving = True
        self._transport.resume_reading()

    def _no_place(self) -> None:
        self._finish(_busy(b"", f"{protocol.MAX_CONNECTIONS} connections are open already"))

    def cancel(self) -> None:
        if self.task:
            self.task.cancel()

    def leave(self) -> None:
        """The daemon is leaving: what is running gets its answer, the rest is told to come again."""
        for line in self._lines:
            self._write(_busy(line, "The daemon is just stopping"))
        self._lines.clear()
        if not self.is_running and not self._closing:
            self._finish(
                b"" if self._serving and not self._buffer else _busy(b"", "The daemon is just stopping")
            )

    def _line_too_slow(self) -> None:
        self._refuse(f"The line was not finished within {protocol.LINE_SECONDS:g} seconds")

    def _stop_line_timer(self) -> None:
        if self._line_timer:
            self._line_timer.cancel()
            self._line_timer = None

    def _refuse(self, why: str) -> None:
        """Say in one line what is wrong with the input, and close."""
        request = self._request or Request("", status=True)
        self._lines.clear()
        if self.is_running:
            self.cancel()
        self._finish(protocol.encode_reply(request, failure(UsageError(why))))

    def _finish(self, last: bytes) -> None:
        self._closing = True
        if last:
            self._transport.write(last)
        self._transport.close()
        self._loop.call_later(protocol.READ_SECONDS, self._transport.abort)

    def _look_whether_gone(self) -> None:
        """Whether a client that closed its sending side has closed the other one too (poll(2): POLLHUP)."""
        descriptor = self._transport.get_extra_info("socket")
        if self._closing or not self.is_running or descriptor is None:
            return
        poll = select.poll()
        poll.register(descriptor.fileno(), 0)
        if poll.poll(0):
            self._transport.abort()
            return
        self._watch = self._loop.call_later(_HANG_UP_SECONDS, self._look_whether_gone)

    # answering

    def _go_on(self) -> None:
        if self._lines and self.task is None and not self._closing:
            self.task = self._loop.create_task(self._answer_lines())

    async def _answer_lines(self) -> None:
        try:
            while self._lines and not self._closing:
                line = self._lines.popleft()
                if len(self._lines) == _MOST_QUEUED_LINES // 2:
                    self._transport.resume_reading()
                if line.strip() and not await self._answer(line):
                    return
        except asyncio.CancelledError:
            if not self._closing:
                raise
        finally:
            self.task = None
            self._request = None
        if self._half_closed and not self._closing:
            self._finish(b"")

    async def _answer(self, line: bytes) -> bool:
        """Answer one line. False when the connection ends with it."""
        try:
            request = protocol.decode_request(line)
        except UsageError as error:
            guessed = Request(
                "",
                reply="json" if b'"json"' in line else "text",
                status=b'"status"' in line,
                stderr=b'"stderr"' in line,
            )
            self._write(protocol.encode_reply(guessed, failure(error)))
            return self._after(guessed)
        self._request = request
        if request.status:
            self._beat = self._loop.call_later(protocol.HEARTBEAT_SECONDS, self._heartbeat)
        if self._half_closed:
            self._watch = self._loop.call_later(_HANG_UP_SECONDS, self._look_whether_gone)
        try:
            reply = await self._server.answer(request, self._say)
        finally:
            if self._beat:
                self._beat.cancel()
                self._beat = None
        self._write(protocol.encode_reply(request, reply))
        if request.reply == "json":
            await self._drain()
        return self._after(request)

    def _after(self, request: Request) -> bool:
        if request.reply == "json" and not self._server.leaving:
            return True
        for line in self._lines:
            self._write(_busy(line, "One text request a connection") if request.reply == "json" else b"")
        self._finish(b"")
        return False

    def _heartbeat(self) -> None:
        if not self._closing:
            self._transport.write(protocol.HEARTBEAT)
            self._beat = self._loop.call_later(protocol.HEARTBEAT_SECONDS, self._heartbeat)

    def _say(self, note: str) -> None:
        """Send a remark for standard error at once, when the client can tell it from the reply."""
        if self._request and self._request.stderr and not self._closing and self._request.reply == "text":
            self._write(protocol.encode_note(note))

    def _write(self, data: bytes) -> None:
        if data and not self._transport.is_closing():
            self._transport.write(data)

    async def _drain(self) -> None:
        """Wait until the client has read enough; drop one that does not read."""
        if self._drained.is_set():
            return
        try:
            async with asyncio.timeout(protocol.READ_SECONDS):
                await self._drained.wait()
        except TimeoutError:
            self._transport.abort()
