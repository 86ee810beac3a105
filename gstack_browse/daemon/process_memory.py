"""Measures the memory of processes, for `status` and benchmarks. Not heaps: `browser/tabs/heaps.py`.

PSS (proportional set size) counts a page of memory that n processes share as 1/n for each, so that a sum is what the system would get back. RSS
counts it in full for each: Chromium's processes share so much that their sum is two to four times too large.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import psutil  # takes 10 ms, for which no first command should wait

PROC = Path("/proc")


class ProcessMemory(NamedTuple):
    """Memory of some processes in bytes. `by_rss`: number of those measured by RSS, for lack of a PSS."""

    size: int
    processes: int
    by_rss: int

    @property
    def measure(self) -> str:
        """The name of the measure, with a warning if shared memory is counted more than once."""
        if not self.by_rss:
            return "PSS"
        name = "RSS"
        if self.by_rss < self.processes:
            name = f"PSS, but RSS for {self.by_rss} of {self.processes} processes"
        return f"{name}: shared memory is counted more than once"


def measure(processes: "Iterable[psutil.Process]") -> ProcessMemory:
    """Measure the processes together, without those that have ended. Blocks for about 5 ms a process."""
    import psutil

    size = count = by_rss = 0
    for process in processes:
        try:
            pss = _read_pss(process.pid)
            size += process.memory_info().rss if pss is None else pss
        except psutil.Error:
            continue
        count += 1
        by_rss += pss is None
    return ProcessMemory(size, count, by_rss)


def _read_pss(pid: int) -> int | None:
    """Return the PSS of a process in bytes, or None where the system does not tell it.

    That is so on macOS, on Linux before 4.14, and for a process that may not be traced.
    """
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return None
    sizes = [int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")]
    return sizes[0] * 1024 if sizes else None
