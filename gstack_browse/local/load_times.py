"""Medians of load times that `perf` printed, and their comparison with a baseline."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gstack_browse.errors import ActionFailed, FileFailed
from gstack_browse.text.columns import align_columns

MAX_BYTES = 5_000_000
_LINE = r"(?m)^([A-Za-z]+) +([0-9]{1,9})ms$"


class Median(NamedTuple):
    """The median of a phase's times in milliseconds, of `runs` measurements."""

    milliseconds: int
    runs: int


def read_times(path: Path) -> str:
    """Read the file's text."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(MAX_BYTES)


def parse_medians(text: str) -> dict[str, Median]:
    """Return each phase's median, in the order of the file. Raises FileFailed if it contains no times."""
    times: dict[str, list[int]] = {}
    for phase, milliseconds in re.findall(_LINE, text):
        times.setdefault(phase, []).append(int(milliseconds))
    if not times:
        raise FileFailed("The file holds no times", "Make one: gbrowse perf >> now.txt, after each load")
    return {phase: Median(_median(sorted(found)), len(found)) for phase, found in times.items()}


def _median(ordered: list[int]) -> int:
    """Return the median of sorted numbers, rounded up."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half] + 1) // 2


def render_table(now: Mapping[str, Median]) -> str:
    """Render a table with a row for each phase."""
    rows = [("PHASE", "RUNS", "MEDIAN")]
    rows += [(phase, str(found.runs), f"{found.milliseconds}ms") for phase, found in now.items()]
    return align_columns(rows)


def render_comparison(
    now: Mapping[str, Median], before: Mapping[str, Median], *, percent: int, milliseconds: int
) -> str:
    """Render a table with each phase's baseline, median and verdict.

    Raises ActionFailed, with the table as output, if a phase is SLOWER.
    """
    rows = [("PHASE", "RUNS", "BASELINE", "MEDIAN", "VERDICT")]
    for phase, found in now.items():
        old = before.get(phase)
        was = f"{old.milliseconds}ms" if old else "-"
        rows.append(
            (
                phase,
                str(found.runs),
                was,
                f"{found.milliseconds}ms",
                compare_medians(found, old, percent, milliseconds),
            )
        )
    if slower := [row[0] for row in rows if row[-1] == "SLOWER"]:
        failure = ActionFailed(
            f"Slower than the baseline: {', '.join(slower)}",
            "Measure again before you believe it: machines are noisy",
        )
        failure.output = align_columns(rows)
        raise failure
    return align_columns(rows)


def compare_medians(now: Median, before: Median | None, percent: int, milliseconds: int) -> str:
    """Return "SLOWER" or "FASTER" if a phase differs by more than both limits, "same", or "new"."""
    if before is None:
        return "new"
    difference = now.milliseconds - before.milliseconds
    if abs(difference) <= milliseconds or abs(difference) * 100 <= before.milliseconds * percent:
        return "same"
    return "SLOWER" if difference > 0 else "FASTER"
