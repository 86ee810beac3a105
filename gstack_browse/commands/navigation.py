"""Navigate: get to a page."""

from gstack_browse.browser.input import act, navigate
from gstack_browse.browser.tabs.page import PageSession
from gstack_browse.browser.tabs.urls import shown_url
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import Url


@command(
    WRITE,
    examples=["goto https://example.com", "goto localhost:3000/login", "goto ./page.html"],
    fresh=True,
    waits=True,
    aliases=["open", "navigate"],
)
async def goto(page: PageSession, url: Url) -> str:
    """Open a URL in the active tab.

    A missing scheme becomes http:// for this machine and https:// otherwise. A path (./page.html, ../a.html, /…)
    counts from where you are, and means a file of the workspace. Waits until the document is there and says what is
    still loading. A document that is not read in time is cut, and the reply says so. An error status (404, 500)
    still navigates and is shown.
    """
    async with page.action("url", "status") as after:
        if page.tab.held.lines():
            after.remark(f"released {', '.join(await act.release_all(page))}")
        status = await navigate.goto(page, url)
    return after.report(f"Navigated to {shown_url(page.tab.url)}{f' ({status})' if status else ''}")


@command(WRITE, examples=["back"], waits=True, aliases=["go-back"])
async def back(page: PageSession) -> str:
    """Go back in the tab's history."""
    async with page.action("url") as after:
        await navigate.step(page, -1)
    return after.report(f"Back → {shown_url(page.tab.url)}")


@command(WRITE, examples=["forward"], waits=True, aliases=["go-forward"])
async def forward(page: PageSession) -> str:
    """Go forward in the tab's history."""
    async with page.action("url") as after:
        await navigate.step(page, +1)
    return after.report(f"Forward → {shown_url(page.tab.url)}")


@command(WRITE, name="reload", examples=["reload", "reload --no-cache"], waits=True)
async def reload_(page: PageSession, *, no_cache: bool = False) -> str:
    """Load the page again.

    no_cache: fetch it and all that it needs from its servers, past the HTTP cache and service workers
    """
    async with page.action("url") as after:
        await navigate.reload(page, past_cache=no_cache)
    return after.report(f"Reloaded {shown_url(page.tab.url)}")


@command(READ, examples=["url"], page_text=True)
async def url(page: PageSession) -> str:
    """Print the URL of the active tab."""
    return page.tab.url
