"""Measure memory and processor time of all processes of a tool.

Shared pages are counted once.
"""

import psutil

from gstack_browse.daemon.base import memory as process_memory
from tests.bench.contestants import Contestant


def memory(one: Contestant) -> dict[str, float]:
    """MB (10⁶ bytes) by kind of process: as `status` measures it."""
    kinds: dict[str, float] = {}
    for process in one.family():
        try:
            kind = _kind(process)
        except psutil.Error:
            continue
        kinds[kind] = round(kinds.get(kind, 0) + process_memory.measure([process]).size / 1e6, 1)
    return kinds


def processor_seconds(one: Contestant) -> float:
    """Return the processor time that all of its running processes have taken until now."""
    seconds = 0.0
    for process in one.family():
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        seconds += times.user + times.system
    return seconds


def _kind(process: psutil.Process) -> str:
    """`tool` is a tool's own processes, or `Node` where they run in that; `browser` and `pages` are Chromium's."""
    words = " ".join(process.cmdline())
    if "--type=renderer" in words:
        return "pages"
    if "chrom" in process.exe() or "headless_shell" in process.exe():
        return "browser"
    return "Node" if "node" in process.name() else "tool"
