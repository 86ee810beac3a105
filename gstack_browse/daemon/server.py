"""The socket's side of the daemon: who is accepted, has a place, waits for one, or is turned away. Knows nothing of commands.

What must hold for everybody: a client that is slow, silent, rude or gone disturbs nobody else, and nobody is left in doubt
whether a request was taken.
"""

import asyncio
import resource
import socket
from contextlib import suppress
from typing import Any

from gstack_browse import protocol
from gstack_browse.command_names import ENDS_DAEMON
from gstack_browse.daemon.busy import receive_no_more, send, stopping, turned_away
from gstack_browse.daemon.connection import Answer, ClientConnection
from gstack_browse.daemon.places import MOST_OPEN, ClientPlaces
from gstack_browse.errors import UsageError
from gstack_browse.state import BACKLOG

_BREATH_SECONDS = 1.0
"""How long nobody is accepted after there was no room for a connection."""
_COMMANDS_OF_CONTROL = frozenset({"status", *ENDS_DAEMON})


class Server:
    """All connections. The `answer` given to `listen` runs one request; the server keeps the limits around it."""

    def __init__(self) -> None:
        self.answer: Answer
        self.leaving = False
        self._connections: set[ClientConnection] = set()
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._places: ClientPlaces[ClientConnection] = ClientPlaces(min(MOST_OPEN, descriptors // 2))
        self._is_open = False
        self._arriving: set[asyncio.Task[Any]] = set()
        self._socket: socket.socket

    async def listen(self, listening: socket.socket, answer: Answer) -> None:
        """Serve everybody who connects to a bound socket."""
        self._socket, self.answer = listening, answer
        await self.accept()

    async def accept(self) -> None:
        """Accept connections, again after `pause`.

        Not by asyncio's server: closing that drops connections which it has accepted and not made yet.
        """
        self._socket.setblocking(False)
        self._socket.listen(BACKLOG)  # anew: from now on clients see this process as their peer
        self._is_open = True
        self._take_in()

    def pause(self) -> None:
        """Accept nobody for now: who connects waits in the kernel's queue, for us or for a successor."""
        self._is_open = False
        asyncio.get_running_loop().remove_reader(self._socket)

    def _accept(self) -> None:
        """Take the first who waits in the kernel's queue: mostly there is no other, and to look for one takes as long."""
        loop = asyncio.get_running_loop()
        try:
            client, _ = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:  # too many open files: some may be closed in a while
            loop.remove_reader(self._socket)
            loop.call_later(_BREATH_SECONDS, self._take_in)
            if idle := self._places.longest_idle():
                idle.let_go()
            return
        client.setblocking(False)
        task = loop.create_task(loop.connect_accepted_socket(lambda: ClientConnection(self), client))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    def _take_in(self) -> None:
        if self._is_open:
            asyncio.get_running_loop().add_reader(self._socket, self._accept)

    async def leave(self, seconds: float) -> None:
        """Wait up to `seconds` for the answers under way; whatever else was sent is told that it does not run."""
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
            connection.leave()

    def turn_away(self) -> None:
        """Refuse new connections, and answer those that the kernel took for us but that we never read from.

        A reset would look to them like a request that was lost half-way.
        """
        self.pause()
        receive_no_more(self._socket)  # from here on connect(2) fails, at least on Linux
        self._socket.setblocking(False)
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return  # nobody is left
            with client:
                send(client, turned_away(client, b"", stopping()))

    # what connections ask of the server

    def came(self, connection: ClientConnection) -> None:
        self._connections.add(connection)
        if chosen := self._places.came(connection):
            chosen.let_go()

    def asks(self, connection: ClientConnection, line: bytes) -> bool:
        return self._places.asks(connection, lambda: _is_of_control(line))

    def rests(self, connection: ClientConnection) -> None:
        _serve(self._places.rests(connection))

    def closes(self, connection: ClientConnection) -> None:
        _serve(self._places.went(connection))

    def went(self, connection: ClientConnection) -> None:
        self._connections.discard(connection)
        self.closes(connection)


def _serve(follower: ClientConnection | None) -> None:
    if follower:
        follower.serve()


def _is_of_control(line: bytes) -> bool:
    with suppress(UsageError):
        return protocol.decode_request(line).cmd in _COMMANDS_OF_CONTROL
    return False
