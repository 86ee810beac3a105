"""Show a live view of the run under way: its results so far and last step, drawn anew each second.

What is shown comes from files alone, so the view can be opened and closed at any time, and tells of a run that was killed.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TextIO

from gstack_browse.text.sanitise import one_line
from tests.evals import store
from tests.evals.amounts import seconds
from tests.evals.result import Result
from tests.evals.run import Run
from tests.evals.summary import figures, mark

STILL_SECONDS = 600
"""A run in which nothing moved for so long is worth a warning."""
SHOWN = 15
CLEAR = "\x1b[H\x1b[2J"
"""Empties the screen of a terminal."""


def watch(root: Path, *, once: bool = False, screen: TextIO | None = None) -> int:
    """Draw until the run is over, or a key ends it. Returns 0; 1 where there is nothing to show."""
    screen = screen or sys.stdout
    clear = CLEAR if screen.isatty() else ""
    tick = Event()
    with suppress(KeyboardInterrupt):
        while runs := store.runs(root):
            run = next((run for run in reversed(runs) if run.is_under_way), runs[-1])
            print(f"{clear}{frame(run, *_last_step(root, run), time.time())}", file=screen, flush=True)
            if once or not run.is_under_way:
                return 0
            tick.wait(1)
        print("There are no runs; the first one: bin/evals run", file=screen)
        return 1
    return 0


def _last_step(root: Path, run: Run) -> tuple[str, float]:
    """Return the last line of the run's log, and when it was written."""
    path = root / "e2e-runs" / run.name / store.LOG
    lines = store.read_file(root, run.name, store.LOG).decode("utf-8", "replace").splitlines()
    return (lines[-1], path.stat().st_mtime) if lines else ("", run.when.timestamp())


def frame(run: Run, step: str, moved: float, now: float) -> str:
    """Return the current view. `step`: the last one, which was taken at `moved`."""
    lines = list(_under_way(run, step, moved, now)) if run.is_under_way else [_over(run, now)]
    return "\n".join(one_line(line, 160) for line in (*lines, *_results(run.tests)))


def _under_way(run: Run, step: str, moved: float, now: float) -> Iterator[str]:
    failed = sum(test.is_failure for test in run.tests)
    still = seconds((now - moved) * 1000)
    yield f"{run.name} {run.setting.agent} {seconds((now - run.when.timestamp()) * 1000)}"
    yield f"{len(run.tests)} of {run.total} tests" + (f", {failed} failed" if failed else "")
    yield f"{step}, {still} ago"
    if now - moved >= STILL_SECONDS:
        yield f"Nothing has moved for {still}: look at e2e-runs/{run.name}/{store.LOG}, or end process {run.pid}"


def _over(run: Run, now: float) -> str:
    if run.is_partial:
        return f"{run.name} was ended before it was over; these are its results"
    ago = seconds(max(0, now - run.when.timestamp()) * 1000)
    return f"No run is under way; the last one, {run.name}, began {ago} ago"


def _results(tests: Sequence[Result]) -> Iterator[str]:
    # Failures are what one looks for: they stay when there is no room for all.
    failed = [test for test in tests if test.is_failure]
    latest = list(tests[-SHOWN:])
    yield f"{sum(test.passed for test in tests)} of {len(tests)} passed"
    for test in [test for test in failed[-SHOWN:] if test not in latest] + latest:
        yield f"{mark(test)} {test.key} {figures(test)} {test.why}"
