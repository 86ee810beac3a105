"""Conduct a run: one test after the other, each result kept at once, the heartbeat before and after.

Knows no solver.
"""

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gstack_browse.text.sanitise import sanitise
from tests.evals.live import Heartbeat
from tests.evals.result import Result
from tests.evals.run import Run
from tests.evals.store import Store
from tests.evals.summary import figures, mark

BROKEN = "error_solver"
"""The exit reason of a test whose own code failed."""


@dataclass(frozen=True)
class Test:
    """A test to run: a task's name, and the tool it is solved with."""

    __test__ = False
    name: str
    suite: str
    tier: int = 2

    @property
    def key(self) -> str:
        return f"{self.suite}/{self.name}"


Solve = Callable[[Test], Result]


def conducted(tests: Sequence[Test], solve: Solve, store: Store, heartbeat: Heartbeat) -> Run:
    """Run the tests and keep the results so far; return the whole run."""
    began = time.monotonic()
    for done, test in enumerate(tests, 1):
        heartbeat.change(test=test.key, test_began=time.time(), turn=0, tools=0, last_tool="")
        result = guarded(solve, test)
        spent = round((time.monotonic() - began) * 1000)
        store.add(store.run.with_test(result, spent))
        store.progress(f"{mark(result)} {result.key} {result.why}".rstrip()[:500])
        heartbeat.change(done=done, failed=heartbeat.beat.failed + result.is_failure)
        print(sanitise(progress_line(result)), flush=True)
        if result.is_failure:
            _keep_failure(store, result)
    return replace(store.run, is_partial=False)


def progress_line(result: Result) -> str:
    """Return a test's line while the run is under way."""
    reason = "" if result.passed else f"\n    {result.why[:300]}"
    return f"{mark(result)} {result.key}  {figures(result)}{reason}"


def guarded(solve: Solve, test: Test) -> Result:
    """The result of a test, whatever its code does."""
    began = time.monotonic()
    try:
        return solve(test)
    except Exception as error:  # noqa: BLE001 - a mistake in a task's solver or check fails that test and no other
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__} at {where.name}:{where.lineno}: {error}"
        spent = round((time.monotonic() - began) * 1000)
        return Result(test.name, test.suite, test.tier, False, spent, exit_reason=BROKEN, error=said[:2000])


def _keep_failure(store: Store, result: Result) -> None:
    """Of a scripted solver; an agent's attempt has kept more already."""
    if not store.knows_failure(result.key):
        store.failure(
            result.key,
            {
                "test": result.key,
                "exit_reason": result.exit_reason,
                "error": result.error,
                "last_tool_call": result.last_tool_call,
                "calls": [call.input[:500] for call in result.tool_calls],
            },
        )
