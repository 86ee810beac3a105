"""Marks every test by the folder it lies in: unit, browser (also `commands/`) or e2e."""

from pathlib import Path

import pytest

FOLDERS = {"browser": "browser", "commands": "browser", "e2e": "e2e"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            folder = item.path.relative_to(here).parts[0]
            item.add_marker(FOLDERS.get(folder, "unit"))
