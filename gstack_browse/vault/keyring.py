"""Our own items in the Secret Service (GNOME Keyring, KeePassXC, KWallet since 5.97). Never prompts, blocks for seconds at most."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from gstack_browse.errors import SetupFailed

if TYPE_CHECKING:
    from secretstorage import Item

    from gstack_browse.cookies.stores.bus import TimedConnection

T = TypeVar("T")
APPLICATION = "gbrowse"


class NoKeyring(Exception):
    """No keyring can be reached, or the desktop has no default one."""


class Keyring:
    """Items of one purpose by name. Methods raise NoKeyring, and SetupFailed where the keyring is locked."""

    title = "the keyring"

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose

    def check(self) -> None:
        """Raise NoKeyring or SetupFailed where nothing could be kept."""

        def refuse_locked(bus: "TimedConnection") -> None:
            from secretstorage import get_collection_by_alias

            if get_collection_by_alias(bus, "default").is_locked():
                raise _locked()

        self._ask(refuse_locked)

    def names(self) -> list[str]:
        """The names of all items."""
        return self._ask(lambda bus: [item.get_attributes().get("name", "") for item in self._items(bus)])

    def read(self, name: str) -> bytes | None:
        """The value of the item of that name; None where there is no such item."""

        def found(bus: "TimedConnection") -> bytes | None:
            for item in self._items(bus, name):
                if item.is_locked():
                    raise _locked()
                return bytes(item.get_secret())
            return None

        return self._ask(found)

    def write(self, name: str, content: bytes) -> None:
        """Store a value under that name; an earlier value of the name is replaced."""

        def keep(bus: "TimedConnection") -> None:
            from secretstorage import get_collection_by_alias

            collection = get_collection_by_alias(bus, "default")
            if collection.is_locked():
                raise _locked()
            label = f"gbrowse {self._purpose} {name}"
            collection.create_item(label, self._attributes(name), content, replace=True)

        self._ask(keep)

    def remove(self, name: str) -> None:
        """Remove the item of that name."""

        def forget(bus: "TimedConnection") -> None:
            for item in self._items(bus, name):
                if item.is_locked():
                    raise _locked()
                item.delete()

        self._ask(forget)

    def _items(self, bus: "TimedConnection", name: str | None = None) -> "Sequence[Item]":
        from secretstorage import search_items

        return list(search_items(bus, self._attributes(name)))

    def _attributes(self, name: str | None) -> dict[str, str]:
        found = {"application": APPLICATION, "purpose": self._purpose}
        return found if name is None else found | {"name": name}

    def _ask(self, act: "Callable[[TimedConnection], T]") -> T:
        try:
            from jeepney import DBusErrorResponse
            from secretstorage.exceptions import LockedException, SecretStorageException

            from gstack_browse.cookies.stores.bus import session_bus
        except ImportError:  # not on this system
            raise NoKeyring from None
        with session_bus() as bus:
            if bus is None:
                raise NoKeyring
            try:
                return act(bus)
            except LockedException:
                raise _locked() from None
            except (SecretStorageException, DBusErrorResponse, TimeoutError, OSError):
                raise NoKeyring from None  # no such service on this bus, or no default collection


def _locked() -> SetupFailed:
    return SetupFailed(
        "The keyring is locked", "Unlock it (open your desktop's password program), then try again"
    )
