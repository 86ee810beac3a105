"""A running browser: report its death, and close it.

It also has the state of features that Chromium keeps for each browser context: downloads, clipboard, permissions. `launch` makes this
object for a browser that it starts, `connect` for one that others have started. `WindowOptions` say whether it has a window, and where.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.interception import Interception
from gstack_browse.browser.cdp.session import ProtocolError
from gstack_browse.browser.launch.process import adopt_orphans
from gstack_browse.browser.launch.scratch import DOWNLOADS, Scratch
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.remote_files import RemoteFiles
    from gstack_browse.browser.devtools.browser import Browser, BrowserContext
    from gstack_browse.browser.launch.endpoint import Endpoint
    from gstack_browse.browser.launch.outbound.tls_relays import Relays
    from gstack_browse.browser.launch.process import ChromiumProcess
    from gstack_browse.browser.launch.profile import LastingProfile


@dataclass(frozen=True)
class WindowOptions:
    """Options of a browser's window.

    `display`: X display (`:0`) or name of a Wayland socket, for a visible window. `keeps_size`: pages have the size that commands give
    them, not the window's. `context`: options of the browser context, for a browser with extensions, which has a single one.
    """

    visible: bool = False
    display: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    keeps_size: bool = False


HEADLESS = WindowOptions()


def default_window(settings: Settings, context: Mapping[str, Any] | None = None) -> WindowOptions:
    """Return the window options of the settings: headless unless `BROWSE_HEADED`.

    `context`: see `WindowOptions`. Raises SetupFailed if a window is wanted and `default_display` finds no display.
    """
    if not settings.headed:
        return WindowOptions(context=context or {})
    return WindowOptions(visible=True, display=default_display(), context=context or {}, keeps_size=True)


def default_display() -> str:
    """Return the display for windows, such as `:0`: WAYLAND_DISPLAY or else DISPLAY of the daemon.

    If neither is set, raises SetupFailed; on macOS, where windows need no display, returns "".
    """
    display = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or ""
    if not display and sys.platform != "darwin":
        raise SetupFailed(
            "There is no display to show a window on",
            "'watch --control' needs none: it prints an address at which the person sees the page and acts in it\n"
            "On a desktop, name the display: handoff --display :0\n"
            "On a server, run a virtual one that a person can look at, for example:\n"
            "  Xvfb :99 & x11vnc -display :99 -localhost &    (apt-get install xvfb x11vnc)\n"
            "then: handoff --display :99, or for BROWSE_HEADED: gbrowse stop; export DISPLAY=:99",
        )
    return display


def watch_process(pid: int, on_exit: Callable[[], None]) -> Callable[[], None]:
    """Call `on_exit` in the running loop when process `pid` ends. Return a function that stops watching."""
    loop = asyncio.get_running_loop()
    if not hasattr(os, "pidfd_open"):
        return _watch_by_thread(pid, loop, on_exit)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        loop.call_soon(on_exit)
        return lambda: None
    except OSError:  # unknown or forbidden: Linux before 5.3, Docker before 20.10, gVisor
        return _watch_by_thread(pid, loop, on_exit)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            loop.remove_reader(descriptor)
            os.close(descriptor)

    def report_exit() -> None:
        stop()
        on_exit()

    loop.add_reader(descriptor, report_exit)
    return stop


def _watch_by_thread(
    pid: int, loop: asyncio.AbstractEventLoop, on_exit: Callable[[], None]
) -> Callable[[], None]:
    """Call `on_exit` in the event loop once a process has ended. Return a function that stops watching.

    For systems where the process cannot be watched by a file descriptor.
    """
    import psutil

    stopped = threading.Event()

    def wait() -> None:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(pid).wait()
        if not stopped.is_set() and not loop.is_closed():
            loop.call_soon_threadsafe(on_exit)

    threading.Thread(target=wait, name=f"watch-{pid}", daemon=True).start()
    return stopped.set


CHROMIUM = "Chromium"
"""Name of the process in messages."""
CLOSE_SECONDS = 2
TRUNCATE_SECONDS = 60
"""Time between two checks of the size of Chromium's standard error."""
NOT_PRESENTED = "BROWSE_CLIENT_CERT is for a browser of gbrowse's own: this one presents what it has itself"


OnDeath = Callable[[str], None]
"""Called with the browser's name for messages."""


