"""Run the engine in a real Chromium by Playwright alone.

One browser, and a page for each test or for a file of them.

tab = await show("<button>Go</button>")
tree = await tab.refs.take()
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, async_playwright

from gstack_browse import settings
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.playwright_internals import DISABLED_FEATURES
from gstack_browse.browser.cdp.session import Session
from gstack_browse.browser.cdp.shared_connection import SharedConnection
from gstack_browse.browser.cdp.tunnel import TunnelConnection
from gstack_browse.browser.cdp.websocket import SocketPipe, open_link
from gstack_browse.browser.engine import world
from gstack_browse.browser.engine.bundle import ENGINE_NAME
from gstack_browse.browser.engine.refs import Refs, Resolved
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.launch import chromium as installed
from gstack_browse.browser.launch.pipe_launcher import PipeLauncher
from gstack_browse.browser.launch.start_options import WINDOW_FEATURES
from gstack_browse.snapshot.tree import Tree
from tests.commands.web import Web

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser belongs to one event loop, so all of these tests run in it."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@dataclass
class Opened:
    """A page with its world and references."""

    page: Page
    world: World
    refs: Refs

    async def put_markup(self, markup: str) -> None:
        """Put that markup in the place of all that is in the body: no page is loaded, and no script is run."""
        await self.page.evaluate("(markup) => document.body.setHTMLUnsafe(markup)", markup)

    async def tree(self, **options: bool) -> Tree:
        return await self.refs.take(**options)

    async def lines(self, **options: bool) -> list[str]:
        """Each line as `role "name"`, indented by its depth."""
        tree = await self.refs.take(**options)
        return [f'{"  " * tree.depths[i]}{tree.roles[i]} "{tree.names[i]}"' for i in range(len(tree))]


def locator_of(resolved: Resolved) -> Locator:
    """Return a locator of the very node of a reference."""
    return resolved.frame.locator(f"{ENGINE_NAME}={resolved.node_id}")


Show = Callable[..., Awaitable[Opened]]


@pytest.fixture(scope="session")
def site() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser_and_connection() -> AsyncIterator[tuple[Browser, Connection]]:
    with TemporaryDirectory(dir="/tmp") as folder:
        async with async_playwright() as playwright:
            await world.register(playwright)
            wanted = settings.read()
            path = installed.find_executable(playwright, wanted)
            assert path
            unwanted = ",".join(
                [*DISABLED_FEATURES, WINDOW_FEATURES]
            )  # as ours: what its window has would be told of, too
            flags = ["--no-sandbox", "--site-per-process", f"--disable-features={unwanted}"]
            connection: Connection
            if wanted.remote:
                connection = SharedConnection(
                    SocketPipe(await open_link(wanted.remote, {}, seconds=5, compress=False))
                )
                async with PipeLauncher(Path(folder), Path(), connection) as launcher:
                    browser = await playwright.chromium.launch(executable_path=launcher.program)
                    await launcher.connect(browser)
            elif wanted.wire:
                async with PipeLauncher(Path(folder), path) as launcher:
                    browser = await playwright.chromium.launch(executable_path=launcher.program, args=flags)
                    connection = await launcher.connect(browser)
            else:
                browser = await playwright.chromium.launch(executable_path=path, args=flags)
                connection = TunnelConnection("BROWSE_WIRE=0")
                await connection.open(browser)
            yield browser, connection
            await browser.close()


@pytest.fixture
def chromium(browser_and_connection: tuple[Browser, Connection]) -> Browser:
    return browser_and_connection[0]


@pytest.fixture
def connection(browser_and_connection: tuple[Browser, Connection]) -> Connection:
    return browser_and_connection[1]


class LastingPage:
    """The page, with its world, that tests of a file share.

    It is made when it is wanted.
    """

    def __init__(self) -> None:
        self.page: Page | None = None
        self.world: World | None = None

    async def get(self, chromium: Browser, connection: Connection) -> Page:
        if self.page is None or self.page.is_closed():
            self.page = await chromium.new_page()
            self.world = World(self.page, connection)
        return self.page


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lasting() -> AsyncIterator[LastingPage]:
    made = LastingPage()
    yield made
    if made.page:
        await made.page.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(
    chromium: Browser, connection: Connection, lasting: LastingPage, request: pytest.FixtureRequest
) -> AsyncIterator[Page]:
    """A fresh page; with `same_session` the one that the last such test has left."""
    if request.node.get_closest_marker("same_session") and not request.node.get_closest_marker("fresh_session"):
        yield await lasting.get(chromium, connection)
        return
    context = await chromium.new_context()
    yield await context.new_page()
    await context.close()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods of the protocol that our own sessions are asked: a test clears the list before it looks."""
    methods: list[str] = []
    send = Session.send

    def note(session: Session, method: str, params: dict[str, Any] | None = None) -> "asyncio.Future[Any]":
        methods.append(method)
        return send(session, method, params)

    monkeypatch.setattr(Session, "send", note)
    return methods


@pytest.fixture
def show(page: Page, site: Web, connection: Connection, lasting: LastingPage) -> Show:
    """Go to a page made of that markup, with those response headers."""

    async def show(markup: str, **headers: str) -> Opened:
        await page.goto(site.show(markup, **headers))
        inner = lasting.world if page is lasting.page and lasting.world else World(page, connection)
        return Opened(page, inner, Refs(page, inner))

    return show
