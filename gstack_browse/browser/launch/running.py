"""A running browser with its driver: reports at once when either dies, and closes both.

It also holds the facts that are kept by browser context. `launch` starts one, `connect` and `served` connect to one of others.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.driver_types import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.interception import Interception
from gstack_browse.browser.launch import lifeline
from gstack_browse.browser.launch.scratch import Scratch
from gstack_browse.browser.launch.start_options import DOWNLOADS
from gstack_browse.browser.launch.window import WindowOptions
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    import psutil  # takes 10 ms, which no first command is to wait for: functions that need it import it

    from gstack_browse.browser.cdp.far_files import RemoteFiles
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.browser.launch.profile import LastingProfile
    from gstack_browse.browser.launch.relays import Relays

CHROMIUM, DRIVER = "Chromium", "the Playwright driver"
"""Names of the processes in messages."""
CLOSE_SECONDS = 2
NOT_PRESENTED = "BROWSE_CLIENT_CERT is for a browser of gbrowse's own: this one presents what it has itself"


OnDeath = Callable[[str], None]


@dataclass(frozen=True)
class LaunchParams:
    """Parameters of a browser's start, to start another one like it."""

    settings: Settings
    on_death: OnDeath
    workspace: Path | None = None
    """Pages may be shown its files; None: no files."""
    endpoint: "Endpoint | None" = None
    """A browser to connect to; None: start one."""


