"""Measure how long a cold start takes, and its costs: `python -m tests.bench.cold [OTHER]`.

OTHER is another checkout, measured in turn with this one.

In a workspace of its own: `goto` of a small page with no daemon, then `text` right after, then a pause, then `stop`. The table has what the shell waits
for the first and for both, and the processor time and memory (PSS) of the daemon and Chromium at the pause.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

from gstack_browse.daemon.base import memory as process_memory
from tests.bench.pages import served

ROOT = Path(__file__).parents[2]
ROUNDS = 15
PAUSE_SECONDS = 1.0
"""Longer than the daemon takes for what it does behind the first answers."""
COLUMNS = ("goto, ms", "goto and text, ms", "processor, ms", "memory, MB")


def once(checkout: Path, workspace: Path, url: str) -> tuple[float, float, float, float]:
    """Measure one cold start of the checkout: the four columns."""
    program = str(checkout / ".venv/bin/gbrowse")
    began = time.perf_counter()
    first = subprocess.run([program, "goto", url], cwd=workspace, capture_output=True, text=True, check=False)
    answered = time.perf_counter()
    second = subprocess.run([program, "text"], cwd=workspace, capture_output=True, text=True, check=False)
    both = time.perf_counter()
    if "Navigated" not in first.stdout or "Sign up" not in second.stdout:
        raise SystemExit(f"{checkout}: {first} {second}")
    time.sleep(PAUSE_SECONDS)
    processor, memory = _costs(workspace)
    subprocess.run([program, "stop"], cwd=workspace, capture_output=True, check=True)
    return (answered - began) * 1000, (both - began) * 1000, processor * 1000, memory / 1e6


def _costs(workspace: Path) -> tuple[float, float]:
    """Seconds of the processor and bytes of the daemon and everything that it has started."""
    daemon = psutil.Process(json.loads((workspace / ".gstack/browse.json").read_text())["pid"])
    ended = daemon.cpu_times()
    processor, memory = ended.children_user + ended.children_system, 0.0
    for process in [daemon, *daemon.children(recursive=True)]:
        with suppress(psutil.Error):
            times = process.cpu_times()
            processor += times.user + times.system
            memory += process_memory.measure([process]).size
    return processor, memory


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="*", type=Path, help="another checkout that was set up")
    wanted = parser.parse_args()
    checkouts = [ROOT, *(path.absolute() for path in wanted.other)]
    with served() as base, tempfile.TemporaryDirectory(prefix="cold") as place:
        for number in range(len(checkouts)):
            Path(place, str(number), ".git").mkdir(parents=True)
        found: list[list[tuple[float, ...]]] = [[] for _ in checkouts]
        for turn in range(ROUNDS + 2):
            for number, checkout in enumerate(checkouts):
                figures = once(checkout, Path(place, str(number)), f"{base}/form")
                if turn > 1:  # before that the start is written down, and caches are filled
                    found[number].append(figures)
    print(f"{'median (least)':44}" + "".join(f"{name:>20}" for name in COLUMNS))
    for checkout, rounds in zip(checkouts, found, strict=True):
        cells = [f"{statistics.median(column):.0f} ({min(column):.0f})" for column in zip(*rounds, strict=True)]
        print(f"{checkout!s:44.44}" + "".join(f"{cell:>20}" for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
