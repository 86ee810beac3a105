"""The ends of a daemon: stopping, and handing over to a successor. Processes and files; no requests.

A successor is another process that gets the held lock (one open file description, so that it is never free
in between), and, through an anonymous file in memory, what the browser held. Nothing of that touches a disk.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import orjson

import gstack_browse
from gstack_browse.browser.carry import Carried
from gstack_browse.daemon.service import End, Service
from gstack_browse.errors import ActionFailed
from gstack_browse.workspace import SOCKET, STATE_FILE

READY_SECONDS = 20.0
_BOOT = "import sys,runpy;sys.path.insert(0,sys.argv.pop(1));runpy.run_module('gstack_browse.daemon',run_name='__main__')"


class Handover:
    """Ends the daemon on request. `lock` is the descriptor that says it is alive."""

    def __init__(self, service: Service, lock: int) -> None:
        self._service = service
        self._lock = lock
        self._once = asyncio.Lock()

    async def stop(self) -> None:
        """Everything but the process itself is gone when this returns: socket, browser, lock."""
        async with self._once:
            if self._service.ended.done():
                return
            self.vanish()
            await self._service.close_browser()
            self._service.record.clear()
            self._service.end(End.STOPPED)

    async def replace(self, note: str = "") -> str:
        """Start a successor and wait until it listens. Returns what it carries over.

        `note` is what the successor says once. Raises ActionFailed, with this daemon going on, when a new one
        cannot even be loaded.
        """
        async with self._once:
            await asyncio.to_thread(check_code)
            carried = await self._service.capture()
            self.vanish()
            await self._service.close_browser()
            self._service.record.clear()
            await asyncio.to_thread(self._spawn, carried, note)
            self._service.end(End.REPLACED)
            return carried.summary() if carried else ""

    def vanish(self) -> None:
        """Take the name of the socket and the description away, so that whoever comes now finds nobody."""
        for name in (SOCKET, STATE_FILE):
            if name != SOCKET or self._service.state.still_ours():
                self._service.state.remove(name)

    def _spawn(self, carried: Carried | None, note: str) -> None:
        legacy = orjson.dumps({"carried": carried.as_dict() if carried else None, "note": note})
        memory = _in_memory(legacy)
        try:
            arguments = [
                *command_line(os.fsdecode(self._service.state.workspace)),
                str(self._lock),
                str(memory),
            ]
            with subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None,
                pass_fds=(self._lock, memory),
                start_new_session=True,
                env=_environment(self._service),
            ) as successor:
                assert successor.stdout is not None
                line = successor.stdout.readline()
                if line != b"ready\n":
                    raise ActionFailed(
                        "The new daemon did not start",
                        "See .gstack/browse-daemon.log; the next command tries again",
                    )
                successor.returncode = 0  # it is not our child to wait for any more
        finally:
            os.close(memory)


def command_line(workspace: str) -> list[str]:
    """How a daemon is started: isolated (`-I`), from the directory this package lies in."""
    package = str(Path(gstack_browse.__file__).parent.parent)
    return [sys.executable, "-I", "-c", _BOOT, package, workspace]


def check_code() -> None:
    """Whether the code on disk can be loaded at all. Raises ActionFailed: an upgrade may be half done."""
    package = str(Path(gstack_browse.__file__).parent.parent)
    code = "import sys;sys.path.insert(0,sys.argv[1]);import gstack_browse.daemon.main"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, package], capture_output=True, timeout=30, check=False
    )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ActionFailed(
            f"The code on disk cannot be loaded: {''.join(last)[:200]}", "The running daemon goes on"
        )


def _environment(service: Service) -> dict[str, str]:
    """Our own, with the paths in it as they were meant: they may be relative to where the first client was."""
    paths = {"BROWSE_CHROMIUM": service.settings.chromium, "BROWSE_EXTENSIONS_DIR": service.settings.extensions}
    return {**os.environ, **{name: str(path) for name, path in paths.items() if path}}


def _in_memory(content: bytes) -> int:
    """An anonymous file that holds `content`, at its beginning."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("gbrowse-handover", 0)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
