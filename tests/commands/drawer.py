"""The process in which Chromium draws: without it a page gets no frame."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.commands.conftest import Shell


async def drawer_of(shell: Shell) -> int:
    """Id of that process."""
    told = await shell.browser.running.connection.ask_browser("SystemInfo.getProcessInfo")
    (drawer,) = (process["id"] for process in told["processInfo"] if process["type"] == "GPU")
    return int(drawer)


@contextmanager
def standing_still(process: int) -> Iterator[None]:
    """A process has no time meanwhile."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)
