"""A browser that runs, with its driver: says at once when either dies, and closes both.

What is kept by browser context while the browser runs is here, too. Starting one is in `launch`, going to one that others have
started in `connect` and `served`.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.interception import Interception
from gstack_browse.browser.cdp.playwright_names import Browser, BrowserContext, Playwright
from gstack_browse.browser.cdp.playwright_names import Error as PlaywrightError
from gstack_browse.browser.launch import lifeline
from gstack_browse.browser.launch.scratch import Scratch
from gstack_browse.browser.launch.start_options import DOWNLOADS
from gstack_browse.browser.launch.window import Look
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    import psutil  # takes 10 ms, which no first command is to wait for: functions that need it import it

    from gstack_browse.browser.cdp.far_files import FarFiles
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.browser.launch.profile import LastingProfile
    from gstack_browse.browser.launch.relays import Relays

CHROMIUM, DRIVER = "Chromium", "the Playwright driver"
"""What may die, as messages call it."""
CLOSE_SECONDS = 2
NOT_PRESENTED = "BROWSE_CLIENT_CERT is for a browser of gbrowse's own: this one presents what it has itself"


Died = Callable[[str], None]


@dataclass(frozen=True)
class LaunchParams:
    """What a browser was started from, to start another one like it."""

    settings: Settings
    died: Died
    workspace: Path | None = None
    """Whose files pages may be shown; None: no files."""
    endpoint: "Endpoint | None" = None
    """Where a browser runs that is to be used; None: one of our own is started."""


class Running:
    """A Chromium that runs, with its driver as soon as that was given. `died` is called once if one of them ends by itself."""

    playwright: Playwright
    browser: Browser
    shares_disk = True
    """Whether the browser reads and writes the files that we do."""
    is_shared = False
    """Whether the session is in a browser context that is somebody else's: see `connect`."""

    def __init__(
        self,
        connection: Connection,
        scratch: Scratch,
        executable: Path,
        params: LaunchParams,
        look: Look,
        only: BrowserContext | None = None,
    ) -> None:
        self.connection = connection
        self.interception = Interception(connection)
        self.executable = executable
        self.params = params
        self.look = look
        self.far_name = CHROMIUM
        """What ends when the other end of the wire does, as messages call it."""
        self.died = params.died
        self.downloads = scratch.path / DOWNLOADS
        """Where Chromium puts what pages download, under names that mean nothing, until it is whole."""
        self.reporting: set[str] = set()
        """Browser contexts of whose downloads we hear: see `downloader`."""
        self.copying: set[str] = set()
        """Browser contexts whose pages may write to the clipboard: see `clipboard`."""
        self.granted: dict[str, frozenset[str]] = {}
        """What the pages of browser contexts may do unasked: see `emulation`."""
        self.clipboards: dict[object, Callable[[], None]] = {}
        """Those of `sessions` that have had pages → what has a session keep a clipboard of its own: see `clipboard`."""
        self.has_own_clipboards = False
        """Whether they do."""
        self.sessions: set[object] = set()
        """Whose tabs are in it; the browser is closed when the last one has left it."""
        self.making = asyncio.Lock()
        """Held while a browser context is made: what Chromium calls the new one is told from those that there were."""
        self.way = "Playwright first"
        """How it was started, for people."""
        self.profile: LastingProfile | None = None
        """The lasting profile that it has."""
        self._is_closed = False
        self.scratch = scratch
        self._only = only
        self.relays: Relays | None = None
        """For servers that want a client certificate."""
        self._far_files: FarFiles | None = None
        self._has_driver = self._has_browser = False
        self._stops: list[Callable[[], None]] = []
        self._processes: "list[psutil.Process]" = []
        self._children: list[int] = []
        self.chromium_pid = 0
        """Process id of the browser process; 0 if Chromium was not started by us."""

    def give_driver(self, playwright: Playwright) -> None:
        """There is a Playwright for it, which ends with it."""
        self.playwright = playwright
        self._has_driver = True

    def give_browser(self, browser: Browser) -> None:
        """Playwright has it now."""
        self.browser = browser
        self._has_browser = True

    @property
    def may_have_person(self) -> bool:
        """Whether a person may use the browser, too."""
        return self.look.visible

    @property
    def version(self) -> str:
        """Chromium's; "" until Playwright is there to say it."""
        return self.browser.version if self._has_browser else ""

    def give_far_browser(self, playwright: Playwright, browser: Browser, name: str) -> None:
        """Playwright has a browser that is no process of ours: only its driver is, and is watched. `name`: where that browser is, for people."""
        self.far_name = f"The browser at {name}"
        self.give_driver(playwright)
        self.give_browser(browser)
        self.watch({name: process for name, process in processes_of(self.scratch).items() if name == DRIVER})

    @property
    def is_single(self) -> bool:
        """Whether there can be no second context: extensions live in the first one only."""
        return self._only is not None and self.params.settings.extensions is not None

    @property
    def has_profile(self) -> bool:
        """Whether the default session is in the browser's own context, which has a profile: one for extensions, or a lasting one."""
        return self._only is not None

    @property
    def is_lasting(self) -> bool:
        """Whether what the default session holds stays on the disk."""
        return self.profile is not None

    async def new_context(
        self,
        storage: Any,
        options: Mapping[str, Any],
        size: Mapping[str, Any],
        *,
        name: str,
    ) -> BrowserContext:
        """A browser context with these options that holds `storage` (Playwright's storage state). In a window the window has the size.

        A lasting profile holds its own. `name`: of the session, "" for the default one.
        """
        if self._only and (self.is_single or not name):
            if storage and not self.is_lasting:
                await self._only.set_storage_state(storage)
            return self._only
        if storage and not (storage["cookies"] or storage["origins"]):
            storage = None  # the driver would take two trips over it
        if self.look.visible and not self.look.keeps_size:
            return await self.browser.new_context(storage_state=storage, no_viewport=True, **options)
        return await self.browser.new_context(storage_state=storage, accept_downloads=True, **options, **size)

    def relay_trouble(self, url: str) -> str:
        """Why the way to the server of a URL failed, where it wants a client certificate; "" elsewhere."""
        if self.relays:
            return self.relays.trouble(url)
        is_named = any(one.covers(url) for one in self.params.settings.client_certs)
        return NOT_PRESENTED if is_named else ""

    @property
    def far_files(self) -> "FarFiles":
        """The files on the browser's own machine."""
        if self._far_files is None:
            from gstack_browse.browser.cdp.far_files import FarFiles  # only where the disk is not ours

            self._far_files = FarFiles(self.connection, self.making)
        return self._far_files

    def forget(self, browser_context: str) -> None:
        """A browser context is closed: keep nothing about it."""
        self.interception.forget(browser_context)
        self.connection.forget(browser_context)
        self.granted.pop(browser_context, None)
        for known in (self.reporting, self.copying):
            known.discard(browser_context)

    def watch(self, processes: "dict[str, psutil.Process]") -> None:
        """Call `died` with CHROMIUM or DRIVER as soon as that process ends, or its end of the pipe."""
        self._watch_wire()
        self._processes += processes.values()
        for name, process in processes.items():
            self._note_pid(name, process.pid)
            self._stops.append(lifeline.watch(process.pid, partial(self._ended, name)))

    def watch_child(self, name: str, number: int) -> None:
        """The same for a child of ours whose end nobody waits for before `close`: until then its number is its own."""
        self._watch_wire()
        self._children.append(number)
        self._note_pid(name, number)
        self._stops.append(lifeline.watch(number, partial(self._ended, name)))

    def _note_pid(self, name: str, pid: int) -> None:
        if name == CHROMIUM:
            self.chromium_pid = pid

    def _watch_wire(self) -> None:
        self.connection.ended = lambda by_browser: self._ended(self.far_name if by_browser else DRIVER)

    def _ended(self, name: str) -> None:
        self.died(name)  # looked up now: whoever the browser is handed to listens in its own way

    async def has_lost_zygote(self) -> bool:
        """Return whether Chromium's zygote has ended (Linux). Without it Chromium opens no page, and gives no error."""
        return await asyncio.to_thread(self._has_lost_zygote)

    def _has_lost_zygote(self) -> bool:
        import psutil

        for number in [*(process.pid for process in self._processes), *self._children]:
            with suppress(psutil.Error):
                if "--remote-debugging-pipe" in psutil.Process(number).cmdline():
                    return _lacks_zygote(psutil.Process(number).children())
        return False

    def expect_end(self) -> None:
        """What ends from here on was ended by us: nobody is told."""
        for stop in self._stops:
            stop()
        self.connection.ended = lambda by_browser: None

    async def close(self) -> None:
        """Stop Chromium and the driver: asked to, and killed when they do not within two seconds."""
        self.expect_end()
        if self._is_closed:
            return
        self._is_closed = True
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._close_by_driver()
        except (TimeoutError, PlaywrightError):
            pass  # it hangs, or is dead already
        finally:
            self.connection.close()
            if self.relays:
                self.relays.close()
            await asyncio.to_thread(self._clear_away)

    async def _close_by_driver(self) -> None:
        if self._has_browser:
            await self.browser.close()
        if self._has_driver:
            await self.playwright.stop()

    def _clear_away(self) -> None:
        """Kill what is left, then remove what it kept on disk."""
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
    """The driver, told from other children of ours by its temporary directory, and its Chromium."""
    import psutil

    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if child.environ().get("TMPDIR") == str(scratch.path):
                return dict(zip([DRIVER, CHROMIUM], [child, *child.children()], strict=False))
    return {}
