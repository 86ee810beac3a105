"""Start a successor once there is a new version on disk.

This happens before the next command, or when the daemon is idle.

A command that comes after the code has changed waits here for the handover, and is answered `Busy`: the client asks the successor.
Nothing is handed over while files are being written, while the new code cannot be loaded, or while work would be lost."""

import asyncio
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
    """Files of the package in the directory `package`."""

    def __init__(self, package: Path) -> None:
        self._package = package
        self.may_have_changed = False
        """Whether a file may differ from what this process has loaded."""
        self._changed_at = 0.0
        self._loaded = 0
        """The stamp of the code that this process runs; 0 before `start`."""
        self._inotify = -1

    async def start(self) -> None:
        """Begin to watch. What has changed since this process started counts as changed."""
        self._loaded = await asyncio.to_thread(self._start)
        if self._inotify >= 0:
            asyncio.get_running_loop().add_reader(self._inotify, self._read_events)

    def close(self) -> None:
        """Watch no longer."""
        if self._inotify >= 0:
            asyncio.get_running_loop().remove_reader(self._inotify)
            os.close(self._inotify)
            self._inotify = -1

    @property
    def is_watched(self) -> bool:
        """Return whether `start` was called."""
        return self._loaded != 0

    async def check(self) -> None:
        """Compare the files with what was loaded, for changes of which the kernel does not tell."""
        if self._loaded and not self.may_have_changed:
            stamp = await asyncio.to_thread(stamp_code, self._package)
            if stamp != self._loaded:
                self._note_change()

    async def wait_for_rest(self, seconds: float) -> int:
        """Return the stamp of the code once nothing has changed for REST_SECONDS.

        0 if it still changes after `seconds`. Also 0 where it is what this process has loaded: then `may_have_changed` is False.
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
        """Return whether the code on disk still is the one with that stamp."""
        return stamp_code(self._package) == stamp

    def ignore(self, stamp: int) -> None:
        """Do not load the code with that stamp again, unless it changes."""
        if self.has_stamp(stamp):
            self._loaded = stamp
            self.may_have_changed = False

    def mark_changed(self) -> None:
        """Treat the code as changed, though the files are the same."""
        self._loaded = _UNKNOWN
        self.may_have_changed = True

    def _note_change(self) -> None:
        """Note that code may have changed, and when (monotonic seconds)."""
        self.may_have_changed = True
        self._changed_at = time.monotonic()

    def _start(self) -> int:
        """Begin to watch, by inotify where that exists. Return the stamp of the present code.

        _UNKNOWN if it changed already.
        """
        if sys.platform == "linux":
            import ctypes  # takes 3 ms, for which no first command should wait

            self._inotify = ctypes.CDLL(None).inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        stamp = self._stamp_and_watch()
        with suppress(
            OSError
        ):  # a system without /proc: what changed while this process started is not noticed
            if _newest_change(self._package) > _start_time():
                self.may_have_changed = True
                return _UNKNOWN
        return stamp

    def _stamp_and_watch(self) -> int:
        """Return the stamp, and watch all directories, of which some may be new."""
        if self._inotify >= 0:
            import ctypes

            add_watch = ctypes.CDLL(None).inotify_add_watch
            for directory, _ in _walk_directories(self._package):
                add_watch(self._inotify, os.fsencode(directory), _EVENTS | _ONLY_DIRECTORIES)
        return stamp_code(self._package)

    def _read_events(self) -> None:
        """Read inotify's events; note a change if one concerns a file of code, or events were lost."""
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
    """Return a number that changes when a file of the package is added, removed or written.

    0 if there is no package.
    """
    found = [(path, status.st_mtime_ns, status.st_size) for path, status in _code_files(package)]
    is_whole = any(path == f"{package}/__init__.py" for path, _, _ in found)
    return hash(frozenset(found)) if is_whole else 0


def _newest_change(package: Path) -> float:
    """Return when a file of the package last changed, also by being moved there."""
    return max((status.st_ctime for _, status in _code_files(package)), default=0.0)


def _code_files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of each file of code below the package."""
    for directory, names in _walk_directories(package):
        for name in names:
            if name.endswith(CODE):
                path = os.path.join(directory, name)
                with suppress(OSError):
                    yield path, os.stat(path)


def _walk_directories(package: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each directory below the package with its file names, but those of compiled code."""
    for directory, below, names in os.walk(package):
        if _COMPILED in below:
            below.remove(_COMPILED)
        yield directory, names


