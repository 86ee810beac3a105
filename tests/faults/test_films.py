"""Films whose daemon is killed, or whose disk becomes full."""

from pathlib import Path

import av

from gstack_browse.documents.film.take import read_records
from gstack_browse.documents.film.timeline import Timeline, read_timeline
from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import Seen, fault
from tests.faults.test_disks import Mount, fill, small_disk

__all__ = ["small_disk"]


def read_take(home: DaemonHarness) -> Timeline:
    """Return what the take has so far."""
    with (home.workspace / ".gstack/browse-film.take").open("rb") as file:
        return read_timeline(read_records(file))


def length(film: Path) -> float:
    with av.open(film) as container:
        assert container.duration
        assert len(list(container.decode(video=0))) > 1
        return container.duration / 1_000_000


@fault(
    "Kills",
    "the daemon is killed while it films",
    "'film-stop' makes the film up to the last second, of what every command did, in the next daemon and without a browser",
)
def test_film_of_a_killed_daemon_is_made_afterwards(home: DaemonHarness, site: Site, seen: Seen) -> None:
    home.must("goto", site("/"))
    home.must("film-start", "film.webm", "--size", "640x360")
    home.must("goto", site("/two"))
    until(lambda: read_take(home).actions)
    until(lambda: read_take(home).seconds > read_take(home).actions[0].ended + 1)
    home.kill_daemon()
    left = read_take(home)
    told = home.run("film-stop", "--sheet", "steps.png")
    assert (told.returncode, told.stderr) == (0, "")
    assert "1 action" in told.stdout
    assert "→ of a take that was begun at" in told.stdout
    # A hundredth of a picture, a millisecond here, makes no picture of its own.
    assert -0.0011 <= length(home.workspace / "film.webm") - left.seconds <= 0.11
    assert (home.workspace / "steps.png").exists()
    assert "Nothing is filmed" in home.fails(1, "film-stop")
    seen(f"{left.seconds:.1f} s")


@fault(
    "Full disks",
    "the disk becomes full while the daemon films",
    "commands go on; 'film-stop' says that the film cannot be written (1), keeps what was filmed, and makes the film once there is room",
)
def test_film_on_a_disk_that_becomes_full(home: DaemonHarness, site: Site, small_disk: Mount) -> None:
    small_disk(home.workspace, "size=400k")
    (home.workspace / ".git").mkdir()
    home.must("goto", site("/"))
    home.must("film-start", "film.webm", "--size", "640x360")
    until(lambda: read_take(home).shots)
    full = fill(home.workspace)
    home.must("goto", site("/two"))
    home.must("viewport", "500x400")
    until(lambda: home.run("film-note", "Late").returncode)
    assert "No space left on device" in home.fails(1, "film-note", "Late")
    assert home.fails(1, "film-stop").startswith("Error: The film cannot be written: No space left on device")
    assert not (home.workspace / "film.webm").exists()
    full.unlink()
    assert home.must("film-stop").startswith(f"Film saved: {home.workspace}/film.webm (")
    assert {each.name for each in home.workspace.iterdir()} == {".git", ".gstack", "film.webm"}
