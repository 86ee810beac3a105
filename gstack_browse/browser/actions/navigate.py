"""Navigate a tab: load a URL, reload, go back or forward.

Each ends as soon as the parser has read the new document to its end (DOMContentLoaded). `command/observer.py` then waits for the rest of
the page and describes what followed.

1. `goto`, `reload` and `go_in_history` call `_run_navigation`: time limit, stuck pages, reasons of failures.
2. `_run_navigation` calls `_open_url`, `_reload_document` or `_go_to_entry`. Each sends one message of the protocol that navigates.
3. `_reload_document` and `_go_to_entry` call `_send_and_wait_for_arrival`: until the new document is in the frame. `_open_url` learns of a
   failure from Chromium's response.
4. All call `_wait_until_parsed`: until the document has been read.
"""

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception, read_stream
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import Download, DownloadsSince
from gstack_browse.browser.engine import failures
from gstack_browse.browser.engine.messages import FrameGone, PageScriptError
from gstack_browse.browser.network.loaded_documents import PDF
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.urls import shown_url, without_fragment
from gstack_browse.errors import FileFailed, NavigationFailed, NoHistory, TimedOut
from gstack_browse.network.logs import ABORTED
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_seconds

Result = TypeVar("Result")
_Navigation: TypeAlias = Callable[[PageCommand, str, float], Awaitable[int]]
"""Navigates a page to a URL; ends at a time of the event loop. Returns the HTTP status of `goto`, otherwise 0."""


class LedToDownload(NavigationFailed):
    """The address is a file, which Chromium has downloaded."""

    download: Download


NAVIGATION_SECONDS = 30.0
DOWNLOAD_SECONDS = 1.0
"""Seconds to wait for a download to begin, and again for a small one to be complete."""
ERROR_PAGE_SECONDS = 0.5
"""Seconds that Chromium may take to show its own error page."""
GIVEN_UP = f"net::{ABORTED}"
"""Error of a navigation that leads to no page: a download, or a response without a body."""
ACTIVE_SECONDS = 1.0
_NOT_YET_ACTIVE = "Not attached to an active page"
STEP_SECONDS = 0.02
"""Seconds between two queries of Chromium's history: no event of the main frame reports that a frame in it went back."""
COUNTER_SECONDS = 1.0
"""Seconds for a page to handle a step of the history within its document, and to undo it."""
UNDONE = "It may ask something first: 'snapshot -i'. 'goto <url>' leaves it all the same"
STAYED = "The tab stays where it was"
STAYED_FILE = f"{STAYED}; 'download <url>' saves a file without this failure"
NO_FILE = "ERR_FILE_NOT_FOUND"
FAR_FILE = "The file is here, and not on the browser's machine. To show it: gbrowse load-html {}"
UNHEARD = "Run 'url' and 'text' to see what is there; 'restart' starts the browser anew"
REPLACED = "The page before did not answer and could not be stopped: it was closed, and its history is gone"
MOST_ATTEMPTS = 4
"""Attempts to stop the script of a page that blocks a navigation, before the page is replaced."""
HANGS_SECONDS = 0.3
"""Seconds without an answer to a ping after which a page may hang in a script."""
HANGS_ANSWERS = 1000
"""Pings that the browser process answers before the page counts as hanging: more time on a slow machine."""


async def goto(page: PageCommand, url: str) -> int:
    """Load `url`. Return the HTTP status; 0 without one (about:, file:, the same document).

    A tab whose page has crashed or hangs gets a new page first.
    """
    await _prepare_tab(page)
    loaded, address = page.context.loaded_html, without_fragment(url)
    # if only the fragment changes, Chromium stays in the document
    if address == url or address != without_fragment(page.tab.url):
        loaded.unregister_pdf(url)
    await page.context.guard.prepare_opening(url)
    known = loaded.web_urls()
    status = await _load_or_open_pdf(page, url)
    if (shown := without_fragment(page.tab.url)) in known and shown != address:
        # a redirection led to a PDF that was read before, or its address is written in another way
        status = await _reload_pdf(page)
    return status if url.startswith("http") else 0


