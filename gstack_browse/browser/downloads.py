"""Follow the downloads of a context: keep their files, list, limit and await them.

Chromium writes each file into a private directory under a random name. Complete files are moved from there.
"""

import asyncio
import os
import re
import stat
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gstack_browse.browser.cdp.session import ProtocolError, consume_exception
from gstack_browse.browser.cdp.targets import Subscriber, Target
from gstack_browse.browser.cdp.tasks import Background
from gstack_browse.browser.launch.running import RunningBrowser
from gstack_browse.browser.tab.effects import WantedDownload
from gstack_browse.browser.tab.tab import Tab
from gstack_browse.browser.tab.table import TabTable
from gstack_browse.browser.tab.urls import NO_PAGE, shown_url
from gstack_browse.errors import ActionFailed, BrowseError
from gstack_browse.settings import DownloadLimits
from gstack_browse.text.filenames import number_names, safe_name
from gstack_browse.text.sanitise import one_line, quote_text, quote_unless_short
from gstack_browse.text.units import format_bytes, format_count, format_progress
from gstack_browse.workspace.directory import STATE_FILE, printable_path
from gstack_browse.workspace.files import keep_open, move_into, open_parent, reserve
from gstack_browse.workspace.state import WritableStateDir

State = Literal["running", "done", "failed"]


@dataclass
class Download:
    """A download. `guid` is Chromium's name for it; `name` is a safe one, made of what the page suggests."""

    number: int
    guid: str
    url: str
    name: str
    tab: int
    document: int = 0
    """Our number of the document that began the download."""
    received: int = 0
    total: int = 0
    """Bytes that the server has announced, or 0."""
    state: State = "running"
    reason: str = ""
    """Why the download failed."""
    path: str = ""
    """The path of the complete file."""
    is_reported: bool = False
    """Whether a reply has reported this state."""
    reported_line: str = ""
    """The last line about the download in a reply."""
    is_wanted: bool = False
    """Whether a command has asked for this file."""
    target: Path | None = None
    """The path that a command gave for the file."""
    suggested: str = ""
    """`name` before the file was kept: beside another one of that name it gets a number."""

    def __post_init__(self) -> None:
        self.suggested = self.suggested or self.name

    @property
    def size(self) -> int:
        """Return the file's size in bytes: as the server announced it, or as received if that is more."""
        return self.received if self.state == "done" else max(self.received, self.total)

    def set_progress(self, received: int, total: int) -> None:
        """Set the received and the total bytes (0: unknown). Never lowers them: a retry starts at 0."""
        self.received = max(self.received, received)
        self.total = max(self.total, total)

    def finish(self, path: str, size: int) -> None:
        """Mark the download as done: the whole file is at `path`. `size`: bytes."""
        self.path, self.received = path, size
        self.state, self.is_reported = "done", False

    def fail(self, reason: str) -> None:
        """Mark the download as failed."""
        self.state, self.reason, self.is_reported = "failed", reason, False

    def describe_file(self, cwd: str) -> str:
        """Describe the finished file, its path relative to `cwd`: `r.csv (12034B): .gstack/downloads/r.csv`.

        Both are in quotes if the name is long: a page may have made it a sentence.
        """
        path = shorten_path(self.path, cwd)
        shown_path = path if self.shown_name == self.name else quote_text(path, 500)
        return f"{self.shown_name} ({self.received}B): {shown_path}"

    @property
    def shown_name(self) -> str:
        """Return the file's name for replies, in quotes unless it is short."""
        return quote_unless_short(self.name)

    @property
    def amount(self) -> str:
        """Return how much has arrived, for people: `3 of 400 MB`."""
        return format_progress(self.received, self.total)

    def describe(self, cwd: str) -> str:
        """Describe the download's state in a line: `downloading r.csv (3 of 400 MB): 'wait --download'`.

        `cwd`: the directory relative to which the path is shown.
        """
        if self.state == "done":
            reads = f"; to read it: goto ./{shorten_path(self.path, cwd)}" if self._is_readable(cwd) else ""
            return f"downloaded {self.describe_file(cwd)}{reads}"
        if self.state == "failed":
            return f"download of {self.shown_name} failed: {self.reason}"
        return f"downloading {self.shown_name} ({self.amount}): 'wait --download'"

    def _is_readable(self, cwd: str) -> bool:
        """Return whether the file is a PDF that `goto` can open, at a path that needs no quoting there."""
        path = shorten_path(self.path, cwd)
        return re.fullmatch(r"(?i)[\w./+-]*\.pdf", path) is not None and not path.startswith(("/", "../"))

    def table_row(self, cwd: str) -> tuple[str, ...]:
        """Return the row of command `downloads`: number, name, amount, state, path or reason, source.

        `cwd`: the directory relative to which the path is shown.
        """
        what = self.reason or shorten_path(self.path, cwd) or "'wait --download'"
        amount = f"{self.received}B" if self.state == "done" else self.amount
        return str(self.number), self.name, amount, self.state, what, f"from {shown_url(self.url)}"


