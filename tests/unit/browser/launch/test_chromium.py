"""Test which Chromium is found: Playwright's build before the system's, the headless shell where it will do."""

import json
import sys
from pathlib import Path

import pytest

from gstack_browse.browser.launch import chromium, executables
from gstack_browse.errors import SetupFailed
from gstack_browse.settings import Settings

BROWSERS = {"chromium": "1255", "chromium-headless-shell": "1256"}
"""Revisions of Playwright's builds."""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Playwright's full Chromium and its headless shell, as its installer lays them out, in a package of its own."""
    package = tmp_path / "site/playwright/driver/package"
    package.mkdir(parents=True)
    browsers = [{"name": name, "revision": revision} for name, revision in BROWSERS.items()]
    (package / "browsers.json").write_text(json.dumps({"browsers": browsers}, indent=2))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "builds"))
    paths = {
        "full": tmp_path / "builds/chromium-1255/chrome-linux64/chrome",
        "shell": tmp_path / "builds/chromium_headless_shell-1256/chrome-linux/headless_shell",
    }
    for path in paths.values():
        path.parent.mkdir(parents=True)
        path.write_text("")
        path.chmod(0o755)
    return paths


def test_the_headless_shell_is_taken_where_it_will_do_and_else_the_full_one(installed: dict[str, Path]) -> None:
    assert chromium.find_executable(Settings()) == installed["shell"]
    assert chromium.find_executable(Settings(), full=True) == installed["full"]
    installed["shell"].unlink()
    assert chromium.find_executable(Settings()) == installed["full"]
    installed["full"].unlink()
    assert executables.find_playwright_build(full=True) == ""


def test_builds_may_be_in_the_package_itself_but_of_no_other_revision(
    installed: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "0")
    inside = tmp_path / "site/playwright/driver/package/.local-browsers"
    (tmp_path / "builds").rename(inside)
    found = executables.find_playwright_build()
    assert found.startswith(f"{inside}/chromium_headless_shell-1256/")
    for folder in list(inside.iterdir()):
        folder.rename(folder.with_name(f"{folder.name}0"))
    assert executables.find_playwright_build() == ""


def test_missing_chromium_is_not_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", ["/nowhere"])
    assert executables.find_playwright_build() == ""
    with pytest.raises(SetupFailed, match="which cannot be run"):
        chromium.find_executable(Settings(chromium=tmp_path / "none"))


@pytest.mark.programs
@pytest.mark.playwright
def test_the_installed_playwright_says_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ask it where its full Chromium would be, and put a program there."""
    from playwright.sync_api import sync_playwright

    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    path.parent.mkdir(parents=True)
    path.write_text("")
    path.chmod(0o755)
    assert executables.find_playwright_build(full=True) == str(path)
