"""The size in which pages are shown: of a tab, of those opened later, and for a look in another one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.failures import translate
from gstack_browse.browser.tabs.tab import Tab
from gstack_browse.registry.measures import Size

DEFAULT = Size(1280, 720)


@dataclass
class Screen:
    """The size of pages in CSS pixels, device pixels per CSS pixel, and whether the layout is mobile."""

    size: Size = DEFAULT
    scale: float = 1.0
    mobile: bool = False

    def options(self) -> dict[str, Any]:
        """Return the size options of a new browser context."""
        return {"viewport": self.size._asdict(), "device_scale_factor": self.scale, "is_mobile": self.mobile}

    @property
    def is_default(self) -> bool:
        return self == Screen()


@asynccontextmanager
async def changing(tab: Tab, screen: Screen) -> AsyncIterator[Callable[[Size], Awaitable[None]]]:
    """Yield a function that resizes the tab. Restore the tab's own size at the end."""
    before = tab.page.viewport_size
    try:
        yield lambda size: resize(tab, replace(screen, size=size))
    finally:
        if before:
            await resize(tab, replace(screen, size=Size(before["width"], before["height"])))


async def resize(tab: Tab, screen: Screen) -> None:
    """Resize a tab's page."""
    try:
        await fit(tab, screen)
    except ProtocolError as error:
        raise translate(error) from None


async def fit(tab: Tab, screen: Screen) -> None:
    """Resize a page that may be closing. Raises ProtocolError."""
    size, scale = screen.size, screen.scale
    is_plain = scale == 1.0 and not screen.mobile
    if is_plain:
        await tab.world.session.send("Emulation.clearDeviceMetricsOverride")
    await tab.page.set_viewport_size({"width": size.width, "height": size.height})
    if not is_plain:
        shape = {"width": size.width, "height": size.height}
        metrics = {**shape, "deviceScaleFactor": scale, "mobile": screen.mobile}
        await tab.world.session.send("Emulation.setDeviceMetricsOverride", metrics)


def hold(tab: Tab, screen: Screen) -> None:
    """Set a tab's size in our own session, too, before a picture of more than the viewport.

    After it Chromium goes back to the size that our session holds; without one, to that of the window, which a full Chromium
    has for all tabs together. Never waits.
    """
    # Before Playwright is there, no command has given the tab another size.
    if size := screen.size._asdict() if tab.is_early else tab.page.viewport_size:
        metrics = {**size, "deviceScaleFactor": screen.scale, "mobile": screen.mobile}
        tab.world.session.notify("Emulation.setDeviceMetricsOverride", metrics)
