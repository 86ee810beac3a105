"""Show a live view of the run that is under way.

The heartbeat and the results so far, drawn anew each second.

What is shown comes from files alone, so the view can be opened and closed at any time, and tells of a run that was killed.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import TextIO

from gstack_browse.text.sanitise import one_line
from tests.evals import live, store
from tests.evals.amounts import seconds
from tests.evals.live import Beat
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
    beat, run = read_state(root)
    if run is None and beat is None:
        print("There are no runs; the first one: bin/evals run", file=screen)
        return 1
    tick = Event()
    try:
        while beat is not None and not once:
            print(f"{clear}{frame(beat, run, time.time())}", file=screen, flush=True)
            tick.wait(1)
            beat, run = read_state(root)
    except KeyboardInterrupt:
        return 0
    print(frame(beat, run, time.time()), file=screen)
    return 0


def read_state(root: Path) -> tuple[Beat | None, Run | None]:
    """Return the heartbeat, if a process beats, and the results of its run so far.

    Else those of the newest run.
    """
    beat = live.alive(root)
    if beat is not None:
        return beat, store.partial(root)
    runs = store.runs(root)
    return None, runs[-1] if runs else None


def frame(beat: Beat | None, run: Run | None, now: float) -> str:
    """Return the current view."""
    lines = [_over(run, now)] if beat is None else list(_under_way(beat, now))
    if run is not None and (beat is None or run.name == beat.run):
        lines += _results(run.tests)
    return "\n".join(one_line(line, 160) for line in lines)


def warning(beat: Beat, now: float) -> str | None:
    """Return a warning for a run in which nothing moves."""
    still = now - beat.moved
    if still < STILL_SECONDS:
        return None
    return f"Nothing has moved for {seconds(still * 1000)}: look at e2e-runs/{beat.run}/progress.log, or end process {beat.pid}"


def _under_way(beat: Beat, now: float) -> Iterator[str]:
    yield f"{beat.run} {beat.agent} {seconds((now - beat.began) * 1000)}"
    yield f"{beat.done} of {beat.total} tests" + (f", {beat.failed} failed" if beat.failed else "")
    if beat.test:
        yield f"{beat.test} {seconds((now - beat.test_began) * 1000)}"
    if beat.turn or beat.tools:
        # Scripted solvers have no turns.
        turn = f"turn {beat.turn}, " if beat.turn else ""
        yield f"{turn}{beat.tools} calls, last moved {seconds((now - beat.moved) * 1000)} ago"
    if beat.last_tool:
        yield beat.last_tool
    if said := warning(beat, now):
        yield said


def _over(run: Run | None, now: float) -> str:
    if run is None:
        return "No run is under way"
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
