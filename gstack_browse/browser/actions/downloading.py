"""Download the file that a URL or an element leads to, and wait for downloads.

Chromium loads the file itself, with the cookies of the session. To have it save a document that it would display, the response gets
the header `Content-Disposition: attachment` (`Fetch` domain).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gstack_browse.browser.actions.locate.find import ask_about
from gstack_browse.browser.actions.navigate import GIVEN_UP
from gstack_browse.browser.actions.pointer import pointer
from gstack_browse.browser.cdp.session import ProtocolError, Session
from gstack_browse.browser.command.page import PageCommand
from gstack_browse.browser.downloads import Download, DownloadsSince
from gstack_browse.browser.engine import failures
from gstack_browse.browser.tab.effects import WantedDownload
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.errors import ActionFailed, TimedOut
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_seconds

WAIT_SECONDS = 30.0
EMPTY = (204, 205)
"""Answers that have no content (RFC 9110, 15.3)."""
BEGIN_SECONDS = 5.0
"""How long a click may take to begin a download."""
STILL_COMING = (
    "Run 'wait --download' to wait on; 'downloads' shows how far it is, and 'downloads --cancel' ends it"
)


class AttachmentRewriter:
    """Turns the document responses of one session's target into attachments.

    `problem`: why the last response was no file.
    """

    def __init__(self, session: Session) -> None:
        self.problem = ""
        self._session = session

    def on_request_paused(self, event: dict[str, Any]) -> None:
        """Handle `Fetch.requestPaused`: make the response an attachment, or abort it if it is no file."""
        self._session.notify(*self._answer_paused_response(event))

    def _answer_paused_response(self, event: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the `Fetch` command that answers a `Fetch.requestPaused` event, and its parameters."""
        number, status = event["requestId"], event.get("responseStatusCode", 0)
        if not status or 300 <= status < 400:  # no response, or a redirect
            return "Fetch.continueRequest", {"requestId": number}
        if not 200 <= status < 300 or status in EMPTY:
            self.problem = f"the server answered {status}"
            return "Fetch.failRequest", {"requestId": number, "errorReason": "Aborted"}
        headers = _add_attachment_header(event.get("responseHeaders", []))
        return "Fetch.continueResponse", {
            "requestId": number,
            "responseCode": status,
            "responseHeaders": headers,
        }


