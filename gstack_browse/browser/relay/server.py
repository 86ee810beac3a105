"""Accept clients over WebSockets, on a Unix socket and on request on 127.0.0.1, and enforce limits.

Each address has a path: the name of a browser context, or a random token. Messages are handled by `client`.
"""

import asyncio
import secrets
import socket
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSCloseCode, WSMsgType, web

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.relay.client import AttachedClient, ClientContext, MalformedMessage
from gstack_browse.errors import BrowseError
from gstack_browse.workspace.directory import peer_process

MOST_UNSENT_BYTES = 16 << 20
"""Most bytes that may wait for a client that does not read. Above that, its connection is closed."""
MAX_MESSAGE_BYTES = 100 << 20
"""A larger message ends the connection. Up to twice that it is read to its end: a client that still sends would not read the reason."""
MOST_CLIENTS = 20
CLOSE_SECONDS = 1.0
ROOM_SECONDS = 60.0
"""How long a client is not read whose requests are all unanswered. Then its connection is closed: an end of its own would go unnoticed."""
_HOSTS = ("127.0.0.1", "localhost")
_MOST_REASON_BYTES = 123
"""RFC 6455, section 5.5: a control frame holds 125 bytes, two of which are the close code."""


@dataclass(eq=False)
class Address:
    """An address at which clients attach.

    `admit_client` returns the browser context of a new client, or raises BrowseError to refuse it.
    """

    path: str
    context: str
    """The name of the browser context; "" for the default one."""
    admit_client: Callable[[], Awaitable[ClientContext]]
    is_tcp: bool = False
    is_once: bool = False
    """Whether the address is for one client, and closed when that has left."""
    is_used: bool = False


@dataclass(eq=False)
class Connection:
    """An open connection of a client."""

    address: Address
    socket: web.WebSocketResponse
    transport: asyncio.Transport
    pid: int
    """The client's process id; 0 if unknown."""
    since: float = field(default_factory=time.monotonic)
    """When the connection was opened, by `time.monotonic`."""
    client: AttachedClient | None = None
    _unsent: deque[bytes] = field(default_factory=deque)
    _unsent_bytes: int = 0
    _has_unsent: asyncio.Event = field(default_factory=asyncio.Event)
    _end_reason: tuple[int, str] | None = None
    _close_task: "asyncio.Task[None] | None" = None

    def send(self, message: bytes) -> None:
        """Queue a message for the client. End the connection if more than MOST_UNSENT_BYTES wait already."""
        if self._end_reason:
            return
        if self._unsent_bytes > MOST_UNSENT_BYTES:  # not counting this one: a screenshot may be larger
            self.end(WSCloseCode.POLICY_VIOLATION, f"more than {MOST_UNSENT_BYTES >> 20} MB wait to be read")
            return
        self._unsent.append(message)
        self._unsent_bytes += len(message)
        self._has_unsent.set()

    def end(self, code: int, reason: str) -> None:
        """Begin to end the connection, with a WebSocket close code and a reason for the client."""
        if self._end_reason is None:
            self._end_reason = code, reason
            self._unsent.clear()
            self._close_task = asyncio.ensure_future(self._close())

    @property
    def violation(self) -> str:
        """Return why the connection was ended, if for a violation of policy or limits; else ""."""
        code, reason = self._end_reason or (WSCloseCode.OK, "")
        return reason if code == WSCloseCode.POLICY_VIOLATION else ""

    async def wait_until_closed(self) -> None:
        """Wait until the connection is closed. Return at once if `end` was not called."""
        if self._close_task:
            await self._close_task

    async def write(self) -> None:
        """Send queued messages to the client until the task is cancelled or the connection is closed."""
        with suppress(ConnectionError):  # closed: `_read` handles that
            while True:
                await self._has_unsent.wait()
                self._has_unsent.clear()
                while self._unsent:
                    message = self._unsent.popleft()
                    await self.socket.send_frame(message, WSMsgType.TEXT)
                    self._unsent_bytes -= len(message)

    async def _close(self) -> None:
        """Send the close frame, or drop the connection if the client does not read even that."""
        assert self._end_reason
        code, reason = self._end_reason
        with suppress(TimeoutError, ConnectionError, RuntimeError):
            async with asyncio.timeout(CLOSE_SECONDS):
                whole = reason.encode()[:_MOST_REASON_BYTES].decode(errors="ignore")
                await self.socket.close(code=code, message=whole.encode())
        self.transport.abort()  # drops a client that does not answer the close frame


