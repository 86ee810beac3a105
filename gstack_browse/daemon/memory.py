"""Gives back the memory that large answers took, when nobody waits.

Two things would keep it. Playwright looks at the stack of each call to it and leaves the frames behind in a cycle, with
all that the command came to hold in them (a tree of 90,000 lines, its text): that is freed by a full collection, which
Python does after so many new objects, and strings are none. And what is freed lies scattered over the heap. glibc would also
give threads heaps of their own, and soon take all that is large from them, and return little of it.
"""

import gc
import os
import time
from contextlib import suppress
from typing import Any

GROWTH = 8 * 1024 * 1024
"""So many bytes more than after the last time are given back once nobody uses the daemon."""
MOST_GROWTH = 32 * 1024 * 1024
"""So many, in any case."""
SHARE = 0.01
"""How much of the time may be spent on it: the more there is in use, the longer a collection takes."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_MALLOC = {_M_ARENA_MAX: 1, _M_MMAP_THRESHOLD: 1 << 20, _M_TRIM_THRESHOLD: 8 << 20}
"""Threads share a heap; what has a megabyte lies in no heap, whatever was freed before; a heap may end in so much that is free."""


class Memory:
    """What this process takes, and what it took when it was last tidy."""

    def __init__(self) -> None:
        self._kept = _taken()
        self._rests_until = 0.0
        self._saves = False

    def tidy(self, *, is_idle: bool) -> None:
        """Free what nobody can reach, if the process has grown: some ms, see SHARE. To find out takes 30 µs."""
        if is_idle and not self._saves:
            self._saves = True
            _save_memory()
        begun = time.monotonic()
        growth = _taken() - self._kept
        if growth < (GROWTH if is_idle else MOST_GROWTH) or begun < self._rests_until:
            return
        gc.collect()
        _return_free_pages()
        self._kept = _taken()
        now = time.monotonic()
        self._rests_until = now + (now - begun) / SHARE


def _taken() -> int:
    """Bytes that this process has in memory."""
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:  # another system
        import psutil  # takes 10 ms, which no first command is to wait for

        return int(psutil.Process().memory_info().rss)


def _save_memory() -> None:
    """Have glibc return what is freed, see docs/decisions/0062-memory.md; other C libraries have no `mallopt`, or no need of it."""
    with suppress(AttributeError):
        for what, value in _MALLOC.items():
            _c_library().mallopt(what, value)


def _return_free_pages() -> None:
    """Have the C library return what lies free between things in use; glibc can."""
    with suppress(AttributeError):
        _c_library().malloc_trim(0)


def _c_library() -> Any:
    import ctypes  # takes 3 ms, which no first command is to wait for

    return ctypes.CDLL(None)
