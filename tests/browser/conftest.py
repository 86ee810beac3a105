"""Run the engine in a real Chromium, without the daemon.

One browser, and a page for each test or for a file of them.

tab = await show("<button>Go</button>")
tree = await tab.refs.take_snapshot()
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from gstack_browse import settings
from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.devtools.browser import Browser, BrowserContext
from gstack_browse.browser.engine.refs import Refs
from gstack_browse.browser.engine.world import World
from gstack_browse.browser.launch import flags, launch
from gstack_browse.browser.launch.shared_connection import SharedConnection, SocketPipe, open_link
from gstack_browse.snapshot.tree import Tree
from tests.browser.pages import DrivenPage
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

    page: DrivenPage
    world: World
    refs: Refs

    async def put_markup(self, markup: str) -> None:
        """Put that markup in the place of all that is in the body: no page is loaded, and no script is run."""
        await self.page.call("(markup) => document.body.setHTMLUnsafe(markup)", markup)

    async def tree(self, **options: bool) -> Tree:
        return await self.refs.take_snapshot(**options)

    async def lines(self, **options: bool) -> list[str]:
        """Each line as `role "name"`, indented by its depth."""
        tree = await self.refs.take_snapshot(**options)
        return [f'{"  " * tree.depths[i]}{tree.roles[i]} "{tree.names[i]}"' for i in range(len(tree))]


Show = Callable[..., Awaitable[Opened]]


@pytest.fixture(scope="session")
def site() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    wanted = settings.read()
    if wanted.remote:
        shared = SharedConnection(SocketPipe(await open_link(wanted.remote, {}, seconds=5, compress=False)))
        yield await Browser.open(shared)
        shared.close()
        return
    with pytest.MonkeyPatch.context() as patch:  # frames of other sites get processes, as in a full Chromium
        patch.setattr(flags, "OWN_SWITCHES", (*flags.OWN_SWITCHES, "--site-per-process"))
        running = await launch.start(wanted, lambda line: None, on_death=lambda name: None)
    yield running.browser
    await running.close()


@pytest.fixture
def connection(chromium: Browser) -> Connection:
    return chromium.connection


OPTIONS = {"viewport": {"width": 1280, "height": 720}}


async def open_page(context: BrowserContext, connection: Connection) -> DrivenPage:
    page = await context.new_page()
    return DrivenPage(page, World(page, connection))


class LastingPage:
    """The page, with its world, that tests of a file share.

    It is made when it is wanted.
    """

    def __init__(self) -> None:
        self.page: DrivenPage | None = None
        self._context: BrowserContext | None = None

    async def get(self, chromium: Browser) -> DrivenPage:
        if self.page is None or self.page.inner.is_closed():
            self._context = self._context or await chromium.new_context(**OPTIONS)
            self.page = await open_page(self._context, chromium.connection)
        return self.page

    async def close(self) -> None:
        if self._context:
            await self._context.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lasting() -> AsyncIterator[LastingPage]:
    made = LastingPage()
    yield made
    await made.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(
    chromium: Browser, lasting: LastingPage, request: pytest.FixtureRequest
) -> AsyncIterator[DrivenPage]:
    """A fresh page; with `same_session` the one that the last such test has left."""
    if request.node.get_closest_marker("same_session") and not request.node.get_closest_marker("fresh_session"):
        yield await lasting.get(chromium)
        return
    context = await chromium.new_context(**OPTIONS)
    yield await open_page(context, chromium.connection)
    await context.close()


@pytest.fixture
def show(page: DrivenPage, site: Web) -> Show:
    """Go to a page made of that markup, with those response headers."""

    async def show(markup: str, **headers: str) -> Opened:
        await page.goto(site.show(markup, **headers))
        return Opened(page, page.world, Refs(page.inner, page.world))

    return show