def _add_attachment_header(headers: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the headers with `Content-Disposition: attachment`; a file name in that header stays."""
    given = next((header["value"] for header in headers if header["name"].lower() == "content-disposition"), "")
    _, semicolon, name = given.partition(";")
    others = [header for header in headers if header["name"].lower() != "content-disposition"]
    return [*others, {"name": "Content-Disposition", "value": f"attachment{semicolon}{name}"}]


@asynccontextmanager
async def _saving_documents(session: Session) -> AsyncIterator[AttachmentRewriter]:
    """Have a target download documents instead of displaying them, within this context.

    `session`: the protocol's, with the target.
    """
    rewriter = AttachmentRewriter(session)
    pattern = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
    session.on("Fetch.requestPaused", rewriter.on_request_paused)
    try:
        # No need to wait: Chromium handles a session's requests in order.
        session.notify("Fetch.enable", {"patterns": [pattern]})
        yield rewriter
    finally:
        session.off("Fetch.requestPaused", rewriter.on_request_paused)
        session.notify("Fetch.disable")


async def download_url(page: PageCommand, url: str, path: Path | None) -> Download:
    """Download a URL in a hidden tab to `path` or the download directory. Raises ActionFailed, TimedOut."""
    give_up = page.give_up_time(WAIT_SECONDS)
    async with page.context.tab_factory.in_temporary_tab() as tab:
        since = DownloadsSince(page.context.downloads, tab)
        tab.effects.wanted = WantedDownload(path)
        async with _saving_documents(tab.world.session) as rewriter:
            referrer = page.tab.url if page.tab.url.startswith("http") else ""
            answer = await _navigate(page, tab, {"url": url, "referrer": referrer}, give_up)
            error = answer.get("errorText", "")
            is_over = bool(rewriter.problem or tab.effects.refused or error not in ("", GIVEN_UP))
            seconds = 0 if is_over else min(BEGIN_SECONDS, give_up - page.now())
            found = await since.wait_for_first(seconds)
    if refused := next(iter(tab.effects.take_refused()), None):
        raise refused.failure()
    if found is None:
        _raise_refused(since, url)
        if error not in ("", GIVEN_UP) and not rewriter.problem:
            raise failures.navigation_error(url, ProtocolError(error))
        why = rewriter.problem or "the server sent no file"
        raise ActionFailed(f"{one_line(url, 200)} could not be downloaded: {why}")
    found.tab = page.tab.id
    return await _wait_for_end(page, found, give_up)


async def _navigate(page: PageCommand, tab: Tab, params: dict[str, str], deadline: float) -> dict[str, Any]:
    """Send `Page.navigate` to a tab and return Chromium's answer. Raises TimedOut at the deadline.

    `deadline`: on the clock of `page.now()`, in seconds.
    """
    try:
        async with asyncio.timeout(deadline - page.now()):
            return await tab.world.session.send("Page.navigate", params)
    except TimeoutError:
        raise TimedOut(
            f"The server did not answer within {format_seconds(page.wait_seconds(WAIT_SECONDS))}",
            "Give --timeout",
        ) from None


async def download_target(page: PageCommand, target: str, path: Path | None) -> Download:
    """Download the file that an element shows or links to, or that a click on it begins.

    That is the file of a picture or video, or the page of a link. `path`: where to save it; None for the download directory.
    Raises ActionFailed, TimedOut.
    """
    _, file = await ask_about(page, target, "fileOf")
    if file and file["url"].startswith(("http:", "https:")) and file["isApart"]:
        return await download_url(page, file["url"], path)
    give_up = page.give_up_time(WAIT_SECONDS)
    since = DownloadsSince(page.context.downloads, page.tab)
    page.tab.effects.wanted = WantedDownload(path)
    try:
        async with _saving_documents(page.world.session) as rewriter:
            await pointer.click(page, target)
            found = await since.wait_for_first(min(BEGIN_SECONDS, give_up - page.now()))
    finally:
        page.tab.effects.wanted = None
    if found is None:
        _raise_refused(since, target)
        raise ActionFailed(
            f"{target} began no download" + (f": {rewriter.problem}" if rewriter.problem else ""),
            "Run 'snapshot -i' to see what it did; 'wait --download' waits for one that begins later",
        )
    return await _wait_for_end(page, found, give_up)


def _raise_refused(since: DownloadsSince, source: str) -> None:
    """Raise ActionFailed if a download was refused since then. `source`: URL or target, for the message."""
    if why := since.take_refused():
        raise ActionFailed(
            f"The download of {one_line(source, 200)} was refused: {why}",
            "'downloads --clear' removes what is kept; a path as the last word puts the file elsewhere",
        )


async def _wait_for_end(page: PageCommand, download: Download, give_up: float) -> Download:
    """Wait for a download to end, and return it. Raises ActionFailed if it failed, TimedOut at `give_up`.

    `give_up`: on the clock of `page.now()`, in seconds.
    """
    await page.context.downloads.wait_until(lambda: download.state != "running", max(give_up - page.now(), 0))
    download.is_reported = True
    if download.state == "failed":
        raise ActionFailed(
            f"The download of {download.shown_name} failed: {download.reason}", "Run it again to try again"
        )
    if download.state == "running":
        seconds = format_seconds(page.wait_seconds(WAIT_SECONDS))
        raise TimedOut(
            f"{download.shown_name} is still coming after {seconds} ({download.amount})", STILL_COMING
        )
    return download


async def wait_for_downloads(page: PageCommand) -> list[Download]:
    """Wait for the last action's downloads and all running ones to end; without any, for the next one.

    Raises ActionFailed if one has failed, TimedOut.
    """
    downloads, last = page.context.downloads, page.tab.effects.downloads_before
    give_up = page.give_up_time(WAIT_SECONDS)

    def list_wanted() -> list[Download]:
        return [item for item in downloads if item.state == "running" or item.number > last]

    await downloads.wait_until(list_wanted, give_up - page.now())
    if not (found := list_wanted()):
        raise TimedOut(
            f"No download began within {format_seconds(page.wait_seconds(WAIT_SECONDS))}",
            "Run 'downloads' to see those there were",
        )
    return [await _wait_for_end(page, download, give_up) for download in found]
