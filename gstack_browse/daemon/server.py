"""Accept connections, give them slots, and refuse those without one. Does not know commands.

A slow, silent, rude or vanished client disturbs no other, and every client knows whether its request was taken.
"""

import asyncio
import resource
import socket
from contextlib import suppress
from typing import Any

from gstack_browse import protocol
from gstack_browse.command_names import ENDS_DAEMON
from gstack_browse.daemon.busy import receive_no_more, refuse_unanswered, stopping_error, try_send
from gstack_browse.daemon.connection import Answer, ClientConnection
from gstack_browse.daemon.places import MOST_OPEN, ConnectionLimiter
from gstack_browse.errors import UsageError
from gstack_browse.state import BACKLOG

_ACCEPT_PAUSE_SECONDS = 1.0
"""Pause (s) of accepting after too many files were open."""
_CONTROL_COMMANDS = frozenset({"status", *ENDS_DAEMON})


class Server:
    """All connections. `answer`, given to `listen`, runs one request; the server enforces the limits."""

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
        """Serve all connections to a bound socket."""
        self._socket, self.answer = listening, answer
        await self.accept()

    async def accept(self) -> None:
        """Accept connections, also again after `pause`.

        Not by asyncio's server: closing that drops connections which it has accepted but not yet made.
        """
        self._socket.setblocking(False)
        self._socket.listen(BACKLOG)  # again: from now on clients see this process as their peer
        self._is_open = True
        self._resume_accepting()

    def pause(self) -> None:
        """Stop accepting: new connections wait in the kernel's queue, for us or for a successor."""
        self._is_open = False
        asyncio.get_running_loop().remove_reader(self._socket)

    def _accept(self) -> None:
        """Accept the first connection in the kernel's queue.

        Mostly it is the only one, and looking for another takes as long.
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
                idle.turn_away()
            return
        client.setblocking(False)
        task = loop.create_task(loop.connect_accepted_socket(lambda: ClientConnection(self), client))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    def _resume_accepting(self) -> None:
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._socket, self._accept)

    async def finish_running(self, seconds: float) -> None:
        """Wait up to `seconds` for running commands; refuse all other requests."""
        self.leaving = True
        self.pause()
        if self._arriving:
            await asyncio.wait(self._arriving)
        self._turn_away_idle()
        if running := [connection.task for connection in self._connections if connection.task]:
            await asyncio.wait(running, timeout=seconds)
        self._turn_away_idle()

    def _turn_away_idle(self) -> None:
        for connection in list(self._connections):
            connection.turn_away_if_idle()

    def refuse_queued_connections(self) -> None:
        """Refuse new connections, and those in the kernel's queue that we never read from.

        A reset would look to their clients like a request that was lost half-way.
        """
        self.pause()
        receive_no_more(self._socket)  # from here on connect(2) fails, at least on Linux
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
        self._connections.add(connection)
        if chosen := self._limiter.on_connect(connection):
            chosen.turn_away()

    def on_request(self, connection: ClientConnection, line: bytes) -> bool:
        return self._limiter.on_request(connection, lambda: _is_control_command(line))

    def on_idle(self, connection: ClientConnection) -> None:
        _serve_next(self._limiter.on_idle(connection))

    def on_closing(self, connection: ClientConnection) -> None:
        _serve_next(self._limiter.on_close(connection))

    def on_close(self, connection: ClientConnection) -> None:
        self._connections.discard(connection)
        self.on_closing(connection)


def _serve_next(follower: ClientConnection | None) -> None:
    if follower:
        follower.start_serving()


def _is_control_command(line: bytes) -> bool:
    with suppress(UsageError):
        return protocol.decode_request(line).cmd in _CONTROL_COMMANDS
    return False
