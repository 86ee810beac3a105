"""BROWSE_PERSIST=1: what the browser holds outlives its daemon."""

import re
import shutil
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until

NOTE = r"Restored 2 tabs and 1 cookie of \d\d:\d\d\n"
WHO = "[localStorage.user, document.cookie, navigator.userAgent].join()"


@pytest.fixture
def own(home: DaemonHarness, tmp_path: Path) -> Path:
    """Return the directory in which the state is kept."""
    home.env |= {"BROWSE_PERSIST": "1", "GSTACK_HOME": str(tmp_path / "own")}
    home.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
    return tmp_path / "own/browser-state"


OPEN_DATABASE = """new Promise((done) => {
  indexedDB.open('shop', 7).onsuccess = (event) => { event.target.result.close(); done(1); }; })"""


def state_contains(own: Path, what: str) -> bool:
    return any(what.encode() in file.read_bytes() for file in own.glob("*.state"))


def fill_up(home: DaemonHarness, own: Path, url: str) -> None:
    """A session with a login, an item of storage and two tabs, which is kept."""
    home.must("goto", url)
    home.must("cookie-set", "sid", "s3cret")
    home.must("js", "localStorage.half = '\\ud800'; 1")
    home.must("storage-set", "theme", "dark")
    home.must("newtab", f"{url}#second")
    until(lambda: all(state_contains(own, kept) for kept in ("#second", "s3cret", '"dark"')))


def test_a_killed_daemon_an_idle_end_and_a_reboot_lose_nothing_of_any_context(
    home: DaemonHarness, own: Path, site: Site
) -> None:
    fill_up(home, own, site())
    home.must("--as", "ann", "goto", site())
    home.must("--as", "ann", "useragent", "ann/1.0")
    home.must("--as", "ann", "js", "document.cookie = 'user=ann'; localStorage.user = 'ann'")
    until(lambda: state_contains(own, "ann/1.0") and state_contains(own, '"user","value":"ann"'))
    (file,) = own.glob("*.state")
    assert (file.stat().st_mode & 0o777, own.stat().st_mode & 0o777) == (0o600, 0o700)
    assert "not encrypted: no keyring can be reached" in home.status()
    tabs = home.must("tabs")
    home.kill_daemon()
    home.env["BROWSE_IDLE_TIMEOUT"] = "5000"  # on a busy machine a client takes seconds to begin
    done = home.run("storage")
    assert (done.returncode, '"theme": "dark"' in done.stdout) == (0, True), done
    assert re.search(NOTE, done.stderr)
    with closing(home.connect()) as wire:
        assert wire.ask("js", "localStorage.half.charCodeAt(0)")["text"] == "55296"
        assert wire.ask("tabs")["text"] == tabs
        assert '"sid"' in wire.ask("cookies")["text"]
        theirs = wire.ask("js", WHO, **{"as": "ann"})
        assert "ann,user=ann,ann/1.0" in theirs["text"]
        assert re.search(r"Restored 1 tab and 1 cookie of \d\d:\d\d", str(theirs)), theirs
        wire.ask("context-close", "ann")
        until(lambda: not state_contains(own, "ann/1.0"))
        wire.ask("js", OPEN_DATABASE)
        daemon = home.daemon()
    until(lambda: not daemon.is_running() or daemon.status() == psutil.STATUS_ZOMBIE)

    shutil.rmtree(home.workspace / ".gstack")
    shutil.rmtree(home.runtime)
    home.runtime.mkdir(mode=0o700)
    del home.env["BROWSE_IDLE_TIMEOUT"]
    done = home.run("goto", f"{site()}?new")
    assert re.search(NOTE, done.stderr), done
    databases = home.must("js", "indexedDB.databases().then((all) => JSON.stringify(all))")
    assert databases == '[{"name":"shop","version":7}]'
    home.must("stop")
    assert not list(own.glob("*.state"))
    file.write_bytes(b"something else")
    assert "Nothing was restored: what an earlier daemon kept cannot be read" in home.run("goto", site()).stderr
    assert home.must("cookies") == "[]"
    assert ("Kept: nothing: " in home.status(), file.read_bytes()) == (True, b"something else")