async def _load_or_open_pdf(page: PageCommand, url: str) -> int:
    """Load `url`, or instead of a PDF document an HTML page with its text. Return the HTTP status."""
    try:
        await _render_pdf_file(page, url)
        status = await _run_navigation(page, url, _open_url)
    except LedToDownload as failure:
        address = _document_url(url, failure.download)
        if not await _render_downloaded_pdf(page, address, failure.download):
            raise
        return await _run_navigation(page, address, _open_url)
    if await _render_shown_pdf(page):
        # opened at the viewer's own address, one with a fragment would load nothing
        await _run_navigation(page, page.tab.url, partial(_reload_document, False))
    return status


async def _reload_pdf(page: PageCommand) -> int:
    """Reload the PDF document that the tab shows as HTML, and show it anew. Return the HTTP status."""
    url = page.tab.url
    status = await goto(page, without_fragment(url))
    if "#" in url:
        await goto(page, url)  # alone it would load nothing: only the fragment changes
    return status


async def go_in_history(page: PageCommand, distance: int) -> None:
    """Go back (`distance` -1) or forward (1) in the tab's history.

    Raises NoHistory without such a page, NavigationFailed if the page undoes the step.
    """
    tab, before, documents = page.tab, page.tab.url, page.tab.requests.documents
    history = await _retry_until_active(page, lambda: page.world.session.send("Page.getNavigationHistory"))
    index = history["currentIndex"] + distance
    entries = history["entries"]
    if not 0 <= index < len(entries) or (index == 0 and distance < 0 and entries[0]["url"] == "about:blank"):
        raise NoHistory(
            f"There is no page to go {'back' if distance < 0 else 'forward'} to",
            "Run 'url' to see where you are",
        )
    await _run_navigation(
        page, entries[index]["url"], partial(_go_to_entry, entries[index]["id"], history["currentIndex"])
    )
    if tab.requests.documents == documents:
        await _wait_for_counter_step(page, index)
        if tab.url == before and before != entries[index]["url"]:
            raise NavigationFailed(
                f"The page undid the step, and shows {one_line(shown_url(before), 300)} again", UNDONE
            )


async def _retry_until_active(page: PageCommand, ask: Callable[[], Awaitable[Result]]) -> Result:
    """Await `ask()`, again for ACTIVE_SECONDS while Chromium's main process does not know the page yet.

    A page that has just come from another process, such as the error page, tells of itself first.
    """
    until = page.now() + ACTIVE_SECONDS
    while True:
        try:
            return await ask()
        except ProtocolError as error:
            if _NOT_YET_ACTIVE not in str(error) or page.now() >= until:
                raise
        await asyncio.sleep(STEP_SECONDS)


async def _wait_for_counter_step(page: PageCommand, index: int) -> None:
    """Wait until the page has handled a step within its document to the history entry at `index`.

    Pages go forward again, or add an entry, to keep what is not saved: at the end of that turn Chromium is on its way elsewhere.
    """
    tab = page.tab
    with suppress(FrameGone, PageScriptError, ProtocolError, TimeoutError):
        async with asyncio.timeout(COUNTER_SECONDS):
            await tab.work.await_until_dialog(page.world.wait_event_loop_turn())
            history = await page.world.session.send("Page.getNavigationHistory")
            if history["currentIndex"] != index:
                expected = history["entries"][history["currentIndex"]]["url"]
                await tab.wait_until(lambda: tab.url == expected or tab.is_interrupted)


async def reload(page: PageCommand, *, past_cache: bool = False) -> None:
    """Load the tab's page again. `past_cache`: bypass the HTTP cache for all files, as Shift+Reload does."""
    url = page.tab.page.main_frame.unopened or page.tab.url
    if page.context.pdfs.is_shown(url) or page.tab.page.main_frame.media_type == PDF:
        await _reload_pdf(page)
        return
    is_replaced = await _prepare_tab(page)
    await _run_navigation(page, url, _open_url if is_replaced else partial(_reload_document, past_cache))


