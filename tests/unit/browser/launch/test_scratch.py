import fcntl
import os
import tempfile
from pathlib import Path

import pytest

from gstack_browse.browser.launch.scratch import Scratch, remove_abandoned
from tests.each import each

SOCKET = "org.chromium.Chromium.123456/SingletonSocket"


@each([10, 60, 200])
def test_chromiums_socket_fits_whatever_the_temporary_directory_is_called(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("t" * length)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    scratch = Scratch()
    try:
        assert scratch.path.stat().st_mode & 0o777 == 0o700
        assert len(bytes(scratch.path / SOCKET)) <= 107
    finally:
        scratch.remove()
    assert not scratch.path.exists()


def test_sweep_removes_what_has_no_living_owner_and_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)

        def made(number: int, *names: str, is_old: bool = False) -> Path:
            path = Path(folder, f"gbrowse-run-0000000{number}")
            path.mkdir()
            for name in names:
                (path / name).mkdir() if name == "profile" else (path / name).touch()
            if is_old:
                os.utime(path, (0, 0))
            return path

        living = Scratch()
        (living.path / "profile").mkdir()
        made(1, "profile")  # by a Chromium that had not ended when its directory was removed
        made(2, "profile", "lock")  # killed
        made(6, "lock.new", is_old=True)  # its maker was killed long ago
        made(7, is_old=True)
        stopped = made(8, "lock.new", is_old=True)  # its maker lives, and was stopped
        held = os.open(stopped / "lock.new", os.O_RDWR)
        fcntl.flock(held, fcntl.LOCK_EX)
        being_made = made(3, "lock.new")
        just_made = made(4)
        somebody_elses = Path(folder, "gbrowse-run-of-mine", "profile")
        somebody_elses.mkdir(parents=True)
        link = Path(folder, "gbrowse-run-00000005")
        link.symlink_to(somebody_elses.parent)
        remove_abandoned()
        left = {being_made, just_made, stopped, living.path, link, somebody_elses.parent}
        assert set(Path(folder).iterdir()) == left
        assert somebody_elses.exists()
        os.close(held)
        living.remove()
        assert not living.path.exists()
