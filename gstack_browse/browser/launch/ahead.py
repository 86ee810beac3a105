"""Starts Chromium, and opens the first page in it, before Playwright is imported.

The page is a blank tab in a browser context. It is made as the driver would make it, so that the driver can adopt it later
(`cdp.adoption`). A thread exchanges the messages while the daemon imports its own modules. It uses neither asyncio nor JSON: a daemon
starts this first, so this module imports next to nothing.
"""

import fcntl
import os
from _thread import allocate_lock, start_new_thread

from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD
from gstack_browse.browser.launch.known_start import KnownStart
from gstack_browse.browser.launch.scratch import Scratch, begin_profile, refuse_programs

FIRST_REQUEST_ID = 2_000_000_000
"""Ids of the requests made here. `cdp.pipe` treats ids above 1,000,000,000 as ours, and drops answers to unknown requests."""
PAGE_SECONDS = 10.0
"""Time limit for Chromium to open the page."""
GROUP_SECONDS = 1.0
"""Time limit for the processes of a killed Chromium to end."""
_HIGHEST_STANDARD = 4
_READ_BYTES = 1 << 16
_AUTO_ATTACH = '{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}'
_METRICS = (
    '{"mobile":false,"width":1280,"height":720,"screenWidth":1280,"screenHeight":720,"deviceScaleFactor":1,'
    '"screenOrientation":{"angle":0,"type":"landscapePrimary"}}'
)
_FONTS = (
    '{"fontFamilies":{"standard":"Times New Roman","fixed":"Monospace","serif":"Times New Roman","sansSerif":"Arial",'
    '"cursive":"Comic Sans MS","fantasy":"Impact"}}'
)
_MEDIA = (
    '{"media":"","features":[{"name":"prefers-color-scheme","value":"light"},{"name":"prefers-reduced-motion",'
    '"value":"no-preference"},{"name":"forced-colors","value":"none"},{"name":"prefers-contrast","value":"no-preference"}]}'
)
PAGE_REQUESTS = (
    ("Page.enable", "{}"),
    ("Log.enable", "{}"),
    ("Runtime.enable", "{}"),
    ("Page.addScriptToEvaluateOnNewDocument", f'{{"source":"","worldName":"{OWN_WORLD}"}}'),
    ("Network.enable", "{}"),
    ("Target.setAutoAttach", _AUTO_ATTACH),
    ("Emulation.setFocusEmulationEnabled", '{"enabled":true}'),
    ("Browser.setWindowBounds", '{"windowId":1,"bounds":{"width":1280,"height":720}}'),
    ("Emulation.setDeviceMetricsOverride", _METRICS),
    ("Page.setFontFamilies", _FONTS),
    ("Emulation.setEmulatedMedia", _MEDIA),
    ("Runtime.runIfWaitingForDebugger", "{}"),
)
"""Requests that the driver sends to a new page; a test compares them. The driver asks for frames and lifecycle events itself."""


class ChromiumProcess:
    """A Chromium process, its pipes and its directory, before the first message.

    `checksum`: see `KnownStart`.
    """

    def __init__(
        self, pid: int, to_browser: int, from_browser: int, scratch: Scratch, checksum: int = 0
    ) -> None:
        self.pid = pid
        self.to_browser = to_browser
        self.from_browser = from_browser
        self.scratch = scratch
        self.checksum = checksum

    def discard(self) -> None:
        """Kill Chromium, and remove its files."""
        self.kill()
        self.clean_up()

    def kill(self) -> None:
        """Kill Chromium and the processes of its group, which may still write to the profile.

        Blocks for GROUP_SECONDS at most.
        """
        from signal import SIGKILL
        from time import monotonic, sleep

        os.kill(self.pid, SIGKILL)  # not reaped yet, so the pid cannot be another process's
        _kill_group(self.pid, SIGKILL)
        os.waitpid(self.pid, 0)
        give_up = monotonic() + GROUP_SECONDS
        while _kill_group(self.pid, 0) and monotonic() < give_up:
            sleep(0.002)

    def clean_up(self) -> None:
        """Close our ends of the pipes, and remove Chromium's files."""
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.scratch.remove()


