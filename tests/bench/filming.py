"""Measure what filming costs: commands, the processor on a still page, the size of a film.

bin/bench film
bin/bench film --rounds 50

Two daemons have the same page, and only the first one films. Each command is run in both, one directly after the other.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil

from tests.bench.contestants import gbrowse
from tests.bench.pages import served

ROUNDS = 30
STILL_SECONDS = 10.0
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
    rounds = parser.parse_args(words).rounds
    with ExitStack() as stack:
        base = stack.enter_context(served())
        folders = [
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gbrowse-bench-"))) for _ in range(2)
        ]
        for folder in folders:
            (folder / ".git").mkdir()
            _run(folder, "goto", f"{base}/news")
            stack.callback(_run, folder, "stop")
        _run(folders[0], "film-start", "film.webm")
        before = [_seconds_used(*_processes(folder)) for folder in folders]
        _compare(folders, base, rounds)
        used = [
            1000 * (_seconds_used(*_processes(folder)) - seconds) / (rounds * len(STEPS))
            for folder, seconds in zip(folders, before, strict=True)
        ]
        print(f"processor for a command, of daemon and Chromium: filmed {used[0]:.1f} ms, not {used[1]:.1f} ms")
        _measure_still(folders, base)
        began = time.perf_counter()
        print(_run(folders[0], "film-stop", "--sheet", "sheet.png").strip())
        print(f"film-stop took {time.perf_counter() - began:.1f} s")


def _compare(folders: Sequence[Path], base: str, rounds: int) -> None:
    """Run each command in both daemons, and in the other order the next time."""
    times: dict[tuple[str, ...], list[list[float]]] = {step: [[], []] for step in STEPS}
    for turn in range(rounds):
        for step in STEPS:
            for which in (0, 1) if turn % 2 else (1, 0):
                began = time.perf_counter()
                _run(folders[which], *(word.format(base=base) for word in step))
                times[step][which].append(1000 * (time.perf_counter() - began))
    print(f"{'':<24} {'filmed':>9} {'not':>9}  median of the pairs' ratios")
    ratios = []
    for step, (filmed, plain) in times.items():
        own = [one / other for one, other in zip(filmed, plain, strict=True)]
        ratios += own
        name = " ".join(word.replace("{base}", "") for word in step)
        print(
            f"{name:<24} {statistics.median(filmed):6.1f} ms {statistics.median(plain):6.1f} ms  {statistics.median(own):.3f}"
        )
    print(f"{'all':<45} {statistics.median(ratios):.3f}")


def _measure_still(folders: Sequence[Path], base: str) -> None:
    for folder in folders:
        _run(folder, "goto", f"{base}/news")
    daemons = [_processes(folder)[0] for folder in folders]
    time.sleep(2)
    before = [_seconds_used(daemon) for daemon in daemons]
    time.sleep(STILL_SECONDS)
    for name, daemon, used in zip(("filmed", "not"), daemons, before, strict=True):
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
