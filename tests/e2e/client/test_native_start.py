"""Test what the native client starts for a first `goto` where no daemon listens.

And when it leaves that to the Python client.

Python is a script here, which notes down what it was started with; tests/e2e/daemon/test_native_start.py has the real one.
"""

import fcntl
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gstack_browse.protocol import Request, encode_request
from tests.each import each

LEFT = (99, "left to Python\n")
NOTE = """\
import json, os, sys
def note(name, **more):
    found = {"argv": sys.argv, "cwd": os.getcwd(), "env": dict(os.environ), "session": os.getsid(0), "group": os.getpgid(0),
             "pid": os.getpid(), "parent": os.getppid(), "fds": sorted(map(int, os.listdir("/proc/self/fd")))[:-1], **more}
    with open(os.path.join(os.path.dirname(sys.argv[0]), name), "w") as file:
        json.dump(found, file)
"""
PYTHON = f"""\
#!{sys.executable} -I
{NOTE}
note("python.json", line=sys.stdin.buffer.readline().decode())
os.write(1, os.environ["SAYS"].encode().decode("unicode_escape").encode())
"""


class Place:
    """A client with a Python beside it, and a workspace."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.workspace = folder / "work"
        (self.workspace / ".git").mkdir(parents=True)
        self.state = self.workspace / ".gstack"
        self.program = Path(shutil.copy(program, self.bin / "gbrowse"))
        self._script("gbrowse-python", "#!/bin/sh\necho left to Python\nexit 99\n")
        self._script("python", PYTHON)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder / "t"),
            "SAYS": "reply\\nthere\\n\\x000\\n",
        }
        (folder / "t").mkdir()

    def _script(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def goto(self, *words: str, **options: Any) -> tuple[int, str]:
        """Return exit code and output of `goto URL`, or of the given words."""
        done = subprocess.run(
            [self.program, *(words or ("goto", "http://a/"))],
            cwd=self.workspace,
            capture_output=True,
            text=True,
            timeout=60,
            **({"env": self.env, "input": ""} | options),
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    def noted(self, name: str) -> dict[str, Any] | None:
        """Return what the program was started with; None if it was not started."""
        path = self.bin / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None


@pytest.fixture
def place(sanitized: Path) -> Iterator[Place]:
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/gbXXXX"], text=True).strip())
    yield Place(sanitized, folder)
    shutil.rmtree(folder)


def test_python_is_started_as_the_daemon_itself(place: Place) -> None:
    with open(os.devnull) as open_by_the_caller:
        assert place.goto(pass_fds=[open_by_the_caller.fileno()]) == (0, "there\n")
    found = place.noted("python")
    assert found
    request = Request("goto", ["http://a/"], cwd=str(place.workspace), status=True, stderr=True)
    assert found["line"].encode() == encode_request(request)
    assert found["argv"][-3:] == ["gbrowse-daemon", str(place.workspace), "--in-place"]
    assert found["session"] == found["pid"]
    assert found["fds"] == [0, 1, 2], "neither the caller's nor the client's"
    assert found["cwd"] == str(place.workspace), "settings may be relative to it"
    assert stat.S_IMODE(place.state.stat().st_mode) == 0o700


@each(["", "rea", "nonsense\\n", "reply\\nhalf", "ready\\n"])
def test_a_daemon_that_does_not_come_up_is_left_to_python(said: str, place: Place) -> None:
    place.env["SAYS"] = said
    assert place.goto() == LEFT


def _hard_link(state: Path) -> None:
    (state / "one").write_text("")
    (state / "two").hardlink_to(state / "one")


def _thousands(state: Path) -> None:
    for number in range(1100):
        (state / str(number)).touch()


PLANTS: dict[str, Callable[[Path], object]] = {
    "link": lambda state: (state / "browse-console.log").symlink_to("/etc/passwd"),
    "fifo": lambda state: os.mkfifo(state / "browse.lock"),
    "hard link": _hard_link,
    "thousands of files": _thousands,
    "directory of others": lambda state: state.chmod(0o777),
    "no socket": lambda state: (state / "browse.sock").write_text(""),
    "start lock is a directory": lambda state: (state / "browse-start.lock").mkdir(),
}


@each(PLANTS)
def test_planted_state_directory_is_left_to_python(name: str, place: Place) -> None:
    shutil.rmtree(place.state, ignore_errors=True)
    place.state.mkdir(mode=0o700)
    PLANTS[name](place.state)
    assert place.goto() == LEFT
    assert place.noted("python") is None


def test_start_while_another_client_starts_or_in_a_linked_directory_is_left_to_python(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    with open(place.state / "browse-start.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert place.goto() == LEFT
    place.state.rename(place.workspace / "there")
    place.state.symlink_to("there")
    assert place.goto() == LEFT
    assert place.noted("python") is None


def test_after_a_daemon_that_has_left_its_socket_another_is_started(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place.state / "browse.sock"))
    assert place.goto() == (0, "there\n")


OTHER = [
    ["status"], ["contexts"], ["--tab", "2", "goto", "http://a/"], ["gotox", "x"], ["chain", '[["status"],["goto"]]'],
    ["chain", '[["goto-x"]]'], ["chain", "--keep-going", "goto"], ["go", "to"],
]  # fmt: skip


@each(OTHER)
def test_other_first_commands_are_left_to_python(words: list[str], place: Place) -> None:
    assert place.goto(*words) == LEFT
    assert place.noted("python") is None


NEED_A_BROWSER = [
    ["url"], ["newtab"], ["snapshot", "-i"], ["chain", '[["goto","http://a/"],["text"]]'], ["batch", " [\n[ \"js\", \"1\"]]"],
    ["chain", "open a.b\ntext"],
]  # fmt: skip


@each(["goto http://a/\ntext\n", '[["js", "1"]]'])
def test_chain_on_standard_input_starts_a_daemon_natively(steps: str, place: Place) -> None:
    assert place.goto("chain", input=steps) == (0, "there\n")
    noted = place.noted("python")
    assert noted
    assert json.loads(noted["line"])["stdin"] == steps


@each(["status\ngoto a.b", "", "# none"])
def test_chain_on_standard_input_that_begins_otherwise_is_left_to_python(steps: str, place: Place) -> None:
    assert place.goto("chain", input=steps) == LEFT
    assert place.noted("python") is None


@each(NEED_A_BROWSER)
def test_commands_that_need_a_browser_start_a_daemon_natively(words: list[str], place: Place) -> None:
    assert place.goto(*words) == (0, "there\n")


def test_state_elsewhere_and_a_missing_python_are_left_to_the_script(place: Place) -> None:
    place.env["BROWSE_STATE_FILE"] = f"{place.workspace}/mine.json"
    assert place.goto() == LEFT
    del place.env["BROWSE_STATE_FILE"]
    (place.bin / "python").unlink()
    assert place.goto() == LEFT
