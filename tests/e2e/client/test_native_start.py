"""Test what the native client starts for a first `goto` where no daemon listens.

And when it leaves that to the Python client.

Python and Chromium are scripts here, which note down what they were started with; tests/e2e/daemon/test_native_start.py has the real ones.
"""

import fcntl
import json
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
from binascii import crc32
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gstack_browse.browser.launch import known_start
from gstack_browse.browser.launch.scratch import PROGRAMS
from gstack_browse.protocol import Request, encode_request

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
import fcntl, time
line = sys.stdin.buffer.readline().decode()
if "--in-place" in sys.argv[:-1]:
    os.write(3, b"asked")
    os.set_blocking(4, True)
    heard = os.read(4, 5).decode()
    os.waitpid(int(sys.argv[-3]), 0)
    lock = os.open(sys.argv[-2] + "/lock", os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = False
    except BlockingIOError:
        held = True
    os.close(lock)
    note("python.json", line=line, heard=heard, held=held)
else:
    note("python.json", line=line)
os.write(1, os.environ["SAYS"].encode().decode("unicode_escape").encode())
"""
CHROMIUM = f"""\
#!{sys.executable} -I
{NOTE}
note("chromium.json", heard=os.read(3, 5).decode())
os.write(4, b"is up")
"""


class Place:
    """A client with a Python and a Chromium beside it, and a workspace."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.workspace = folder / "work"
        (self.workspace / ".git").mkdir(parents=True)
        self.state = self.workspace / ".gstack"
        self.program = Path(shutil.copy(program, self.bin / "gbrowse"))
        self._script("gbrowse-python", "#!/bin/sh\necho left to Python\nexit 99\n")
        self._script("python", PYTHON)
        self.chromium = self._script("chromium", CHROMIUM)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder / "t"),
            "XDG_CACHE_HOME": str(folder / "cache"),
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
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            **({"env": self.env} | options),
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    def noted(self, name: str) -> dict[str, Any] | None:
        """Return what the program was started with; None if it was not started."""
        path = self.bin / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def remember(self, patch: pytest.MonkeyPatch) -> known_start.KnownStart:
        """Have that Chromium be the one that is known, in this environment."""
        with patch.context() as there:
            for name in list(os.environ):
                there.delenv(name)
            for name, value in self.env.items():
                there.setenv(name, value)
            there.setattr(sys, "executable", str(self.bin / "python"))
            known_start.save(str(self.chromium), "/full", ["--one", "--user-data-dir=/x", "--two words"])
            known = known_start.load()
        assert known
        return known


@pytest.fixture
def place(sanitized: Path) -> Iterator[Place]:
    """In a directory of a short name: Chromium's temporary one has to have that."""
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


def test_the_chromium_that_is_known_is_started_before_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.env |= {
        "BROWSE_SANDBOX": "0",
        "BROWSE_FENCE": "1",
        "NODE_OPTIONS": "--x",
        "DBUS_SESSION_BUS_ADDRESS": "unix:x",
    }
    del place.env["NODE_OPTIONS"]  # as the daemon does before it remembers
    known = place.remember(monkeypatch)
    assert place.goto(env=place.env | {"NODE_OPTIONS": "--x", "PWDEBUG": "1"}) == (0, "there\n")
    python, chromium = place.noted("python"), place.noted("chromium")
    assert python
    assert chromium
    word, number, scratch, checksum = python["argv"][-4:]
    assert (word, int(number), int(checksum, 16)) == ("--in-place", chromium["pid"], known.checksum)
    assert chromium["argv"] == known.command(f"{scratch}/profile")
    assert (chromium["heard"], python["heard"]) == ("asked", "is up")
    assert python["held"], "the lock of its directory"
    assert python["fds"] == [0, 1, 2, 3, 4, 5]
    assert chromium["fds"] == [0, 1, 2, 3, 4]
    assert chromium["parent"] == python["pid"], "which hears from the kernel when Chromium ends"
    assert (chromium["group"], chromium["cwd"]) == (chromium["pid"], "/")
    path = f"{scratch}/{PROGRAMS}:{place.env['PATH']}"  # first what refuses to start other programs
    expected = place.env | {"TMPDIR": scratch, "DBUS_SESSION_BUS_ADDRESS": "disabled:", "PATH": path}
    assert {name: value for name, value in chromium["env"].items() if name != "LC_CTYPE"} == expected
    assert Path(scratch).parent == Path(place.env["TMPDIR"])
    assert stat.S_IMODE(Path(scratch).stat().st_mode) == 0o700


