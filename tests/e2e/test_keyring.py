"""Secrets in a real keyring."""

from pathlib import Path

import pytest

from gstack_browse.errors import SetupFailed
from gstack_browse.vault.records import Secret
from gstack_browse.vault.store import Store
from tests.e2e.owner import Owner, needs_keyring

pytestmark = needs_keyring


def test_secrets_live_in_the_keyring_and_a_locked_one_is_left_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(tmp_path / "home")
    monkeypatch.setenv("GSTACK_HOME", str(tmp_path / "own"))
    shop = Secret("shop", ("https://shop.example",), "correct horse")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    Store().put(Secret("shop", ("https://shop.example",), "of before"))
    with owner.keyring() as keyring:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keyring.address)
        assert Store().put(shop) == "the keyring"
        assert not (tmp_path / "own/secrets.json").exists()
        assert (Store().get("shop"), Store().all()) == (shop, [shop])
        Store().put(Secret("shop", ("https://shop.example",), "new", is_totp=True))
        assert [(found.value, found.is_totp) for found in Store().all()] == [("new", True)]
        keyring.lock()
        for act in (lambda: Store().get("shop"), lambda: Store().put(shop), lambda: Store().remove("shop")):
            with pytest.raises(SetupFailed, match="locked"):
                act()
    assert not list(tmp_path.rglob("secrets.json"))
