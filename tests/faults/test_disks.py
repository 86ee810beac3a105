"""Disks that are full or cannot be written: each failure in one line, and what needs no disk goes on."""

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault

Mount = Callable[..., None]


@pytest.fixture
def small_disk(home: DaemonHarness) -> Iterator[Mount]:
    """Mounts a disk of 64 kB, or one with a limit of another kind, at a directory."""
    mounted = []

    def mount(place: Path, limit: str = "size=64k") -> None:
        words = ["mount", "-t", "tmpfs", "-o", f"{limit},mode=0700", "tmpfs", str(place)]
        if subprocess.run(words, capture_output=True).returncode:
            pytest.skip("needs root, and a container in which one may mount")
        mounted.append(place)

    yield mount
    home.run("stop")
    home.until_gone()
    for place in mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Use up all room. Returns the file that does so."""
    file = place / "all"
    with file.open("wb", buffering=0) as large, contextlib.suppress(OSError):
        while True:
            large.write(b"x" * 4096)
    return file


@fault(
    "Full disks",
    "the workspace's disk is full when the daemon is started",
    "it works, with its state in the user's runtime directory, which is said once",
)
def test_a_full_workspace(home: DaemonHarness, small_disk: Mount) -> None:
    small_disk(home.workspace)
    (home.workspace / ".git").mkdir()
    (home.workspace / ".gstack").mkdir(mode=0o700)
    fill(home.workspace)
    assert home.run("help", "click").stdout.startswith("Usage: gbrowse click ")
    assert home.run("status").stderr == (
        "Note: the workspace cannot hold the daemon's state (No space left on device); it is in "
        f"{home.runtime}/gbrowse/{os.listdir(home.runtime / 'gbrowse')[0]}\n"
    )
    home.must("restart")
    assert "Status: running" in home.must("status"), "its successor lives there, too"
    home.must("stop")


@fault(
    "Full disks",
    "the disk becomes full while the daemon runs",
    "commands go on; status says which log cannot be written, until it can; restart works",
    slow=True,
)
def test_a_disk_that_becomes_full(home: DaemonHarness, site: Site, small_disk: Mount) -> None:
    small_disk(home.workspace)
    (home.workspace / ".git").mkdir()
    home.must("goto", site("/noise"))
    until(lambda: (home.workspace / ".gstack/browse-console.log").exists())
    full = fill(home.workspace)
    home.must("goto", site("/noise"))
    home.must("js", "for (let i = 0; i < 500; i++) console.log('x'.repeat(100)); 1")
    console = home.workspace / ".gstack/browse-console.log"
    until(lambda: f"Logs: {console} cannot be written: No space left on device" in home.status())
    assert "No space left on device" in home.fails(1, "screenshot", "page.png")
    assert home.must("restart").startswith("Server restarted\n→ 1 tab")
    assert home.must("url") == site("/noise")
    full.unlink()
    home.must("js", "console.log('again'); 1")
    until(lambda: "Logs: " not in home.status() and "again" in console.read_text())


@pytest.fixture
def read_only_state(home: DaemonHarness) -> Iterator[Callable[[], None]]:
    """Have nothing be created or removed in `.gstack` any more, by root neither."""
    state = home.workspace / ".gstack"

    def forbid_changes() -> None:
        if os.geteuid():
            state.chmod(0o500)
        elif subprocess.run(["chattr", "+i", str(state)], capture_output=True).returncode:
            pytest.skip("needs a file system with attributes")

    yield forbid_changes
    subprocess.run(["chattr", "-i", str(state)], capture_output=True)
    state.chmod(0o700)


@fault(
    "Full disks",
    "`.gstack` becomes read-only while the daemon runs",
    "commands go on; what is to write a file there says why not (1); restart carries the tabs over, and tells of no loss",
)
def test_state_directory_that_becomes_read_only(
    home: DaemonHarness, site: Site, read_only_state: Callable[[], None]
) -> None:
    home.must("goto", site("/"))
    until(lambda: (home.workspace / ".gstack/browse-session.json").exists())
    read_only_state()
    for command in ("screenshot", "state-save"):
        assert "Cannot write " in home.fails(1, command), command
    assert home.must("restart").startswith("Server restarted\n→ 1 tab")
    assert home.must("url") == site("/")


@fault(
    "Full disks",
    "the disk of temporary files is full, or can hold no more files (inodes)",
    "said in one line (1), with what to type; what needs no browser works; nothing is left; with room the same daemon works",
)
def test_full_temporary_directory_is_named_with_what_it_lacks(home: DaemonHarness, small_disk: Mount) -> None:
    small_disk(home.temporary)
    full = fill(home.temporary)
    assert home.fails(1, "goto", "about:blank").splitlines() == [
        f"Error: There is too little room on the disk: {home.temporary} (0 kB free)",
        "Make room there, or take another disk, for temporary files: export TMPDIR=<directory>;"
        " for the daemon's: export BROWSE_STATE_FILE=<file>; then: gbrowse stop",
    ]
    assert "Status: running" in home.must("status")
    full.unlink()
    home.must("stop")
    assert not list(home.temporary.iterdir())
    subprocess.run(["mount", "-o", "remount,size=100m,nr_inodes=20", str(home.temporary)], check=True)
    lacks = "its inodes are used up but for 19: each file takes one"
    assert f"room on the disk: {home.temporary} ({lacks})\n" in home.fails(1, "goto", "about:blank")
    assert not list(home.temporary.iterdir())
    subprocess.run(["mount", "-o", "remount,nr_inodes=10000", str(home.temporary)], check=True)
    home.must("goto", "about:blank")


@fault(
    "Full disks",
    "the disk of temporary files becomes full, and a page is printed",
    "pages go on; 'pdf' names the disk (1), and works again once there is room",
)
def test_pdf_on_full_temporary_directory_names_it(home: DaemonHarness, site: Site, small_disk: Mount) -> None:
    small_disk(home.temporary, "size=16m")
    home.must("goto", site("/"))
    home.must("newtab")
    home.must("pdf", "page.pdf")
    full = fill(home.temporary)
    assert home.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    told = home.fails(1, "pdf", "page.pdf")
    assert told.startswith(f"Error: There is too little room on the disk: {home.temporary} ("), told
    full.unlink()
    home.must("pdf", "page.pdf")
