"""Measure how long a cold start takes, and its costs: `python -m tests.bench.cold [OTHER]`.

OTHER is another checkout, measured in turn with this one.

In a workspace of its own: `goto` of a small page with no daemon, then `text` right after, then a pause, then `stop`. The table has what the shell waits
for the first and for both, and the processor time and memory (PSS) of the daemon and Chromium at the pause.
"""

import argparse
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench.contestants import ROOT, Contestant, Tool, entered
from tests.bench.memory import daemon_of, memory, processor_seconds
from tests.bench.pages import served

ROUNDS = 15
PAUSE_SECONDS = 1.0
"""Longer than the daemon takes for what it does behind the first answers."""
COLUMNS = ("goto, ms", "goto and text, ms", "processor, ms", "memory, MB")


def once(one: Contestant, url: str) -> tuple[float, ...]:
    """Measure one cold start: the four columns."""
    first, second = one.must("goto", url), one.must("text")
    if "Sign up" not in second.output:
        raise SystemExit(f"{one.name}: {first} {second}")
    time.sleep(PAUSE_SECONDS)
    ended = daemon_of(one.workspace).cpu_times()  # of processes that have ended
    processor = processor_seconds(one) + ended.children_user + ended.children_system
    costs = processor * 1000, sum(memory(one).values())
    one.must("stop")
    return first.ms, first.ms + second.ms, *costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="*", type=Path, help="another checkout that was set up")
    checkouts = [ROOT, *(path.absolute() for path in parser.parse_args().other)]
    with served() as base, ExitStack() as stack:
        tools = [Tool(str(path), [str(path / ".venv/bin/gbrowse")], {"stop": ["stop"]}) for path in checkouts]
        several = [stack.enter_context(entered(tool)) for tool in tools]
        found: list[list[tuple[float, ...]]] = [[] for _ in several]
        for turn in range(ROUNDS + 2):
            for one, rows in zip(several, found, strict=True):
                figures = once(one, f"{base}/form")
                if turn > 1:  # before that the start is written down, and caches are filled
                    rows.append(figures)
    print(f"{'median (least)':44}" + "".join(f"{name:>20}" for name in COLUMNS))
    for checkout, rows in zip(checkouts, found, strict=True):
        cells = [f"{statistics.median(column):.0f} ({min(column):.0f})" for column in zip(*rows, strict=True)]
        print(f"{checkout!s:44.44}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