def shorten_path(path: str, cwd: str) -> str:
    """Return a path relative to `cwd`; the full path if the relative one goes up four folders or more."""
    relative = os.path.relpath(path, cwd) if path and cwd else path
    return path if relative.startswith("../../../../") else relative


_NAME = "downloads"


class KeptFile(NamedTuple):
    """A downloaded file, and its size in bytes."""

    name: str
    size: int


class DownloadFolder:
    """The folder of downloads below the state directory.

    Beside a state file called `mine.json` it is `mine-downloads`. `context` names the browser context whose pages download
    the files: `downloads-ann`; "" is the default context.

    Methods raise OSError, and Refused if the folder is not safely owned by the user.
    """

    def __init__(self, state: WritableStateDir, context: str = "") -> None:
        self._state = state
        name = _NAME if state.state_file == STATE_FILE else state.file_name(f"browse-{_NAME}")
        self._name = f"{name}-{context}" if context else name
        self.path = f"{os.path.realpath(os.fsdecode(state.path))}/{self._name}"

    def keep(self, source: str, name: str) -> str:
        """Move the file `source` into the folder, under `name` or a numbered variant of it. Return its path."""
        with self._open_directory() as directory:
            free = reserve(directory, number_names(name))
            try:
                move_into(source, directory, free)
            except BaseException:
                os.unlink(free, dir_fd=directory)
                raise
        return f"{self.path}/{free}"

    def list_files(self) -> list[KeptFile]:
        """Return the files in the folder, sorted by name, links included."""
        with self._open_directory() as directory:
            return _list_files(directory)

    def clear(self) -> list[KeptFile]:
        """Delete the files in the folder, and return them."""
        with self._open_directory() as directory:
            gone = _list_files(directory)
            for file in gone:
                os.unlink(file.name, dir_fd=directory)
            return gone

    @contextmanager
    def _open_directory(self) -> Iterator[int]:
        """Open the folder within this context. Yield its descriptor."""
        directory = self._state.open_directory(self._name)
        try:
            yield directory
        finally:
            os.close(directory)


def _list_files(directory: int) -> list[KeptFile]:
    """Return the files of an open directory, by name. `directory`: its descriptor."""
    with os.scandir(directory) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    return sorted(KeptFile(name, status.st_size) for name, status in found if not stat.S_ISDIR(status.st_mode))


MOST_LISTED = 1_000
MOST_LINES = 3
"""Limit for lines about downloads in one reply."""
MORE_ROOM = "'downloads --clear' makes room"
ONE_FOR_EACH_ACTION = "a page gets one file for each action; more with --any-download before the command"


