"""The desktop session in which a daemon was started may end: a logout, a closed ssh connection."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.owner import Owner, needs_keyring


@pytest.fixture
def owner(tmp_path: Path, workspace: Path) -> Iterator[Owner]:
    owner = Owner(tmp_path / "home")
    yield owner
    owner.gbrowse(workspace, "stop")


@needs_keyring
def test_the_browser_outlives_the_session_bus(owner: Owner, workspace: Path) -> None:
    with owner.bus():
        started = owner.gbrowse(workspace, "goto", "about:blank")
        assert started.returncode == 0, started.stderr
    assert owner.gbrowse(workspace, "js", "1 + 1").stdout == "2\n"
