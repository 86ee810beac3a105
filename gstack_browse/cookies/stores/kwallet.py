"""Read a browser's secret from KDE's wallet, where the Secret Service lacks it. Never prompts.

Folder and key as in Chromium: components/os_crypt/sync/key_storage_kwallet.cc.
"""

from jeepney import DBusAddress, DBusErrorResponse

from gstack_browse.cookies.stores.bus import TimedConnection, session_bus
from gstack_browse.cookies.stores.failures import NoKey

_DAEMONS = ("kwalletd6", "kwalletd5")
_CLIENT_NAME = "gbrowse"
_UNLOCK_ADVICE = "Open the wallet (start the browser once, or open KWalletManager), then try again"


def read_secrets(label: str) -> list[bytes]:
    """Return the secret stored as `<label> Safe Storage`; [] where there is no wallet or entry.

    Raises NoKey if the wallet is closed: opening it would show a dialog.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        for daemon in _DAEMONS:
            try:
                return _read_secret(bus, daemon, label)
            except (DBusErrorResponse, TimeoutError, OSError):
                continue  # this wallet daemon is not on the bus
    return []


def _read_secret(bus: TimedConnection, daemon: str, label: str) -> list[bytes]:
    """Read the secret from one wallet daemon. Raises NoKey if the wallet is closed."""
    address = DBusAddress(f"/modules/{daemon}", f"org.kde.{daemon}", "org.kde.KWallet")
    wallet = bus.call_method(address, "networkWallet")
    if not bus.call_method(address, "isOpen", "s", wallet):
        raise NoKey("the KDE wallet is closed", _UNLOCK_ADVICE)
    handle = bus.call_method(address, "open", "sxs", wallet, 0, _CLIENT_NAME)
    folder, key = f"{label} Keys", f"{label} Safe Storage"
    if handle < 0 or not bus.call_method(address, "hasEntry", "isss", handle, folder, key, _CLIENT_NAME):
        return []
    password = bus.call_method(address, "readPassword", "isss", handle, folder, key, _CLIENT_NAME)
    return [password.encode()] if password else []
