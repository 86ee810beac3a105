from pathlib import Path

import pytest

from gstack_browse.daemon.browser.remote import remote_endpoint
from gstack_browse.errors import BrowseError, SetupFailed, UsageError
from gstack_browse.settings import read
from tests.each import each


def headers_of(path: Path, text: str, mode: int = 0o600, remote: str = "wss://b.example/") -> dict[str, str]:
    path.write_text(text)
    path.chmod(mode)
    return remote_endpoint(read({"BROWSE_REMOTE": remote, "BROWSE_REMOTE_HEADERS": str(path)})).headers


def test_headers_come_from_a_file_that_nobody_else_may_read(tmp_path: Path) -> None:
    expected = {"Authorization": "Bearer a:b", "X-Team": "7"}
    assert headers_of(tmp_path / "h", "Authorization: Bearer a:b\n\nX-Team: 7\n") == expected
    with pytest.raises(SetupFailed, match="others may read"):
        headers_of(tmp_path / "h", "A: b", 0o644)
    with pytest.raises(UsageError, match="unprotected"):
        headers_of(tmp_path / "h", "A: b", remote="ws://b.example/")
    assert headers_of(tmp_path / "h", "A: b", remote="ws://127.0.0.1:9/") == {"A": "b"}
    with pytest.raises(BrowseError):
        remote_endpoint(read({"BROWSE_REMOTE": "b.example"}))
    with pytest.raises(UsageError, match="BROWSE_PROFILE"):
        remote_endpoint(read({"BROWSE_REMOTE": "wss://b.example/", "BROWSE_PROFILE": "/p"}))
    with pytest.raises(SetupFailed, match="cannot be read"):
        remote_endpoint(read({"BROWSE_REMOTE": "wss://b.example", "BROWSE_REMOTE_HEADERS": str(tmp_path)}))


@each(["Bearer-token", "A b: c", ": x", "A: b\x01c"])
def test_a_line_that_is_no_header_is_not_repeated(text: str, tmp_path: Path) -> None:
    with pytest.raises(SetupFailed) as failed:
        headers_of(tmp_path / "h", text)
    assert text not in failed.value.message + failed.value.hint


@each(["playwright+ws://127.0.0.1:3000/", "playwright+wss://ann:secret@b.example/"])
def test_playwright_server_is_refused(address: str) -> None:
    with pytest.raises(SetupFailed, match="a Playwright server, whose protocol") as refused:
        remote_endpoint(read({"BROWSE_REMOTE": address}))
    assert "secret" not in refused.value.message + refused.value.hint
