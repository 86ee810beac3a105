"""A run: the results of its tests, and what they were made with; to JSON and back. Pure.

The same record is a partial run (rewritten after each test) and a finished one.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime

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
    hostname: str = ""
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

    @property
    def when(self) -> datetime:
        """The time in the timestamp; the beginning of time where it says none."""
        try:
            when = datetime.fromisoformat(self.timestamp)
        except ValueError:
            return datetime.fromtimestamp(0, UTC)
        return when if when.tzinfo else when.replace(tzinfo=UTC)

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
        written: dict[str, object] = {
            "schema_version": SCHEMA,
            "run": self.name,
            "timestamp": self.timestamp,
            **asdict(self.setting),
            "seed": self.seed,
            "total_tests": len(self.tests),
            "passed": self.passed,
            "failed": self.failed,
            "total_cost_usd": self.cost_usd,
            "total_duration_ms": sum(test.duration_ms for test in self.tests),
            "wall_clock_ms": self.wall_clock_ms,
            "tests": [test.to_json() for test in self.tests],
        }
        return written | ({"_partial": True} if self.is_partial else {})


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
        is_partial=bool(read.get("_partial")),
        seed=whole_number(read.get("seed")),
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
