import os
import socket
from pathlib import Path

import pytest

from gstack_browse.errors import Refused
from gstack_browse.workspace.directory import LOCK, SOCKET, existing_state_dirs, find_workspace, peer_process
from gstack_browse.workspace.state import open_state_dir
from tests.faults import fault
from tests.unit.planting import plant


def test_workspace_is_the_nearest_ancestor_with_a_git_directory_or_file(tmp_path: Path) -> None:
    (tmp_path / "outer/.git").mkdir(parents=True)
    (tmp_path / "outer/inner/.git").mkdir(parents=True)
    (tmp_path / "outer/inner/src/deep").mkdir(parents=True)
    assert find_workspace(str(tmp_path / "outer/inner/src/deep")) == str(tmp_path / "outer/inner")
    (tmp_path / "tree/src").mkdir(parents=True)
    (tmp_path / "tree/.git").write_text("gitdir: elsewhere")
    assert find_workspace(str(tmp_path / "tree/src")) == str(tmp_path / "tree")
    assert find_workspace(str(tmp_path)) == str(tmp_path)
    assert find_workspace("/") == "/"
    os.mkfifo(tmp_path / ".git")
    (tmp_path / "src").mkdir()
    assert find_workspace(str(tmp_path / "src")) == str(tmp_path / "src")


def test_a_client_reaches_the_daemon_and_both_know_each_other(tmp_path: Path) -> None:
    assert list(existing_state_dirs(str(tmp_path), {})) == []
    state = open_state_dir(str(tmp_path), {})
    os.close(state.bind())
    assert state.connect() is None, "the socket is left over"
    assert state.lock(LOCK) is not None
    with socket.socket(fileno=state.bind()) as server:
        (found,) = existing_state_dirs(str(tmp_path), {})
        client = found.connect()
        assert client is not None
        accepted, _ = server.accept()
        assert peer_process(client) == peer_process(accepted) == (os.getpid(), os.geteuid())
        accepted.close()
        client.close()


@fault("Planted files", "something else lies in the socket's place", "refused (7), and left alone")
@pytest.mark.parametrize("what", ["link", "file", "fifo", "directory"])
def test_planted_file_in_the_socket_s_place_is_refused_and_left_alone(tmp_path: Path, what: str) -> None:
    state = open_state_dir(str(tmp_path), {})
    plant(tmp_path / ".gstack" / SOCKET, what)
    before = (tmp_path / ".gstack" / SOCKET).lstat()
    with pytest.raises(Refused, match=r"browse\.sock is a") as caught:
        state.connect()
    assert "\n" not in caught.value.message
    assert (tmp_path / ".gstack" / SOCKET).lstat() == before
