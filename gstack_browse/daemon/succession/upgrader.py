"""Start a successor daemon once there is a new version of the code on disk.

This happens before the next command, or when the daemon is idle.

A command that comes after the code has changed waits here for the handover, and is answered `Busy`: the client asks the successor.
Nothing is handed over while files are being written, while the new code cannot be loaded, or while work would be lost.
"""

import asyncio
import math
import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson

import gstack_browse
from gstack_browse.browser import dialogs
from gstack_browse.command_names import ENDS_DAEMON
from gstack_browse.daemon.base import log_files
from gstack_browse.daemon.service import Service
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.errors import BrowseError
from gstack_browse.protocol import Request

REST_SECONDS = 0.25
"""How long no file may have changed before the code is loaded: a checkout or an installer may be writing it."""
POLL_SECONDS = 0.05
LOCK_SECONDS = 60.0
"""A lock of git that is so much older than the newest file was left by one that crashed."""
CODE = (".py", ".js")
_COMPILED = "__pycache__"
_UNKNOWN = 1
"""The stamp of code that this process may have loaded before it changed."""

# inotify(7)
_SELF_CHANGED = 0x400 | 0x800
_OVERFLOWED = 0x4000
_IS_DIRECTORY = 0x40000000
_EVENTS = 0x2 | 0x40 | 0x80 | 0x100 | 0x200 | _SELF_CHANGED
"""Files that were written, moved from, moved to, created, deleted; and the directory itself deleted or moved."""
_ONLY_DIRECTORIES = 0x01000000
_EVENT = struct.Struct("iIII")
PACKAGE = Path(gstack_browse.__file__).parent
HOLD_SECONDS = 30.0
"""How long a command waits for a handover before it runs on the old code."""
SETTLE_SECONDS = 5.0
"""How long to wait for files that are being written."""
MOST_ATTEMPTS = 3
_NOT_HELD = frozenset({"status", *ENDS_DAEMON})
"""Commands that must be answered whatever happens, or that end this daemon."""
_WRITING = "the writing of its files"


class CodeWatch:
    """Watches the package's files on disk for changes since this process loaded them.

    A stamp is a number that changes with the files. `package`: the directory of the code.
    """

    def __init__(self, package: Path) -> None:
        self._package = package
        self._started_at = _start_time()  # read now: the clock may be set before `start`
        self.may_have_changed = False
        """Whether a file may differ from what this process has loaded."""
        self._changed_at = 0.0
        self._loaded = 0
        """The stamp of the code that this process runs; 0 before `start`."""
        self._inotify = -1

    async def start(self) -> None:
        """Begin to watch the code's files. Those changed since this process started count as changed."""
        self._loaded = await asyncio.to_thread(self._start)
        if self._inotify >= 0:
            asyncio.get_running_loop().add_reader(self._inotify, self._read_events)

    def close(self) -> None:
        """Stop watching the code's files."""
        if self._inotify >= 0:
            asyncio.get_running_loop().remove_reader(self._inotify)
            os.close(self._inotify)
            self._inotify = -1

    @property
    def is_watched(self) -> bool:
        """Return whether `start` was called, so that the files are watched."""
        return self._loaded != 0

    async def check(self) -> None:
        """Read the files' times, and set `may_have_changed` if they differ from those of the loaded code.

        Finds changes that inotify does not report.
        """
        if self._loaded and not self.may_have_changed:
            stamp = await asyncio.to_thread(stamp_code, self._package)
            if stamp != self._loaded:
                self._note_change()

    async def wait_until_unchanged(self, seconds: float) -> int:
        """Wait until no code file has changed for REST_SECONDS. Return the new code's stamp (`stamp_code`).

        0 if files still change after `seconds`, or if the code is what this process has loaded (then `may_have_changed` is False).
        """
        give_up = time.monotonic() + seconds
        while True:
            await asyncio.sleep(max(0.0, self._changed_at + REST_SECONDS - time.monotonic()))
            seen = self._changed_at
            stamp = await asyncio.to_thread(self._stamp_and_watch)
            self._read_events()  # that came meanwhile
            if stamp and seen == self._changed_at and not _is_git_writing(self._package):
                self.may_have_changed = stamp != self._loaded
                return stamp if self.may_have_changed else 0
            if time.monotonic() > give_up:
                return 0
            await asyncio.sleep(POLL_SECONDS)

    def has_stamp(self, stamp: int) -> bool:
        """Return whether the code on disk still has that stamp, a number as `stamp_code` returns."""
        return stamp_code(self._package) == stamp

    def ignore_stamp(self, stamp: int) -> None:
        """Treat the code on disk as loaded if it has that stamp (see `stamp_code`), until it changes again.

        Called when a new daemon could not load it.
        """
        if self.has_stamp(stamp):
            self._loaded = stamp
            self.may_have_changed = False

    def mark_changed(self) -> None:
        """Treat the code as changed, though its files are the same: a package that it needs was installed."""
        self._loaded = _UNKNOWN
        self.may_have_changed = True

    def _note_change(self) -> None:
        """Note that a file of the code may have changed now."""
        self.may_have_changed = True
        self._changed_at = time.monotonic()

    def _start(self) -> int:
        """Begin to watch the code's files, by inotify on Linux. Return their stamp; _UNKNOWN if they changed."""
        if sys.platform == "linux":
            import ctypes  # takes 3 ms, for which no first command should wait

            self._inotify = ctypes.CDLL(None).inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        stamp = self._stamp_and_watch()
        if _newest_change(self._package) > self._started_at:
            self.may_have_changed = True
            return _UNKNOWN
        return stamp

    def _stamp_and_watch(self) -> int:
        """Watch all directories of the code, some of which may be new. Return the stamp of its files."""
        if self._inotify >= 0:
            import ctypes

            add_watch = ctypes.CDLL(None).inotify_add_watch
            for directory, _ in _walk_directories(self._package):
                add_watch(self._inotify, os.fsencode(directory), _EVENTS | _ONLY_DIRECTORIES)
        return stamp_code(self._package)

    def _read_events(self) -> None:
        """Read inotify's events, and note a change if one is about a file of code, or events were lost."""
        try:
            content = os.read(self._inotify, 65536)
        except OSError:
            return  # there is none, or no inotify
        while content:
            _, mask, _, size = _EVENT.unpack_from(content)
            name = os.fsdecode(content[_EVENT.size : _EVENT.size + size].rstrip(b"\0"))
            content = content[_EVENT.size + size :]
            is_folder = mask & _IS_DIRECTORY and name != _COMPILED
            if mask & (_SELF_CHANGED | _OVERFLOWED) or is_folder or name.endswith(CODE):
                self._note_change()


