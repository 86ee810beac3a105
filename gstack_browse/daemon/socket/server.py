"""Accept connections on the Unix socket, read their lines, and have each answered in order.

A connection needs a slot; without one it is refused.

Does not know commands. A slow, silent, rude or vanished client disturbs no other, and every client knows whether its request was taken.
"""

import asyncio
import os
import resource
import select
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

from gstack_browse import protocol
from gstack_browse.command_names import ENDS_DAEMON
from gstack_browse.daemon.socket.connection_limiter import (
    AT_ONCE,
    MOST_OPEN,
    ConnectionLimiter,
    full_error,
    refuse_unanswered,
    shut_receiving_side,
    stopping_error,
    try_send,
)
from gstack_browse.errors import Busy, UsageError
from gstack_browse.protocol import Reply, Request, failure
from gstack_browse.workspace.directory import peer_process
from gstack_browse.workspace.state import BACKLOG

Say = Callable[[str], None]
Answer = Callable[[Request, Say], Awaitable[Reply]]

_ACCEPT_PAUSE_SECONDS = 1.0
"""Pause (s) of accepting after too many files were open."""
_CONTROL_COMMANDS = frozenset({"status", *ENDS_DAEMON})
_HANG_UP_SECONDS = 0.25
"""How often to check whether a client that we do not read from has gone."""
_MOST_QUEUED_LINES = 64


class LineReader:
    """Splits the bytes that a client sends into lines. Calls `on_slow` if a line takes too long."""

    def __init__(self, on_slow: Callable[[], None]) -> None:
        self.lines: deque[bytes] = deque()
        self._rest = bytearray()
        self._on_slow = on_slow
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> None:
        """Add bytes received from the client, and append complete lines to `lines`."""
        self._rest += data
        while 0 <= (end := self._rest.find(b"\n")) <= protocol.MAX_LINE_BYTES:
            self.lines.append(bytes(self._rest[:end]))
            del self._rest[: end + 1]
            self.stop_line_timer()

    @property
    def rest(self) -> bytes:
        """Return the bytes received after the last complete line."""
        return bytes(self._rest)

    @property
    def is_too_long(self) -> bool:
        """Return whether the unfinished line is longer than the protocol allows."""
        return len(self._rest) > protocol.MAX_LINE_BYTES

    def finish(self) -> bool:
        """Append the unfinished line to `lines` once the client is done. Return whether there was one."""
        if not self._rest:
            return False
        self.lines.append(bytes(self._rest))
        self._rest.clear()
        return True

    def start_line_timer(self) -> None:
        """Call `on_slow` in LINE_SECONDS, unless the client has finished its line by then."""
        if self._rest and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(protocol.LINE_SECONDS, self._on_slow)

    def stop_line_timer(self) -> None:
        """Cancel the timer of `start_line_timer`: the unfinished line may take any time."""
        if self._timer:
            self._timer.cancel()
            self._timer = None


