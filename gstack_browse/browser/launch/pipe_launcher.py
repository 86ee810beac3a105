"""Puts the daemon between Playwright's driver and Chromium.

The driver starts a script for `sh` instead of Chromium. The script runs `chromium_shim`, which passes the driver's pipe to us. Then it
becomes Chromium, or waits where a Chromium of ours runs already.
"""

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Self

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.driver_types import Browser
from gstack_browse.browser.cdp.errors import ProtocolError
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.launch import chromium_shim, scratch
from gstack_browse.errors import SetupFailed

HANDSHAKE_SECONDS = 3.0
"""Time limit for a browser that has just answered Playwright to answer a request of ours."""
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class PipeUnusable(Exception):
    """Playwright has started a browser, but not both Playwright and gbrowse get answers.

    The message names the versions.
    """


class PipeLauncher:
    """A program for the driver to start instead of Chromium, and the pipe that the program passes to us.

    For one start. `folder`: a private directory. `running`: the connection to a running Chromium, to use instead of starting `executable`.
    `preferences`: of a new profile, as JSON.
    Raises SetupFailed if no program can be run in `folder` or in the cache.
    """

    def __init__(
        self,
        folder: Path,
        executable: Path,
        running: PipeConnection | None = None,
        preferences: str = scratch.PREFERENCES,
    ) -> None:
        self._socket = folder / "wire"
        place = str(self._socket)
        program = "" if running else str(executable)
        words = [sys.executable, "-I", "-S", chromium_shim.__file__, place, program]
        self.arguments: list[str] = []
        """Arguments with which the driver has started the program; [] before `connect`."""
        self._running = running
        import shlex  # late, since a first command is answered before Playwright starts

        self.program = write_start_script(folder, shlex.join(words), preferences)
        """The program for the driver to start."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.setblocking(False)
        self._listener.bind(place)
        self._listener.listen(1)
        self._connection: asyncio.Task[PipeConnection]

    async def __aenter__(self) -> Self:
        self._connection = asyncio.create_task(self._accept_driver())
        return self

    async def __aexit__(self, failure: object, *_: object) -> None:
        self._listener.close()
        self._socket.unlink(missing_ok=True)  # there may be a second start in this folder
        self.program.unlink(missing_ok=True)
        if not self._connection.done():
            self._connection.cancel()
        elif failure and not self._connection.exception():
            self._connection.result().close()

    async def connect(self, browser: Browser) -> PipeConnection:
        """Return our connection to the browser that the driver has started.

        It is tried with a request by Playwright and one by us. Raises PipeUnusable if one of the two gets no answer.
        """
        connection = await self._connection
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                await connection.open(browser)
        except (TimeoutError, ProtocolError) as error:
            raise PipeUnusable(
                f"gbrowse cannot speak with Chromium {browser.version} beside Playwright {playwright_internals.VERSION}"
                f" ({str(error) or f'no answer within {HANDSHAKE_SECONDS:g} s'})"
            ) from None
        return connection

    async def _accept_driver(self) -> PipeConnection:
        """Accept the shim, and connect the driver's pipe before its first message.

        The tap must see the events of the first page, too.
        """
        loop = asyncio.get_running_loop()
        sock, _ = await loop.sock_accept(self._listener)
        try:
            descriptors = await self._receive_descriptors(sock)
            from_driver, to_driver, *browsers = descriptors
        except BaseException:
            sock.close()
            raise
        if self._running:
            self._running.pipe.connect_driver(from_driver, to_driver, stand_in=sock)
            return self._running
        sock.close()
        pipe = Pipe(*browsers)
        connection = PipeConnection(pipe)
        pipe.connect_driver(from_driver, to_driver)
        return connection

    async def _receive_descriptors(self, sock: socket.socket) -> list[int]:
        """Receive the shim's descriptors, and store its arguments."""
        loop = asyncio.get_running_loop()
        sent = loop.create_future()
        loop.add_reader(sock, lambda: None if sent.done() else sent.set_result(None))
        try:
            await sent
        finally:
            loop.remove_reader(sock)
        sock.setblocking(True)  # does not block: the shim sends everything in one call
        said, descriptors, _, _ = socket.recv_fds(sock, 4, 4, _CLOSE_ON_EXEC)
        length = int.from_bytes(said, "big")
        words = sock.recv(length, socket.MSG_WAITALL) if length else b""
        self.arguments = words.decode(errors="surrogateescape").split("\0")
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # for systems without MSG_CMSG_CLOEXEC
        return descriptors


_SCRIPT = """#!/bin/sh
for word do case $word in --user-data-dir=*) profile=${word#*=} ;; esac; done
[ -e "$profile/Default" ] || { mkdir -p "$profile/Default"; echo '%s' >"$profile/Default/Preferences"; }
exec %s "$@"
"""


def write_start_script(folder: Path, command: str, preferences: str) -> Path:
    """Write a script that prepares a new profile, then becomes `command` (shell syntax). Return its path.

    `preferences`: of a new profile, as JSON.

    It is in `folder`, or in the user's cache directory if programs in `folder` cannot be run (`noexec`). Raises SetupFailed.
    """
    import tempfile  # late, like `shlex` above

    script = _SCRIPT % (preferences, command)
    for place in (folder, scratch.cache_folder("pipe-launcher")):
        if place:
            descriptor, path = tempfile.mkstemp(prefix="chromium-", dir=place)
            with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(script)
            os.chmod(path, 0o700)
            if os.access(path, os.X_OK):
                return Path(path)
            os.unlink(path)
    raise SetupFailed(
        f"No program can be run in {folder}, nor in the cache directory",
        "Set TMPDIR to a place where that is allowed",
    )
