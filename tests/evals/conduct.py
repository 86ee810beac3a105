"""Conduct a run: one test after the other, each result kept at once. Knows no solver."""

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gstack_browse.text.sanitise import sanitise
from tests.evals.result import Result
from tests.evals.run import Run
from tests.evals.show import figures, mark
from tests.evals.store import Store

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


def conduct(tests: Sequence[Test], solve: Solve, store: Store) -> Run:
    """Run the tests and keep the results so far; return the whole run."""
    began = time.monotonic()
    for test in tests:
        result = _solve(solve, test)
        store.add(result, _milliseconds_since(began))
        reason = "" if result.passed else f"\n    {result.why[:300]}"
        print(sanitise(f"{mark(result)} {result.key}  {figures(result)}{reason}"), flush=True)
    return store.run


def _solve(solve: Solve, test: Test) -> Result:
    """The result of a test, whatever its code does."""
    began = time.monotonic()
    try:
        return solve(test)
    except Exception as error:  # noqa: BLE001 - a mistake in a task's solver or check fails that test and no other
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__} at {where.name}:{where.lineno}: {error}"
        spent = _milliseconds_since(began)
        return Result(test.name, test.suite, test.tier, False, spent, exit_reason=BROKEN, error=said[:2000])


def _milliseconds_since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
