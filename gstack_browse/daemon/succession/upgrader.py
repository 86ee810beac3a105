"""Start a successor once there is a new version on disk.

This happens before the next command, or when the daemon is idle.

A command that comes after the code has changed waits here for the handover, and is answered `Busy`: the client asks the successor.
Nothing is handed over while files are being written, while the new code cannot be loaded, or while work would be lost.
"""

import asyncio
from pathlib import Path

import gstack_browse
from gstack_browse.browser import dialogs
from gstack_browse.command_names import ENDS_DAEMON
from gstack_browse.daemon.base import error_log
from gstack_browse.daemon.browser.service import Service
from gstack_browse.daemon.succession.code_watch import CodeWatch, stamp_dependencies
from gstack_browse.daemon.succession.handover import Handover
from gstack_browse.errors import BrowseError
from gstack_browse.protocol import Request

PACKAGE = Path(gstack_browse.__file__).parent
HOLD_SECONDS = 30.0
"""How long a command waits for a handover before it runs on the old code."""
SETTLE_SECONDS = 5.0
"""How long to wait for files that are being written."""
MOST_ATTEMPTS = 3
_NOT_HELD = frozenset({"status", *ENDS_DAEMON})
"""Commands that must be answered whatever happens, or that end this daemon."""
_WRITING = "the writing of its files"


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
            error_log.log_exception(error)
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