async def _run_navigation(page: PageCommand, url: str, navigation: _Navigation) -> int:
    """Run a navigation to `url` with a time limit, and report its failure. Return the HTTP status.

    Raises TimedOut, Refused, or NavigationFailed with the reason. A navigation that takes too long is stopped, and so is one
    whose command was cancelled: the page must not change under the next command. If the old page stays stuck in a script, it is
    replaced and the navigation begins again in the new one.
    """
    seconds = page.wait_seconds(NAVIGATION_SECONDS)
    cursor, downloads = page.context.logs.network.total, DownloadsSince(page.context.downloads, page.tab)
    page.note_navigation_starting()
    page.tab.distrusted = ""
    until = page.now() + page.budget(seconds)
    loading = asyncio.ensure_future(_retry_until_active(page, lambda: navigation(page, url, until)))
    try:
        if not await _wait_for_old_page(page, loading):
            loading.cancel()
            await _replace_stuck(page)
            return await _run_navigation(page, url, _open_url)
        status = await loading
        page.note_arrival()
        return status
    except asyncio.CancelledError:
        page.context.background.start(stop_loading(page.tab))
        raise
    except TimeoutError:
        await stop_loading(page.tab)
        raise TimedOut(
            f"Navigation timed out after {format_seconds(seconds)}. The page may be slow or the URL may be wrong.",
            page.context.shaping.removal_hint(url),
        ) from None
    except ProtocolError as error:
        if refused := next((one for one in page.tab.effects.take_refused() if one.is_page), None):
            raise refused.failure() from None
        failure = await _explain_missing_page(page, url, cursor, downloads) or failures.navigation_error(
            url, error
        )
        hint = page.context.shaping.removal_hint(url) or page.context.running.relay_failure(url)
        failure.hint = hint or _hint_for_local_file(url, str(error)) or failure.hint
        raise failure from None
    finally:
        loading.cancel()


def _hint_for_local_file(url: str, problem: str) -> str:
    """Return a hint if a `file:` URL's file exists on this machine but not on the browser's; else "".

    `problem`: Chromium's error for the URL.
    """
    if NO_FILE not in problem or not url.startswith("file:"):
        return ""
    path = unquote(urlsplit(url).path)
    return FAR_FILE.format(shlex.quote(path)) if os.path.exists(path) else ""


async def _open_url(page: PageCommand, url: str, until: float) -> int:
    """Navigate to `url`, and wait until the document is parsed. Return the HTTP status.

    `until`: the time (event loop) to give up.
    """
    tab, target = page.tab, page.world.frames.target
    arrivals, documents = target.arrivals, tab.requests.documents
    async with asyncio.timeout_at(until):
        answer = await page.world.session.send("Page.navigate", {"url": url})
    if problem := answer.get("errorText"):
        raise await _failure_after_error_page(page, url, problem, arrivals)
    if "loaderId" not in answer:
        async with asyncio.timeout_at(until):
            # the document reports its new URL in a later turn
            await tab.work.await_until_dialog(page.world.wait_event_loop_turn())
        return 0
    await _wait_until_parsed(page, lambda: target.arrivals != arrivals, until)
    is_unheard = tab.requests.documents == documents and not (tab.closed_reason or tab.open_dialog)
    if is_unheard and url.startswith("http"):
        raise NavigationFailed(
            f"{url} has loaded, but Chromium told of no request for it: its status is not known", UNHEARD
        )
    return tab.requests.status_of(answer["loaderId"])


async def _reload_document(past_cache: bool, page: PageCommand, url: str, until: float) -> int:
    """Load the document again, and wait until it is parsed. Return 0, as no status is known.

    `past_cache`: bypass the HTTP cache and service workers. `until`: the time (event loop) to give up.
    """
    target, arrivals = page.world.frames.target, page.world.frames.target.arrivals
    while True:
        try:
            await _send_and_wait_for_arrival(
                page,
                url,
                "Page.reload",
                {"ignoreCache": past_cache},
                lambda: target.arrivals != arrivals,
                until,
            )
            break
        except ProtocolError as error:
            # A page that has just come from another process, as the error page, is not known to the browser's process yet.
            if _NOT_YET_ACTIVE not in str(error) or page.now() >= until:
                raise
            await asyncio.sleep(STEP_SECONDS)
    await _wait_until_parsed(page, lambda: True, until)
    return 0


