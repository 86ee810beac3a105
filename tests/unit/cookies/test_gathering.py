import time
from collections import Counter
from pathlib import Path

import pytest

from gstack_browse.cookies.database_rows import derive_linux_key
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