def stamp_code(package: Path) -> int:
    """Return a number, the stamp, that changes when a file of the package is added, removed or written.

    0 if the package has no `__init__.py`, as in the middle of an installation.
    """
    found = [(path, status.st_mtime_ns, status.st_size) for path, status in _code_files(package)]
    is_whole = any(path == f"{package}/__init__.py" for path, _, _ in found)
    return hash(frozenset(found)) if is_whole else 0


def _newest_change(package: Path) -> float:
    """Return when a file of the package last changed or was moved there (seconds since 1970)."""
    return max((status.st_ctime for _, status in _code_files(package)), default=0.0)


def _code_files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of each file of Python or JavaScript code below the package."""
    for directory, names in _walk_directories(package):
        for name in names:
            if name.endswith(CODE):
                path = os.path.join(directory, name)
                with suppress(OSError):
                    yield path, os.stat(path)


def _walk_directories(package: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each directory below the package, except `__pycache__`, with its file names."""
    for directory, below, names in os.walk(package):
        if _COMPILED in below:
            below.remove(_COMPILED)
        yield directory, names


def _start_time() -> float:
    """Return when this process started (seconds since 1970). Source: proc_pid_stat(5), field 22.

    Infinity without /proc: then a change made while the process started is not noticed.
    """
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.inf
    now, age = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return now - age


def _is_git_writing(package: Path) -> bool:
    """Return whether git is writing files of the checkout, during which it has a lock on its index."""
    checkout = package.parent
    git = checkout / ".git"
    try:
        if git.is_file():  # a worktree's
            git = checkout / git.read_text().strip().removeprefix("gitdir: ")
        return _newest_change(package) - (git / "index.lock").stat().st_mtime < LOCK_SECONDS
    except (OSError, ValueError):
        return False


def stamp_dependencies() -> int:
    """Return a number that changes when a package is installed or removed in our site-packages."""
    try:
        return os.stat(Path(orjson.__file__).parents[1]).st_mtime_ns
    except OSError:
        return 0