async def _go_to_entry(entry_id: int, start_index: int, page: PageCommand, url: str, until: float) -> int:
    """Go from the history entry at `start_index` to the one with id `entry_id`, and wait for it. Return 0.

    No document arrives in the main frame if the step stays within the document or is one of a frame in it. `until`: the time
    (event loop) to give up.
    """
    tab, arrivals, documents = page.tab, page.tab.arrivals, page.tab.requests.documents
    staying = asyncio.ensure_future(_wait_for_step_within_document(page, start_index, documents))
    staying.add_done_callback(lambda _: tab.wake_waiters())

    def has_arrived() -> bool:
        return tab.arrivals != arrivals or (staying.done() and staying.result())

    try:
        await _send_and_wait_for_arrival(
            page, url, "Page.navigateToHistoryEntry", {"entryId": entry_id}, has_arrived, until
        )
    finally:
        staying.cancel()
    await _wait_until_parsed(page, lambda: True, until)
    return 0


async def _wait_for_step_within_document(page: PageCommand, start_index: int, documents: int) -> bool:
    """Wait until a history step has ended. Return whether it stayed within the main frame's document.

    No event reports the step of a frame, so Chromium's history is queried until its current index is no longer `start_index`.
    Return False if the main frame requests a document, or does not answer. `documents`: number of its requests before the step.
    """
    requests = page.tab.requests
    with suppress(ProtocolError):
        while requests.documents == documents:
            await asyncio.sleep(STEP_SECONDS)
            history = await page.world.session.send("Page.getNavigationHistory")
            if history["currentIndex"] != start_index:
                # The index changes as soon as the navigation starts; a request for a document is reported before the ping's answer.
                await page.tab.page.target.ping()
                return bool(requests.documents == documents)
    return False


async def _send_and_wait_for_arrival(
    page: PageCommand,
    url: str,
    method: str,
    params: dict[str, Any],
    has_arrived: Callable[[], bool],
    until: float,
) -> None:
    """Send a protocol command that navigates. Wait until the navigation arrives, fails or is interrupted.

    A dialog interrupts it, and the end of the tab. Chromium's response alone is no sign: it comes before the document does, and not at all while the page hangs. `has_arrived`:
    returns whether the navigation has arrived in the frame. Raises TimeoutError at the time `until` (event loop), ProtocolError
    if the navigation has failed.
    """
    tab, arrivals, documents = page.tab, page.world.frames.target.arrivals, page.tab.requests.documents
    sending = page.world.session.send(method, params)
    sending.add_done_callback(consume_exception)
    sending.add_done_callback(lambda _: tab.wake_waiters())

    def is_over() -> bool:
        is_rejected = sending.done() and sending.exception() is not None
        return bool(
            has_arrived()
            or is_rejected
            or tab.closed_reason
            or tab.open_dialog
            or tab.requests.failed_since(documents)
        )

    if not await tab.wait_until(is_over, max(until - page.now(), 0)):
        raise TimeoutError
    if failed := tab.requests.failed_since(documents):  # Chromium's own page for it may have arrived
        raise await _failure_after_error_page(page, url, f"net::{failed.error}", arrivals)
    if sending.done() and not has_arrived():
        sending.result()  # raises ProtocolError


async def _failure_after_error_page(page: PageCommand, url: str, problem: str, arrivals: int) -> ProtocolError:
    """Wait until Chromium shows its error page for a failed navigation. Return the error to raise.

    `problem`: Chromium's error code. `arrivals`: number of documents that had arrived in the main frame before.
    """
    tab, target = page.tab, page.world.frames.target
    problem = tab.distrusted or problem
    if problem != GIVEN_UP:
        await tab.wait_load_adjusted(
            lambda: bool(tab.closed_reason) or target.arrivals != arrivals, ERROR_PAGE_SECONDS
        )
    return ProtocolError(f"{problem} at {url}")


