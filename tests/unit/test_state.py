"""The state directory: made safely, hostile content refused and left alone."""

import fcntl
import os
import socket
import stat
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from gstack_browse.errors import Refused, SetupFailed
from gstack_browse.state import WritableStateDir, open_state_dir
from gstack_browse.workspace import (
    CONSOLE_LOG,
    FILES,
    LOCK,
    SESSION_FILE,
    SOCKET,
    STATE_FILE,
    existing_state_dirs,
)
from tests.each import each


@pytest.fixture
def state(tmp_path: Path) -> WritableStateDir:
    return open_state_dir(str(tmp_path), {})


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.programs
def test_state_directory_is_made_private_and_ignored_by_git(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        open_state_dir(str(tmp_path), {})
    finally:
        os.umask(previous)
    assert mode(tmp_path / ".gstack") == 0o700
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, check=True, capture_output=True)
    assert status.stdout == b""


def test_one_that_is_there_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".gstack").mkdir(mode=0o755)
    (tmp_path / ".gstack/.gitignore").write_text("logs/\n")
    open_state_dir(str(tmp_path), {})
    assert mode(tmp_path / ".gstack") == 0o755
    assert (tmp_path / ".gstack/.gitignore").read_text() == "logs/\n"


def test_the_variable_moves_it_and_nothing_is_left_in_the_workspace(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    env = {b"BROWSE_STATE_FILE": os.fsencode(tmp_path / "elsewhere" / "browse.json")}
    state = open_state_dir(str(work), env)
    assert state.path == str(tmp_path / "elsewhere")
    assert list(work.iterdir()) == []
    assert not (tmp_path / "elsewhere/.gitignore").exists(), "it may be anybody's directory"


@pytest.mark.parametrize("what", ["link", "dangling link", "file", "fifo"])
def test_something_else_in_its_place_is_refused(tmp_path: Path, what: str) -> None:
    work, target = tmp_path / "work", tmp_path / "target"
    work.mkdir()
    planted = work / ".gstack"
    match what:
        case "link":
            target.mkdir()
            planted.symlink_to(target)
        case "dangling link":
            planted.symlink_to(target)
        case "file":
            planted.write_text("precious")
        case "fifo":
            os.mkfifo(planted)
    before, there = planted.lstat(), [path.name for path in tmp_path.rglob("*")]
    with pytest.raises(Refused, match=r"\.gstack is a"):
        open_state_dir(str(work), {})
    with pytest.raises(Refused, match=r"\.gstack is a"):
        list(existing_state_dirs(str(work), {}))
    assert planted.lstat() == before
    assert [path.name for path in tmp_path.rglob("*")] == there


def test_one_that_others_can_write_is_refused_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / ".gstack").mkdir()
    (tmp_path / ".gstack").chmod(0o777)
    with pytest.raises(Refused, match="can be written by others") as caught:
        open_state_dir(str(tmp_path), {})
    assert caught.value.hint == f"Close it: chmod go-w {tmp_path}/.gstack"
    assert mode(tmp_path / ".gstack") == 0o777


def test_everything_is_called_after_a_state_file_of_another_name(tmp_path: Path) -> None:
    states = [
        open_state_dir(str(tmp_path), {b"BROWSE_STATE_FILE": os.fsencode(tmp_path / "own" / name)})
        for name in ("mine.json", "yours", "browse.json")
    ]
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
    assert states[0].shown(SOCKET) == f"{tmp_path}/own/mine.sock"


@pytest.mark.parametrize("name", ["package.json", "folder", "", "..", "x" * 61])
def test_state_file_named_by_mistake_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "package.json").write_text('{"name": "precious"}')
    (tmp_path / "folder").mkdir()
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(Refused) as caught:
        open_state_dir(str(tmp_path), {b"BROWSE_STATE_FILE": os.fsencode(f"{tmp_path}/{name}")})
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
    env = {b"BROWSE_STATE_FILE": os.fsencode(shared / "mine.json")}
    for refused in (
        lambda: open_state_dir(str(tmp_path), env),
        lambda: list(existing_state_dirs(str(tmp_path), env)),
    ):
        with pytest.raises(Refused, match="shared") as caught:
            refused()
        assert (
            caught.value.hint
            == "Name a file of its own, in a directory of your own: BROWSE_STATE_FILE=~/.gbrowse/browse.json"
        )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_one_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".gstack").mkdir()
    os.chown(tmp_path / ".gstack", 12345, 12345)
    with pytest.raises(Refused, match="another user"):
        open_state_dir(str(tmp_path), {})


