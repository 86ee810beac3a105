"""Playwright's types, for annotations only: its errors are in `errors`.

`playwright.async_api` takes two thirds of the time in which the daemon's own code is imported, and nothing needs it before a browser has
been started. So it is imported where Playwright starts (`launch.driver`), and nowhere else. To the type checker the names are the real
ones; while the program runs they stand for nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Dialog,
        Download,
        FilePayload,
        Frame,
        Locator,
        Page,
        Playwright,
        Response,
    )
else:

    class _OnlyForAnnotations:
        """Stands for a type of Playwright's at run time."""

    Browser = BrowserContext = CDPSession = Dialog = Download = _OnlyForAnnotations
    FilePayload = Frame = Locator = Page = Playwright = Response = _OnlyForAnnotations

__all__ = [
    "Browser",
    "BrowserContext",
    "CDPSession",
    "Dialog",
    "Download",
    "FilePayload",
    "Frame",
    "Locator",
    "Page",
    "Playwright",
    "Response",
]
