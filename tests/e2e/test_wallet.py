"""KDE's wallet: a stand-in for it on a real bus, where no Secret Service is."""

from pathlib import Path

import pytest

from gstack_browse.cookies.stores import keys
from gstack_browse.cookies.stores.files import NoKey
from tests.e2e.owner import Owner, needs_keyring

pytestmark = needs_keyring


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return Owner(tmp_path)


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
