"""One client's connection: its lines, their limits, and the task that answers them in order. Knows nothing of commands."""

import asyncio
import os
import select
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

from gstack_browse import protocol
from gstack_browse.daemon.busy import full, stopping, turned_away
from gstack_browse.daemon.places import AT_ONCE
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.workspace import peer

Say = Callable[[str], None]
Answer = Callable[[Request, Say], Awaitable[Reply]]

_HANG_UP_SECONDS = 0.25
"""How often a client that we do not read from is looked at: it may have gone altogether."""
_MOST_QUEUED_LINES = 64


class ConnectionKeeper(Protocol):
    """What a connection asks of the server: a place, an answer to a request, and whether the daemon is leaving.

    `asks` says whether there is a place for what stands in the line; where not, the server calls `serve` once there is one.
    """

    answer: Answer
    leaving: bool

    def came(self, connection: "ClientConnection") -> None: ...

    def asks(self, connection: "ClientConnection", line: bytes) -> bool: ...

    def rests(self, connection: "ClientConnection") -> None: ...

    def closes(self, connection: "ClientConnection") -> None: ...

    def went(self, connection: "ClientConnection") -> None: ...


class ClientConnection(asyncio.Protocol):
    """One client: its unread bytes, its lines, the task that answers them."""

    def __init__(self, server: ConnectionKeeper) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()
        self._line_timer: asyncio.TimerHandle | None = None
        self._place_timer: asyncio.TimerHandle | None = None
        self._end_timer: asyncio.TimerHandle | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._drained = asyncio.Event()
        self._drained.set()
        self._half_closed = False
        self._paused = False
        self._closing = False
        self._refusal = ""
        self._request: Request | None = None
        self._pid = 0
        self.task: asyncio.Task[None] | None = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._pid, uid = peer(transport.get_extra_info("socket"))
        if uid not in (os.getuid(), 0):
            transport.abort()  # file permissions should have kept it out; nothing is said to a stranger
            return
        self._server.came(self)

    def data_received(self, data: bytes) -> None:
        if self._closing or self._refusal:
            return
        self._buffer += data
        while 0 <= (end := self._buffer.find(b"\n")) <= protocol.MAX_LINE_BYTES:
            self._lines.append(bytes(self._buffer[:end]))
            del self._buffer[: end + 1]
            self._stop_line_timer()
        if len(self._buffer) > protocol.MAX_LINE_BYTES:
            self._refuse(f"The line is longer than {protocol.MAX_LINE_BYTES} bytes")
            return
        if len(self._lines) > _MOST_QUEUED_LINES:
            self._pause()
        self._time_line()
        self._go_on()

    def eof_received(self) -> bool:
        """The client sends no more. It may still read (socat), or be gone (a killed client)."""
        self._half_closed = True
        self._stop_line_timer()
        if self._buffer and not self._closing:
            self._lines.append(bytes(self._buffer))
            self._buffer.clear()
            self._go_on()
        if not self.task and not self._lines:
            return False
        self._look_whether_gone()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._line_timer, self._place_timer, self._end_timer, self._beat, self._watch):
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
        """There is a place for this connection, which has waited for one."""
        self._stop_waiting()
        self.task = self._loop.create_task(self._answer_lines())

    def let_go(self) -> None:
        """Another connection needs the room. A client of ours whose request was not taken asks again."""
        self._turn_away(full(AT_ONCE))

    def leave(self) -> None:
        """The daemon is leaving. What is running gets its answer first."""
        if not self.task and not self._closing:
            self._turn_away(stopping())

    def _wait_for_place(self) -> None:
        self._place_timer = self._loop.call_later(protocol.PLACE_SECONDS, self.let_go)
        with suppress(UsageError):
            if protocol.decode_request(self._lines[0]).status:
                self._beat = self._loop.call_later(protocol.HEARTBEAT_SECONDS, self._heartbeat)

    def _stop_waiting(self) -> None:
        if self._place_timer:
            self._place_timer.cancel()
            self._place_timer = None
        self._stop_beating()

    def _turn_away(self, why: Busy) -> None:
        self._stop_waiting()
        begun = b"\n".join([*self._lines, bytes(self._buffer)])
        self._lines.clear()
        with self._transport.get_extra_info("socket").dup() as client:
            self._finish(turned_away(client, begun, why))

    def _pause(self) -> None:
        """Read no more for now: the client has sent enough to be getting on with."""
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()
            self._stop_line_timer()  # that its line is not finished is our doing now
            self._look_whether_gone()

    def _resume(self) -> None:
        if self._paused and len(self._lines) <= _MOST_QUEUED_LINES // 2 and not self._closing:
            self._paused = False
            self._transport.resume_reading()
            self._time_line()

    def _time_line(self) -> None:
        if self._buffer and self._line_timer is None and not self._paused:
            self._line_timer = self._loop.call_later(protocol.LINE_SECONDS, self._line_too_slow)

    def _line_too_slow(self) -> None:
        self._refuse(f"The line was not finished within {protocol.LINE_SECONDS:g} seconds")

    def _stop_line_timer(self) -> None:
        if self._line_timer:
            self._line_timer.cancel()
            self._line_timer = None

    def _refuse(self, why: str) -> None:
        """Say in one line what is wrong with the input, after the answers it has a right to, and close."""
        self._refusal = why
        self._stop_line_timer()
        self._go_on()

    def _finish(self, last: bytes = b"") -> None:
        if self._closing:
            return
        self._closing = True
        self._server.closes(self)
        self._write(last)
        self._transport.close()
        self._end_timer = self._loop.call_later(protocol.READ_SECONDS, self._transport.abort)

    def _look_whether_gone(self) -> None:
        """Whether a client that we do not read from has closed its socket altogether (poll(2): POLLHUP)."""
        if self._watch:
            self._watch.cancel()
            self._watch = None
        if self._closing or not (self._half_closed or self._paused):
            return
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), 0)
        if poll.poll(0):
            self._transport.abort()
            return
        self._watch = self._loop.call_later(_HANG_UP_SECONDS, self._look_whether_gone)

    # answering

    def _go_on(self) -> None:
        if not (self._lines or self._refusal) or self.task or self._place_timer or self._closing:
            return
        if self._lines and not self._server.asks(self, self._lines[0]):
            self._wait_for_place()
        else:
            self.task = self._loop.create_task(self._answer_lines())

    async def _answer_lines(self) -> None:
        try:
            while self._lines and not self._closing:
                line = self._lines.popleft()
                self._resume()
                if line.strip():
                    await self._answer(line)
                if self._server.leaving and not self._closing:
                    self._turn_away(stopping())
        except asyncio.CancelledError:
            if not self._closing:
                raise
        finally:
            self.task = None
        if not self._closing:
            self._server.rests(self)
        if self._refusal:
            form = self._request or protocol.form_of(bytes(self._buffer[:1000]))
            self._finish(protocol.encode_reply(form, failure(UsageError(self._refusal))))
        elif self._half_closed:
            self._finish()

    async def _answer(self, line: bytes) -> None:
        """Answer one line. A text reply ends the connection."""
        try:
            self._request = request = protocol.decode_request(line)
        except UsageError as error:
            request = protocol.form_of(line)
            reply = failure(error)
        else:
            request.peer = self._pid
            request.send = partial(self._send_part, request)
            reply = await self._run(request)
        self._write(protocol.encode_reply(request, reply))
        if request.reply == "json":
            await self._drain()
        else:
            self._finish()

    async def _run(self, request: Request) -> Reply:
        if request.status:
            self._beat = self._loop.call_later(protocol.HEARTBEAT_SECONDS, self._heartbeat)
        try:
            return await self._server.answer(request, self._say)
        finally:
            self._stop_beating()

    def _stop_beating(self) -> None:
        if self._beat:
            self._beat.cancel()
            self._beat = None

    def _heartbeat(self) -> None:
        self._write(protocol.HEARTBEAT)
        self._beat = self._loop.call_later(protocol.HEARTBEAT_SECONDS, self._heartbeat)

    def _say(self, note: str) -> None:
        """Send a remark for standard error at once, when the client can tell it from the reply."""
        if self._request and self._request.stderr and self._request.reply == "text":
            self._write(protocol.encode_note(note))

    def _write(self, data: bytes) -> None:
        if data and not self._transport.is_closing():
            self._transport.write(data)

    async def _send_part(self, request: Request, text: str) -> None:
        """Send a part of a reply, and wait until the client has read enough, however long that takes."""
        self._write(protocol.encode_part(request, text))
        await self._drained.wait()

    async def _drain(self) -> None:
        """Wait until the client has read enough; drop one that does not read."""
        if self._drained.is_set():
            return
        try:
            async with asyncio.timeout(protocol.READ_SECONDS):
                await self._drained.wait()
        except TimeoutError:
            self._transport.abort()
