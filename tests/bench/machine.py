"""Says what machine the figures are from, and which versions of everything. Names no path."""

import datetime
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import psutil

from gstack_browse import __version__
from tests.bench.contestants import Tool


def describe(chromium: str, tools: Sequence[Tool]) -> dict[str, str]:
    """By name, in the order in which to show it."""
    peers = {tool.name: tool.version for tool in tools if tool.version}
    node = {"Node": _output_of(["node", "--version"])} if peers else {}
    return {
        "Date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "Processor": f"{_processor()}, {os.cpu_count()} cores",
        "Memory": f"{psutil.virtual_memory().total / 2**30:.1f} GiB",
        "System": f"{platform.system()} {platform.release()} {platform.machine()}",
        "Chromium": _output_of([chromium, "--version"]),
        "gbrowse": f"{__version__}, Python {platform.python_version()}, Playwright {version('playwright')}",
        **peers,
        **node,
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return _output_of(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.processor() or "unknown"


def _output_of(words: Sequence[str]) -> str:
    """Return the output of a program, in one line; "" where there is no such program."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(done.stdout.split())


def path_of_chromium() -> str:
    """The browser that gbrowse drives, for everyone."""
    command = [sys.executable, "-m", "gstack_browse.browser.launch.chromium"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
