"""Puts us between Playwright's driver and Chromium: gives the driver something to start in Chromium's place.

That is a script for `sh` in a directory of ours, which runs `chromium_shim`, which becomes Chromium; or which only hands the driver's
pipe over, where a Chromium runs already that we have started ourselves.
"""

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Self

from gstack_browse.browser.cdp import playwright_internals
from gstack_browse.browser.cdp.connection import PipeConnection
from gstack_browse.browser.cdp.pipe import Pipe
from gstack_browse.browser.cdp.playwright_names import Browser, Error
from gstack_browse.browser.launch import chromium_shim, scratch
from gstack_browse.errors import SetupFailed

HANDSHAKE_SECONDS = 3.0
"""How long a browser that has just answered Playwright may take to answer a question of ours."""
_CLOSE_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class PipeUnusable(Exception):
    """Playwright has started a browser, but not both of us get answers from it. The message names the versions."""


class PipeLauncher:
    """Something the driver can start in Chromium's place, and the pipe that this gives us. For one start.

    `folder` is private to us. `running`: the connection to a Chromium that is to be taken instead of starting `executable`. `preferences`: of
    a new profile. Raises SetupFailed where no program of ours may be run.
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
        """What the driver has started it with, once there is a connection."""
        self._running = running
        import shlex  # no part of a start: Playwright comes behind its answer

        self.program = runnable(folder, shlex.join(words), preferences)
        """What the driver starts."""
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.setblocking(False)
        self._listening.bind(place)
        self._listening.listen(1)
        self._connection: asyncio.Task[PipeConnection]

    async def __aenter__(self) -> Self:
        self._connection = asyncio.create_task(self._taken_over())
        return self

    async def __aexit__(self, failure: object, *_: object) -> None:
        self._listening.close()
        self._socket.unlink(missing_ok=True)  # there may be a second start in this folder
        self.program.unlink(missing_ok=True)
        if not self._connection.done():
            self._connection.cancel()
        elif failure and not self._connection.exception():
            self._connection.result().close()

    async def connect(self, browser: Browser) -> PipeConnection:
        """Our connection to the browser that the driver has started, tried in both ways: by Playwright and by us.

        Raises PipeUnusable where one of the two gets no answer: then nothing on the pipe is as we know it.
        """
        connection = await self._connection
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                await connection.open(browser)
        except (TimeoutError, Error) as error:
            raise PipeUnusable(
                f"gbrowse cannot speak with Chromium {browser.version} beside Playwright {playwright_internals.VERSION}"
                f" ({str(error) or f'no answer within {HANDSHAKE_SECONDS:g} s'})"
            ) from None
        return connection

    async def _taken_over(self) -> PipeConnection:
        """The connection, before the driver says anything: the tap must see the first page come, too."""
        loop = asyncio.get_running_loop()
        sock, _ = await loop.sock_accept(self._listening)
        try:
            descriptors = await self._received(sock)
            from_driver, to_driver, *browsers = descriptors
        except BaseException:
            sock.close()
            raise
        if self._running:
            self._running.pipe.join(from_driver, to_driver, stand_in=sock)
            return self._running
        sock.close()
        pipe = Pipe(*browsers)
        connection = PipeConnection(pipe)
        pipe.join(from_driver, to_driver)
        return connection

    async def _received(self, sock: socket.socket) -> list[int]:
        """The descriptors that the shim hands over, with its arguments."""
        loop = asyncio.get_running_loop()
        sent = loop.create_future()
        loop.add_reader(sock, lambda: None if sent.done() else sent.set_result(None))
        try:
            await sent
        finally:
            loop.remove_reader(sock)
        sock.setblocking(True)  # the rest has been sent in the same call
        said, descriptors, _, _ = socket.recv_fds(sock, 4, 4, _CLOSE_ON_EXEC)
        length = int.from_bytes(said, "big")
        words = sock.recv(length, socket.MSG_WAITALL) if length else b""
        self.arguments = words.decode(errors="surrogateescape").split("\0")
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # where the system knows no such flag
        return descriptors


_SCRIPT = """#!/bin/sh
for word do case $word in --user-data-dir=*) profile=${word#*=} ;; esac; done
[ -e "$profile/Default" ] || { mkdir -p "$profile/Default"; echo '%s' >"$profile/Default/Preferences"; }
exec %s "$@"
"""


def runnable(folder: Path, command: str, preferences: str) -> Path:
    """Return a program that begins its profile, if that is new, and becomes `command`, words of a shell.

    preferences: what a new profile begins with

    It is in `folder`, or in the user's cache where nothing in `folder` can be run.
    """
    import tempfile  # no part of a start, either

    script = _SCRIPT % (preferences, command)
    for place in (folder, scratch.cache("pipe-launcher")):
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
