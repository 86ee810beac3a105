"""Test what is remembered of a start, and in which circumstances it is believed."""

import os
from pathlib import Path

import pytest

from gstack_browse.browser.launch import known_start

FLAGS = ["--one", "--user-data-dir=/tmp/profile-1", "--headless"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("BROWSE_EXTENSIONS_DIR", "BROWSE_CHROMIUM", "BROWSE_SANDBOX", "CI"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "chromium"
    path.write_text("")
    return path


def test_the_next_start_is_the_same_with_another_profile(program: Path) -> None:
    assert known_start.load() is None
    known_start.save(str(program), "/full", FLAGS)
    known = known_start.load()
    assert known
    assert known.command("/here") == [str(program), "--one", "--user-data-dir=/here", "--headless"]
    assert known.full == "/full"
    assert known.matches(["--one", "--user-data-dir=/tmp/profile-2", "--headless"])
    assert not known.matches(["--one", "--user-data-dir=/tmp/profile-2", "--headless", "--more"])


@pytest.mark.parametrize(
    "name", ["BROWSE_EXTENSIONS_DIR", "BROWSE_CHROMIUM", "BROWSE_SANDBOX", "CI", "PLAYWRIGHT_BROWSERS_PATH"]
)
def test_in_other_circumstances_it_is_not_known(
    program: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    known_start.save(str(program), "/full", FLAGS)
    monkeypatch.setenv(name, "1")
    assert known_start.load() is None


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "BROWSE_FENCE", "HOME", "TMPDIR"])
def test_remembered_start_is_recalled_with_an_unrelated_variable_changed(
    program: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    known_start.save(str(program), "/full", FLAGS)
    monkeypatch.setenv(name, "/somewhere/else")
    assert known_start.load()


def test_another_program_in_its_place_is_not_known(program: Path) -> None:
    known_start.save(str(program), "/full", FLAGS)
    program.unlink()
    assert known_start.load() is None
    program.write_text("upgraded")
    assert known_start.load() is None


def test_a_newer_playwright_is_not_known(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known_start.save(str(program), "/full", FLAGS)
    monkeypatch.setattr(known_start.playwright_internals, "is_known", lambda: False)
    assert known_start.load() is None


def test_forgotten_start_is_not_recalled(program: Path) -> None:
    known_start.save(str(program), "/full", FLAGS)
    known_start.delete()
    assert known_start.load() is None
    known_start.delete()


def test_flags_without_a_profile_are_not_remembered(program: Path) -> None:
    """Whoever started that one does it in a way that we do not know."""
    known_start.save(str(program), "/full", ["--one"])
    assert known_start.load() is None


def test_the_file_is_the_users_own_and_no_link_is_followed(program: Path, tmp_path: Path) -> None:
    known_start.save(str(program), "/full", FLAGS)
    [path] = (tmp_path / "cache/gbrowse/start").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert known_start.load() is None


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"\xff\0\xfe", os.urandom(200)])
def test_a_file_that_says_something_else_is_not_believed(program: Path, tmp_path: Path, content: bytes) -> None:
    known_start.save(str(program), "/full", FLAGS)
    [path] = (tmp_path / "cache/gbrowse/start").iterdir()
    path.write_bytes(content)
    assert known_start.load() is None
