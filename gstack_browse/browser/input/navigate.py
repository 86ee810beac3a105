"""Navigate a tab. The observer waits for what follows."""

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.session import consume_exception
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tabs.downloads import DownloadsSince
from gstack_browse.errors import NavigationFailed, NoHistory, TimedOut
from gstack_browse.logs.entries import ABORTED
from gstack_browse.text.columns import format_seconds

if TYPE_CHECKING:
    from gstack_browse.browser.tabs.page import PageSession
    from gstack_browse.browser.tabs.tab import Tab

_Navigation: TypeAlias = Callable[["PageSession", str, float], Awaitable[int]]
"""Makes a page load a URL, until a time of the event loop. Returns the HTTP status; 0 for none, or if nobody asks for it."""

NAVIGATION_SECONDS = 30.0
DOWNLOAD_SECONDS = 1.0
ERROR_PAGE_SECONDS = 0.5
"""Seconds that Chromium may take to show its own error page."""
GIVEN_UP = f"net::{ABORTED}"
"""Error of a navigation that leads to no page: a download, or a response without a body."""
STEP_SECONDS = 0.02
"""Seconds between two looks at Chromium's history, for a step of a frame, which no event of the page reports."""
STAYED = "The tab stays where it was"
STAYED_FILE = f"{STAYED}; 'download <url>' saves a file without this failure"
NO_FILE = "ERR_FILE_NOT_FOUND"
FAR_FILE = "The file is here, and not on the browser's machine. To show it: gbrowse load-html {}"
UNHEARD = "Run 'url' and 'text' to see what is there; 'restart' starts the browser anew"
REPLACED = "The page before did not answer and could not be stopped: it was closed, and its history is gone"
MOST_ATTEMPTS = 4
"""Attempts to stop the script of a page that blocks a navigation before it is replaced."""
HANGS_SECONDS = 0.3
"""Seconds without an answer to a trivial question after which a page may hang in a script."""
HANGS_ANSWERS = 1000
"""Pings that the browser must have answered meanwhile: the machine may be slow."""


async def goto(page: "PageSession", url: str) -> int:
    """Load `url`. Returns the HTTP status; 0 for none (about:, file:, the same document).

    A tab whose page has crashed or hangs gets a fresh page for it.
    """
    await _free(page)
    await page.session.guard.opening(url)
    status = await _load(page, url, _open)
    return status if url.startswith("http") else 0


async def step(page: "PageSession", distance: int) -> None:
    """Go back (-1) or forward (+1) in history. Raises NoHistory if there is no such entry."""
    history = await page.world.session.send("Page.getNavigationHistory")
    index = history["currentIndex"] + distance
    entries = history["entries"]
    if not 0 <= index < len(entries) or (index == 0 and distance < 0 and entries[0]["url"] == "about:blank"):
        raise NoHistory(
            f"There is no page to go {'back' if distance < 0 else 'forward'} to",
            "Run 'url' to see where you are",
        )
    await _load(page, entries[index]["url"], partial(_step, entries[index]["id"], history["currentIndex"]))


async def reload(page: "PageSession", *, past_cache: bool = False) -> None:
    """Load the tab's page again. `past_cache`: bypass the HTTP cache for all files, as Shift+Reload does."""
    url = page.tab.url
    is_replaced = await _free(page)
    await _load(page, url, _open if is_replaced else partial(_reload, past_cache))


async def _load(page: "PageSession", url: str, navigation: _Navigation) -> int:
    """Navigate to `url`. Returns the HTTP status. Raises the reason of a failure.

    A navigation that takes too long is stopped, and so is one whose command was cancelled: the page must not
    change under the next command. A page that stays stuck in a script is replaced.
    """
    seconds = page.patience(NAVIGATION_SECONDS)
    cursor, downloads = page.session.logs.network.total, DownloadsSince(page.session.downloads, page.tab)
    page.navigation_starting()
    loading = asyncio.ensure_future(_navigate(page, url, navigation, page.budget(seconds) / 1000))
    try:
        if not await _wait_for_old_page(page, loading):
            loading.cancel()
            await _replace_stuck(page)
            return await _load(page, url, _open)
        status = await loading
        page.arrived()
        return status
    except asyncio.CancelledError:
        page.session.background.start(stop_loading(page.tab))
        raise
    except TimeoutError:
        await stop_loading(page.tab)
        raise TimedOut(
            f"Navigation timed out after {format_seconds(seconds)}. The page may be slow or the URL may be wrong.",
            page.session.shaping.hint(url),
        ) from None
    except ProtocolError as error:
        await page.world.caught_up()
        if refused := next((one for one in page.tab.effects.take_refused() if one.is_page), None):
            raise refused.failure() from None
        failure = await _no_page(page, url, cursor, downloads) or failures.navigation(url, error)
        hint = page.session.shaping.hint(url) or page.session.running.relay_failure(url)
        failure.hint = hint or _of_this_machine(url, str(error)) or failure.hint
        raise failure from None
    finally:
        loading.cancel()


