"""A run: the results of its tests, and what they were made with; to JSON and back.

The same record is a run that is under way, one that was killed and a finished one.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime

import psutil

from tests.evals.result import Json, Result, from_json, mapping, real, sequence, text, whole_number

SCHEMA = 1


@dataclass(frozen=True)
class Setting:
    """Setting of a run: it says which runs can be compared."""

    version: str = ""
    """Of gbrowse."""
    branch: str = ""
    git_sha: str = ""
    git_dirty: bool = False
    tier: int = 2
    agent: str = ""
    """`scripted`, or the program that works on the tasks."""
    model: str | None = None
    tasks: str = ""
    """Which tasks: empty for our own, else a benchmark's name."""


@dataclass(frozen=True)
class Run:
    """All results of a run. `name` is its file's, and that of its directory of transcripts."""

    name: str
    timestamp: str
    """When it began: ISO 8601, UTC."""
    setting: Setting
    tests: tuple[Result, ...] = ()
    wall_clock_ms: int = 0
    is_partial: bool = False
    seed: int | None = None
    """What its tasks were made with."""
    total: int = 0
    """How many tests it is to have."""
    pid: int = 0
    """The process that runs it, and when that began: numbers are used again."""
    born: float = 0

    @property
    def when(self) -> datetime:
        """The time in the timestamp; the beginning of time where it says none."""
        try:
            when = datetime.fromisoformat(self.timestamp)
        except ValueError:
            return datetime.fromtimestamp(0, UTC)
        return when if when.tzinfo else when.replace(tzinfo=UTC)

    @property
    def order(self) -> tuple[datetime, str]:
        """Sorts runs, oldest first."""
        return self.when, self.name

    @property
    def is_under_way(self) -> bool:
        """Whether the process that writes it still runs."""
        try:
            return self.is_partial and abs(psutil.Process(self.pid).create_time() - self.born) < 1
        except (psutil.Error, ValueError, OverflowError):
            return False

    @property
    def passed(self) -> int:
        return sum(test.passed for test in self.tests)

    @property
    def failed(self) -> int:
        return len(self.tests) - self.passed

    @property
    def cost_usd(self) -> float | None:
        """Return the known part of the cost; None where none is known."""
        return total(test.cost_usd for test in self.tests)

    def by_key(self) -> dict[str, Result]:
        return {test.key: test for test in self.tests}

    def with_test(self, test: Result, wall_clock_ms: int) -> "Run":
        return replace(self, tests=(*self.tests, test), wall_clock_ms=wall_clock_ms)

    def to_json(self) -> dict[str, object]:
        record = asdict(self)
        return {"schema_version": SCHEMA, "run": record.pop("name"), **record.pop("setting"), **record}


def run_from_json(raw: object, fallback: str) -> Run:
    """Read a run. Results that are none are left out.

    Raises ValueError where it is no run, or of another schema.

    `fallback`: its name where it says none.
    """
    read = mapping(raw)
    if read.get("schema_version") != SCHEMA or not isinstance(read.get("tests"), list):
        raise ValueError(f"no run of schema {SCHEMA}")
    name = text(read.get("run")) or fallback
    return Run(
        # It becomes a path.
        name=name if re.fullmatch(r"\w[\w.-]{0,100}", name) else fallback,
        timestamp=text(read.get("timestamp")) or "",
        setting=_setting(read),
        tests=tuple(_results(sequence(read["tests"]))),
        wall_clock_ms=whole_number(read.get("wall_clock_ms")) or 0,
        is_partial=bool(read.get("is_partial")),
        seed=whole_number(read.get("seed")),
        total=whole_number(read.get("total")) or 0,
        pid=whole_number(read.get("pid")) or 0,
        born=real(read.get("born")) or 0,
    )


def total(amounts: Iterable[float | None]) -> float | None:
    """The sum of what is known; None where nothing is."""
    known = [number for amount in amounts if (number := real(amount)) is not None]
    return sum(known) if known else None


def _setting(read: Json) -> Setting:
    return Setting(**{field.name: read[field.name] for field in fields(Setting) if field.name in read})  # type: ignore[arg-type]


def _results(tests: Iterable[object]) -> Iterable[Result]:
    for test in tests:
        try:
            yield from_json(mapping(test))
        except ValueError:
            continue