class ReplyWriter:
    """Writes replies, parts of replies and heartbeats to a client."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._heartbeat_timer: asyncio.TimerHandle | None = None
        self.drained = asyncio.Event()
        """Set while the client has read enough for more to be written."""
        self.drained.set()

    def write(self, data: bytes) -> None:
        """Send bytes to the client, unless the connection is closing."""
        if data and not self._transport.is_closing():
            self._transport.write(data)

    async def write_part(self, request: Request, text: str) -> None:
        """Send a part of a reply, and wait, without limit, until the client has read most of it."""
        self.write(protocol.encode_part(request, text))
        await self.drained.wait()

    async def drain(self) -> None:
        """Wait until the client has read most of what was sent; abort the connection after READ_SECONDS."""
        if self.drained.is_set():
            return
        try:
            async with asyncio.timeout(protocol.READ_SECONDS):
                await self.drained.wait()
        except TimeoutError:
            self._transport.abort()

    def start_heartbeat(self) -> None:
        """Send a heartbeat every HEARTBEAT_SECONDS, which shows the client that the daemon is alive."""
        loop = asyncio.get_running_loop()
        self._heartbeat_timer = loop.call_later(protocol.HEARTBEAT_SECONDS, self._beat)

    def stop_heartbeat(self) -> None:
        """Stop sending heartbeats, since the reply comes next."""
        if self._heartbeat_timer:
            self._heartbeat_timer.cancel()
            self._heartbeat_timer = None

    def _beat(self) -> None:
        """Send a heartbeat to the client, and schedule the next one."""
        self.write(protocol.HEARTBEAT)
        self.start_heartbeat()


class ClientConnection(asyncio.Protocol):
    """The connection of one client, with the task that answers its lines."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._writer: ReplyWriter
        self._reader = LineReader(self._refuse_slow_line)
        self._lines = self._reader.lines
        self._slot_timer: asyncio.TimerHandle | None = None
        self._end_timer: asyncio.TimerHandle | None = None
        self._hang_up_timer: asyncio.TimerHandle | None = None
        self._is_half_closed = False
        self._is_paused = False
        self._is_closing = False
        self._refusal = ""
        self._request: Request | None = None
        self._pid = 0
        self.task: asyncio.Task[None] | None = None

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register a new connection. Abort it if it belongs to another user (root excepted)."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._writer = ReplyWriter(transport)
        self._pid, uid = peer_process(transport.get_extra_info("socket"))
        if uid not in (os.getuid(), 0):
            transport.abort()  # another user: file permissions should have kept it out
            return
        self._server.on_connect(self)

    def data_received(self, data: bytes) -> None:
        """Split received bytes into lines, and begin to answer them.

        Refuse a line that is too long; stop reading while too many lines are queued.
        """
        if self._is_closing or self._refusal:
            return
        self._reader.feed(data)
        if self._reader.is_too_long:
            self._report_bad_input(f"The line is longer than {protocol.MAX_LINE_BYTES} bytes")
            return
        if len(self._lines) > _MOST_QUEUED_LINES:
            self._pause_reading()
        if not self._is_paused:
            self._reader.start_line_timer()
        self._start_next()

    def eof_received(self) -> bool:
        """Note that the client sends nothing more. Return whether to keep the connection open for a reply.

        The client may still read (as socat does), or have gone (a killed client).
        """
        self._is_half_closed = True
        self._reader.stop_line_timer()
        if not self._is_closing and self._reader.finish():
            self._start_next()
        if not self.task and not self._lines:
            return False
        self._check_hang_up()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers, and cancel the running command, since the client has gone."""
        for timer in (self._slot_timer, self._end_timer, self._hang_up_timer):
            if timer:
                timer.cancel()
        self._reader.stop_line_timer()
        self._writer.stop_heartbeat()
        self._is_closing = True
        self._writer.drained.set()
        self._server.on_close(self)
        if self.task:
            self.task.cancel()

    def pause_writing(self) -> None:
        """Make tasks that write wait, since the client does not read. Called by asyncio."""
        self._writer.drained.clear()

    def resume_writing(self) -> None:
        """Let tasks that write go on, since the client has read enough. Called by asyncio."""
        self._writer.drained.set()

    # slots, limits, closing

    def start_serving(self) -> None:
        """Begin to answer the client's lines: the connection has waited for a slot, and has one now."""
        self._stop_waiting()
        self.task = self._loop.create_task(self._answer_lines())

    def refuse_as_busy(self) -> None:
        """Answer all lines with Busy and close the connection, to make room for others.

        Our client then sends its request again.
        """
        self._refuse_lines(full_error(AT_ONCE))

    def refuse_if_idle(self) -> None:
        """Refuse the connection because the daemon ends. If a command runs, do nothing: its reply comes first."""
        if not self.task and not self._is_closing:
            self._refuse_lines(stopping_error())

    def _wait_for_slot(self) -> None:
        """Start the timer that refuses the client unless it gets a slot (the right to run) in PLACE_SECONDS.

        Send heartbeats meanwhile if the client asks for them.
        """
        self._slot_timer = self._loop.call_later(protocol.PLACE_SECONDS, self.refuse_as_busy)
        with suppress(UsageError):
            if protocol.decode_request(self._lines[0]).status:
                self._writer.start_heartbeat()

    def _stop_waiting(self) -> None:
        """Stop the timer and the heartbeats of a client that waited for a slot (the right to run commands)."""
        if self._slot_timer:
            self._slot_timer.cancel()
            self._slot_timer = None
        self._writer.stop_heartbeat()

    def _refuse_lines(self, why: Busy) -> None:
        """Answer all received lines with the error `why`, without running them, and close the connection."""
        self._stop_waiting()
        received = b"\n".join([*self._lines, self._reader.rest])
        self._lines.clear()
        with self._transport.get_extra_info("socket").dup() as client:
            self._close_after_writing(refuse_unanswered(client, received, why))

    def _pause_reading(self) -> None:
        """Stop reading from the client, since many requests are queued already."""
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
            self._reader.stop_line_timer()  # an unfinished line is no longer the client's fault
            self._check_hang_up()

    def _resume_reading(self) -> None:
        """Read from the client again if few enough requests are queued by now."""
        if self._is_paused and len(self._lines) <= _MOST_QUEUED_LINES // 2 and not self._is_closing:
            self._is_paused = False
            self._transport.resume_reading()
            self._reader.start_line_timer()

    def _refuse_slow_line(self) -> None:
        """Report that the client did not finish a line in time, and close the connection."""
        self._report_bad_input(f"The line was not finished within {protocol.LINE_SECONDS:g} seconds")

    def _report_bad_input(self, why: str) -> None:
        """Answer the lines before the bad input, then reply what is wrong with it (`why`), and close."""
        self._refusal = why
        self._reader.stop_line_timer()
        self._start_next()

    def _close_after_writing(self, last: bytes = b"") -> None:
        """Send the bytes `last`, and close once the client has read all. Abort if that takes READ_SECONDS."""
        if self._is_closing:
            return
        self._is_closing = True
        self._server.on_closing(self)
        self._writer.write(last)
        self._transport.close()
        self._end_timer = self._loop.call_later(protocol.READ_SECONDS, self._transport.abort)

    def _check_hang_up(self) -> None:
        """Abort the connection if the client has closed its socket (POLLHUP); else check again later.

        Needed only while we do not read from it, since reading would tell.
        """
        if self._hang_up_timer:
            self._hang_up_timer.cancel()
            self._hang_up_timer = None
        if self._is_closing or not (self._is_half_closed or self._is_paused):
            return
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), 0)
        if poll.poll(0):
            self._transport.abort()
            return
        self._hang_up_timer = self._loop.call_later(_HANG_UP_SECONDS, self._check_hang_up)

    # answering

    def _start_next(self) -> None:
        """Begin to answer queued lines, unless that goes on already or the connection gets no slot now."""
        if not (self._lines or self._refusal) or self.task or self._slot_timer or self._is_closing:
            return
        if self._lines and not self._server.on_request(self, self._lines[0]):
            self._wait_for_slot()
        else:
            self.task = self._loop.create_task(self._answer_lines())

    async def _answer_lines(self) -> None:
        """Answer the queued lines in order, then free the connection's slot (the right to run commands)."""
        try:
            while self._lines and not self._is_closing:
                line = self._lines.popleft()
                self._resume_reading()
                if line.strip():
                    await self._answer(line)
                if self._server.leaving and not self._is_closing:
                    self._refuse_lines(stopping_error())
        except BaseException as error:
            if not (self._is_closing and isinstance(error, asyncio.CancelledError)):
                self._transport.abort()  # a fault of ours: nobody is to wait for a reply that never comes
                raise
        finally:
            self.task = None
        if not self._is_closing:
            self._server.on_idle(self)
        if self._refusal:
            form = self._request or protocol.guess_reply_form(self._reader.rest[:1000])
            self._close_after_writing(protocol.encode_reply(form, failure(UsageError(self._refusal))))
        elif self._is_half_closed:
            self._close_after_writing()

    async def _answer(self, line: bytes) -> None:
        """Answer one request line. Close the connection after a reply in text, which has no other end."""
        try:
            self._request = request = protocol.decode_request(line)
        except UsageError as error:
            request = protocol.guess_reply_form(line)
            reply = failure(error)
        else:
            request.peer = self._pid
            request.send = partial(self._writer.write_part, request)
            reply = await self._answer_request(request)
        self._writer.write(protocol.encode_reply(request, reply))
        if request.reply == "json":
            await self._writer.drain()
        else:
            self._close_after_writing()

    async def _answer_request(self, request: Request) -> Reply:
        """Run a request and return its reply. Send heartbeats until then if the request asks for them."""
        if request.status:
            self._writer.start_heartbeat()
        try:
            return await self._server.answer(request, self._say)
        finally:
            self._writer.stop_heartbeat()

    def _say(self, note: str) -> None:
        """Send a remark for standard error at once, if the client can tell remarks from the reply."""
        if self._request and self._request.stderr and self._request.reply == "text":
            self._writer.write(protocol.encode_note(note))


