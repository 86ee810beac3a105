"""Runs the measurements and prints the table. `--peers` adds the peers, interleaved on the same pages."""

import argparse
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.bench.contestants import Contestant, Gbrowse, PlaywrightCli, peers
from tests.bench.pages import served

STEPS = (
    "goto /form", "url", "js", "snapshot form", "click", "fill", "screenshot",
    "goto /news", "text news", "snapshot news",
    "goto /table-1000", "snapshot 1,000 rows",
    "goto /table-10000", "snapshot 10,000 rows",
    "goto /frames-50", "snapshot 50 frames",
)  # fmt: skip
SLOW = {
    "snapshot 10,000 rows",
    "goto /table-10000",
    "snapshot 1,000 rows",
    "goto /table-1000",
    "snapshot 50 frames",
}


def main() -> None:
    """Print everything that was asked for."""
    parser = argparse.ArgumentParser(prog="bin/bench", description=__doc__)
    parser.add_argument(
        "--peers", action="store_true", help="install agent-browser and @playwright/cli, and measure them too"
    )
    parser.add_argument("--rounds", type=int, default=15, help="times each command is run (default 15)")
    parser.add_argument("--only", default="", help="only steps that contain this text")
    options = parser.parse_args()
    print(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n"
    )
    contestants: list[Contestant] = [Gbrowse(), *(peers() if options.peers else [])]
    with served() as base:
        try:
            print(interpreter(), "\n")
            print(cold_starts(base, options.rounds // 3 or 1), "\n")
            for contestant in contestants:
                _open(contestant, base)
            print(commands(contestants, base, options.rounds, options.only), "\n")
            print(requests(contestants[0]))
        finally:
            for contestant in contestants:
                contestant.stop()


def _open(contestant: Contestant, base: str) -> None:
    if isinstance(contestant, PlaywrightCli):
        contestant.open(base)
    words = contestant.words("goto /form", base)
    assert words
    done = contestant.run(words)
    if done.returncode:
        sys.exit(
            f"{contestant.name} cannot open a page: {done.stderr.decode()[-400:]} {done.stdout.decode()[-400:]}"
        )


def interpreter() -> str:
    """What a Python client cannot be faster than."""
    times = []
    for _ in range(30):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        times.append(time.perf_counter() - begun)
    return f"bare interpreter (-I -S): {_ms(times)} ms"


def cold_starts(base: str, rounds: int) -> str:
    """From nothing to a page: daemon, driver, Chromium, goto."""
    times = []
    for _ in range(rounds):
        contestant = Gbrowse()
        begun = time.perf_counter()
        done = contestant.run(["goto", base + "/form"])
        times.append(time.perf_counter() - begun)
        assert done.returncode == 0, done.stderr
        contestant.stop()
    return f"cold start and goto: {_ms(times)} ms (median of {rounds})"


def commands(contestants: Sequence[Contestant], base: str, rounds: int, only: str) -> str:
    """Whole-process wall time of each command, everyone in turn; the ratio is ours to the best peer's."""
    lines = [
        f"{'command':22}" + "".join(f"{c.name:>16}" for c in contestants) + f"{'ratio':>8}{'characters':>12}"
    ]
    for step in STEPS:
        if only and only not in step and not step.startswith("goto"):
            continue
        repetitions = max(rounds // 3, 3) if step in SLOW else rounds
        if only and only not in step:
            repetitions = 1
        times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
        sizes: dict[str, int] = {}
        for _ in range(repetitions):
            for contestant in contestants:
                words = contestant.words(step, base)
                if words is None:
                    continue
                begun = time.perf_counter()
                done = contestant.run(words)
                times[contestant.name].append(time.perf_counter() - begun)
                sizes[contestant.name] = len(done.stdout.decode(errors="replace"))
                if done.returncode:
                    times[contestant.name] = [float("nan")]
        lines.append(_row(step, contestants, times, sizes))
    return "\n".join(lines)


def _row(
    step: str, contestants: Sequence[Contestant], times: dict[str, list[float]], sizes: dict[str, int]
) -> str:
    medians = {name: statistics.median(values) * 1000 for name, values in times.items() if values}
    cells = "".join(f"{medians[c.name]:16.1f}" if c.name in medians else f"{'–':>16}" for c in contestants)
    others = [value for name, value in medians.items() if name != contestants[0].name and value == value]
    ratio = f"{medians[contestants[0].name] / min(others):8.2f}" if others else f"{'–':>8}"
    return f"{step:22}{cells}{ratio}{sizes.get(contestants[0].name, 0):12}"


def requests(contestant: Contestant) -> str:
    """Trivial requests a second on one connection, one at a time and pipelined."""
    path = contestant.workspace / ".gstack/browse.sock"
    line = json.dumps({"cmd": "url", "reply": "json"}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        file = client.makefile("rb")
        begun = time.perf_counter()
        for _ in range(3000):
            client.sendall(line)
            file.readline()
        alone = 3000 / (time.perf_counter() - begun)
        begun = time.perf_counter()
        for _ in range(300):
            client.sendall(line * 32)
            for _ in range(32):
                file.readline()
        together = 9600 / (time.perf_counter() - begun)
    return f"requests a second on one connection: {alone:,.0f} one at a time, {together:,.0f} pipelined"


def _ms(times: Sequence[float]) -> str:
    return f"{statistics.median(times) * 1000:.1f}"


main()
