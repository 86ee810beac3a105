"""Emulation: what sites take the browser for."""

from gstack_browse.browser.tabs import session_transfer
from gstack_browse.browser.tabs.session import BrowserSession
from gstack_browse.registry import META, command
from gstack_browse.registry.arguments import UserAgent


@command(META, examples=["useragent 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)'"], timeout=60)
async def useragent(browser: BrowserSession, string: UserAgent) -> str:
    """Tell sites another user agent. Tabs keep their numbers, cookies and storage; their pages are loaded anew.

    An empty string goes back to Chromium's own.
    """
    await session_transfer.change_user_agent(browser, string)
    return f"User agent set: {string}" if string else "User agent set: Chromium's own"
