"""Read a browser's secret from the Secret Service of the desktop. Never prompts.

That is GNOME Keyring, KeePassXC, or KWallet since 5.97. Chromium looks an item up by its `application` attribute
alone (components/os_crypt/sync/key_storage_libsecret.cc).
"""

from collections.abc import Iterator, Sequence

from jeepney import DBusErrorResponse
from secretstorage import Item, search_items
from secretstorage.exceptions import SecretStorageException

from gstack_browse.cookies.stores.bus import TimedConnection, session_bus
from gstack_browse.cookies.stores.failures import NoKey

_UNLOCK_ADVICE = (
    "Unlock your keyring (start the browser once, or open your desktop's password program), then try again"
)


def read_secrets(applications: Sequence[str]) -> list[bytes]:
    """Return the secrets of these applications; [] where there is no such service or item.

    Raises NoKey if the item exists but is locked.
    """
    with session_bus() as bus:
        if bus is None:
            return []
        try:
            return list(_read_items(bus, applications))
        except (SecretStorageException, DBusErrorResponse, TimeoutError, OSError):
            return []  # no such service on this bus


def _read_items(bus: TimedConnection, applications: Sequence[str]) -> Iterator[bytes]:
    """Yield the secret of each item of these applications; raise NoKey at a locked one."""
    for application in applications:
        for item in _newest_schema_first(search_items(bus, {"application": application})):
            if item.is_locked():
                raise NoKey("the keyring is locked", _UNLOCK_ADVICE)
            yield item.get_secret()


def _newest_schema_first(items: Iterator[Item]) -> list[Item]:
    """Sort items of Chromium's current schema (`…_v2`) before those of its former one."""
    return sorted(items, key=lambda item: not item.get_attributes().get("xdg:schema", "").endswith("_v2"))