class RelayServer:
    """The addresses and connections of a daemon.

    `on_detach` is called with the connection of each client that has left.
    """

    def __init__(self, on_detach: Callable[[Connection], Awaitable[None]]) -> None:
        self.connections: set[Connection] = set()
        self._addresses: dict[str, Address] = {}
        self._on_detach = on_detach
        application = web.Application()
        application.router.add_get("/{path:.*}", self._handle)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=CLOSE_SECONDS)
        self._port = 0
        self._leaving: set[asyncio.Task[None]] = set()

    @property
    def addresses(self) -> list[Address]:
        """Return the addresses at which clients can attach now."""
        return list(self._addresses.values())

    @property
    def port(self) -> int:
        """Return the port of 127.0.0.1 that the server listens on; 0 for none."""
        return self._port

    async def listen_tcp(self) -> int:
        """Serve clients on a port of 127.0.0.1, and return it. The first call opens a free one."""
        if not self._port:
            listening = socket.create_server(("127.0.0.1", 0))
            await self.listen(listening)
            self._port = listening.getsockname()[1]
        return self._port

    async def listen(self, listening: socket.socket) -> None:
        """Serve clients that connect to a bound socket."""
        if self._runner.server is None:
            await self._runner.setup()
        await web.SockSite(self._runner, listening).start()

    def open_address(
        self,
        context: str,
        name: str,
        admit_client: Callable[[], Awaitable[ClientContext]],
        *,
        is_tcp: bool,
        is_once: bool,
    ) -> Address:
        """Open an address for clients to attach to a browser context. Return an open one if it can be shared.

        Args:
            context: name of the context; "" for the default one
            name: the address's path on the Unix socket
            admit_client: see `Address`
            is_tcp: the address is on the port of 127.0.0.1, with a random token as its path
            is_once: the address is for one client, with a random token in its path
        """
        for address in self._addresses.values():
            if address.context == context and address.is_tcp == is_tcp and not (is_once or address.is_once):
                return address
        token = secrets.token_urlsafe(24)
        path = token if is_tcp else f"{name}/{token}" if is_once else name
        address = self._addresses[path] = Address(path, context, admit_client, is_tcp, is_once)
        return address

    async def close_address(self, address: Address, reason: str) -> None:
        """Close an address, and end the connections there. `reason`: what the clients are told."""
        self._addresses.pop(address.path, None)
        connections = [each for each in self.connections if each.address is address]
        for connection in connections:
            connection.end(WSCloseCode.GOING_AWAY, reason)
        await asyncio.gather(*(connection.wait_until_closed() for connection in connections))

    async def close(self, reason: str) -> None:
        """Close all addresses, and stop listening. `reason`: what the clients are told."""
        await asyncio.gather(*(self.close_address(address, reason) for address in self.addresses))
        await self._runner.cleanup()
        self._port = 0

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        """Handle an HTTP request: attach a client, or answer `/json/version` with the WebSocket's URL."""
        transport = request.transport
        listening = transport.get_extra_info("sockname") if transport else None
        is_tcp = isinstance(listening, tuple)
        path = request.match_info["path"].strip("/")
        is_discovery = path.endswith("json/version")
        address = self._addresses.get(path.removesuffix("json/version").rstrip("/"))
        if "Origin" in request.headers or (is_tcp and request.url.host not in _HOSTS):
            raise web.HTTPForbidden(text="web pages may not attach\n")
        if address is None or address.is_tcp != is_tcp:
            raise web.HTTPNotFound(text="nobody may attach at this address: run 'gbrowse attach'\n")
        if is_discovery and is_tcp:
            url = f"ws://127.0.0.1:{self._port}/{address.path}"
            return web.json_response({"Browser": "gbrowse", "webSocketDebuggerUrl": url})
        if len(self.connections) >= MOST_CLIENTS or address.is_used:
            raise web.HTTPServiceUnavailable(
                text="this address was for one client\n"
                if address.is_used
                else "too many clients are attached\n"
            )
        if not web.WebSocketResponse().can_prepare(request):
            raise web.HTTPBadRequest(text="programs attach by a WebSocket\n")
        address.is_used = address.is_once
        try:
            context = await address.admit_client()
        except (BrowseError, ProtocolError) as error:
            address.is_used = False
            raise web.HTTPForbidden(text=f"{error.message}\n") from None
        return await self._attach(request, address, context)

    async def _attach(
        self, request: web.Request, address: Address, context: ClientContext
    ) -> web.WebSocketResponse:
        """Accept the WebSocket of a client, and serve the client until the connection is closed."""
        websocket = web.WebSocketResponse(
            max_msg_size=2 * MAX_MESSAGE_BYTES, compress=False, timeout=CLOSE_SECONDS
        )
        await websocket.prepare(request)
        transport = request.transport
        if transport is None:
            address.is_used = False
            return websocket  # the client has gone
        pid = 0 if address.is_tcp else peer_process(transport.get_extra_info("socket"))[0]
        connection = Connection(address, websocket, transport, pid)
        client = AttachedClient(
            context, connection.send, lambda reason: connection.end(WSCloseCode.GOING_AWAY, reason)
        )
        connection.client = client
        self.connections.add(connection)
        writing = asyncio.ensure_future(connection.write())
        try:
            await client.open()
            await self._read(connection, client)
        except ProtocolError as error:
            connection.end(WSCloseCode.INTERNAL_ERROR, error.message)
        finally:
            writing.cancel()
            leaving = asyncio.ensure_future(self._leave(connection, client))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)
        return websocket

    async def _read(self, connection: Connection, client: AttachedClient) -> None:
        """Read and handle a client's messages until the connection closes."""
        while await self._wait_for_room(connection, client):
            message = await connection.socket.receive()
            if message.type is WSMsgType.BINARY:
                connection.end(WSCloseCode.UNSUPPORTED_DATA, "messages of the protocol are text")
            elif (
                message.type is not WSMsgType.TEXT
            ):  # the connection is closed, by the client or after an error
                break
            elif len(message.data) > MAX_MESSAGE_BYTES:
                connection.end(
                    WSCloseCode.MESSAGE_TOO_BIG,
                    f"a message has more than {MAX_MESSAGE_BYTES >> 20} MB",
                )
            else:
                try:
                    client.handle_request(message.data)
                except MalformedMessage as error:
                    connection.end(
                        WSCloseCode.INVALID_TEXT, f"this is no message of the DevTools protocol: {error}"
                    )
        await connection.wait_until_closed()

    async def _wait_for_room(self, connection: Connection, client: AttachedClient) -> bool:
        """Wait until the client may send further requests. Return False if its connection was ended instead."""
        if not client.has_room.is_set():
            try:
                await asyncio.wait_for(client.has_room.wait(), ROOM_SECONDS)
            except TimeoutError:
                connection.end(
                    WSCloseCode.POLICY_VIOLATION,
                    f"it has too many requests without an answer for {ROOM_SECONDS:.0f} s",
                )
                return False
        return True

    async def _leave(self, connection: Connection, client: AttachedClient) -> None:
        """Clean up after a client: its sessions, its connection, and an address that was for it alone."""
        client.close()
        self.connections.discard(connection)
        if connection.address.is_once:
            self._addresses.pop(connection.address.path, None)
        await self._on_detach(connection)
