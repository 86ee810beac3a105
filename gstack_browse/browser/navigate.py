"""Takes a tab to another page. Waiting for what follows is the aftermath's."""

import asyncio
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from gstack_browse.browser import failures
from gstack_browse.errors import NavigationFailed, NoHistory, TimedOut
from gstack_browse.text.columns import duration

if TYPE_CHECKING:
    from gstack_browse.browser.page import PageSession

NAVIGATION_SECONDS = 30.0
ANSWER_SECONDS = 0.5
"""A page that does not answer a trivial question for so long is taken to hang in a script."""


async def goto(page: "PageSession", url: str) -> int:
    """Load `url`. Returns the HTTP status, 0 where there is none (about:, file:, the same document).

    A tab whose page crashed or hangs gets a fresh page first.
    """
    await _free(page)
    seconds = page.patience(NAVIGATION_SECONDS)
    try:
        response = await page.tab.page.goto(url, wait_until="domcontentloaded", timeout=page.budget(seconds))
    except PlaywrightError as error:
        if "Download is starting" in str(error):
            raise NavigationFailed(f"{url} is a download, not a page", "The tab stays where it was") from None
        raise _explained(failures.navigation(url, error), seconds) from None
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
    seconds = page.patience(NAVIGATION_SECONDS)
    go = page.tab.page.go_back if distance < 0 else page.tab.page.go_forward
    try:
        await go(wait_until="domcontentloaded", timeout=page.budget(seconds))
    except PlaywrightError as error:
        raise _explained(failures.navigation(entries[index]["url"], error), seconds) from None


async def reload(page: "PageSession") -> None:
    """Load the tab's page again."""
    url = page.tab.url
    await _free(page)
    seconds = page.patience(NAVIGATION_SECONDS)
    try:
        await page.tab.page.reload(wait_until="domcontentloaded", timeout=page.budget(seconds))
    except PlaywrightError as error:
        raise _explained(failures.navigation(url, error), seconds) from None


def _explained(error: Exception, seconds: float) -> Exception:
    if isinstance(error, TimedOut):
        return TimedOut(f"Navigation timed out after {duration(seconds) if seconds >= 1 else f'{seconds:g}s'}. "
                        "The page may be slow or the URL may be wrong.")  # fmt: skip
    return error


async def _free(page: "PageSession") -> None:
    """Make sure the tab can be navigated: stop a script that never returns, replace a page that crashed or stays stuck."""
    tab = page.tab
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
            await page.world.call("tick")
    except TimeoutError:
        return False
    except Exception:  # noqa: BLE001 - an answer, if only that the document has just gone
        return True
    return True
