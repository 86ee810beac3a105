"""The daemon's ends while Playwright is still taking the first page over: the same as at any other time."""

import signal
from collections.abc import Callable

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault

pytestmark = pytest.mark.pipe

MOMENTS: list[tuple[str, Callable[[list[str]], object]]] = [
    ("the page is there", lambda words: "--remote-debugging-pipe" in words),
    ("the driver loads", lambda words: "run-driver" in words),
    ("the driver has started what stands in for Chromium", lambda words: words[-1:] == ["read _"]),
]
"""What to wait for, by a process whose words show it."""


@pytest.fixture
def begun(moment: int, home: DaemonHarness, site: Site) -> DaemonHarness:
    """A workspace whose first `goto` has been answered, at that moment of the adoption."""
    shows = MOMENTS[moment][1]
    home.must("goto", site("/"))  # remembered from here on, at the latest
    home.must("stop")
    until(lambda: not home.leftovers())
    home.must("goto", site("/two"))
    until(lambda: any(shows(words(process)) for process in home.leftovers()))
    return home


def words(process: psutil.Process) -> list[str]:
    """How a process was started; nothing of one that has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def see_nothing_left(home: DaemonHarness) -> None:
    until(lambda: not home.leftovers(), 5)
    assert not list(home.temporary.iterdir())
    assert not (home.workspace / ".gstack/browse-daemon.log").read_text(), "nothing went wrong"


@fault("Kills", "'stop' while Playwright takes the first page over", "it stops, and nothing is left")
@pytest.mark.parametrize("moment", range(len(MOMENTS)), ids=lambda number: MOMENTS[number][0])
def test_stop(begun: DaemonHarness) -> None:
    assert begun.must("stop", seconds=10) == "Server stopped"
    see_nothing_left(begun)


@fault(
    "Kills", "'restart' while Playwright takes the first page over", "the tab and its cookies are carried over"
)
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_restart(begun: DaemonHarness) -> None:
    assert "1 tab" in begun.must("restart", seconds=15)
    assert begun.must("text", "h1") == "Second"
    assert "chocolate-chip" in begun.must("js", "document.cookie")
    begun.must("stop")
    see_nothing_left(begun)


@fault("Kills", "a signal ends the daemon while Playwright takes the first page over", "nothing is left")
@pytest.mark.parametrize("moment", [2], ids=lambda number: MOMENTS[number][0])
def test_a_signal(begun: DaemonHarness) -> None:
    begun.daemon().send_signal(signal.SIGTERM)
    see_nothing_left(begun)
    assert begun.run("text").returncode in (2, 5, 6)
