"""Test the daemon's ends while Playwright still takes the first page over.

They are the same as at any other time.
"""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault
from tests.processes import words

pytestmark = [pytest.mark.both_browsers, pytest.mark.pipe]

MOMENTS: list[tuple[str, Callable[[list[str]], object]]] = [
    ("the page is there", lambda words: "--remote-debugging-pipe" in words),
    ("the driver loads", lambda words: "run-driver" in words),
    ("the driver has started what stands in for Chromium", lambda words: words[-1:] == ["read _"]),
]
"""What to wait for, by a process whose words show it."""


@pytest.fixture
def environment() -> dict[str, str]:
    """Return the variables to add for the daemon whose start is looked at."""
    return {}


@pytest.fixture
def started_home(
    moment: int, environment: dict[str, str], home_with_known_start: DaemonHarness, site: Site
) -> Iterator[DaemonHarness]:
    """Return a workspace whose first `goto` has been answered, at that moment of the adoption."""
    shows = MOMENTS[moment][1]
    home_with_known_start.env |= environment
    home_with_known_start.must("goto", site("/two"))
    until(lambda: any(shows(words(process)) for process in home_with_known_start.leftovers()))
    yield home_with_known_start
    home_with_known_start.run("stop")
    for name in environment:
        del home_with_known_start.env[name]


@pytest.fixture
def home_with_known_start(lasting: DaemonHarness, site: Site) -> DaemonHarness:
    """Return a workspace without a daemon, where it is known how Chromium starts.

    Nothing else is left of the test before.
    """
    if not list(lasting.workspace.glob(".gstack")):
        lasting.must("goto", site("/"))
        lasting.must("stop")
    lasting.until_gone()
    (lasting.workspace / ".gstack/browse-daemon.log").unlink(missing_ok=True)
    return lasting


def see_nothing_left(home: DaemonHarness) -> None:
    home.until_gone()
    assert not list(home.temporary.iterdir())
    log = (home.workspace / ".gstack/browse-daemon.log").read_text().splitlines()
    assert [line for line in log if " The browser was started: " not in line] == [], "nothing went wrong"


def held_driver(home: DaemonHarness) -> psutil.Process:
    """The driver, which goes no further until it is resumed."""
    driver = next(process for process in home.leftovers() if "run-driver" in words(process))
    driver.suspend()
    return driver


@fault("Kills", "'stop' while Playwright takes the first page over", "it stops, and nothing is left")
@pytest.mark.parametrize("moment", [0, 1], ids=lambda number: MOMENTS[number][0])
def test_stop_during_adoption_leaves_nothing(started_home: DaemonHarness) -> None:
    assert started_home.must("stop", seconds=10) == "Server stopped"
    see_nothing_left(started_home)


@fault(
    "Kills", "'restart' while Playwright takes the first page over", "the tab and its cookies are carried over"
)
@pytest.mark.parametrize("environment", [{"BROWSE_AS": "ann"}])  # a context of its own takes more steps
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_restart_during_adoption_carries_the_tab_and_its_cookies(started_home: DaemonHarness) -> None:
    assert "1 tab" in started_home.must("restart", seconds=15)
    assert started_home.must("text", "h1") == "Second"
    assert "chocolate-chip" in started_home.must("js", "document.cookie")
    started_home.must("stop")
    see_nothing_left(started_home)


@fault("Kills", "a signal ends the daemon while Playwright takes the first page over", "nothing is left")
@pytest.mark.parametrize("moment", [2], ids=lambda number: MOMENTS[number][0])
def test_signal_during_adoption_ends_the_daemon_cleanly(started_home: DaemonHarness) -> None:
    started_home.daemon().send_signal(signal.SIGTERM)
    see_nothing_left(started_home)
    assert started_home.run("text").returncode in (2, 5, 6)


@fault(
    "Kills",
    "the daemon ends for idleness while Playwright takes the first page over",
    "nothing is left; the loss is said (6)",
)
@pytest.mark.parametrize("environment", [{"BROWSE_IDLE_TIMEOUT": "5000"}])
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_idle_end_during_adoption_reports_the_loss(started_home: DaemonHarness) -> None:
    held_driver(started_home)
    started_home.until_gone(30)
    see_nothing_left(started_home)
    assert started_home.run("text").returncode == 6


@fault(
    "Races",
    "the package on disk is upgraded while Playwright takes the first page over",
    "the tab and its cookies are carried over",
    slow=True,  # a restart hands over in the same way
)
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_upgrade_during_adoption_carries_the_tab_and_its_cookies(
    own_package: Path, started_home: DaemonHarness, site: Site
) -> None:
    driver, before = held_driver(started_home), started_home.daemon()
    version = own_package / "gstack_browse/__init__.py"
    version.write_text(version.read_text().replace("0.1.0", "7.7.7"))
    driver.resume()
    until(lambda: started_home.daemon() != before)
    done = started_home.run("text", "h1")
    assert (done.returncode, done.stdout) == (0, "Second\n")
    assert done.stderr.startswith("Note: gbrowse was updated")
    assert "chocolate-chip" in started_home.must("js", "document.cookie")


@pytest.fixture
def own_package(lasting: DaemonHarness, tmp_path: Path) -> Iterator[Path]:
    """A copy of the package that a test may change."""
    shutil.copytree(lasting.package / "gstack_browse", tmp_path / "gstack_browse")
    package, lasting.package = lasting.package, tmp_path
    yield tmp_path
    lasting.package = package


@fault(
    "Hangs",
    "'restart' while Playwright's driver hangs before it has the first page",
    "the browser is replaced",
    slow=True,
)
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_restart_with_a_driver_that_hangs(started_home: DaemonHarness, site: Site) -> None:
    held_driver(started_home)
    started_home.must("restart", seconds=20)
    started_home.must("goto", site("/two"))
    started_home.must("stop")
    see_nothing_left(started_home)