async def _wait_until_parsed(page: PageCommand, has_arrived: Callable[[], bool], until: float) -> None:
    """Wait until the new document is parsed to its end, the tab closes, or a dialog opens.

    If the document has arrived but is not complete at `until`, loading stops there and the command goes on: a part of a page is
    more useful than an error. Raises TimeoutError if no document has arrived.
    """
    tab = page.tab
    if not await tab.wait_until(
        lambda: (
            bool(tab.closed_reason or tab.open_dialog) or (has_arrived() and page.world.frames.target.is_ready)
        ),
        max(until - page.now(), 0),
    ):
        if not has_arrived():
            raise TimeoutError
        page.context.background.start(stop_loading(tab))
        page.note_loading_stopped()
    if tab.requests.is_kept_by_proxy():
        raise failures.network_error(one_line(shown_url(tab.url), 300), failures.PROXY_UNAUTHORIZED_ERROR)


async def _wait_for_old_page(page: PageCommand, loading: "asyncio.Future[int]") -> bool:
    """Wait until the new document replaces the old page, and stop scripts of the old one that prevent it.

    Returns False if they cannot be stopped. A script can block a navigation at two moments: when Chromium asks the page whether
    it may be left (beforeunload), and when the document has come from the server, if both run in one process.
    """
    tab, documents, arrivals = page.tab, page.tab.requests.documents, page.tab.arrivals
    loading.add_done_callback(lambda _: tab.wake_waiters())
    attempts = 0

    def has_left() -> bool:
        return loading.done() or tab.arrivals != arrivals or tab.open_dialog is not None

    while not await tab.wait_until(has_left, HANGS_SECONDS):
        if tab.requests.awaits_server or (
            tab.requests.documents == documents and await tab.world.answers_ping(HANGS_SECONDS)
        ):
            continue  # the page answers, or the server has not: no script is to blame
        if await tab.world.wait_until(has_left, HANGS_ANSWERS):
            continue  # the machine was slow; terminate() would now stop a script of the new document
        if attempts == MOST_ATTEMPTS:
            return False
        attempts += 1
        if not await tab.world.terminate() and not await tab.world.restart_busy_gpu_process():
            return False  # its script waits for a synchronous request, or its process was stopped
    return True


async def _explain_missing_page(
    page: PageCommand, url: str, cursor: int, downloads: DownloadsSince
) -> NavigationFailed | None:
    """Return the error for a navigation that led to no page: a download, status 204. None if neither.

    `cursor`: number of logged requests before the navigation.
    """
    documents = [
        entry
        for entry in page.context.logs.network.entries_since(cursor)
        if entry.tab == page.tab.id and entry.kind == "document"
    ]
    if not documents or not documents[-1].status:
        return None
    if documents[-1].status in (204, 205):
        return NavigationFailed(f"{url} has no page to show ({documents[-1].status})", STAYED)
    return await _explain_download(page, url, downloads)


async def _explain_download(page: PageCommand, url: str, since: DownloadsSince) -> NavigationFailed | None:
    """Return the error for a URL that was downloaded instead of shown; None if it was not."""
    download = await since.wait_for_first(DOWNLOAD_SECONDS)
    if not download and await page.tab.wait_load_adjusted(since.has_outcome, 0):
        download = await since.wait_for_first(0)
    if not download:
        refusal = since.take_refused()
        message = f"{url} is a download, not a page, and was refused: {refusal}"
        return NavigationFailed(message, STAYED) if refusal else None
    if not await page.context.downloads.wait_until(lambda: download.state != "running", DOWNLOAD_SECONDS):
        await page.tab.wait_load_adjusted(lambda: download.state != "running", 0)
    download.is_reported = True
    failure = LedToDownload(f"{url} is a download, not a page: {download.describe(page.cwd)}", STAYED_FILE)
    failure.download = download
    return failure


async def stop_loading(tab: Tab) -> None:
    """Stop a running navigation of the tab. Until it ends, Chromium runs none of our scripts in the page."""
    with suppress(ProtocolError):  # the tab was closed
        await tab.world.session.send("Page.stopLoading")


async def _prepare_tab(page: PageCommand) -> bool:
    """Prepare the tab for a navigation: stop a running one, replace a page that crashed or hangs.

    Returns whether the page was replaced.
    """
    tab = page.tab
    if tab.requests.is_navigating:
        await stop_loading(tab)
    if tab.crashed:
        await page.context.tab_factory.replace_page(tab)
        return True
    if is_stuck := tab.is_stuck and not await tab.world.answers_ping(HANGS_SECONDS):
        await _replace_stuck(page)
    tab.is_stuck = False
    return is_stuck


