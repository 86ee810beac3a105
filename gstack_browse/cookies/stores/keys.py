"""Request the keys of encrypted cookies, once per browser, and keep them only while the daemon lives.

They are requested only when a chosen cookie needs one, so that no Keychain dialog appears for nothing.
"""

import subprocess
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from jeepney import DBusAddress, DBusErrorResponse
from secretstorage import search_items
from secretstorage.exceptions import SecretStorageException

from gstack_browse.cookies import database_rows
from gstack_browse.cookies.database_rows import V10, V11
from gstack_browse.cookies.stores.bus import TimedConnection, session_bus
from gstack_browse.cookies.stores.profiles import MAC, Browser, Machine, NoKey

_NO_KEYRING = (
    "Run this in your desktop session: over ssh or in a container its D-Bus and keyring are out of reach"
)


@dataclass
class FoundKeys:
    """Keys by the tag of the values that they decrypt. `missing`: why a requested key is not among them."""

    keys: dict[bytes, list[bytes]] = field(default_factory=dict)
    missing: NoKey | None = None


class KeyStore:
    """The keys of the browsers on this machine. Methods block; use it from one thread at a time."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._cache: dict[str, list[bytes]] = {}

    def find(self, browser: Browser, tags: Set[bytes]) -> FoundKeys:
        """Return a browser's keys for decrypting values that begin with one of these tags (v10, v11)."""
        if self._machine.system == MAC:
            return self._get_cached(browser, V10) if V10 in tags else FoundKeys()
        found = self._get_cached(browser, V11) if V11 in tags else FoundKeys()
        found.keys[V10] = database_rows.FIXED_LINUX_KEYS
        return found

    def _get_cached(self, browser: Browser, tag: bytes) -> FoundKeys:
        """Return a browser's keys for values with this tag; the first time, request them from the system."""
        if browser.id not in self._cache:
            try:
                self._cache[browser.id] = self._request_keys(browser)
            except NoKey as why:
                return FoundKeys(missing=why)
        return FoundKeys({tag: self._cache[browser.id]})

    def _request_keys(self, browser: Browser) -> list[bytes]:
        """Request a browser's keys from the desktop's keyring or the macOS Keychain. Raises NoKey.

        Each system's library is imported only on that system.
        """
        if self._machine.system == MAC:
            return [database_rows.derive_mac_key(read_password(browser.keychain))]

        secrets = read_secret_service_secrets(browser.applications) or read_kwallet_secrets(browser.keychain)
        if not secrets:
            raise NoKey(f"no keyring that can be reached holds a key of {browser.name}", _NO_KEYRING)
        return [database_rows.derive_linux_key(secret) for secret in (*secrets, b"")]


DIALOG_SECONDS = 10.0
"""How long the permission dialog may stay open."""

_NOT_FOUND = 44
"""`security`'s exit code for errSecItemNotFound (OSStatus -25300, of which an exit code has only one byte)."""
_DENIED = (128, 51, 36)
"""userCanceledErr (-128), errSecAuthFailed (-25293), errSecInteractionNotAllowed (-25308)."""


def read_password(label: str) -> bytes:
    """Return the password `<label> Safe Storage` of the macOS Keychain. `label`: the browser's name there.

    Raises NoKey. Blocks while the user is asked.
    """
    try:
        done = subprocess.run(
            ["security", "find-generic-password", "-w", "-s", f"{label} Safe Storage", "-a", label],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DIALOG_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoKey(
            f"the Keychain's question about {label} was not answered within {DIALOG_SECONDS:.0f} seconds",
            "Run it again and click Allow in the dialog",
        ) from None
    except OSError:
        raise NoKey("the Keychain cannot be asked: there is no 'security' program") from None
    if done.returncode == _NOT_FOUND:
        raise NoKey(f"the Keychain holds no key of {label}", f"Start {label} once, then try again")
    if done.returncode in _DENIED:
        raise NoKey(f"the Keychain refused the key of {label}", "Run it again and click Allow in the dialog")
    if done.returncode or not done.stdout.strip():
        raise NoKey(f"the Keychain gave no key of {label}")
    return done.stdout.rstrip(b"\n")


_DAEMONS = ("kwalletd6", "kwalletd5")
_CLIENT_NAME = "gbrowse"
_UNLOCK_ADVICE = "Open the wallet (start the browser once, or open KWalletManager), then try again"


def read_kwallet_secrets(label: str) -> list[bytes]:
    """Return the secret `<label> Safe Storage` of KDE's wallet; [] where there is no wallet or entry.

    `label`: the browser's name there. Raises NoKey if the wallet is closed: opening it would show a dialog.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        for daemon in _DAEMONS:
            try:
                return _read_secret(bus, daemon, label)
            except (DBusErrorResponse, OSError):
                continue  # this wallet daemon is not on the bus
    return []


def _read_secret(bus: TimedConnection, daemon: str, label: str) -> list[bytes]:
    """Ask one of KDE's wallet daemons for the secret of browser `label`; [] without one.

    `daemon`: `kwalletd6` or `kwalletd5`. Raises NoKey if the wallet is closed.
    """
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


_UNLOCK_KEYRING = (
    "Unlock your keyring (start the browser once, or open your desktop's password program), then try again"
)


def read_secret_service_secrets(applications: Sequence[str]) -> list[bytes]:
    """Return the secrets that the desktop's keyring (Secret Service) has for applications; [] for none.

    Raises NoKey if the item exists but is locked.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        try:
            return list(_read_items(bus, applications))
        except (SecretStorageException, DBusErrorResponse, OSError):
            return []  # no such service on this bus


def _read_items(bus: TimedConnection, applications: Sequence[str]) -> Iterator[bytes]:
    """Yield the secrets of these applications in the desktop's keyring. Raises NoKey if it is locked."""
    for application in applications:
        found = search_items(bus, {"application": application})
        # those of Chromium's current schema (`…_v2`) first
        for item in sorted(
            found, key=lambda item: not item.get_attributes().get("xdg:schema", "").endswith("_v2")
        ):
            if item.is_locked():
                raise NoKey("the keyring is locked", _UNLOCK_KEYRING)
            yield item.get_secret()
