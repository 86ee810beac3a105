"""Cookies of a Mac, with a `security` program of our own on PATH in place of the Keychain's."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gstack_browse.cookies.database_rows import derive_mac_key
from gstack_browse.cookies.records import Skip
from gstack_browse.cookies.stores import keys as keychain
from gstack_browse.cookies.stores.database import GatheredCookies, gather_cookies, read_profile
from gstack_browse.cookies.stores.keys import KeyStore
from gstack_browse.cookies.stores.profiles import Machine, list_profiles
from tests.each import each_row
from tests.unit.cookies import makers
from tests.unit.cookies.makers import encrypted, row

pytestmark = pytest.mark.programs

PASSWORD = b"q1w2e3 from the Keychain=="
Answer = Callable[[str], None]


@pytest.fixture
def security(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Make `security` do what a line of Python says; it notes its arguments in `asked`."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")

    def answer(code: str) -> None:
        program = place / "security"
        program.write_text(
            f"#!{sys.executable}\nimport sys, time\n"
            f"open({str(tmp_path / 'asked')!r}, 'a').write('|'.join(sys.argv[1:]) + '\\n')\n{code}\n"
        )
        program.chmod(0o700)

    answer(f"print({PASSWORD.decode()!r})")
    return answer


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A Mac with one Chrome, logged in at github.com."""
    key = derive_mac_key(PASSWORD)
    session = row(".github.com", "session", encrypted_value=encrypted("s3cret", key, ".github.com"))
    path = tmp_path / "Library/Application Support/Google/Chrome/Default/Cookies"
    makers.chromium(path, [session, row("github.com", "plain", value="not encrypted")])
    return Machine(tmp_path, tmp_path / ".config", "darwin")


def take(machine: Machine, keys: KeyStore | None = None, name: str = "") -> GatheredCookies:
    (profile,) = list_profiles(machine)
    return gather_cookies(
        profile, read_profile(profile), lambda cookie: name in ("", cookie.name), keys or KeyStore(machine)
    )


def test_the_keychain_is_asked_once_and_by_name_and_only_for_what_is_encrypted(
    machine: Machine, security: Answer, tmp_path: Path
) -> None:
    assert [cookie.value for cookie in take(machine, name="plain").cookies] == ["not encrypted"]
    assert not (tmp_path / "asked").exists()
    keys = KeyStore(machine)
    for _ in range(3):
        assert [cookie.value for cookie in take(machine, keys).cookies] == ["s3cret", "not encrypted"]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["find-generic-password|-w|-s|Chrome Safe Storage|-a|Chrome"]


@each_row(
    ("sys.exit(44)", "the Keychain holds no key of Chrome"),
    ("sys.exit(128)", "the Keychain refused the key of Chrome"),
    ("sys.exit(1)", "the Keychain gave no key of Chrome"),
    ("print()", "the Keychain gave no key of Chrome"),
)
def test_denied_and_not_found_are_told_apart_and_not_remembered(
    code: str, said: str, machine: Machine, security: Answer
) -> None:
    security(code)
    keys = KeyStore(machine)
    gathered = take(machine, keys)
    assert str(gathered.missing) == said
    assert [cookie.name for cookie in gathered.cookies] == ["plain"]
    assert gathered.skipped[Skip.LOCKED] == 1
    security(f"print({PASSWORD.decode()!r})")
    assert len(take(machine, keys).cookies) == 2


def test_a_dialog_nobody_answers_and_a_missing_program_are_said(
    machine: Machine, security: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keychain, "DIALOG_SECONDS", 0.3)
    security("time.sleep(600)")
    start = time.monotonic()
    assert "was not answered" in str(take(machine).missing)
    assert time.monotonic() - start < 60, "it is not waited for"
    monkeypatch.setenv("PATH", "/nowhere")
    assert "there is no 'security' program" in str(take(machine).missing)
