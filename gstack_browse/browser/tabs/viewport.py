"""The size in which pages are shown: of a tab, of those opened later, and for a look in another one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.engine.failures import translate
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.registry.arguments import Size

DEFAULT = Size(1280, 720)


@dataclass
class Screen:
    """The size of pages in CSS pixels, and device pixels per CSS pixel."""

    size: Size = DEFAULT
    scale: float = 1.0

    @property
    def is_default(self) -> bool:
        return self == Screen()


@asynccontextmanager
async def changing(tab: Tab, scale: float) -> AsyncIterator[Callable[[Size], Awaitable[None]]]:
    """For looking at a tab in other sizes: a function that resizes it. Its own size comes back in every case."""
    before = tab.page.viewport_size
    try:
        yield lambda size: resize(tab, size, scale)
    finally:
        if before:
            await resize(tab, Size(before["width"], before["height"]), scale)


async def resize(tab: Tab, size: Size, scale: float) -> None:
    """Give a tab's page a size."""
    try:
        await fit(tab, size, scale)
    except PlaywrightError as error:
        raise translate(error) from None


async def fit(tab: Tab, size: Size, scale: float) -> None:
    """The same for a page that may just be closing: raises Playwright's Error."""
    if scale == 1.0:
        await tab.world.session.send("Emulation.clearDeviceMetricsOverride")
    await tab.page.set_viewport_size({"width": size.width, "height": size.height})
    if scale != 1.0:
        shape = {"width": size.width, "height": size.height}
        metrics = {**shape, "deviceScaleFactor": scale, "mobile": False}
        await tab.world.session.send("Emulation.setDeviceMetricsOverride", metrics)
