"""The daemon's ends while Playwright is still taking the first page over: the same as at any other time."""

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
    """What is added to the environment of the daemon whose start is looked at."""
    return {}


@pytest.fixture
def begun(
    moment: int, environment: dict[str, str], known: DaemonHarness, site: Site
) -> Iterator[DaemonHarness]:
    """A workspace whose first `goto` has been answered, at that moment of the adoption."""
    shows = MOMENTS[moment][1]
    known.env |= environment
    known.must("goto", site("/two"))
    until(lambda: any(shows(words(process)) for process in known.leftovers()))
    yield known
    known.run("stop")
    for name in environment:
        del known.env[name]


@pytest.fixture
def known(lasting: DaemonHarness, site: Site) -> DaemonHarness:
    """A workspace without a daemon, where it is known how Chromium starts: nothing else is left of the test before."""
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
@pytest.mark.parametrize("moment", range(len(MOMENTS)), ids=lambda number: MOMENTS[number][0])
def test_stop(begun: DaemonHarness) -> None:
    assert begun.must("stop", seconds=10) == "Server stopped"
    see_nothing_left(begun)


@fault(
    "Kills", "'restart' while Playwright takes the first page over", "the tab and its cookies are carried over"
)
@pytest.mark.parametrize("environment", [{}, {"BROWSE_AS": "ann"}], ids=["default", "ann"])
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


@fault(
    "Kills",
    "the daemon ends for idleness while Playwright takes the first page over",
    "nothing is left; the loss is said (6)",
)
@pytest.mark.parametrize("environment", [{"BROWSE_IDLE_TIMEOUT": "5000"}])
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_idleness(begun: DaemonHarness) -> None:
    held_driver(begun)
    begun.until_gone(30)
    see_nothing_left(begun)
    assert begun.run("text").returncode == 6


@fault(
    "Races",
    "the package on disk is upgraded while Playwright takes the first page over",
    "the tab and its cookies are carried over",
)
@pytest.mark.parametrize("moment", [1], ids=lambda number: MOMENTS[number][0])
def test_an_upgrade(own_package: Path, begun: DaemonHarness, site: Site) -> None:
    driver, before = held_driver(begun), begun.daemon()
    version = own_package / "gstack_browse/__init__.py"
    version.write_text(version.read_text().replace("0.1.0", "7.7.7"))
    driver.resume()
    until(lambda: begun.daemon() != before)
    done = begun.run("text", "h1")
    assert (done.returncode, done.stdout) == (0, "Second\n")
    assert done.stderr.startswith("Note: gbrowse was updated")
    assert "chocolate-chip" in begun.must("js", "document.cookie")


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
def test_restart_with_a_driver_that_hangs(begun: DaemonHarness, site: Site) -> None:
    held_driver(begun)
    begun.must("restart", seconds=20)
    begun.must("goto", site("/two"))
    begun.must("stop")
    see_nothing_left(begun)
