"""Tabs: several pages side by side. A tab's number never changes and is never used again."""

from gstack_browse.browser import navigate
from gstack_browse.browser.aftermath import shown_url
from gstack_browse.browser.page import PageOpener, PageSession
from gstack_browse.browser.session import BrowserSession
from gstack_browse.registry import META, READ, command
from gstack_browse.registry.arguments import TabId, Url
from gstack_browse.text.sanitise import one_line


@command(READ, examples=["tabs"], page_text=True)
async def tabs(browser: BrowserSession) -> str:
    """List the tabs; an arrow marks the active one."""
    titles = await browser.titles()
    return "\n".join(
        f"{'→' if number == browser.active else ' '} [{number}] {one_line(titles.get(number, ''), 100)} — {shown_url(tab.url)}"
        for number, tab in browser.tabs.items()
    )


@command(META, examples=["tab 2"])
async def tab(browser: BrowserSession, number: TabId) -> str:
    """Make another tab the active one."""
    found = browser.tab(number)
    browser.switch_to(found)
    return f"Switched to tab {found.id}"


@command(META, examples=["newtab", "newtab https://example.com"], fresh=True, waits=True)
async def newtab(browser: PageOpener, url: Url | None = None) -> str:
    """Open a tab and make it the active one. When the URL cannot be opened, no tab is left behind."""
    async with browser.opening() as page:
        return await _open(page, url) if url else f"Opened tab {page.tab.id}"


async def _open(page: PageSession, url: str) -> str:
    async with page.action("url", "tab", "status") as after:
        status = await navigate.goto(page, url)
    shown = f"{shown_url(page.tab.url)}{f' ({status})' if status else ''}"
    return after.report(f"Opened tab {page.tab.id} → {shown}")


@command(META, examples=["closetab", "closetab 3"])
async def closetab(browser: BrowserSession, number: TabId | None = None) -> str:
    """Close a tab, the active one by default, even when its page hangs. After the last one a blank one opens."""
    found = browser.tab(number)
    await browser.close_tab(found)
    return f"Closed tab {found.id}"
