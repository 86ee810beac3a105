"""The size in which pages are shown: of a tab, of those opened later, and for a look in another one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser.engine.failures import translate
from gstack_browse.errors import ActionFailed
from gstack_browse.registry.arguments import Size

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.session import BrowserSession
    from gstack_browse.browser.tabs.tab import Tab

DEFAULT = Size(1280, 720)


async def change(session: "BrowserSession", tab: "Tab", size: Size, scale: float | None) -> None:
    """Resize a tab's page; tabs opened later get the size too. `scale`: device pixels per CSS pixel."""
    _refuse_window(session)
    session.viewport = size
    session.scale = scale or session.scale
    await resize(session, tab, size)


@asynccontextmanager
async def changing(session: "BrowserSession", tab: "Tab") -> AsyncIterator[Callable[[Size], Awaitable[None]]]:
    """For looking at a tab in other sizes: a function that resizes it. Its own size comes back in every case."""
    _refuse_window(session)
    before = tab.page.viewport_size
    try:
        yield lambda size: resize(session, tab, size)
    finally:
        if before:
            await resize(session, tab, Size(before["width"], before["height"]))


async def resize(session: "BrowserSession", tab: "Tab", size: Size) -> None:
    """Give a tab's page a size, in the session's scale."""
    try:
        await fit(session, tab, size)
    except PlaywrightError as error:
        raise translate(error) from None


async def fit(session: "BrowserSession", tab: "Tab", size: Size) -> None:
    """The same for a page that may just be closing: raises Playwright's Error."""
    if session.scale == 1.0:
        await tab.world.session.send("Emulation.clearDeviceMetricsOverride")
    await tab.page.set_viewport_size({"width": size.width, "height": size.height})
    if session.scale != 1.0:
        shape = {"width": size.width, "height": size.height}
        metrics = {**shape, "deviceScaleFactor": session.scale, "mobile": False}
        await tab.world.session.send("Emulation.setDeviceMetricsOverride", metrics)


def _refuse_window(session: "BrowserSession") -> None:
    if session.handed:
        raise ActionFailed("The window is the person's to resize", "Run 'resume' first")