class Server:
    """Accepts connections and limits their number. `answer`, given to `listen`, runs one request."""

    def __init__(self) -> None:
        self.answer: Answer
        self.leaving = False
        self._connections: set[ClientConnection] = set()
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._limiter: ConnectionLimiter[ClientConnection] = ConnectionLimiter(min(MOST_OPEN, descriptors // 2))
        self._is_open = False
        self._arriving: set[asyncio.Task[Any]] = set()
        self._socket: socket.socket

    async def listen(self, listening: socket.socket, answer: Answer) -> None:
        """Accept and serve connections to `listening`, a bound socket. `answer`: runs a request."""
        self._socket, self.answer = listening, answer
        await self.start_accepting()

    async def start_accepting(self) -> None:
        """Accept connections, for the first time or after `stop_accepting`.

        Not by asyncio's `Server`: when closed, it drops connections that it has accepted but not passed on yet.
        """
        self._socket.setblocking(False)
        self._socket.listen(BACKLOG)  # again: from now on clients see this process as their peer
        self._is_open = True
        self._resume_accepting()

    def stop_accepting(self) -> None:
        """Stop accepting: new connections wait in the kernel's queue, for us or for a successor."""
        self._is_open = False
        asyncio.get_running_loop().remove_reader(self._socket)

    def _accept(self) -> None:
        """Accept the next connection in the kernel's queue, and serve it.

        Only one: mostly there is no other, and looking for it takes as long.
        """
        loop = asyncio.get_running_loop()
        try:
            client, _ = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # too many open files: some may be closed in a while
            loop.remove_reader(self._socket)
            loop.call_later(_ACCEPT_PAUSE_SECONDS, self._resume_accepting)
            if idle := self._limiter.longest_idle():
                idle.refuse_as_busy()
            return
        client.setblocking(False)
        task = loop.create_task(loop.connect_accepted_socket(lambda: ClientConnection(self), client))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    def _resume_accepting(self) -> None:
        """Accept connections again after a pause, which was made since the process had too many open files."""
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._socket, self._accept)

    async def finish_running(self, seconds: float) -> None:
        """Stop accepting, and wait up to `seconds` for running commands to end. Refuse all other requests."""
        self.leaving = True
        self.stop_accepting()
        if self._arriving:
            await asyncio.wait(self._arriving)
        self._refuse_idle_connections()
        if running := [connection.task for connection in self._connections if connection.task]:
            await asyncio.wait(running, timeout=seconds)
        self._refuse_idle_connections()

    def _refuse_idle_connections(self) -> None:
        """Refuse the connections without a running command, because the daemon ends."""
        for connection in list(self._connections):
            connection.refuse_if_idle()

    def refuse_queued_connections(self) -> None:
        """Answer the connections in the kernel's queue with Busy, and have the kernel refuse new ones.

        A reset would look to their clients like a request that was lost half-way.
        """
        self.stop_accepting()
        shut_receiving_side(self._socket)  # from here on connect(2) fails, at least on Linux
        self._socket.setblocking(False)
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return  # the queue is empty
            with client:
                try_send(client, refuse_unanswered(client, b"", stopping_error()))

    # what connections ask of the server

    def on_connect(self, connection: ClientConnection) -> None:
        """Register a connection; if too many are open, refuse the longest idle other, else the last to wait."""
        self._connections.add(connection)
        if chosen := self._limiter.on_connect(connection):
            chosen.refuse_as_busy()

    def on_request(self, connection: ClientConnection, line: bytes) -> bool:
        """Return whether `connection` has a slot (the right to run) for the request `line`.

        If not, its `start_serving` is called later.
        """
        return self._limiter.on_request(connection, lambda: _is_control_command(line))

    def on_idle(self, connection: ClientConnection) -> None:
        """Pass the slot (right to run commands) of a connection whose lines are all answered to the next one."""
        _serve_next(self._limiter.on_idle(connection))

    def on_closing(self, connection: ClientConnection) -> None:
        """Give the slot (the right to run commands) of a connection that is about to close to the next one."""
        _serve_next(self._limiter.on_close(connection))

    def on_close(self, connection: ClientConnection) -> None:
        """Remove a closed connection from the server's list."""
        self._connections.discard(connection)
        self.on_closing(connection)


def _serve_next(waiting: ClientConnection | None) -> None:
    """Start to serve a connection that waited for a slot (the right to run commands); None: do nothing."""
    if waiting:
        waiting.start_serving()


def _is_control_command(line: bytes) -> bool:
    """Return whether a request line has a control command (`status`, `stop` …): these have reserved slots."""
    with suppress(UsageError):
        return protocol.decode_request(line).cmd in _CONTROL_COMMANDS
    return False
