"""Measure what filming costs: commands, the processor on a still page, the size of a film.

bin/bench film
bin/bench film --rounds 50
bin/bench film --watched
bin/bench film --traced

Two daemons have the same page, and only the first one films, is watched by a window that draws at once, or traces. They take turns: all
commands in one, one directly after the other, as a script has them; then, after a rest, in the other. The pictures that follow the last
command fall into that rest.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import psutil

from tests.bench.contestants import gbrowse
from tests.bench.pages import served

ROUNDS = 30
STILL_SECONDS = 10.0
REST_SECONDS = 0.5
WAYS = {
    "filmed": "film the first one (default)",
    "watched": "watch the first one",
    "traced": "trace the first one",
}
STEPS = (
    ("goto", "{base}/news"),
    ("snapshot", "-i"),
    ("scroll", "down"),
    ("text",),
    ("goto", "{base}/form"),
    ("fill", "#email", "ann@example.org"),
    ("click", "#go"),
)


def main(words: Sequence[str]) -> None:
    """Print a line for each command, and the other figures."""
    parser = argparse.ArgumentParser(prog="bin/bench film", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"times each command is run (default {ROUNDS})"
    )
    for way, how in WAYS.items():
        parser.add_argument(f"--{way}", action="store_const", dest="way", const=way, default="filmed", help=how)
    options = parser.parse_args(words)
    rounds, way = options.rounds, options.way
    with ExitStack() as stack:
        base = stack.enter_context(served())
        folders = [
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gbrowse-bench-"))) for _ in range(2)
        ]
        for folder in folders:
            (folder / ".git").mkdir()
            _run(folder, "goto", f"{base}/news")
            stack.callback(_run, folder, "stop")
        _begin(way, folders[0])
        before = [_seconds_used(*_processes(folder)) for folder in folders]
        _compare(folders, base, rounds, way)
        used = [
            1000 * (_seconds_used(*_processes(folder)) - seconds) / (rounds * len(STEPS))
            for folder, seconds in zip(folders, before, strict=True)
        ]
        print(f"processor for a command, of daemon and Chromium: {way} {used[0]:.1f} ms, not {used[1]:.1f} ms")
        _measure_still(folders, base, way)
        if way != "filmed":
            return
        began = time.perf_counter()
        print(_run(folders[0], "film-stop", "--sheet", "sheet.png").strip())
        print(f"film-stop took {time.perf_counter() - began:.1f} s")


def _begin(way: str, folder: Path) -> None:
    """Film, trace, or watch in a window that draws each picture at once."""
    if way == "filmed":
        _run(folder, "film-start", "film.webm")
    elif way == "traced":
        _run(folder, "trace-start")
    else:
        address = _run(folder, "watch").split()[1]
        is_open = threading.Event()
        threading.Thread(target=lambda: asyncio.run(_watch(address, is_open)), daemon=True).start()
        if not is_open.wait(10):
            raise TimeoutError("The watch page sends no picture")


async def _watch(address: str, is_open: threading.Event) -> None:
    """Draw pictures until the daemon closes the page. Set `is_open` at the first one."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        async with client.get(address):
            pass
        live = f"{origin}{parts.path}live"
        async with client.ws_connect(live, headers={"Origin": origin}, max_msg_size=0) as socket:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.BINARY:
                    is_open.set()
                    await socket.send_str('{"do":"drawn"}')


def _compare(folders: Sequence[Path], base: str, rounds: int, way: str) -> None:
    """Run all commands in both daemons, and in the other order the next time."""
    times: dict[tuple[str, ...], list[list[float]]] = {step: [[], []] for step in STEPS}
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            for step in STEPS:
                began = time.perf_counter()
                _run(folders[which], *(word.format(base=base) for word in step))
                times[step][which].append(1000 * (time.perf_counter() - began))
            time.sleep(REST_SECONDS)
    print(f"{'':<24} {way:>9} {'not':>9}  median of the pairs' ratios")
    ratios = []
    for step, (filmed, plain) in times.items():
        own = [one / other for one, other in zip(filmed, plain, strict=True)]
        ratios += own
        name = " ".join(word.replace("{base}", "") for word in step)
        print(
            f"{name:<24} {statistics.median(filmed):6.1f} ms {statistics.median(plain):6.1f} ms  {statistics.median(own):.3f}"
        )
    print(f"{'all':<45} {statistics.median(ratios):.3f}")


def _measure_still(folders: Sequence[Path], base: str, way: str) -> None:
    for folder in folders:
        _run(folder, "goto", f"{base}/news")
    daemons = [_processes(folder)[0] for folder in folders]
    time.sleep(2)
    before = [_seconds_used(daemon) for daemon in daemons]
    time.sleep(STILL_SECONDS)
    for name, daemon, used in zip((way, "not"), daemons, before, strict=True):
        share = 100 * (_seconds_used(daemon) - used) / STILL_SECONDS
        print(f"a still page, {name}: the daemon takes {share:.1f} % of a core")


def _processes(folder: Path) -> list[psutil.Process]:
    """Return the daemon and the processes of its Chromium."""
    daemon = psutil.Process(json.loads((folder / ".gstack/browse.json").read_text())["pid"])
    return [daemon, *daemon.children(recursive=True)]


def _seconds_used(*processes: psutil.Process) -> float:
    times = [process.cpu_times() for process in processes]
    return float(sum(each.user + each.system for each in times))


def _run(folder: Path, *words: str) -> str:
    program = gbrowse()[0].program
    return subprocess.run([*program, *words], cwd=folder, check=True, capture_output=True, text=True).stdout
