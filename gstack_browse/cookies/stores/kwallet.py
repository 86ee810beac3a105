"""A browser's secret in KDE's wallet, where the Secret Service does not have it. Never prompts: a closed wallet stays closed.

Folder and key as Chromium names them: components/os_crypt/sync/key_storage_kwallet.cc.
"""

from jeepney import DBusAddress, DBusErrorResponse

from gstack_browse.cookies.stores.bus import PatientConnection, session_bus
from gstack_browse.cookies.stores.failures import NoKey

_DAEMONS = ("kwalletd6", "kwalletd5")
_US = "gbrowse"
_UNLOCK = "Open the wallet (start the browser once, or open KWalletManager), then try again"


def secrets(label: str) -> list[bytes]:
    """The secret kept as `<label> Safe Storage`; none where there is no wallet, or nothing of it in there.

    Raises NoKey where the wallet is closed.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        for daemon in _DAEMONS:
            try:
                return _read(bus, daemon, label)
            except (DBusErrorResponse, TimeoutError, OSError):
                continue  # not on this bus
    return []


def _read(bus: PatientConnection, daemon: str, label: str) -> list[bytes]:
    address = DBusAddress(f"/modules/{daemon}", f"org.kde.{daemon}", "org.kde.KWallet")
    wallet = bus.ask(address, "networkWallet")
    if not bus.ask(address, "isOpen", "s", wallet):
        raise NoKey("the KDE wallet is closed", _UNLOCK)
    handle = bus.ask(address, "open", "sxs", wallet, 0, _US)
    folder, key = f"{label} Keys", f"{label} Safe Storage"
    if handle < 0 or not bus.ask(address, "hasEntry", "isss", handle, folder, key, _US):
        return []
    password = bus.ask(address, "readPassword", "isss", handle, folder, key, _US)
    return [password.encode()] if password else []