def _of_this_machine(url: str, problem: str) -> str:
    """Return a hint if the browser's machine lacks the file of a file: URL that exists on ours; else ""."""
    if NO_FILE not in problem or not url.startswith("file:"):
        return ""
    path = unquote(urlsplit(url).path)
    return FAR_FILE.format(shlex.quote(path)) if os.path.exists(path) else ""


async def _navigate(page: "PageSession", url: str, navigation: _Navigation, seconds: float) -> int:
    """Return the HTTP status of the new document, once the parser has read the document to its end.

    By the protocol: Playwright's own way takes a fifth longer. It sees the navigation all the same. Raises ProtocolError, or the
    TimeoutError of Python.
    """
    tab = page.tab
    tab.own_navigation, tab.distrusted = True, ""
    page.hold_documents()
    try:
        return await navigation(page, url, page.now() + seconds)
    finally:
        tab.own_navigation = False


async def _open(page: "PageSession", url: str, until: float) -> int:
    """Navigate to `url`. Returns the HTTP status, 0 for a navigation within the document."""
    tab, target = page.tab, page.world.frames.target
    arrivals, documents = target.arrivals, tab.requests.documents
    async with asyncio.timeout_at(until):
        answer = await page.world.session.send("Page.navigate", {"url": url})
    if problem := answer.get("errorText"):
        raise await _failure(page, url, problem, arrivals)
    if "loaderId" not in answer:
        async with asyncio.timeout_at(until):
            await tab.unless_asked(page.world.turn())  # within the document, which reports it later
        return 0
    await _read(page, lambda: target.arrivals != arrivals, until)
    if (
        url.startswith("http")
        and tab.requests.documents == documents
        and not (tab.closed_reason or tab.question)
    ):
        raise NavigationFailed(
            f"{url} has loaded, but Chromium told of no request for it: its status is not known", UNHEARD
        )
    return tab.requests.status_of(answer["loaderId"])


async def _reload(past_cache: bool, page: "PageSession", url: str, until: float) -> int:
    """Load the document again. `past_cache`: past HTTP cache and service workers."""
    target, documents = page.world.frames.target, page.tab.requests.documents
    arrivals = target.arrivals
    sending = _begin(page, "Page.reload", {"ignoreCache": past_cache})
    if not await _follow(
        page, url, sending, documents, lambda: target.arrivals != arrivals, until - page.now()
    ):
        raise TimeoutError
    await _read(page, lambda: True, until)
    return 0


async def _step(entry_id: int, begun: int, page: "PageSession", url: str, until: float) -> int:
    """Go from the place `begun` in history to an entry.

    No document arrives if the step is within the document, or one of a frame. Chromium reports the latter nowhere in the page, so its
    history is asked until it has moved.
    """
    tab, arrivals, documents = page.tab, page.tab.arrivals, page.tab.requests.documents
    sending = _begin(page, "Page.navigateToHistoryEntry", {"entryId": entry_id})
    while not await _follow(page, url, sending, documents, lambda: tab.arrivals != arrivals, STEP_SECONDS):
        if page.now() > until:
            raise TimeoutError
        if tab.requests.documents == documents and await _place_in_history(page) != begun:
            await page.world.ping()  # by now, a new document has been reported
            break
    await _read(page, lambda: True, until)
    return 0


def _begin(page: "PageSession", method: str, params: dict[str, Any]) -> "asyncio.Future[dict[str, Any]]":
    """Send a request that navigates. Its answer wakes who waits for a change of the tab."""
    sending = page.world.session.send(method, params)
    sending.add_done_callback(consume_exception)
    sending.add_done_callback(lambda _: page.tab.touch())
    return sending


async def _follow(
    page: "PageSession",
    url: str,
    sending: "asyncio.Future[dict[str, Any]]",
    documents: int,
    has_arrived: Callable[[], bool],
    seconds: float,
) -> bool:
    """Wait for what becomes of a navigation that was requested (`sending`).

    The answer does not tell, and a page that hangs gives none. Return True once it has arrived, the tab closes or a dialog opens; False after `seconds`. Raises ProtocolError if it has failed.
    `documents`: number of documents that the main frame had requested before.
    """
    tab, arrivals = page.tab, page.world.frames.target.arrivals

    def is_over() -> bool:
        is_refused = sending.done() and sending.exception() is not None
        return bool(
            has_arrived()
            or is_refused
            or tab.closed_reason
            or tab.question
            or tab.requests.failed_since(documents)
        )

    if not await tab.until(is_over, max(seconds, 0)):
        return False
    if failed := tab.requests.failed_since(documents):  # Chromium's own page for it may have arrived
        raise await _failure(page, url, f"net::{failed.error}", arrivals)
    if sending.done() and not has_arrived():
        sending.result()  # raises ProtocolError
    return True


