"""Workspaces and sites for end-to-end tests.

Tests that harm their daemon get a workspace of their own; the others of a module share one.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from tests.commands.web import Web
from tests.e2e.daemon.harness import ROOT, DaemonHarness, Site
from tests.e2e.serving import Answering, serving


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package, so that a change of the checkout during a run restarts no daemon."""
    place = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "gstack_browse", place / "gstack_browse")
    return place


@pytest.fixture
def home(package: Path) -> Iterator[DaemonHarness]:
    with temporary_home(DaemonHarness, package) as home:
        yield home


@pytest.fixture(scope="module")
def lasting(package: Path) -> Iterator[DaemonHarness]:
    """Return a home for a whole module, of tests that harm nothing or begin with `begin`."""
    with temporary_home(DaemonHarness, package) as home:
        yield home


Home = TypeVar("Home", bound=DaemonHarness)


@contextmanager
def temporary_home(kind: type[Home], package: Path) -> Iterator[Home]:
    """Make a workspace with a harness of class `kind`. Close and remove both at the end."""
    path = Path(tempfile.mkdtemp(prefix="gb-"))  # short: Chromium binds sockets below its temporary directory
    made = kind(path, package)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return a workspace without anything in it, for a client or a user of a test's own."""
    return make_workspace(tmp_path)


def make_workspace(directory: Path) -> Path:
    path = directory / "work"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """The site of the commands' tests, whose pages a test writes."""
    server = Web()
    yield server
    server.close()


PAGE = b"""<!doctype html><title>Home</title><h1>Welcome</h1>
<button onclick="document.title='Signed in'">Sign in</button>"""
DIALOG_AND_DOWNLOAD = b"""<button id=ask onclick="document.title=confirm('Really?')">Ask</button>
<a id=file download=facts.txt href="data:text/plain,abc">Facts</a>"""


class _Documented(Answering):
    """`/index.html` is the page of the documents' examples; any other has a dialog and a download besides."""

    def get(self) -> None:
        self.answer(PAGE if self.path == "/index.html" else PAGE + DIALOG_AND_DOWNLOAD)


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    """Serve the page that the examples of the documents go to. Yields host and port."""
    with serving(_Documented) as port:
        yield f"localhost:{port}"
