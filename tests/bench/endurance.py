"""Measure a daemon over a thousand pages: memory, descriptors and latency.

A line for every hundred navigations.

python -m tests.bench.endurance                  1,000 navigations through three kinds of page
python -m tests.bench.endurance --tabs 200       the same with 200 tabs open beside the one that is used
python -m tests.bench.endurance --navigations 300 --page /table-1000
python -m tests.bench.endurance --hours 1        random commands, kills, floods and downloads instead: see soak
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from gstack_browse.client import Browse, connect
from gstack_browse.daemon import process_memory
from tests.bench.pages import served
from tests.bench.soak import soak

PAGES = ("/form", "/news", "/table-1000")
KINDS = ("daemon", "browser", "pages")
COMMANDS = ("goto", "snapshot", "url")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.endurance", description=__doc__)
    parser.add_argument("--navigations", type=int, default=1000)
    parser.add_argument("--tabs", type=int, default=0, help="tabs opened beforehand")
    parser.add_argument(
        "--page", action="append", help=f"a page to go to, in turn (default: {', '.join(PAGES)})"
    )
    parser.add_argument("--hours", type=float, help="how long to go on with faults of all kinds")
    parser.add_argument("--seed", type=int, default=1, help="what is random with --hours")
    options = parser.parse_args()
    if options.hours:
        sys.exit(soak(options.hours, options.seed))
    with served() as base, _browse() as browse:
        paths = options.page or PAGES
        _open_tabs(browse, base, options.tabs)
        print(
            "MB (proportional set size, 10⁶ bytes); fds: descriptors of the daemon; median ms of each command"
        )
        print(f"{'after':>6}" + "".join(f"{name:>10}" for name in (*KINDS, "processes", "fds", *COMMANDS)))
        browse("goto", base + paths[0])
        _print(browse, 0, {})
        for hundred in range(0, options.navigations, 100):
            spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
            for number in range(hundred, min(hundred + 100, options.navigations)):
                for words in (("goto", base + paths[number % len(paths)]), ("snapshot", "-i"), ("url",)):
                    begun = time.perf_counter()
                    browse(*words)
                    spent[words[0]].append((time.perf_counter() - begun) * 1000)
            _print(browse, min(hundred + 100, options.navigations), spent)


@contextmanager
def _browse() -> Iterator[Browse]:
    """A client of a new daemon, which is stopped afterwards."""
    with tempfile.TemporaryDirectory(prefix="endurance-", ignore_cleanup_errors=True) as place:
        Path(place, ".git").mkdir()
        os.environ.setdefault("BROWSE_MAX_TABS", "10000")
        with connect(workspace=place) as browse:
            try:
                yield browse
            finally:
                with suppress(Exception):
                    browse("stop")


def _open_tabs(browse: Browse, base: str, count: int) -> None:
    if not count:
        return
    spent = []
    for _ in range(count):
        begun = time.perf_counter()
        browse("newtab", base + "/form")
        spent.append((time.perf_counter() - begun) * 1000)
    ends = [statistics.median(spent[:10]), statistics.median(spent[-10:])]
    print(f"newtab: median {ends[0]:.0f} ms for the first ten, {ends[1]:.0f} ms for the last of {count}")
    for words in (("tabs",), ("status",), ("url",), ("tab", "2"), ("snapshot", "-i")):
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            browse(*words)
            times.append((time.perf_counter() - begun) * 1000)
        print(f"{' '.join(words)}: {statistics.median(times):.1f} ms")


def _print(browse: Browse, done: int, spent: dict[str, list[float]]) -> None:
    daemon = psutil.Process(int(_fact(browse("status"), "PID")))
    sizes = dict.fromkeys(KINDS, 0.0)
    family = [daemon, *daemon.children(recursive=True)]
    for process in family:
        with suppress(psutil.Error):
            sizes[_kind(process, daemon)] += process_memory.measure([process]).size / 1e6
    cells = [f"{sizes[kind]:10.1f}" for kind in KINDS]
    cells += [f"{len(family):10}", f"{daemon.num_fds():10}"]
    cells += [f"{statistics.median(spent[name]):10.1f}" for name in COMMANDS if name in spent]
    print(f"{done:6}" + "".join(cells), flush=True)


def _fact(status: str, name: str) -> str:
    return next(line.partition(": ")[2] for line in status.splitlines() if line.startswith(f"{name}: "))


def _kind(process: psutil.Process, daemon: psutil.Process) -> str:
    if process == daemon:
        return "daemon"
    return "pages" if "--type=renderer" in " ".join(process.cmdline()) else "browser"


if __name__ == "__main__":
    main()
