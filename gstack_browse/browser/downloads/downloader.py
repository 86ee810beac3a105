"""Follows Chromium's download events: finds the tab, keeps finished files, cancels forbidden ones.

Chromium writes each file into a private directory under a random name. Complete files are moved from there.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.downloads.downloads import Download, Downloads
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.state.background import Background
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import NO_PAGE
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.text.columns import format_bytes, format_progress
from gstack_browse.text.sanitise import one_line
from gstack_browse.workspace.directory import shown
from gstack_browse.workspace.files import keep_open, move_into, open_parent

_THEIRS = "it is on the browser's machine, and stays there"
LEAST_FREE = 50_000_000
"""Bytes of the disk that downloads leave free."""


class Downloader:
    """The downloads of a session.

    `tab_of` returns the tab of a page. `became` is called with the id of a page that was opened for a download and shows nothing.
    """

    def __init__(
        self,
        downloads: Downloads,
        tabs: TabTable,
        background: Background,
        *,
        tab_of: Callable[[str], Tab | None],
        became: Callable[[str, Tab | None], None],
    ) -> None:
        self._downloads = downloads
        self._tabs = tabs
        self._background = background
        self._tab_of = tab_of
        self._became = became
        self.is_with_person = False
        """Whether a person has the browser. Then every download counts as asked for."""

    def follow(self, running: RunningBrowser, heard: Subscriber) -> None:
        """Follow the downloads of a browser context, from now on."""
        heard.on_download_begin = partial(self._on_begin, running)
        heard.on_download_progress = partial(self._on_progress, running)

    def report(self, running: RunningBrowser, browser_context: str) -> None:
        """Have the browser report the downloads of a context."""
        if browser_context not in running.reporting_downloads:
            running.reporting_downloads.add(browser_context)
            running.connection.report_downloads(browser_context, str(running.downloads))

    # events from the browser

    def _on_begin(self, running: RunningBrowser, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadWillBegin`: find the tab, list the download, or cancel one over the limits."""
        page = running.connection.targets.page_with_frame(event["frameId"])
        tab = self._tab_of(page.id) if page else None
        is_window = page is not None and _is_blank(page, tab)
        if page and is_window:
            tab, window = self._opener(page, tab), tab
            self._became(page.id, window)
        tab = tab or self._guess_tab()
        begun = self._downloads.begin(
            event["guid"], event["url"], event["suggestedFilename"], tab, is_unlimited=self.is_with_person
        )
        if isinstance(begun, str):
            self._cancel(running, event["guid"], tab)
        if tab and not is_window:  # a window does not leave a page
            tab.effects.note_download_begun()
        if tab:
            tab.wake_waiters()
        self._downloads.wake_waiters()

    def _opener(self, page: Target, window: Tab | None) -> Tab | None:
        """Return the tab that opened a window which became a download."""
        if page.opener:
            return self._tab_of(page.opener)
        return self._tabs.get(window.opener) if window and window.is_led and window.opener else None

    def _guess_tab(self) -> Tab | None:
        """Guess the tab of a download whose frame is unknown.

        Prefers a tab that expects a window or download, then one with a running command, then the active tab.
        """
        expecting = (tab for tab in self._tabs if tab.effects.opening)
        return (
            next(expecting, None)
            or next((tab for tab in self._tabs if tab.lane.command), None)
            or self._tabs.get()
        )

    def _on_progress(self, running: RunningBrowser, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`: count bytes, cancel at a limit, keep the finished file."""
        download = self._downloads.find(event["guid"])
        if download is None:
            if event["state"] == "completed":
                self._background.start(asyncio.to_thread(_delete_file, _source_path(running, event["guid"])))
            return
        download.progress(int(event["receivedBytes"]), int(event["totalBytes"]))
        tab = self._tabs.get(download.tab)
        if event["state"] == "inProgress":
            if why := self._downloads.explain_excess(download) or _explain_full_disk(running, download):
                self._mark_failed(download, f"cancelled: {why}")
                self._cancel(running, download.guid, tab)
        elif event["state"] == "completed":
            self._background.start(self._keep(running, download, event.get("filePath", "")))
        else:
            self._mark_failed(download, _guess_failure(running, download))

    # handling of a download

    def _cancel(self, running: RunningBrowser, guid: str, tab: Tab | None) -> None:
        """Cancel a download in Chromium. Does not wait."""
        context = tab.page.target.browser_context if tab else ""
        which = {"browserContextId": context} if context else {}
        cancelling = running.connection.ask_browser("Browser.cancelDownload", guid=guid, **which)
        asyncio.ensure_future(cancelling).add_done_callback(consume_exception)

    def _mark_failed(self, download: Download, why: str) -> None:
        """Mark a download as failed and wake the commands that wait for it."""
        download.fail(why)
        self._touch_readers(download)

    def _touch_readers(self, download: Download) -> None:
        """Wake the commands that wait for a download."""
        self._downloads.wake_waiters()
        if tab := self._tabs.get(download.tab):
            tab.wake_waiters()

    async def _keep(self, running: RunningBrowser, download: Download, place: str) -> None:
        """Move a complete file to its destination. `place`: its present path, if the browser has reported it.

        A file of a person's own browser stays where it is; a file on another machine is fetched.
        """
        if running.is_shared:
            download.finish(place, download.received) if place else download.fail(_THEIRS)
            self._touch_readers(download)
            return
        source = _source_path(running, download.guid)
        replaced: list[int] = []
        try:
            if not (running.shares_disk or await asyncio.to_thread(os.path.exists, source)):
                await _copy_remote_file(running, place or source, source, download.size)
            path, length = await asyncio.to_thread(self._move_file, source, download, replaced)
            download.finish(path, length)
            download.name = os.path.basename(path)
        except BrowseError as error:
            download.fail(error.message)
        except OSError as error:
            download.fail(f"{shown(self._downloads.folder.path)} cannot be written: {error.strerror}")
        self._touch_readers(download)
        for descriptor in replaced:
            await asyncio.to_thread(os.close, descriptor)

    def _move_file(self, source: str, download: Download, replaced: list[int]) -> tuple[str, int]:
        """Move a downloaded file to its destination. Return its path and length in bytes.

        Appends to `replaced` a descriptor of the file that it replaces; the caller closes it.
        """
        try:
            length = os.stat(source).st_size
            if length < download.total:
                raise BrowseError(f"the server broke off after {format_progress(length, download.total)}")
            if download.target is None:
                return self._downloads.folder.keep(source, download.name), length
            with open_parent(str(download.target)) as (directory, name):
                if (descriptor := keep_open(directory, name)) is not None:
                    replaced.append(descriptor)
                move_into(source, directory, name)
            return str(download.target), length
        finally:
            _delete_file(source)


def _is_blank(page: Target, tab: Tab | None) -> bool:
    """Return whether a page is a window that was opened only for the download: it has shown nothing yet.

    A window that a script opened to write into counts as having shown something.
    """
    if page.arrivals:
        return False
    return tab is None or (tab.is_led and tab.page.url in NO_PAGE)


def _source_path(running: RunningBrowser, guid: str) -> str:
    """Return the path at which Chromium writes a download."""
    return str(running.downloads / guid)


async def _copy_remote_file(running: RunningBrowser, remote_path: str, local_path: str, max_bytes: int) -> None:
    """Copy a file from the browser's machine to a new file here.

    Raises OSError, and ActionFailed for more than `max_bytes` or a file that the browser does not send.
    Removes the partial file then.
    """
    descriptor = os.open(local_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            async for piece in running.remote_files.read(remote_path):
                await asyncio.to_thread(file.write, piece)
                if file.tell() > max_bytes:
                    raise ActionFailed("it is not what the browser has said that it is")
    except BaseException as error:
        _delete_file(local_path)
        if isinstance(error, ProtocolError | TimeoutError):
            why = error.message if isinstance(error, ProtocolError) else "it says nothing"
            raise ActionFailed(f"it stays on the browser's machine: {one_line(why, 150)}") from None
        raise


def _delete_file(path: str) -> None:
    """Delete a file, if it exists."""
    with suppress(OSError):
        os.unlink(path)


def _free_bytes(path: str) -> int:
    """Return the free bytes of a path's disk."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def _explain_full_disk(running: RunningBrowser, download: Download) -> str:
    """Explain why the disk has no room for the rest of a download; "" if it has."""
    free = _free_bytes(str(running.downloads))
    rest = max(download.total - download.received, 0)
    if free - rest > LEAST_FREE:
        return ""
    return f"{shown(str(running.downloads.parent.parent))} has only {format_bytes(free)} left"


def _guess_failure(running: RunningBrowser, download: Download) -> str:
    """Guess why Chromium gave up on a download, since it does not say."""
    if full := _explain_full_disk(running, download):
        return full
    return (
        f"the server broke off after {download.amount}"
        if download.total
        else f"broken off after {format_bytes(download.received)}"
    )
