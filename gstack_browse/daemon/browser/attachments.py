"""Let other programs attach to the daemon's browser (`gbrowse attach`), and clean up when one leaves.

`browser/relay` serves the programs. It needs aiohttp, so it is imported for the first address.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection as ChromiumConnection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.commands.daemon_interface import OpenAddress
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.errors import ActionFailed, Refused
from gstack_browse.settings import Settings
from gstack_browse.text.units import format_count, format_duration
from gstack_browse.workspace.directory import RELAY_SOCKET
from gstack_browse.workspace.state import WritableStateDir

if TYPE_CHECKING:
    from gstack_browse.browser.relay.client import AttachedClient, ClientContext
    from gstack_browse.browser.relay.client_channel import DialogState
    from gstack_browse.browser.relay.server import Address, Connection, RelayServer

EXPIRY_SECONDS = 60
"""How long an address for one client stays open if none comes."""
MOST_PATH_BYTES = 100
"""A Unix socket's path holds 103 bytes on macOS and 107 on Linux."""
_CONTEXT_REPLACED = "its pages were moved to another browser context: attach again"
_COOKIES_IMPORTED = "cookies were imported, which no program may read"
_FLOODED = "its requests kept the browser busy for all others"
_DETACHED = "it was detached"
_POLICY_VIOLATION, _SERVICE_RESTART = 1008, 1012
"""Close codes of WebSockets (IANA's registry), written here since aiohttp is imported late."""