class Downloads:
    """The downloads of a daemon, whatever browsers it has had. What is refused is counted, not listed."""

    def __init__(self, folder: DownloadFolder, limits: DownloadLimits) -> None:
        self.folder = folder
        self.limits = limits
        self.total = 0
        """Number of downloads so far, which is the number of the last one."""
        self.refused: Counter[str] = Counter()
        """Number of refused downloads by reason."""
        self._listed: deque[Download] = deque(maxlen=MOST_LISTED)
        self._cancels: dict[int, Callable[[], None]] = {}
        """Number of a running download → how to cancel it."""
        self.allows_any = False
        """Whether the last command was given `--any-download`."""
        self._changed = asyncio.Event()

    def __iter__(self) -> Iterator[Download]:
        return iter(list(self._listed))

    def add(
        self, guid: str, url: str, suggested: str, tab: Tab | None, *, is_unlimited: bool
    ) -> Download | str:
        """List a download that has begun, and return its entry; or return why it is to be refused.

        `guid`: Chromium's id. `suggested`: the file name that the page suggests. `is_unlimited`: the page may begin any number,
        as with a person at the window.
        """
        wanted = tab.effects.wanted if tab else None
        is_unlimited |= self.allows_any or wanted is not None
        is_allowed = tab is None or tab.effects.use_download_permit()
        if not (is_unlimited or is_allowed):
            problem = ONE_FOR_EACH_ACTION
        else:
            problem = self._explain_full_folder(wanted) or ("" if wanted else self._explain_page_limit(tab))
        if problem:
            self.refused[problem] += 1
            if tab:
                tab.effects.refused_downloads[problem] += 1
            return problem
        self.total += 1
        document = tab.document if tab else 0
        download = Download(self.total, guid, url[:2000], safe_name(suggested), tab.id if tab else 0, document)
        if tab and wanted:
            download.is_wanted, download.target = True, wanted.path
            tab.effects.wanted = None
        self._listed.append(download)
        return download

    def _explain_page_limit(self, tab: Tab | None) -> str:
        """Return why a tab's page may begin no further download; "" if it may."""
        limits = self.limits
        if tab and sum(other.document == tab.document for other in self._listed) >= limits.page_number:
            return f"a page gets {format_count(limits.page_number, 'file')} (BROWSE_PAGE_DOWNLOADS)"
        return ""

    def _explain_full_folder(self, wanted: WantedDownload | None) -> str:
        """Return why the folder takes no further file; "" if it does, or `wanted` names another path."""
        most = self.limits.number
        if (wanted and wanted.path) or self._measure_folder()[0] < most:
            return ""
        return (
            f"{format_count(most, 'file')} {'is' if most == 1 else 'are'} kept (BROWSE_DOWNLOADS); {MORE_ROOM}"
        )

    def explain_excess(self, download: Download) -> str:
        """Return which size limit a running download exceeds; "" for none."""
        limits = self.limits
        page = sum(other.size for other in self._listed if other.document == download.document)
        if page > limits.page_size and not download.is_wanted:
            return f"a page gets {format_bytes(limits.page_size)} (BROWSE_PAGE_DOWNLOADS_MB)"
        if self._measure_folder()[1] > limits.size and not download.target:
            return f"{format_bytes(limits.size)} are kept at most (BROWSE_DOWNLOADS_MB); {MORE_ROOM}"
        return ""

    def _measure_folder(self) -> tuple[int, int]:
        """Return (number, total bytes) of the files in the folder, with those that are still arriving."""
        try:
            kept = self.folder.list_files()
        except (OSError, BrowseError):  # keeping the next file raises it again
            kept = []
        coming = [download for download in self.list_running() if not download.target]
        return len(kept) + len(coming), sum(file.size for file in kept) + sum(item.size for item in coming)

    def set_cancel(self, download: Download, cancel: Callable[[], None]) -> None:
        """Set how to cancel a download that has begun. Forgets those that have ended."""
        running = {other.number for other in self.list_running()}
        self._cancels = {number: how for number, how in self._cancels.items() if number in running}
        self._cancels[download.number] = cancel

    def cancel(self, number: int) -> Download:
        """Cancel and return the running download `number`. Raises ActionFailed if there is none."""
        running = next((download for download in self.list_running() if download.number == number), None)
        if running is None:
            raise ActionFailed(f"No download {number} is running", "See 'downloads'")
        self._cancels[number]()
        return running

    def find(self, guid: str) -> Download | None:
        """Return the running download that Chromium calls `guid`, or None."""
        return next((download for download in self.list_running() if download.guid == guid), None)

    def list_running(self) -> list[Download]:
        """Return the downloads under way."""
        return [download for download in self._listed if download.state == "running"]

    def list_since(self, number: int, tab: int) -> list[Download]:
        """Return the downloads of the tab with number `tab` that began after download `number`."""
        return [download for download in self._listed if download.number > number and download.tab == tab]

    def fail_running(self, why: str) -> None:
        """Mark all running downloads as failed, since their browser has ended. `why`: the reason to report."""
        for download in self.list_running():
            download.fail(why)
        self.wake_waiters()

    def clear(self) -> str:
        """Delete the kept files, and forget finished downloads. Return what was deleted: `3 files (12 MB)`."""
        gone = self.folder.clear()
        self._listed = deque(self.list_running(), maxlen=MOST_LISTED)
        self.refused.clear()
        return f"{format_count(len(gone), 'file')} ({format_bytes(sum(file.size for file in gone))})"

    # waiting

    def wake_waiters(self) -> None:
        """Make all callers of `wait_until` check their condition again."""
        self._changed.set()

    async def wait_until(self, condition: Callable[[], object], seconds: float) -> bool:
        """Wait for `condition`, checked whenever a download changes. Return False after `seconds`."""
        give_up = time.monotonic() + seconds
        while not condition():
            self._changed.clear()
            try:
                async with asyncio.timeout(give_up - time.monotonic()):
                    await self._changed.wait()
            except TimeoutError:
                return bool(condition())
        return True

    # from one daemon to the next

    def to_records(self) -> list[dict[str, Any]]:
        """Return all downloads as dicts for the next daemon, running ones included."""
        return [asdict(download) | {"target": None} for download in self._listed]

    def restore(self, records: list[dict[str, Any]]) -> None:
        """Restore downloads from `to_records` of an earlier daemon. Mark those that ran then as failed."""
        names = {field.name for field in fields(Download)}
        for item in records:
            download = Download(**{name: value for name, value in item.items() if name in names})
            if download.state == "running":
                download.fail(f"the browser was ended, with {download.amount} of it there")
            self._listed.append(download)
            self.total = max(self.total, download.number)


