"""Workspaces and a site for tests of the daemon.

Tests that harm their daemon get a workspace of their own; the others of a module share one.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from tests.e2e.daemon.harness import ROOT, DaemonHarness, Site


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package: a daemon takes up every change of its code, also one made meanwhile."""
    place = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "gstack_browse", place / "gstack_browse")
    return place


@pytest.fixture
def home(package: Path) -> Iterator[DaemonHarness]:
    with home_of(DaemonHarness, package) as home:
        yield home


@pytest.fixture(scope="module")
def lasting(package: Path) -> Iterator[DaemonHarness]:
    """Return a home for a whole module, of tests that harm nothing or begin with `begin`."""
    with home_of(DaemonHarness, package) as home:
        yield home


Home = TypeVar("Home", bound=DaemonHarness)


@contextmanager
def home_of(kind: type[Home], package: Path) -> Iterator[Home]:
    """A workspace of that kind, until the block ends."""
    path = Path(tempfile.mkdtemp(prefix="gb-"))  # short: Chromium binds sockets below its temporary directory
    made = kind(path, package)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()
