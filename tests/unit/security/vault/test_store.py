"""Secrets where no keyring can be reached: in a file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse.errors import Refused, SetupFailed, UsageError
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.security.vault.store import Secret, SecretStore, check_name
from tests.each import each, each_row


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    return tmp_path / "own"


def test_secrets_are_kept_listed_and_forgotten(folder: Path) -> None:
    shop = Secret("shop", ("https://shop.example",), "correct horse")
    code = Secret("code", ("https://shop.example", "http://localhost:8000"), "KEY", is_totp=True)
    path = folder / "secrets.json"
    assert [SecretStore().store(shop), SecretStore().store(code)] == [str(path)] * 2
    assert (path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert SecretStore().list_all() == [code, shop]
    assert SecretStore().store(Secret("shop", ("https://other.example",), "other")) == str(path)
    assert SecretStore().get("shop") == Secret("shop", ("https://other.example",), "other")
    assert [SecretStore().remove(name) for name in ("shop", "shop", "code")] == [True, False, True]
    assert (SecretStore().list_all(), path.exists()) == ([], False)
    assert "horse" not in repr(shop)


def test_a_file_that_is_not_ours_or_damaged_is_left_as_it_is(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "secrets.json").write_text('{"a": ')
    with pytest.raises(SetupFailed):
        SecretStore().store(Secret("a", ("https://a.example",), "x"))
    assert (folder / "secrets.json").read_text() == '{"a": '
    (folder / "secrets.json").unlink()
    (tmp_path / "elsewhere").write_text("{}")
    os.symlink(tmp_path / "elsewhere", folder / "secrets.json")
    with pytest.raises(Refused):
        SecretStore().store(Secret("a", ("https://a.example",), "x"))
    assert (tmp_path / "elsewhere").read_text() == "{}"


@each(["", "[]", '{"a": 7}', '{"a": {"value": "x", "origins": []}}', '{"../a": {}}'])
def test_malformed_secrets_in_the_file_are_ignored(content: str, folder: Path) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "secrets.json").write_text(content)
    assert SecretStore().list_all() == []


@each_row(
    ("https://a.example", "https://a.example"),
    ("https://A.example:443/login?x", "https://a.example"),
    ("http://a.example:8080/", "http://a.example:8080"),
    ("a.example", "https://a.example"),
    ("http://[::1]:80", "http://[::1]"),
    ("https://bücher.example", "https://xn--bcher-kva.example"),
)
def test_origin_of_an_address_is_read(word: str, origin: str) -> None:
    assert parse_origin(word) == origin


@each_row(
    (parse_origin, "|file:///etc|ftp://a|https://|https://u:p@a.example|https://[x|https://a:99999"),
    (check_name, f"|-a|../a|a b|a/b|{'x' * 65}"),
)
def test_malformed_origin_or_name_is_refused(check: Callable[[str], object], words: str) -> None:
    for word in words.split("|"):
        with pytest.raises(UsageError):
            check(word)
