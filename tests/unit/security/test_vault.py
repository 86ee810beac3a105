"""Test secrets where no keyring can be reached, in a file, and one-time codes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse.errors import Refused, SetupFailed, UsageError
from gstack_browse.security.policy.hosts import parse_origin
from gstack_browse.security.vault import Secret, SecretStore, check_name, parse_totp_key
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
    for content in ("", "[]", '{"a": 7}', '{"a": {"value": "x", "origins": []}}', '{"../a": {}}'):
        (folder / "secrets.json").write_text(content)
        assert SecretStore().list_all() == []
    (folder / "secrets.json").unlink()
    (tmp_path / "elsewhere").write_text("{}")
    os.symlink(tmp_path / "elsewhere", folder / "secrets.json")
    with pytest.raises(Refused):
        SecretStore().store(Secret("a", ("https://a.example",), "x"))
    assert (tmp_path / "elsewhere").read_text() == "{}"


@each_row(
    ("https://a.example", "https://a.example"),
    ("https://A.example:443/login?x", "https://a.example"),
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


RFC = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
RFC_256 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA===="


@each_row((59, "94287082", "46119246"), (1111111109, "07081804", "68084774"))
def test_the_codes_of_rfc_6238(at: int, sha1: str, sha256: str) -> None:
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC}&digits=8").code(at) == sha1
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC_256}&digits=8&algorithm=SHA256").code(at) == sha256
    assert parse_totp_key(RFC).code(at) == sha1[2:]


def test_a_key_may_be_written_as_websites_write_it() -> None:
    spaced = "gezd gnbv gy3t qojq gezd-gnbv-gy3t-qojq \n"
    assert (
        parse_totp_key(spaced)
        == parse_totp_key(RFC)
        == parse_totp_key(f"OTPAUTH://TOTP/x:y?secret={RFC}&issuer=x")
    )
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC}&period=60").seconds_left(70) == 50


@each(["", "not base32!", "ABC", "otpauth://hotp/a?secret=" + RFC, "otpauth://totp/a", "otpauth://totp/a?secret=1",
     f"otpauth://totp/a?secret={RFC}&digits=99", f"otpauth://totp/a?secret={RFC}&algorithm=MD5",
     f"otpauth://totp/a?secret={RFC}&period=0", "otpauth://[x?secret=" + RFC])  # fmt: skip
def test_malformed_totp_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(UsageError) as failure:
        parse_totp_key(text)
    assert RFC not in failure.value.message + failure.value.hint