@dataclass(frozen=True)
class LaunchParams:
    """Parameters of a browser's start; also for starting another one like it."""

    settings: Settings
    on_death: OnDeath
    workspace: Path | None = None
    """Directory whose files may be opened in pages; None: no files."""
    endpoint: "Endpoint | None" = None
    """A browser to connect to; None: start one."""


class RunningBrowser:
    """A running Chromium. Calls `params.on_death` if it ends before `close`."""

    browser: "Browser"
    shares_disk = True
    """Whether the browser has the same file system as the daemon."""
    is_shared = False
    """Whether our default context is that of a person's browser: see `connect`."""

    @property
    def replace_hint(self) -> str:
        """Return which command replaces this browser if it does not answer."""
        if self.is_shared:
            return "'disconnect' leaves it for a browser of gbrowse's own"
        return "'restart' starts another one"

    def __init__(
        self,
        connection: Connection,
        scratch: Scratch,
        executable: Path,
        params: LaunchParams,
        window: WindowOptions,
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
        """Browser contexts whose downloads Chromium reports: see `downloads`."""
        self.with_clipboard_write: set[str] = set()
        """Browser contexts whose pages have the permission to write to the clipboard: see `clipboard`."""
        self.granted_permissions: dict[str, frozenset[str]] = {}
        """Browser context → permissions granted to its pages: see `emulation`."""
        self.clipboard_starters: dict[object, Callable[[], None]] = {}
        """Context that has had pages → function that gives it its own clipboard: see `clipboard`."""
        self.has_own_clipboards = False
        """Whether each context has its own clipboard."""
        self.contexts: set[object] = set()
        """Contexts with tabs in the browser, which is closed when the last one leaves."""
        self.start_description = ""
        """How the browser was started, for people."""
        self.profile: LastingProfile | None = None
        """The lasting profile that the browser was started with; None without one."""
        self._is_closed = False
        self.scratch = scratch
        self._own_context: BrowserContext | None = None
        self.relays: Relays | None = None
        """Relays to servers that require a client certificate; None without any."""
        self._remote_files: RemoteFiles | None = None
        self._is_browser_attached = False
        self._stop_watching_process: Callable[[], None] = lambda: None
        self._truncate_timer: asyncio.TimerHandle | None = None
        self._process: ChromiumProcess | None = None

    @property
    def chromium_pid(self) -> int:
        """Return the process id of the browser process; 0 if Chromium was not started by us."""
        return self._process.pid if self._process else 0

    def attach_browser(self, browser: "Browser") -> None:
        """Set the open connection's `Browser`. From now on the connection's end means the browser's death."""
        self.browser = browser
        self._is_browser_attached = True
        if self.profile or self.params.settings.extensions or self.is_shared:
            self._own_context = browser.default_context
        self.connection.on_end = self._report_death

    @property
    def profile_options(self) -> Mapping[str, Any]:
        """Return the emulation options of the default context, which is the profile's."""
        has_window_size = self.window.visible and not self.window.keeps_size
        return {**self.window.context, **({"no_viewport": True} if has_window_size else {})}

    def attach_process(self, process: "ChromiumProcess") -> None:
        """Set the Chromium process, which `close` ends. From now on, its end counts as the browser's death."""
        self._process = process
        self._stop_watching_process = watch_process(process.pid, self._on_process_end)
        self._truncate_stderr()

    def _truncate_stderr(self) -> None:
        """Empty the file of Chromium's standard error if it is large, now and every TRUNCATE_SECONDS."""
        assert self._process
        self._process.truncate_stderr()
        self._truncate_timer = asyncio.get_running_loop().call_later(TRUNCATE_SECONDS, self._truncate_stderr)

    @property
    def may_have_person(self) -> bool:
        """Return whether a person may use the browser: it has a window."""
        return self.window.visible

    @property
    def version(self) -> str:
        """Return Chromium's version; "" before `attach_browser`."""
        return self.browser.version if self._is_browser_attached else ""

    @property
    def has_single_context(self) -> bool:
        """Return whether all contexts share the profile's browser context: extensions run only there."""
        return self._own_context is not None and self.params.settings.extensions is not None

    @property
    def has_profile(self) -> bool:
        """Return whether our default context is the browser's own, not one that was made for it."""
        return self._own_context is not None

    @property
    def has_lasting_profile(self) -> bool:
        """Return whether the default context's cookies and storage stay on disk after the browser's end."""
        return self.profile is not None

    async def new_context(self, options: Mapping[str, Any], *, name: str) -> "BrowserContext":
        """Create a browser context in Chromium, or return the profile's. Raises ProtocolError.

        Args:
            options: see `emulation_commands.make_context_commands`; a visible window determines the size itself
            name: of our context that gets it; "" for the default one
        """
        if self._own_context and (self.has_single_context or not name):
            return self._own_context
        if self.window.visible and not self.window.keeps_size:
            return await self.browser.new_context(**{**options, "no_viewport": True})
        return await self.browser.new_context(**options)

    def relay_failure(self, url: str) -> str:
        """Return why the last connection to a URL's server that needs a client certificate failed, for people.

        "" if it did not fail, or no certificate is set for this server.
        """
        if self.relays:
            return self.relays.last_failure(url)
        is_configured = any(identity.covers(url) for identity in self.params.settings.client_certs)
        return NOT_PRESENTED if is_configured else ""

    @property
    def remote_files(self) -> "RemoteFiles":
        """Return an object that reads and writes files on the browser's machine."""
        if self._remote_files is None:
            from gstack_browse.browser.cdp.remote_files import (
                RemoteFiles,
            )  # here, since only remote browsers need it

            self._remote_files = RemoteFiles(self.connection)
        return self._remote_files

    def forget_context(self, browser_context: str) -> None:
        """Drop what is kept of a closed browser context: its handlers, subscriber and permissions."""
        self.interception.forget(browser_context)
        self.connection.forget(browser_context)
        self.granted_permissions.pop(browser_context, None)
        self.reporting_downloads.discard(browser_context)
        self.with_clipboard_write.discard(browser_context)

    def _on_process_end(self) -> None:
        """Handle the end of the Chromium process: collect its exit status, and report the browser's death."""
        assert self._process
        self._process.wait(0)  # reaps it: it would stay a zombie until `close`
        self._report_death()

    def _report_death(self) -> None:
        """Call `on_death` with the name of the browser."""
        self.on_death(self.browser_name)  # read now, since `handoff` replaces the function

    async def has_lost_zygote(self) -> bool:
        """Return whether Chromium's zygote, which forks its renderers, has ended (Linux).

        Chromium opens no page then, and reports no error.
        """
        return bool(self.chromium_pid) and await asyncio.to_thread(_lacks_zygote, self.chromium_pid)

    def stop_watching(self) -> None:
        """Stop reporting the browser's death. Call this before ending the browser."""
        self._stop_watching_process()
        if self._truncate_timer:
            self._truncate_timer.cancel()
        self.connection.on_end = lambda: None

    async def close(self) -> None:
        """Close Chromium. Kill its processes if they have not ended after CLOSE_SECONDS."""
        self.stop_watching()
        if self._is_closed:
            return
        self._is_closed = True
        give_up = asyncio.get_running_loop().time() + CLOSE_SECONDS
        try:
            if self._process:
                adopt_orphans()
            if self._is_browser_attached:
                async with asyncio.timeout_at(give_up):
                    await self.browser.close()
        except (TimeoutError, ProtocolError):
            pass  # the browser hangs, or is dead already
        finally:
            self.connection.close()
            if self.relays:
                self.relays.close()
            left = max(0.0, give_up - asyncio.get_running_loop().time())
            if killed_by := await asyncio.to_thread(self._end_and_clean_up, left):
                asyncio.get_running_loop().call_exception_handler(
                    {"message": f"Chromium was killed by signal {killed_by}"}
                )

    def _end_and_clean_up(self, seconds: float) -> int:
        """Wait for the process, kill its group, remove its files, release the profile. Blocks.

        Return the number of the signal that others have killed it with; 0 for none.
        `seconds`: time for Chromium to end by itself, until when it may write its profile.
        """
        killed_by = 0
        if self._process:
            if self._process.wait(seconds):
                killed_by = max(0, -self._process.exit_code)
            self._process.kill()
        self.scratch.remove()
        if self.profile:
            self.profile.release()
        return killed_by


def _lacks_zygote(chromium_pid: int) -> bool:
    """Return whether Chromium's zygote, the process that forks renderers, has ended. Blocks.

    That is so if no child is the sandboxed zygote, and one is a zombie: Chromium does not reap its zygotes.
    """
    import psutil

    has_zombie = False
    try:
        for child in psutil.Process(chromium_pid).children():
            try:
                arguments = child.cmdline()
            except psutil.ZombieProcess:
                has_zombie = True
            except psutil.NoSuchProcess:
                continue
            else:
                if "--type=zygote" in arguments and "--no-zygote-sandbox" not in arguments:
                    return False
    except psutil.Error:
        return False
    return has_zombie
