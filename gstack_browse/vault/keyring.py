"""gbrowse's own items in the desktop's Secret Service. Never prompts; blocks for seconds at most.

Implementations: GNOME Keyring, KeePassXC, KWallet since 5.97.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from gstack_browse.errors import SetupFailed

if TYPE_CHECKING:
    from secretstorage import Item

    from gstack_browse.cookies.stores.bus import TimedConnection

T = TypeVar("T")
APPLICATION = "gbrowse"


class NoKeyring(Exception):
    """The keyring cannot be reached, or the desktop has no default one."""


class Keyring:
    """Items of one purpose, by name. Methods raise NoKeyring, and SetupFailed if the keyring is locked."""

    title = "the keyring"

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose

    def check_writable(self) -> None:
        """Raise NoKeyring or SetupFailed if nothing could be stored."""

        def refuse_locked(bus: "TimedConnection") -> None:
            from secretstorage import get_collection_by_alias

            if get_collection_by_alias(bus, "default").is_locked():
                raise _locked_error()

        self._run_on_bus(refuse_locked)

    def list_names(self) -> list[str]:
        """Return the names of all items."""
        return self._run_on_bus(
            lambda bus: [item.get_attributes().get("name", "") for item in self._search(bus)]
        )

    def read(self, name: str) -> bytes | None:
        """Return the value of the item with that name; None if there is no such item."""

        def read_item(bus: "TimedConnection") -> bytes | None:
            for item in self._search(bus, name):
                if item.is_locked():
                    raise _locked_error()
                return bytes(item.get_secret())
            return None

        return self._run_on_bus(read_item)

    def write(self, name: str, content: bytes) -> None:
        """Store a value under that name, replacing an earlier one."""

        def create_item(bus: "TimedConnection") -> None:
            from secretstorage import get_collection_by_alias

            collection = get_collection_by_alias(bus, "default")
            if collection.is_locked():
                raise _locked_error()
            label = f"gbrowse {self._purpose} {name}"
            collection.create_item(label, self._attributes(name), content, replace=True)

        self._run_on_bus(create_item)

    def remove(self, name: str) -> None:
        """Remove the item with that name."""

        def delete_items(bus: "TimedConnection") -> None:
            for item in self._search(bus, name):
                if item.is_locked():
                    raise _locked_error()
                item.delete()

        self._run_on_bus(delete_items)

    def _search(self, bus: "TimedConnection", name: str | None = None) -> "Sequence[Item]":
        """Find the items with that name, or all items of this purpose."""
        from secretstorage import search_items

        return list(search_items(bus, self._attributes(name)))

    def _attributes(self, name: str | None) -> dict[str, str]:
        found = {"application": APPLICATION, "purpose": self._purpose}
        return found if name is None else found | {"name": name}

    def _run_on_bus(self, act: "Callable[[TimedConnection], T]") -> T:
        """Run `act` on the session bus and return its result.

        Raises NoKeyring for errors of the bus, SetupFailed for a locked keyring.
        """
        try:
            from jeepney import DBusErrorResponse
            from secretstorage.exceptions import LockedException, SecretStorageException

            from gstack_browse.cookies.stores.bus import session_bus
        except ImportError:  # the libraries are installed on Linux only
            raise NoKeyring from None
        with session_bus() as bus:
            if bus is None:
                raise NoKeyring
            try:
                return act(bus)
            except LockedException:
                raise _locked_error() from None
            except (SecretStorageException, DBusErrorResponse, TimeoutError, OSError):
                raise NoKeyring from None  # no such service on this bus, or no default collection


def _locked_error() -> SetupFailed:
    return SetupFailed(
        "The keyring is locked", "Unlock it (open your desktop's password program), then try again"
    )
