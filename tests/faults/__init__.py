"""Define the fault matrix: what is done to gbrowse, what is promised then, and the test that shows it.

python -m tests.faults                every row, with the slow ones: about ten minutes, a line each
python -m tests.faults --only kill    rows that have this in their group, their words or their test's name
python -m tests.faults --write-docs   put the table of promises into docs/reliability.md

A row is a test like any other, wherever it lies, marked with `fault`:

    from tests.faults import fault

    @fault("Kills", "Chromium is killed while nobody asks", "the next command says once what was lost (6)")
    def test_after_a_death_in_idleness(home: DaemonHarness, site: Site, seen: Seen) -> None:
        ...
        seen(f"said after {seconds:.1f} s")  # optional: printed beside the result

The group is one of GROUPS, which is the order of the table. `bin/test` runs the row, too, unless it is marked `slow=True`,
as one should be that takes longer than about two seconds. Afterwards: `python -m tests.faults --write-docs`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., object])
Seen = Callable[[str], None]
"""Of the fixture `seen`: what a row has to show beside that it passed."""

ROOT = Path(__file__).parents[2]
GROUPS = (
    "Kills", "Races", "Hangs", "Connections", "Floods", "Enormous pages", "Downloads", "Hostile pages",
    "Files and hosts that pages must not reach", "Planted files", "Full disks", "Environments", "Clocks",
)  # fmt: skip
ROWS: list["Row"] = []
"""All rows of the test modules that were imported in this process."""


@dataclass(frozen=True)
class Row:
    """A promise: `test` is the path and name of the test that shows it."""

    group: str
    done: str
    promised: str
    test: str
    slow: bool


def fault(group: str, done: str, promised: str, *, slow: bool = False) -> Callable[[Test], Test]:
    """Mark a test as a row of the matrix."""
    assert group in GROUPS, f"{group!r} is none of GROUPS"

    def mark(test: Test) -> Test:
        path = Path(inspect.unwrap(test).__code__.co_filename).relative_to(ROOT)  # type: ignore[attr-defined]
        row = Row(group, done, promised, f"{path}::{test.__name__}", slow)  # type: ignore[attr-defined]
        ROWS.append(row)
        return pytest.mark.fault(row)(test)

    return mark


def row_of(item: pytest.Item) -> Row | None:
    mark = item.get_closest_marker("fault")
    return mark.args[0] if mark else None
