"""Takes a tab to another page. Waiting for what follows is the aftermath's."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Response
from playwright.async_api import TimeoutError as PlaywrightTimeout

from gstack_browse.browser import failures
from gstack_browse.errors import NavigationFailed, NoHistory, TimedOut
from gstack_browse.text.columns import shown_seconds
from gstack_browse.text.sanitise import one_line

if TYPE_CHECKING:
    from gstack_browse.browser.page import PageSession
    from gstack_browse.browser.tab import Tab

NAVIGATION_SECONDS = 30.0
DOWNLOAD_SECONDS = 1.0
STAYED = "The tab stays where it was"
ANSWER_SECONDS = 0.5
"""A page that does not answer a trivial question for so long is taken to hang in a script."""


async def goto(page: "PageSession", url: str) -> int:
    """Load `url`. Returns the HTTP status, 0 where there is none (about:, file:, the same document).

    A tab whose page crashed or hangs gets a fresh page first.
    """
    await _free(page)
    response = await _load(page, url, page.tab.page.goto, url)
    return response.status if response and url.startswith("http") else 0


async def step(page: "PageSession", distance: int) -> None:
    """Go back (-1) or forward (+1) in history. Raises NoHistory when there is nothing there."""
    history = await page.world.session.send("Page.getNavigationHistory")
    index = history["currentIndex"] + distance
    entries = history["entries"]
    if not 0 <= index < len(entries) or (index == 0 and distance < 0 and entries[0]["url"] == "about:blank"):
        raise NoHistory(
            f"There is no page to go {'back' if distance < 0 else 'forward'} to",
            "Run 'url' to see where you are",
        )
    go = page.tab.page.go_back if distance < 0 else page.tab.page.go_forward
    await _load(page, entries[index]["url"], go)


async def reload(page: "PageSession") -> None:
    """Load the tab's page again."""
    url = page.tab.url
    await _free(page)
    await _load(page, url, page.tab.page.reload)


async def _load(
    page: "PageSession", url: str, load: Callable[..., Awaitable[Response | None]], *words: str
) -> Response | None:
    """Let Playwright navigate, and say why it failed. What did not arrive in time is given up."""
    seconds = page.patience(NAVIGATION_SECONDS)
    cursor, downloads = page.session.logs.network.total, page.tab.download_count
    loading = asyncio.ensure_future(load(*words, wait_until="domcontentloaded", timeout=page.budget(seconds)))
    try:
        await _begun(page, loading)
        response = await loading
        page.turn_ended()
        return response
    except PlaywrightTimeout:
        await stop_loading(page.tab)
        raise TimedOut(
            f"Navigation timed out after {shown_seconds(seconds)}. The page may be slow or the URL may be wrong."
        ) from None
    except PlaywrightError as error:
        raise await _no_page(page, url, cursor, downloads) or failures.navigation(url, error) from None
    finally:
        loading.cancel()


async def _begun(page: "PageSession", loading: "asyncio.Future[Response | None]") -> None:
    """Wait until the page lets go: one that has got stuck in a script after all has that stopped."""
    tab, documents = page.tab, page.tab.documents
    loading.add_done_callback(lambda _: tab.touch())
    while not await tab.until(lambda: loading.done() or tab.documents != documents, ANSWER_SECONDS):
        if not await answers(page, ANSWER_SECONDS):
            await tab.world.terminate()


async def _no_page(page: "PageSession", url: str, cursor: int, downloads: int) -> NavigationFailed | None:
    """The failure for an answer that is no page, a download or 204; None when it was something else."""
    documents = [
        entry
        for entry in page.session.logs.network.since(cursor)
        if entry.tab == page.tab.id and entry.kind == "document"
    ]
    if not documents or not documents[-1].status:
        return None
    if documents[-1].status in (204, 205):
        return NavigationFailed(f"{url} has no page to show ({documents[-1].status})", STAYED)
    if await page.tab.until(lambda: page.tab.download_count > downloads, DOWNLOAD_SECONDS):
        name = one_line(page.tab.downloads[-1], 120)
        return NavigationFailed(f"{url} is a download ({name}), not a page", STAYED)
    return None


async def stop_loading(tab: "Tab") -> None:
    """Give up a navigation that is under way: until it ends, Chromium runs no script of ours in the page."""
    with suppress(PlaywrightError):  # the tab was closed
        await tab.world.session.send("Page.stopLoading")


async def _free(page: "PageSession") -> None:
    """Make sure the tab can be navigated.

    A navigation that is under way is given up, a script that never returns is stopped, a page that crashed
    or stays stuck is replaced.
    """
    tab = page.tab
    if tab.is_navigating:
        await stop_loading(tab)
    if not tab.crashed and await answers(page, ANSWER_SECONDS):
        return
    if not tab.crashed:
        await tab.world.terminate()
        if await answers(page, ANSWER_SECONDS):
            return
    await page.session.replace_page(tab)


async def answers(page: "PageSession", seconds: float) -> bool:
    """Whether the page answers a trivial question in time: its main thread is not stuck in a script."""
    try:
        async with asyncio.timeout(seconds):
            await page.world.ping()
    except TimeoutError:
        return False
    except PlaywrightError:
        return True  # an answer, if only that the document has just gone
    return True
