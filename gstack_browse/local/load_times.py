"""Load times from what `perf` printed: medians by phase, and which of them have changed. Pure but for reading the file."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gstack_browse.errors import ActionFailed, FileFailed
from gstack_browse.text.columns import aligned

MAX_BYTES = 5_000_000
_LINE = r"(?m)^([A-Za-z]+) +([0-9]{1,9})ms$"


class Median(NamedTuple):
    """The middle of several times of one phase, in milliseconds."""

    milliseconds: int
    runs: int


def text_of(path: Path) -> str:
    """The file's text."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(MAX_BYTES)


def medians(text: str) -> dict[str, Median]:
    """Each phase's median, in the order of the file. Raises FileFailed where there is no time in it."""
    times: dict[str, list[int]] = {}
    for phase, milliseconds in re.findall(_LINE, text):
        times.setdefault(phase, []).append(int(milliseconds))
    if not times:
        raise FileFailed("The file holds no times", "Make one: gbrowse perf >> now.txt, after each load")
    return {phase: Median(_middle(sorted(found)), len(found)) for phase, found in times.items()}


def _middle(ordered: list[int]) -> int:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half] + 1) // 2


def table(now: Mapping[str, Median]) -> str:
    """A row for each phase."""
    rows = [("PHASE", "RUNS", "MEDIAN")]
    rows += [(phase, str(found.runs), f"{found.milliseconds}ms") for phase, found in now.items()]
    return aligned(rows)


def compared(
    now: Mapping[str, Median], before: Mapping[str, Median], *, percent: int, milliseconds: int
) -> str:
    """A row for each phase, with what it was and a verdict. Raises ActionFailed, with the table, if one is SLOWER."""
    rows = [("PHASE", "RUNS", "BASELINE", "MEDIAN", "VERDICT")]
    for phase, found in now.items():
        old = before.get(phase)
        was = f"{old.milliseconds}ms" if old else "-"
        rows.append(
            (phase, str(found.runs), was, f"{found.milliseconds}ms", verdict(found, old, percent, milliseconds))
        )
    if slower := [row[0] for row in rows if row[-1] == "SLOWER"]:
        failure = ActionFailed(
            f"Slower than the baseline: {', '.join(slower)}",
            "Measure again before you believe it: machines are noisy",
        )
        failure.output = aligned(rows)
        raise failure
    return aligned(rows)


def verdict(now: Median, before: Median | None, percent: int, milliseconds: int) -> str:
    """Whether a phase has changed by more than both limits."""
    if before is None:
        return "new"
    difference = now.milliseconds - before.milliseconds
    if abs(difference) <= milliseconds or abs(difference) * 100 <= before.milliseconds * percent:
        return "same"
    return "SLOWER" if difference > 0 else "FASTER"
