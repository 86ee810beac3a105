"""Release memory after large replies, while no command runs; measure memory of processes.

Two things would keep the memory:

- A command's exceptions and tasks leave reference cycles, which hold all that it had: a tree of 90,000 lines, its text. Only a full
  collection frees them, and Python rarely starts one: it counts new container objects, not strings.
- glibc gives threads heaps of their own, and returns little of them: freed blocks are scattered over each heap.
"""

import gc
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import psutil  # takes 10 ms, for which no first command should wait

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
        """Collect garbage and return free memory to the system, if this process has grown since the last time.

        `is_idle`: no command runs, so GROWTH bytes are enough instead of MOST_GROWTH. Checking takes 30 µs.
        """
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
    """Return the resident memory (RSS) of this process in bytes."""
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:  # another system
        import psutil  # takes 10 ms, for which no first command should wait

        return int(psutil.Process().memory_info().rss)


def _configure_malloc() -> None:
    """Set glibc's malloc to return freed memory to the system sooner.

    20 page floods and 250 large replies took 87 MB without, 56 MB with it. Other C libraries lack `mallopt`, or do not need it.
    """
    with suppress(AttributeError):
        for what, value in _MALLOC.items():
            _load_c_library().mallopt(what, value)


def _return_free_pages() -> None:
    """Return free memory pages between used ones to the system (`malloc_trim`, which only glibc has)."""
    with suppress(AttributeError):
        _load_c_library().malloc_trim(0)


def _load_c_library() -> Any:
    """Load the C library of this process with ctypes."""
    import ctypes  # takes 3 ms, for which no first command should wait

    return ctypes.CDLL(None)


PROC = Path("/proc")


class ProcessMemory(NamedTuple):
    """Memory of some processes in bytes. `by_rss`: number of those measured by RSS, for lack of a PSS."""

    size: int
    processes: int
    by_rss: int

    @property
    def measure_name(self) -> str:
        """Return how the memory was measured: "PSS", or "RSS" (for some or all processes) with a remark.

        The remark says that RSS counts memory several times that processes share.
        """
        if not self.by_rss:
            return "PSS"
        name = "RSS"
        if self.by_rss < self.processes:
            name = f"PSS, but RSS for {self.by_rss} of {self.processes} processes"
        return f"{name}: shared memory is counted more than once"


def is_proc_foreign() -> bool:
    """Return whether /proc is of another PID namespace, as in a sandbox that mounts none of its own."""
    try:
        return (PROC / "self").readlink().name != str(os.getpid())
    except OSError:  # there is none
        return False


def measure(processes: "Iterable[psutil.Process]") -> ProcessMemory:
    """Add up the memory of processes, leaving out those that have ended. Blocks for about 5 ms a process."""
    import psutil

    size = count = by_rss = 0
    for process in processes:
        try:
            pss = _read_pss(process.pid)
            size += process.memory_info().rss if pss is None else pss
        except (psutil.Error, ProcessLookupError):
            continue
        count += 1
        by_rss += pss is None
    return ProcessMemory(size, count, by_rss)


def _read_pss(pid: int) -> int | None:
    """Return a process's memory (PSS: its share of shared pages) in bytes; None if the system hides it.

    That is so on macOS, on Linux before 4.14, and for a process that may not be traced. Raises ProcessLookupError for a
    process that has ended and that its parent has not waited for yet: it has no memory.
    """
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii")
    except ProcessLookupError:
        raise
    except OSError:
        return None
    sizes = [int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")]
    return sizes[0] * 1024 if sizes else None
