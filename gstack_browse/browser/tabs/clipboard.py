"""Lets pages put text into the clipboard, which a Chromium without a window refuses. To read it, they still have to ask."""

import asyncio
from typing import TYPE_CHECKING

from gstack_browse.browser.cdp.session import consume_exception

if TYPE_CHECKING:
    from gstack_browse.browser.launch.running import Running


def allow_copying(running: "Running", browser_context: str) -> None:
    """Let the pages of a browser context do what Copy buttons do. In a window, and in a person's own browser, Chromium decides.

    Nobody waits: Chromium keeps the order. `clipboard-write` is what it grants to every page that is in front in a window;
    it covers text, HTML and pictures that Chromium makes anew.
    """
    if browser_context in running.copying or running.look.visible or running.is_shared:
        return
    running.copying.add(browser_context)
    granting = running.connection.ask_browser(
        "Browser.setPermission",
        permission={"name": "clipboard-write"},
        setting="granted",
        **({"browserContextId": browser_context} if browser_context else {}),
    )
    asyncio.ensure_future(granting).add_done_callback(consume_exception)
