"""Secrets, and the key of a kept state, in a real keyring."""

from dataclasses import fields
from pathlib import Path

import pytest

from gstack_browse.browser.dialogs.dialogs import DialogPolicy
from gstack_browse.browser.state.session_state import SessionState
from gstack_browse.daemon.persistence.session_store import SessionStore, StateUnusable
from gstack_browse.errors import SetupFailed
from gstack_browse.security.vault.keyring_check import check_keyring
from gstack_browse.security.vault.store import Secret, SecretStore
from gstack_browse.workspace.state import open_state_dir
from tests.e2e.owner import Owner, needs_keyring

pytestmark = needs_keyring


def test_kept_state_is_encrypted_with_key_of_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = Owner(tmp_path / "home")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    state = open_state_dir(str(tmp_path))
    held = SessionState({"cookies": [{"name": "sid", "value": "s3cret"}], "origins": []}, [], 1, 2, (1, 1), 1.0)
    held.dialogs = tuple(None for _ in fields(DialogPolicy))
    with owner.keyring() as keyring:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keyring.address)
        file = SessionStore(state)
        file.write(held)
        content = Path(file.path).read_bytes()
        assert (file.is_encrypted, b"s3cret" in content) == (True, False)
        kept = SessionStore(state).read()
        assert kept
        assert kept.state == held
        Path(file.path).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(StateUnusable, match="damaged"):
            SessionStore(state).read()
        Path(file.path).write_bytes(content)
        keyring.lock()
        with pytest.raises(StateUnusable, match="locked"):
            SessionStore(state).read()
        file.release()
        with pytest.raises(StateUnusable, match="locked"):
            SessionStore(state).write(held)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    with pytest.raises(StateUnusable, match="cannot be reached"):
        SessionStore(state).read()
    assert Path(file.path).read_bytes() == content
    state.close()


def test_secrets_live_in_the_keyring_and_a_locked_one_is_left_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(tmp_path / "home")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    shop = Secret("shop", ("https://shop.example",), "correct horse")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    assert check_keyring() == "none"
    SecretStore().store(Secret("shop", ("https://shop.example",), "of before"))
    with owner.keyring() as keyring:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keyring.address)
        assert SecretStore().store(shop) == "the keyring"
        assert not (tmp_path / "own/secrets.json").exists()
        assert (SecretStore().get("shop"), SecretStore().list_all()) == (shop, [shop])
        SecretStore().store(Secret("shop", ("https://shop.example",), "new", is_totp=True))
        assert [(found.value, found.is_totp) for found in SecretStore().list_all()] == [("new", True)]
        assert check_keyring() == "answers"
        keyring.lock()
        assert check_keyring().startswith("locked\tThe keyring is locked\tUnlock it")
        locked = SecretStore()
        for act in (lambda: locked.get("shop"), lambda: locked.store(shop), lambda: locked.remove("shop")):
            with pytest.raises(SetupFailed, match="locked"):
                act()
    assert not list(tmp_path.rglob("secrets.json"))
