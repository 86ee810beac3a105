"""The state directory: made safely, hostile content refused and left alone."""

import errno
import fcntl
import os
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.workspace.directory import (  # fmt: skip
    CONSOLE_LOG,
    FILES,
    LOCK,
    SOCKET,
    STATE_FILE,
    existing_state_dirs,
)
from gstack_browse.workspace.state import WritableStateDir, open_state_dir
from tests.each import each, each_row
from tests.faults import fault
from tests.unit.planting import plant


@pytest.fixture
def state(tmp_path: Path) -> WritableStateDir:
    return open_state_dir(str(tmp_path), {})


def variable(path: Path | str) -> dict[bytes, bytes]:
    return {b"BROWSE_STATE_FILE": os.fsencode(path)}


def use_state_dir(workspace: Path, variables: dict[bytes, bytes]) -> Iterator[Callable[[], object]]:
    """The ways to come to a state directory: as a daemon, and as a client."""
    yield lambda: open_state_dir(str(workspace), variables)
    yield lambda: list(existing_state_dirs(str(workspace), variables))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.programs
def test_state_directory_is_made_private_whatever_the_umask_and_ignored_by_git(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        state = open_state_dir(str(tmp_path), {})
        os.close(state.bind())
        os.close(state.open_log(CONSOLE_LOG))
        state.write_file(STATE_FILE, b'{"pid":1}')
        state.write_file(STATE_FILE, b'{"pid":2}')
    finally:
        os.umask(previous)
    assert {stat.filemode(path.lstat().st_mode)[4:] for path in tmp_path.rglob("*")} == {"------"}
    assert sorted(os.listdir(state.path)) == [".gitignore", CONSOLE_LOG, STATE_FILE, SOCKET]
    assert state.read_file(STATE_FILE, 100) == b'{"pid":2}'
    with pytest.raises(Refused, match="larger than 3 bytes"):
        state.read_file(STATE_FILE, 3)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, check=True, capture_output=True)
    assert status.stdout == b""


def test_one_that_is_there_is_used_as_it_is_but_where_others_can_write(tmp_path: Path) -> None:
    (tmp_path / ".gstack").mkdir(mode=0o755)
    (tmp_path / ".gstack/.gitignore").write_text("logs/\n")
    open_state_dir(str(tmp_path), {})
    assert mode(tmp_path / ".gstack") == 0o755
    assert (tmp_path / ".gstack/.gitignore").read_text() == "logs/\n"
    (tmp_path / ".gstack").chmod(0o777)
    with pytest.raises(Refused, match="can be written by others") as caught:
        open_state_dir(str(tmp_path), {})
    assert caught.value.hint == f"Close it: chmod go-w {tmp_path}/.gstack"
    assert mode(tmp_path / ".gstack") == 0o777


@each(["link", "dangling link", "file", "fifo"])
def test_something_else_in_its_place_is_refused(what: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("planted")
    (work := place / "work").mkdir()
    if what == "link":
        (place / "target").mkdir()
    plant(work / ".gstack", what.removeprefix("dangling "), place / "target")
    before, there = (work / ".gstack").lstat(), [path.name for path in place.rglob("*")]
    for use in use_state_dir(work, {}):
        with pytest.raises(Refused, match=r"\.gstack is a"):
            use()
    assert (work / ".gstack").lstat() == before
    assert [path.name for path in place.rglob("*")] == there


def test_everything_is_called_after_a_state_file_of_another_name(tmp_path: Path) -> None:
    names = ("mine.json", "yours", "browse.json")
    states = [open_state_dir(str(tmp_path), variable(tmp_path / "own" / name)) for name in names]
    sockets = []
    for state in states:
        state.write_file(STATE_FILE, b'{"pid": 1, "socket": ""}')
        assert state.lock(LOCK) is not None
        sockets.append(socket.socket(fileno=state.bind()))
        assert state.is_still_ours()
    assert sorted(os.listdir(tmp_path / "own")) == [
        "browse.json", "browse.lock", "browse.sock", "mine.json", "mine.lock", "mine.sock", "yours", "yours.lock", "yours.sock"
    ]  # fmt: skip
    for state in states:
        state.remove(SOCKET)
        state.remove(STATE_FILE)
    assert sorted(os.listdir(tmp_path / "own")) == ["browse.lock", "mine.lock", "yours.lock"]
    assert states[0].printable_path(SOCKET) == f"{tmp_path}/own/mine.sock"
    assert os.listdir(tmp_path) == ["own"], "nothing is left in the workspace"


@each(["package.json", "folder", "", "..", "x" * 61])
def test_state_file_named_by_mistake_is_refused_and_left_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "precious"}')
    (tmp_path / "folder").mkdir(exist_ok=True)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(Refused) as caught:
        open_state_dir(str(tmp_path), variable(f"{tmp_path}/{name}"))
    assert caught.value.hint.startswith("Name a file of its own")
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "package.json").read_text() == '{"name": "precious"}'


