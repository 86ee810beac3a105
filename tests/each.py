"""One test of many cases, where a case takes less time than pytest takes for a test."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from _pytest.outcomes import Failed

Case = TypeVar("Case")


def each(
    cases: Iterable[Case], name: Callable[[Case], object] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the decorated test with each case as its first argument. All that fail are reported, each by its `name`."""
    chosen = list(cases)

    def of(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def of_all(**fixtures: Any) -> None:
            assert chosen, "no case"
            failed: list[BaseException] = []
            for case in chosen:
                try:
                    test(case, **fixtures)
                except (Exception, Failed) as error:  # noqa: BLE001 - whatever a case raises is reported below
                    error.add_note(f"The case is {name(case)}.")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(chosen)} cases", failed)

        signature = inspect.signature(test)
        fixtures = list(signature.parameters.values())[1:]
        of_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return of_all

    return of
