"""Test a first `goto` by the native client, with the real Python and the real Chromium.

The daemon starts Chromium before it imports its modules.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.e2e.conftest import temporary_home
from tests.e2e.daemon.harness import LAUNCH, ROOT, DaemonHarness, Site, is_daemon, until
from tests.faults import fault
from tests.processes import words


class NativeHome(DaemonHarness):
    """A workspace whose client is the native one."""

    program: Path

    def client(self) -> list[str]:
        return [str(self.program)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, package: Path) -> Path:
    """Build the native client in an environment of its own.

    It has the packages of this one, and a copy of ours.
    """
    venv = tmp_path_factory.mktemp("environment") / "venv"
    (venv / "bin").mkdir(parents=True)
    shutil.copy(Path(sys.prefix, "pyvenv.cfg"), venv)
    (venv / "lib").symlink_to(Path(sys.prefix, "lib"))
    (venv / "bin/python").symlink_to(Path(sys.executable).resolve())
    script = package / "bin/gbrowse-python"
    script.parent.mkdir()
    python = [str(venv / "bin/python"), "-I", "-S", "-X", "utf8", "-c", LAUNCH, str(package)]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(python)} "$@"\n')
    script.chmod(0o755)
    program = venv / "bin/gbrowse"
    command = [sys.executable, ROOT / "bin/build_native.py", program, os.path.relpath(script, venv / "bin")]
    if subprocess.run(command, check=False).returncode:
        pytest.skip("there is no C compiler")
    return program


@pytest.fixture(scope="module")
def lasting(package: Path, program: Path) -> Iterator[NativeHome]:
    """A workspace for all of these tests, with a cache of its own."""
    with temporary_home(NativeHome, package) as home:
        home.program = program
        home.env["XDG_CACHE_HOME"] = str(home.temporary.parent / "cache")
        yield home


@pytest.fixture
def native(lasting: NativeHome) -> Iterator[NativeHome]:
    """Return a home without a daemon."""
    lasting.until_gone()
    yield lasting
    lasting.run("stop")


def chromiums(home: NativeHome) -> list[psutil.Process]:
    found = [(process, words(process)) for process in home.leftovers()]
    return [
        process
        for process, its in found
        if "--remote-debugging-pipe" in its and its[0] != "/bin/sh" and "--type=" not in " ".join(its)
    ]


@pytest.mark.both_browsers
def test_native_client_starts_the_daemon_in_place(native: NativeHome, site: Site) -> None:
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    daemon = native.daemon()
    assert daemon.cmdline()[-1] == "--in-place"
    assert [process.ppid() for process in chromiums(native)] == [daemon.pid]
    assert os.getsid(daemon.pid) == daemon.pid
    assert native.must("text").endswith("Second")
    assert START in json.loads(native.must("--json", "status"))["text"]
    log = native.workspace / ".gstack/browse-daemon.log"
    assert "The browser was started: before the daemon's imports" in log.read_text()
    assert site.hits.count("/two") == 1


START = "\nStart: before the daemon's imports\n"


@pytest.mark.parametrize("is_wrong", [False, True], ids=["a look in a context", "a chain that is wrong"])
def test_first_command_of_another_kind_is_answered_and_leaves_one_browser(
    native: NativeHome, site: Site, monkeypatch: pytest.MonkeyPatch, is_wrong: bool
) -> None:
    """Start by commands of two kinds; client/test_native_start.py has what the client does for each."""
    if is_wrong:
        assert native.run("chain", '[["tabs"],["bogus"]]').returncode == 2
    else:
        monkeypatch.setitem(native.env, "BROWSE_AS", "ann")
        assert native.must("snapshot", "-i") == "(no accessible elements found)"
        log = (native.workspace / ".gstack/browse-daemon.log").read_text()
        assert START in json.loads(native.must("--json", "status"))["text"], log  # says why not
    assert native.must("goto", site("/")) == f"Navigated to {site('/')} (200)"
    assert len(chromiums(native)) == 1
    if not is_wrong:
        assert native.must("tabs").count("\n") == 0
        contexts = [line.split()[:3] for line in native.must("contexts").splitlines()]
        assert contexts == [["default", "0", "tabs"], ["ann", "1", "tab"]]


@fault(
    "Kills",
    "the native client is killed while it starts the daemon",
    "the daemon comes up; the next command finds it",
)
def test_a_client_that_is_killed_while_it_starts_a_daemon_leaves_one_that_works(
    native: NativeHome, site: Site
) -> None:
    site.hits.clear()
    client = native.start("goto", site("/"))
    until(lambda: chromiums(native))  # so the daemon has its request: without one it ends
    begun = [process for process in native.leftovers() if is_daemon(process)]
    client.kill()
    client.communicate()
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    assert [native.daemon()] == begun
    assert site.hits.count("/") == 0, "who asked for it is no more"


def test_help_and_wrong_usage_leave_neither_a_daemon_nor_chromium(native: NativeHome) -> None:
    assert native.must("goto", "--help").startswith("Usage: gbrowse goto")
    assert native.fails(2, "goto").startswith("Error: ")
    native.until_gone()
    assert not list(native.temporary.iterdir())


@fault("Races", "many clients on a cold workspace", "one daemon, one Chromium, an answer for each")
def test_clients_that_begin_at_once_have_one_daemon_and_one_chromium(native: NativeHome, site: Site) -> None:
    """Begin some by the client in Python; see tests/e2e/client/test_starting.py for both."""
    begun = [native.start("goto", site("/two")) for _ in range(8)]
    python = DaemonHarness.client(native)
    begun += [native.start("goto", site("/two"), client=python) for _ in range(4)]
    said = [client.communicate(timeout=60)[0] for client in begun]
    assert said == [f"Navigated to {site('/two')} (200)\n"] * 12
    native.processes()
    until(lambda: len(chromiums(native)) == 1)
    assert sum(is_daemon(process) for process in native.leftovers()) == 1