async def _failure(page: "PageSession", url: str, problem: str, arrivals: int) -> ProtocolError:
    """Return the error of a failed navigation, once Chromium shows its own page for it."""
    tab, target = page.tab, page.world.frames.target
    problem = tab.distrusted or problem
    if problem != GIVEN_UP:
        await tab.in_time(lambda: bool(tab.closed_reason) or target.arrivals != arrivals, ERROR_PAGE_SECONDS)
    return ProtocolError(f"{problem} at {url}")


async def _place_in_history(page: "PageSession") -> int:
    history = await page.world.session.send("Page.getNavigationHistory")
    return int(history["currentIndex"])


async def _read(page: "PageSession", has_arrived: Callable[[], bool], until: float) -> None:
    """Wait until the parser has read the new document to its end, or the tab closes or a dialog opens.

    A document that has arrived and is not read at `until` is cut there: a part of a page is of use, an error is
    not. Raises TimeoutError if no document has arrived.
    """
    tab = page.tab
    if not await tab.until(
        lambda: (
            bool(tab.closed_reason or tab.question) or (has_arrived() and page.world.frames.target.is_ready)
        ),
        max(until - page.now(), 0),
    ):
        if not has_arrived():
            raise TimeoutError
        page.session.background.start(stop_loading(tab))
        page.cut_loading()


async def _wait_for_old_page(page: "PageSession", loading: "asyncio.Future[int]") -> bool:
    """Wait until the old page has given way; stop a script that blocks it. Returns False if still stuck.

    It can block a navigation twice: when it is asked whether it may be left (beforeunload), and, in the process
    that the new document will share, when that document has come from the server.
    """
    tab, documents, arrivals = page.tab, page.tab.requests.documents, page.tab.arrivals
    loading.add_done_callback(lambda _: tab.touch())
    attempts = 0

    def has_left() -> bool:
        return loading.done() or tab.arrivals != arrivals or tab.question is not None

    while not await tab.until(has_left, HANGS_SECONDS):
        if tab.awaits_server or (
            tab.requests.documents == documents and await tab.world.answers(HANGS_SECONDS)
        ):
            continue  # the server, or another cause, delays it, not the page
        if await tab.world.comes_true(has_left, HANGS_ANSWERS):
            continue  # the machine is slow: terminate() might stop a script of the new document
        if attempts == MOST_ATTEMPTS:
            return False
        attempts += 1
        if not await tab.world.terminate() and not await tab.world.restart_graphics():
            return False  # its script waits for a synchronous request, or its process was stopped
    return True


async def _no_page(
    page: "PageSession", url: str, cursor: int, downloads: DownloadsSince
) -> NavigationFailed | None:
    """Return the error for a response that is no page (a download, 204); None for any other response."""
    documents = [
        entry
        for entry in page.session.logs.network.entries_since(cursor)
        if entry.tab == page.tab.id and entry.kind == "document"
    ]
    if not documents or not documents[-1].status:
        return None
    if documents[-1].status in (204, 205):
        return NavigationFailed(f"{url} has no page to show ({documents[-1].status})", STAYED)
    return await _download(page, url, downloads)


async def _download(page: "PageSession", url: str, since: DownloadsSince) -> NavigationFailed | None:
    """Return the error for a URL that is a download, which is kept all the same; None if none has begun."""
    download = await since.first(DOWNLOAD_SECONDS)
    if not download and await page.tab.in_time(since.is_known, 0):
        download = await since.first(0)
    if not download:
        why = since.take_refused()
        told = f"{url} is a download, not a page, and was refused: {why}"
        return NavigationFailed(told, STAYED) if why else None
    if not await page.session.downloads.until(lambda: download.state != "running", DOWNLOAD_SECONDS):
        await page.tab.in_time(lambda: download.state != "running", 0)
    download.is_told = True
    return NavigationFailed(f"{url} is a download, not a page: {download.line(page.cwd)}", STAYED_FILE)


async def stop_loading(tab: "Tab") -> None:
    """Cancel a running navigation: until it ends, Chromium runs no script of ours in the page."""
    with suppress(ProtocolError):  # the tab was closed
        await tab.world.session.send("Page.stopLoading")


async def _free(page: "PageSession") -> bool:
    """Prepare the tab for a navigation: stop a running one, replace a page that crashed or is stuck.

    Returns whether the page was replaced.
    """
    tab = page.tab
    if tab.is_navigating:
        await stop_loading(tab)
    if tab.crashed:
        await page.session.tab_factory.replace_page(tab)
        return True
    if is_stuck := tab.is_stuck and not await tab.world.answers(HANGS_SECONDS):
        await _replace_stuck(page)
    tab.is_stuck = False
    return is_stuck


async def _replace_stuck(page: "PageSession") -> None:
    """Give the tab a new page, and add a note: the history is lost with the old page."""
    await page.session.tab_factory.replace_page(page.tab)
    page.notes.append(REPLACED)
