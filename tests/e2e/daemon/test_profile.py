"""Test `BROWSE_PROFILE`: data of pages is there in the next daemon.

No other daemon gets the directory meanwhile.
"""

from pathlib import Path

import pytest

from tests import chromiums
from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.foreign import foreign

LOGIN = "localStorage.name = 'ann'; document.cookie = 'login=1; max-age=9999'; document.cookie = 'visit=1'"
KEPT = "[localStorage.name, document.cookie].join()"


@pytest.fixture
def profile(home: DaemonHarness) -> Path:
    """A directory that is not there yet."""
    path = home.workspace.parent / "deep/profile"
    home.env["BROWSE_PROFILE"] = str(path)
    return path


def test_storage_of_a_profile_outlives_the_daemon_and_one_browser_has_it_at_a_time(
    home: DaemonHarness, profile: Path, site: Site, tmp_path: Path
) -> None:
    home.must("goto", site("/"))
    assert profile.stat().st_mode & 0o777 == 0o700
    assert profile.parent.stat().st_mode & 0o777 == 0o700
    home.must("js", LOGIN)
    both = home.must("js", KEPT)
    assert both in ("ann,login=1; visit=1", "ann,visit=1; login=1")

    assert home.must("--as", "bob", "goto", site("/")).startswith("Navigated")
    assert home.must("--as", "bob", "js", KEPT) == ",", "a context beside the profile begins with nothing"
    assert "context-close bob" in home.fails(1, "useragent", "Probe/1.0")
    home.must("context-close", "bob")
    home.must("useragent", "Probe/1.0")
    assert home.must("js", f"navigator.userAgent + {KEPT}") == f"Probe/1.0{both}", (
        "in the same tab, with its logins"
    )
    home.must("restart")
    assert home.must("js", f"navigator.userAgent + {KEPT}") == f"Probe/1.0{both}"
    home.must("state-save", "kept.json")
    assert "--as <name> state-load" in home.fails(1, "state-load", "kept.json")
    assert home.must("--as", "bob", "state-load", "kept.json").startswith("State loaded")
    assert home.must("--as", "bob", "js", KEPT) == both
    assert home.must("js", KEPT) == both
    home.must("context-close", "bob")

    home.must("js", "localStorage.name = 'eve'")
    second = DaemonHarness(tmp_path, home.package)
    second.env["BROWSE_PROFILE"] = str(profile)
    try:
        assert "another gbrowse has" in second.fails(1, "goto", site("/"))
        home.must("stop")
        second.must("goto", site("/"))
        assert second.must("js", KEPT) == "eve,login=1", (
            "a cookie without a date ends with the browser, as everywhere"
        )
        assert second.must("tabs").count("\n") == 0
        second.kill_daemon()
        second.until_gone()
        assert home.run("goto", site("/")).returncode == 0, "what a killed daemon held is free"
        home.must("stop")
    finally:
        second.close()


def test_a_chromium_that_has_it_is_named(home: DaemonHarness, profile: Path, site: Site) -> None:
    with foreign(profile, chromiums.needed_full()) as browser:
        profile.chmod(0o700)
        assert f"process {browser.process.pid}" in home.fails(1, "goto", site("/"))


def test_unsuitable_directory_for_a_profile_is_refused(home: DaemonHarness, profile: Path, site: Site) -> None:
    def refused() -> str:
        return home.fails(1, "goto", site("/"))

    profile.parent.mkdir()
    profile.touch()
    assert "cannot be used" in refused()
    profile.unlink()
    profile.mkdir()
    assert "chmod 700" in refused(), "it is open to others"
    home.must("stop")
    home.env["HOME"] = str(profile.parent)
    theirs = profile.parent / ".config/google-chrome"
    theirs.mkdir(parents=True)
    home.env["BROWSE_PROFILE"] = str(theirs / "Default")
    assert "gbrowse connect" in refused(), "it is a person's"