def test_remembered_start_is_used_in_the_same_environment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    names = [
        "BROWSE_X",
        "BROWSE_FENCE",
        "BROWSE_IDLE_TIMEOUT",
        "PLAYWRIGHT_Y",
        "PW_Z",
        "PWTEST",
        "PWD",
        "CI",
        "CIA",
        "DEBUG",
    ]
    plain = dict(place.env)
    for _ in range(6):
        place.env = plain | {name: chance.choice(["", "1", "ü=\n"]) for name in chance.sample(names, 5)}
        place.remember(monkeypatch)
        assert place.goto() == (0, "there\n")
        (place.bin / "chromium.json").unlink()
    place.env["BROWSE_X"] = "another"
    assert place.goto() == (0, "there\n")
    assert place.noted("chromium") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BROWSE_WIRE", "0"),
        ("BROWSE_PERSIST", "1"),
        ("BROWSE_EXTENSIONS_DIR", "/x"),
        ("BROWSE_PROFILE", "/x"),
        ("BROWSE_ALLOW", "a.com"),
        ("BROWSE_ALLOW_RESOURCES", "a.com"),
    ],
)
def test_start_with_a_setting_of_its_own_is_left_to_python(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    place.remember(monkeypatch)
    [remembered] = (Path(place.env["XDG_CACHE_HOME"]) / "gbrowse/start").iterdir()
    number = int(remembered.name.removeprefix("chromium-"), 16) + crc32(f"{name}={value}".encode())
    remembered.rename(remembered.with_name(f"chromium-{number & 0xFFFFFFFF:08x}"))
    place.env[name] = value
    assert place.goto() == (0, "there\n")
    assert place.noted("chromium") is None


def _replaced(place: Place, remembered: Path) -> None:
    place.chromium.write_text(place.chromium.read_text() + "\n")


def _removed(place: Place, remembered: Path) -> None:
    place.chromium.unlink()


def _linked(place: Place, remembered: Path) -> None:
    remembered.rename(place.bin / "elsewhere")
    remembered.symlink_to(place.bin / "elsewhere")


def _open_to_others(place: Place, remembered: Path) -> None:
    remembered.parent.chmod(0o777)


def _nonsense(place: Place, remembered: Path) -> None:
    remembered.write_bytes(b"\0" * 3000 + b"x")


def _cut_off(place: Place, remembered: Path) -> None:
    remembered.write_bytes(remembered.read_bytes()[:20])


@pytest.mark.parametrize("spoil", [_replaced, _removed, _linked, _open_to_others, _nonsense, _cut_off])
def test_spoilt_record_of_a_start_is_not_used(
    place: Place, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Place, Path], None]
) -> None:
    place.remember(monkeypatch)
    [remembered] = (Path(place.env["XDG_CACHE_HOME"]) / "gbrowse/start").iterdir()
    spoil(place, remembered)
    assert place.goto() == (0, "there\n")
    assert place.noted("chromium") is None


@pytest.mark.parametrize("said", ["", "rea", "nonsense\\n", "reply\\nhalf", "ready\\n"])
def test_a_daemon_that_does_not_come_up_is_left_to_python(place: Place, said: str) -> None:
    place.env["SAYS"] = said
    assert place.goto() == LEFT


def _link(state: Path) -> None:
    (state / "browse-console.log").symlink_to("/etc/passwd")


def _fifo(state: Path) -> None:
    os.mkfifo(state / "browse.lock")


def _hard_link(state: Path) -> None:
    (state / "one").write_text("")
    (state / "two").hardlink_to(state / "one")


def _thousands(state: Path) -> None:
    for number in range(1100):
        (state / str(number)).touch()


def _directory_of_others(state: Path) -> None:
    state.chmod(0o777)


def _no_socket(state: Path) -> None:
    (state / "browse.sock").write_text("")


def _start_lock_is_a_directory(state: Path) -> None:
    (state / "browse-start.lock").mkdir()


@pytest.mark.parametrize(
    "plant",
    [_link, _fifo, _hard_link, _thousands, _directory_of_others, _no_socket, _start_lock_is_a_directory],
)
def test_planted_state_directory_is_left_to_python(place: Place, plant: Callable[[Path], None]) -> None:
    place.state.mkdir(mode=0o700)
    plant(place.state)
    assert place.goto() == LEFT
    assert place.noted("python") is None


def test_a_state_directory_that_is_a_link_is_left_to_python(place: Place) -> None:
    (place.workspace / "there").mkdir()
    place.state.symlink_to("there")
    assert place.goto() == LEFT
    assert place.noted("python") is None


def test_start_while_another_client_starts_is_left_to_python(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    with open(place.state / "browse-start.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert place.goto() == LEFT
    assert place.noted("python") is None


def test_after_a_daemon_that_has_left_its_socket_another_is_started(place: Place) -> None:
    place.state.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place.state / "browse.sock"))
    assert place.goto() == (0, "there\n")


@pytest.mark.parametrize(
    "words",
    [
        ["status"], ["newtab"], ["--tab", "2", "goto", "http://a/"], ["gotox", "x"], ["chain", '[["newtab"],["goto"]]'],
        ["chain", '[["goto-x"]]'], ["chain", "--keep-going", "goto"], ["go", "to"],
    ],
)  # fmt: skip
def test_other_first_commands_are_left_to_python(place: Place, words: list[str]) -> None:
    assert place.goto(*words) == LEFT
    assert place.noted("python") is None


@pytest.mark.parametrize(
    "words", [["url"], ["snapshot", "-i"], ["chain", '[["goto","http://a/"],["text"]]'], ["batch", " [\n[ \"js\", \"1\"]]"], ["chain", "open a.b\ntext"]]
)  # fmt: skip
def test_commands_without_playwright_start_a_daemon_natively(place: Place, words: list[str]) -> None:
    assert place.goto(*words) == (0, "there\n")


def test_a_state_file_elsewhere_is_left_to_python(place: Place) -> None:
    place.env["BROWSE_STATE_FILE"] = f"{place.workspace}/mine.json"
    assert place.goto() == LEFT


def test_without_a_python_beside_it_it_is_left_to_the_script(place: Place) -> None:
    (place.bin / "python").unlink()
    assert place.goto() == LEFT