class Attachments:
    """The relay server through which programs attach: its addresses and attached clients."""

    def __init__(
        self, settings: Settings, state: WritableStateDir, find_context: Callable[[str], AgentContext | None]
    ) -> None:
        self._settings = settings
        self._state = state
        self._find_context = find_context
        self._server: RelayServer | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        """Running tasks: asyncio itself keeps no reference to them."""

    async def open(self, context: AgentContext, *, tcp: bool, once: bool, tab: int | None) -> OpenAddress:
        """Open an address at which programs can attach to a context, which must be open.

        Args:
            tcp: on a port of 127.0.0.1 instead of the Unix socket
            once: for one client, which has to come within EXPIRY_SECONDS
            tab: number of the tab whose target id is returned with the address; None: the active tab

        Raises Refused by policy, ActionFailed if this browser or the socket's path does not allow it.
        """
        browser = await self._prepare_context(context, tab)
        if not tcp and len(self._socket_path.encode()) > MOST_PATH_BYTES:
            raise ActionFailed(
                f"The path of the socket is too long: {self._state.printable_path(RELAY_SOCKET)}",
                "Attach over a port of this machine: gbrowse attach --tcp",
            )
        server = await self._open_server()
        admit_client = partial(self._admit_client, context)
        address = server.open_address(
            context.name, context.display_name, admit_client, is_tcp=tcp, is_once=once
        )
        if once:
            self._start_task(self._expire(address))
        if tcp:
            url = f"ws://127.0.0.1:{await server.listen_tcp()}/{address.path}"
        else:
            url = f"ws+unix://{self._socket_path}:/{address.path}"
        return OpenAddress(url, browser.tab(tab).world.frames.target.id, self._settings.fence)

    async def close_context(self, context: AgentContext) -> int | None:
        """Close the addresses at which programs attach to a browser context, and detach the programs.

        Return how many programs were attached; None if no address was open.
        """
        server = self._server
        addresses = [each for each in server.addresses if each.context == context.name] if server else []
        if server is None or not addresses:
            return None
        count = sum(each.address.context == context.name for each in server.connections)
        for address in addresses:
            await server.close_address(address, _DETACHED)
        if not server.addresses:
            await self.close()
        return count

    async def close(self) -> None:
        """Close all addresses at which programs attach, detach all programs, and remove the socket."""
        server, self._server = self._server, None
        if server:
            with suppress(OSError, Refused):  # somebody has put something else there, or the directory is gone
                self._state.remove(RELAY_SOCKET)
            await server.close("gbrowse ends, or starts another browser")

    @property
    def is_in_use(self) -> bool:
        """Return whether a program is attached. If so, the daemon does not end for being idle."""
        return self._server is not None and bool(self._server.connections)

    def describe(self) -> str:
        """Describe the attached programs and the open port for `status`; "" if programs cannot attach now."""
        if self._server is None:
            return ""
        clients = [self._describe_client(each) for each in self._server.connections]
        port = f"; 127.0.0.1:{self._server.port} is open" if self._server.port else ""
        return f"{', '.join(clients) or 'nobody'}{port} ('detach' ends it)"

    def detach_outdated_clients(self) -> None:
        """Detach programs whose browser context was replaced or got imported cookies since they attached.

        Called after each command, since any may have done that.
        """
        for connection in list(self._server.connections) if self._server else ():
            context = self._find_context(connection.address.context)
            browser = context.browser if context else None
            if connection.client is None:
                continue
            if browser is None or browser.current.id != connection.client.context.id:
                connection.end(_SERVICE_RESTART, _CONTEXT_REPLACED)
            elif browser.imported and not self._settings.allows_attach:
                connection.end(_POLICY_VIOLATION, _COOKIES_IMPORTED)

    def detach_flooders(self) -> bool:
        """Detach programs that have many requests under way. Return whether there was one."""
        flooding = [
            each
            for each in (self._server.connections if self._server else ())
            if each.client and each.client.is_flooding
        ]
        for connection in flooding:
            connection.end(_POLICY_VIOLATION, _FLOODED)
        return bool(flooding)

    @property
    def _socket_path(self) -> str:
        """Return the path of the Unix socket at which programs attach, in the state directory."""
        state = self._state
        return f"{state.path}/{state.file_name(RELAY_SOCKET)}"

    async def _open_server(self) -> "RelayServer":
        """Return the server to which programs connect in order to attach; start it at first use."""
        if self._server is None:
            from gstack_browse.browser.relay.server import RelayServer

            listening = socket.socket(fileno=self._state.bind_beside(RELAY_SOCKET))
            self._server = server = RelayServer(self._on_detach)
            await server.listen(listening)
        return self._server

    async def _prepare_context(self, context: AgentContext, tab: int | None = None) -> OpenContext:
        """Check that programs may attach to a context, and ensure that it has a ready tab. Return it, open.

        `tab`: the tab's number; None for the active one. Raises Refused, ActionFailed.
        """
        browser = context.browser
        if browser is None:
            raise ActionFailed("The browser context has closed", "Attach again: gbrowse attach")
        check_attach_policy(self._settings, browser)
        if browser.running.is_shared:
            raise ActionFailed(
                "The browser that is connected is not gbrowse's",
                "Attach to it by its own address: the one that 'connect' was given",
            )
        await browser.tab_factory.ensure_active_tab()
        await browser.prepare(browser.tab(tab))
        return browser

    async def _admit_client(self, context: AgentContext) -> "ClientContext":
        """Check that a program may attach to a context, and return what the relay needs of the context for it.

        Raises Refused, ActionFailed.
        """
        from gstack_browse.browser.relay.client import ClientContext
        from gstack_browse.browser.relay.client_channel import ClientChannel

        browser = await self._prepare_context(context)
        running = browser.running
        connection = running.connection
        connection.events.downloads.on_event = self._on_download
        browser.dialogs.take_client_dialog = partial(self._take_client_dialog, connection)
        browser.before_import = partial(self._detach_before_import, context)
        browser.is_program_attached = partial(self._is_attached, context)
        return ClientContext(
            name=context.display_name,
            id=browser.current.id,
            channel=ClientChannel(connection),
            downloads=str(running.downloads) if running.shares_disk else "",
            is_acting=lambda: any(tab.lock.command for tab in browser.tabs),
            on_context_made=connection.events.mute_context,
            on_context_closed=connection.forget,
        )

    def _is_attached(self, context: AgentContext) -> bool:
        """Return whether a program is attached to a browser context."""
        connections = self._server.connections if self._server else ()
        return any(each.address.context == context.name for each in connections)

    async def _detach_before_import(self, context: AgentContext) -> None:
        """Detach the programs at a browser context before cookies that they could read are imported into it."""
        if self._server is None or self._settings.allows_attach:
            return
        for connection in [each for each in self._server.connections if each.address.context == context.name]:
            connection.end(_POLICY_VIOLATION, _COOKIES_IMPORTED)
            await connection.wait_until_closed()

    def _clients(self) -> "list[AttachedClient]":
        """Return the programs that are attached now."""
        return [each.client for each in self._server.connections if each.client] if self._server else []

    async def _take_client_dialog(self, connection: ChromiumConnection, page_id: str) -> "DialogState | None":
        """Return the dialog open on page `page_id` if an attached program answers dialogs there.

        Return None if the daemon has to answer it. `connection`: the daemon's own to Chromium.
        """
        if not self._clients():
            return None
        with suppress(ProtocolError):  # the response comes after the dialog's event in the client's session
            await connection.ask_browser("Browser.getVersion")
        states = [client.dialogs.take(page_id) for client in self._clients()]  # each client is told of it
        return next(filter(None, states), None)

    def _on_download(self, browser_context: str, phase: str, event: dict[str, object]) -> None:
        """Report a download to the programs that are attached to its browser context.

        `phase`: "begin" or "progress". `event`: parameters of `Browser.downloadWillBegin` or `downloadProgress`.
        """
        for client in self._clients():
            if client.context.id == browser_context:
                (client.downloads.on_begin if phase == "begin" else client.downloads.on_progress)(event)

    async def _on_detach(self, connection: "Connection") -> None:
        """Restore a context's emulation after a program has detached, and answer the dialogs it left open.

        Chromium ends our overrides with those of the program. If it was disconnected for passing a limit, say so in the context's next
        reply.
        """
        from gstack_browse.browser.transfer import restore

        context = self._find_context(connection.address.context)
        if context and connection.violation not in ("", _COOKIES_IMPORTED):  # the import's own reply says it
            context.notice = f"The attached program was disconnected: {connection.violation}"
        if context and context.browser:
            await restore.restore_after_client(context.browser)
        self._close_if_unused()

    def _close_if_unused(self) -> None:
        """Close the server for attached programs, in the background, if it has no open address and no client."""
        if self._server and not (self._server.addresses or self._server.connections):
            self._start_task(self.close())

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a task in the background, and hold a reference to the task until it is done."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _expire(self, address: "Address") -> None:
        """Close an address for one program after EXPIRY_SECONDS, unless a program has attached by then."""
        await asyncio.sleep(EXPIRY_SECONDS)
        if self._server and not address.is_used:
            await self._server.close_address(address, _DETACHED)
            self._close_if_unused()

    @staticmethod
    def _describe_client(connection: "Connection") -> str:
        """Describe an attached program for `status`: its process, context, and how long it is attached."""
        client = f"process {connection.pid}" if connection.pid else "a client over TCP"
        context = f" in {connection.address.context}" if connection.address.context else ""
        return f"{client}{context} for {format_duration(time.monotonic() - connection.since)}"


def check_attach_policy(settings: Settings, browser: OpenContext) -> None:
    """Raise Refused if the user's policy forbids that programs attach to a context.

    An attached program can open any URL and read every cookie, which policy may forbid to commands.
    """
    if settings.allows_attach:
        return
    if settings.rules:
        names = " and ".join(sorted(settings.rules))
        raise Refused(
            f"No program may attach while {names} {'holds' if len(settings.rules) == 1 else 'hold'}: it would not be bound by that",
            "The user can allow it: 'attach = true' in ~/.config/gbrowse/config.toml, or BROWSE_ATTACH=1 when the daemon starts",
        )
    if browser.imported:
        raise Refused(
            f"No program may attach: it could read the cookies that were imported for {format_count(len(browser.imported), 'domain')}",
            "Work in a context without them: gbrowse --as NAME attach",
        )
