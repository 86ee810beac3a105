import time
from collections import Counter
from pathlib import Path

import pytest

from gstack_browse.cookies.database_rows import (
    FIXED_LINUX_KEYS,
    Undecryptable,
    decrypt_value,
    derive_linux_key,
    derive_mac_key,
)
from gstack_browse.cookies.records import Skip
from gstack_browse.cookies.stores.database import LONGEST_SECONDS, GatheredCookies, gather_cookies, read_profile
from gstack_browse.cookies.stores.keys import KeyStore
from gstack_browse.cookies.stores.profiles import Machine, list_profiles
from tests.unit.cookies import makers
from tests.unit.cookies.makers import encrypted, row, since_1601

KEY = derive_linux_key(b"peanuts")


def take(tmp_path: Path, *rows: dict[str, object]) -> GatheredCookies:
    makers.chromium(tmp_path / "chromium/Default/Cookies", rows)
    machine = Machine(tmp_path, tmp_path, "linux")
    (profile,) = list_profiles(machine)
    return gather_cookies(profile, read_profile(profile), lambda cookie: True, KeyStore(machine))


def test_every_reason_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    gathered = take(
        tmp_path,
        row("good.test", value="x"),
        row("old.test", expires_utc=since_1601(time.time() - 1)),
        row("part.test", value="x", top_frame_site_key="https://top.test"),
        row("foreign.test", encrypted_value=encrypted("x", KEY, "another.test")),
        row("keyring.test", encrypted_value=encrypted("x", derive_linux_key(b"?"), tag=b"v11")),
        row("portal.test", encrypted_value=encrypted("x", KEY, tag=b"v12")),
    )
    assert [cookie.host for cookie in gathered.cookies] == ["good.test"]
    assert gathered.skipped == Counter(
        {Skip.EXPIRED: 1, Skip.PARTITIONED: 1, Skip.UNREADABLE: 1, Skip.LOCKED: 1, Skip.PORTAL: 1}
    )
    assert str(gathered.missing) == "no keyring that can be reached holds a key of Chromium"


def test_a_session_cookie_stays_one_and_a_far_expiry_comes_nearer(tmp_path: Path) -> None:
    session, far = take(
        tmp_path, row("a.test", value="x", expires_utc=0), row("b.test", value="x", expires_utc=2**63 - 1)
    ).cookies
    assert session.expires is None
    assert far.expires == pytest.approx(time.time() + LONGEST_SECONDS, abs=60)


HOST = ".example.com"
PEANUTS = derive_linux_key(b"peanuts")
SECRET = derive_linux_key(b"text from the keyring")


def test_a_value_is_decrypted_by_the_key_that_its_tag_chooses() -> None:
    assert PEANUTS.hex() == "fd621fe5a2b402539dfa147ca9272778"
    keys = {b"v10": FIXED_LINUX_KEYS, b"v11": [SECRET]}
    assert decrypt_value(encrypted("old", PEANUTS, HOST), HOST, 24, keys) == "old"
    assert decrypt_value(encrypted("new", SECRET, HOST, tag=b"v11"), HOST, 24, keys) == "new"
    assert decrypt_value(encrypted("x", derive_linux_key(b""), HOST), HOST, 24, keys) == "x"
    key = derive_mac_key(b"keychain password")
    assert key != derive_linux_key(b"keychain password")
    assert decrypt_value(encrypted("x", key, HOST), HOST, 24, {b"v10": [key]}) == "x"
    for version in [18, 23, 24, 25]:
        sealed = encrypted("s3cret", PEANUTS, HOST, version=version)
        assert decrypt_value(sealed, HOST, version, {b"v10": [PEANUTS]}) == "s3cret"
    for value in ["", "ü", "x" * 4096, "exactly sixteen!"]:
        assert decrypt_value(encrypted(value, PEANUTS, HOST), HOST, 24, {b"v10": [PEANUTS]}) == value


def skip_of(sealed: bytes, **keys: list[bytes]) -> Skip:
    with pytest.raises(Undecryptable) as caught:
        decrypt_value(sealed, HOST, 24, {tag.encode(): found for tag, found in keys.items()})
    return caught.value.skip


def test_why_a_value_cannot_be_decrypted() -> None:
    sealed = encrypted("s3cret", PEANUTS, ".evil.example")
    assert skip_of(sealed, v10=[PEANUTS]) is Skip.UNREADABLE
    assert skip_of(encrypted("x", SECRET, HOST, tag=b"v11"), v10=[PEANUTS]) is Skip.LOCKED
    assert skip_of(encrypted("x", SECRET, HOST, tag=b"v12"), v10=[PEANUTS]) is Skip.PORTAL
    assert skip_of(encrypted("x", SECRET, HOST), v10=[PEANUTS]) is Skip.UNREADABLE
    for sealed in [b"", b"v1", b"v10", b"v10short", b"xyz" + b"\0" * 32, b"v10" + b"\0" * 32]:
        assert skip_of(sealed, v10=[PEANUTS]) is Skip.UNREADABLE