class DownloadsSince:
    """The downloads that a tab has begun, or was refused, since this object was made."""

    def __init__(self, downloads: Downloads, tab: Tab) -> None:
        self._downloads = downloads
        self._tab = tab
        self._total = downloads.total
        self._refused = tab.effects.refused_downloads.copy()

    async def wait_for_first(self, seconds: float) -> Download | None:
        """Return the first download since `__init__`; None if it is refused, or none begins in `seconds`."""
        await self._downloads.wait_until(self.has_outcome, seconds)
        return next(iter(self._list_begun()), None)

    def has_outcome(self) -> bool:
        """Return whether the tab has begun a download, or was refused one, since this object was made."""
        return bool(self._list_begun() or self._refusal_reasons())

    def take_refused(self) -> str:
        """Return why downloads were refused since, and mark that as reported; "" if none was."""
        why = self._refusal_reasons()
        self._tab.effects.refused_downloads = self._refused
        return why

    def _list_begun(self) -> list[Download]:
        """Return the tab's downloads that began since this object was made."""
        return self._downloads.list_since(self._total, self._tab.id)

    def _refusal_reasons(self) -> str:
        """Return why downloads of the tab were refused since, each reason once; "" if none was."""
        return "; ".join(self._tab.effects.refused_downloads - self._refused)


class DownloadNews:
    """A reply's lines about downloads of a tab: those that the action began, and unreported earlier ones."""

    def __init__(self, downloads: Downloads, tab: Tab, cwd: str, *, before: int | None = None) -> None:
        """Take `before`, the number of downloads when the action began; by default those of now."""
        self._downloads = downloads
        self._tab = tab
        self._cwd = cwd
        self._begun = downloads.total if before is None else before

    def has_begun(self) -> bool:
        """Return whether the action began a download."""
        return bool(self._new_downloads())

    def has_running(self) -> bool:
        """Return whether a download that the action began is still under way."""
        return any(download.state == "running" for download in self._new_downloads())

    def _new_downloads(self) -> list[Download]:
        """Return the tab's downloads that began since the action did."""
        if self._downloads.total == self._begun:
            return []
        return self._downloads.list_since(self._begun, self._tab.id)

    def outdated_lines(self) -> set[str]:
        """Return the lines of earlier replies about downloads of the tab whose state has changed since."""
        return {one.reported_line for one in self._downloads if one.tab == self._tab.id and not one.is_reported}

    def lines(self) -> list[str]:
        """Return reply lines about the tab's unreported downloads, and mark these as reported.

        A download from before the action is marked "earlier".
        """
        if not (self._downloads.total or self._tab.effects.refused_downloads):
            return []
        news = [
            download
            for download in self._downloads
            if download.tab == self._tab.id and not download.is_reported
        ]
        for download in news:
            is_earlier = download.number <= self._begun and not download.reported_line
            line = download.describe(self._cwd)
            download.is_reported, download.reported_line = (
                True,
                f"→ earlier: {line}" if is_earlier else f"→ {line}",
            )
        lines = [download.reported_line for download in news[:MOST_LINES]]
        if len(news) > MOST_LINES:
            lines.append(f"→ and {format_count(len(news) - MOST_LINES, 'more download')}: see 'downloads'")
        refused, self._tab.effects.refused_downloads = self._tab.effects.refused_downloads, Counter()
        return lines + [f"→ refused {format_count(count, 'download')}: {why}" for why, count in refused.items()]


