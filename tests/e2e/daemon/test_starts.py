"""Test a browser that does not come up, or ends at once.

An answer comes in time, and says where to look and what to type.
"""

import sys
import time
from pathlib import Path

import pytest

from tests.browser.launch import stand_in
from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import fault
from tests.processes import run_program


@pytest.fixture(scope="module")
def chromium() -> Path:
    return Path(run_program([sys.executable, "-m", "gstack_browse.browser.launch.chromium"]).stdout.strip())


@fault(
    "Kills",
    "Chromium ends whenever it is told to go somewhere",
    "told after the second time, with what to try; nothing is left",
)
def test_browser_that_ends_twice_in_same_way_is_told(home: DaemonHarness, site: Site, chromium: Path) -> None:
    home.env["BROWSE_CHROMIUM"] = str(stand_in.write(home.workspace / "odd", chromium, stand_in.DIES_OF_A_GOTO))
    told = home.fails(1, "goto", site("/"))
    assert told.splitlines() == [
        "Error: Chromium has ended 2 times in a row before it had done anything",
        f"{home.workspace}/.gstack/browse-daemon.log tells more: 'signal 9' is mostly for want of memory."
        " Try another Chromium: BROWSE_CHROMIUM=<path> gbrowse goto <url>",
    ]
    home.until_gone()
    home.env["BROWSE_CHROMIUM"] = str(chromium)
    assert home.must("goto", site("/")).startswith("Navigated to ")
    assert not (home.workspace / ".gstack/browse-crash.json").exists()


@fault(
    "Kills", "the kernel kills Chromium while it starts, for want of memory", "it is said, with what to do (1)"
)
def test_browser_that_is_killed_while_it_starts_is_told(home: DaemonHarness, site: Site) -> None:
    killed = home.workspace / "killed"
    killed.write_text("#!/bin/sh\necho ERROR:bus.cc: Failed to connect to the bus >&2\nkill -9 $$\n")
    killed.chmod(0o700)
    home.env["BROWSE_CHROMIUM"] = str(killed)
    error, hint = home.fails(1, "goto", site("/")).splitlines()
    assert error == f"Error: {killed} did not start: it was killed by signal 9"
    assert hint.startswith("The kernel kills processes (signal 9) where memory is short")
    home.must("stop")


@fault("Hangs", "Chromium never comes up", "the command ends at its deadline (3) and says so")
def test_a_browser_that_does_not_come_up_is_under_the_deadline(home: DaemonHarness, site: Site) -> None:
    silent = home.workspace / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o700)
    home.env["BROWSE_CHROMIUM"] = str(silent)
    began = time.monotonic()
    told = home.run("--timeout", "1500", "goto", site("/"))
    assert time.monotonic() - began < 45, "the command's own deadline, and not that of its client"
    assert told.returncode == 3
    assert told.stderr.splitlines() == [
        "Error: goto did not finish in 1.5s: the browser is still starting",
        f"Try again, it goes on starting; {home.workspace}/.gstack/browse-daemon.log has what it says",
    ]
    home.must("stop")


def test_settings_of_a_file_hold_for_the_next_daemon_and_wrong_ones_start_none(home: DaemonHarness) -> None:
    own = Path(home.env["XDG_CONFIG_HOME"], "gbrowse/config.toml")
    own.parent.mkdir(parents=True)
    own.write_text('allow = "a.test"\nallow = "b.test"\n')
    assert home.fails(1, "status").startswith(f"Error: {own} is not TOML: ")
    own.write_text('allow = "https://github.com"\n')
    assert "BROWSE_ALLOW names hosts, not 'https://github.com'" in home.fails(2, "goto", "about:blank")
    own.write_text('confirm = "uplaod"\n')
    assert "BROWSE_CONFIRM names commands that can wait, not 'uplaod'" in home.fails(2, "goto", "about:blank")
    for host in ("a.test", "b.test"):
        own.write_text(f'allow = "{host}"\n')
        home.run("stop")
        assert f"Allowed: BROWSE_ALLOW={host}" in home.must("status").splitlines()
