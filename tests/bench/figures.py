"""The raw figures of a run as plain records, and as JSON. Pure."""

import dataclasses
import json
import re
import statistics
from dataclasses import dataclass, field
from typing import Any

OURS = ("gbrowse", "Python client", "gbrowse --all")
"""All against one daemon: the native client, the Python one, and snapshots that fold nothing."""


@dataclass
class Runs:
    """Runs of one action by one tool.

    Wall times in ms, the length of its answer, and what was wrong with it.
    """

    ms: list[float] = field(default_factory=list)
    characters: int = 0
    fault: str = ""
    """Why the times do not count: it hung, failed, answered wrongly, or had no effect."""
    extrapolated: bool = False
    """The time is what the whole would take at the rate of a part."""

    @property
    def median(self) -> float | None:
        """In ms; None where nothing counts."""
        return None if self.fault or not self.ms else statistics.median(self.ms)


Row = dict[str, Runs]
"""By the tool's name; a tool that has no such command is not in it."""


@dataclass
class Figures:
    """Everything that a run found out."""

    machine: dict[str, str] = field(default_factory=dict)
    tools: list[str] = field(default_factory=list)
    """In the order of the columns; ours come first."""
    floor: dict[str, float] = field(default_factory=dict)
    """What starting a process costs, ms: nothing at all, a bare interpreter."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Tools that could not open a page, and why."""
    cold: Row = field(default_factory=dict)
    steps: dict[str, Row] = field(default_factory=dict)
    hundred: dict[str, Row] = field(default_factory=dict)
    """100 commands, ms for all of them, by the way they were sent."""
    requests: dict[str, float] = field(default_factory=dict)
    """`url` a second on one connection."""
    memory: dict[str, dict[str, float]] = field(default_factory=dict)
    """Proportional set size in MB by tool and kind of process."""
    seconds: float = 0

    def to_json(self) -> str:
        lines = json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False)
        # A list of times on one line.
        return re.sub(r"\[[\d.,\s]+\]", lambda found: " ".join(found[0].split()), lines) + "\n"


def from_json(text: str) -> Figures:
    raw: dict[str, Any] = json.loads(text)
    raw["cold"] = _row(raw["cold"])
    for table in ("steps", "hundred"):
        raw[table] = {name: _row(row) for name, row in raw[table].items()}
    return Figures(**raw)


def _row(raw: dict[str, Any]) -> Row:
    return {name: Runs(**runs) for name, runs in raw.items()}


def ratio(row: Row, ours: str = "gbrowse") -> float | None:
    """Our median to the least of the peers'; None where either is missing. Below 1 ours is faster."""
    peers = [runs.median for name, runs in row.items() if name not in OURS and runs.median is not None]
    mine = row[ours].median if ours in row else None
    return mine / min(peers) if peers and mine is not None else None