async def _replace_stuck(page: PageCommand) -> None:
    """Give the tab a new page in place of one that hangs, and note in the reply that its history is lost."""
    await page.context.tab_factory.replace_page(page.tab)
    page.notes.append(REPLACED)


MOST_BYTES = 200_000_000


async def _render_pdf_file(page: PageCommand, url: str) -> None:
    """Convert the PDF file of a `file:` URL to HTML, which the next navigation to `url` loads.

    Do nothing for another URL, and for a file that is missing or may not be shown: the navigation reports that. Raises FileFailed
    for one that cannot be read, or is no PDF document, which Chromium would only download.
    """
    path = _path_of(url)
    if not path.lower().endswith(".pdf") or not url.startswith("file:"):
        return
    if page.context.guard.refuses_page(url) or not await asyncio.to_thread(os.path.isfile, path):
        return
    if not await page.context.pdfs.open_file(url, await asyncio.to_thread(os.path.realpath, path)):
        raise FileFailed(
            f"{one_line(url, 300)} is called a PDF, and has no PDF header",
            "It may be broken, or of another kind and only called so",
        )


def _path_of(url: str) -> str:
    """Return the path in a `file:` URL, with percent escapes decoded."""
    return os.fsdecode(unquote_to_bytes(urlsplit(url).path))


def _document_url(url: str, download: Download) -> str:
    """Return the final URL, after redirects, of a downloaded document, with the fragment of `url`.

    `url`: the requested one.
    """
    if not download.url.startswith(("http://", "https://")):
        return url
    _, hash_, place = url.partition("#")
    return download.url if "#" in download.url else f"{download.url}{hash_}{place}"


async def _render_downloaded_pdf(page: PageCommand, url: str, download: Download) -> bool:
    """Make an HTML page from a downloaded PDF file. The next navigation to `url` loads that page.

    Return False if the file is no complete PDF document. Raises FileFailed if it cannot be read.
    """
    if download.state != "done" and not await page.context.downloads.wait_until(
        lambda: download.state != "running", page.remaining()
    ):
        return False
    if download.state != "done" or not download.path:
        return False
    try:
        return await page.context.pdfs.open_file(url, download.path)
    except FileFailed as error:
        error.hint = error.hint or f"The file: {download.describe_file(page.cwd)}"
        raise


async def _render_shown_pdf(page: PageCommand) -> bool:
    """Make an HTML page from the PDF in Chromium's viewer. The next navigation to its URL loads that page.

    Return False if the tab shows no PDF viewer. Raises FileFailed for a document that cannot be read.
    """
    frame, url = page.tab.page.main_frame, page.tab.url
    if frame.media_type != PDF or page.context.pdfs.is_shown(url):
        return False
    try:
        if url.startswith("file:"):
            path = await asyncio.to_thread(os.path.realpath, _path_of(url))
            return await page.context.pdfs.open_file(url, path)
        content = await _fetch_shown_document(page, url)
        if content is not None:
            await page.context.pdfs.open_content(url, content)
        return content is not None
    except FileFailed as error:
        error.hint = error.hint or "The tab shows it in Chromium's viewer: 'screenshot'"
        raise


async def _fetch_shown_document(page: PageCommand, url: str) -> bytes | None:
    """Fetch the document that the tab shows (`url`) with the page's cookies; None if Chromium fails to."""
    session = page.world.session
    options = {"disableCache": False, "includeCredentials": True}
    params = {"frameId": page.tab.page.main_frame.id, "url": url.partition("#")[0], "options": options}
    content = bytearray()
    try:
        answer: dict[str, Any] = (await session.send("Network.loadNetworkResource", params))["resource"]
        if "stream" not in answer:
            return None
        async for piece in read_stream(session, answer["stream"]):
            content += piece
            if len(content) > MOST_BYTES:
                raise FileFailed(f"The PDF is larger than {MOST_BYTES // 1_000_000} MB")
    except ProtocolError:
        return None  # the viewer goes on showing it
    return bytes(content)