class RunningBrowser:
    """A running Chromium; with its driver after `attach_driver`.

    `on_death` is called once if one of them ends by itself.
    """

    playwright: Playwright
    browser: Browser
    shares_disk = True
    """Whether the browser has the same file system as the daemon."""
    is_shared = False
    """Whether the session is in the browser context of a person: see `connect`."""

    def __init__(
        self,
        connection: Connection,
        scratch: Scratch,
        executable: Path,
        params: LaunchParams,
        window: WindowOptions,
        own_context: BrowserContext | None = None,
    ) -> None:
        self.connection = connection
        self.interception = Interception(connection)
        self.executable = executable
        self.params = params
        self.window = window
        self.browser_name = CHROMIUM
        """Name of the browser in messages about the end of the connection."""
        self.on_death = params.on_death
        self.downloads = scratch.path / DOWNLOADS
        """Directory of unfinished downloads, under Chromium's names for them (GUIDs)."""
        self.reporting_downloads: set[str] = set()
        """Browser contexts whose downloads Chromium reports: see `downloader`."""
        self.with_clipboard_write: set[str] = set()
        """Browser contexts whose pages have the permission to write to the clipboard: see `clipboard`."""
        self.granted_permissions: dict[str, frozenset[str]] = {}
        """Browser context → permissions granted to its pages: see `emulation`."""
        self.clipboard_starters: dict[object, Callable[[], None]] = {}
        """Session that has had pages → function that gives it a clipboard of its own: see `clipboard`."""
        self.has_own_clipboards = False
        """Whether each session has a clipboard of its own."""
        self.sessions: set[object] = set()
        """Sessions with tabs in the browser, which is closed when the last one leaves."""
        self.context_lock = asyncio.Lock()
        """Held while a browser context is made: Chromium's id of the new one is found by comparing with those before."""
        self.start_description = "Playwright first"
        """How the browser was started, for people."""
        self.profile: LastingProfile | None = None
        """Its lasting profile; None without one."""
        self._is_closed = False
        self.scratch = scratch
        self._own_context = own_context
        self.relays: Relays | None = None
        """Relays to servers that want a client certificate."""
        self._remote_files: RemoteFiles | None = None
        self._has_driver = self._has_browser = False
        self._stop_watchers: list[Callable[[], None]] = []
        self._processes: "list[psutil.Process]" = []
        self._children: list[int] = []
        self.chromium_pid = 0
        """Process id of the browser process; 0 if Chromium was not started by us."""

    def attach_driver(self, playwright: Playwright) -> None:
        """Set the Playwright that drives the browser; `close` stops it, too."""
        self.playwright = playwright
        self._has_driver = True

    def attach_browser(self, browser: Browser) -> None:
        """Set Playwright's object for the browser."""
        self.browser = browser
        self._has_browser = True

    @property
    def may_have_person(self) -> bool:
        """Return whether a person may use the browser, too."""
        return self.window.visible

    @property
    def version(self) -> str:
        """Chromium's version; "" before `attach_browser`."""
        return self.browser.version if self._has_browser else ""

    def attach_remote_browser(self, playwright: Playwright, browser: Browser, name: str) -> None:
        """Attach driver and browser, where only the driver is a process of ours, and watch it.

        `name`: where the browser is, for people.
        """
        self.browser_name = f"The browser at {name}"
        self.attach_driver(playwright)
        self.attach_browser(browser)
        self.watch_processes(
            {name: process for name, process in processes_of(self.scratch).items() if name == DRIVER}
        )

    @property
    def has_single_context(self) -> bool:
        """Return whether there can be no second context: extensions run in the profile's context only."""
        return self._own_context is not None and self.params.settings.extensions is not None

    @property
    def has_profile(self) -> bool:
        """Return whether the default session is in a profile's context (for extensions, or lasting)."""
        return self._own_context is not None

    @property
    def has_lasting_profile(self) -> bool:
        """Return whether the default session's cookies and storage stay on the disk."""
        return self.profile is not None

    async def new_context(
        self,
        storage: Any,
        options: Mapping[str, Any],
        size: Mapping[str, Any],
        *,
        name: str,
    ) -> BrowserContext:
        """Make a browser context, or return that of the profile.

        Args:
            storage: Playwright's storage state, None for none; a lasting profile keeps its own
            options: options of Playwright's `new_context`
            size: options for the size of pages; a visible window sets the size itself
            name: name of the session, "" for the default one
        """
        if self._own_context and (self.has_single_context or not name):
            if storage and not self.has_lasting_profile:
                await self._own_context.set_storage_state(storage)
            return self._own_context
        if storage and not (storage["cookies"] or storage["origins"]):
            storage = None  # an empty state would cost the driver two round trips
        if self.window.visible and not self.window.keeps_size:
            return await self.browser.new_context(storage_state=storage, no_viewport=True, **options)
        return await self.browser.new_context(storage_state=storage, accept_downloads=True, **options, **size)

    def relay_failure(self, url: str) -> str:
        """Return why the connection to a server with a client certificate failed, for people.

        "" for other servers.
        """
        if self.relays:
            return self.relays.last_failure(url)
        is_named = any(one.covers(url) for one in self.params.settings.client_certs)
        return NOT_PRESENTED if is_named else ""

    @property
    def remote_files(self) -> "RemoteFiles":
        """The files on the browser's machine."""
        if self._remote_files is None:
            from gstack_browse.browser.cdp.far_files import RemoteFiles  # only where the disk is not ours

            self._remote_files = RemoteFiles(self.connection, self.context_lock)
        return self._remote_files

    def forget_context(self, browser_context: str) -> None:
        """Drop everything about a closed browser context."""
        self.interception.forget(browser_context)
        self.connection.forget(browser_context)
        self.granted_permissions.pop(browser_context, None)
        for known in (self.reporting_downloads, self.with_clipboard_write):
            known.discard(browser_context)

    def watch_processes(self, processes: "dict[str, psutil.Process]") -> None:
        """Call `on_death` with CHROMIUM or DRIVER as soon as that process ends, or closes its end of the pipe."""
        self._watch_wire()
        self._processes += processes.values()
        for name, process in processes.items():
            self._note_pid(name, process.pid)
            self._stop_watchers.append(lifeline.watch_process(process.pid, partial(self._report_death, name)))

    def watch_child(self, name: str, number: int) -> None:
        """Watch a child process that is reaped in `close`, so that its pid stays its own until then.

        `name`: CHROMIUM or DRIVER. `number`: its pid.
        """
        self._watch_wire()
        self._children.append(number)
        self._note_pid(name, number)
        self._stop_watchers.append(lifeline.watch_process(number, partial(self._report_death, name)))

    def _note_pid(self, name: str, pid: int) -> None:
        if name == CHROMIUM:
            self.chromium_pid = pid

    def _watch_wire(self) -> None:
        self.connection.on_end = lambda by_browser: self._report_death(
            self.browser_name if by_browser else DRIVER
        )

    def _report_death(self, name: str) -> None:
        self.on_death(name)  # read at this moment, since `handoff` replaces it

    async def has_lost_zygote(self) -> bool:
        """Return whether Chromium's zygote has ended (Linux).

        Without it Chromium opens no page, and gives no error.
        """
        return await asyncio.to_thread(self._has_lost_zygote)

    def _has_lost_zygote(self) -> bool:
        import psutil

        for number in [*(process.pid for process in self._processes), *self._children]:
            with suppress(psutil.Error):
                if "--remote-debugging-pipe" in psutil.Process(number).cmdline():
                    return _lacks_zygote(psutil.Process(number).children())
        return False

    def stop_watching(self) -> None:
        """Stop reporting deaths, since we end the processes ourselves now."""
        for stop in self._stop_watchers:
            stop()
        self.connection.on_end = lambda by_browser: None

    async def close(self) -> None:
        """Close Chromium and the driver. Kill what has not ended after CLOSE_SECONDS."""
        self.stop_watching()
        if self._is_closed:
            return
        self._is_closed = True
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._close_by_driver()
        except (TimeoutError, ProtocolError):
            pass  # the browser hangs, or is dead already
        finally:
            self.connection.close()
            if self.relays:
                self.relays.close()
            await asyncio.to_thread(self._kill_and_clean_up)

    async def _close_by_driver(self) -> None:
        if self._has_browser:
            await self.browser.close()
        if self._has_driver:
            await self.playwright.stop()

    def _kill_and_clean_up(self) -> None:
        """Kill the remaining processes, remove their files, and release the profile. Blocks."""
        import psutil

        processes = list(self._processes)
        for number in self._children:
            with suppress(psutil.NoSuchProcess):
                processes.append(psutil.Process(number))
        for process in processes:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(processes, timeout=1)
        self.scratch.remove()
        if self.profile:
            self.profile.release()


def _lacks_zygote(children: "list[psutil.Process]") -> bool:
    """Return whether the zygote of pages is gone and a child of Chromium's is a zombie.

    Chromium does not wait for its zygotes, so one that was killed stays a zombie.
    """
    import psutil

    has_zombie = False
    for child in children:
        with suppress(psutil.NoSuchProcess):
            try:
                words = child.cmdline()
            except psutil.ZombieProcess:
                has_zombie = True
                continue
            if "--type=zygote" in words and "--no-zygote-sandbox" not in words:
                return False
    return has_zombie


def processes_of(scratch: Scratch) -> "dict[str, psutil.Process]":
    """Find the driver and its Chromium by name (DRIVER, CHROMIUM).

    The driver is the child with this temporary directory.
    """
    import psutil

    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if child.environ().get("TMPDIR") == str(scratch.path):
                return dict(zip([DRIVER, CHROMIUM], [child, *child.children()], strict=False))
    return {}
