"""Marks every test by the folder it lies in: unit, browser (also `commands/`) or e2e. The slowest kind runs first.

With `BROWSE_WIRE=0` tests of the pipe are not collected, and the others run without it. Slow rows of the fault matrix
(`tests/faults`) run with `--slow` only.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.faults import Seen
from tests.faults.plugin import row_of

FOLDERS = {"browser": "browser", "commands": "browser", "e2e": "e2e", "faults": "e2e"}
SLOWEST_FIRST = ("e2e", "browser", "unit")
"""A long file that begins last keeps one core busy while the others have nothing left to do."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run slow rows of the fault matrix, too")


@pytest.fixture
def seen(record_property: Callable[[str, object], None]) -> Seen:
    """Say what was seen, for the line that `python -m tests.faults` prints."""
    return partial(record_property, "seen")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        items[:] = [item for item in items if not ((row := row_of(item)) and row.slow)]
    if os.environ.get("BROWSE_WIRE") == "0":
        items[:] = [item for item in items if not item.get_closest_marker("pipe")]
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            folder = item.path.relative_to(here).parts[0]
            item.add_marker(FOLDERS.get(folder, "unit"))
    items.sort(
        key=lambda item: next(
            (rank for rank, kind in enumerate(SLOWEST_FIRST) if item.get_closest_marker(kind)), 0
        )
    )
