"""Test how the workspace is found, and who is connected to in its state directory."""

import os
import socket
from pathlib import Path

import pytest

from gstack_browse.errors import Refused
from gstack_browse.state import open_state_dir
from gstack_browse.workspace import LOCK, SOCKET, existing_state_dirs, find_workspace, peer, shown


def test_workspace_is_the_nearest_ancestor_with_a_git_directory(tmp_path: Path) -> None:
    (tmp_path / "outer/.git").mkdir(parents=True)
    (tmp_path / "outer/inner/.git").mkdir(parents=True)
    (tmp_path / "outer/inner/src/deep").mkdir(parents=True)
    assert find_workspace(str(tmp_path / "outer/inner/src/deep")) == str(tmp_path / "outer/inner")
    assert find_workspace(str(tmp_path / "outer/inner")) == str(tmp_path / "outer/inner")


def test_a_git_file_marks_a_worktree_or_submodule(tmp_path: Path) -> None:
    (tmp_path / "tree/src").mkdir(parents=True)
    (tmp_path / "tree/.git").write_text("gitdir: elsewhere")
    assert find_workspace(str(tmp_path / "tree/src")) == str(tmp_path / "tree")


def test_without_git_it_is_the_directory_itself(tmp_path: Path) -> None:
    assert find_workspace(str(tmp_path)) == str(tmp_path)
    assert find_workspace("/") == "/"


def test_a_fifo_called_git_is_no_mark(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    (tmp_path / "src").mkdir()
    assert find_workspace(str(tmp_path / "src")) == str(tmp_path / "src")


def test_nobody_listens_where_there_is_no_state_directory(tmp_path: Path) -> None:
    assert list(existing_state_dirs(str(tmp_path), {})) == []
    assert not (tmp_path / ".gstack").exists()


def test_a_client_reaches_the_daemon_and_both_know_each_other(tmp_path: Path) -> None:
    state = open_state_dir(str(tmp_path), {})
    assert state.lock(LOCK) is not None
    with socket.socket(fileno=state.bind()) as server:
        (found,) = existing_state_dirs(str(tmp_path), {})
        client = found.connect()
        assert client is not None
        accepted, _ = server.accept()
        assert peer(client) == peer(accepted) == (os.getpid(), os.geteuid())
        accepted.close()
        client.close()


def test_a_left_over_socket_is_nobody(tmp_path: Path) -> None:
    state = open_state_dir(str(tmp_path), {})
    os.close(state.bind())
    assert state.connect() is None


@pytest.mark.parametrize("plant", ["link", "file", "fifo", "directory"])
def test_planted_file_in_the_socket_s_place_is_refused_and_left_alone(tmp_path: Path, plant: str) -> None:
    state = open_state_dir(str(tmp_path), {})
    planted = tmp_path / ".gstack" / SOCKET
    match plant:
        case "link":
            planted.symlink_to("/dev/null")
        case "file":
            planted.write_text("precious")
        case "fifo":
            os.mkfifo(planted)
        case "directory":
            planted.mkdir()
    before = planted.lstat()
    with pytest.raises(Refused, match=r"browse\.sock is a") as caught:
        state.connect()
    assert "\n" not in caught.value.message
    assert planted.lstat() == before


def test_a_path_is_shown_on_one_line_whatever_it_is_made_of() -> None:
    assert shown("/home/ü/x") == "/home/ü/x"
    assert shown("/tmp/a\nError: b\udcff") == r"'/tmp/a\nError: b\udcff'"
