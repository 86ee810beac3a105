"""Starts Chromium before Playwright, or most of ours, is imported, and makes the first page in it: a browser context with a blank tab.

The page is made just as the driver would make it, which then adopts it (`cdp.adoption`). The few messages for that are exchanged in a
thread, beside the imports, with neither asyncio nor JSON: a daemon's first act is to start this, so next to nothing is imported here.
"""

import fcntl
import os
from _thread import allocate_lock, start_new_thread

from gstack_browse.browser.cdp.playwright_internals import OWN_WORLD
from gstack_browse.browser.launch.known_start import KnownStart
from gstack_browse.browser.launch.scratch import Scratch, begin_profile, refuse_programs

FIRST_ID = 2_000_000_000
"""Ids of the requests made here: `cdp.pipe` takes what is above 1,000,000,000 for ours, and drops answers that nobody waits for."""
SECONDS = 10.0
"""How long Chromium may take until it has a page, before it is given up."""
GROUP_SECONDS = 1.0
"""How long the processes of a Chromium that was killed may take to end."""
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
PAGE = (
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
"""What the driver tells a new page; a test compares. It asks for the frames, too, and for the events of their lives, when it comes."""


class ChromiumProcess:
    """A Chromium with its pipes and its directory, with which nobody has spoken yet. `checksum`: see `KnownStart`."""

    def __init__(
        self, pid: int, to_browser: int, from_browser: int, scratch: Scratch, checksum: int = 0
    ) -> None:
        self.pid = pid
        self.to_browser = to_browser
        self.from_browser = from_browser
        self.scratch = scratch
        self.checksum = checksum

    def end(self) -> None:
        """Kill Chromium, and remove what it left on disk."""
        self.kill()
        self.clear_away()

    def kill(self) -> None:
        """Kill Chromium: its end of the pipes closes. Its other processes are in its group; a full Chromium's still write to the profile."""
        from signal import SIGKILL
        from time import monotonic, sleep

        os.kill(self.pid, SIGKILL)  # nobody has waited for it, so the number is still its own
        _kill_group(self.pid, SIGKILL)
        os.waitpid(self.pid, 0)
        give_up = monotonic() + GROUP_SECONDS
        while _kill_group(self.pid, 0) and monotonic() < give_up:
            sleep(0.002)

    def clear_away(self) -> None:
        """Close our end of the pipes, and remove what Chromium left on disk."""
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.scratch.remove()


def _kill_group(pid: int, number: int) -> bool:
    """Send a signal to a group of processes; 0 only asks. Return whether any is left."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return False
    return True


class Ahead:
    """A Chromium that runs, without anybody who speaks with it but us.

    Once `wait` has said that the page is there, `context`, `target` and `session` are its ids, and `unread` is all that Chromium has said.
    """

    def __init__(self, known: KnownStart, process: ChromiumProcess | None = None) -> None:
        """Start Chromium, unless `process` is one that runs already. Raises OSError where that cannot be done."""
        self.known = known
        self._process = process = process or _started(known)
        self.scratch = process.scratch
        self.pid = process.pid
        self.to_browser = process.to_browser
        self.from_browser = process.from_browser
        self.context = self.target = self.session = ""
        self.unread = b""
        self._last_id = FIRST_ID
        self._has_page = False
        self._is_ours = True
        self._ready = allocate_lock()
        self._ready.acquire()
        start_new_thread(self._make_page, ())

    def wait(self) -> bool:
        """Wait until the page is there. Returns whether it is."""
        if not self._ready.acquire(timeout=SECONDS):
            return False
        self._ready.release()
        return self._has_page

    def hand_over(self) -> None:
        """From here on somebody else speaks with Chromium, and ends it."""
        self._is_ours = False

    def end(self) -> None:
        """Kill Chromium, which has done nothing yet, and remove what it left on disk, unless it was handed over."""
        if not self._is_ours:
            return
        self._is_ours = False
        self._process.kill()
        if self._ready.acquire(timeout=SECONDS):  # the thread has seen the end of the pipe
            self._ready.release()
        self._process.clear_away()

    def _make_page(self) -> None:
        try:
            self._say("Target.setAutoAttach", _AUTO_ATTACH)
            self._say("Target.createBrowserContext", '{"disposeOnDetach":true}')
            self.context = self._hear(b'"result":{"browserContextId":"')
            own = f'"browserContextId":"{self.context}"'
            folder = f'"downloadPath":"{self.scratch.name}/downloads"'
            self._say(
                "Browser.setDownloadBehavior",
                f'{{"behavior":"allowAndName",{own},{folder},"eventsEnabled":true}}',
            )
            self._say("Target.createTarget", f'{{"url":"about:blank",{own}}}')
            self.target = self._hear(b'"targetInfo":{"targetId":"', own.encode())
            begin = self.unread.rindex(b'"sessionId":"', 0, self.unread.index(self.target.encode()))
            self.session = self.unread[begin + 13 : begin + 45].decode()
            for method, parameters in PAGE:
                self._say(method, parameters, self.session)
            self._hear(f'{{"id":{self._last_id},"result":{{'.encode(), length=0)
            self._has_page = True
        except (OSError, ValueError):
            pass  # it has ended, or says something else: `wait` tells
        finally:
            self._ready.release()

    def _say(self, method: str, parameters: str, session: str = "") -> None:
        self._last_id += 1
        end = f',"sessionId":"{session}"' if session else ""
        os.write(
            self.to_browser,
            f'{{"id":{self._last_id},"method":"{method}","params":{parameters}{end}}}\0'.encode(),
        )

    def _hear(self, before: bytes, also: bytes = b"", length: int = 32) -> str:
        """What follows `before`, once Chromium has said that and `also`. Raises ValueError when it closes the pipe first."""
        while True:
            for message in self.unread.split(b"\0")[:-1]:
                if (at := message.find(before)) >= 0 and also in message:
                    return message[at + len(before) : at + len(before) + length].decode()
            said = os.read(self.from_browser, _READ_BYTES)
            if not said:
                raise ValueError
            self.unread += said


def _started(known: KnownStart) -> ChromiumProcess:
    """Start Chromium. Raises OSError."""
    scratch = Scratch()
    try:
        return ChromiumProcess(*_spawn(known, scratch), scratch)
    except OSError:
        scratch.remove()
        raise


def _spawn(known: KnownStart, scratch: Scratch) -> "tuple[int, int, int]":
    """Start Chromium with pipes of ours: its number, where to write to it and where to read from it."""
    their_in, to_browser = os.pipe()
    from_browser, their_out = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    # Above those numbers that they are to have in Chromium: none may be overwritten before it was copied.
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
