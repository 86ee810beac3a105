"""Run many cases in one test, where a case takes less time than pytest takes for a test."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from _pytest.outcomes import Failed

Case = TypeVar("Case")


def each(
    cases: Iterable[Case], name: Callable[[Case], object] = repr
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Call the decorated test with each case as its first argument.

    All that fail are reported, each by its `name`.
    """
    chosen = list(cases)
    return lambda test: _test_of_all(test, chosen, name, lambda case: (case,), 1)


def each_row(*rows: Sequence[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Call the decorated test with each row's values as its first arguments. All that fail are reported."""
    return lambda test: _test_of_all(test, list(rows), repr, tuple, len(rows[0]))


def _test_of_all(
    test: Callable[..., Any],
    cases: list[Any],
    name: Callable[[Any], object],
    arguments: Callable[[Any], tuple[Any, ...]],
    count: int,
) -> Callable[..., Any]:
    """Return a test that runs `test` with the `count` arguments of each case and with fixtures."""

    @functools.wraps(test)
    def of_all(**fixtures: Any) -> None:
        with _all_reported(cases, name) as one:
            for case in cases:
                with one(case):
                    test(*arguments(case), **fixtures)

    @functools.wraps(test)
    async def awaited_of_all(**fixtures: Any) -> None:
        with _all_reported(cases, name) as one:
            for case in cases:
                with one(case):
                    await test(*arguments(case), **fixtures)

    made = awaited_of_all if inspect.iscoroutinefunction(test) else of_all
    signature = inspect.signature(test)
    fixtures = list(signature.parameters.values())[count:]
    made.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
    return made


@contextmanager
def _all_reported(
    cases: list[Case], name: Callable[[Case], object]
) -> Iterator[Callable[[Case], AbstractContextManager[None]]]:
    """Raise the failures of all cases together. What is given runs a case, and keeps its failure."""
    assert cases, "no case"
    failed: list[BaseException] = []

    @contextmanager
    def one(case: Case) -> Iterator[None]:
        try:
            yield
        except (Exception, Failed) as error:  # noqa: BLE001 - whatever a case raises is reported below
            error.add_note(f"The case is {name(case)}.")
            failed.append(error)

    yield one
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)
