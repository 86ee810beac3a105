"""A browser's secret in the Secret Service: GNOME Keyring, KeePassXC, KWallet since 5.97. Never prompts.

Chromium looks an item up by its `application` attribute alone (components/os_crypt/sync/key_storage_libsecret.cc).
"""

from collections.abc import Iterator, Sequence

from jeepney import DBusErrorResponse
from secretstorage import Item, search_items
from secretstorage.exceptions import SecretStorageException

from gstack_browse.cookies.stores.bus import PatientConnection, session_bus
from gstack_browse.cookies.stores.failures import NoKey

_UNLOCK = (
    "Unlock your keyring (start the browser once, or open your desktop's password program), then try again"
)


def secrets(applications: Sequence[str]) -> list[bytes]:
    """The secrets kept for any of these applications; none where there is no such service or item.

    Raises NoKey where the item is there but locked.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        try:
            return list(_found(bus, applications))
        except (SecretStorageException, DBusErrorResponse, TimeoutError, OSError):
            return []  # no such service on this bus


def _found(bus: PatientConnection, applications: Sequence[str]) -> Iterator[bytes]:
    for application in applications:
        for item in _newest_first(search_items(bus, {"application": application})):
            if item.is_locked():
                raise NoKey("the keyring is locked", _UNLOCK)
            yield item.get_secret()


def _newest_first(items: Iterator[Item]) -> list[Item]:
    """The schema that Chromium writes now comes before the one it wrote once."""
    return sorted(items, key=lambda item: not item.get_attributes().get("xdg:schema", "").endswith("_v2"))
