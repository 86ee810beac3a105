"""Show a live view of the run that is under way.

The heartbeat and the results so far, drawn anew each second.

What is shown comes from files alone, so the view can be opened and closed at any time, and tells of a run that was killed.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

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
COLOURS = {"✓": "green", "✗": "red", "·": "dim"}


def watch(root: Path, *, once: bool = False, console: Console | None = None) -> int:
    """Draw until the run is over, or a key ends it. Returns 0; 1 where there is nothing to show."""
    console = console or Console()
    beat, run = read_state(root)
    if run is None and beat is None:
        console.print("There are no runs; the first one: bin/evals run")
        return 1
    if once or beat is None:
        console.print(frame(beat, run, time.time()))
        return 0
    tick = Event()
    try:
        with Live(frame(beat, run, time.time()), console=console, screen=console.is_terminal) as view:
            while beat is not None:
                tick.wait(1)
                beat, run = read_state(root)
                view.update(frame(beat, run, time.time()))
    except KeyboardInterrupt:
        return 0
    console.print(frame(None, run, time.time()))
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


def frame(beat: Beat | None, run: Run | None, now: float) -> RenderableType:
    """Return the current view."""
    parts: list[RenderableType] = [_over(run, now)] if beat is None else list(_under_way(beat, now))
    if run is not None and (beat is None or run.name == beat.run):
        parts += _results(run.tests)
    return Panel(Group(*parts), title="gbrowse evals", border_style="dim")


def warning(beat: Beat, now: float) -> str | None:
    """Return a warning for a run in which nothing moves."""
    still = now - beat.moved
    if still < STILL_SECONDS:
        return None
    return f"Nothing has moved for {seconds(still * 1000)}: look at e2e-runs/{beat.run}/progress.log, or end process {beat.pid}"


def _under_way(beat: Beat, now: float) -> list[RenderableType]:
    head = Text.assemble(
        (_safe(beat.run), "bold"), f"  {_safe(beat.agent)}  {seconds((now - beat.began) * 1000)}"
    )
    counts = Text(f"{beat.done} of {beat.total} tests")
    if beat.failed:
        counts.append(f"  {beat.failed} failed", "red")
    parts: list[RenderableType] = [head, ProgressBar(max(beat.total, 1), beat.done, width=60), counts]
    if beat.test:
        parts += ["", Text.assemble((_safe(beat.test), "bold"), f"  {seconds((now - beat.test_began) * 1000)}")]
    if beat.turn or beat.tools:
        # Scripted solvers have no turns.
        turn = f"turn {beat.turn}  " if beat.turn else ""
        moved = seconds((now - beat.moved) * 1000)
        parts.append(Text(f"{turn}{beat.tools} calls  last moved {moved} ago"))
    if beat.last_tool:
        parts.append(Text(_safe(beat.last_tool), "dim", no_wrap=True, overflow="ellipsis"))
    if said := warning(beat, now):
        parts.append(Text(said, "bold yellow"))
    return parts


def _over(run: Run | None, now: float) -> RenderableType:
    if run is None:
        return Text("No run is under way")
    if run.is_partial:
        return Text(f"{run.name} was ended before it was over; these are its results", "yellow")
    ago = seconds(max(0, now - run.when.timestamp()) * 1000)
    return Text(f"No run is under way; the last one, {run.name}, began {ago} ago")


def _results(tests: Sequence[Result]) -> list[RenderableType]:
    if not tests:
        return []
    table = Table(box=None, padding=(0, 1), show_header=False)
    # Failures are what one looks for: they stay when there is no room for all.
    failed = [test for test in tests if test.is_failure]
    latest = list(tests[-SHOWN:])
    for test in [test for test in failed[-SHOWN:] if test not in latest] + latest:
        sign = mark(test)
        cells = (
            Text(sign, COLOURS[sign]),
            _safe(test.key),
            figures(test),
            Text(_safe(test.why), "dim", no_wrap=True),
        )
        table.add_row(*cells)
    passed = sum(test.passed for test in tests)
    return ["", Text(f"{passed} of {len(tests)} passed"), table]


def _safe(words: str) -> str:
    return one_line(words, 120)
