"""Watches processes, and reports at once when one ends, whatever killed it.

The pipe does not tell it all: a process that Chromium has started may keep its end open. So the process itself is watched: by
a pidfd on Linux (pidfd_open(2): readable when the process ends), by a waiting thread elsewhere.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress


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
    import psutil

    stopped = threading.Event()

    def wait() -> None:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(pid).wait()
        if not stopped.is_set() and not loop.is_closed():
            loop.call_soon_threadsafe(on_exit)

    threading.Thread(target=wait, name=f"watch-{pid}", daemon=True).start()
    return stopped.set
