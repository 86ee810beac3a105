"""Measure memory and processor time of all processes of a tool.

Shared pages are counted once.
"""

import json
from pathlib import Path

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
    return sum(map(seconds_of, one.family()))


def seconds_of(process: psutil.Process) -> float:
    """Return the processor time that a process has taken until now; 0 where it is gone."""
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def daemon_of(workspace: Path) -> psutil.Process:
    """Return the daemon of gbrowse in a workspace."""
    return psutil.Process(json.loads((workspace / ".gstack/browse.json").read_text())["pid"])


def _kind(process: psutil.Process) -> str:
    """`tool` is a tool's own processes, or `Node` where they run in that; `browser` and `pages` are Chromium's."""
    words = " ".join(process.cmdline())
    if "--type=renderer" in words:
        return "pages"
    if "chrom" in process.exe() or "headless_shell" in process.exe():
        return "browser"
    return "Node" if "node" in process.name() else "tool"
