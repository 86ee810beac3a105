"""A relay on a Unix socket, for one browser context with one page, beside another context that nobody attaches to."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.devtools.browser import Browser, BrowserContext
from gstack_browse.browser.relay import server as relay_server
from gstack_browse.browser.relay.client import ClientContext
from gstack_browse.browser.relay.client_channel import ClientChannel
from gstack_browse.browser.relay.server import RelayServer
from tests.browser.conftest import OPTIONS, open_page
from tests.browser.pages import DrivenPage
from tests.browser.relay.raw_client import RawClient


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("own_browser")


@dataclass
class Ours:
    """What the daemon has: a context with a page, and what it does there."""

    context: BrowserContext
    id: str
    page: DrivenPage
    target: str
    other: str
    """The page of another context."""
    path: str
    server: RelayServer
    clients: list[RawClient] = field(default_factory=list)
    acts: bool = False
    left: asyncio.Queue[relay_server.Connection] = field(default_factory=asyncio.Queue)
    made: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    async def connect(self, name: str = "default", *, reads: bool = True) -> RawClient:
        client = await RawClient.connect(self.path, name, reads=reads)
        self.clients.append(client)
        return client


Connect = Callable[..., Awaitable[RawClient]]


async def _open_context(chromium: Browser) -> tuple[BrowserContext, DrivenPage]:
    context = await chromium.new_context(**OPTIONS)
    return context, await open_page(context, chromium.connection)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def contexts(chromium: Browser) -> AsyncIterator[list[tuple[BrowserContext, DrivenPage]]]:
    """Two browser contexts with a page each, for all tests of a file."""
    both = [await _open_context(chromium) for _ in range(2)]
    yield both
    for context, _ in both:
        await context.close()


async def _close_other_pages(connection: Connection, context: str, kept: str) -> None:
    """Close the pages of a browser context but one, and wait until Chromium names them no longer."""

    async def others() -> list[str]:
        told = await connection.root.send("Target.getTargets")
        pages = [info for info in told["targetInfos"] if info["type"] == "page"]
        return [
            info["targetId"]
            for info in pages
            if info.get("browserContextId") == context and info["targetId"] != kept
        ]

    async with asyncio.timeout(60):
        while left := await others():
            for page in left:
                with suppress(ProtocolError):  # it has closed since
                    await connection.root.send("Target.closeTarget", {"targetId": page})


@pytest_asyncio.fixture(loop_scope="session")
async def ours(
    contexts: list[tuple[BrowserContext, DrivenPage]], connection: Connection, tmp_path: Path
) -> AsyncIterator[Ours]:
    (context, page), (_, other) = contexts
    path = tmp_path / "cdp.sock"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))

    async def on_detach(connection: relay_server.Connection) -> None:
        ours.left.put_nowait(connection)

    server = RelayServer(on_detach)
    ours = Ours(context, context.id, page, page.inner.target.id, other.inner.target.id, str(path), server)

    async def admit_client() -> ClientContext:
        return ClientContext(
            "default",
            context.id,
            ClientChannel(connection),
            str(tmp_path),
            lambda: ours.acts,
            ours.made.append,
            ours.closed.append,
        )

    await server.listen(listening)
    server.open_address("", "default", admit_client, is_tcp=False, is_once=False)
    yield ours
    for client in ours.clients:
        await client.leave()
    await server.close("the test is over")
    assert not connection.pipe.client_events
    assert not connection.pipe._client_requests
    await _close_other_pages(connection, context.id, ours.target)
    await connection.root.send("Storage.clearCookies", {"browserContextId": context.id})