class Upgrader:
    """Starts a successor when the code on disk has changed, and reports if that must wait.

    `package`: the directory of the code.
    """

    def __init__(self, service: Service, handover: Handover, package: Path = PACKAGE) -> None:
        self._service = service
        self._handover = handover
        self._code = CodeWatch(package)
        self._running: asyncio.Task[None] | None = None
        self._note = ""
        """A remark for the next reply; "" for none."""
        self._is_wait_reported = False
        self._settle_seconds = SETTLE_SECONDS
        self._refused_with = 0
        """The stamp of the packages with which the new code could not be loaded; 0 if it was not tried."""

    async def start(self) -> None:
        """Begin to watch the code on disk, unless that has begun already. A change leads to a handover."""
        if not self._code.is_watched:
            await self._code.start()

    def close(self) -> None:
        """Stop watching the code on disk."""
        self._code.close()

    @property
    def is_due(self) -> bool:
        """Return whether `before_command` has to be called: the code may have changed, or a remark waits."""
        return self._code.may_have_changed or bool(self._note or self._refused_with)

    async def before_command(self, request: Request) -> str:
        """Hand over to a new daemon if the code on disk has changed and no work would be lost.

        Called before a command runs. Return a remark for its reply, or "".
        """
        if request.cmd in _NOT_HELD:
            return ""
        if self._refused_with and self._refused_with != stamp_dependencies():
            self._code.mark_changed()
        if self._code.may_have_changed:
            if work := self.find_obstacle():
                self._report_wait(work)
            else:
                await self._wait_for_upgrade(request)
        note, self._note = self._note, ""
        return note

    async def tick(self) -> None:
        """Look for changes of the code, which inotify may not report; hand over if no work would be lost.

        Called every two seconds.
        """
        await self._code.check()
        if self._code.may_have_changed:
            work = self.find_obstacle()
            self._set_state(f"waits for the end of {work}; 'restart' does not" if work else "")
            if not work:
                await self._upgrade_once()

    def find_obstacle(self) -> str:
        """Describe running work that a handover would cut off: `running commands`; "" for none."""
        service = self._service
        if recordings := service.unfinished_recordings:
            return recordings
        if any(dialogs.list_open_dialogs(context.tabs) for context in service.contexts.open_contexts()):
            return "a dialog that is open"  # a handover would answer it
        if service.attachments.is_in_use:
            return "an attached program"
        if service.is_in_use_by_person:
            return "what a person does in a window or gallery"
        return "running commands" if service.lifecycle.running_commands or service.browser.is_starting else ""

    def _report_wait(self, work: str) -> None:
        """Note for the next reply, once, that the upgrade waits until `work` ends: "running commands"."""
        if not self._is_wait_reported:
            self._is_wait_reported = True
            self._note = f"gbrowse was updated: the version before goes on until the end of {work}"

    async def _wait_for_upgrade(self, request: Request) -> None:
        """Hold a command until a new daemon has taken over, but not beyond its deadline: then it runs here."""
        seconds = min(HOLD_SECONDS, request.timeout / 1000 if request.timeout else HOLD_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                await self._upgrade_once()
        except TimeoutError:
            self._report_wait("its start" if self._handover.is_running else _WRITING)

    async def _upgrade_once(self) -> None:
        """Wait for the handover to the new code; start one if none runs. It goes on even if the client leaves."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._upgrade())
        await asyncio.shield(self._running)

    async def _upgrade(self) -> None:
        """Hand over to a new daemon if the code on disk has changed, is completely written, and can be loaded.

        Try again if the code changes while the new daemon loads it.
        """
        for _ in range(MOST_ATTEMPTS):
            stamp = await self._try_upgrade()
            if not stamp or self._service.lifecycle.closing or self._code.has_stamp(stamp):
                return

    async def _try_upgrade(self) -> int:
        """Hand over to a new daemon if that is possible now.

        Return the stamp (`stamp_code`) of the code that the new daemon has loaded; 0 if none has.
        """
        stamp = await self._code.wait_until_unchanged(self._settle_seconds)
        is_unfinished = not stamp and self._code.may_have_changed
        self._settle_seconds = 0.0 if is_unfinished else SETTLE_SECONDS  # no command waits for that twice
        if is_unfinished:
            self._report_wait(_WRITING)
        if not stamp or self._service.lifecycle.closing:
            return 0
        self._refused_with = 0
        try:
            await self._handover.upgrade(lambda: self._code.has_stamp(stamp))
        except BrowseError as error:
            log_files.log_exception(error)
            self._code.ignore_stamp(stamp)  # it is tried again when it changes, or what it needs is installed
            self._refused_with = stamp_dependencies()
            why = error.message[:1].lower() + error.message[1:]
            self._note = f"gbrowse was updated, but {why}; the old one goes on"
            self._set_state(f"{why}; the old one goes on")
            return 0
        return stamp

    def _set_state(self, text: str) -> None:
        """Set what `status` prints about the upgrade, such as that it waits; "" for nothing."""
        self._service.lifecycle.upgrade_state = text
