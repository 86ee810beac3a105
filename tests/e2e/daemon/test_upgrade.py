"""Test that a new version on disk answers the next command, unless it is broken or half written."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gstack_browse import __version__
from tests.e2e.daemon.harness import DaemonHarness, Site, until
from tests.faults import fault

UPDATED = "Note: gbrowse was updated: its new version has taken over, pages were loaded again"


CHANGED = ("__init__.py", "commands/acting/navigation.py", "commands/session/storage.py", "daemon/service.py")
"""The files of the package that these tests change."""


@pytest.fixture(scope="module")
def home_of_copy(lasting: DaemonHarness, tmp_path_factory: pytest.TempPathFactory) -> DaemonHarness:
    """A home whose package is a copy."""
    place = tmp_path_factory.mktemp("copied")
    shutil.copytree(lasting.package / "gstack_browse", place / "gstack_browse")  # with what is compiled
    lasting.package = place
    return lasting


@pytest.fixture
def copied(home_of_copy: DaemonHarness) -> Iterator[DaemonHarness]:
    """A home whose package the test may change: it is whole and has no daemon again afterwards."""
    files = [home_of_copy.package / "gstack_browse" / name for name in CHANGED]
    texts = [file.read_text() for file in files]
    yield home_of_copy
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    home_of_copy.run("stop")


@fault(
    "Races",
    "the package on disk is replaced by a newer one",
    "the newer one takes over once nothing is recorded, and each context is told once",
)
def test_newer_package_on_disk_takes_over(copied: DaemonHarness, site: Site) -> None:
    copied.must("skills-install", "browse", "--host", "claude")
    copied.begin(site("/two"))
    before = copied.daemon()
    copied.must("--as", "ann", "goto", site("/two"))
    copied.must("--as", "ann", "js", "localStorage.who = 'ann'")
    copied.must("screenshot", "a.png")
    board = copied.must("board-compare", "a.png", "--no-wait").split()[1].rstrip(":")
    copied.must("har-start")
    version = copied.package / "gstack_browse/__init__.py"
    version.write_text(version.read_text().replace(__version__, "7.7.7"))
    until(lambda: "Update: waits for the end of the recording of 0 requests" in copied.status())
    told = copied.run("goto", site("/two")).stderr
    assert told.endswith("goes on until the end of the recording of 0 requests\n")
    assert "two.har (1 request, " in copied.must("har-stop", "two.har")
    assert copied.daemon() == before
    until(lambda: copied.daemon() != before)
    done = copied.run("url")
    assert (done.returncode, done.stdout) == (0, site("/two") + "\n")
    assert done.stderr.startswith("Note: gbrowse was updated")
    assert copied.must("js", "document.cookie") == "session=chocolate-chip"
    assert copied.run("board-answer", board, "--no-wait").returncode == 3, "it is open, and has no answer yet"
    assert re.search(r"ann +1 tab, not open +- +last: js, ", copied.must("contexts"))
    theirs = copied.run("--as", "ann", "js", "[document.cookie, localStorage.who].join()")
    assert theirs.stdout == "session=chocolate-chip,ann\n"
    assert theirs.stderr.startswith("Note: gbrowse was updated"), "its pages were loaded again, too"
    assert "Version: 7.7.7" in copied.status()
    assert "Skills: out of date: browse; run 'gbrowse skills-install'" in copied.status()
    assert "renewed: browse" in copied.must("skills-install")
    assert "Skills:" not in copied.status()
    copied.run("board-answer", board, "--close")
    copied.must("context-close", "ann")


def watches(home: DaemonHarness) -> bool:
    """Return whether the daemon watches its code: its event loop waits for what the kernel tells of that."""
    process = Path(f"/proc/{home.daemon().pid}")
    kinds = {file.name: kind for file in (process / "fd").iterdir() if (kind := target(file))}
    watched = next((name for name, kind in kinds.items() if "inotify" in kind), "none")
    loops = [name for name, kind in kinds.items() if "eventpoll" in kind]
    return any(
        re.search(rf"^tfd: +{watched} ", (process / "fdinfo" / loop).read_text(), re.M) for loop in loops
    )


def target(file: Path) -> str:
    """Return what a descriptor leads to; "" once it is closed."""
    with contextlib.suppress(OSError):
        return os.readlink(file)
    return ""


def change_url(home: DaemonHarness, word: str) -> None:
    """Have the command `url` of the code on disk say a word before the address."""
    file = home.package / "gstack_browse/commands/acting/navigation.py"
    text, count = re.subn(
        r'return (?:"\w+ " \+ )?page\.tab\.url\n', f'return "{word} " + page.tab.url\n', file.read_text()
    )
    assert count == 1
    file.write_text(text)


@fault(
    "Races",
    "the package on disk is replaced, and a command comes at once",
    "the new version answers it, with tabs and cookies",
)
def test_next_command_runs_what_is_on_disk(copied: DaemonHarness, site: Site) -> None:
    copied.begin(site("/two"))
    copied.must("screenshot", "a.png")
    # while it is open, the daemon does not become idle
    board = copied.must("board-compare", "a.png", "--no-wait").split()[1].rstrip(":")
    until(lambda: watches(copied))
    change_url(copied, "one")
    done = copied.run("url")
    assert (done.returncode, done.stdout) == (0, f"one {site('/two')}\n")
    assert done.stderr.startswith(UPDATED)
    assert copied.must("js", "document.cookie") == "session=chocolate-chip"
    change_url(copied, "two")  # while its successor is new
    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(copied.run, "url") for _ in range(6)]
    assert {item.result().stdout for item in asked} == {f"two {site('/two')}\n"}
    change_url(copied, "three")
    raw = copied.reply("url")
    assert (raw["ok"], raw["error"], raw["code"]) == (False, "busy", 8), "it did not run: it may be sent again"
    assert copied.ask("url") == f"three {site('/two')}"
    copied.run("board-answer", board, "--close")


@fault(
    "Races",
    "the package on disk changes while a command runs, and another one comes",
    "the first is not disturbed, the other one is told why old code answers it",
)
def test_running_command_is_not_disturbed(copied: DaemonHarness, site: Site) -> None:
    copied.begin(site("/two"))
    until(lambda: watches(copied))
    before = copied.daemon()
    with copied.start("--tab", "1", "goto", site("/hold")) as running:
        until(lambda: "/hold" in site.hits)
        change_url(copied, "new")
        done = copied.run("--as", "ann", "goto", site("/two"))
        note = "Note: gbrowse was updated: the version before goes on until the end of running commands\n"
        assert (done.returncode, done.stderr) == (0, note)
        assert copied.must("--as", "ann", "url").endswith(site("/two")), "that was said"
        assert copied.daemon() == before
        site.release.set()
        assert running.communicate(timeout=60)[0] == f"Navigated to {site('/hold')} (200)\n"
    assert copied.run("--as", "ann", "url").stdout == f"new {site('/two')}\n"
    assert copied.run("url").stdout == f"new {site('/hold')}\n"
    copied.must("context-close", "ann")


@fault(
    "Races",
    "the package on disk is half written, and a command comes, or restart, or nobody asks",
    "the running daemon goes on and says so; what is whole is loaded with the next command",
)
def test_half_written_code_is_not_loaded(copied: DaemonHarness, site: Site) -> None:
    copied.begin(site("/two"))
    until(lambda: watches(copied))
    address, before = copied.ask("url"), copied.daemon()
    service = copied.package / "gstack_browse/daemon/service.py"
    working = service.read_text()
    service.write_text("def half")
    done = copied.run("url")
    assert (done.returncode, done.stdout) == (0, f"{address}\n")
    why = "the new daemon did not start: SyntaxError: expected '(' (service.py, line 1); the old one goes on"
    assert done.stderr == f"Note: gbrowse was updated, but {why}\n"
    assert copied.must("url") == address, "that was said"
    assert f"Update: {why}" in copied.status()
    assert copied.daemon() == before
    change_url(copied, "whole")
    service.write_text(working)
    assert copied.run("url").stdout == f"whole {site('/two')}\n"
    log = copied.workspace / ".gstack/browse-daemon.log"
    refused = log.read_text().count("did not start: SyntaxError")
    before = copied.daemon()
    service.write_text("def half")
    until(lambda: log.read_text().count("did not start: SyntaxError") > refused)
    assert copied.fails(1, "restart").startswith(
        "Error: The new daemon did not start: SyntaxError: expected '(' ("
    )
    assert copied.daemon() == before
    service.write_text(working)


def test_command_that_was_not_imported_yet_is_of_the_version_of_its_daemon(
    copied: DaemonHarness, site: Site
) -> None:
    compiled = copied.package / "gstack_browse/__pycache__"
    copied.run("stop")
    for image in compiled.glob("*.image"):
        image.unlink()
    copied.must("status")
    until(lambda: any(compiled.glob("*.image")))  # the first daemon has imported all
    copied.must("stop")
    copied.must("goto", site("/two"))
    until(lambda: watches(copied))
    for module in ("daemon/service.py", "commands/session/storage.py"):
        (copied.package / "gstack_browse" / module).write_text("def half")
    done = copied.run("cookies")
    assert (done.returncode, "the old one goes on" in done.stderr) == (0, True), done


@fault("Kills", "the daemon's code cannot be loaded", "it is said; no process is left")
def test_code_that_cannot_be_loaded_leaves_nothing(copied: DaemonHarness) -> None:
    copied.run("stop")
    copied.until_gone()
    (copied.package / "gstack_browse/daemon/service.py").write_text("def half")
    assert copied.fails(8, "url").startswith("Error: The daemon did not start: it ended with exit code 1\n")
    assert "SyntaxError" in (copied.workspace / ".gstack/browse-daemon.log").read_text()
    assert not copied.leftovers()
    assert not list(copied.temporary.iterdir())