@pytest.mark.parametrize("problem", ["open to others", "a link", "another user's"])
def test_no_hint_would_harm_a_directory_that_is_not_ours(tmp_path: Path, problem: str) -> None:
    """Such as /tmp, of which one may not take the rights of others, nor remove it."""
    shared = tmp_path / "shared"
    shared.mkdir()
    if problem == "open to others":
        shared.chmod(0o1777)
    elif problem == "a link":
        shared.rename(tmp_path / "behind")
        shared.symlink_to("behind")
    else:
        if os.geteuid() != 0:
            pytest.skip("only root can give a directory away")
        os.chown(shared, 12345, 12345)
    for use in use_state_dir(tmp_path, variable(shared / "mine.json")):
        with pytest.raises(Refused, match="shared") as caught:
            use()
        own = "Name a file of its own, in a directory of your own: BROWSE_STATE_FILE=~/.gbrowse/browse.json"
        assert caught.value.hint == own


@each_row(*product([*FILES, SOCKET], ["link", "dangling link", "fifo", "directory", "live socket"]))
def test_planted_names_are_refused_and_left_alone(
    name: str, what: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("planted")
    (tmp_path / ".gstack").mkdir()
    planted, target = tmp_path / ".gstack" / name, tmp_path / "target"
    listener = socket.socket(socket.AF_UNIX)
    if what == "live socket":
        listener.bind(str(planted))
        listener.listen()
    else:
        plant(planted, what.removeprefix("dangling "), target)
    if what == "link":
        target.write_text("precious")
    before = planted.lstat()
    with listener, pytest.raises(Refused) as caught:
        open_state_dir(str(tmp_path), {}).bind()  # only here is a live browse.sock found to be foreign
    assert str(planted) in caught.value.message
    assert "\n" not in caught.value.message
    assert planted.lstat() == before
    assert [path.read_text() for path in tmp_path.glob("target")] == ["precious"] * (what == "link")


def test_a_log_is_appended_to_and_made_private_and_what_is_planted_later_refused(
    tmp_path: Path, state: WritableStateDir
) -> None:
    log = tmp_path / ".gstack" / CONSOLE_LOG
    log.write_text("old\n")
    log.chmod(0o644)
    fd = state.open_log(CONSOLE_LOG)
    os.write(fd, b"new\n")
    assert (log.read_text(), mode(log)) == ("old\nnew\n", 0o600)
    assert fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    os.close(fd)
    log.unlink()
    (tmp_path / "precious").write_text("x")
    log.symlink_to(tmp_path / "precious")
    (tmp_path / ".gstack" / STATE_FILE).symlink_to(tmp_path / "precious")
    for use, *words in (
        (state.open_log, CONSOLE_LOG),
        (state.write_file, STATE_FILE, b"{}"),
        (state.read_file, STATE_FILE, 10),
        (state.remove, STATE_FILE),
        (state.lock, STATE_FILE),
    ):
        with pytest.raises(Refused, match="symbolic link"):
            use(*words)
    log.unlink()
    os.link(tmp_path / "precious", log)
    with pytest.raises(Refused, match="hard link"):
        state.open_log(CONSOLE_LOG)
    log.unlink()
    os.mkfifo(log)
    reader = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(Refused, match="FIFO"):
        state.open_log(CONSOLE_LOG)
    os.close(reader)
    assert (tmp_path / "precious").read_text() == "x"


def test_only_one_holds_a_lock_while_its_file_is_there(tmp_path: Path, state: WritableStateDir) -> None:
    held = state.lock(LOCK)
    assert held is not None
    assert state.lock(LOCK) is None
    os.close(held)
    first = state.lock(LOCK)
    (tmp_path / ".gstack" / LOCK).unlink()
    second = state.lock(LOCK)
    assert first is not None
    assert second is not None
    assert os.fstat(first).st_ino != os.fstat(second).st_ino
    os.close(first)
    os.close(second)


def test_the_socket_is_private_and_replaces_a_left_over_one_however_long_its_path(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 150) / ("e" * 150)
    deep.mkdir(parents=True)
    state = open_state_dir(str(deep), {})
    os.close(state.bind())
    with socket.socket(fileno=state.bind()):
        assert mode(deep / ".gstack" / SOCKET) == 0o600
        client = state.connect()
        assert client is not None
        client.close()
        assert sorted(os.listdir(state.path)) == [".gitignore", SOCKET]


@pytest.mark.parametrize("what", [SOCKET, ""])
@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_daemon_sees_that_its_place_was_taken_away(tmp_path: Path, what: str, is_replaced: bool) -> None:
    state = open_state_dir(str(tmp_path), {})
    with socket.socket(fileno=state.bind()):
        assert state.is_still_ours()
        (tmp_path / ".gstack" / what).rename(tmp_path / "taken")
        if is_replaced:
            plant(tmp_path / ".gstack" / what, "file" if what else "directory")
        assert not state.is_still_ours()


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A workspace in which nothing can be made, also by root."""
    work = tmp_path / "read-only"
    work.mkdir()
    work.chmod(0o500)
    return work if not os.access(work, os.W_OK) else Path("/sys/kernel")  # root may write nearly everywhere


@fault(
    "Environments",
    "the workspace's file system keeps no permissions or has no locks, as a Windows drive in WSL or some network file systems",
    "it works, with its state in the user's runtime directory, which is said once",
)
@pytest.mark.parametrize("lacks", ["permissions", "locks"])
def test_file_system_without_permissions_or_locks_has_a_substitute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    """On a Windows drive in WSL every directory has mode 0777; NFS has no locks without its lock manager."""
    work, runtime = tmp_path / "work", tmp_path / "runtime"
    work.mkdir()
    runtime.mkdir(mode=0o700)
    make = os.mkdir

    def make_open(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        make(path, mode, dir_fd=dir_fd)
        if path == f"{work}/.gstack":
            Path(path).chmod(0o777)

    def refuse_lock(_fd: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    if lacks == "permissions":
        monkeypatch.setattr("posix.mkdir", make_open)
    else:
        monkeypatch.setattr("fcntl.flock", refuse_lock)
    env = {b"XDG_RUNTIME_DIR": os.fsencode(runtime)}
    for _ in range(2):
        state = open_state_dir(str(work), env)
        assert state.fell_back
        assert state.path.startswith(f"{runtime}/gbrowse/")
        assert [found.path for found in existing_state_dirs(str(work), env)][-1:] == [state.path]


def test_only_an_unnamed_directory_has_a_substitute_which_is_private(tmp_path: Path, read_only: Path) -> None:
    with pytest.raises(SetupFailed, match=r"state cannot"):
        open_state_dir(str(tmp_path), variable(read_only / "state" / "browse.json"))
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    env = {b"XDG_RUNTIME_DIR": os.fsencode(runtime)}
    state = open_state_dir(str(read_only), env)
    assert state.fell_back
    assert state.path.startswith(f"{runtime}/gbrowse/")
    assert [found.path for found in existing_state_dirs(str(read_only), env)] == [state.path]
    assert open_state_dir("/sys/fs", env).path != state.path, "one for each workspace"
    (runtime / "gbrowse").chmod(0o755)
    with pytest.raises(Refused, match="open to others"):
        open_state_dir(str(read_only), env)