def _start_time() -> float:
    """Return when this process started, in seconds since 1970. Source: proc_pid_stat(5), field 22."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    now, age = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return now - age


def _is_git_writing(package: Path) -> bool:
    """Return whether git is writing the files of a checkout: it holds the lock of its index meanwhile."""
    checkout = package.parent
    git = checkout / ".git"
    try:
        if git.is_file():  # a worktree's
            git = checkout / git.read_text().strip().removeprefix("gitdir: ")
        return _newest_change(package) - (git / "index.lock").stat().st_mtime < LOCK_SECONDS
    except (OSError, ValueError):
        return False


def stamp_dependencies() -> int:
    """Return a number that changes when a package is installed beside those that we use."""
    try:
        return os.stat(Path(orjson.__file__).parents[1]).st_mtime_ns
    except OSError:
        return 0


class Upgrader:
    """Decides when a successor takes over because the code on disk has changed.

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
        """Begin to watch the code, unless that has begun.

        Code that is loaded later may be newer: then this daemon is replaced.
        """
        if not self._code.is_watched:
            await self._code.start()

    def close(self) -> None:
        """Watch no longer."""
        self._code.close()

    @property
    def is_due(self) -> bool:
        """Return whether the code may have changed, or a remark on an upgrade waits for the next reply."""
        return self._code.may_have_changed or bool(self._note or self._refused_with)

    async def before_command(self, request: Request) -> str:
        """Hand over before a command, where the code has changed. Return a remark for its reply, or ""."""
        if request.cmd in _NOT_HELD:
            return ""
        if self._refused_with and self._refused_with != stamp_dependencies():
            self._code.mark_changed()
        if self._code.may_have_changed:
            if reason := self.find_obstacle():
                self._report_wait(reason)
            else:
                await self._hold(request)
        note, self._note = self._note, ""
        return note

    async def tick(self) -> None:
        """Look for changes that the kernel does not report; hand over if nothing runs."""
        await self._code.check()
        if self._code.may_have_changed:
            reason = self.find_obstacle()
            self._set_state(f"waits for the end of {reason}; 'restart' does not" if reason else "")
            if not reason:
                await self._upgrade_once()

    def find_obstacle(self) -> str:
        """Name work that a successor could not continue; "" for none."""
        service = self._service
        if recordings := service.unfinished_recordings:
            return recordings
        if any(dialogs.open_ones(session.tabs) for session in service.contexts.sessions()):
            return "a dialog that is open"  # a handover would answer it
        if service.attachments.is_in_use:
            return "an attached program"
        if service.is_in_use_by_person:
            return "what a person does in a window or gallery"
        return "running commands" if service.lifecycle.running_commands or service.browser.is_starting else ""

    def _report_wait(self, reason: str) -> None:
        """Note once for the next reply that an upgrade waits. `reason`: what it waits for the end of."""
        if not self._is_wait_reported:
            self._is_wait_reported = True
            self._note = f"gbrowse was updated: the version before goes on until the end of {reason}"

    async def _hold(self, request: Request) -> None:
        """Wait for the handover, within the command's deadline. If that takes longer, the command runs here."""
        seconds = min(HOLD_SECONDS, request.timeout / 1000 if request.timeout else HOLD_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                await self._upgrade_once()
        except TimeoutError:
            self._report_wait("its start" if self._handover.is_running else _WRITING)

    async def _upgrade_once(self) -> None:
        """Hand over, or wait for a handover that has begun. It goes on if the client that waits goes away."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._upgrade())
        await asyncio.shield(self._running)

    async def _upgrade(self) -> None:
        """Hand over to a successor if the code has changed, is at rest, and can be loaded.

        Begin anew where it changes while the successor loads it.
        """
        for _ in range(MOST_ATTEMPTS):
            stamp = await self._try_upgrade()
            if not stamp or self._service.lifecycle.closing or self._code.has_stamp(stamp):
                return

    async def _try_upgrade(self) -> int:
        """Hand over if that is possible.

        Return the stamp of the code that a successor has loaded; 0 if none has.
        """
        stamp = await self._code.wait_for_rest(self._settle_seconds)
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
            self._code.ignore(stamp)  # it is tried again when it changes, or what it needs is installed
            self._refused_with = stamp_dependencies()
            why = error.message[:1].lower() + error.message[1:]
            self._note = f"gbrowse was updated, but {why}; the old one goes on"
            self._set_state(f"{why}; the old one goes on")
            return 0
        return stamp

    def _set_state(self, text: str) -> None:
        """Set what `status` says of the upgrade."""
        self._service.lifecycle.upgrade_state = text
