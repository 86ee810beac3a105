"""Test who has a lasting profile open."""

import os
import socket
from pathlib import Path

import pytest

from gstack_browse.browser.launch import profile
from gstack_browse.browser.launch.profile import CHROMIUMS_LOCK, CHROMIUMS_SOCKET, lock_profile
from gstack_browse.errors import SetupFailed

HERE = socket.gethostname()


@pytest.mark.parametrize(
    "rest", ["nothing", "a socket where nobody listens", "a browser", "another host's lock"]
)
def test_profile_is_open_as_long_as_its_chromium_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: str
) -> None:
    """Ignore the pid in the lock: after a kill, a new container gives it to another process."""
    monkeypatch.setattr(profile, "WAIT_SECONDS", 0)
    folder, at = tmp_path / "profile", str(tmp_path / "socket")
    folder.mkdir(mode=0o700)
    host = "elsewhere" if rest == "another host's lock" else HERE
    (folder / CHROMIUMS_LOCK).symlink_to(f"{host}-{os.getpid()}")
    (folder / CHROMIUMS_SOCKET).symlink_to(at)
    with socket.socket(socket.AF_UNIX) as listening:
        if rest != "nothing":
            listening.bind(at)
        if rest == "a browser":
            listening.listen()
        if rest not in ("a browser", "another host's lock"):
            lock_profile(folder).release()
            return
        with pytest.raises(SetupFailed) as failure:
            lock_profile(folder)
    who, then = (
        (f"(process {os.getpid()})", "Close it first") if host == HERE else ("on 'elsewhere'", f"rm {folder}")
    )
    assert who in failure.value.message
    assert then in failure.value.hint
