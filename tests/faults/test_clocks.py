"""Test clocks that are set while a daemon runs.

Its processes see that, Chromium's too, by `clock.c`; no others do.
"""

import os
import re
import struct
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site
from tests.faults import fault

SOURCE = Path(__file__).with_name("clock.c")
HOUR = 3600
BACK, FORWARD = -3 * HOUR, 72 * HOUR


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that shifts the clock of a process that is started with it."""
    library = tmp_path_factory.mktemp("clock") / "clock.so"
    try:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", SOURCE, "-o", library], check=True)
    except FileNotFoundError:
        pytest.skip("there is no C compiler: apt-get install gcc libc6-dev, or bin/test-packages")
    return library


class Clock:
    """The wall clock of a workspace's daemon and its processes. Other clocks, and the kernel's, stay true."""

    def __init__(self, home: DaemonHarness, library: Path, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.set(0)
        home.env |= {"LD_PRELOAD": str(library), "GBROWSE_TEST_CLOCK": str(path)}

    def set(self, shift: int) -> None:
        """Have it differ from the true time by so many seconds, from now on."""
        os.pwrite(self._file, struct.pack("q", shift), 0)


@pytest.fixture
def clock(home: DaemonHarness, library: Path, tmp_path: Path) -> Clock:
    return Clock(home, library, tmp_path / "clock")


def uptime(home: DaemonHarness) -> int:
    """The daemon's age in seconds, as `status` tells it."""
    found = re.search(r"^Uptime: (?:(\d+)m ?)?(?:(\d+)s)?$", home.must("status"), re.MULTILINE)
    assert found
    return int(found[1] or 0) * 60 + int(found[2] or 0)


@fault(
    "Clocks",
    "the clock is set forward by three days, then back by three hours, while the daemon runs",
    "commands, waits and deadlines go on; uptime is what it was; the daemon does not take itself for idle; restart carries the tabs",
    slow=True,
)
def test_a_clock_that_is_set(home: DaemonHarness, site: Site, clock: Clock) -> None:
    home.must("goto", site("/late"))
    daemon = home.daemon()
    for shift in (FORWARD, BACK):
        clock.set(shift)
        assert int(home.must("js", "Date.now()")) / 1000 - time.time() == pytest.approx(shift, abs=60)
        assert 0 <= uptime(home) < 60
        assert home.run("--timeout", "300", "wait", "#never").returncode == 3
        home.must("js", "enable(); 1")
        assert home.must("click", "button").startswith("Clicked")
        assert "/clicked" in home.must("network")
        home.must("network", "--clear")
        assert home.daemon() == daemon, "it did not end for idleness"
    assert home.must("restart").startswith("Server restarted\n→ 1 tab")
    assert home.must("url") == site("/late")


@fault(
    "Clocks",
    "the clock is set back between an action and the request that follows it",
    "'wait --request' and 'expect' find the request",
)
def test_request_after_an_action_is_found_though_the_clock_was_set_back(
    home: DaemonHarness, site: Site, clock: Clock
) -> None:
    home.must("goto", site("/late"))
    home.must("js", "setTimeout(() => { enable(); document.querySelector('button').click() }, 300), 1")
    clock.set(BACK)
    home.must("--timeout", "30000", "wait", "--request", "**/clicked")


@fault(
    "Clocks",
    "the clock is set past the end of a cookie, and back again",
    "the cookie is sent and listed as long as the clock says so; restart and state-save leave none that has ended",
    slow=True,
)
def test_cookies_end_by_the_clock(home: DaemonHarness, site: Site, clock: Clock) -> None:
    home.must("goto", site("/"))
    home.must("js", "document.cookie = 'day=1; max-age=86400'; document.cookie = 'long=1; max-age=864000'; 1")
    clock.set(FORWARD)
    assert home.must("js", "document.cookie") == "long=1"
    assert '"day"' not in home.must("cookies")
    home.must("state-save", "state.json")
    assert '"day"' not in (home.workspace / "state.json").read_text()
    home.must("restart")
    assert home.must("js", "document.cookie") == "long=1"
    clock.set(BACK)
    assert home.must("js", "document.cookie") == "long=1"
