"""A workspace of its own for every test that harms the daemon, one for a module of those that do not, and a site."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.daemon.home import Home, Site


@pytest.fixture
def home() -> Iterator[Home]:
    yield from _home()


@pytest.fixture(scope="module")
def lasting() -> Iterator[Home]:
    """A home for a whole module of tests that harm nobody."""
    yield from _home()


def _home() -> Iterator[Home]:
    path = Path(tempfile.mkdtemp(prefix="gb-"))  # short: Chromium binds sockets below its temporary directory
    made = Home(path)
    yield made
    made.close()
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()