@each(product([*FILES, SOCKET], ["link", "dangling link", "fifo", "directory", "live socket"]))
def test_planted_names_are_refused_and_left_alone(
    case: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    name, plant = case
    tmp_path = tmp_path_factory.mktemp("planted")
    directory = tmp_path / ".gstack"
    directory.mkdir()
    target = tmp_path / "target"
    planted = directory / name
    listener = socket.socket(socket.AF_UNIX)
    match plant:
        case "link":
            target.write_text("precious")
            planted.symlink_to(target)
        case "dangling link":
            planted.symlink_to(target)
        case "fifo":
            os.mkfifo(planted)
        case "directory":
            planted.mkdir()
        case "live socket":
            listener.bind(str(planted))
            listener.listen()
    before = planted.lstat()
    with listener, pytest.raises(Refused) as caught:
        open_state_dir(str(tmp_path), {}).bind()  # only here is a live browse.sock found to be foreign
    assert str(planted) in caught.value.message
    assert "\n" not in caught.value.message
    assert planted.lstat() == before
    assert {path.name: path.read_text() for path in tmp_path.glob("target")} == (
        {"target": "precious"} if plant == "link" else {}
    )


def test_a_name_planted_later_is_refused_by_each_use(tmp_path: Path, state: WritableStateDir) -> None:
    (tmp_path / "secret").write_text("precious")
    for name in (CONSOLE_LOG, STATE_FILE, LOCK):
        (tmp_path / ".gstack" / name).symlink_to(tmp_path / "secret")
    uses = [
        lambda: state.open_log(CONSOLE_LOG),
        lambda: state.write_file(STATE_FILE, b"{}"),
        lambda: state.read_file(STATE_FILE, 10),
        lambda: state.remove(STATE_FILE),
        lambda: state.lock(LOCK),
    ]
    for use in uses:
        with pytest.raises(Refused, match="symbolic link"):
            use()
    assert (tmp_path / "secret").read_text() == "precious"


def test_a_second_name_of_another_file_is_refused(tmp_path: Path, state: WritableStateDir) -> None:
    (tmp_path / "precious").write_text("x")
    os.link(tmp_path / "precious", tmp_path / ".gstack" / CONSOLE_LOG)
    with pytest.raises(Refused, match="hard link"):
        state.open_log(CONSOLE_LOG)


def test_a_fifo_with_a_reader_does_not_get_our_log(tmp_path: Path, state: WritableStateDir) -> None:
    fifo = tmp_path / ".gstack" / CONSOLE_LOG
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(Refused, match="FIFO"):
        state.open_log(CONSOLE_LOG)
    os.close(reader)


def test_files_are_replaced_whole_and_private(tmp_path: Path, state: WritableStateDir) -> None:
    assert state.read_file(STATE_FILE, 100) is None
    state.write_file(STATE_FILE, b'{"pid":1}')
    state.write_file(STATE_FILE, b'{"pid":2}')
    assert state.read_file(STATE_FILE, 100) == b'{"pid":2}'
    assert mode(tmp_path / ".gstack" / STATE_FILE) == 0o600
    assert sorted(os.listdir(state.path)) == [".gitignore", STATE_FILE]
    with pytest.raises(Refused, match="larger than 3 bytes"):
        state.read_file(STATE_FILE, 3)
    state.remove(STATE_FILE)
    state.remove(STATE_FILE)
    assert state.read_file(STATE_FILE, 100) is None


def test_a_log_is_appended_to_and_made_private(tmp_path: Path, state: WritableStateDir) -> None:
    log = tmp_path / ".gstack" / CONSOLE_LOG
    log.write_text("old\n")
    log.chmod(0o644)
    fd = state.open_log(CONSOLE_LOG)
    os.write(fd, b"new\n")
    assert log.read_text() == "old\nnew\n"
    assert mode(log) == 0o600
    assert fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    os.close(fd)


def test_only_one_holds_the_lock_and_its_death_frees_it(state: WritableStateDir) -> None:
    held = state.lock(LOCK)
    assert held is not None
    assert state.lock(LOCK) is None
    os.close(held)
    again = state.lock(LOCK)
    assert again is not None
    os.close(again)


def test_a_lock_whose_file_was_removed_keeps_nobody_out(tmp_path: Path, state: WritableStateDir) -> None:
    first = state.lock(LOCK)
    (tmp_path / ".gstack" / LOCK).unlink()
    second = state.lock(LOCK)
    assert first is not None
    assert second is not None
    assert os.fstat(first).st_ino != os.fstat(second).st_ino
    os.close(first)
    os.close(second)


def test_the_socket_is_private_and_appears_listening(tmp_path: Path, state: WritableStateDir) -> None:
    path = tmp_path / ".gstack" / SOCKET
    with socket.socket(fileno=state.bind()), socket.socket(socket.AF_UNIX) as client:
        assert mode(path) == 0o600
        client.connect(str(path))
        assert sorted(os.listdir(state.path)) == [".gitignore", SOCKET]


def test_a_left_over_socket_is_replaced(state: WritableStateDir) -> None:
    os.close(state.bind())
    with socket.socket(fileno=state.bind()):
        client = state.connect()
        assert client is not None
        client.close()


def test_a_workspace_path_longer_than_a_socket_address(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 150) / ("e" * 150)
    deep.mkdir(parents=True)
    state = open_state_dir(str(deep), {})
    with socket.socket(fileno=state.bind()):
        client = state.connect()
        assert client is not None
        client.close()


def test_a_daemon_sees_that_its_socket_or_directory_was_taken_away(tmp_path: Path) -> None:
    for loss in ("socket removed", "socket replaced", "directory removed", "directory replaced"):
        work = tmp_path / loss
        work.mkdir()
        state = open_state_dir(str(work), {})
        with socket.socket(fileno=state.bind()):
            assert state.is_still_ours()
            match loss:
                case "socket removed":
                    (work / ".gstack" / SOCKET).unlink()
                case "socket replaced":
                    os.rename(work / ".gstack" / SOCKET, work / ".gstack/old")
                    (work / ".gstack" / SOCKET).write_text("")
                case "directory removed":
                    os.rename(work / ".gstack", work / "gone")
                case "directory replaced":
                    os.rename(work / ".gstack", work / "gone")
                    open_state_dir(str(work), {})
            assert not state.is_still_ours(), loss


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A workspace in which nothing can be made, also by root."""
    work = tmp_path / "read-only"
    work.mkdir()
    work.chmod(0o500)
    return work if not os.access(work, os.W_OK) else Path("/sys/kernel")  # root may write nearly everywhere


def test_a_read_only_workspace_falls_back_to_the_runtime_directory(tmp_path: Path, read_only: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    env = {b"XDG_RUNTIME_DIR": os.fsencode(runtime)}
    state = open_state_dir(str(read_only), env)
    assert state.fell_back
    assert state.path.startswith(f"{runtime}/gbrowse/")
    assert open_state_dir("/sys/fs", env).path != state.path, "one for each workspace"
    with socket.socket(fileno=state.bind()):
        (found,) = existing_state_dirs(str(read_only), env)
        client = found.connect()
        assert client is not None
        client.close()


def test_a_place_asked_for_by_name_has_no_substitute(tmp_path: Path, read_only: Path) -> None:
    env = {b"BROWSE_STATE_FILE": os.fsencode(read_only / "state" / "browse.json")}
    with pytest.raises(SetupFailed, match=r"state cannot"):
        open_state_dir(str(tmp_path), env)


def test_a_runtime_directory_open_to_others_is_not_used(tmp_path: Path, read_only: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    (runtime / "gbrowse").mkdir()
    (runtime / "gbrowse").chmod(0o755)
    with pytest.raises(Refused, match="open to others"):
        open_state_dir(str(read_only), {b"XDG_RUNTIME_DIR": os.fsencode(runtime)})


def test_session_file_is_one_of_the_checked_names(tmp_path: Path) -> None:
    assert SESSION_FILE in FILES


def test_new_files_are_never_open_to_others_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at right after each name is made: what is closed later was open until then."""
    modes: list[str] = []
    at = WritableStateDir.at

    def looked_at(self: WritableStateDir, name: str, call: Callable[[str], None]) -> None:
        at(self, name, call)
        modes.append(stat.filemode(os.stat(self.named(name), dir_fd=self.fd).st_mode))

    monkeypatch.setattr(WritableStateDir, "at", looked_at)
    before = os.umask(0)
    try:
        state = open_state_dir(str(tmp_path), {})
        os.close(state.bind())
        os.close(state.open_directory("downloads"))
        state.write_file(SESSION_FILE, b"{}")
        os.close(state.open_log(CONSOLE_LOG))
    finally:
        os.umask(before)
    assert modes == ["srw-------"] * 2
    assert {stat.filemode(path.lstat().st_mode)[4:] for path in tmp_path.rglob("*")} == {"------"}
