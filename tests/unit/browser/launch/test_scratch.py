"""Where Chromium's temporary files go."""

import tempfile
from pathlib import Path

import pytest

from gstack_browse.browser.launch.scratch import Scratch

SOCKET = "org.chromium.Chromium.123456/SingletonSocket"


@pytest.mark.parametrize("length", [10, 60, 200])
def test_chromiums_socket_fits_whatever_the_temporary_directory_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
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


def test_the_systems_temporary_directory_is_used_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        scratch = Scratch()
        assert scratch.path.parent == Path(folder)
        scratch.remove()
