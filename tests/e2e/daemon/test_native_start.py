"""Test a first `goto` by the native client, with the real Python and the real Chromium.

Chromium is started before Python.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.daemon.conftest import home_of
from tests.e2e.daemon.harness import LAUNCH, ROOT, DaemonHarness, Site, is_daemon, until
from tests.faults import fault
from tests.processes import words

pytestmark = [pytest.mark.both_browsers, pytest.mark.pipe]

WAYS = ("Playwright first", "Chromium first")
"""How the two browsers were started, of `native` and of its test."""


class NativeHome(DaemonHarness):
    """A workspace whose client is the native one."""

    program: Path

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        usual = {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "cwd": self.workspace, "env": self.env, "text": True,
        }  # fmt: skip
        return subprocess.Popen([self.program, *words], **(usual | options))


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
    with home_of(NativeHome, package) as home:
        home.program = program
        home.env["XDG_CACHE_HOME"] = str(home.temporary.parent / "cache")
        yield home


@pytest.fixture
def native(lasting: NativeHome, site: Site) -> Iterator[NativeHome]:
    """Return a home without a daemon where a start is known.

    A browser was started here before, in the usual way.
    """
    if not remembered_starts(lasting):
        lasting.must("goto", site("/"))
        lasting.must("stop")
    lasting.until_gone()
    yield lasting
    lasting.run("stop")


def remembered_starts(home: NativeHome) -> list[Path]:
    """Return the files in which starts are remembered."""
    return list(Path(home.env["XDG_CACHE_HOME"]).glob("gbrowse/start/*"))


def chromiums(home: NativeHome) -> list[psutil.Process]:
    return [
        process
        for process, its in ((process, words(process)) for process in home.leftovers())
        if "--remote-debugging-pipe" in its
        and not any(word.startswith("--type=") for word in its)
        and its[0] != "/bin/sh"
    ]


def test_chromium_is_there_before_python_and_is_the_daemons(
    native: NativeHome, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    daemon = native.daemon()
    *_, word, number, _, _ = daemon.cmdline()
    assert (word, psutil.Process(int(number)).ppid()) == ("--in-place", daemon.pid)
    assert [process.pid for process in chromiums(native)] == [int(number)]
    assert os.getsid(daemon.pid) == daemon.pid
    assert native.must("text").endswith("Second")
    assert "\nStart: Chromium first\n" in json.loads(native.must("--json", "status"))["text"]
    log = native.workspace / ".gstack/browse-daemon.log"
    until(lambda: log.read_text().count("The browser was started") == len(WAYS))
    ways = [line.partition(" ")[2] for line in log.read_text().splitlines()]
    assert (ways[0], ways[-1]) == tuple(f"The browser was started: {way}" for way in WAYS)
    assert site.hits.count("/two") == 1
    native.must("stop")
    native.until_gone()
    monkeypatch.setitem(native.env, "BROWSE_AS", "ann")
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    assert native.must("text").endswith("Second")
    assert "\nStart: Chromium first\n" in json.loads(native.must("--json", "status"))["text"]
    assert native.must("tabs").count("\n") == 0
    native.must("cookies")  # which takes Playwright
    assert [line.split()[:3] for line in native.must("contexts").splitlines()] == [
        ["default", "0", "tabs"],
        ["ann", "1", "tab"],
    ]


FIRST = {
    "look": (["snapshot", "-i"], "(no accessible elements found)"),
    "chain": (["chain", '[["goto","{site}"],["title"]]'], "[goto] Navigated to {site} (200)\n[title] Two"),
}


@pytest.mark.parametrize("name", FIRST)
def test_chromium_is_first_for_what_needs_no_playwright(native: NativeHome, site: Site, name: str) -> None:
    words, said = FIRST[name]
    assert native.must(*(word.replace("{site}", site("/two")) for word in words)) == said.replace(
        "{site}", site("/two")
    )
    assert "\nStart: Chromium first\n" in json.loads(native.must("--json", "status"))["text"]
    assert native.must("goto", site("/")) == f"Navigated to {site('/')} (200)"
    native.must("cookies")  # which takes Playwright
    assert native.must("url") == site("/")


@fault(
    "Full disks",
    "the disk of temporary files has too little room, or too few inodes, where the native client starts Chromium",
    "said in one line (1), which names the directory; nothing is left there; with room the same daemon works",
)
@pytest.mark.parametrize(
    "limit", ["size", pytest.param("nr_inodes", marks=pytest.mark.slow)]
)  # it takes the same way
def test_full_temporary_directory_at_a_native_start_is_named(
    native: NativeHome, site: Site, limit: str
) -> None:
    few, plenty = f"{limit}=64", f"{limit}=10000k"
    place = str(native.temporary)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", few, "tmpfs", place], capture_output=True).returncode:
        pytest.skip("needs root, and a container in which one may mount")
    try:
        told = native.run("goto", site("/two"))
        assert told.returncode == 1, told
        assert told.stderr.startswith(f"Error: There is too little room on the disk: {place} ("), told
        assert "export TMPDIR=<directory>" in told.stderr
        assert not os.listdir(place)
        subprocess.run(["mount", "-o", f"remount,{plenty}", place], check=True)
        assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
        native.must("stop")
        native.until_gone()
        assert not os.listdir(place)
    finally:
        native.run("stop")
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.parametrize(
    "words",
    [["chain", '[["tabs"],["bogus"]]'], ["newtab", "about:blank"]],
)
def test_native_start_with_wrong_words_or_newtab_answers_as_usual(
    native: NativeHome, site: Site, words: list[str]
) -> None:
    done = native.run(*words)
    assert done.returncode == (0 if words[0] == "newtab" else 2), done.stderr
    assert native.must("goto", site("/")) == f"Navigated to {site('/')} (200)"
    assert len(chromiums(native)) == 1


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
    begun = until(lambda: [process for process in native.leftovers() if is_daemon(process)])
    client.kill()
    client.communicate()
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    assert [native.daemon()] == begun
    assert site.hits.count("/") == 0, "who asked for it is no more"


def test_help_and_wrong_usage_start_no_daemon(native: NativeHome) -> None:
    assert native.must("goto", "--help").startswith("Usage: gbrowse goto")
    wrong = native.run("goto")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("Error: ")
    native.until_gone()


def test_a_chromium_that_python_would_not_have_started_is_ended(native: NativeHome, site: Site) -> None:
    """As after an upgrade of ours or of Playwright's: whatever decides about flags, Python knows best."""
    [remembered] = remembered_starts(native)
    remembered.write_bytes(b"9" + remembered.read_bytes())
    assert native.must("goto", site("/two")) == f"Navigated to {site('/two')} (200)"
    assert "Start: Playwright first" in native.status()
    until(lambda: len(chromiums(native)) == 1)
    native.must("stop")
    native.until_gone()


def test_clients_that_begin_at_once_have_one_daemon_and_one_chromium(native: NativeHome, site: Site) -> None:
    begun = [native.start("goto", site("/two")) for _ in range(8)]
    said = [client.communicate(timeout=60)[0] for client in begun]
    assert said == [f"Navigated to {site('/two')} (200)\n"] * 8
    native.processes()
    until(lambda: len(chromiums(native)) == 1)
    assert sum(is_daemon(process) for process in native.leftovers()) == 1