def _kill_group(pid: int, number: int) -> bool:
    """Send a signal to a process group (0: only check). Return whether a process is left in it."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return False
    return True


class EarlyChromium:
    """A Chromium that runs without a driver, and its first page.

    After `wait_for_page` has returned true, `context`, `target` and `session` are the page's ids, and `unread` holds all messages so far.
    """

    def __init__(self, known: KnownStart, process: ChromiumProcess | None = None) -> None:
        """Start Chromium, or use the running `process`. Raises OSError."""
        self.known = known
        self._process = process = process or _start_process(known)
        self.scratch = process.scratch
        self.pid = process.pid
        self.to_browser = process.to_browser
        self.from_browser = process.from_browser
        self.context = self.target = self.session = ""
        self.unread = b""
        self._last_id = FIRST_REQUEST_ID
        self._has_page = False
        self._is_ours = True
        self._ready = allocate_lock()
        self._ready.acquire()
        start_new_thread(self._make_page, ())

    def wait_for_page(self) -> bool:
        """Wait until the page exists. Return whether it does. Blocks for PAGE_SECONDS at most."""
        if not self._ready.acquire(timeout=PAGE_SECONDS):
            return False
        self._ready.release()
        return self._has_page

    def hand_over(self) -> None:
        """Give the pipes and the process to the caller: `discard` does nothing afterwards."""
        self._is_ours = False

    def discard(self) -> None:
        """Kill Chromium and remove its files, unless it was handed over."""
        if not self._is_ours:
            return
        self._is_ours = False
        self._process.kill()
        if self._ready.acquire(timeout=PAGE_SECONDS):  # the thread has seen the end of the pipe
            self._ready.release()
        self._process.clean_up()

    def _make_page(self) -> None:
        try:
            self._send("Target.setAutoAttach", _AUTO_ATTACH)
            self._send("Target.createBrowserContext", '{"disposeOnDetach":true}')
            self.context = self._read_until(b'"result":{"browserContextId":"')
            own = f'"browserContextId":"{self.context}"'
            folder = f'"downloadPath":"{self.scratch.name}/downloads"'
            self._send(
                "Browser.setDownloadBehavior",
                f'{{"behavior":"allowAndName",{own},{folder},"eventsEnabled":true}}',
            )
            self._send("Target.createTarget", f'{{"url":"about:blank",{own}}}')
            self.target = self._read_until(b'"targetInfo":{"targetId":"', own.encode())
            begin = self.unread.rindex(b'"sessionId":"', 0, self.unread.index(self.target.encode()))
            self.session = self.unread[begin + 13 : begin + 45].decode()
            for method, parameters in PAGE_REQUESTS:
                self._send(method, parameters, self.session)
            self._read_until(f'{{"id":{self._last_id},"result":{{'.encode(), length=0)
            self._has_page = True
        except (OSError, ValueError):
            pass  # Chromium has ended, or answers in another form: `wait_for_page` returns false
        finally:
            self._ready.release()

    def _send(self, method: str, parameters: str, session: str = "") -> None:
        self._last_id += 1
        end = f',"sessionId":"{session}"' if session else ""
        os.write(
            self.to_browser,
            f'{{"id":{self._last_id},"method":"{method}","params":{parameters}{end}}}\0'.encode(),
        )

    def _read_until(self, before: bytes, also: bytes = b"", length: int = 32) -> str:
        """Read until a message contains `before` and `also`; return the `length` characters after `before`.

        Raises ValueError if Chromium closes the pipe first.
        """
        while True:
            for message in self.unread.split(b"\0")[:-1]:
                if (at := message.find(before)) >= 0 and also in message:
                    return message[at + len(before) : at + len(before) + length].decode()
            said = os.read(self.from_browser, _READ_BYTES)
            if not said:
                raise ValueError
            self.unread += said


def _start_process(known: KnownStart) -> ChromiumProcess:
    """Start Chromium. Raises OSError."""
    scratch = Scratch()
    try:
        return ChromiumProcess(*_spawn(known, scratch), scratch)
    except OSError:
        scratch.remove()
        raise


def _spawn(known: KnownStart, scratch: Scratch) -> "tuple[int, int, int]":
    """Start Chromium with pipes of ours.

    Return its pid, the descriptor to write to and the one to read from. Raises OSError.
    """
    their_in, to_browser = os.pipe()
    from_browser, their_out = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    # Copies above 4, since dup2 to 0–4 in Chromium must not overwrite one that is still to be copied.
    high_in = fcntl.fcntl(their_in, fcntl.F_DUPFD_CLOEXEC, _HIGHEST_STANDARD + 1)
    high_out = fcntl.fcntl(their_out, fcntl.F_DUPFD_CLOEXEC, _HIGHEST_STANDARD + 1)
    copies = ((null, 0), (null, 1), (null, 2), (high_in, 3), (high_out, 4))
    environment = {**os.environ, "TMPDIR": scratch.name, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    command = known.command(f"{scratch.name}/profile")
    try:
        begin_profile(f"{scratch.name}/profile")
        environment["PATH"] = refuse_programs(scratch.name)
        pid = os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, *copy) for copy in copies],
            setpgroup=0,
        )
    except OSError:
        os.close(to_browser)
        os.close(from_browser)
        raise
    finally:
        for descriptor in (their_in, their_out, null, high_in, high_out):
            os.close(descriptor)
    return pid, to_browser, from_browser
