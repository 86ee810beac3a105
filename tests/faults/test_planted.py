"""Test enormous files under the names that lie in .gstack.

Nothing reads them whole, though a repository may bring them.
"""

import time
from pathlib import Path

from gstack_browse.workspace.directory import CONSOLE_LOG, FILES, LOCK, NETWORK_LOG, START_LOCK
from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import Seen, fault

ENORMOUS = 1_000_000_000
MOST_MEMORY = 200_000_000
"""Of the daemon, in bytes: a file that was read whole would be five times as much."""
LOGS = (CONSOLE_LOG, NETWORK_LOG)


def plant(directory: Path, *names: str) -> None:
    directory.mkdir(mode=0o700, exist_ok=True)
    for name in names:
        with (directory / name).open("ab") as file:
            file.truncate(ENORMOUS)


@fault(
    "Planted files",
    "each file in .gstack (logs, state, locks, records, .gitignore) holds 1 GB when the daemon starts, and again while it runs; then Chromium is killed",
    "commands work as fast as ever and read none of them whole; the loss is said once (6); logs begin anew",
)
def test_enormous_files_in_the_state_directory_are_not_read_whole(
    home: DaemonHarness, site: Site, seen: Seen
) -> None:
    state = home.workspace / ".gstack"
    plant(state, *FILES)
    begun = time.monotonic()
    assert home.must("goto", site("/")) == f"Navigated to {site('/')} (200)"
    seen(f"goto from cold after {time.monotonic() - begun:.1f} s")
    assert home.daemon().memory_info().rss < MOST_MEMORY
    chromium = home.processes()["chromium"]
    plant(state, *(name for name in FILES if name not in (LOCK, START_LOCK)))
    home.must("goto", site("/noise"))
    until(lambda: "line" in home.ask("console"))
    chromium.kill()
    chromium.wait()
    told = home.run("text")
    assert (told.returncode, told.stderr.count(site("/noise"))) == (6, 1), told
    assert home.must("restart").startswith("Server restarted")
    assert home.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    assert home.daemon().memory_info().rss < MOST_MEMORY
    until(lambda: all((state / name).stat().st_size < 10_000_000 for name in LOGS))
