"""Medians of page loading times from several outputs of `perf`, and their comparison with a baseline."""

import re
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from statistics import median
from typing import NamedTuple

from gstack_browse.errors import ActionFailed, FileFailed
from gstack_browse.text.table_output import align_columns

MAX_CHARACTERS = 5_000_000
_LINE = r"(?m)^([A-Za-z]+) +([0-9]{1,9})ms$"


class Median(NamedTuple):
    """The median of a phase's times in milliseconds, of `runs` measurements."""

    milliseconds: int
    runs: int


def read_outputs(path: Path) -> str:
    """Read a file with outputs of the command `perf`, at most MAX_CHARACTERS. Raises OSError."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(MAX_CHARACTERS)


def parse_medians(text: str) -> dict[str, Median]:
    """Return loading phase → median of its times in outputs of `perf`. Raises FileFailed without any."""
    times: dict[str, list[int]] = {}
    for phase, milliseconds in re.findall(_LINE, text):
        times.setdefault(phase, []).append(int(milliseconds))
    if not times:
        raise FileFailed("The file holds no times", "Make one: gbrowse perf >> now.txt, after each load")
    return {phase: Median(ceil(median(found)), len(found)) for phase, found in times.items()}


def render_table(now: Mapping[str, Median]) -> str:
    """Render a table with a row for each phase of loading: its name, number of measurements, and median."""
    rows = [("PHASE", "RUNS", "MEDIAN")]
    rows += [(phase, str(found.runs), f"{found.milliseconds}ms") for phase, found in now.items()]
    return align_columns(rows)


def render_comparison(
    now: Mapping[str, Median], before: Mapping[str, Median], *, percent: int, milliseconds: int
) -> str:
    """Render a table with each loading phase's baseline (`before`), median (`now`) and verdict.

    `percent`, `milliseconds`: see `compare_medians`. Raises ActionFailed, with the table as output, if a phase is SLOWER.
    """
    rows = [("PHASE", "RUNS", "BASELINE", "MEDIAN", "VERDICT")]
    for phase, found in now.items():
        old = before.get(phase)
        was = f"{old.milliseconds}ms" if old else "-"
        verdict = compare_medians(found, old, percent, milliseconds)
        rows.append((phase, str(found.runs), was, f"{found.milliseconds}ms", verdict))
    table = align_columns(rows)
    if slower := [row[0] for row in rows if row[-1] == "SLOWER"]:
        raise ActionFailed(
            f"Slower than the baseline: {', '.join(slower)}",
            "Measure again before you believe it: machines are noisy",
            output=table,
        )
    return table


def compare_medians(now: Median, before: Median | None, percent: int, milliseconds: int) -> str:
    """Compare medians: "SLOWER" or "FASTER" beyond both limits, else "same"; "new" without `before`.

    `percent` (of `before`) and `milliseconds` are the limits.
    """
    if before is None:
        return "new"
    difference = now.milliseconds - before.milliseconds
    if abs(difference) <= milliseconds or abs(difference) * 100 <= before.milliseconds * percent:
        return "same"
    return "SLOWER" if difference > 0 else "FASTER"
