"""Test that the driver's compiled code is kept in the user's own cache, or nowhere."""

from pathlib import Path

import pytest

from gstack_browse.browser.launch.driver_process import compile_cache_variable


def test_compiled_code_is_kept_in_the_users_private_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = Path(compile_cache_variable()["NODE_COMPILE_CACHE"])
    assert folder == tmp_path / "gbrowse/driver"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_compiled_code_is_not_kept_in_a_folder_others_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "gbrowse/driver"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    assert compile_cache_variable() == {}


def test_a_cache_that_cannot_be_had_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert compile_cache_variable() == {}
