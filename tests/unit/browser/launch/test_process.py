"""Test how a Chromium process is started and ended, with programs in its place."""

import json
import os
import sys
from pathlib import Path

import pytest

from gstack_browse.browser.launch import process
from gstack_browse.browser.launch.process import ChromiumProcess, start_process
from gstack_browse.browser.launch.scratch import PREFERENCES, PROGRAMS, Scratch
from tests.faults import fault
from tests.processes import run_program

pytestmark = pytest.mark.programs

NOTE = """\
import json, os, sys
os.write(2, b"last words")
found = {"argv": sys.argv[1:], "env": dict(os.environ), "group": os.getpgid(0), "fds": [os.readlink(f"/proc/self/fd/{n}") for n in range(5, 20) if os.path.exists(f"/proc/self/fd/{n}")]}
os.write(4, json.dumps(found).encode() + b"\\0")
os.read(3, 1)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "chromium"
    path.write_text(f"#!{sys.executable} -IS\n{NOTE}")
    path.chmod(0o755)
    return str(path)


def discard(started: ChromiumProcess) -> None:
    """Kill a process, close its pipes and remove its files."""
    started.kill()
    started.close_pipes()
    started.scratch.remove()


def read_note(started: ChromiumProcess) -> bytes:
    told = b""
    while not told.endswith(b"\0"):
        told += os.read(started.from_browser, 1 << 16)
    return told[:-1]


def inherited_by_all() -> list[str]:
    """Return the names of the open files of the tests that every child process inherits."""
    links = {int(link.name): link for link in Path("/proc/self/fd").iterdir()}
    return [
        os.readlink(link)
        for number, link in links.items()
        if number > 4 and os.path.exists(link) and os.get_inheritable(number)
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_chromium_gets_pipes_a_profile_and_nothing_else(program: str) -> None:
    scratch = Scratch()
    started = start_process(program, ["--one", "two words"], scratch, variables={"XDG_DATA_HOME": "/x"})
    found = json.loads(read_note(started))
    assert found["argv"] == [f"--user-data-dir={scratch.name}/profile", "--one", "two words"]
    assert set(found["fds"]) <= set(inherited_by_all()), "none of the pipes"
    assert found["group"] == started.pid
    own = {"TMPDIR": scratch.name, "DBUS_SESSION_BUS_ADDRESS": "disabled:", "XDG_DATA_HOME": "/x"}
    assert own.items() <= found["env"].items()
    assert found["env"]["PATH"].startswith(f"{scratch.name}/{PROGRAMS}:")
    assert Path(scratch.name, "profile/Default/Preferences").read_text() == PREFERENCES
    discard(started)
    assert started.has_ended
    assert not scratch.path.exists()


def test_standard_error_is_kept_and_truncated_and_an_end_waited_for(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = start_process(program, [], Scratch())
    read_note(started)
    assert started.stderr_tail() == "last words"
    started.truncate_stderr()
    assert started.stderr_tail() == "last words"
    monkeypatch.setattr(process, "MOST_STDERR_BYTES", 5)
    started.truncate_stderr()
    assert started.stderr_tail() == ""
    assert not started.wait(0)
    os.write(started.to_browser, b"x")
    assert started.wait(30)
    discard(started)


ZOMBIES = """\
import os, signal, sys
from pathlib import Path
from gstack_browse.browser.launch import process
from gstack_browse.browser.launch.scratch import Scratch

process.GROUP_SECONDS = 3600
chromium = process.start_process(sys.argv[1], [], Scratch())
helper = int(os.read(chromium.from_browser, 20))
read, write = os.pipe()
if not (holder := os.fork()):
    if not (zombie := os.fork()):
        os.setpgid(0, chromium.pid)
        os._exit(0)
    os.waitid(os.P_PID, zombie, os.WEXITED | os.WNOWAIT)
    os.write(write, b".")
    signal.pause()
os.read(read, 1)
chromium.kill()
print(Path(f"/proc/{helper}").exists())
os.kill(holder, signal.SIGKILL)
chromium.scratch.remove()
"""


@fault(
    "Environments",
    "the browser is closed where the first process reaps nothing, as in many containers",
    "its helpers do not stay as zombies; one that does is not waited for",
)
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_helper_is_reaped_and_zombie_that_nobody_reaps_is_not_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nsleep 3600 &\necho $! >&4\nwait\n")
    program.chmod(0o755)
    ended = run_program([sys.executable, "-c", ZOMBIES, program])
    assert (ended.stdout, ended.stderr) == ("False\n", "")


def test_program_that_is_missing_raises_and_leaves_no_descriptor(tmp_path: Path) -> None:
    scratch = Scratch()
    before = os.dup(0)
    os.close(before)
    with pytest.raises(FileNotFoundError):
        start_process(str(tmp_path / "none"), [], scratch)
    after = os.dup(0)
    os.close(after)
    assert after == before
    scratch.remove()
