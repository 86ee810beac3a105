"""A workspace of its own for every test that harms the daemon, one for a module of those that do not, and a site."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness, Site


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a copy of the package lies: a daemon takes up every change of its code, also one made meanwhile."""
    place = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "gstack_browse", place / "gstack_browse")
    return place


@pytest.fixture
def home(package: Path) -> Iterator[DaemonHarness]:
    yield from _home(package)


@pytest.fixture(scope="module")
def lasting(package: Path) -> Iterator[DaemonHarness]:
    """A home for a whole module of tests that harm nobody."""
    yield from _home(package)


def _home(package: Path) -> Iterator[DaemonHarness]:
    path = Path(tempfile.mkdtemp(prefix="gb-"))  # short: Chromium binds sockets below its temporary directory
    made = DaemonHarness(path, package)
    yield made
    made.close()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()
