"""Return the memory of large replies to the system while no command runs.

Two things would keep it. A command's exceptions and tasks leave reference cycles behind, with all that it came to hold: a tree of
90,000 lines, its text. Only a full collection frees that. Python does one after a number of new container objects, and strings do not
count. And freed blocks are scattered over the heap: glibc would give threads heaps of their own, soon take all large blocks from them,
and return little of it.
"""

import gc
import os
import time
from contextlib import suppress
from typing import Any

GROWTH = 8 * 1024 * 1024
"""Growth (bytes) since the last release that is returned once no command runs."""
MOST_GROWTH = 32 * 1024 * 1024
"""Growth (bytes) that is returned even while commands run."""
SHARE = 0.01
"""Share of the time that may be spent on it: the more is in use, the longer a collection takes."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_MALLOC = {_M_ARENA_MAX: 1, _M_MMAP_THRESHOLD: 1 << 20, _M_TRIM_THRESHOLD: 8 << 20}
"""Threads share one heap; blocks of a megabyte are mapped by themselves, always; a heap may end in 8 MB of free memory."""


class MemoryReleaser:
    """Measures this process's memory against that after the last release."""

    def __init__(self) -> None:
        self._bytes_after_release = _resident_bytes()
        self._next_release = 0.0
        self._is_configured = False

    def release_if_grown(self, *, is_idle: bool) -> None:
        """Collect garbage and return free pages, if the process has grown. Checking takes 30 µs."""
        if is_idle and not self._is_configured:
            self._is_configured = True
            _configure_malloc()
        started = time.monotonic()
        growth = _resident_bytes() - self._bytes_after_release
        if growth < (GROWTH if is_idle else MOST_GROWTH) or started < self._next_release:
            return
        gc.collect()
        _return_free_pages()
        self._bytes_after_release = _resident_bytes()
        now = time.monotonic()
        self._next_release = now + (now - started) / SHARE


def _resident_bytes() -> int:
    """Return the bytes that this process has in memory."""
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:  # another system
        import psutil  # takes 10 ms, for which no first command should wait

        return int(psutil.Process().memory_info().rss)


def _configure_malloc() -> None:
    """Have glibc return freed memory: 20 floods and 250 large replies took 87 MB without, 56 with it.

    Other C libraries have no `mallopt`, or do not need it.
    """
    with suppress(AttributeError):
        for what, value in _MALLOC.items():
            _c_library().mallopt(what, value)


def _return_free_pages() -> None:
    """Have the C library return free pages between used ones; glibc can."""
    with suppress(AttributeError):
        _c_library().malloc_trim(0)


def _c_library() -> Any:
    import ctypes  # takes 3 ms, for which no first command should wait

    return ctypes.CDLL(None)
