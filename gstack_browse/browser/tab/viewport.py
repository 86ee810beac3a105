"""Set the viewport of a tab's page: for good, or only while a command looks at another size."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.engine.failures import translate
from gstack_browse.browser.state.emulation import Screen, await_page_change
from gstack_browse.registry.values.measures import Size

if TYPE_CHECKING:
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.tab.tab import Tab

FRAME = {"linux": (8, 85), "darwin": (2, 80), "win32": (16, 88)}
"""Pixels by which a visible window is wider and higher than its page, by platform. The numbers are Playwright's."""


@asynccontextmanager
async def resizable(
    tab: "Tab", screen: Screen, running: "RunningBrowser"
) -> AsyncIterator[Callable[[Size], Awaitable[None]]]:
    """Yield a function that resizes the tab's page. Restore the size when the `async with` block ends.

    `screen`: scale, touch and other values, which stay as they are.
    """
    before = tab.screen
    try:
        yield lambda size: resize(tab, replace(screen, size=size), running)
    finally:
        if before:
            await await_page_change(resize_page(tab, before, running))
        else:  # emulate no size: the page is as large as its window again
            tab.screen = None
            tab.world.session.notify("Emulation.clearDeviceMetricsOverride")


async def resize(tab: "Tab", screen: Screen, running: "RunningBrowser") -> None:
    """Call `resize_page`: give a page the size of `screen`. Raises BrowseError if the page is closing."""
    try:
        await resize_page(tab, screen, running)
    except ProtocolError as error:
        raise translate(error) from None


async def resize_page(tab: "Tab", screen: Screen, running: "RunningBrowser") -> None:
    """Give a page the size, scale and touch of `screen`, and resize its window if no person uses that.

    Raises ProtocolError, for example when the page is closing.
    """
    target = tab.world.frames.target
    if not running.is_shared:  # its windows are a person's
        window = await target.session.send("Browser.getWindowForTarget")
        wider, higher = FRAME.get(sys.platform, FRAME["linux"]) if running.window.visible else (0, 0)
        bounds = {"width": screen.size.width + wider, "height": screen.size.height + higher}
        target.session.notify("Browser.setWindowBounds", {"windowId": window["windowId"], "bounds": bounds})
    tab.screen = screen
    await target.session.send("Emulation.setDeviceMetricsOverride", screen.metrics())


def fix_size(tab: "Tab") -> None:
    """Emulate the tab's present size in our own CDP session, before a screenshot beyond the viewport.

    After such a screenshot Chromium restores the size of the session that took it. Without one it takes the window's size, which is
    the same for all tabs of a full Chromium. Does not wait for Chromium.
    """
    if tab.screen:
        tab.world.session.notify("Emulation.setDeviceMetricsOverride", tab.screen.metrics())