_THEIRS = "it is on the browser's machine, and stays there"
LEAST_FREE = 50_000_000
"""Bytes of the disk that downloads leave free."""


class Downloader:
    """Handles the download events of a context: lists, limits and moves the files.

    `tab_of` returns the tab of a page by its target id. `close_window` is called with the id of a page that was opened only for a
    download, and its tab. `is_program_attached`: whether clicks may be a program's, which begin no action of ours.
    """

    def __init__(
        self,
        downloads: Downloads,
        tabs: TabTable,
        background: Background,
        *,
        tab_of: Callable[[str], Tab | None],
        close_window: Callable[[str, Tab | None], None],
        is_program_attached: Callable[[], bool],
    ) -> None:
        self._downloads = downloads
        self._tabs = tabs
        self._background = background
        self._tab_of = tab_of
        self._close_window = close_window
        self._is_program_attached = is_program_attached
        self.is_with_person = False
        """Whether a person has the browser. Then every download counts as asked for."""

    def follow(self, running: RunningBrowser, subscriber: Subscriber) -> None:
        """Handle the download events of the browser context that `subscriber` is for, from now on."""
        subscriber.on_download_begin = partial(self._on_begin, running)
        subscriber.on_download_progress = partial(self._on_progress, running)

    def enable(self, running: RunningBrowser, browser_context: str) -> None:
        """Have the browser save the downloads of a context and report them, unless it does already."""
        if browser_context not in running.reporting_downloads:
            running.reporting_downloads.add(browser_context)
            running.connection.set_download_folder(browser_context, str(running.downloads))

    # events from the browser

    def _on_begin(self, running: RunningBrowser, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadWillBegin`: find the tab, list the download, or cancel it if it is refused."""
        page = running.connection.targets.page_with_frame(event["frameId"])
        tab = self._tab_of(page.id) if page else None
        is_window = page is not None and _has_shown_nothing(page, tab)
        if page and is_window:
            tab, window = self._find_opener(page, tab), tab
            self._close_window(page.id, window)
        tab = tab or self._guess_tab()
        is_unlimited = self.is_with_person or self._is_program_attached()
        begun = self._downloads.add(
            event["guid"], event["url"], event["suggestedFilename"], tab, is_unlimited=is_unlimited
        )
        if isinstance(begun, str):
            self._cancel(running, event["guid"], tab)
        else:
            why = "cancelled by 'downloads --cancel'"
            self._downloads.set_cancel(begun, partial(self._cancel_listed, running, begun, tab, why))
        if tab and not is_window:  # a window does not leave a page
            tab.effects.note_download_begun()
        if tab:
            tab.wake_waiters()
        self._downloads.wake_waiters()

    def _find_opener(self, page: Target, window: Tab | None) -> Tab | None:
        """Return the tab that opened a window only for a download. `window`: the tab of that window, if any."""
        if page.opener:
            return self._tab_of(page.opener)
        return self._tabs.get(window.opener) if window and window.has_address and window.opener else None

    def _guess_tab(self) -> Tab | None:
        """Return the tab that has probably begun a download whose frame is unknown.

        Prefers a tab that expects a window or download, then one with a running command, then the active tab.
        """
        expecting = (tab for tab in self._tabs if tab.effects.opening)
        return (
            next(expecting, None)
            or next((tab for tab in self._tabs if tab.lock.command), None)
            or self._tabs.get()
        )

    def _on_progress(self, running: RunningBrowser, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`: count bytes, cancel at a limit, keep the file or note a failure."""
        download = self._downloads.find(event["guid"])
        if download is None:
            if event["state"] == "completed":
                self._background.start(asyncio.to_thread(_delete_file, _source_path(running, event["guid"])))
            return
        download.set_progress(int(event["receivedBytes"]), int(event["totalBytes"]))
        tab = self._tabs.get(download.tab)
        if event["state"] == "inProgress":
            if why := self._downloads.explain_excess(download) or _explain_full_disk(running, download):
                self._cancel_listed(running, download, tab, f"cancelled: {why}")
        elif event["state"] == "completed":
            self._background.start(self._finish(running, download, event.get("filePath", "")))
        else:
            self._mark_failed(download, _guess_failure(running, download))

    # handling of a download

    def _cancel(self, running: RunningBrowser, guid: str, tab: Tab | None) -> None:
        """Cancel a download in Chromium. Does not wait."""
        context = tab.page.target.browser_context if tab else ""
        which = {"browserContextId": context} if context else {}
        cancelling = running.connection.ask_browser("Browser.cancelDownload", guid=guid, **which)
        asyncio.ensure_future(cancelling).add_done_callback(consume_exception)

    def _cancel_listed(self, running: RunningBrowser, download: Download, tab: Tab | None, why: str) -> None:
        """Cancel a running download that is listed. `why`: the reason to report."""
        self._mark_failed(download, why)
        self._cancel(running, download.guid, tab)

    def _mark_failed(self, download: Download, why: str) -> None:
        """Mark a download as failed, and wake the commands that wait for it. `why`: the reason to report."""
        download.fail(why)
        self._wake_waiters(download)

    def _wake_waiters(self, download: Download) -> None:
        """Wake the commands that wait for a download."""
        self._downloads.wake_waiters()
        if tab := self._tabs.get(download.tab):
            tab.wake_waiters()

    async def _finish(self, running: RunningBrowser, download: Download, place: str) -> None:
        """Move a complete file to its destination, and mark the download as done.

        `place`: the file's present path, if the browser has reported it. A file of a person's own browser stays where it is; a
        file on another machine is fetched.
        """
        if running.is_shared:
            download.finish(place, download.received) if place else download.fail(_THEIRS)
            self._wake_waiters(download)
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
            download.fail(f"{printable_path(self._downloads.folder.path)} cannot be written: {error.strerror}")
        self._wake_waiters(download)
        for descriptor in replaced:
            await asyncio.to_thread(os.close, descriptor)

    def _move_file(self, source: str, download: Download, replaced: list[int]) -> tuple[str, int]:
        """Move a downloaded file from `source` to its destination. Return its path and length in bytes.

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


def _has_shown_nothing(page: Target, tab: Tab | None) -> bool:
    """Return whether a page was opened only for a download, and so has shown nothing.

    A window that a script opened to write into counts as having shown something.
    """
    if page.arrivals:
        return False
    return tab is None or (tab.has_address and tab.page.url in NO_PAGE)


def _source_path(running: RunningBrowser, guid: str) -> str:
    """Return the path at which Chromium writes a download. `guid`: Chromium's id of it."""
    return str(running.downloads / guid)


async def _copy_remote_file(running: RunningBrowser, remote_path: str, local_path: str, max_bytes: int) -> None:
    """Copy a file from the browser's machine to a new file on this one.

    Raises OSError, and ActionFailed for more than `max_bytes` or a file that the browser does not send. Removes the partial file
    then.
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


def _explain_full_disk(running: RunningBrowser, download: Download) -> str:
    """Return why the disk has no room for the rest of a download; "" if it has."""
    disk = os.statvfs(running.downloads)
    free, rest = disk.f_bavail * disk.f_frsize, max(download.total - download.received, 0)
    if free - rest > LEAST_FREE:
        return ""
    return f"{printable_path(str(running.downloads.parent.parent))} has only {format_bytes(free)} left"


def _guess_failure(running: RunningBrowser, download: Download) -> str:
    """Return why a download probably failed, since Chromium does not report it."""
    if full := _explain_full_disk(running, download):
        return full
    if not download.received and download.url.startswith(("http:", "https:")):
        return "the server answered with an error, or with nothing: 'download <url>' says which"
    return (
        f"the server broke off after {download.amount}"
        if download.total
        else f"broken off after {format_bytes(download.received)}"
    )
