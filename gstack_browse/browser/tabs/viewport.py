"""The size in which pages are shown: of a tab, of those opened later, and for a look in another one."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.engine.failures import translate
from gstack_browse.browser.tabs.screen import Screen
from gstack_browse.registry.measures import Size

if TYPE_CHECKING:
    from gstack_browse.browser.launch.running import RunningBrowser
    from gstack_browse.browser.tabs.tab import Tab

FRAME = {"linux": (8, 85), "darwin": (2, 80), "win32": (16, 88)}
"""By how much a visible window is wider and higher than the page in it, as Playwright has measured."""


@asynccontextmanager
async def changing(
    tab: "Tab", screen: Screen, running: "RunningBrowser"
) -> AsyncIterator[Callable[[Size], Awaitable[None]]]:
    """Yield a function that resizes the tab. Restore the tab's own size at the end."""
    before = tab.screen
    try:
        yield lambda size: resize(tab, replace(screen, size=size), running)
    finally:
        if before:
            await resize(tab, before, running)
        else:
            release(tab)


async def resize(tab: "Tab", screen: Screen, running: "RunningBrowser") -> None:
    """Resize a tab's page."""
    try:
        await fit(tab, screen, running)
    except ProtocolError as error:
        raise translate(error) from None


async def fit(tab: "Tab", screen: Screen, running: "RunningBrowser") -> None:
    """Resize a page that may be closing, and its window. Raises ProtocolError.

    The driver set a size in its session when the page came. So it is set there, too: each session sets its own again in a new process.
    """
    target = tab.world.frames.target
    if not running.is_shared:  # its windows are a person's
        window = await target.session.send("Browser.getWindowForTarget")
        wider, higher = FRAME.get(sys.platform, FRAME["linux"]) if running.window.visible else (0, 0)
        bounds = {"width": screen.size.width + wider, "height": screen.size.height + higher}
        target.session.notify("Browser.setWindowBounds", {"windowId": window["windowId"], "bounds": bounds})
    target.observed.notify("Emulation.setDeviceMetricsOverride", screen.metrics())
    tab.screen = screen
    await target.session.send("Emulation.setDeviceMetricsOverride", screen.metrics())


def release(tab: "Tab") -> None:
    """Let a tab's page have the size of its window. Never waits."""
    target, tab.screen = tab.world.frames.target, None
    for session in (target.observed, target.session):
        session.notify("Emulation.clearDeviceMetricsOverride")


def hold(tab: "Tab") -> None:
    """Set a tab's size in our own session, too, before a picture of more than the viewport.

    After it Chromium goes back to the size that our session holds; without one, to that of the window, which a full Chromium
    has for all tabs together. Never waits.
    """
    if tab.screen:
        tab.world.session.notify("Emulation.setDeviceMetricsOverride", tab.screen.metrics())
