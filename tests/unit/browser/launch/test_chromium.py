from pathlib import Path

import pytest

from gstack_browse.browser.launch import chromium


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, Path]:
    """Playwright's full Chromium and its headless shell, as its installer lays them out."""
    paths = {
        "full": tmp_path / "chromium-1255/chrome-linux64/chrome",
        "shell": tmp_path / "chromium_headless_shell-1255/chrome-linux/headless_shell",
    }
    for path in paths.values():
        path.parent.mkdir(parents=True)
        path.write_text("")
        path.chmod(0o755)
    return paths


def test_the_headless_shell_is_taken_where_it_will_do(installed: dict[str, Path]) -> None:
    assert chromium.find_playwright_build(installed["full"], shell=True) == installed["shell"]


def test_a_window_and_extensions_need_the_full_one(installed: dict[str, Path]) -> None:
    assert chromium.find_playwright_build(installed["full"], shell=False) == installed["full"]
    installed["full"].unlink()
    assert chromium.find_playwright_build(installed["full"], shell=False) is None


def test_playwrights_directory_is_not_taken_for_a_browser(tmp_path: Path) -> None:
    assert chromium.find_playwright_build(tmp_path, shell=False) is None
