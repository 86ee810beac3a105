from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.evals.result import Result
from tests.evals.run import Run, Setting

BEGAN = datetime(2026, 3, 14, 14, 0, tzinfo=UTC)


def outcome(
    name: str = "order", *, passed: bool = True, calls: int = 10, chars: int = 4000, **more: object
) -> Result:
    return replace(Result(name, "gbrowse", 2, passed, 3000, turns_used=calls, chars_out=chars), **more)


def run_of(*tests: Result, after_minutes: int = 0, partial: bool = False, **setting: object) -> Run:
    when = BEGAN + timedelta(minutes=after_minutes)
    made = replace(Setting("0.3", "main", "abcdef123", False, 2, "scripted"), **setting)
    return Run(f"e2e-{when:%Y%m%d-%H%M%S}", when.isoformat(), made, tests, 9000, partial)
