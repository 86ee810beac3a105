"""A workspace with a page, and a package for Node that an example of docs/attach.md imports."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, sync_playwright

from tests.e2e.daemon.harness import ROOT, DaemonHarness
from tests.processes import run_program

PACKAGES = ROOT / ".venv/node"
DOCUMENT = (ROOT / "docs/attach.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\S+) -->\n```\w+\n(.*?)```", DOCUMENT, re.DOTALL))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("playwright")
            item.add_marker("own_browser")


@pytest.fixture
def page(lasting: DaemonHarness, origin: str) -> DaemonHarness:
    """A workspace whose browser shows a page with a button, a dialog and a download."""
    lasting.begin(f"http://{origin}/")
    return lasting


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def puppeteer() -> Path:
    """Return the directory with puppeteer-core. npm installs it, once for all runs."""
    if not shutil.which("npm"):
        pytest.skip("needs npm")
    if not (PACKAGES / "node_modules/puppeteer-core").is_dir():
        PACKAGES.mkdir(exist_ok=True)
        options = ["--no-fund", "--no-audit", "--fetch-retries=0", "--prefix"]
        words = ["npm", "install", *options, PACKAGES, "puppeteer-core"]
        done = run_program(words, timeout=240, cwd=tempfile.gettempdir())
        if done.returncode:
            pytest.skip(f"npm cannot install puppeteer-core: {done.stderr[-200:]}")
    return PACKAGES
