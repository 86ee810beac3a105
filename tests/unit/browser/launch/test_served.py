"""Test that messages of a Playwright server are translated, without its address."""

import json
import re
from pathlib import Path

import playwright
import pytest

from gstack_browse.browser.launch.served import explain_refusal
from tests.e2e.daemon.harness import ROOT

MISMATCH = """BrowserType.connect: WebSocket error: wss://b.example/t0ps3cret 428 Precondition Required
║ Playwright version mismatch:                                    ║
║   - server version: v1.50                                       ║
║   - client version: v1.65                                       ║"""


@pytest.mark.parametrize(
    ("said", "ours", "hint"),
    [
        (MISMATCH, "Playwright 1.50, and gbrowse has 1.65", "npx playwright@1.65 run-server"),
        ("BrowserType.connect: Executable doesn't exist at /root/x", "has no Chromium", "playwright install"),
        ("BrowserType.connect: WebSocket error: wss://b.example/t0ps3cret 401 Unauthorized", "refuses", "BROWSE_REMOTE_HEADERS"),
        ("BrowserType.connect: connect ECONNREFUSED wss://b.example/t0ps3cret\nCall log: t0ps3cret", "No Playwright server", "run-server"),
    ],
)  # fmt: skip
def test_refusal_of_a_playwright_server_is_explained_without_its_token(said: str, ours: str, hint: str) -> None:
    failure = explain_refusal(said, "b.example")
    assert ours in failure.message
    assert hint in failure.hint
    assert "t0ps3cret" not in failure.message + failure.hint


def test_the_compose_file_has_the_version_that_is_installed() -> None:
    folder = Path(playwright.__path__[0], "driver/package")
    installed = json.loads((folder / "package.json").read_text())["version"]
    written = re.findall(r"playwright@([\d.]+)", (ROOT / "deploy/playwright.compose.yaml").read_text())
    assert set(written) == {installed}
