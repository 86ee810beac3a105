from dataclasses import fields
from pathlib import Path

import pytest

from gstack_browse.browser.dialogs import DialogPolicy
from gstack_browse.browser.state.context_state import ContextState
from gstack_browse.cookies.stores import keys
from gstack_browse.cookies.stores.profiles import NoKey
from gstack_browse.daemon.persistence.state_store import StateStore, StateUnusable
from gstack_browse.errors import SetupFailed
from gstack_browse.security.vault import Secret, SecretStore, check_keyring
from gstack_browse.workspace.state import open_state_dir
from tests.e2e.owner import Owner, needs_keyring

pytestmark = needs_keyring


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return Owner(tmp_path / "home")


def test_kept_state_is_encrypted_with_key_of_keyring(
    owner: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    state = open_state_dir(str(tmp_path))
    held = ContextState({"cookies": [{"name": "sid", "value": "s3cret"}], "origins": []}, [], 1, 2, (1, 1), 1.0)
    held.dialogs = tuple(None for _ in fields(DialogPolicy))
    with owner.keyring() as keyring:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keyring.address)
        file = StateStore(state)
        file.write(held)
        content = Path(file.path).read_bytes()
        assert (file.is_encrypted, b"s3cret" in content) == (True, False)
        kept = StateStore(state).read()
        assert kept
        assert kept.state == held
        Path(file.path).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(StateUnusable, match="damaged"):
            StateStore(state).read()
        Path(file.path).write_bytes(content)
        keyring.lock()
        with pytest.raises(StateUnusable, match="locked"):
            StateStore(state).read()
        file.release()
        with pytest.raises(StateUnusable, match="locked"):
            StateStore(state).write(held)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    with pytest.raises(StateUnusable, match="cannot be reached"):
        StateStore(state).read()
    assert Path(file.path).read_bytes() == content
    state.close()


def test_secrets_live_in_the_keyring_and_a_locked_one_is_left_locked(
    owner: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_password_is_read_in_an_open_wallet_and_a_closed_one_stays_closed(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with owner.wallet(is_open=True, password="from the wallet") as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        assert keys.read_kwallet_secrets("Chromium") == [b"from the wallet"]
        assert keys.read_kwallet_secrets("Brave") == []
    with owner.wallet(is_open=False, password="from the wallet") as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        with pytest.raises(NoKey, match="the KDE wallet is closed"):
            keys.read_kwallet_secrets("Chromium")


def test_a_bus_without_either(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    with owner.bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        assert keys.read_kwallet_secrets("Chromium") == []


@pytest.mark.parametrize(
    "address", ["", "nonsense", "unix:path=/nowhere", "tcp:host=127.0.0.1,port=1", "unix:abstract"]
)
def test_secrets_without_a_reachable_bus_are_empty(
    address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert keys.read_secret_service_secrets(["chromium"]) == []
    assert keys.read_kwallet_secrets("Chromium") == []


def test_the_browser_outlives_the_session_bus(owner: Owner, workspace: Path) -> None:
    """The session in which a daemon was started may end: a logout, a closed ssh connection."""
    with owner.bus():
        started = owner.gbrowse(workspace, "goto", "about:blank")
        assert started.returncode == 0, started.stderr
    assert owner.gbrowse(workspace, "js", "1 + 1").stdout == "2\n"
    owner.gbrowse(workspace, "stop")
