"""A run: the results of its tests, and what they were made with; to JSON and back.

The same record is a run that is under way, one that was killed and a finished one.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime

from tests.evals.result import Json, Result, from_json

SCHEMA = 2


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

    @property
    def when(self) -> datetime:
        return datetime.fromisoformat(self.timestamp)

    @property
    def passed(self) -> int:
        return sum(test.passed for test in self.tests)

    @property
    def cost_usd(self) -> float | None:
        """Return the known part of the cost; None where none is known."""
        return total(test.cost_usd for test in self.tests)

    def by_key(self) -> dict[str, Result]:
        return {test.key: test for test in self.tests}

    def with_test(self, test: Result, wall_clock_ms: int) -> "Run":
        return replace(self, tests=(*self.tests, test), wall_clock_ms=wall_clock_ms)

    def to_json(self) -> Json:
        record = asdict(self)
        return {"schema_version": SCHEMA, **record.pop("setting"), **record}


def run_from_json(raw: Json) -> Run:
    """Read a run. Raises ValueError for other JSON, or another schema."""
    try:
        if raw["schema_version"] != SCHEMA:
            raise ValueError(f"no run of schema {SCHEMA}")
        setting, run = (
            {field.name: raw[field.name] for field in fields(kind) if field.name in raw}
            for kind in (Setting, Run)
        )
        return Run(**run | {"setting": Setting(**setting), "tests": tuple(map(from_json, raw["tests"]))})
    except (LookupError, TypeError) as error:
        raise ValueError(f"this is no run: {error!r}") from error


def total(amounts: Iterable[float | None]) -> float | None:
    """The sum of what is known; None where nothing is."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
